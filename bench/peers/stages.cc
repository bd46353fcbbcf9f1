// 1, 4 and 8 stages that answer as one (layout `container`), each a `blocked` filter of twice the bytes and keys of the
// one before, as in a ScalableFilter that grew: what a lookup pays for every stage more. All have one density, so that
// the bytes are those of the other rows. Asked through a view of an image, which is made here as doc/FORMAT.md says.
#include <cstring>
#include <string_view>

#include "bench/peers/library.h"
#include "linefilter/view.h"

namespace linefilter::bench {
namespace {

constexpr uint32_t kMaxStages = 8;
constexpr uint64_t kSmallBody = 4096, kChunk = 65536, kSeedOfCheck = 0xd1310ba698dfb5ac;

void Put(uint64_t value, int bytes, uint8_t** out) {
  for (int i = 0; i < bytes; ++i) *(*out)++ = static_cast<uint8_t>(value >> (8 * i));
}

// XXH3 of a seed: HashKey xors its own with the constant of doc/FORMAT.md section 1.
uint64_t Xxh3(const uint8_t* begin, const uint8_t* end, uint64_t seed) {
  const std::string_view bytes(reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin));
  return HashKey(bytes, seed ^ 0x9216d5d98979fb1b);
}

// A filter at these bytes, which are somebody else's.
Allocator At(uint8_t* bytes) {
  return {[](void* context, size_t, size_t) noexcept { return context; }, [](void*, void*, size_t, size_t) noexcept {},
          bytes};
}

class Stages : public PeerFilter {
 public:
  Stages(const std::vector<std::string>& targets, uint32_t num_stages, const Spec& spec)
      : sizings_(SizeAll(spec, num_stages)), memory_(RoomFor(bytes())) {
    FilterOptions options;
    options.bits_per_key = spec.bits_per_key;
    BlockedFilter stages[kMaxStages];
    uint8_t* body = memory_.data();
    for (uint32_t i = 0; i < num_stages; ++i) {
      options.allocator = At(body);
      Must(stages[i].Create(sizings_[i].num_keys, options));
      body += sizings_[i].body_bytes;
    }
    // Of 2^n - 1 shards, stage i takes 2^i.
    ForMembers(spec, [&](const Keys& keys) {
      for (size_t i = 0; i < keys.size; ++i) {
        const uint64_t shard = ShardOf(keys.integers[i], (uint32_t{1} << num_stages) - 1) + 1;
        stages[63 - __builtin_clzll(shard)].InsertHash(keys.integers[i]);
      }
    });
    const uint64_t size = Finish();
    views_.resize(targets.size());
    for (size_t i = 0; i < targets.size(); ++i) {
      OnTarget(targets[i], [&] { Must(views_[i].Open(memory_.data(), static_cast<size_t>(size))); });
    }
    Must(views_[0].Verify());
  }

  uint64_t bytes() const override {
    uint64_t sum = 0;
    for (const Sizing& sizing : sizings_) sum += sizing.body_bytes;
    return sum;
  }
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
  // The chunk checks and the trailer take less.
  static uint64_t RoomFor(uint64_t body_bytes) { return body_bytes + body_bytes / 8192 + 4096; }

  // Everything behind the body; answers the size of the image.
  uint64_t Finish() {
    uint8_t* const image = memory_.data();
    uint8_t* const body_end = image + bytes();
    uint8_t* out = body_end;
    const bool is_small = bytes() <= kSmallBody;
    for (uint64_t begin = 0; !is_small && begin < bytes(); begin += kChunk) {
      const uint64_t end = begin + kChunk < bytes() ? begin + kChunk : bytes();
      Put(Xxh3(image + begin, image + end, 0), 4, &out);
    }
    Put(0x8002, 2, &out);
    Put(24 * sizings_.size(), 2, &out);
    for (const Sizing& sizing : sizings_) {
      Put(sizing.body_bytes / 64, 8, &out);
      Put(0, 8, &out);
      Put(static_cast<uint64_t>(Layout::kBlocked), 1, &out);
      Put(sizing.num_probes, 1, &out);
      Put(0, 6, &out);
    }
    Put(4 + 24 * sizings_.size(), 4, &out);
    const uint64_t size = static_cast<uint64_t>(out - image) + 8;
    const uint32_t last =
        uint32_t{0xa1} << 24 | (is_small ? 0x81u : 0xc1u) << 16 | static_cast<uint32_t>(Layout::kContainer);
    const uint64_t covered = Xxh3(is_small ? image : body_end, out, kSeedOfCheck);
    Put(((covered ^ last ^ (size << 32 | size >> 32)) * 0x9e3779b97f4a7c15u) >> 32, 4, &out);
    Put(last, 4, &out);
    return size;
  }

  std::vector<Sizing> sizings_;  // the oldest first
  HugeBuffer memory_;
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
  }
  return peers;
}

}  // namespace linefilter::bench
