#include "lib/adapters/redis/calls/sample.h"

#include <algorithm>
#include <cmath>

#include "linefilter/remote_body.h"
#include "linefilter/view.h"

namespace linefilter::redis_internal {
namespace {

constexpr uint64_t kPieceBytes = 4096;  // the bytes of one GETRANGE

// The sample has a share of the part's keys, and which ones is chance: of n keys, each with probability p, n p (1 - p)
// is the variance of how many.
SizeEstimate OfPart(const SizeEstimate& of_sample, double times) {
  const double variance = of_sample.error * of_sample.error + of_sample.keys * (1 - 1 / times);
  return {times * of_sample.keys, times * std::sqrt(variance)};
}

}  // namespace

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

void Sample::AddTo(Batch* batch, const Part& part, uint64_t most) {
  const uint64_t num_pieces = (part.bytes + kPieceBytes - 1) / kPieceBytes;
  const uint64_t wanted = std::max<uint64_t>(std::min(num_pieces, most / kPieceBytes), 1);
  for (uint64_t i = 0; i < wanted; ++i) {
    const uint64_t piece = num_pieces / wanted * i + num_pieces % wanted * i / wanted;  // i * num_pieces / wanted
    uint64_t byte = part.begin + piece * kPieceBytes;
    for (const uint64_t end = std::min(byte + kPieceBytes, part.begin + part.bytes); byte < end;) {
      const uint64_t shard = shards_.ShardOfByte(byte), offset = byte - shards_.BeginOfShard(shard);
      const uint64_t size = std::min(end - byte, shards_.BytesOfShard(shard) - offset);
      pieces_.push_back({shard, size, {}});
      marks_.Touch(shard);
      batch->AddGetRange(shards_.keys[static_cast<size_t>(shard)], Kind::kRead, offset, size);
      byte += size;
    }
  }
  marks_.AddChecks(batch);
}

Status Judge(const std::string& bytes, const Part& part, Judgement* judgement) {
  BodyFacts facts;
  facts.layout = part.layout;
  facts.num_probes = part.num_probes;
  facts.body_bytes = bytes.size();
  facts.hash_id = HashId::kCaller;
  struct Image {
    std::string bytes;
    bool has_memory = true;
  } image;
  const Sink sink = {[](void* context, const void* data, size_t size) noexcept {
                       Image* const to = static_cast<Image*>(context);
                       try {
                         to->bytes.append(static_cast<const char*>(data), size);
                       } catch (...) {
                         to->has_memory = false;
                       }
                       return to->has_memory;
                     },
                     &image};
  BodyImageWriter writer;
  Status status = writer.Start(facts, sink);
  if (status.ok()) status = writer.Append(bytes.data(), bytes.size());
  if (status.ok()) status = writer.Finish();
  if (!image.has_memory) throw std::bad_alloc();
  if (!status.ok()) return status;
  const FilterView view(image.bytes.data(), image.bytes.size(), VerifyMode::kTrusted);  // its checks were made here
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

}  // namespace linefilter::redis_internal
