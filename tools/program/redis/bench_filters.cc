#include "tools/program/redis/bench_filters.h"

#include <algorithm>
#include <random>

namespace linefilter::tools {
namespace {

constexpr uint64_t kTimeToLiveMs = 3600000;

std::string RandomDigits() {
  std::random_device device;
  char digits[17];
  snprintf(digits, sizeof(digits), "%08x%08x", device(), device());
  return digits;
}

FilterOptions OptionsOf(double fpr) {
  FilterOptions options;
  options.fpr = fpr;
  return options;
}

}  // namespace

void BenchFilters::Fill(BenchUse use, Filter* filter) const {
  const uint64_t keys = use == BenchUse::kLookups ? num_keys_ : num_keys_ / 2;
  std::vector<uint64_t> hashes;
  for (uint64_t next = 0; next < keys;) {
    hashes.clear();
    for (; hashes.size() < 4096 && next < keys; ++next) hashes.push_back(BenchHash(next));
    filter->InsertHashes(hashes.data(), hashes.size());
  }
}

BenchFilters::Facts BenchFilters::FactsOf(const Filter& filter) const {
  return {filter.num_probes(), 8 * static_cast<double>(filter.body_bytes()) / static_cast<double>(num_keys_),
          filter.ExpectedFpr()};
}

Status BenchFilters::CreateBlocked(BenchUse use, const std::string& name) {
  BlockedFilter local;
  Status status = local.Create(num_keys_, OptionsOf(fpr_));
  if (!status.ok()) return status;
  Fill(use, &local);
  if (use == BenchUse::kLookups) blocked_ = FactsOf(local);
  std::string image;
  status = local.AppendImage(&image);
  names_.push_back(name);
  if (status.ok()) status = blocked(use)->CreateFromImage(servers_, name, image.data(), image.size());
  // Nothing comes between (see bench_filters.h).
  if (status.ok()) status = blocked(use)->Expire(kTimeToLiveMs);
  return status;
}

Status BenchFilters::CreateScript(BenchUse use, ScriptFilter* script, const std::string& key) {
  ClassicFilter local;
  Status status = local.Create(num_keys_, OptionsOf(fpr_));
  if (!status.ok()) return status;
  Fill(use, &local);
  if (use == BenchUse::kLookups) classic_ = FactsOf(local);
  status = script->Connect(servers_, key);
  if (!status.ok()) return status;
  uploaded_.push_back(script);
  return script->Upload(local);
}

Status BenchFilters::Create() {
  const std::string name = "linefilter-bench:" + RandomDigits();
  Status status = CreateBlocked(BenchUse::kLookups, name + ":lookups");
  if (status.ok()) status = CreateBlocked(BenchUse::kInserts, name + ":inserts");
  if (status.ok()) status = CreateScript(BenchUse::kLookups, &script_lookups_, name + ":script-lookups");
  if (status.ok()) status = CreateScript(BenchUse::kInserts, &script_inserts_, name + ":script-inserts");
  if (status.ok()) status = CreateScript(BenchUse::kInserts, &bitfield_inserts_, name + ":bitfield-inserts");
  return status;
}

Status BenchFilters::Delete() {
  Status first;
  for (const std::string& name : names_) {
    if (first.code() == StatusCode::kUnavailable) break;
    const Status status = RedisFilter::Delete(servers_, name);
    if (first.ok() && status.code() != StatusCode::kNotFound) first = status;
  }
  for (ScriptFilter* script : uploaded_) {
    if (first.code() == StatusCode::kUnavailable) break;
    const Status status = script->Delete();
    if (first.ok()) first = status;
  }
  names_.clear();
  uploaded_.clear();
  return first;
}

}  // namespace linefilter::tools
