// Boost.Bloom (Boost 1.89 and newer), a header: its block of 8 words of 32 bits, which its documents call the fastest.
// It is compiled for the CPU that the whole program is compiled for, so on a plain x86-64 without its AVX2 code.
#include <boost/bloom/fast_multiblock32.hpp>
#include <boost/bloom/filter.hpp>
#include <boost/version.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bench/peers/packaged.h"

namespace linefilter::bench {
namespace {

constexpr uint32_t kProbes = 8;

// Memory like that of the other peers: in huge pages.
std::map<void*, std::unique_ptr<HugeBuffer>>& Buffers() {
  static auto* const buffers = new std::map<void*, std::unique_ptr<HugeBuffer>>();
  return *buffers;
}

template <class T>
struct HugeAllocator {
  using value_type = T;
  HugeAllocator() = default;
  template <class U>
  HugeAllocator(const HugeAllocator<U>&) {}  // NOLINT: as the standard wants it
  T* allocate(size_t n) {
    auto buffer = std::make_unique<HugeBuffer>(n * sizeof(T));
    T* const at = reinterpret_cast<T*>(buffer->data());
    Buffers()[at] = std::move(buffer);
    return at;
  }
  void deallocate(T* at, size_t) { Buffers().erase(at); }
  template <class U>
  bool operator==(const HugeAllocator<U>&) const {
    return true;
  }
  template <class U>
  bool operator!=(const HugeAllocator<U>&) const {
    return false;
  }
};

template <class T>
using Filter =
    boost::bloom::filter<T, 1, boost::bloom::fast_multiblock32<kProbes>, 0, boost::hash<T>, HugeAllocator<T>>;

template <class T>
class BoostBloom : public PeerFilter {
 public:
  explicit BoostBloom(const Spec& spec) : num_keys_(spec.num_keys), filter_(static_cast<size_t>(8 * spec.body_bytes)) {
    ForMembers(spec, [this](const Keys& keys) {
      for (size_t i = 0; i < keys.size; ++i) {
        if constexpr (std::is_same_v<T, uint64_t>) filter_.insert(keys.integers[i]);
        if constexpr (!std::is_same_v<T, uint64_t>) filter_.insert(keys.strings[i]);
      }
    });
  }
  uint64_t bytes() const override { return filter_.capacity() / 8; }
  uint32_t num_probes() const override { return kProbes; }
  double expected_fpr() const override { return Filter<T>::fpr_for(num_keys_, filter_.capacity()); }
  double lines() const override { return 1; }

  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    const auto ask = [this](const auto& key) {
      if constexpr (std::is_convertible_v<decltype(key), T>) return filter_.may_contain(key);
      return true;  // of the other kind of keys: never called
    };
    return AskKeys(
        access, keys, [&ask](uint64_t key) { return ask(key); }, [&ask](std::string_view key) { return ask(key); });
  }

 private:
  uint64_t num_keys_;
  Filter<T> filter_;
};

}  // namespace

std::vector<Peer> Peers_boost_bloom() {
  Peer peer;
  peer.name = "boost_bloom";
  peer.origin = PackagedOrigin(LINEFILTER_BENCH_PACKAGE, "Boost.Bloom", BOOST_LIB_VERSION);
  peer.targets = {kPackagedTarget};
  peer.kinds = {KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle, Access::kBranch, Access::kDependent, Access::kBuild};
  peer.bits_for_fpr = [](double fpr, uint64_t) {
    constexpr size_t kKeys = 1000000;
    return static_cast<double>(Filter<uint64_t>::capacity_for(kKeys, fpr)) / static_cast<double>(kKeys);
  };
  peer.make = [](const Spec& spec) -> std::unique_ptr<PeerFilter> {
    if (spec.kind == KeyKind::kString) return std::make_unique<BoostBloom<std::string_view>>(spec);
    return std::make_unique<BoostBloom<uint64_t>>(spec);
  };
  return {peer};
}

}  // namespace linefilter::bench
