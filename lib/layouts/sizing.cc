#include "linefilter/sizing.h"

#include <initializer_list>
#include <optional>

#include "lib/base/equal_hashes.h"
#include "lib/base/real.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/layout_names.h"
#include "lib/layouts/options.h"
#include "lib/layouts/remembered_probes.h"

namespace linefilter {
namespace {

using internal::RememberedProbes;
using internal::Removal;

// The model of a layout as it is asked.
struct Model : internal::SizingModel {
  bool chooses_removal = false;
  uint32_t turnovers = 0;
  uint32_t least_probes = 1;  // 0 in a layout that has none; 1 there, too, if keys can be removed

  double Fpr(uint64_t num_keys, uint64_t body_bytes, uint32_t probes) const {
    if (turnovers != 0) {
      const double keys = static_cast<double>(num_keys);
      const double grown = keys * growth_by_turnovers(8 * static_cast<double>(body_bytes) / keys, turnovers);
      constexpr double kTooMany = 18446744073709551616.0;  // 2^64
      num_keys = grown < kTooMany ? static_cast<uint64_t>(grown) : UINT64_MAX;
      if (static_cast<double>(num_keys) < grown && num_keys != UINT64_MAX) ++num_keys;
    }
    return expected_fpr(num_keys, body_bytes, probes);
  }
  double Limit(double bits_per_key, uint32_t probes) const {
    return limit_fpr(turnovers == 0 ? bits_per_key : bits_per_key / growth_by_turnovers(bits_per_key, turnovers),
                     probes);
  }
};

// Finds a model; none for a layout that is not sized (see FindMaker).
std::optional<Model> FindModel(Layout layout, const Removal& removal = {}) {
  const internal::LayoutMaker* const maker = internal::FindMaker(layout);
  if (maker == nullptr) return std::nullopt;
  Model model{maker->sizing};
  model.chooses_removal = FactsOf(layout).chooses_removal;
  if (model.max_num_probes == 0) model.least_probes = model.chooses_removal && removal.removable ? 1 : 0;
  if (model.growth_by_turnovers != nullptr) model.turnovers = removal.turnovers;
  return model;
}

// Whether a filter can have that num_probes.
bool TakesProbes(const Model& model, uint32_t num_probes) {
  if (model.max_num_probes == 0) return num_probes <= (model.chooses_removal ? 1 : 0);
  return num_probes >= 1 && num_probes <= model.max_num_probes;
}

Status NoModel(Layout layout) {
  return Status::Error(StatusCode::kInvalidArgument, "layout %d (%s) cannot be sized: choose %s",
                       static_cast<int>(layout), LayoutName(layout), internal::BuildableNames().text);
}

double Clamp(double x, double low, double high) { return !(x > low) ? low : x < high ? x : high; }

// The num_probes with the least fpr(num_probes), which falls and then rises.
template <class Fpr>
uint32_t BestNumProbes(const Model& model, double bits_per_key, const Fpr& fpr) {
  const uint32_t least = model.least_probes;
  if (model.max_num_probes == 0) return least;
  uint32_t best = model.num_probes(Clamp(bits_per_key, kMinBitsPerKey, kMaxBitsPerKey));
  if (best < least) best = least;
  if (best > model.max_num_probes) best = model.max_num_probes;
  double best_fpr = fpr(best);
  for (const uint32_t step : {1u, ~0u}) {  // one more, and one less: the sum wraps
    const uint32_t start = best;
    for (uint32_t k = best + step; k >= least && k <= model.max_num_probes; k += step) {
      const double candidate = fpr(k);
      if (!(candidate < best_fpr)) break;
      best_fpr = candidate;
      best = k;
      if (model.of_the_textbook) break;
    }
    if (best != start || model.of_the_textbook) break;
  }
  return best;
}

// The same as Describe, without expected_fpr.
Sizing ShapeOf(const Model& model, uint64_t num_keys, uint64_t body_bytes) {
  Sizing sizing;
  sizing.layout = model.layout;
  sizing.num_keys = num_keys;
  sizing.body_bytes = body_bytes;
  sizing.bits_per_key = 8 * static_cast<double>(body_bytes) / static_cast<double>(num_keys);
  if (model.max_num_probes == 0) {
    sizing.num_probes = model.least_probes;
    return sizing;
  }
  RememberedProbes remembered(model.layout, num_keys, body_bytes);
  if (!remembered.Find(&sizing.num_probes)) {
    sizing.num_probes =
        BestNumProbes(model, sizing.bits_per_key, [&](uint32_t k) { return model.Fpr(num_keys, body_bytes, k); });
    remembered.Keep(sizing.num_probes);
  }
  return sizing;
}

// Describes num_keys >= 1 keys in body_bytes, with the best num_probes.
Sizing Describe(const Model& model, uint64_t num_keys, uint64_t body_bytes) {
  Sizing sizing = ShapeOf(model, num_keys, body_bytes);
  sizing.expected_fpr = model.Fpr(num_keys, body_bytes, sizing.num_probes);
  return sizing;
}

Sizing EmptySet(const Model& model) {
  Sizing sizing;
  sizing.layout = model.layout;
  sizing.num_probes = model.least_probes;
  return sizing;
}

// The body of at least `bits` bits; 0 if the layout cannot address it.
uint64_t RoundUpToBody(const Model& model, double bits) {
  const double unit_bits = 8 * static_cast<double>(model.unit_bytes);
  if (!(bits / 8 <= static_cast<double>(model.max_bytes))) return 0;
  uint64_t units = static_cast<uint64_t>(bits / unit_bits);
  if (static_cast<double>(units) * unit_bits < bits) ++units;
  uint64_t bytes = units * model.unit_bytes;
  if (bytes < model.min_bytes) bytes = model.min_bytes;
  return bytes <= model.max_bytes ? bytes : 0;
}

Status TooLarge(const Model& model, uint64_t num_keys, double bits_per_key) {
  const bool has_gib = model.max_bytes >> 30 != 0;
  return Status::Error(
      StatusCode::kInvalidArgument,
      "%llu keys at %g bits per key need more than the %llu %s that layout %s can address: shard the keys "
      "(ShardOf) over several filters",
      static_cast<unsigned long long>(num_keys), bits_per_key,
      static_cast<unsigned long long>(model.max_bytes >> (has_gib ? 30 : 20)), has_gib ? "GiB" : "MiB",
      LayoutName(model.layout));
}

uint32_t LimitNumProbes(const Model& model, double bits_per_key) {
  return BestNumProbes(model, bits_per_key, [&](uint32_t k) { return model.Limit(bits_per_key, k); });
}

double LimitFpr(const Model& model, double bits_per_key) {
  return model.Limit(bits_per_key, LimitNumProbes(model, bits_per_key));
}

// Finds the least density whose limit reaches fpr: regula falsi on ln fpr, nearly linear in the density (Illinois).
double LimitBitsPerKey(const Model& model, double fpr) {
  const double goal = internal::Ln(fpr);
  double low = kMinBitsPerKey, high = kMaxBitsPerKey;
  double at_low = internal::Ln(LimitFpr(model, low)) - goal, at_high = internal::Ln(LimitFpr(model, high)) - goal;
  if (at_low <= 0) return low;
  if (at_high >= 0) return high;
  int side = 0;
  for (int step = 0; step < 60 && high - low > 1e-12 * high; ++step) {
    const double middle = (low * at_high - high * at_low) / (at_high - at_low);
    const double at_middle = internal::Ln(LimitFpr(model, middle)) - goal;
    if (at_middle > 0) {
      low = middle, at_low = at_middle;
      if (side == 1) at_high /= 2;
      side = 1;
    } else {
      high = middle, at_high = at_middle;
      if (side == -1) at_low /= 2;
      side = -1;
      if (at_middle == 0) break;
    }
  }
  return high;
}

// Finds the smallest body whose best expected_fpr is at most fpr, between a size that misses (or 0) and one that
// reaches.
uint64_t SmallestBody(const Model& model, uint64_t num_keys, double fpr, uint64_t misses, uint64_t reaches) {
  while (reaches - misses > model.unit_bytes) {
    const uint64_t middle = misses + (reaches - misses) / 2 / model.unit_bytes * model.unit_bytes;
    (Describe(model, num_keys, middle).expected_fpr <= fpr ? reaches : misses) = middle;
  }
  return reaches;
}

// `auto` is classic where whole blocks would waste more than a byte of a tiny set, or an eighth of a small one. (A tiny
// set has up to 60 keys or three blocks; LevelDB makes a filter for each 2 KiB of a file.)
Layout ResolveAuto(uint64_t num_keys, double bits_per_key) {
  const double bits = static_cast<double>(num_keys) * bits_per_key;
  if (num_keys == 0 || bits > 8 * 64 * 64) return Layout::kBlocked;
  const uint64_t blocked = RoundUpToBody(*FindModel(Layout::kBlocked), bits);
  const uint64_t asked = RoundUpToBody(*FindModel(Layout::kClassic), bits);
  const uint64_t waste = blocked - asked;
  const bool is_tiny = num_keys <= 60 || asked <= 192;
  return waste <= (is_tiny ? 1 : asked / 8) ? Layout::kBlocked : Layout::kClassic;
}

// Does the same for an fpr: it is classic also where that alone reaches it.
Layout ResolveAutoForFpr(uint64_t num_keys, double fpr) {
  const Model blocked = *FindModel(Layout::kBlocked);
  if (fpr < LimitFpr(blocked, kMaxBitsPerKey)) return Layout::kClassic;
  return ResolveAuto(num_keys, num_keys == 0 ? 0 : LimitBitsPerKey(blocked, fpr));
}

// The rate that bits_per_key cannot better.
double EqualHashFprOf(const Model& model, uint64_t num_keys) {
  return model.uses_whole_hash ? internal::EqualHashFpr(static_cast<double>(num_keys)) : 0;
}

Status CheckFpr(const Model& model, uint64_t num_keys, double fpr) {
  if (!(fpr > 0 && fpr < 1)) {
    return Status::Error(StatusCode::kInvalidArgument, "fpr is %g: it must lie above 0 and below 1 (0.01 is 1 %%)",
                         fpr);
  }
  const double equal = internal::EqualHashFpr(static_cast<double>(num_keys));  // no layout can better it
  if (fpr < equal) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "fpr is %g: of %llu keys one has the same 64-bit hash as an absent key with probability %.3g, "
                         "and no filter can tell these apart: ask for a higher fpr, or for fewer keys",
                         fpr, static_cast<unsigned long long>(num_keys), equal);
  }
  const double least = internal::EitherOf(EqualHashFprOf(model, num_keys), LimitFpr(model, kMaxBitsPerKey));
  if (fpr >= least) return Status();
  // 1.006 lets a caller who asks for the printed value get it, however it was rounded.
  return Status::Error(StatusCode::kInvalidArgument, "fpr is %g: layout %s reaches %.3g with its most, %g bits per key",
                       fpr, LayoutName(model.layout), 1.006 * least, kMaxBitsPerKey);
}

