// This makes the image of a body that comes in pieces of any size. They are collected to whole chunks, and what is
// whole already goes through as it lies. On the way the one bits of a container's newest stage are counted, which tell
// how many keys came to it since its keys were counted.
#include <cmath>
#include <cstring>
#include <new>

#include "lib/base/fill.h"
#include "lib/base/memory.h"
#include "lib/filters/growth.h"
#include "lib/image/container_writer.h"
#include "lib/image/image_writer.h"
#include "linefilter/remote_body.h"
#include "linefilter/rotating.h"

namespace linefilter {
namespace internal {
namespace {

// A kind that tells one form, though forms are unknown, needs a field that says so.
KeyKinds KeyKindsOf(const BodyFacts& facts) {
  const KeyKinds told(facts.key_kind);
  if (AreKeyForms(facts.key_forms)) return KeyKinds(told.bits(), facts.key_forms);
  const bool needs_field = facts.key_forms != 0 && AreKeyForms(told.forms());
  return needs_field ? KeyKinds(told.bits(), UnknownForms(1)) : told;
}

// The trailer of these facts, which CheckBody takes, and the table and growth that it points to.
struct TrailerOfFacts {
  uint8_t table[kMaxStages * kStageEntryBytes];
  uint8_t growth[kMaxBodyGrowthBytes];
  Trailer trailer;

  explicit TrailerOfFacts(const BodyFacts& facts) {
    trailer = MakeTrailer(facts.layout, facts.body_bytes, facts.num_probes, facts.hash_id, facts.seed,
                          facts.has_num_keys ? &facts.num_keys : nullptr, KeyKindsOf(facts));
    if (!FactsOf(facts.layout).has_stages) {
      // What the facts say is written, also with a small body: a filter that lives must know when it is full.
      trailer.has_num_keys = facts.has_num_keys && facts.body_bytes != 0;
      trailer.num_keys = trailer.has_num_keys ? facts.num_keys : 0;
      return;
    }
    for (uint32_t i = 0; i < facts.num_stages; ++i) {
      const BodyStage& stage = facts.stages[i];
      StoreStageEntry(stage.num_blocks, stage.num_keys, stage.num_probes, i, table);
    }
    trailer.stage_table = table;
    trailer.stage_table_bytes = static_cast<uint16_t>(kStageEntryBytes * facts.num_stages);
    if (facts.growth_bytes == 0) return;
    memcpy(growth, facts.growth, facts.growth_bytes);
    trailer.growth = growth;
    trailer.growth_bytes = static_cast<uint16_t>(facts.growth_bytes);
  }
  // Adds to all counts of the newest stage's keys. Where nobody counted it stays unknown.
  void AddToCounts(const BodyStage& newest, uint32_t index, uint64_t num_keys) {
    RotatingGrowth rotating;
    if (LoadRotatingGrowth(trailer.growth, trailer.growth_bytes, &rotating)) {
      const uint64_t most = kMostKeysOfBlock * newest.num_blocks;
      if (rotating.rotation != static_cast<uint8_t>(Rotation::kByCount) || rotating.keys_in_newest > most) return;
      rotating.keys_in_newest = most - rotating.keys_in_newest < num_keys ? most : rotating.keys_in_newest + num_keys;
      StoreRotatingGrowth(rotating, growth);
      return;
    }
    GrowthPlan plan;
    if (newest.num_keys == 0 && !LoadGrowth(trailer.growth, trailer.growth_bytes, &plan)) return;
    StoreStageEntry(newest.num_blocks, newest.num_keys + num_keys, newest.num_probes, index, table);
  }
  TrailerOfFacts(const TrailerOfFacts&) = delete;
  TrailerOfFacts& operator=(const TrailerOfFacts&) = delete;
};

}  // namespace

struct BodyImage {
  BodyImage(const BodyFacts& facts, const Sink& sink, const Allocator& given)
      : end(facts), allocator(given), writer(end.trailer, given, sink, {}), left(facts.body_bytes) {
    if (!FactsOf(facts.layout).has_stages || facts.num_stages == 0 || facts.newest_ones == kUnknownOnes) return;
    newest_index = facts.num_stages - 1;
    newest = facts.stages[newest_index];
    ones_before = facts.newest_ones;
    before_newest = facts.body_bytes - kBlockBytes * newest.num_blocks;
  }

  // Hands on to the writer. Its last piece writes the counts, too.
  Status Put(const uint8_t* data, size_t size) {
    if (newest.num_blocks != 0) {
      const uint64_t begin = put < before_newest ? before_newest - put : 0;
      if (begin < size) ones += CountOnes(data + begin, size - begin);
      if (put + size == end.trailer.body_bytes) AddKeysSince();
    }
    put += size;
    return writer.Append(data, size);
  }

