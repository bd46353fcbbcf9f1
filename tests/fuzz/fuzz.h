// What the fuzz targets share: how they are called, how they read their input, how they say that something is wrong.
//
// A target is a function of any bytes. libFuzzer calls it through entry.cc; tests/fuzz/fuzz_corpus_test.cc calls all of
// them with the committed corpus, in every build. Whatever the bytes are, a target ends quickly and in peace; what must
// hold it demands by FUZZ_REQUIRE.
#ifndef LINEFILTER_TESTS_FUZZ_FUZZ_H_
#define LINEFILTER_TESTS_FUZZ_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "linefilter/hash.h"

namespace linefilter::fuzz {

// One per file tests/fuzz/*_fuzz.cc, whose first lines tell what it demands.
void Arrow(const uint8_t* data, size_t size);
void Build(const uint8_t* data, size_t size);
void File(const uint8_t* data, size_t size);
void Footer(const uint8_t* data, size_t size);
void Parquet(const uint8_t* data, size_t size);
void Parse(const uint8_t* data, size_t size);
void Targets(const uint8_t* data, size_t size);

[[noreturn]] inline void Fail(const char* condition, const char* file, int line) {
  fprintf(stderr, "%s:%d: fuzz target: does not hold: %s\n", file, line, condition);
  abort();
}

// In every build, with NDEBUG too.
#define FUZZ_REQUIRE(condition) ((condition) ? (void)0 : ::linefilter::fuzz::Fail(#condition, __FILE__, __LINE__))

// The input, read from its beginning. Behind its end there are zeros.
class Input {
 public:
  Input(const uint8_t* data, size_t size)
      : rest_(reinterpret_cast<const char*>(data), size), hash_(MixHash(HashKey(rest_, 0))) {}

  // True for one of `share` inputs, whatever a fuzzer prefers: for what takes a hundred times as long.
  bool Seldom(uint64_t share) const { return hash_ % share == 0; }

  uint8_t Byte() {
    if (rest_.empty()) return 0;
    const uint8_t byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  // Little-endian.
  uint64_t Number(int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; ++i) number |= uint64_t{Byte()} << (8 * i);
    return number;
  }
  // Less than `end`, which is at most 65536.
  size_t Below(size_t end) { return static_cast<size_t>(Number(end <= 256 ? 1 : 2)) % end; }
  // The next n bytes, or all that are left.
  std::string_view Take(size_t n) {
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view Rest() { return Take(rest_.size()); }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  const uint64_t hash_;
};

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_FUZZ_H_
