// This is what a filter in Redis tells of itself. A sample of its blocks says how full it is: pieces from all over the
// body, made an image, which FilterView judges like any other.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/record/marks.h"
#include "linefilter/remote_body.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"

namespace linefilter {

namespace redis_internal {
namespace {

constexpr uint64_t kSampleBytes = uint64_t{1} << 20;  // of all stages together; some 0.1 s through a slow network
constexpr uint64_t kPieceBytes = 4096;                // the bytes of one GETRANGE

// A part of the body that has one layout: all of it, or a stage.
struct Part {
  uint64_t begin, bytes;
  uint32_t num_probes;
  Layout layout;
};

std::vector<Part> PartsOf(const Generation& generation) {
  if (generation.stages.empty()) {
    return {{0, generation.body_bytes, generation.num_probes, generation.layout}};
  }
  std::vector<Part> parts;
  uint64_t begin = 0;
  for (const Stage& stage : generation.stages) {
    const uint64_t bytes = generation.block_bytes() * stage.num_blocks;
    parts.push_back({begin, bytes, stage.num_probes, Layout::kBlocked});
    begin += bytes;
  }
  return parts;
}

// A sample has pieces of one part, each in one shard, in the order of the body.
class Sample final : public ReplyHandler {
 public:
  Sample(const Shards& shards, uint64_t version) : shards_(shards), marks_(shards, version) {}

  void AddTo(Batch* batch, const Part& part, uint64_t most) {
    const uint64_t num_pieces = (part.bytes + kPieceBytes - 1) / kPieceBytes;
    const uint64_t wanted = std::max<uint64_t>(std::min(num_pieces, most / kPieceBytes), 1);
    for (uint64_t i = 0; i < wanted; ++i) {
      const uint64_t piece = num_pieces / wanted * i + num_pieces % wanted * i / wanted;  // i * num_pieces / wanted
      uint64_t byte = part.begin + piece * kPieceBytes;
      for (const uint64_t end = std::min(byte + kPieceBytes, part.begin + part.bytes); byte < end;) {
        const uint64_t shard = shards_.ShardOfByte(byte), offset = shards_.OffsetOfByte(byte);
        const uint64_t size = std::min(end - byte, shards_.generation.BytesOfShard(shard) - offset);
        pieces_.push_back({shard, size, {}});
        marks_.Touch(shard);
        batch->AddGetRange(shards_.keys[static_cast<size_t>(shard)], Kind::kRead, offset, size);
        byte += size;
      }
    }
    marks_.AddChecks(batch);
  }

  void OnReply(size_t command, const Reply& reply) override {
    if (marks_.Has(command)) {
      marks_.OnReply(command, reply);
    } else if (reply.text().size() == pieces_[command].size) {
      pieces_[command].bytes.assign(reply.text());
    }
  }

  // The bytes of shards that are there.
  std::string Bytes() const {
    std::string bytes;
    for (const Piece& piece : pieces_) {
      if (!marks_.IsLost(piece.shard)) bytes += piece.bytes;
    }
    return bytes;
  }
  std::vector<uint32_t> LostShards() const {
    std::vector<uint32_t> lost;
    for (const uint32_t shard : marks_.touched()) {
      if (marks_.IsLost(shard)) lost.push_back(shard);
    }
    return lost;
  }
  bool AnyNewer() const { return marks_.AnyNewer(); }

