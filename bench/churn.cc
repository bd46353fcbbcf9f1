#include "bench/churn.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/churned.h"
#include "bench/machine.h"
#include "bench/peer.h"
#include "bench/peers/cuckoo.h"
#include "bench/results.h"
#include "linefilter/file.h"
#include "linefilter/sizing.h"

namespace linefilter::bench {
namespace {

using nlohmann::json;

// Which keys leave.
enum class Order { kRandom, kFirstInFirstOut };

// A filter that can be made for any number of keys.
struct Kind {
  std::string name, origin;
  double bits_per_key;  // asked for
  // The rate after so many turnovers; `bytes` are those of the filter.
  std::function<double(int turnovers, uint64_t num_keys, uint64_t bytes)> model;
  std::function<std::unique_ptr<Churned>(uint64_t num_keys)> make;
};

// One filter whose keys change.
struct Case {
  Kind kind;
  Order order;
  uint64_t num_keys;
  std::vector<int> turnovers;  // measured after so many
};

struct Extent {
  uint64_t num_keys, num_keys_in_cache;
  std::vector<int> turnovers;
  uint64_t rate_queries, most_rate_queries;
  double false_positives;  // expected, where that takes more queries: 10^5 make the rate's standard error 0.3 %
};

const Extent kFull = {2000000, 19660, {0, 1, 5, 20, 100}, 20000000, 400000000, 1e5};
constexpr int kMostTurnovers = 100, kMostTurnoversOfCuckoo = 20;  // its rate does not drift

Extent QuickExtent() { return {50000, 5000, {0, 1, 5}, 200000, 200000, 0}; }

// By the clock: asking for the CPU time of a thread took 4 ns for each of 64 keys. The median leaves interruptions out.
double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

uint64_t CountMaybes(const Churned& filter, const Keys& keys, std::vector<uint8_t>* answers) {
  answers->resize(keys.size);
  filter.Ask(keys.integers, keys.size, answers->data());
  return static_cast<uint64_t>(std::count(answers->begin(), answers->end(), uint8_t{1}));
}

struct Rate {
  uint64_t queries, maybes;
  double fpr() const { return static_cast<double>(maybes) / static_cast<double>(queries); }
};

// Absent keys are never those that come later: these have numbers below kFirstAbsent.
Rate MeasureRate(const Churned& filter, uint64_t queries) {
  constexpr size_t kRun = 16384;
  KeyMaker maker(KeyKind::kHash);
  std::vector<uint8_t> answers;
  Rate rate = {queries, 0};
  for (uint64_t done = 0; done < queries; done += kRun) {
    const Keys keys = maker.Make(kFirstAbsent + done, static_cast<size_t>(std::min<uint64_t>(kRun, queries - done)));
    rate.maybes += CountMaybes(filter, keys, &answers);
  }
  return rate;
}

// A filter, its members, and what changing them took.
class Turning {
 public:
  explicit Turning(const Case& one)
      : order_(one.order),
        slice_(std::clamp<size_t>(one.num_keys / 1024, 128, 1024)),
        filter_(one.kind.make(one.num_keys)) {
    for (uint64_t done = 0; done < one.num_keys; done += slice_) {
      members_.resize(static_cast<size_t>(std::min<uint64_t>(done + slice_, one.num_keys)));
      Renew(done, members_.size() - done);
    }
  }

  // This removes and inserts as many keys as there are, a slice at a time. The load dips by a thousandth (0.7 % in the
  // cache), and a time of many keys is one that a clock can tell.
  void Turn() {
    for (uint64_t done = 0; done < members_.size(); done += slice_) {
      const size_t size = static_cast<size_t>(std::min<uint64_t>(slice_, members_.size() - done));
      const size_t first = order_ == Order::kRandom ? MoveRandomToFront(size) : static_cast<size_t>(done);
      done_.resize(size);
      remove_ns_.push_back(Timed(size, [&] { filter_->Remove(&members_[first], size, done_.data()); }));
      num_lost_ += static_cast<uint64_t>(std::count(done_.begin(), done_.end(), uint8_t{0}));
      insert_ns_.push_back(Renew(first, size));
    }
  }

