#include "lib/image/container_writer.h"

#include <cstring>

#include "lib/base/memory.h"
#include "lib/base/shared_word.h"
#include "lib/image/image_writer.h"

namespace linefilter::internal {
namespace {

// This comes before ContainerTrailer is made, whose table has an end. What cannot be read back is not written.
Status CheckContainer(const Container& container) {
  if (container.num_stages > kMaxStages) {
    return Status::Error(StatusCode::kInvalidArgument, "a container of %u stages: an image has at most %u",
                         container.num_stages, kMaxStages);
  }
  if (container.growth_bytes > kMaxGrowthBytes) {
    return Status::Error(StatusCode::kInvalidArgument, "a growth field of %zu bytes: an image has at most %zu",
                         container.growth_bytes, kMaxGrowthBytes);
  }
  for (uint32_t i = 0; i < container.num_stages; ++i) {
    const ContainerStage& stage = container.stages[i];
    const Status status = CheckStage(i, stage.num_blocks, stage.num_probes, stage.num_keys);
    if (!status.ok()) return status;
  }
  return Status();
}

// The trailer, and the table that it points to.
struct ContainerTrailer {
  uint8_t table[kMaxStages * kStageEntryBytes];
  Trailer trailer;

  explicit ContainerTrailer(const Container& container) {
    uint64_t body_bytes = 0;
    for (uint32_t i = 0; i < container.num_stages; ++i) {
      const ContainerStage& stage = container.stages[i];
      StoreStageEntry(stage.num_blocks, stage.num_keys, stage.num_probes, i, table);
      body_bytes += kBlockBytes * stage.num_blocks;
    }
    trailer = MakeTrailer(Layout::kContainer, body_bytes, 0, container.hash_id, container.seed, container.num_keys,
                          container.key_kinds);
    trailer.stage_table = table;
    trailer.stage_table_bytes = static_cast<uint16_t>(kStageEntryBytes * container.num_stages);
    trailer.growth = container.growth_bytes == 0 ? nullptr : container.growth;
    trailer.growth_bytes = static_cast<uint16_t>(container.growth_bytes);
  }
  ContainerTrailer(const ContainerTrailer&) = delete;
  ContainerTrailer& operator=(const ContainerTrailer&) = delete;
};

// Reads all bodies as one, piece by piece.
class BodyReader {
 public:
  explicit BodyReader(const Container& container) : container_(container) {}

  // Gives the next bytes where they lie, if at least one chunk of them does, or all that are left: at most kPieceBytes.
  // Else, and if they may change meanwhile, it is 0.
  uint64_t ReadInPlace(uint64_t left, const uint8_t** data) {
    if (container_.is_shared) return 0;
    const ContainerStage& stage = container_.stages[stage_];
    const uint64_t of_stage = kBlockBytes * stage.num_blocks - done_;
    uint64_t size = of_stage == left ? left : of_stage / kChunkBytes * kChunkBytes;
    if (size > kPieceBytes) size = kPieceBytes;
    if (size == 0) return 0;
    *data = stage.body + done_;
    Advance(size);
    return size;
  }

  void Read(uint8_t* to, uint64_t size) {
    while (size != 0) {
      const ContainerStage& stage = container_.stages[stage_];
      const uint64_t left = kBlockBytes * stage.num_blocks - done_, part = size < left ? size : left;
      Copy(stage.body + done_, part, to);
      to += part;
      size -= part;
      Advance(part);
    }
  }

 private:
  void Advance(uint64_t size) {
    done_ += size;
    if (done_ == kBlockBytes * container_.stages[stage_].num_blocks) ++stage_, done_ = 0;
  }

  void Copy(const uint8_t* from, uint64_t size, uint8_t* to) const {
    if (container_.is_shared) return CopyShared(from, size, to);
    memcpy(to, from, static_cast<size_t>(size));
  }

  const Container& container_;
  uint32_t stage_ = 0;
  uint64_t done_ = 0;  // bytes done of that stage
};

}  // namespace

Status CheckStage(uint32_t i, uint64_t num_blocks, uint32_t num_probes, uint64_t num_keys) {
  if (num_blocks < 1 || num_blocks > kMaxBlocks || num_probes < 1 || num_probes > StageLayout().facts.max_num_probes) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "stage %u has %llu blocks and %u probes: it takes 1 to 2^32 blocks and 1 to 16 probes", i,
                         static_cast<unsigned long long>(num_blocks), num_probes);
  }
  if (num_keys <= kMostKeysOfBlock * num_blocks) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "stage %u counts %llu keys in %llu blocks: each key sets a bit, so there are at most %llu keys",
                       i, static_cast<unsigned long long>(num_keys), static_cast<unsigned long long>(num_blocks),
                       static_cast<unsigned long long>(kMostKeysOfBlock * num_blocks));
}

uint64_t ContainerBytes(const Container& container) {
  if (!CheckContainer(container).ok()) return 0;
  const ContainerTrailer end(container);
  return end.trailer.body_bytes + TrailerBytes(end.trailer);
}

Status WriteContainerTo(const Container& container, void* out, size_t size) {
  const Status can = CheckContainer(container);
  if (!can.ok()) return can;
  const ContainerTrailer end(container);
  const uint64_t needed = end.trailer.body_bytes + TrailerBytes(end.trailer);
  if (size < needed) return BufferTooSmall(size, needed);
  uint8_t* const body = static_cast<uint8_t*>(out);
  BodyReader(container).Read(body, end.trailer.body_bytes);
  WriteTrailer({}, end.trailer, body, body + end.trailer.body_bytes);
  return Status();
}

Status WriteContainer(const Container& container, const Sink& sink) {
  const Status can = CheckContainer(container);
  if (!can.ok()) return can;
  const ContainerTrailer end(container);
  const uint64_t body_bytes = end.trailer.body_bytes;
  ImageWriter writer(end.trailer, container.allocator, sink, {});
  Status status = writer.Start();
  if (!status.ok() || body_bytes == 0) return status.ok() ? writer.Finish() : status;
  // These cannot be written from where they lie: words that others change, and chunks of more than one stage.
  const uint64_t most = container.is_shared ? kPieceBytes : kChunkBytes;
  const uint64_t piece_bytes = body_bytes < most ? body_bytes : most;
  uint8_t* const piece = static_cast<uint8_t*>(Allocate(container.allocator, piece_bytes));
  if (piece == nullptr) return OutOfMemory(piece_bytes);
  BodyReader reader(container);
  for (uint64_t left = body_bytes; status.ok() && left != 0;) {
    const uint8_t* data = piece;
    uint64_t size = reader.ReadInPlace(left, &data);
    if (size == 0) {
      size = left < piece_bytes ? left : piece_bytes;
      reader.Read(piece, size);
    }
    status = writer.Append(data, size);
    left -= size;
  }
  Deallocate(container.allocator, piece, piece_bytes);
  return status.ok() ? writer.Finish() : status;
}

}  // namespace linefilter::internal
