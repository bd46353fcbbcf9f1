// These options say what a filter should be, to all that takes keys (key_filter.h) and to the builder (builder.h).
//
//   filter.Create(num_keys, linefilter::FilterOptions::AtFpr(0.01));  // or AtBitsPerKey(10): the rest as it is
//
// More is asked for by its members:
//
//   linefilter::FilterOptions options = linefilter::FilterOptions::AtFpr(0.01);
//   options.foldable = true;  // it can be made smaller by many factors when its keys are known
#ifndef LINEFILTER_OPTIONS_H_
#define LINEFILTER_OPTIONS_H_

#include <cstdint>

#include "linefilter/executor.h"
#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/key.h"
#include "linefilter/layout.h"
#include "linefilter/memory.h"

namespace linefilter {

class FilterBase;

// bits_per_key or fpr must be set; the rest may stay as it is.
struct FilterOptions {
  // Exactly one is set. bits_per_key is 1..64. fpr, above 0 and below 1, is the highest acceptable rate that is
  // expected with all keys in. One filter may be a little above it, by chance: of 1 %, with 5000 keys, up to 1.1 %.
  double bits_per_key = 0;
  double fpr = 0;
  // How many keys FilterBuilder and BuildFromSource make the filter for, whatever comes; 0 means those that come,
  // without repeats (builder.h). Repeats are then no matter, so nothing is counted. The image tells this number, if its
  // body is above 4 KiB or key_kind is set. What has a number of keys as an argument goes by that alone.
  uint64_t num_keys = 0;
  // Or the exact bytes of the body, with layout and num_probes, whatever the number of keys (SameSizeAs). Scalable and
  // rotating filters and Redis refuse it.
  uint64_t body_bytes = 0;
  // 0 means the best for the density. It goes with bits_per_key only.
  uint32_t num_probes = 0;
  // FilterBuilder, Filter and ConcurrentFilter go by this. What has a layout of its own, or is given one, does not look
  // at it; a ScalableFilter and a RotatingFilter refuse all but kAuto and kBlocked.
  Layout layout = Layout::kAuto;
  // The filter has a multiple of 64 blocks (4 KiB), so that it folds (Filter::Fold) by many factors: 2, 4, ...,
  // 64 and more. num_probes then follows from bits_per_key or fpr alone, also where the size was rounded up by much.
  // That alone does not make sizes fit for a Union: those made for other numbers of keys may share no more than 64
  // blocks. To unite filters, make each for the keys of all, or like another one (SameSizeAs); where fewer came,
  // FoldToFpr gives the rest back. kAuto is then blocked; with kClassic and kRetrieval it is kInvalidArgument.
  bool foldable = false;
  // The number of blocks is rounded up to 50 to 99 times a power of two, which costs less than 2 percent. So filters of
  // nearly as many keys have one size and can be united (0.2 percent more keys: six of seven), and each folds by that
  // power of two. num_probes then follows from bits_per_key or fpr alone. Filters of less than 100 blocks and layouts
  // that do not fold stay as they are. Growing filters refuse it, Redis does not look at it. `linefilter build` makes
  // filters so.
  bool rounded = false;
  // Keys can be removed again, each as often as it was inserted. Layout `quotient` is then a multiset, with an entry
  // for each insertion (num_probes is 1), and kAuto is `quotient`. Without it `quotient` is a set, in which a key is
  // once. Keys of other layouts cannot be removed (kInvalidArgument).
  bool removable = false;
  // How often all keys of a removable filter will be replaced: fpr is then the rate after so many turnovers. A block of
  // `quotient` has the short entries of its fullest time for long. So its rate rises, at 12 bits per key to 2.0 times
  // within one turnover, 4.4 times in 20, and 4.8 times for ever. The rates are those of keys that are removed at
  // random; where the oldest go first, they are up to 6 % higher, or 15 % lower in the end. Above 0 without removable
  // it is kInvalidArgument.
  uint32_t turnovers = 0;
  // A hash is for filters of one seed; filters whose false positives should differ must not share it. Filters of
  // different seeds are asked together by linefilter/many.h. kParquet demands 0.
  uint64_t seed = 0;
  // kKeyed needs this instead of a seed.
  HashSecret secret;
  // This says whose hashes the ...Hash calls take. kXxh3 means those of HashKey(key, seed), so ...Key and ...Hash calls
  // may be mixed. kKeyed means those of KeyedHash(key, secret), likewise. kParquet means those of ParquetHash(key),
  // likewise, and takes no seed. kCaller means your own 64-bit hashes; then the ...Key calls insert nothing and answer
  // "maybe". The two halves of such a hash must be independent: pass MixHash(hash) of a poor one, and of any with 32
  // bits. Else nearly all is "maybe", which ExpectedFpr does not see.
  HashId hash_id = HashId::kXxh3;
  // The kind of the keys that will come, for the image to remember (linefilter/key.h). It takes 9 bytes of the image, 5
  // of one with stages; kUnknown takes none. The keys themselves are not looked at. KeyFilter::NoteKeyKind adds a kind
  // later.
  KeyKind key_kind = KeyKind::kUnknown;
  // Where the memory comes from.
  Allocator allocator;
  // The most bytes that this object may hold at once, for a builder with the image while it finishes; more is
  // kOverLimit. What a filter takes for a moment to be written to a sink or file is not counted. That is 1/16384 of the
  // image (its chunk checks), for a growing one up to 64 KiB more, for a shared one up to 1 MiB. Builders count theirs.
  uint64_t memory_limit = kNoMemoryLimit;
  // The threads that Finish and AddHashes of builders may use. The bytes are the same with any.
  Executor executor;

