// This makes an image from Redis: it reads all shards of the generation that serves, in pieces, while others insert.
//
// Bits are cleared by removals alone, and a block is read at one moment. So the image has what the generation had when
// the call began, which is every key that was acknowledged by then (doc/REDIS.md) and not removed, and some of what
// came since. A mark behind each shard says that it was whole.
#include <algorithm>
#include <string>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/file.h"
#include "linefilter/redis.h"
#include "linefilter/remote_body.h"

namespace linefilter {
namespace redis_internal {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{1} << 18;
constexpr size_t kPiecesAtOnce = 8;
constexpr int kTries = 3;  // for a file, if generations are switched meanwhile

// Pieces puts replies in their places, in whichever order they come.
class Pieces final : public ReplyHandler {
 public:
  void OnReply(size_t command, const Reply& reply) override { texts[command].assign(reply.text()); }

  std::vector<std::string> texts = std::vector<std::string>(kPiecesAtOnce + 1);
};

// Sets *lost if the shard is not whole.
Status WriteShard(FilterRecord* record, const Shards& shards, size_t shard, Pieces* pieces, BodyImageWriter* writer,
                  bool* lost) {
  const RedisKey& key = shards.keys[shard];
  const uint64_t size = shards.BytesOfShard(shard);
  Batch& batch = record->batch();
  for (uint64_t offset = 0; offset < size && !*lost;) {
    const uint64_t begin = offset;
    batch.Clear();
    for (size_t i = 0; i < kPiecesAtOnce && offset < size; ++i) {
      const uint64_t piece = std::min(kPieceBytes, size - offset);
      batch.AddGetRange(key, Kind::kRead, offset, piece);
      offset += piece;
    }
    const size_t count = batch.size();
    if (offset == size) batch.AddGetRange(key, Kind::kCheck, size, kMarkBytes);
    Status status = record->router().Run(batch, pieces);
    if (!status.ok()) return status;
    uint64_t version;
    *lost = offset == size && !ParseMark(pieces->texts[count], &version);
    uint64_t at = begin;
    for (size_t i = 0; i < count && !*lost; ++i) {
      const std::string& text = pieces->texts[i];
      *lost = text.size() != std::min(kPieceBytes, size - at);
      at += text.size();
      if (*lost) break;
      status = writer->Append(text.data(), text.size());
      if (!status.ok()) return status;
    }
  }
  return Status();
}

}  // namespace

Status WriteImageOf(FilterRecord* record, const Sink& sink, bool* switched) {
  *switched = false;
  Status status = record->ReadHeader();
  if (!status.ok()) return status;
  const Shards shards = record->current();  // a copy: the record may be read again
  BodyImageWriter writer;
  status = writer.Start(shards.facts, sink);
  Pieces pieces;
  bool lost = false;
  for (size_t i = 0; i < shards.keys.size() && status.ok() && !lost; ++i) {
    status = WriteShard(record, shards, i, &pieces, &writer, &lost);
    if (!lost || !status.ok()) continue;
    status = record->ReadHeader();
    if (!status.ok()) return status;
    if (record->header().current.id == shards.generation.id) return LostShard(record->name(), shards, i);
    *switched = true;
    return Status::Error(StatusCode::kUnavailable,
                         "the generation of filter %s in Redis that was downloaded gave way to another one meanwhile: "
                         "what was written is no image, do it again",
                         Printable(record->name()).c_str());
  }
  if (status.ok()) status = record->ReadHeader();  // a filter that is gone has no image
  return status.ok() ? writer.Finish() : status;
}

}  // namespace redis_internal

Status RedisFilter::WriteImage(const Sink& sink) noexcept {
  return redis_internal::Guarded(state_, redis_internal::AdminCall(RedisVerb::kWrite),
                                 [&](redis_internal::FilterState* state) {
                                   bool switched;
                                   return redis_internal::WriteImageOf(&state->record, sink, &switched);
                                 });
}

uint64_t RedisFilter::ImageBytes() const noexcept {
  return is_open() ? BodyImageBytes(state_->record.current().facts) : 0;
}

Status RedisFilter::Save(const char* path) noexcept {
  return redis_internal::Guarded(state_, redis_internal::AdminCall(RedisVerb::kWrite),
                                 [&](redis_internal::FilterState* state) {
                                   Status status;
                                   bool switched = true;
                                   for (int i = 0; i < redis_internal::kTries && switched; ++i) {
                                     AtomicFile file;
                                     status = file.Create(path);
                                     if (!status.ok()) return status;
                                     status = redis_internal::WriteImageOf(&state->record, file.sink(), &switched);
                                     if (!file.status().ok())
                                       return file.status();  // the system's reason, not the sink's
                                     if (status.ok()) return file.Commit();
                                   }
                                   return status;
                                 });
}

}  // namespace linefilter