  // Adds the keys that came since ones_before: at least one if there are more ones, and never more than bits.
  void AddKeysSince() {
    if (ones <= ones_before) return;
    const double bits = 8.0 * kBlockBytes * static_cast<double>(newest.num_blocks);
    const auto keys_at = [&](uint64_t count) {
      return StageLayout().size_at_fill(static_cast<double>(count) / bits, newest.num_probes, newest.num_blocks).keys;
    };
    const uint64_t most = kMostKeysOfBlock * newest.num_blocks - newest.num_keys;
    const double keys = std::floor(keys_at(ones) - keys_at(ones_before) + 0.5);  // infinite if all bits are ones
    uint64_t added = keys < static_cast<double>(most) ? static_cast<uint64_t>(keys) : most;
    if (added == 0 && most != 0) added = 1;
    end.AddToCounts(newest, newest_index, added);
    writer.AddKeys(added);
  }

  // Takes what makes the begun chunk whole, if `data` has so much.
  Status Collect(const uint8_t** data, size_t* size) {
    const size_t missing = sizeof(chunk) - begun;  // Append has seen that no more than `left` is given
    const size_t part = *size < missing ? *size : missing;
    memcpy(chunk + begun, *data, part);
    *data += part, *size -= part;
    begun += part, left -= part;
    if (begun != kChunkBytes && left != 0) return Status();
    const size_t whole = begun;
    begun = 0;
    return Put(chunk, whole);
  }

  TrailerOfFacts end;
  const Allocator allocator;
  ImageWriter writer;
  BodyStage newest;  // its ones are counted; with no block none are
  uint32_t newest_index = 0;
  uint64_t ones_before = 0, ones = 0, before_newest = 0;
  uint64_t put = 0;  // bytes that went on
  uint64_t left;     // of the body: to come
  size_t begun = 0;  // bytes in `chunk`
  uint8_t chunk[kChunkBytes];
};

}  // namespace internal

using internal::BodyImage;
using internal::kChunkBytes;

uint64_t BodyImageBytes(const BodyFacts& facts) noexcept {
  if (!CheckBody(facts).ok()) return 0;
  const internal::TrailerOfFacts end(facts);
  return facts.body_bytes + TrailerBytes(end.trailer);
}

BodyImageWriter::~BodyImageWriter() { Reset(); }

void BodyImageWriter::Reset() noexcept {
  if (image_ == nullptr) return;
  const Allocator allocator = image_->allocator;
  image_->~BodyImage();
  internal::Deallocate(allocator, image_, sizeof(BodyImage));
  image_ = nullptr;
}

Status BodyImageWriter::Start(const BodyFacts& facts, const Sink& sink, const Allocator& allocator) noexcept {
  Reset();
  Status status = CheckBody(facts);
  if (status.ok()) status = internal::CheckSink(sink);
  if (status.ok()) status = internal::CheckAllocator(allocator);
  if (!status.ok()) return status;
  void* const memory = internal::Allocate(allocator, sizeof(BodyImage));
  if (memory == nullptr) return internal::OutOfMemory(sizeof(BodyImage));
  image_ = new (memory) BodyImage(facts, sink, allocator);
  status = image_->writer.Start();
  if (!status.ok()) Reset();
  return status;
}

Status BodyImageWriter::Append(const void* data, size_t size) noexcept {
  if (image_ == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument, "no image was begun, or it failed: call Start first");
  }
  Status status;
  if (size > image_->left) {
    status = Status::Error(StatusCode::kInvalidArgument, "%zu more bytes are given, but only %llu of the body are left",
                           size, static_cast<unsigned long long>(image_->left));
  }
  const uint8_t* from = static_cast<const uint8_t*>(data);
  while (size != 0 && status.ok()) {
    if (image_->begun != 0 || (size < kChunkBytes && size < image_->left)) {
      status = image_->Collect(&from, &size);
      continue;
    }
    const size_t whole = size == image_->left ? size : size / kChunkBytes * kChunkBytes;
    status = image_->Put(from, whole);
    image_->left -= whole;
    from += whole, size -= whole;
  }
  if (!status.ok()) Reset();
  return status;
}

Status BodyImageWriter::Finish() noexcept {
  if (image_ == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument, "no image was begun, or it failed: call Start first");
  }
  Status status;
  if (image_->left != 0) {
    status = Status::Error(StatusCode::kInvalidArgument, "%llu bytes of the body are missing: append them first",
                           static_cast<unsigned long long>(image_->left));
  }
  if (status.ok()) status = image_->writer.Finish();
  Reset();
  return status;
}

}  // namespace linefilter
