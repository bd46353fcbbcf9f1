// A layout is a folder here and one row of registry.inc, which FindLayout, FindChanges and FindMaker read. It has three
// parts. A LayoutRecord asks a body; a reader of images finds no other part, and so links nothing else. LayoutChanges
// (layout_changes.h) put keys into a body. A LayoutMaker (layout_maker.h) sizes, makes and folds bodies.
#ifndef LINEFILTER_LIB_LAYOUTS_LAYOUT_RECORD_H_
#define LINEFILTER_LIB_LAYOUTS_LAYOUT_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "lib/layouts/kernels.h"
#include "linefilter/filter_base.h"
#include "linefilter/hash.h"
#include "linefilter/layout.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// A body, as an image or its owner tells it. Only a layout with stages has the table.
struct BodyParts {
  const uint8_t* body = nullptr;
  uint64_t body_bytes = 0;
  uint32_t num_probes = 0;
  HashId hash_id = HashId::kXxh3;
  const uint8_t* stage_table = nullptr;
  uint64_t stage_table_bytes = 0;
};

// Tells whether a chunk of a body is sound; it may be verified for that.
struct SoundChunk {
  bool (*is_sound)(void* context, uint64_t chunk);
  void* context;
  bool operator()(uint64_t chunk) const { return is_sound(context, chunk); }
};

// LayoutRecord::absence_is_sound for one block per key.
bool BlockIsSound(const ProbeState& state, uint64_t hash, const SoundChunk& is_sound);

struct LayoutRecord {
  Layout layout;
  const char* name;
  LayoutFacts facts;
  // Tells whether an image of this layout can have that body. (0 bytes are the empty set.) A layout with stages needs
  // their table, too: check_stages says what is wrong with it, and is null elsewhere.
  bool (*body_is_valid)(uint64_t body_bytes, uint32_t num_probes);
  Status (*check_stages)(const BodyParts& parts);
  // The kernels for the chosen target.
  const Kernels& (*kernels)();
  // Makes `state` answer from a valid body of at least one byte.
  void (*bind)(const BodyParts& parts, ProbeState* state);
  // Asks a body that nothing is bound to, with a hash of kXxh3: "maybe" if it is not valid.
  bool (*body_may_contain)(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash);

  // These estimate from the bits of a state that is bound (FilterBase tells what each is).
  double (*fill_ratio)(const ProbeState& state);
  SizeEstimate (*approximate_size)(const ProbeState& state);
  double (*expected_fpr)(const ProbeState& state);
  size_t (*count_levels)(const ProbeState& state, uint64_t* counts) = nullptr;  // null: blocks have no level

  // A key lies in block BlockIndex(hash & index_mask, num_blocks), where facts.block_bytes is not 0.
  uint64_t index_mask = ~uint64_t{0};

  // Tells whether a state's "absent" for that hash comes from sound chunks alone (lazy.h).
  bool (*absence_is_sound)(const ProbeState& state, uint64_t hash, const SoundChunk& is_sound) = BlockIsSound;

  // The positions of a key in a body, where they are not those that an insertion into an empty block sets.
  size_t (*positions)(uint64_t body_bytes, uint32_t num_probes, uint64_t hash, uint64_t* positions) = nullptr;
  // The distinct keys that give this share of places taken; null where nothing tells when all are, or several stages.
  SizeEstimate (*size_at_fill)(double fill, uint32_t num_probes, uint64_t num_units) = nullptr;
  // A body has a place for each so many bits of it.
  uint32_t bits_of_place = 1;

  double PlacesIn(uint64_t body_bytes) const { return 8 * static_cast<double>(body_bytes) / bits_of_place; }
};

// The ids of all rows, ascending.
inline constexpr Layout kLayoutIds[] = {
#define LINEFILTER_LAYOUT(Name) Layout::k##Name,
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT
};

// One part of each layout, from the rows.
template <class Part>
class ById {
 public:
  constexpr ById(std::initializer_list<const Part*> rows) {
    const Layout* id = kLayoutIds;
    for (const Part* row : rows) parts_[static_cast<size_t>(*id++)] = row;
  }
  // Finds a part; null for an id that this library does not implement.
  const Part* Find(Layout layout) const {
    const size_t id = static_cast<size_t>(layout);
    return id < std::size(parts_) ? parts_[id] : nullptr;
  }

 private:
  const Part* parts_[static_cast<size_t>(kLayoutIds[std::size(kLayoutIds) - 1]) + 1] = {};
};

extern const ById<LayoutRecord> kLayouts;

// Finds a layout; null for an id that this library does not implement.
inline const LayoutRecord* FindLayout(Layout layout) { return kLayouts.Find(layout); }

// Makes `state` answer. A body of 0 bytes is the empty set.
void BindBody(const LayoutRecord& record, const BodyParts& parts, ProbeState* state);
// Makes a state that always answers alike.
void BindConstant(const Kernels& kernels, ProbeState* state);

inline void UseKernels(const Kernels& kernels, ProbeState* state) {
  state->kernels = &kernels;
  state->may_contain = kernels.may_contain;
}

// These functions of a record follow from those of a layout without stages.
using BodyIsValid = bool (*)(uint64_t, uint32_t);
using BindPlain = void (*)(const uint8_t*, uint64_t, uint32_t, ProbeState*);

template <BindPlain kBind, const Kernels& (*kKernels)()>
void BindWithKernels(const BodyParts& parts, ProbeState* state) {
  kBind(parts.body, parts.body_bytes, parts.num_probes, state);
  UseKernels(kKernels(), state);
}

// This calls directly, where the record would make four calls.
template <BodyIsValid kIsValid, BindPlain kBind, const Kernels& (*kKernels)()>
bool BodyMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  if (!kIsValid(body_bytes, num_probes)) return true;
  if (body_bytes == 0) return false;  // the empty set
  ProbeState state;
  kBind(body, body_bytes, num_probes, &state);
  return kKernels().may_contain(state, hash);
}

double FillRatioOfBody(const ProbeState& state);

// The record of a layout without stages, from what all have; the rest is set behind it.
template <BodyIsValid kIsValid, BindPlain kBind, const Kernels& (*kKernels)()>
constexpr LayoutRecord PlainRecord(Layout layout, const char* name, SizeEstimate (*approximate_size)(const ProbeState&),
                                   double (*expected_fpr)(const ProbeState&)) {
  return {layout,
          name,
          {},
          kIsValid,
          nullptr,
          kKernels,
          BindWithKernels<kBind, kKernels>,
          BodyMayContain<kIsValid, kBind, kKernels>,
          FillRatioOfBody,
          approximate_size,
          expected_fpr};
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_LAYOUT_RECORD_H_