  // Members that are "absent" now, and those that could not be removed.
  uint64_t CountLost() {
    const Keys keys = {KeyKind::kHash, members_.size(), members_.data(), nullptr};
    return num_lost_ + members_.size() - CountMaybes(*filter_, keys, &done_);
  }
  uint64_t num_refused() const { return num_refused_; }
  const Churned& filter() const { return *filter_; }
  size_t num_keys() const { return members_.size(); }
  double insert_ns() const { return insert_ns_.empty() ? 0 : Median(insert_ns_); }
  double remove_ns() const { return remove_ns_.empty() ? 0 : Median(remove_ns_); }
  void ForgetTimes() { insert_ns_.clear(), remove_ns_.clear(); }

 private:
  template <class Work>
  static double Timed(size_t size, const Work& work) {
    const double start = Seconds();
    work();
    return 1e9 * (Seconds() - start) / static_cast<double>(size);
  }

  // New keys in place of `size` members. Those that the filter refuses are asked for and counted as lost, too.
  double Renew(size_t first, size_t size) {
    const Keys keys = maker_.Make(next_key_, size);
    next_key_ += size;
    std::copy_n(keys.integers, size, members_.begin() + static_cast<std::ptrdiff_t>(first));
    done_.resize(size);
    const double ns = Timed(size, [&] { filter_->Insert(keys.integers, size, done_.data()); });
    num_refused_ += static_cast<uint64_t>(std::count(done_.begin(), done_.end(), uint8_t{0}));
    return ns;
  }

  size_t MoveRandomToFront(size_t size) {
    for (size_t i = 0; i < size; ++i) {
      random_ ^= random_ << 13;
      random_ ^= random_ >> 7;
      random_ ^= random_ << 17;
      std::swap(members_[i], members_[i + static_cast<size_t>(MulHigh(random_, members_.size() - i))]);
    }
    return 0;
  }