Status CheckBitsPerKey(double bits_per_key) {
  if (bits_per_key >= kMinBitsPerKey && bits_per_key <= kMaxBitsPerKey) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "bits_per_key is %g: it must lie between %g and %g (10 gives about 1 %%)", bits_per_key,
                       kMinBitsPerKey, kMaxBitsPerKey);
}

}  // namespace

double ModelError(Layout layout, double bits_per_key, bool best_num_probes, bool large_set) noexcept {
  const std::optional<Model> model = FindModel(layout);
  if (!model || !(bits_per_key >= 4 && bits_per_key <= 24)) return __builtin_nan("");
  double error = model->error;
  if (!best_num_probes && model->error_of_other_probes > error) error = model->error_of_other_probes;
  if (!large_set && model->error_of_small_sets > error) error = model->error_of_small_sets;
  return error;
}

double ExpectedFprAfter(uint32_t turnovers, Layout layout, uint64_t num_keys, uint64_t body_bytes,
                        uint32_t num_probes) noexcept {
  const bool removable = FactsOf(layout, num_probes).gives_back;
  const std::optional<Model> model = FindModel(layout, {removable, removable ? turnovers : 0});
  if (!model || body_bytes % model->unit_bytes != 0 || body_bytes > model->max_bytes ||
      !TakesProbes(*model, num_probes)) {
    return 1;
  }
  if (num_keys == 0) return 0;
  return body_bytes == 0 ? 1 : model->Fpr(num_keys, body_bytes, num_probes);
}

