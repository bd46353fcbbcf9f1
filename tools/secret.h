// The secret of a keyed hash, from a file: never from the command line, where every user of the machine sees it.
#ifndef LINEFILTER_TOOLS_SECRET_H_
#define LINEFILTER_TOOLS_SECRET_H_

#include <string>

#include "linefilter/keyed_hash.h"

namespace linefilter::tools {

// What --secret gave.
struct SecretOption {
  HashSecret secret;
  bool is_given = false;
  const HashSecret* OrNull() const { return is_given ? &secret : nullptr; }
};

// 16 bytes, or 32 hexadecimal digits and perhaps a line end. False with what is wrong and what to do.
bool ReadSecret(const std::string& path, HashSecret* secret, std::string* error);

inline constexpr char kSecretHelp[] = "Secret of a keyed hash: a file of 16 bytes, or of 32 hexadecimal digits";

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_SECRET_H_
