// The library's filters as what fpr_rows.h measures.
#ifndef LINEFILTER_TESTS_TESTING_LIBRARY_SUBJECT_H_
#define LINEFILTER_TESTS_TESTING_LIBRARY_SUBJECT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "linefilter/rotating.h"
#include "linefilter/view.h"
#include "tests/testing/fpr_rows.h"
#include "tools/measure/any_filter.h"

namespace linefilter::test {

inline uint64_t HashAsTheLibrary(uint64_t key, uint64_t seed) { return HashKey(key, seed); }

// A library's filter of any kind that takes and answers hashes. `hash` is the library's, or a weak one in its place.
class HashedSubject : public Subject {
 public:
  using Hash = uint64_t (*)(uint64_t key, uint64_t seed);

  explicit HashedSubject(Hash hash) : hash_(hash) {}

  void Reset(uint64_t seed) override {
    Empty();
    seed_ = seed;
  }
  void Insert(const uint64_t* keys, size_t n) override {
    InGroups(keys, n, [&](const uint64_t* hashes, size_t size) { InsertHashes(hashes, size); });
  }
  uint64_t CountMaybes(const uint64_t* keys, size_t n) const override {
    uint64_t maybes = 0;
    InGroups(keys, n, [&](const uint64_t* hashes, size_t size) { maybes += filter().CountMaybes(hashes, size); });
    return maybes;
  }
  virtual const FilterBase& filter() const = 0;

 protected:
  static FilterOptions Options(double bits_per_key) {
    FilterOptions options;
    options.bits_per_key = bits_per_key;
    options.hash_id = HashId::kCaller;
    return options;
  }
  virtual void Empty() = 0;
  virtual void InsertHashes(const uint64_t* hashes, size_t n) = 0;

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

  Hash hash_;
  uint64_t seed_ = 0;
};

// Of a layout that is made of keys.
class LibrarySubject : public HashedSubject {
 public:
  LibrarySubject(Layout layout, uint64_t num_keys, double bits_per_key, Hash hash = HashAsTheLibrary)
      : HashedSubject(hash) {
    EXPECT_TRUE(IsOk(filter_.Create(layout, num_keys, Options(bits_per_key))));
  }
  explicit LibrarySubject(const FprRow& row, Hash hash = HashAsTheLibrary)
      : LibrarySubject(row.layout, row.keys_per_filter, row.bits_per_key, hash) {}

  void Finish() override { EXPECT_TRUE(IsOk(filter_.Finish())); }
  const FilterBase& filter() const override { return filter_.filter(); }

 protected:
  void Empty() override { filter_.Clear(); }
  void InsertHashes(const uint64_t* hashes, size_t n) override { filter_.InsertHashes(hashes, n); }

 private:
  tools::AnyFilter filter_;
};

// A container: the image of a rotating filter whose generations are all full.
class ContainerSubject final : public HashedSubject {
 public:
  explicit ContainerSubject(const FprRow& row) : HashedSubject(HashAsTheLibrary), row_(row) {}

  void Finish() override {
    image_.clear();
    EXPECT_TRUE(IsOk(rotating_->AppendImage(&image_)));
    EXPECT_TRUE(IsOk(view_.Open(image_.data(), image_.size(), VerifyMode::kTrusted)));
    EXPECT_EQ(view_.layout(), Layout::kContainer);
  }
  const FilterBase& filter() const override { return view_; }

 protected:
  void Empty() override {
    rotating_ = std::make_unique<RotatingFilter>();
    const uint64_t window = row_.keys_per_filter / kGenerations * (kGenerations - 1);
    EXPECT_TRUE(IsOk(rotating_->Create(window, kGenerations, Options(row_.bits_per_key))));
    EXPECT_EQ(rotating_->keys_per_generation(), row_.keys_per_filter / kGenerations);
    in_newest_ = 0;
  }
  void InsertHashes(const uint64_t* hashes, size_t n) override {
    while (n != 0) {
      if (in_newest_ == rotating_->keys_per_generation()) {
        rotating_->Rotate();
        in_newest_ = 0;
      }
      const size_t size = std::min<size_t>(n, rotating_->keys_per_generation() - in_newest_);
      rotating_->InsertHashes(hashes, size);
      in_newest_ += size;
      hashes += size;
      n -= size;
    }
  }

 private:
  const FprRow row_;
  std::unique_ptr<RotatingFilter> rotating_;
  uint64_t in_newest_ = 0;
  std::string image_;
  FilterView view_;
};

inline std::unique_ptr<HashedSubject> SubjectOf(const FprRow& row) {
  if (row.layout == Layout::kContainer) return std::make_unique<ContainerSubject>(row);
  return std::make_unique<LibrarySubject>(row);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_LIBRARY_SUBJECT_H_