  const Order order_;
  const size_t slice_;
  const std::unique_ptr<Churned> filter_;
  KeyMaker maker_{KeyKind::kHash};
  uint64_t next_key_ = 0, random_ = 88172645463325252;
  std::vector<uint64_t> members_;  // their hashes
  std::vector<uint8_t> done_;
  std::vector<double> insert_ns_, remove_ns_;
  uint64_t num_lost_ = 0, num_refused_ = 0;
};

Kind KindOfQuotient(bool removable, double bits_per_key) {
  const auto model = [=](int turnovers, uint64_t num_keys, uint64_t bytes) {
    return ExpectedFprAfter(static_cast<uint32_t>(turnovers), Layout::kQuotient, num_keys, bytes, removable);
  };
  return {LayoutName(Layout::kQuotient), "linefilter", bits_per_key, model,
          [=](uint64_t num_keys) { return MakeChurnedQuotient(removable, num_keys, bits_per_key); }};
}

Kind KindOfCuckoo(int slot_bits) {
  const double fingerprints = std::pow(2.0, slot_bits) - 1;
  const double rate = 1 - std::pow(1 - 1 / fingerprints, 2 * kCuckooSlots * kCuckooLoad);
  return {"cuckoo_" + std::to_string(slot_bits) + "_own", "own implementation of the cuckoo filter (Fan et al. 2014)",
          slot_bits / kCuckooLoad, [=](int, uint64_t, uint64_t) { return rate; },
          [=](uint64_t num_keys) { return MakeChurnedCuckoo(slot_bits, num_keys); }};
}

std::vector<Case> Cases(const Extent& extent) {
  std::vector<Case> cases;
  // One with many keys, for the rates; and one in the L1 cache, for the times.
  const auto add = [&](const Kind& kind, Order order, int most_turnovers) {
    std::vector<int> turnovers;
    for (const int number : extent.turnovers) {
      if (number <= most_turnovers) turnovers.push_back(number);
    }
    cases.push_back({kind, order, extent.num_keys, turnovers});
    if (order == Order::kRandom) cases.push_back({kind, order, extent.num_keys_in_cache, {turnovers.back()}});
  };
  for (const double bits : {10.0, 12.0, 12.1, 16.0}) {
    const Kind kind = KindOfQuotient(true, bits);
    add(kind, Order::kRandom, kMostTurnovers);
    if (bits < 12.1) add(kind, Order::kFirstInFirstOut, kMostTurnovers);
  }
  for (const int bits : {10, 12}) add(KindOfCuckoo(bits), Order::kRandom, kMostTurnoversOfCuckoo);
  return cases;
}

void Measure(const Case& one, const Extent& extent, json* rows) {
  Turning turning(one);
  int turned = 0;
  for (const int turnovers : one.turnovers) {
    if (turnovers > turned) turning.ForgetTimes();
    for (; turned < turnovers; ++turned) turning.Turn();
    const Rate rate = MeasureRate(turning.filter(), extent.rate_queries);
    const double bits = 8 * static_cast<double>(turning.filter().bytes()) / static_cast<double>(one.num_keys);
    const char* const order = one.order == Order::kRandom ? "random" : "first in, first out";
    rows->push_back({{"filter", one.kind.name},
                     {"origin", one.kind.origin},
                     {"order", order},
                     {"asked_bits_per_key", one.kind.bits_per_key},
                     {"bits_per_key", bits},
                     {"num_keys", one.num_keys},
                     {"turnovers", turnovers},
                     {"fpr", rate.fpr()},
                     {"fpr_queries", rate.queries},
                     {"own_fpr", turning.filter().own_fpr()},
                     {"model_fpr", one.kind.model(turnovers, one.num_keys, turning.filter().bytes())},
                     {"insert_ns", turning.insert_ns()},
                     {"remove_ns", turning.remove_ns()},
                     {"lost_keys", turning.CountLost()},
                     {"refused_keys", turning.num_refused()}});
    fprintf(stderr, "churn: %s, %.2f bits, %s, %d turnovers of %zu keys: fpr %.4g %%, %.1f ns in, %.1f ns out\n",
            one.kind.name.c_str(), bits, order, turnovers, turning.num_keys(), 100 * rate.fpr(), turning.insert_ns(),
            turning.remove_ns());
  }
}

// Rates of sets: no key leaves.
json MeasureSets(const Extent& extent) {
  json rows = json::array();
  for (const double bits : {8.0, 9.0, 10.0, 12.0, 16.0, 20.0}) {
    const Case one = {KindOfQuotient(false, bits), Order::kRandom, extent.num_keys, {0}};
    Turning filled(one);
    const double model = one.kind.model(0, one.num_keys, filled.filter().bytes());
    const uint64_t wanted = static_cast<uint64_t>(extent.false_positives / model);
    const Rate rate = MeasureRate(filled.filter(), std::clamp(wanted, extent.rate_queries, extent.most_rate_queries));
    rows.push_back({{"filter", one.kind.name},
                    {"bits_per_key", bits},
                    {"num_keys", extent.num_keys},
                    {"fpr", rate.fpr()},
                    {"fpr_queries", rate.queries},
                    {"own_fpr", filled.filter().own_fpr()},
                    {"model_fpr", model},
                    {"lost_keys", filled.CountLost()}});
    fprintf(stderr, "rate: %s, %g bits: %.5g %%, by its blocks %.5g %%, by the model %.5g %%\n", one.kind.name.c_str(),
            bits, 100 * rate.fpr(), 100 * filled.filter().own_fpr(), 100 * model);
  }
  return rows;
}

}  // namespace

int RunChurn(const std::string& out_path, bool quick) {
  AtomicFile out;
  Status status = out.Create(out_path.c_str());  // before the minutes of work
  if (!status.ok()) {
    fprintf(stderr, "linefilter_bench: %s\n", status.message());
    return 2;
  }
  const Extent extent = quick ? QuickExtent() : kFull;
  json context = MachineContext();
  context["missing_peers"] = MissingPeers();
  const json sets = MeasureSets(extent);
  json churn = json::array();
  for (const Case& one : Cases(extent)) Measure(one, extent, &churn);
  const json file = {{"schema", "linefilter-churn-1"}, {"context", context}, {"sets", sets}, {"churn", churn}};
  const std::string text = file.dump(1) + "\n";
  status = out.Append(text.data(), text.size());
  if (status.ok()) status = out.Commit();
  if (!status.ok()) {
    fprintf(stderr, "linefilter_bench: %s\n", status.message());
    return 1;
  }
  return 0;
}

}  // namespace linefilter::bench
