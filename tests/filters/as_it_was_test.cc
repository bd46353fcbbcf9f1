// On an error the filter is as it was: whatever lets its old content go for a new one (Create, CreateFromImage, Map,
// Load) looks first, and has the new one complete before the old one goes. For each class, each kind of failure: an
// image that is cut, damaged, of another version, layout or class, of another hash or secret; options that are none; a
// limit; and memory that runs out at each allocation.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

FilterOptions Options() { return Fpr(0.01); }

// What classes do differently.
template <class Filter>
Status CreateSome(Filter* filter, uint64_t num_keys, const FilterOptions& options) {
  return filter->Create(num_keys, options);
}
Status CreateSome(RotatingFilter* filter, uint64_t num_keys, const FilterOptions& options) {
  return filter->Create(num_keys, 3, options, Rotation::kByCount);
}

template <class Filter>
class AsItWas : public testing::Test {
 protected:
  // Filled, its memory from `old_memory_`.
  void SetUp() override {
    FilterOptions options = Options();
    options.seed = 7;
    options.allocator = old_memory_.hooks();
    ASSERT_TRUE(CreateSome(&filter_, 3000, options).ok());
    filter_.InsertHashes(hashes_.data(), hashes_.size());
    before_ = ImageOf(filter_);
    memory_ = filter_.MemoryUse();
  }

  static std::string SomeImage(uint64_t num_keys, const FilterOptions& options) {
    Filter filter;
    EXPECT_TRUE(CreateSome(&filter, num_keys, options).ok());
    const std::vector<uint64_t> others = RandomHashes(static_cast<size_t>(num_keys / 2), 9);
    filter.InsertHashes(others.data(), others.size());
    return ImageOf(filter);
  }

  void ExpectAsItWas(const std::string& what) {
    SCOPED_TRACE(what);
    EXPECT_EQ(filter_.CountMaybes(hashes_.data(), hashes_.size()), hashes_.size()) << "a member is absent";
    EXPECT_TRUE(ImageOf(filter_) == before_);
    EXPECT_EQ(filter_.MemoryUse(), memory_);
    EXPECT_EQ(filter_.seed(), 7u);
    EXPECT_EQ(filter_.hash_id(), HashId::kXxh3);
    EXPECT_TRUE(filter_.KeyStatus().ok());
  }
  // And nothing of the attempt is left.
  void ExpectFails(StatusCode code, const std::string& what, const std::function<Status()>& attempt) {
    const uint64_t live = old_memory_.live_bytes();
    EXPECT_TRUE(Says(code, attempt())) << what;
    EXPECT_EQ(old_memory_.live_bytes(), live) << what;
    ExpectAsItWas(what);
  }
  void ExpectRefused(StatusCode code, const std::string& what, const std::string& image,
                     const FilterOptions& options = {}) {
    ExpectFails(code, what, [&] { return filter_.CreateFromImage(image.data(), image.size(), options); });
  }
  // It takes keys as if nothing had been.
  void ExpectGoesOn() {
    Filter other;
    ASSERT_TRUE(other.CreateFromImage(before_.data(), before_.size()).ok());
    const std::vector<uint64_t> more = RandomHashes(2000, 5);
    EXPECT_EQ(filter_.InsertHashes(more.data(), more.size()), other.InsertHashes(more.data(), more.size()));
    EXPECT_TRUE(ImageOf(filter_) == ImageOf(other));
  }

  TestAllocator old_memory_;
  const std::vector<uint64_t> hashes_ = RandomHashes(1000, 1);
  Filter filter_;
  std::string before_;
  uint64_t memory_ = 0;
};

using Filters =
    testing::Types<BlockedFilter, ClassicFilter, QuotientFilter, ConcurrentFilter, ScalableFilter, RotatingFilter>;
TYPED_TEST_SUITE(AsItWas, Filters, );

