// The plan of `quotient`: beside the layouts of the same bytes and our own cuckoo filter, from the caches to the
// memory. It has lookups of absent keys, members and both, filling from empty, and building at once. It takes about
// three minutes. What happens while keys change is measured by churn.h.
#include <set>
#include <string>

#include "bench/parts.h"
#include "bench/peers/cuckoo.h"

namespace linefilter::bench {
namespace {

const std::set<std::string> kFilters = {"quotient", "blocked", "classic"}, kPair = {"quotient", "blocked"};
const std::vector<int> kAllHits = {0, 50, 100};

// At the density of one of them; the other one is left out by itself.
const std::set<std::string> kBesideCuckoo = {"quotient", "cuckoo_12_own", "cuckoo_16_own"};
constexpr double kCuckooBits[] = {kCuckoo12Bits, kCuckoo16Bits};

Part Of(uint64_t body_bytes, double bits_per_key, const std::vector<Access>& accesses, const std::vector<int>& hits,
        const std::set<std::string>& peers) {
  return {KeyKind::kHash, body_bytes, bits_per_key, accesses, hits, peers};
}

void AddLookups(uint64_t body_bytes, double bits_per_key, const std::set<std::string>& peers,
                std::vector<Part>* parts) {
  parts->push_back(Of(body_bytes, bits_per_key, {Access::kBatch}, kAllHits, peers));
  parts->push_back(Of(body_bytes, bits_per_key, {Access::kSingle, Access::kInlined}, {50}, peers));
}

// Filling takes seconds each, so it is the best target and AVX2, and `classic` is in other plans.
Part LookupsInMemory(double bits_per_key, const std::set<std::string>& peers) {
  Part part = Of(512 * MiB, bits_per_key, {Access::kBatch, Access::kSingle, Access::kInlined}, {50}, peers);
  part.all_targets = false;
  return part;
}

Part Fills(uint64_t body_bytes, double bits_per_key, const std::set<std::string>& peers) {
  Part part = Of(body_bytes, bits_per_key, {Access::kFill, Access::kFillBatch, Access::kBuild}, {-1}, peers);
  part.all_targets = false;
  part.without = {"classic"};
  return part;
}

// It takes seconds: once, by the best target.
Part BuildOnce(uint64_t body_bytes, const std::string& peer) {
  Part part = Of(body_bytes, 10, {Access::kBuild}, {-1}, {peer});
  part.built_once = true;
  part.all_targets = false;
  return part;
}

}  // namespace

std::vector<Part> QuotientMatrix() {
  constexpr uint64_t kMillionKeys = 1220 * KiB, kHundredMillionKeys = 119 * MiB;  // at 10 bits
  std::vector<Part> parts;
  for (const uint64_t bytes : {24 * KiB, 8 * MiB}) {
    AddLookups(bytes, 10, kFilters, &parts);
    for (const double bits : {12, 16}) AddLookups(bytes, bits, kPair, &parts);
    for (const double bits : kCuckooBits) AddLookups(bytes, bits, kBesideCuckoo, &parts);
  }
  for (const uint64_t bytes : {24 * KiB, kMillionKeys, 8 * MiB}) {
    parts.push_back(Fills(bytes, 10, kFilters));
    parts.push_back(Fills(bytes, kCuckoo12Bits, kBesideCuckoo));
  }
  parts.push_back(LookupsInMemory(10, kPair));
  for (const double bits : kCuckooBits) parts.push_back(LookupsInMemory(bits, kBesideCuckoo));
  for (const char* peer : {"quotient", "blocked"}) parts.push_back(BuildOnce(kHundredMillionKeys, peer));
  return parts;
}

}  // namespace linefilter::bench
