#include "tools/measure/redis_bench_filters.h"

#include <cstdio>
#include <random>

namespace linefilter::tools {

std::string NewBenchName() {
  std::random_device device;
  char digits[17];
  snprintf(digits, sizeof(digits), "%08x%08x", device(), device());
  return std::string("linefilter-bench:") + digits;
}

Status BenchFilters::CreateOne(BenchUse use, const std::string& name, RedisFilter* filter) {
  constexpr uint64_t kTimeToLiveMs = 3600000;
  Filter local;
  Status status = Make(request_, use, Layout::kBlocked, &local);
  if (!status.ok()) return status;
  std::string image;
  status = local.AppendImage(&image);
  names_.push_back(name);
  if (status.ok()) status = filter->CreateFromImage(request_.servers, name, image.data(), image.size());
  // Nothing comes between (see redis_bench_filters.h).
  return status.ok() ? filter->Expire(kTimeToLiveMs) : status;
}

Status BenchFilters::Create() {
  const Status status = CreateOne(BenchUse::kLookups, name_of_lookups(), &lookups_);
  return status.ok() ? CreateOne(BenchUse::kInserts, name_ + ":inserts", &inserts_) : status;
}

Status BenchFilters::Delete() {
  Status first;
  for (const std::string& name : names_) {
    if (first.code() == StatusCode::kUnavailable) break;
    const Status status = RedisFilter::Delete(request_.servers, name);
    if (first.ok() && status.code() != StatusCode::kNotFound) first = status;
  }
  names_.clear();
  return first;
}

Status BenchFilters::Ask(const std::vector<uint64_t>& hashes, bool pipelined, uint8_t* answers) {
  if (pipelined) return lookups_.MayContainHashes(hashes.data(), hashes.size(), answers);
  bool maybe = true;
  const Status status = lookups_.MayContainHash(hashes[0], &maybe);
  *answers = maybe ? 1 : 0;
  return status;
}

Status BenchFilters::Insert(const std::vector<uint64_t>& hashes, bool pipelined) {
  outcomes_.resize(hashes.size());
  if (!pipelined) return inserts_.InsertHash(hashes[0], outcomes_.data());
  return inserts_.InsertHashes(hashes.data(), hashes.size(), outcomes_.data());
}

}  // namespace linefilter::tools