TYPED_TEST(AsItWas, OfAnImageThatIsNotWhole) {
  const std::string image = this->SomeImage(100000, Options());  // with chunk checks
  this->ExpectRefused(StatusCode::kCorrupt, "nothing", "");
  this->ExpectFails(StatusCode::kCorrupt, "null", [&] { return this->filter_.CreateFromImage(nullptr, 100); });
  for (const size_t size : {size_t{1}, size_t{8}, image.size() / 2, image.size() - 1}) {
    this->ExpectRefused(StatusCode::kCorrupt, "cut", image.substr(0, size));
  }
  for (const size_t at : {size_t{0}, size_t{70000}, image.size() - 20, image.size() - 6}) {
    std::string damaged = image;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    this->ExpectRefused(StatusCode::kCorrupt, "damaged", damaged);
  }
  this->ExpectGoesOn();
}

TYPED_TEST(AsItWas, OfAnImageThatIsNotForIt) {
  std::string image = this->SomeImage(100, Options());
  image.back() = static_cast<char>(0xa2);
  this->ExpectRefused(StatusCode::kUnsupported, "a later version", image);
  for (const int layout : {4, 9, 1, 2, 3, 5, 6, 7}) {
    reference::Filter other;
    other.layout = layout;
    other.num_probes = layout == 1 || layout == 2 ? 5 : 0;
    other.body.resize(128);
    if (layout == 5) other = reference::MakeContainer({reference::Filter{}}, {0});  // an empty stage
    const reference::Bytes bytes = reference::WriteImage(other);
    const std::string written(bytes.begin(), bytes.end());
    const StatusCode code = layout == 4 || layout == 9 ? StatusCode::kUnsupported
                            : layout == 5              ? StatusCode::kCorrupt
                                                       : StatusCode::kIncompatible;
    TypeParam fresh;
    if (fresh.CreateFromImage(written.data(), written.size()).ok()) continue;  // it is for this class
    this->ExpectRefused(code, "layout " + std::to_string(layout), written);
  }
  reference::Filter stage;
  stage.body.resize(64);
  const reference::Bytes bytes = reference::WriteImage(reference::MakeContainer({stage, stage}, {0, 0}));
  this->ExpectRefused(StatusCode::kIncompatible, "stages of nobody", std::string(bytes.begin(), bytes.end()));
  this->ExpectGoesOn();
}

TYPED_TEST(AsItWas, OfAnotherHashOrSecret) {
  const std::string plain = this->SomeImage(100, Options()), keyed = this->SomeImage(100, Keyed(Options(), 1));
  this->ExpectRefused(StatusCode::kIncompatible, "a secret for none", plain, Keyed(Options(), 1));
  this->ExpectRefused(StatusCode::kIncompatible, "another secret", keyed, Keyed(Options(), 2));
  this->ExpectRefused(StatusCode::kIncompatible, "no secret", keyed);
  this->ExpectRefused(StatusCode::kInvalidArgument, "a secret of zeros", keyed, Keyed(Options(), 0));
  FilterOptions stray;
  stray.secret.bytes[5] = 1;
  this->ExpectRefused(StatusCode::kInvalidArgument, "a secret without a keyed hash", plain, stray);
  this->ExpectGoesOn();
}

TYPED_TEST(AsItWas, OfOptionsThatAreNone) {
  const std::string image = this->SomeImage(100000, Options());
  const auto create = [&](StatusCode code, const char* what, const FilterOptions& options, uint64_t num_keys = 100000) {
    this->ExpectFails(code, what, [&] { return CreateSome(&this->filter_, num_keys, options); });
  };
  FilterOptions options;
  create(StatusCode::kInvalidArgument, "no size", options);
  options.fpr = 2;
  create(StatusCode::kInvalidArgument, "no rate", options);
  options = Options();
  options.hash_id = static_cast<HashId>(9);
  create(StatusCode::kUnsupported, "no hash", options);
  create(StatusCode::kInvalidArgument, "no secret", Keyed(Options(), 0));
  create(StatusCode::kInvalidArgument, "more keys than can be", Options(), ~uint64_t{0});
  options = Options();
  options.allocator.allocate = [](void*, size_t, size_t) noexcept -> void* { return nullptr; };
  create(StatusCode::kInvalidArgument, "half an allocator", options);
  this->ExpectRefused(StatusCode::kInvalidArgument, "half an allocator", image, options);
  options = Options();
  options.memory_limit = 20000;
  create(StatusCode::kOverLimit, "a limit", options);
  this->ExpectRefused(StatusCode::kOverLimit, "a limit", image, options);
  this->ExpectGoesOn();
}

