// Our own layouts, all that the library implements: through the library on every target, and inlined
// (linefilter/inline.h) into the same loops as the other peers' schemes. Built by FilterBuilder, all at once; those
// that take single keys are filled by insertion before lookups are timed, and inserted into.

#include "bench/peers/library.h"
#include "bench/threads.h"
#include "linefilter/builder.h"
#include "linefilter/view.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/layouts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/own-inl.h"
#include "hwy/highway.h"
#include "linefilter/inline.h"
#include "tools/measure/any_filter.h"
#include "tools/measure/layouts.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

uint64_t LookupInlined(const FilterBase& filter, Access access, const Keys& keys) {
  const ::linefilter::HWY_NAMESPACE::Prober prober(filter);
  return prober.ForLayout([&](const auto& asked) HWY_ATTR {
    const auto ask_hash = [&](uint64_t hash) HWY_ATTR { return asked.MayContainHash(hash); };
    if (keys.kind == KeyKind::kHash) return AskEach(access, keys.integers, keys.size, ask_hash);
    return AskKeys(
        access, keys, [&](uint64_t key) HWY_ATTR { return ask_hash(HashKey(key)); },
        [&](std::string_view key) HWY_ATTR { return ask_hash(HashKey(key)); });
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(LookupInlined);

namespace {

FilterOptions OptionsFor(Layout layout, double bits_per_key) {
  FilterOptions options;
  options.layout = layout;
  options.bits_per_key = bits_per_key;
  return options;
}

std::unique_ptr<Filter> MustCreateMutable(Layout layout, uint64_t num_keys, const FilterOptions& options) {
  Status status;
  std::unique_ptr<Filter> filter = tools::CreateMutable(layout, num_keys, options, &status);
  Must(status);
  return filter;
}

uint64_t ImageBytes(const FilterOptions& options, uint64_t num_keys) {
  uint64_t bytes = 0;
  Must(FilterBuilder::EstimateBytes(options, num_keys, &bytes));
  return bytes;
}

// One body, and a filter over it for each target.
class LayoutFilter : public PeerFilter {
 public:
  LayoutFilter(Layout layout, const std::vector<std::string>& targets, const Spec& spec)
      : options_(OptionsFor(layout, spec.bits_per_key)),
        targets_(targets),
        sizing_(SizeOf(layout, spec)),
        memory_(ImageBytes(options_, spec.num_keys)) {
    FilterOptions shared = options_;
    shared.allocator = memory_.SharedBy();
    for (const std::string& target : targets) {
      OnTarget(target, [&] { mutables_.push_back(MustCreateMutable(layout, spec.num_keys, shared)); });
      inlined_.push_back(CodeFor(target, [] { return &HWY_DYNAMIC_DISPATCH(LookupInlined); }));
    }
    if (mutables_[0] != nullptr) {
      for (const auto& filter : mutables_) asked_.push_back(filter.get());
    }
    if (spec.built_later) {
      MakeArena(spec);
    } else if (mutables_[0] != nullptr) {
      ForMembers(spec, [&](const Keys& keys) { InsertAll(*mutables_[0], keys); });
    } else {
      Build(0, Access::kBuild, spec);
      arena_.reset();  // needed again only if building is timed
    }
  }

  uint64_t bytes() const override { return sizing_.body_bytes; }
  uint32_t num_probes() const override { return sizing_.num_probes; }
  double expected_fpr() const override { return sizing_.expected_fpr; }
  double lines() const override { return FactsOf(options_.layout).block_bytes != 0 ? 1 : sizing_.num_probes; }

  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    if (access == Access::kInlined || access == Access::kInlinedBranch || access == Access::kInlinedDependent) {
      return inlined_[target](*asked_[target], access, keys);
    }
    return LookupInLibrary(*asked_[target], access, keys, answers);
  }

  void Insert(size_t target, Access access, const Keys& keys) override {
    Filter& filter = *mutables_[target];
    if (access == Access::kInsertBatch) return InsertAll(filter, keys);
    for (size_t i = 0; i < keys.size; ++i) {
      if (keys.kind == KeyKind::kHash) {
        filter.InsertHash(keys.integers[i]);
      } else if (keys.kind == KeyKind::kU64) {
        filter.InsertKey(keys.integers[i]);
      } else {
        filter.InsertKey(keys.strings[i]);
      }
    }
  }

  void Build(size_t target, Access access, const Spec& spec) override {
    if (access == Access::kFill || access == Access::kFillBatch) {
      mutables_[target]->Clear();
      const Access insert = access == Access::kFill ? Access::kInsertSingle : Access::kInsertBatch;
      return ForMembers(spec, [&](const Keys& keys) { Insert(target, insert, keys); });
    }
    MakeArena(spec);
    FilterOptions options = options_;
    options.allocator = arena_->allocator();
    if (access == Access::kBuildTwoThreads) options.executor = TwoThreads();
    OnTarget(targets_[target], [&] {
      FilterBuilder builder(options);
      if (spec.members != nullptr && spec.members->kind == KeyKind::kHash) {
        builder.BorrowHashes(spec.members->integers, spec.members->size);
      } else if (spec.members != nullptr) {
        AddAll(&builder, *spec.members);
      } else {
        ForMembers(spec, [&](const Keys& keys) { AddAll(&builder, keys); });
      }
      size_t written = 0;
      Must(builder.FinishTo(memory_.data(), memory_.size(), &written));
      if (written != memory_.size()) Die("%s: the image is not as large as announced", LayoutName(options.layout));
    });
    if (asked_.empty()) OpenViews();
    if (spec.built_later) arena_.reset();
  }

 private:
  // Each hash once, and once more while hashes are brought into the order of the blocks.
  void MakeArena(const Spec& spec) {
    if (arena_ == nullptr) arena_ = std::make_unique<Arena>(17 * spec.num_keys + (uint64_t{64} << 20));
  }

  void OpenViews() {
    for (const std::string& target : targets_) {
      views_.push_back(std::make_unique<FilterView>());
      OnTarget(target, [&] { Must(views_.back()->Open(memory_.data(), memory_.size(), VerifyMode::kTrusted)); });
      asked_.push_back(views_.back().get());
    }
  }

  static void AddAll(FilterBuilder* builder, const Keys& keys) {
    if (keys.kind == KeyKind::kHash) {
      builder->AddHashes(keys.integers, keys.size);
    } else if (keys.kind == KeyKind::kU64) {
      builder->AddKeys(keys.integers, keys.size);
    } else {
      builder->AddKeys(keys.strings, keys.size);
    }
  }

  FilterOptions options_;
  std::vector<std::string> targets_;
  Sizing sizing_;
  HugeBuffer memory_;
  std::unique_ptr<Arena> arena_;
  std::vector<uint64_t (*)(const FilterBase& filter, Access access, const Keys& keys)> inlined_;  // of each target
  std::vector<std::unique_ptr<Filter>> mutables_;   // the same; null where the layout takes no single keys
  std::vector<std::unique_ptr<FilterView>> views_;  // there instead
  std::vector<const FilterBase*> asked_;
};

// The targets whose code a layout has: one for `classic`, scalar on purpose.
struct LayoutTargets {
  std::vector<std::string> names;   // as the layout calls its code
  std::vector<std::string> forced;  // target of the library that runs it: the same, or the best where there is none
};

LayoutTargets TargetsOf(Layout layout) {
  FilterBuilder builder(OptionsFor(layout, 10));
  for (uint64_t key = 0; key < 100; ++key) builder.AddKey(key);
  std::string image;
  Must(builder.Finish(&image));
  LayoutTargets targets;
  const std::vector<std::string> all = LibraryTargets();
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& target : all) {
    std::string name;
    OnTarget(target, [&] { name = FilterView(image.data(), image.size(), VerifyMode::kTrusted).target(); });
    if (has(targets.names, name)) continue;
    targets.names.push_back(name);
    targets.forced.push_back(has(all, name) ? name : target);
  }
  return targets;
}

Peer LayoutPeer(Layout layout) {
  Peer peer;
  peer.name = LayoutName(layout);
  peer.origin = "linefilter";
  peer.is_layout = true;
  const LayoutTargets targets = TargetsOf(layout);
  peer.targets = targets.names;
  peer.kinds = {KeyKind::kHash, KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle, Access::kBranch, Access::kDependent, Access::kBatch, Access::kBuild};
  const bool is_vectorized = peer.targets.size() > 1 || peer.targets[0] != "SCALAR";
  if (is_vectorized) {
    peer.accesses.insert(peer.accesses.end(), {Access::kInlined, Access::kInlinedBranch, Access::kInlinedDependent});
  }
  const bool is_mutable = MustCreateMutable(layout, 1, OptionsFor(layout, 10)) != nullptr;
  if (is_mutable) {
    peer.accesses.insert(peer.accesses.end(),
                         {Access::kInsertSingle, Access::kInsertBatch, Access::kFill, Access::kFillBatch});
  }
  if (HasSecondCpu()) peer.accesses.push_back(Access::kBuildTwoThreads);
  peer.rebuilds = true;
  // Building takes 16 bytes per key: 2 GB at 10 bits per key would take 27.
  const bool is_slow_to_fill = FactsOf(layout).chooses_removal;  // it keeps entries: 40 ns and more for each
  peer.max_bytes = is_mutable && !is_slow_to_fill ? uint64_t{2} << 30 : uint64_t{512} << 20;
  const uint32_t num_probes = NumProbesForBitsPerKey(layout, 10);
  while (ExpectedFpr(layout, 1, peer.max_bytes, num_probes) >= 1) peer.max_bytes /= 2;  // what it can address
  peer.rebuild_bytes = 17;
  if (!is_mutable) peer.build_bytes = peer.rebuild_bytes;
  peer.fill_ns = !is_mutable ? 90 : is_slow_to_fill ? 50 : is_vectorized ? 16 : 100;
  peer.bits_for_fpr = [layout](double fpr, uint64_t) {
    const double bits = BitsPerKeyForFpr(layout, fpr);
    return FprForBitsPerKey(layout, bits) <= 1.001 * fpr ? bits : 0;
  };
  peer.make = [layout, targets](const Spec& spec) {
    return std::make_unique<LayoutFilter>(layout, targets.forced, spec);
  };
  return peer;
}

}  // namespace

std::vector<Peer> Peers_layouts() {
  std::vector<Peer> peers;
  for (const Layout layout : tools::BuildableLayouts()) peers.push_back(LayoutPeer(layout));
  return peers;
}

}  // namespace linefilter::bench
#endif  // HWY_ONCE
