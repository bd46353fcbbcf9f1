// What the writers leave behind, each in a file, and what a judge makes of it.
#ifndef LINEFILTER_EXAMPLES_REDIS_DEDUP_RESULTS_H_
#define LINEFILTER_EXAMPLES_REDIS_DEDUP_RESULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "examples/redis_dedup/writer.h"

namespace redis_dedup {

// How often each key was told to be new, and accepted.
struct Judged {
  explicit Judged(uint64_t keys) : told_new(keys), accepted(keys) {}
  std::vector<uint8_t> told_new, accepted;
};

std::string ResultFile(const std::string& folder, unsigned writer);

// The tally, then the notes. False: the file could not be written.
bool WriteResult(const std::string& path, const Tally& tally, const Notes& notes);

// Adds up what the writers did. The judge trusts neither filter nor store.
Tally Collect(const std::string& folder, unsigned writers, Judged* judged);

}  // namespace redis_dedup

#endif  // LINEFILTER_EXAMPLES_REDIS_DEDUP_RESULTS_H_
