#include "bench/peers/own.h"

#include <cmath>
#include <cstring>

#include "hwy/highway.h"
#include "linefilter/target.h"

namespace linefilter::bench {
namespace {

class OwnFilter : public PeerFilter {
 public:
  OwnFilter(const OwnScheme& scheme, std::vector<const OwnCode*> codes, const Spec& spec)
      : codes_(std::move(codes)),
        memory_((spec.body_bytes + scheme.block_bytes - 1) / scheme.block_bytes * scheme.block_bytes) {
    body_.blocks = memory_.data();
    body_.num_blocks = memory_.size() / scheme.block_bytes;
    const double real_bits_per_key = 8.0 * static_cast<double>(memory_.size()) / static_cast<double>(spec.num_keys);
    mean_load_ = 8.0 * static_cast<double>(scheme.block_bytes) / real_bits_per_key;
    block_fpr_ = scheme.block_fpr;
    body_.num_probes = scheme.num_probes(real_bits_per_key);
    ForMembers(spec, [&](const Keys& keys) { codes_[0]->insert(body_, Access::kInsertBatch, keys); });
  }
  uint64_t bytes() const override { return memory_.size(); }
  uint32_t num_probes() const override { return body_.num_probes; }
  double expected_fpr() const override { return MeanOverLoads(mean_load_, body_.num_probes, block_fpr_); }
  double lines() const override { return 1; }
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    return codes_[target]->lookup(body_, access, keys, answers);
  }
  void Insert(size_t target, Access access, const Keys& keys) override { codes_[target]->insert(body_, access, keys); }

 private:
  std::vector<const OwnCode*> codes_;
  HugeBuffer memory_;
  OwnBody body_;
  double mean_load_;
  double (*block_fpr_)(uint32_t, double);
};

double BitsForFpr(const OwnScheme& scheme, double fpr) {
  constexpr double kFewest = 4, kMost = 64;
  const auto reaches = [&](double bits) {
    const double load = 8 * static_cast<double>(scheme.block_bytes) / bits;
    return MeanOverLoads(load, scheme.num_probes(bits), scheme.block_fpr) <= fpr;
  };
  if (!reaches(kMost)) return 0;
  double low = kFewest, high = kMost;
  while (high - low > 0.005) {
    const double middle = (low + high) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::vector<std::string> OwnTargets() {
  const TargetList list = SupportedTargets();
  std::vector<std::string> targets;
  for (size_t i = 0; i < list.size; ++i) {
    // Differ from AVX3, SSE4 and SCALAR by instructions that these schemes do not use, or cannot do without.
    const std::string name = list.names[i];
    if ((name == "AVX3_DL" || name == "AVX3_ZEN4" || name == "SSSE3" || name == "SSE2") && i + 1 < list.size) continue;
    targets.push_back(name);
  }
  return targets;
}

void ForTarget(const std::string& target, const std::function<void()>& run) {
  for (int64_t bits = hwy::SupportedTargets(); bits != 0; bits &= bits - 1) {
    const int64_t bit = bits & -bits;
    if (target != hwy::TargetName(bit)) continue;
    hwy::GetChosenTarget().Update(bit);
    run();
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  Die("this CPU or build has no target %s", target.c_str());
}

double MeanOverLoads(double mean_load, uint32_t num_probes, double (*block_fpr)(uint32_t, double)) {
  double sum = 0;
  for (double j = 1; j < mean_load + 40 * std::sqrt(mean_load) + 40; j += 1) {
    sum += std::exp(j * std::log(mean_load) - mean_load - std::lgamma(j + 1)) * block_fpr(num_probes, j);
  }
  return sum;
}

Peer MakeOwnPeer(const OwnScheme& scheme) {
  Peer peer;
  peer.name = scheme.name;
  peer.origin = scheme.origin;
  peer.targets = scheme.targets;
  peer.kinds = {KeyKind::kHash, KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kInlined, Access::kInlinedBranch, Access::kInlinedDependent,
                   Access::kBatch,   Access::kInsertSingle,  Access::kInsertBatch,
                   Access::kBuild};
  peer.max_bytes = uint64_t{2} << 30;
  peer.fill_ns = 24;
  peer.bits_for_fpr = [scheme](double fpr, uint64_t) { return BitsForFpr(scheme, fpr); };
  std::vector<const OwnCode*> codes;
  for (const std::string& target : peer.targets) codes.push_back(CodeFor(target, scheme.code));
  peer.make = [scheme, codes](const Spec& spec) { return std::make_unique<OwnFilter>(scheme, codes, spec); };
  return peer;
}

}  // namespace linefilter::bench