// The old memory stays until the new one is complete, and goes then.
TYPED_TEST(AsItWas, WhenMemoryRunsOut) {
  const std::string image = this->SomeImage(100000, Options());
  for (const bool from_image : {false, true}) {
    for (uint64_t fail = 0;; ++fail) {
      TestAllocator new_memory;
      FilterOptions options = new_memory.WithHooks(Options());
      const auto attempt = [&] {
        return from_image ? this->filter_.CreateFromImage(image.data(), image.size(), options)
                          : CreateSome(&this->filter_, 100000, options);
      };
      new_memory.FailFrom(fail);
      TypeParam probe;  // how many allocations it takes tells one that is made
      const Status status =
          from_image ? probe.CreateFromImage(image.data(), image.size(), options) : CreateSome(&probe, 100000, options);
      if (status.ok()) break;
      new_memory.FailFrom(fail);
      this->ExpectFails(StatusCode::kOutOfMemory, "allocation " + std::to_string(fail), attempt);
      EXPECT_EQ(new_memory.live_bytes(), 0u);
      ASSERT_LT(fail, 20u);
    }
  }
  this->ExpectGoesOn();
  EXPECT_GT(this->old_memory_.live_bytes(), 0u);
  ASSERT_TRUE(this->filter_.CreateFromImage(image.data(), image.size()).ok());
  EXPECT_EQ(this->old_memory_.live_bytes(), 0u);
  EXPECT_TRUE(ImageOf(this->filter_) == image);
  ASSERT_TRUE(CreateSome(&this->filter_, 100, Keyed(Options(), 3)).ok());
  EXPECT_EQ(this->filter_.hash_id(), HashId::kKeyed);
}

// --- Files ---

class FileAsItWas : public testing::Test {
 protected:
  void SetUp() override {
    image_ = Build(Options(), hashes_);
    keyed_ = folder_.Write("keyed", Build(Keyed(Options()), hashes_));
    large_ = Build(Options(), RandomHashes(200000, 2));
  }
  // A file that is mapped, or loaded.
  void Open(bool load, FilterFile* file) {
    const std::string path = folder_.Write("old", image_);
    ASSERT_TRUE((load ? file->Load(path.c_str(), old_memory_.hooks()) : file->Map(path.c_str())).ok());
    body_ = file->view().body();
  }
  void ExpectAsItWas(const FilterFile& file, const char* what) {
    EXPECT_TRUE(file.view().Verify().ok()) << what;
    EXPECT_EQ(file.view().body(), body_) << what;
    EXPECT_EQ(file.view().image_bytes(), image_.size()) << what;
    EXPECT_EQ(file.view().CountMaybes(hashes_.data(), hashes_.size()), hashes_.size()) << what;
    EXPECT_FALSE(file.view().MayContainHash(absent_)) << what;
  }

  const TempDir folder_;
  TestAllocator old_memory_;
  const std::vector<uint64_t> hashes_ = RandomHashes(1000, 1);
  const uint64_t absent_ = [this] {
    uint64_t hash = 5;
    const std::string image = Build(Options(), hashes_);
    while (FilterView(image.data(), image.size(), VerifyMode::kWhole).MayContainHash(hash)) hash = MixHash(hash);
    return hash;
  }();
  std::string image_, large_, keyed_;
  const void* body_ = nullptr;
};

