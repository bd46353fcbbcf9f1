// Asks a filter in every way there is. All must agree, write nothing beyond their answers, and tell sane figures.
#ifndef LINEFILTER_TESTS_FUZZ_QUESTIONS_H_
#define LINEFILTER_TESTS_FUZZ_QUESTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "linefilter/filter_base.h"
#include "linefilter/many.h"
#include "linefilter/view.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/secrets.h"
#include "tests/testing/random.h"

namespace linefilter::fuzz {

// Hashes at the ends of what a place in a body can be, then those of the input, then random ones.
struct Questions {
  static constexpr size_t kMost = 70;  // more than twice what is looked ahead

  explicit Questions(Input* in) {
    n = in->Byte() % (kMost + 1);
    test::Random random(in->Number(2));
    const uint64_t special[] = {~uint64_t{0}, 0, uint64_t{1} << 63, in->Number(8)};
    for (size_t i = 0; i < n; ++i) hashes[i] = i < 4 ? special[i] : random();
  }

  // Keys of several lengths: bytes of the questions. i < kKeys.
  static constexpr size_t kKeys = 12;
  std::string_view Key(size_t i) const { return {reinterpret_cast<const char*>(&hashes[i]), i % 3 == 0 ? 8 : 5 * i}; }

  size_t n = 0;
  uint64_t hashes[kMost] = {};
};

inline bool AllMaybe(const FilterBase& filter, const uint64_t* hashes, size_t n) {
  return filter.CountMaybes(hashes, n) == n;
}

// answers[i] becomes the answer to question i.
inline void AskInEveryWay(const FilterBase& filter, const Questions& questions, uint8_t* answers) {
  constexpr uint8_t kGuard = 0xa5;
  const size_t n = questions.n;
  const uint64_t* const hashes = questions.hashes;
  uint8_t bytes[Questions::kMost + 1], bits[Questions::kMost / 8 + 2];
  memset(bytes, kGuard, sizeof(bytes));
  memset(bits, kGuard, sizeof(bits));
  filter.MayContainHashes(hashes, n, bytes);
  filter.MayContainHashesToBits(hashes, n, bits);
  FUZZ_REQUIRE(bytes[n] == kGuard && bits[(n + 7) / 8] == kGuard);
  uint64_t maybes = 0;
  for (size_t i = 0; i < n; ++i) {
    filter.Prepare(hashes[i]);
    answers[i] = filter.MayContainHash(hashes[i]);
    maybes += answers[i];
    FUZZ_REQUIRE(bytes[i] == answers[i]);
    FUZZ_REQUIRE((bits[i / 8] >> (i % 8) & 1) == answers[i]);
  }
  FUZZ_REQUIRE(n % 8 == 0 || bits[n / 8] >> (n % 8) == 0);
  FUZZ_REQUIRE(filter.CountMaybes(hashes, n) == maybes);
  if (n == 0) return;
  const FilterBase* const twice[] = {&filter, &filter};
  uint8_t both[] = {kGuard, kGuard, kGuard};
  FUZZ_REQUIRE(MayContainHash(twice, 2, filter.key_hash(), hashes[0], both) == 2u * answers[0]);
  FUZZ_REQUIRE(both[0] == answers[0] && both[1] == answers[0] && both[2] == kGuard);
  KeyHash another = filter.key_hash();
  ++another.seed;
  FUZZ_REQUIRE(MayContainHash(twice, 2, another, hashes[0], both) == 2);
}

// The same by key, from the hashes of keys: some of the questions. `secret` is what the view was opened with, or null.
inline void AskByKey(const FilterView& view, const Questions& questions, const HashSecret* secret) {
  const bool hashes_keys = view.KeyStatus().ok();
  const size_t n = std::min(questions.n, Questions::kKeys);
  std::string_view keys[Questions::kKeys];
  uint8_t of_keys[Questions::kKeys], of_integers[Questions::kKeys];
  for (size_t i = 0; i < n; ++i) keys[i] = questions.Key(i);
  view.MayContainKeys(keys, n, of_keys);
  view.MayContainKeys(questions.hashes, n, of_integers);
  const FilterView broken;
  const FilterBase* const together[] = {&view, &broken, &view};
  uint8_t rows[3 * Questions::kKeys + 1], of_one[3];
  rows[3 * n] = 0xa5;
  MayContainKeys(together, 3, keys, n, rows);
  FUZZ_REQUIRE(rows[3 * n] == 0xa5 && memcmp(rows, of_keys, n) == 0 && memcmp(rows + 2 * n, of_keys, n) == 0);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t integer = questions.hashes[i];
    FUZZ_REQUIRE(view.MayContainKey(keys[i]) == (of_keys[i] != 0));
    FUZZ_REQUIRE(rows[n + i] == 1);
    FUZZ_REQUIRE(MayContainKey(together, 3, keys[i], of_one) == 1u + 2u * of_keys[i]);
    FUZZ_REQUIRE(of_one[0] == of_keys[i] && of_one[1] == 1 && of_one[2] == of_keys[i]);
    FUZZ_REQUIRE(view.MayContainKey(integer) == (of_integers[i] != 0));
    FUZZ_REQUIRE(hashes_keys || (of_keys[i] == 1 && of_integers[i] == 1));
    if (!hashes_keys) continue;
    uint8_t bytes[8];
    reference::PutLittleEndian(integer, 8, bytes);
    const auto maybe = [&](std::string_view key) {
      return view.MayContainHash(HashBy(view.hash_id(), view.seed(), secret, key));
    };
    FUZZ_REQUIRE(maybe(keys[i]) == (of_keys[i] != 0));
    FUZZ_REQUIRE(maybe({reinterpret_cast<char*>(bytes), 8}) == (of_integers[i] != 0));
  }
}

// What is counted in the bits.
inline void RequireSaneFigures(const FilterBase& filter) {
  const double fill = filter.FillRatio(), fpr = filter.ExpectedFpr();
  const SizeEstimate size = filter.ApproximateSize();
  FUZZ_REQUIRE(fill >= 0 && fill <= 1);
  FUZZ_REQUIRE(size.keys >= 0 && size.error >= 0);
  FUZZ_REQUIRE(!filter.OverCapacity() || (filter.capacity() != 0 && size.IsAbove(filter.capacity())));
  FUZZ_REQUIRE(fpr < 0.01 || filter.RoomFor(0.01) == 0);
  FUZZ_REQUIRE(filter.RoomFor(0.5) <= 8 * filter.body_bytes());
  FUZZ_REQUIRE(fpr >= 0 && fpr <= 1);
  uint64_t counts[FilterBase::kMaxLevels], blocks = 0;
  const size_t levels = filter.CountLevels(counts);
  FUZZ_REQUIRE(levels <= FilterBase::kMaxLevels);
  for (size_t i = 0; i < levels; ++i) blocks += counts[i];
  FUZZ_REQUIRE(levels == 0 || blocks == filter.num_blocks());
  FUZZ_REQUIRE(filter.target() != nullptr);
}

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_QUESTIONS_H_
