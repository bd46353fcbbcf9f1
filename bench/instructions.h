// The rows that linefilter_instructions runs (instructions.cc).
#ifndef LINEFILTER_BENCH_INSTRUCTIONS_H_
#define LINEFILTER_BENCH_INSTRUCTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linefilter::bench {

struct InstructionRow {
  std::string name;               // "single/blocked/AVX2", "hash_u64"
  uint64_t keys;                  // what the count is divided by: keys, or calls where there are no keys
  std::function<void()> prepare;  // not counted
  std::function<void()> run;      // counted
  std::function<bool()> right;    // not counted: whether the last run gave the right answers
};
using InstructionRows = std::vector<InstructionRow>;

// Adds what a row of a column costs on the target that is forced now. (instructions_columns.cc)
void AddColumns(const char* target, InstructionRows* rows);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_INSTRUCTIONS_H_
