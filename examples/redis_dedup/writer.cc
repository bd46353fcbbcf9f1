#include "examples/redis_dedup/writer.h"

#include <cstddef>
#include <cstdio>

namespace redis_dedup {
namespace {

using linefilter::RedisInsert;

constexpr size_t kBatch = 1000;  // items decided together: one round trip to Redis, one transaction of the store
constexpr auto kPause = std::chrono::seconds(1);  // after Redis did not answer
constexpr size_t kMostFailed = 10000000;          // 80 MB: who fails more often makes the filter anew from the store

}  // namespace

void Tally::Add(const Tally& other) {
  items += other.items;
  known_here += other.known_here;
  asked_redis += other.asked_redis;
  new_in_redis += other.new_in_redis;
  unanswered += other.unanswered;
  lookups += other.lookups;
  found += other.found;
  accepted += other.accepted;
  refused += other.refused;
  failed_insertions += other.failed_insertions;
  given_up += other.given_up;
  refreshes += other.refreshes;
  refresh_bytes += other.refresh_bytes;
}

Writer::Writer(const Options& options, const List& list, unsigned number)
    : options_(options), list_(list), number_(number), store_(options.db, uses::Sync::kOff) {
  uses::Check(filter_.Open(options.servers, options.name, static_cast<uint32_t>(options.within_ms)));
}

Tally Writer::Run(Notes* notes, const volatile sig_atomic_t& stop) {
  std::vector<Item> batch;
  for (uint64_t i = number_; i < list_.items() && stop == 0; i += options_.writers) {
    const uint64_t number = list_.NumberAt(i);
    batch.push_back({number, list_.KeyOf(number), false});
    if (batch.size() == kBatch) {
      Decide(&batch, notes);
      batch.clear();
    }
  }
  if (!batch.empty()) Decide(&batch, notes);
  ask_again_ = {};
  InsertWhatFailed();
  tally_.lookups = store_.lookups();
  tally_.failed_insertions = failed_.size() + tally_.given_up;
  const linefilter::RedisCacheInfo copy = filter_.Info();
  tally_.refreshes = copy.num_refreshes;
  tally_.refresh_bytes = copy.num_bytes;
  return tally_;
}

void Writer::AreKnown(const std::vector<uint64_t>& hashes, std::vector<uint8_t>* known) const {
  known->assign(hashes.size(), 0);
  const linefilter::SwappableFilter::Lease copy = filter_.Read();
  if (copy.owner() != nullptr) copy->MayContainHashes(hashes.data(), hashes.size(), known->data());
}

void Writer::Decide(std::vector<Item>* items, Notes* notes) {
  const size_t n = items->size();
  std::vector<uint64_t> hashes(n), asked;
  std::vector<uint8_t> known(n);
  for (size_t i = 0; i < n; ++i) hashes[i] = filter_.HashOf((*items)[i].key);

  AreKnown(hashes, &known);  // 1
  for (size_t i = 0; i < n; ++i) {
    if (!known[i]) asked.push_back(hashes[i]);
  }

  InsertWhatFailed();
  std::vector<RedisInsert> outcomes;
  if (InsertIntoFilter(asked, &outcomes)) tally_.asked_redis += asked.size();  // 2
  for (size_t i = 0, next = 0; i < n; ++i) {
    if (known[i]) continue;
    (*items)[i].is_new = outcomes[next] == RedisInsert::kNew;
    if ((*items)[i].is_new) notes->told_new.push_back((*items)[i].number);
    tally_.unanswered += outcomes[next] == RedisInsert::kFailed;
    ++next;
  }

  std::vector<uint64_t> late;       // false positives of the copy, which Redis has not been told of
  for (size_t i = 0; i < n; ++i) {  // 3
    Item& item = (*items)[i];
    ++tally_.items;
    tally_.known_here += known[i];
    tally_.new_in_redis += item.is_new;
    if (item.is_new) continue;
    if (store_.Contains(item.key)) {
      ++tally_.found;
      continue;
    }
    item.is_new = true;
    if (known[i]) late.push_back(hashes[i]);
  }
  // Their bits are set there, unless the filter was made anew since the copy was fetched.
  InsertIntoFilter(late, &outcomes);

  store_.Begin();
  for (const Item& item : *items) {
    if (!item.is_new) continue;
    const bool is_row = store_.Insert(item.key);
    ++(is_row ? tally_.accepted : tally_.refused);
    if (is_row) notes->accepted.push_back(item.number);
  }
  store_.Commit();
}

bool Writer::IsWorthAsking() const { return std::chrono::steady_clock::now() >= ask_again_; }

bool Writer::InsertIntoFilter(const std::vector<uint64_t>& hashes, std::vector<RedisInsert>* outcomes) {
  outcomes->assign(hashes.size(), RedisInsert::kFailed);
  if (hashes.empty()) return false;
  const bool asked = IsWorthAsking();
  if (asked) {
    const linefilter::Status status = filter_.InsertHashes(hashes.data(), hashes.size(), outcomes->data());
    if (status.ok()) return true;
    fprintf(stderr, "writer %u: %s\n", number_, status.message());
    ask_again_ = std::chrono::steady_clock::now() + kPause;
  }
  for (size_t i = 0; i < hashes.size(); ++i) {
    if ((*outcomes)[i] != RedisInsert::kFailed) continue;
    if (failed_.size() < kMostFailed) {
      failed_.push_back(hashes[i]);
    } else {
      ++tally_.given_up;
    }
  }
  return asked;
}

void Writer::InsertWhatFailed() {
  if (failed_.empty() || !IsWorthAsking()) return;
  std::vector<uint64_t> again;
  again.swap(failed_);
  std::vector<RedisInsert> outcomes;
  InsertIntoFilter(again, &outcomes);
}

}  // namespace redis_dedup
