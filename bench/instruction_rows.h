// The rows whose instructions callgrind counts: what a caller does with the library, key by key and in batches, on
// every target. Only public headers are used: what is counted is what a user gets, the caller's loop included.
#ifndef LINEFILTER_BENCH_INSTRUCTION_ROWS_H_
#define LINEFILTER_BENCH_INSTRUCTION_ROWS_H_

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

// Aborts the program with a sentence if a filter cannot be made.
std::vector<InstructionRow> InstructionRows();

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_INSTRUCTION_ROWS_H_
