#include "lib/layouts/options.h"

#include "lib/base/memory.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/layout_names.h"
#include "lib/layouts/layout_record.h"

namespace linefilter::internal {
namespace {

// With so many, halves of halves can be folded six times, at a price of 4 KiB at the most.
constexpr uint64_t kFoldableBlocks = 64;

Status Invalid(const char* what) { return Status::Error(StatusCode::kInvalidArgument, "%s", what); }

// The size is that of another filter.
Status SizeOfBody(Layout layout, uint64_t num_keys, const FilterOptions& options, Sizing* sizing) {
  if (options.bits_per_key != 0 || options.fpr != 0 || options.foldable) {
    return Invalid("body_bytes is the whole size: leave out bits_per_key, fpr and foldable");
  }
  const LayoutRecord* const record = layout == Layout::kAuto ? nullptr : FindLayout(layout);
  if (record == nullptr || !record->facts.unites || !record->body_is_valid(options.body_bytes, options.num_probes)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "no filter of layout %s has a body of %llu bytes and %u probes: take all three from a filter "
                         "that is to be united (SameSizeAs)",
                         LayoutName(layout), static_cast<unsigned long long>(options.body_bytes), options.num_probes);
  }
  if (options.removable && !FactsOf(layout, options.num_probes).gives_back) {
    return Invalid(
        "body_bytes with num_probes 0 is the size of a set, whose keys cannot be removed: leave out removable, or take "
        "both from a removable filter (SameSizeAs)");
  }
  *sizing = Sizing();
  sizing->num_keys = num_keys;
  sizing->layout = layout;
  sizing->num_probes = options.num_probes;
  if (num_keys == 0) return Status();
  sizing->body_bytes = options.body_bytes;
  sizing->bits_per_key = 8 * static_cast<double>(options.body_bytes) / static_cast<double>(num_keys);
  return Status();
}

// Finds a wish to remove keys that the layout does not fulfil.
Status CheckRemoval(Layout layout, const FilterOptions& options) {
  if (options.turnovers != 0 && !options.removable) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "turnovers is %u, but keys that cannot be removed do not turn over: set removable, or leave "
                         "turnovers 0",
                         options.turnovers);
  }
  if (!options.removable || FactsOf(layout).chooses_removal) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "no key can be removed from a filter of layout %s: choose quotient (or auto), or leave out "
                       "removable",
                       LayoutName(layout));
}

Status SizeUnfolded(Layout layout, uint64_t num_keys, const FilterOptions& options, Sizing* sizing) {
  const Removal removal = {options.removable, options.turnovers};
  if (options.body_bytes != 0) return SizeOfBody(layout, num_keys, options, sizing);
  if (options.bits_per_key == 0 && options.fpr == 0) {
    return Invalid("neither bits_per_key nor fpr is set: set one (bits_per_key = 10 gives about 1 %)");
  }
  if (options.bits_per_key != 0 && options.fpr != 0)
    return Invalid("both bits_per_key and fpr are set: set one of them");
  if (options.fpr != 0) {
    if (options.num_probes != 0) return Invalid("num_probes goes with bits_per_key: fpr chooses it by itself");
    return SizeForFpr(layout, num_keys, options.fpr, removal, sizing);
  }
  if (layout == Layout::kAuto && options.num_probes > FactsOf(Layout::kBlocked).max_num_probes)
    layout = Layout::kClassic;
  const Status status = ShapeForBitsPerKey(layout, num_keys, options.bits_per_key, removal, sizing);
  if (!status.ok() || options.num_probes == 0) return status;
  const uint32_t most = FactsOf(sizing->layout).max_num_probes;
  if (most == 0) {
    return Status::Error(StatusCode::kInvalidArgument, "num_probes is %u: layout %s has no probes, leave it 0",
                         options.num_probes, LayoutName(sizing->layout));
  }
  if (options.num_probes > most) {
    return Status::Error(StatusCode::kInvalidArgument, "num_probes is %u: layout %s takes 1 to %u (0 = the best)",
                         options.num_probes, LayoutName(sizing->layout), most);
  }
  sizing->num_probes = options.num_probes;
  return status;
}

// The blocks of a rounded size are a multiple of the largest power of two that is at most a fiftieth of them. So there
// are 50 sizes from one power of two to the next. (Multiples of 64 where they cost less than 2 %: filters of 1e6 and of
// 0.2 % more keys had one size in 12 % of cases, and now have in 86 %.)
uint64_t StepOf(uint64_t num_blocks, const FilterOptions& options) {
  constexpr uint64_t kSteps = 50;
  uint64_t step = options.foldable ? kFoldableBlocks : 1;
  while (options.rounded && 2 * step <= num_blocks / kSteps) step *= 2;
  return step;
}

// Rounds a size up to a multiple of so many blocks, with the num_probes that every number of keys has.
void RoundUpTo(uint64_t num_blocks, uint64_t num_keys, const FilterOptions& options, Sizing* sizing) {
  if (options.num_probes == 0 && FactsOf(sizing->layout).max_num_probes != 0) {
    const double bits_per_key = options.fpr != 0 ? BitsPerKeyForFpr(sizing->layout, options.fpr) : options.bits_per_key;
    sizing->num_probes = NumProbesForBitsPerKey(sizing->layout, bits_per_key);
  }
  if (num_keys == 0) return;
  const SizingModel& model = FindMaker(sizing->layout)->sizing;
  const uint64_t step = num_blocks * model.unit_bytes, most = model.max_bytes;
  uint64_t& bytes = sizing->body_bytes;
  bytes = RoundUp(bytes, step);
  if (bytes > most) bytes = most;
  // Where another num_probes is the best for this very size, a little more may be needed for fpr. (None of 170,000
  // requests needed it.)
  while (options.fpr != 0 && ExpectedFprOf(*sizing, options.turnovers) > options.fpr && bytes < most) {
    bytes += RoundUp(bytes / 1024, step) + (bytes < 1024 * step ? step : 0);
    if (bytes > most) bytes = most;
  }
  sizing->bits_per_key = 8 * static_cast<double>(bytes) / static_cast<double>(num_keys);
}

