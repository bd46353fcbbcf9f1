// The secret of a keyed hash comes from a file, never from the command line, where every user of the machine sees it.
#ifndef LINEFILTER_TOOLS_PROGRAM_SECRET_H_
#define LINEFILTER_TOOLS_PROGRAM_SECRET_H_

#include <string>

#include "linefilter/hash.h"

namespace linefilter::tools {

// This is what --secret gave.
struct SecretOption {
  HashSecret secret;
  bool is_given = false;
  const HashSecret* OrNull() const { return is_given ? &secret : nullptr; }
};

// An image that is made may begin a new secret. One that is asked has its own, and a new one would only destroy that.
enum class SecretUse { kMake, kAsk };

// Reads 16 bytes that are no text, or 32 hexadecimal digits and perhaps a line end; nothing behind them. They come from
// a regular file or a pipe: <(...) of a shell, /dev/stdin. False comes with what is wrong and what to do.
bool ReadSecret(const std::string& path, SecretUse use, HashSecret* secret, std::string* error);

// This is CheckOfSecret as reports show it: 16 hexadecimal digits.
std::string SecretCheckText(uint64_t check);

inline constexpr char kSecretHelp[] = "Secret of a keyed hash: a file of 16 random bytes, or of 32 hexadecimal digits";

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_SECRET_H_
