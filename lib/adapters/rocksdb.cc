#include "linefilter/rocksdb.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "lib/adapters/added_hashes.h"
#include "lib/adapters/engine_filter.h"
#include "lib/adapters/rocksdb_interface.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"

namespace linefilter {
namespace {

std::string_view BytesOf(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

class ImageBuilder final : public rocksdb::FilterBitsBuilder {
 public:
  ImageBuilder(const FilterOptions& options, bool post_verify)
      : options_(options), post_verify_(post_verify), builder_(options) {}

  void AddKey(const rocksdb::Slice& key) override {
    const uint64_t hash = HashKey(BytesOf(key), options_.seed);
    builder_.AddHash(hash);
    if (!post_verify_) return;
    if (is_finished_) added_.Clear();  // they were the last filter's
    is_finished_ = false;
    added_.Add(hash);
  }

  size_t EstimateEntriesAdded() override { return static_cast<size_t>(builder_.num_keys()); }

  rocksdb::Slice Finish(std::unique_ptr<const char[]>* memory) override {
    if (is_finished_) added_.Clear();
    is_finished_ = true;
    const size_t size = static_cast<size_t>(builder_.ImageBytes());
    std::unique_ptr<char[]> image(size == 0 || !added_.has_all() ? nullptr : new (std::nothrow) char[size]);
    if (image == nullptr || !builder_.FinishTo(image.get(), size, nullptr).ok()) {
      builder_.Reset();
      return {internal::kNoImage, sizeof(internal::kNoImage)};
    }
    *memory = std::move(image);
    return {memory->get(), size};
  }

  // Memory that ran out is no reason to stop writing.
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* memory, rocksdb::Status* status) override {
    if (status != nullptr) *status = rocksdb::Status::OK();
    return Finish(memory);
  }

  // This checks the filter as RocksDB is about to write it: its bytes by its checks, then every key that was added, as
  // a reader will ask it. (A sound filter of other keys passes the checks alone.)
  rocksdb::Status MaybePostVerify(const rocksdb::Slice& filter) override {
    if (!post_verify_ || filter.data() == internal::kNoImage) return rocksdb::Status::OK();
    FilterView view;
    Status status = view.Open(filter.data(), filter.size());
    if (status.ok()) status = view.Verify();
    if (status.ok()) status = CheckKeys(view);
    return status.ok() ? rocksdb::Status::OK() : rocksdb::Status::Corruption("linefilter", status.message());
  }

  // This searches, because sizes grow with the keys, in steps of blocks.
  size_t ApproximateNumEntries(size_t num_bytes) override {
    uint64_t fits = 0, too_many = static_cast<uint64_t>(8 * static_cast<double>(num_bytes) / options_.bits_per_key) + 1;
    while (too_many - fits > 1) {
      const uint64_t middle = fits + (too_many - fits) / 2;
      uint64_t image_bytes = 0;
      const Status status = FilterBuilder::EstimateBytes(options_, middle, &image_bytes);
      (status.ok() && image_bytes <= num_bytes ? fits : too_many) = middle;
    }
    return static_cast<size_t>(fits);
  }

 private:
  Status CheckKeys(const FilterView& view) const {
    if (view.hash_id() != options_.hash_id || view.seed() != options_.seed) {
      return Status::Error(StatusCode::kCorrupt,
                           "a new filter has another hash than its keys: memory was changed while it was made, so the "
                           "file is given up. Write it again");
    }
    uint64_t num_keys = 0, num_found = 0;
    added_.ForEachChunk([&](const uint64_t* hashes, size_t n) {
      num_keys += n;
      num_found += view.CountMaybes(hashes, n);
    });
    if (num_found == num_keys) return Status();
    return Status::Error(StatusCode::kCorrupt,
                         "a new filter lacks %llu of its %llu keys: memory was changed while it was made, so the file "
                         "is given up. Write it again",
                         static_cast<unsigned long long>(num_keys - num_found),
                         static_cast<unsigned long long>(num_keys));
  }

  const FilterOptions options_;
  const bool post_verify_;
  internal::EngineFilterBuilder builder_;
  internal::AddedHashes added_;  // for the filter that is being made, or was last; empty without post_verify_
  bool is_finished_ = false;
};

class ImageReader final : public rocksdb::FilterBitsReader {
 public:
  ImageReader(std::string_view image, bool verify) : view_(image.data(), image.size()) {
    const bool is_damaged = verify && !view_.Verify().ok();
    if (is_damaged || view_.hash_id() != HashId::kXxh3) view_ = FilterView();  // "maybe"
  }

  bool MayMatch(const rocksdb::Slice& key) override { return view_.MayContainKey(BytesOf(key)); }

  void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override {
    static_assert(sizeof(bool) == sizeof(uint8_t), "answers are 0 or 1 in a byte");
    uint64_t hashes[kGroup];
    for (int first = 0; first < num_keys; first += kGroup) {
      const int count = num_keys - first < kGroup ? num_keys - first : kGroup;
      for (int i = 0; i < count; ++i) {
        hashes[i] = HashKey(BytesOf(*keys[first + i]), view_.seed());
        view_.Prepare(hashes[i]);
      }
      view_.MayContainHashes(hashes, static_cast<size_t>(count), reinterpret_cast<uint8_t*>(may_match + first));
    }
  }

 private:
  static constexpr int kGroup = 32;  // as many as a MultiGet asks at once

  FilterView view_;
};

class RocksDBFilterPolicy final : public rocksdb::FilterPolicy {
 public:
  RocksDBFilterPolicy(const FilterOptions& options, bool verify) : options_(options), verify_(verify) {}

  const char* Name() const override { return internal::kEngineFilterName; }
  const char* CompatibilityName() const override { return internal::kEngineFilterName; }

  // Null (no memory) is "no filter" to RocksDB, in both.
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const override {
    return new (std::nothrow) ImageBuilder(options_, context.table_options.detect_filter_construct_corruption);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return new (std::nothrow) ImageReader(BytesOf(contents), verify_);
  }

 private:
  const FilterOptions options_;
  const bool verify_;
};

// The header refuses unknown versions when it is compiled; what is linked then may be yet another.
Status CheckEngine() {
  const std::string compiled = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string runs = rocksdb::GetRocksVersionAsString(false);
  if (runs == compiled) return Status();
  return Status::Error(StatusCode::kUnsupported,
                       "the adapter was compiled for RocksDB %s and runs with %s, whose filters may have another "
                       "interface: compile it with the headers of the RocksDB that is linked",
                       compiled.c_str(), runs.c_str());
}

}  // namespace

const rocksdb::FilterPolicy* NewRocksDBFilterPolicy(const EngineFilterOptions& options, Status* status) noexcept {
  return internal::NewPolicy<RocksDBFilterPolicy>(CheckEngine(), options, status);
}

}  // namespace linefilter