  // Makes options that ask for that rate, and for nothing else.
  static FilterOptions AtFpr(double fpr) noexcept {
    FilterOptions options;
    options.fpr = fpr;
    return options;
  }
  // Makes options that ask for that density, and for nothing else.
  static FilterOptions AtBitsPerKey(double bits_per_key) noexcept {
    FilterOptions options;
    options.bits_per_key = bits_per_key;
    return options;
  }
  // Makes the options of filters that can be united with `filter`: its layout, size, num_probes and key hash. A builder
  // makes an image for as many keys (num_keys). Those of a filter that has no size (broken, of the empty set, of
  // stages) are refused by Create.
  LINEFILTER_EXPORT static FilterOptions SameSizeAs(const FilterBase& filter) noexcept;

  // The key hash that hash_id, seed and secret mean together.
  KeyHash key_hash() const noexcept {
    return {hash_id, KeyHash::IsKeyed(hash_id) ? CheckOfSecret(secret) : seed, secret};
  }
};

// What a union may become (Filter::Union, UniteImages).
struct UnionOptions {
  // A union whose expected rate would be above this is refused (kIncompatible) before anything is changed or written. 0
  // refuses a union of unequal sizes if its rate would be above twice that of the same keys in the largest size, or its
  // share of "absent" below half of theirs. 1 permits any union; what is not within 0 and 1 is kInvalidArgument. The
  // rate is that of the united bits. Filters without keys are judged as if they had one.
  double max_fpr = 0;
};

// What the filters of a storage engine should be (leveldb.h, rocksdb.h): one density or rate for all of a policy.
struct EngineFilterOptions {
  // Exactly one is set. bits_per_key is 1..64. fpr, above 0 and below 1, is the highest acceptable false-positive rate
  // of filters of any number of keys up to 2^32. The policy turns it into one density when it is made. The least is
  // 2.4e-10 (kAuto, kClassic), because some of so many keys agree with an absent one in their whole hash.
  double bits_per_key = 0;
  double fpr = 0;
  // kAuto is `blocked`, or `classic` for the few dozen keys of a LevelDB filter. kRetrieval has a sixth of the false
  // positives at the same size and is slower to build. Whatever is chosen, a filter of at most 64 keys is `classic`
  // where that is smaller and reaches the rate. That is the fpr, or what the layout has at this density in large
  // filters. 1 or 2 keys take at most 24 bytes.
  Layout layout = Layout::kAuto;
  // Filters are verified before they answer "absent" (leveldb.h and rocksdb.h say when, and what it costs). Unset this
  // only where the engine's own checksum finds damage first: a damaged filter may answer "absent" for a key that is
  // there.
  bool verify = true;
};

}  // namespace linefilter

#endif  // LINEFILTER_OPTIONS_H_