double ExpectedFpr(Layout layout, uint64_t num_keys, uint64_t body_bytes, uint32_t num_probes) noexcept {
  return ExpectedFprAfter(0, layout, num_keys, body_bytes, num_probes);
}

Status internal::ShapeForBitsPerKey(Layout layout, uint64_t num_keys, double bits_per_key, const Removal& removal,
                                    Sizing* sizing) {
  const Status status = CheckBitsPerKey(bits_per_key);
  if (!status.ok()) return status;
  if (layout == Layout::kAuto) layout = ResolveAuto(num_keys, bits_per_key);
  const std::optional<Model> model = FindModel(layout, removal);
  if (!model) return NoModel(layout);
  if (num_keys == 0) {
    *sizing = EmptySet(*model);
    return Status();
  }
  const uint64_t body = RoundUpToBody(*model, static_cast<double>(num_keys) * bits_per_key);
  if (body == 0) return TooLarge(*model, num_keys, bits_per_key);
  *sizing = ShapeOf(*model, num_keys, body);
  return Status();
}

Status SizeForBitsPerKey(Layout layout, uint64_t num_keys, double bits_per_key, Sizing* sizing) noexcept {
  const Status status = internal::ShapeForBitsPerKey(layout, num_keys, bits_per_key, {}, sizing);
  if (status.ok()) sizing->expected_fpr = internal::ExpectedFprOf(*sizing);
  return status;
}

