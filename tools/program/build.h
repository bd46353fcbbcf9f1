// linefilter build has two ways: one filter of counted keys (command_build.cc), or one that grows (build_grown.cc).
#ifndef LINEFILTER_TOOLS_PROGRAM_BUILD_H_
#define LINEFILTER_TOOLS_PROGRAM_BUILD_H_

#include <cstdint>
#include <functional>
#include <string>

#include "linefilter/options.h"
#include "linefilter/status.h"
#include "tools/program/key_reader.h"
#include "tools/program/secret.h"

namespace linefilter::tools {

struct Build {
  KeysOption keys;
  std::string out, like;
  FilterOptions options;
  uint64_t threads = 0, max_growth = 0;
  SecretOption secret;
  bool json = false, grow = false, exact_size = false;
};

// Hands over the hashes of all keys, batch by batch, until `take` returns false.
Status ReadHashes(const Build& build, uint64_t* keys_read,
                  const std::function<bool(const uint64_t* hashes, size_t n)>& take);

// Builds with --grow; returns the exit code.
int RunGrow(const Build& build);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_BUILD_H_
