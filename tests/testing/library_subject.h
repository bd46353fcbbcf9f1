// The library's filters as what fpr_judge.h measures.
#ifndef LINEFILTER_TESTS_TESTING_LIBRARY_SUBJECT_H_
#define LINEFILTER_TESTS_TESTING_LIBRARY_SUBJECT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "tests/testing/fpr_judge.h"
#include "tools/measure/any_filter.h"

namespace linefilter::test {

inline uint64_t HashAsTheLibrary(uint64_t key, uint64_t seed) { return HashKey(key, seed); }

// `hash` is the library's, or a weak one put in its place.
class LibrarySubject : public Subject {
 public:
  using Hash = uint64_t (*)(uint64_t key, uint64_t seed);

  LibrarySubject(Layout layout, uint64_t num_keys, double bits_per_key, Hash hash = HashAsTheLibrary) : hash_(hash) {
    FilterOptions options;
    options.bits_per_key = bits_per_key;
    options.hash_id = HashId::kCaller;
    EXPECT_TRUE(IsOk(filter_.Create(layout, num_keys, options)));
  }
  explicit LibrarySubject(const StoredFpr& stored, Hash hash = HashAsTheLibrary)
      : LibrarySubject(stored.layout, stored.num_keys, stored.bits_per_key, hash) {}

  void Reset(uint64_t seed) override {
    filter_.Clear();
    seed_ = seed;
  }
  void Insert(const uint64_t* keys, size_t n) override {
    InGroups(keys, n, [&](const uint64_t* hashes, size_t size) { filter_.InsertHashes(hashes, size); });
  }
  void Finish() override { EXPECT_TRUE(IsOk(filter_.Finish())); }
  uint64_t CountMaybes(const uint64_t* keys, size_t n) const override {
    uint64_t maybes = 0;
    InGroups(keys, n, [&](const uint64_t* hashes, size_t size) { maybes += filter().CountMaybes(hashes, size); });
    return maybes;
  }
  const FilterBase& filter() const { return filter_.filter(); }

 private:
  template <class Work>
  void InGroups(const uint64_t* keys, size_t n, const Work& work) const {
    uint64_t hashes[2048];
    for (size_t done = 0; done < n;) {
      const size_t size = std::min(std::size(hashes), n - done);
      if (hash_ == &HashAsTheLibrary) {  // inlined
        for (size_t i = 0; i < size; ++i) hashes[i] = HashKey(keys[done + i], seed_);
      } else {
        for (size_t i = 0; i < size; ++i) hashes[i] = hash_(keys[done + i], seed_);
      }
      work(hashes, size);
      done += size;
    }
  }

  tools::AnyFilter filter_;
  Hash hash_;
  uint64_t seed_ = 0;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_LIBRARY_SUBJECT_H_