 private:
  struct Piece {
    uint64_t shard, size;
    std::string bytes;
  };
  const Shards& shards_;
  Marks marks_;
  std::vector<Piece> pieces_;
};

// What the bits of a part tell.
struct Judgement {
  double fill = 1, fpr = 1;
  SizeEstimate size;
};

// The sample has a share of the part's keys, and which ones is chance: of n keys, each with probability p, n p (1 - p)
// is the variance of how many.
SizeEstimate OfPart(const SizeEstimate& of_sample, double times) {
  const double variance = of_sample.error * of_sample.error + of_sample.keys * (1 - 1 / times);
  return {times * of_sample.keys, times * std::sqrt(variance)};
}

Status Judge(const std::string& bytes, const Part& part, Judgement* judgement) {
  BodyFacts facts;
  facts.layout = part.layout;
  facts.num_probes = part.num_probes;
  facts.body_bytes = bytes.size();
  facts.hash_id = HashId::kCaller;
  std::string image;
  const Sink sink = {[](void* context, const void* data, size_t size) noexcept {
                       try {
                         static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
                         return true;
                       } catch (...) {
                         return false;
                       }
                     },
                     &image};
  BodyImageWriter writer;
  Status status = writer.Start(facts, sink);
  if (status.ok()) status = writer.Append(bytes.data(), bytes.size());
  if (status.ok()) status = writer.Finish();
  if (!status.ok()) return status;
  const FilterView view(image.data(), image.size(), VerifyMode::kTrusted);  // its checks were made here
  if (!view.status().ok()) return view.status();
  const SizeEstimate of_sample = view.ApproximateSize();
  judgement->fill = view.FillRatio();
  judgement->size = OfPart(of_sample, static_cast<double>(part.bytes) / static_cast<double>(bytes.size()));
  judgement->fpr = view.ExpectedFpr();
  const double others = judgement->size.keys - of_sample.keys;
  if (FactsOf(part.layout).block_bytes == 0 && others > 0) {
    // Whole hashes may agree with those of all keys, 2^-64 each. (In blocks only those of a block do.)
    judgement->fpr += (1 - judgement->fpr) * std::min(1.0, others / 18446744073709551616.0);
  }
  return Status();
}

// What the header record tells of a generation.
RedisInfo FactsOfRecord(const Header& header, const Generation& generation) {
  RedisInfo told;
  told.layout = generation.layout;
  told.hash_id = header.hash_id;
  told.seed = header.seed;
  told.num_probes = generation.num_probes;
  told.num_stages = static_cast<uint32_t>(generation.stages.size());
  told.capacity = generation.num_keys;
  told.num_blocks = generation.num_blocks();
  told.body_bytes = generation.body_bytes;
  told.shard_bytes = generation.shard_bytes;
  told.num_shards = generation.num_shards();
  told.followed_keys = header.followed_keys;
  told.generation = generation.id;
  told.next_generation = header.next.id;
  told.previous_generation = header.previous.id;
  told.version = header.version;
  return told;
}

Status Info(FilterRecord* record, RedisInfo* info) {
  Batch& batch = record->batch();
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    Status status = record->ReadHeader();
    if (!status.ok()) return status;
    const Generation& generation = record->current().generation;
    const std::vector<Part> parts = PartsOf(generation);
    double fpr = 0, fill = 0, keys = 0, variance = 0;
    uint64_t sampled = 0;
    std::vector<uint32_t> lost;
    bool newer = false;
    for (const Part& part : parts) {
      Sample sample(record->current(), record->header().version);
      batch.Clear();
      // A small stage needs no large sample; a large one has its share.
      sample.AddTo(&batch, part, kSampleBytes / parts.size());
      status = record->router().Run(batch, &sample);
      if (!status.ok()) return status;
      newer = newer || sample.AnyNewer();
      for (const uint32_t shard : sample.LostShards()) lost.push_back(shard);
      const std::string bytes = sample.Bytes();
      Judgement of_part;
      if (!bytes.empty()) status = Judge(bytes, part, &of_part);
      if (!status.ok()) return status;
      fpr += (1 - fpr) * of_part.fpr;  // not 1 minus the product of 1 - p, which is 0 for the smallest p
      fill += of_part.fill * (static_cast<double>(part.bytes) / static_cast<double>(generation.body_bytes));
      keys += of_part.size.keys;
      variance += of_part.size.error * of_part.size.error;
      sampled += bytes.size();
    }
    if (newer || !lost.empty()) {
      bool changed;
      status = record->ReadHeaderAgain(newer, &changed);
      if (!status.ok()) return status;
      if (changed) continue;
    }
    TimeToLive left;
    status = record->ReadTimeToLive(&left);
    if (!status.ok()) return status;

    std::sort(lost.begin(), lost.end());
    RedisInfo told = FactsOfRecord(record->header(), generation);
    told.expires_in_ms = left.ms == TimeToLive::kForEver ? -1 : std::max<int64_t>(left.ms, 0);
    told.num_masters = static_cast<uint32_t>(record->router().num_masters());
    told.cluster = record->router().is_cluster();
    told.num_lost_shards = static_cast<uint64_t>(std::unique(lost.begin(), lost.end()) - lost.begin());
    told.sampled_bytes = sampled;
    told.fill_ratio = fill;
    told.approximate_size = {keys, std::sqrt(variance)};
    told.expected_fpr = told.num_lost_shards != 0 ? 1 : fpr;
    *info = told;
    return Status();
  }
  return TooManyGenerations(record->name());
}

}  // namespace
}  // namespace redis_internal

uint64_t RedisInfo::RoomFor(double fpr) const noexcept {
  if (!FactsOf(layout).takes_keys) return 0;
  if (fpr >= 1) return UINT64_MAX;
  if (!(expected_fpr < fpr)) return 0;
  const uint64_t most = MaxKeysForFpr(layout, body_bytes, fpr, num_probes);
  return approximate_size.keys < static_cast<double>(most) ? most - static_cast<uint64_t>(approximate_size.keys) : 0;
}

bool RedisInfo::OverCapacity() const noexcept { return capacity != 0 && approximate_size.IsAbove(capacity); }

Status RedisFilter::Info(RedisInfo* info) noexcept {
  *info = RedisInfo();
  return redis_internal::Guarded(state_, redis_internal::Router::Call::kAdmin, [&](redis_internal::FilterState* state) {
    return redis_internal::Info(&state->record, info);
  });
}

}  // namespace linefilter
