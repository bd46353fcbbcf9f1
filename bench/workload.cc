#include "bench/workload.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>

#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/target.h"

namespace linefilter::bench {
namespace {

constexpr uint64_t kFirstAbsent = uint64_t{1} << 40;
constexpr uint64_t kLargeBody = uint64_t{8} << 20;
constexpr size_t kFewQueries = 32768, kManyQueries = size_t{1} << 22;

[[noreturn]] void Die(const char* what) {
  fprintf(stderr, "linefilter_bench: %s\n", what);
  abort();
}

void Must(const Status& status) {
  if (!status.ok()) Die(status.message());
}

// Huge pages, aligned to one.
void* MapHuge(uint64_t size) {
  constexpr uint64_t kHuge = uint64_t{2} << 20;
  const uint64_t mapped = (size + kHuge - 1) / kHuge * kHuge + kHuge;
  void* const raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) Die("no memory for the filter: choose smaller ones with --benchmark_filter");
  const uintptr_t aligned = (reinterpret_cast<uintptr_t>(raw) + kHuge - 1) / kHuge * kHuge;
  madvise(reinterpret_cast<void*>(aligned), mapped - kHuge, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

template <class Filter>
uint64_t FillAndWrite(uint64_t num_keys, double bits_per_key, void* (*map)(uint64_t), void** image) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  Filter filter;
  Must(filter.Create(num_keys, options));
  std::vector<uint64_t> hashes;
  for (uint64_t begin = 0; begin < num_keys; begin += hashes.size()) {
    hashes.resize(num_keys - begin < 65536 ? num_keys - begin : 65536);
    for (uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = HashKey(begin + i);
    filter.InsertHashes(hashes.data(), hashes.size());
  }
  *image = map(filter.ImageBytes());
  Must(filter.WriteImageTo(*image, filter.ImageBytes()));
  return filter.ImageBytes();
}

}  // namespace

void Workload::Unmap::operator()(void* pointer) const { munmap(pointer, size); }

Workload::Workload(Layout layout, uint64_t body_bytes, double bits_per_key) : image_(nullptr, Unmap{0}) {
  const uint64_t num_keys = static_cast<uint64_t>(static_cast<double>(8 * body_bytes) / bits_per_key);
  void* image = nullptr;
  const uint64_t size = layout == Layout::kBlocked
                            ? FillAndWrite<BlockedFilter>(num_keys, bits_per_key, MapHuge, &image)
                            : FillAndWrite<ClassicFilter>(num_keys, bits_per_key, MapHuge, &image);
  image_ = std::unique_ptr<void, Unmap>(image, Unmap{size});
  Must(view_.Open(image, size));
  bits_per_key_ = 8.0 * static_cast<double>(view_.body_bytes()) / static_cast<double>(num_keys);
  queries_.resize(body_bytes < kLargeBody ? kFewQueries : kManyQueries);
  for (size_t i = 0; i < queries_.size(); ++i) {
    // A coin that no branch predictor learns; members spread over all that were inserted.
    const uint64_t random = MixHash(i);
    queries_[i] = HashKey((random & 1) != 0 ? MulHigh(random, num_keys) : kFirstAbsent + i);
  }
  Check(num_keys);
}

void Workload::Check(uint64_t num_keys) {
  const uint64_t sample = num_keys < 4000000 ? num_keys : 4000000;
  uint64_t maybes = 0;
  for (uint64_t i = 0; i < sample; ++i) {
    if (!view_.MayContainHash(HashKey(i * (num_keys / sample)))) Die("FALSE NEGATIVE: an inserted key is \"absent\"");
    maybes += view_.MayContainHash(HashKey(2 * kFirstAbsent + i));
  }
  for (uint64_t i = sample; i < 4000000; ++i) maybes += view_.MayContainHash(HashKey(2 * kFirstAbsent + i));
  measured_fpr_ = static_cast<double>(maybes) / 4000000;
}

FilterView Workload::ViewFor(const char* target) const {
  Must(ForceTarget(target));
  const FilterView view(image_.get(), view_.image_bytes());
  Must(ForceTarget(nullptr));
  return view;
}

const Workload& Workload::Get(Layout layout, uint64_t body_bytes, double bits_per_key) {
  static std::map<std::tuple<Layout, uint64_t, double>, std::unique_ptr<Workload>> workloads;
  std::unique_ptr<Workload>& workload = workloads[{layout, body_bytes, bits_per_key}];
  if (workload == nullptr) workload.reset(new Workload(layout, body_bytes, bits_per_key));
  return *workload;
}

}  // namespace linefilter::bench
