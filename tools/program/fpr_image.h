// `linefilter fpr --filter` asks an image for keys of the user's own: its members, and keys that are absent.
#ifndef LINEFILTER_TOOLS_PROGRAM_FPR_IMAGE_H_
#define LINEFILTER_TOOLS_PROGRAM_FPR_IMAGE_H_

#include <string>
#include <vector>

#include "tools/program/arguments.h"
#include "tools/program/fpr_guard.h"
#include "tools/program/key_reader.h"
#include "tools/program/secret.h"

namespace linefilter::tools {

struct FprOfImage {
  std::string image;
  KeysOption members;               // and how the absent ones are written, too
  std::vector<std::string> absent;  // paths
  SecretOption secret;
};

void DeclareFprOfImage(Arguments* arguments, FprOfImage* fpr);

int RunFprOfImage(const FprOfImage& fpr, const GuardOptions& options);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_FPR_IMAGE_H_