// Rounds the size of a filter that is to be folded, or is to have the size of others.
Status RoundSize(uint64_t num_keys, const FilterOptions& options, Sizing* sizing) {
  const LayoutFacts facts = FactsOf(sizing->layout);
  if (options.foldable && !facts.folds) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "layout %s cannot be folded: leave out foldable, or choose blocked",
                         LayoutName(sizing->layout));
  }
  const uint64_t step = facts.folds ? StepOf(sizing->body_bytes / facts.block_bytes, options) : 1;
  if (step != 1) RoundUpTo(step, num_keys, options, sizing);
  return Status();
}

}  // namespace

bool KeepsRepeats(const FilterOptions& options) {
  return options.removable || FactsOf(options.layout, options.num_probes).gives_back;
}

Status CheckSecret(const FilterOptions& options) {
  uint8_t any = 0;
  for (const uint8_t byte : options.secret.bytes) any |= byte;
  if (!KeyHash::IsKeyed(options.hash_id)) {
    return any == 0 ? Status() : Invalid("a secret goes with a keyed hash: set hash_id to keyed");
  }
  return any != 0 ? Status() : Invalid("a keyed hash needs a secret: fill it with 16 random bytes, and keep them");
}

Status CheckOptions(Layout layout, const FilterOptions& options) {
  if (layout != Layout::kAuto && !FactsOf(layout).buildable) {
    return Status::Error(StatusCode::kUnsupported, "layout %d (%s) is not implemented: choose %s",
                         static_cast<int>(layout), LayoutName(layout), BuildableNames().text);
  }
  if (!KeyHash::IsKnown(options.hash_id)) {
    return Status::Error(StatusCode::kUnsupported,
                         "hash id %d is not implemented: choose xxh3, keyed, parquet or caller",
                         static_cast<int>(options.hash_id));
  }
  if (options.key_kind > KeyKind::kMixed) {
    return Status::Error(StatusCode::kInvalidArgument, "key_kind is %d: choose unknown, text, integer or mixed",
                         static_cast<int>(options.key_kind));
  }
  const Status secret = CheckSecret(options);
  if (!secret.ok()) return secret;
  if (KeyHash::IsKeyed(options.hash_id) && options.seed != 0) {
    return Invalid("a keyed hash has its secret instead of a seed: leave seed 0");
  }
  if (!KeyHash::HasSeed(options.hash_id) && options.seed != 0) {
    return Invalid("the hash of Parquet (hash_id parquet) has no seed: leave seed 0, or choose xxh3");
  }
  const Status allocator = CheckAllocator(options.allocator);
  if (!allocator.ok()) return allocator;
  const Executor& executor = options.executor;
  if (executor.run == nullptr && executor.num_threads > 1) {
    return Invalid("the executor has num_threads above 1 and no run function: set it, the library starts no thread");
  }
  if (executor.run != nullptr && executor.num_threads == 0) {
    return Invalid("the executor has num_threads 0: set how many tasks may run at once (1 = one after the other)");
  }
  Sizing sizing;
  return ShapeForOptions(layout, 0, options, &sizing);  // no keys: only the request is looked at
}

Status CheckOptionsToBuild(const FilterOptions& options) {
  const Status status = CheckOptions(options.layout, options);
  if (!status.ok() || options.num_keys == 0) return status;
  Sizing sizing;
  return ShapeForOptions(options.layout, options.num_keys, options, &sizing);
}

Status CheckLayoutIsBlocked(const FilterOptions& options, const char* what) {
  if (options.removable) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s keys that cannot be removed: one that only takes a key for a member would lose another "
                         "key. Leave out removable, or make one filter for all keys (layout quotient)",
                         what);
  }
  if (options.layout == Layout::kAuto || options.layout == Layout::kBlocked) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "%s layout blocked, not %s: choose it, or auto", what,
                       LayoutName(options.layout));
}

Status ShapeForOptions(Layout layout, uint64_t num_keys, const FilterOptions& options, Sizing* sizing) {
  if (layout == Layout::kAuto && options.removable) layout = Layout::kQuotient;
  if (layout == Layout::kAuto && options.foldable) layout = Layout::kBlocked;
  Status status = CheckRemoval(layout, options);
  if (status.ok()) status = SizeUnfolded(layout, num_keys, options, sizing);
  if (status.ok() && options.body_bytes == 0) status = RoundSize(num_keys, options, sizing);
  if (status.ok() && options.removable) sizing->num_probes = 1;
  return status;
}

Status SizeForOptions(Layout layout, uint64_t num_keys, const FilterOptions& options, Sizing* sizing) {
  const Status status = ShapeForOptions(layout, num_keys, options, sizing);
  if (status.ok()) sizing->expected_fpr = ExpectedFprOf(*sizing, options.turnovers);
  return status;
}

}  // namespace linefilter::internal
