// A sample of a body's blocks says how full it is: pieces from all over it, made an image, which FilterView judges like
// any other.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SAMPLE_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SAMPLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/adapters/redis/record/marks.h"
#include "lib/adapters/redis/record/shards.h"
#include "lib/adapters/redis/servers/router.h"
#include "linefilter/filter_base.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// A part of the body that has one layout: all of it, or a stage.
struct Part {
  uint64_t begin, bytes;
  uint32_t num_probes;
  Layout layout;
};

// All parts of a body, as they lie.
std::vector<Part> PartsOf(const Generation& generation);

// A sample has pieces of one part, each in one shard, in the order of the body.
class Sample final : public ReplyHandler {
 public:
  Sample(const Shards& shards, uint64_t version) : shards_(shards), marks_(shards, version) {}

  // Adds pieces from all over the part, `most` bytes of it in all.
  void AddTo(Batch* batch, const Part& part, uint64_t most);
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

// Judges a part by these bytes of it.
Status Judge(const std::string& bytes, const Part& part, Judgement* judgement);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_SAMPLE_H_