Status SizeForFpr(Layout layout, uint64_t num_keys, double fpr, Sizing* sizing) noexcept {
  return internal::SizeForFpr(layout, num_keys, fpr, {}, sizing);
}

Status internal::SizeForFpr(Layout layout, uint64_t num_keys, double fpr, const Removal& removal, Sizing* sizing) {
  if (layout == Layout::kAuto) layout = fpr > 0 && fpr < 1 ? ResolveAutoForFpr(num_keys, fpr) : Layout::kBlocked;
  const std::optional<Model> model = FindModel(layout, removal);
  if (!model) return NoModel(layout);
  const Status status = CheckFpr(*model, num_keys, fpr);
  if (!status.ok()) return status;
  if (num_keys == 0) {
    *sizing = EmptySet(*model);
    return Status();
  }
  const double equal = EqualHashFprOf(*model, num_keys);
  const double bits_per_key = LimitBitsPerKey(*model, (fpr - equal) / (1 - equal));
  uint64_t reaches = RoundUpToBody(*model, static_cast<double>(num_keys) * bits_per_key);
  if (reaches == 0) return TooLarge(*model, num_keys, bits_per_key);
  const uint64_t least_body = RoundUpToBody(*model, static_cast<double>(num_keys) * kMinBitsPerKey);
  // The limit is right but for rounding, or nearly (few blocks, spread of a small fill). Widen until both ends hold.
  uint64_t step = model->unit_bytes;
  while (Describe(*model, num_keys, reaches).expected_fpr > fpr && reaches <= model->max_bytes - step) {
    reaches += step;
    step *= 2;
  }
  uint64_t misses = reaches;
  step = model->unit_bytes;
  while (misses > least_body && Describe(*model, num_keys, misses).expected_fpr <= fpr) {
    misses = misses - least_body > step ? misses - step : least_body;
    step *= 2;
  }
  if (misses == least_body && Describe(*model, num_keys, misses).expected_fpr <= fpr) {
    reaches = least_body;
  } else if (misses < reaches) {
    reaches = SmallestBody(*model, num_keys, fpr, misses, reaches);
  }
  const Sizing found = Describe(*model, num_keys, reaches);
  if (found.expected_fpr > fpr) return TooLarge(*model, num_keys, bits_per_key);
  *sizing = found;
  return Status();
}

Status SizeForOptions(uint64_t num_keys, const FilterOptions& options, Sizing* sizing) noexcept {
  return internal::SizeForOptions(options.layout, num_keys, options, sizing);
}

uint64_t MaxKeysForFpr(Layout layout, uint64_t body_bytes, double fpr, uint32_t num_probes) noexcept {
  const std::optional<Model> model = FindModel(layout);
  if (!model || body_bytes < model->min_bytes || body_bytes % model->unit_bytes != 0 || !(fpr > 0) ||
      body_bytes > model->max_bytes || (num_probes != 0 && !TakesProbes(*model, num_probes))) {
    return 0;
  }
  const auto reaches_fpr = [&](uint64_t num_keys) {
    return (num_probes == 0 ? Describe(*model, num_keys, body_bytes).expected_fpr
                            : model->Fpr(num_keys, body_bytes, num_probes)) <= fpr;
  };
  // Sizing gives at least 1 bit per key. A filter that is there may get more keys than that, and a layout without
  // num_probes has no choice that would depend on them.
  uint64_t reaches = 0, misses = 8 * body_bytes + 1;
  if (num_probes != 0 || model->max_num_probes == 0) {
    if (fpr >= 1) return UINT64_MAX;
    for (; misses <= UINT64_MAX / 2 && reaches_fpr(misses); misses *= 2) reaches = misses;
  }
  while (misses - reaches > 1) {
    const uint64_t middle = reaches + (misses - reaches) / 2;
    (reaches_fpr(middle) ? reaches : misses) = middle;
  }
  return reaches;
}

uint32_t NumProbesForBitsPerKey(Layout layout, double bits_per_key) noexcept {
  const std::optional<Model> model = FindModel(layout);
  return !model ? 0 : LimitNumProbes(*model, Clamp(bits_per_key, kMinBitsPerKey, kMaxBitsPerKey));
}

double FprForBitsPerKey(Layout layout, double bits_per_key) noexcept {
  const std::optional<Model> model = FindModel(layout);
  return !model ? 1 : LimitFpr(*model, Clamp(bits_per_key, kMinBitsPerKey, kMaxBitsPerKey));
}

double BitsPerKeyForFpr(Layout layout, double fpr) noexcept {
  const std::optional<Model> model = FindModel(layout);
  return !model ? kMaxBitsPerKey : LimitBitsPerKey(*model, Clamp(fpr, 1e-30, 1));
}

}  // namespace linefilter
