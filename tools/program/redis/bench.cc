#include "tools/program/redis/bench.h"

#include <algorithm>
#include <chrono>

#include "tools/program/progress.h"

namespace linefilter::tools {

std::atomic<bool> bench_interrupted{false};

namespace {

constexpr uint64_t kFprTrials = 200000;  // at 1 % within 4 % of the rate, 95 times of 100

// Half of the keys that are asked are in the filter.
constexpr uint64_t kHitsOf2 = 1;

enum Way : size_t { kBlocked, kScript, kBitfield, kWays };

Status Interrupted() { return Status::Error(StatusCode::kIoError, "interrupted"); }

struct Bytes {
  double in = 0, out = 0, keys = 0;
};

class Measurement {
 public:
  Measurement(const BenchRequest& request, BenchFilters* filters) : request_(request), filters_(filters) {}

  // Returns keys per second; 0 after an error, or if all keys that may be inserted are.
  double Rate(const BenchRow& row, Way way, Bytes* bytes) {
    const uint64_t batch = row.pipelined ? request_.batch : 1;
    const uint64_t most = row.use == BenchUse::kLookups ? ~uint64_t{0} : Room(row);
    ScriptFilter* const server = filters_->script(row.use);
    const bool counted = bytes != nullptr;
    // The question for the traffic is part of it: two in a row differ by what one costs.
    const ServerTraffic first = counted ? server->Traffic() : ServerTraffic();
    const ServerTraffic before = counted ? server->Traffic() : ServerTraffic();
    const auto begin = std::chrono::steady_clock::now();
    uint64_t keys = 0;
    double seconds = 0;
    while (status_.ok() && seconds < request_.seconds && keys + batch <= most) {
      if (bench_interrupted) status_ = Interrupted();
      if (status_.ok()) Run(row.use, way, row.pipelined, batch);
      keys += batch;
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    if (!status_.ok() || keys == 0) return 0;
    if (counted) {
      const ServerTraffic after = server->Traffic();
      bytes->in += static_cast<double>((after.in - before.in) - (before.in - first.in));
      bytes->out += static_cast<double>((after.out - before.out) - (before.out - first.out));
      bytes->keys += static_cast<double>(keys);
    }
    return static_cast<double>(keys) / seconds;
  }

  MeasuredFpr Fpr(Way way) {
    MeasuredFpr fpr;
    while (status_.ok() && fpr.trials < kFprTrials) {
      if (bench_interrupted) status_ = Interrupted();
      hashes_.resize(request_.batch);
      for (uint64_t& hash : hashes_) hash = BenchHash(2 * kFirstAbsent + fpr.trials++);
      if (status_.ok()) Ask(way, true);
      for (const uint8_t answer : answers_) fpr.hits += answer;
    }
    return fpr;
  }

  const Status& status() const { return status_; }

 private:
  // A row may insert so much in one round that the filter is full at the end of the last one, and not before.
  uint64_t Room(const BenchRow& row) const {
    const uint64_t room = (request_.num_keys - request_.num_keys / 2) / request_.rounds;
    return row.pipelined ? room - room / 5 : room / 5;
  }

  void Run(BenchUse use, Way way, bool pipelined, uint64_t batch) {
    hashes_.resize(batch);
    if (use == BenchUse::kInserts) {
      for (uint64_t& hash : hashes_) hash = BenchHash(request_.num_keys / 2 + inserted_[way]++);
      Insert(way, pipelined);
      return;
    }
    // Members are asked in no order.
    uint64_t& asked = asked_[way];
    const uint64_t first = asked;
    for (uint64_t& hash : hashes_) {
      hash = asked % 2 < kHitsOf2 ? BenchHash(MulHigh(BenchHash(asked), request_.num_keys))
                                  : BenchHash(kFirstAbsent + asked);
      ++asked;
    }
    Ask(way, pipelined);
    for (size_t i = 0; status_.ok() && i < hashes_.size(); ++i) {
      if ((first + i) % 2 >= kHitsOf2 || answers_[i] != 0) continue;
      status_ =
          Status::Error(StatusCode::kCorrupt,
                        "a key that was added is absent (%s): the server lost it, or this is a fault of linefilter",
                        way == kBlocked ? "blocked" : "classic");
    }
  }

  void Ask(Way way, bool pipelined) {
    answers_.assign(hashes_.size(), 1);
    if (way == kScript) {
      status_ = filters_->script(BenchUse::kLookups)->MayContainHashes(hashes_.data(), hashes_.size(), answers_.data());
    } else if (way == kBitfield) {
      status_ =
          filters_->bitfield(BenchUse::kLookups)->MayContainByBitfield(hashes_.data(), hashes_.size(), answers_.data());
    } else if (pipelined) {
      status_ =
          filters_->blocked(BenchUse::kLookups)->MayContainHashes(hashes_.data(), hashes_.size(), answers_.data());
    } else {
      bool maybe = true;
      status_ = filters_->blocked(BenchUse::kLookups)->MayContainHash(hashes_[0], &maybe);
      answers_[0] = maybe ? 1 : 0;
    }
  }

  void Insert(Way way, bool pipelined) {
    answers_.resize(hashes_.size());
    outcomes_.resize(hashes_.size());
    if (way == kScript) {
      status_ = filters_->script(BenchUse::kInserts)->InsertHashes(hashes_.data(), hashes_.size(), answers_.data());
    } else if (way == kBitfield) {
      status_ =
          filters_->bitfield(BenchUse::kInserts)->InsertByBitfield(hashes_.data(), hashes_.size(), answers_.data());
    } else if (pipelined) {
      status_ = filters_->blocked(BenchUse::kInserts)->InsertHashes(hashes_.data(), hashes_.size(), outcomes_.data());
    } else {
      status_ = filters_->blocked(BenchUse::kInserts)->InsertHash(hashes_[0], outcomes_.data());
    }
  }

  const BenchRequest& request_;
  BenchFilters* filters_;
  Status status_;
  uint64_t asked_[kWays] = {}, inserted_[kWays] = {};
  std::vector<uint64_t> hashes_;
  std::vector<uint8_t> answers_;
  std::vector<RedisInsert> outcomes_;
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void TakeBytes(const Bytes& bytes, double* in, double* out) {
  if (bytes.keys == 0) return;
  *in = bytes.in / bytes.keys;
  *out = bytes.out / bytes.keys;
}

}  // namespace

Status MeasureRedis(const BenchRequest& request, BenchFilters* filters, BenchResult* result) {
  result->rows = {{"lookups_sync", BenchUse::kLookups, false},
                  {"lookups_pipelined", BenchUse::kLookups, true},
                  {"inserts_sync", BenchUse::kInserts, false},
                  {"inserts_pipelined", BenchUse::kInserts, true}};
  const size_t num_rows = result->rows.size();
  Measurement measurement(request, filters);
  result->bytes_measured = filters->script(BenchUse::kLookups)->TellsTraffic();
  std::vector<std::vector<double>> rates(kWays * num_rows);
  Bytes bytes[2];
  Progress progress("measuring", "rounds", request.rounds);
  for (uint64_t round = 0; round < request.rounds; ++round) {
    for (size_t r = 0; r < num_rows; ++r) {
      const BenchRow& row = result->rows[r];
      Bytes* const counted = row.pipelined && result->bytes_measured ? &bytes[row.use == BenchUse::kInserts] : nullptr;
      for (uint64_t turn = 0; turn < kWays; ++turn) {
        const Way way = static_cast<Way>((round + turn) % kWays);
        rates[kWays * r + way].push_back(measurement.Rate(row, way, way == kBlocked ? counted : nullptr));
      }
    }
    progress.Update(round + 1);
    if (!measurement.status().ok()) return measurement.status();
  }
  for (size_t r = 0; r < num_rows; ++r) {
    result->rows[r].blocked = Median(rates[kWays * r + kBlocked]);
    result->rows[r].script = Median(rates[kWays * r + kScript]);
    result->rows[r].bitfield = Median(rates[kWays * r + kBitfield]);
  }
  result->blocked = measurement.Fpr(kBlocked);
  result->script = measurement.Fpr(kScript);

  RedisRates& measured = result->rates;
  measured.lookups_sync = result->rows[0].blocked;
  measured.lookups_pipelined = result->rows[1].blocked;
  measured.inserts_sync = result->rows[2].blocked;
  measured.inserts_pipelined = result->rows[3].blocked;
  measured.batch = request.batch;
  TakeBytes(bytes[0], &measured.lookup_request_bytes, &measured.lookup_reply_bytes);
  TakeBytes(bytes[1], &measured.insert_request_bytes, &measured.insert_reply_bytes);
  return measurement.status();
}

}  // namespace linefilter::tools
