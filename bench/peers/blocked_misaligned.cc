// `blocked` in an image at an odd address, as inside an SST: a block may lie across two adjacent lines.
#include "bench/peers/library.h"
#include "linefilter/view.h"

namespace linefilter::bench {
namespace {

class Misaligned : public PeerFilter {
 public:
  Misaligned(const std::vector<std::string>& targets, const Spec& spec)
      : sizing_(SizeOf(Layout::kBlocked, spec)),
        memory_(sizing_.body_bytes + sizing_.body_bytes / 8192 + 4096),  // room for the trailer and its checks
        views_(targets.size()) {
    BlockedFilter filter;
    FilterOptions options;
    options.bits_per_key = spec.bits_per_key;
    Must(filter.Create(spec.num_keys, options));
    ForMembers(spec, [&](const Keys& keys) { InsertAll(filter, keys); });
    Must(filter.WriteImageTo(memory_.data() + 1, filter.ImageBytes()));
    for (size_t i = 0; i < targets.size(); ++i) {
      OnTarget(targets[i],
               [&] { Must(views_[i].Open(memory_.data() + 1, filter.ImageBytes(), VerifyMode::kTrusted)); });
    }
  }
  uint64_t bytes() const override { return sizing_.body_bytes; }
  uint32_t num_probes() const override { return sizing_.num_probes; }
  double expected_fpr() const override { return sizing_.expected_fpr; }
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    return LookupInLibrary(views_[target], access, keys, answers);
  }

 private:
  Sizing sizing_;
  HugeBuffer memory_;
  std::vector<FilterView> views_;
};

}  // namespace

std::vector<Peer> Peers_blocked_misaligned() {
  Peer peer = BlockedPeer<Misaligned>("blocked_misaligned", "linefilter, image at an odd address",
                                      {Access::kSingle, Access::kBatch}, 20);
  peer.max_bytes = uint64_t{2} << 30;
  return {peer};
}

}  // namespace linefilter::bench
