// 1, 4 and 8 stages that answer as one (layout `container`), each a `blocked` filter of twice the bytes and keys of the
// one before, as in a ScalableFilter that grew: what a lookup pays for every stage more. All have one density, so that
// the bytes are those of the other rows. Asked through a view of their image.
#include <cstring>

#include "bench/peers/library.h"
#include "linefilter/remote_body.h"
#include "linefilter/view.h"

namespace linefilter::bench {
namespace {

constexpr uint32_t kMaxStages = 8;
// A filter at these bytes, which are somebody else's.
Allocator At(uint8_t* bytes) {
  return {[](void* context, size_t, size_t) noexcept { return context; }, [](void*, void*, size_t, size_t) noexcept {},
          bytes};
}

class Stages : public PeerFilter {
 public:
  Stages(const std::vector<std::string>& targets, uint32_t num_stages, const Spec& spec)
      : sizings_(SizeAll(spec, num_stages)), facts_(FactsOfAll(sizings_)), image_(BodyImageBytes(facts_)) {
    MakeImage(spec);
    views_.resize(targets.size());
    for (size_t i = 0; i < targets.size(); ++i) {
      OnTarget(targets[i], [&] { Must(views_[i].Open(image_.data(), image_.size(), VerifyMode::kTrusted)); });
    }
    Must(views_[0].Verify());
  }

  uint64_t bytes() const override { return facts_.body_bytes; }
  uint32_t num_probes() const override { return sizings_.back().num_probes; }
  double expected_fpr() const override {
    double passes = 1;
    for (const Sizing& sizing : sizings_) passes *= 1 - sizing.expected_fpr;
    return 1 - passes;
  }
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    return LookupInLibrary(views_[target], access, keys, answers);
  }

 private:
  static std::vector<Sizing> SizeAll(const Spec& spec, uint32_t num_stages) {
    std::vector<Sizing> sizings;
    const uint64_t shards = (uint64_t{1} << num_stages) - 1;
    for (uint32_t i = 0; i < num_stages; ++i) {
      Spec of_one = spec;
      of_one.num_keys = ((spec.num_keys << i) + shards - 1) / shards;
      sizings.push_back(SizeOf(Layout::kBlocked, of_one));
    }
    return sizings;
  }
  static BodyFacts FactsOfAll(const std::vector<Sizing>& sizings) {
    BodyFacts facts;
    facts.layout = Layout::kContainer;
    for (const Sizing& sizing : sizings) {
      facts.body_bytes += sizing.body_bytes;
      facts.stages[facts.num_stages++] = {sizing.body_bytes / FactsOf(sizing.layout).block_bytes, 0, sizing.num_probes};
    }
    return facts;
  }

  void MakeImage(const Spec& spec) {
    HugeBuffer body(bytes());
    FilterOptions options;
    options.bits_per_key = spec.bits_per_key;
    BlockedFilter stages[kMaxStages];
    uint8_t* stage_body = body.data();
    for (size_t i = 0; i < sizings_.size(); ++i) {
      options.allocator = At(stage_body);
      Must(stages[i].Create(sizings_[i].num_keys, options));
      stage_body += sizings_[i].body_bytes;
    }
    // Of 2^n - 1 shards, stage i takes 2^i.
    ForMembers(spec, [&](const Keys& keys) {
      for (size_t i = 0; i < keys.size; ++i) {
        const uint64_t shard = ShardOf(keys.integers[i], (uint32_t{1} << sizings_.size()) - 1) + 1;
        stages[63 - __builtin_clzll(shard)].InsertHash(keys.integers[i]);
      }
    });
    uint8_t* written = image_.data();
    const Sink to_image = {[](void* context, const void* data, size_t size) noexcept {
                             uint8_t** const to = static_cast<uint8_t**>(context);
                             memcpy(*to, data, size);
                             *to += size;
                             return true;
                           },
                           &written};
    BodyImageWriter writer;
    Must(writer.Start(facts_, to_image));
    Must(writer.Append(body.data(), body.size()));
    Must(writer.Finish());
  }

  std::vector<Sizing> sizings_;  // the oldest first
  BodyFacts facts_;
  HugeBuffer image_;
  std::vector<FilterView> views_;
};

}  // namespace

std::vector<Peer> Peers_stages() {
  std::vector<Peer> peers;
  for (const uint32_t num_stages : {1u, 4u, 8u}) {
    const std::string number = std::to_string(num_stages);
    peers.push_back(BlockedPeer<Stages>("stages_" + number,
                                        "linefilter, " + number + (num_stages == 1 ? " stage" : " stages"),
                                        {Access::kSingle, Access::kDependent, Access::kBatch}, 20, num_stages));
    peers.back().build_bytes = 2;  // the body, until its image is made
  }
  return peers;
}

}  // namespace linefilter::bench