TEST_F(FileAsItWas, WhateverCannotBeOpened) {
  std::string damaged = large_;
  damaged[100000] = static_cast<char>(damaged[100000] ^ 1);
  std::string later = large_;
  later.back() = static_cast<char>(0xa2);
  HashSecret secret;
  secret.bytes[0] = 2;
  for (const bool was_loaded : {false, true}) {
    FilterFile file;
    Open(was_loaded, &file);
    const auto fails = [&](StatusCode code, const char* what, const std::string& path, const HashSecret* given) {
      EXPECT_EQ(file.Map(path.c_str(), VerifyMode::kAuto, MapAdvice::kWillNeed, given).code(), code) << what;
      ExpectAsItWas(file, what);
      EXPECT_EQ(file.Load(path.c_str(), {}, kNoMemoryLimit, given).code(), code) << what;
      ExpectAsItWas(file, what);
    };
    fails(StatusCode::kIoError, "no file", folder_.File("none"), nullptr);
    fails(StatusCode::kIoError, "a folder", folder_.path(), nullptr);
    fails(StatusCode::kCorrupt, "empty", folder_.Write("empty", ""), nullptr);
    fails(StatusCode::kCorrupt, "cut", folder_.Write("cut", large_.substr(0, 5000)), nullptr);
    fails(StatusCode::kUnsupported, "later", folder_.Write("later", later), nullptr);
    fails(StatusCode::kIncompatible, "no secret", keyed_, nullptr);
    fails(StatusCode::kIncompatible, "another secret", keyed_, &secret);
    fails(StatusCode::kIncompatible, "a secret for none", folder_.Write("large", large_), &secret);
    EXPECT_EQ(file.Load(folder_.Write("damaged", damaged).c_str()).code(), StatusCode::kCorrupt);
    ExpectAsItWas(file, "damaged");
    EXPECT_EQ(file.Load(folder_.File("large").c_str(), {}, 1000).code(), StatusCode::kOverLimit);
    ExpectAsItWas(file, "a limit");
    for (uint64_t fail = 0; fail < 2; ++fail) {
      TestAllocator poor;
      poor.FailFrom(fail);
      EXPECT_EQ(file.Load(folder_.File("large").c_str(), poor.hooks()).code(), StatusCode::kOutOfMemory);
      EXPECT_EQ(poor.live_blocks(), 0u);
      ExpectAsItWas(file, "memory");
    }
    ASSERT_TRUE(file.Load(folder_.File("large").c_str()).ok());
    EXPECT_EQ(old_memory_.live_blocks(), 0u);
    EXPECT_EQ(file.view().image_bytes(), large_.size());
  }
}

// Its own bytes may be given: they are looked at before they go.
TEST(AsItWasOwn, ImagesOfTheFileThatIsOpen) {
  const TempDir folder;
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  const FilterOptions options = Keyed(Options());
  const std::string path = folder.Write("image", Build(options, hashes));
  FilterFile file;
  ASSERT_TRUE(file.Map(path.c_str(), VerifyMode::kAuto, MapAdvice::kWillNeed, &options.secret).ok());
  ASSERT_TRUE(file.Load(path.c_str(), {}, kNoMemoryLimit, &file.view().key_hash().secret).ok())
      << "the secret of the old view";
  ASSERT_TRUE(file.Map(path.c_str(), VerifyMode::kAuto, MapAdvice::kRandom, &file.view().key_hash().secret).ok());
  EXPECT_EQ(file.view().CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

// A view does not own its bytes, and who gives it others may have let the old ones go: it answers "maybe".
TEST(AsItWasOwn, NotAView) {
  const std::string image = Build(Options(), RandomHashes(100, 1));
  FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  ASSERT_TRUE(view.status().ok());
  EXPECT_EQ(view.Open(image.data(), image.size() - 1, VerifyMode::kWhole).code(), StatusCode::kCorrupt);
  EXPECT_FALSE(view.status().ok());
  EXPECT_EQ(view.CountMaybes(RandomHashes(1000, 3).data(), 1000), 1000u);
}

}  // namespace
}  // namespace linefilter::test
