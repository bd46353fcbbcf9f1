#include "tools/measure/redis_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace linefilter::tools {

std::atomic<bool> bench_interrupted{false};

namespace {

constexpr uint64_t kFprTrials = 200000;  // at 1 % within 4 % of the rate, 95 times of 100

// Half of the keys that are asked are in the filter.
constexpr uint64_t kHitsOf2 = 1;

// It measures one way.
class Measurement {
 public:
  Measurement(const BenchRequest& request, BenchWay* way) : request_(request), way_(way) {}

  // Returns keys per second; 0 after an error, or if all keys that may be inserted are.
  double Rate(const BenchRow& row) {
    const uint64_t batch = row.pipelined ? request_.batch : 1;
    const uint64_t most = row.use == BenchUse::kLookups ? ~uint64_t{0} : Room(row);
    const auto begin = std::chrono::steady_clock::now();
    uint64_t keys = 0;
    double seconds = 0;
    while (Goes() && seconds < request_.seconds && keys + batch <= most) {
      Run(row.use, row.pipelined, batch);
      keys += batch;
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    return status_.ok() && keys != 0 ? static_cast<double>(keys) / seconds : 0;
  }

  MeasuredFpr Fpr() {
    MeasuredFpr fpr;
    hashes_.resize(request_.batch);
    while (fpr.trials < kFprTrials && Goes()) {
      for (uint64_t& hash : hashes_) hash = BenchHash(2 * kFirstAbsent + fpr.trials++);
      Ask(true);
      for (const uint8_t answer : answers_) fpr.hits += answer;
    }
    return fpr;
  }

  const Status& status() const { return status_; }

 private:
  bool Goes() {
    if (status_.ok() && bench_interrupted) status_ = Status::Error(StatusCode::kIoError, "interrupted");
    return status_.ok();
  }

  // A row may insert so much in one round that the filter is full at the end of the last one, and not before.
  uint64_t Room(const BenchRow& row) const {
    const uint64_t room = (request_.num_keys - request_.num_keys / 2) / request_.rounds;
    return row.pipelined ? room - room / 5 : room / 5;
  }

  void Run(BenchUse use, bool pipelined, uint64_t batch) {
    hashes_.resize(batch);
    if (use == BenchUse::kInserts) {
      for (uint64_t& hash : hashes_) hash = BenchHash(request_.num_keys / 2 + inserted_++);
      status_ = way_->Insert(hashes_, pipelined);
      return;
    }
    // Members are asked in no order.
    const uint64_t first = asked_;
    for (uint64_t& hash : hashes_) {
      hash = asked_ % 2 < kHitsOf2 ? BenchHash(MulHigh(BenchHash(asked_), request_.num_keys))
                                   : BenchHash(kFirstAbsent + asked_);
      ++asked_;
    }
    Ask(pipelined);
    for (size_t i = 0; status_.ok() && i < hashes_.size(); ++i) {
      if ((first + i) % 2 >= kHitsOf2 || answers_[i] != 0) continue;
      status_ = Status::Error(StatusCode::kCorrupt,
                              "a key that was added is absent: the server lost it, or this is a fault of linefilter");
    }
  }

  void Ask(bool pipelined) {
    answers_.assign(hashes_.size(), 1);
    status_ = way_->Ask(hashes_, pipelined, answers_.data());
  }

  const BenchRequest& request_;
  BenchWay* way_;
  Status status_;
  uint64_t asked_ = 0, inserted_ = 0;
  std::vector<uint64_t> hashes_;
  std::vector<uint8_t> answers_;
};

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

const char* RefusalOf(const BenchRequest& request) {
  if (request.num_keys < 10000 || request.num_keys > 400000000) return "--num-keys is outside 1e4 to 4e8";
  if (request.rounds < 1 || request.rounds > 1000) return "--rounds is outside 1 to 1000";
  if (request.batch < 1 || request.batch > 65536) return "--batch is outside 1 to 65536";
  if (!(request.seconds >= 0.001 && request.seconds <= 3600)) return "--seconds is outside 0.001 to 3600";
  if (request.num_keys / request.rounds / 4 < request.batch) {
    return "--num-keys are too few for so many rounds and so large a batch: each round inserts some of half of them";
  }
  return "";
}

Status BenchWay::Make(const BenchRequest& request, BenchUse use, Layout layout, Filter* filter) {
  FilterOptions options;
  options.fpr = request.fpr;
  options.layout = layout;
  const Status status = filter->Create(request.num_keys, options);
  if (!status.ok()) return status;
  const uint64_t keys = use == BenchUse::kLookups ? request.num_keys : request.num_keys / 2;
  std::vector<uint64_t> hashes;
  for (uint64_t next = 0; next < keys;) {
    hashes.clear();
    for (; hashes.size() < 4096 && next < keys; ++next) hashes.push_back(BenchHash(next));
    filter->InsertHashes(hashes.data(), hashes.size());
  }
  if (use == BenchUse::kInserts) return status;
  facts_ = {filter->num_probes(), 8 * static_cast<double>(filter->body_bytes()) / static_cast<double>(keys),
            filter->ExpectedFpr()};
  return status;
}

Status MeasureRedis(const BenchRequest& request, const std::vector<BenchWay*>& ways, BenchResult* result) {
  result->rows = {{"lookups_sync", BenchUse::kLookups, false, {}},
                  {"lookups_pipelined", BenchUse::kLookups, true, {}},
                  {"inserts_sync", BenchUse::kInserts, false, {}},
                  {"inserts_pipelined", BenchUse::kInserts, true, {}}};
  const size_t num_ways = ways.size(), num_rows = result->rows.size();
  std::vector<Measurement> measurements;
  for (BenchWay* const way : ways) measurements.emplace_back(request, way);
  std::vector<std::vector<double>> rates(num_rows * num_ways);
  for (uint64_t round = 0; round < request.rounds; ++round) {
    for (size_t r = 0; r < num_rows; ++r) {
      const BenchRow& row = result->rows[r];
      for (uint64_t turn = 0; turn < num_ways; ++turn) {
        const auto way = static_cast<size_t>((round + turn) % num_ways);
        rates[r * num_ways + way].push_back(measurements[way].Rate(row));
        if (!measurements[way].status().ok()) return measurements[way].status();
      }
    }
    if (request.after_round) request.after_round(round + 1);
  }
  for (size_t i = 0; i < rates.size(); ++i) result->rows[i / num_ways].per_second.push_back(Median(rates[i]));
  for (Measurement& measurement : measurements) {
    result->fprs.push_back(measurement.Fpr());
    if (!measurement.status().ok()) return measurement.status();
  }
  return Status();
}

}  // namespace linefilter::tools
