// The place of a key in a block of the layout `quotient`, found without a branch that depends on the key.
//
// Idea: the ends of runs are a bit string, in which select finds a bucket's run. The run is at most 57 bits in most
// blocks, one load. All its entries are compared at once with the key's remainder, which is repeated in each field.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_QUOTIENT_PLACE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_QUOTIENT_PLACE_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_QUOTIENT_PLACE_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_PLACE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "lib/base/endian.h"
#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/line-inl.h"
#include "linefilter/internal/test_quotient_block.h"

// pdep and pext; a compiler may keep Highway from them.
#undef LINEFILTER_HAS_BMI2
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_BMI2_FMA)
#define LINEFILTER_HAS_BMI2 1
#else
#define LINEFILTER_HAS_BMI2 0
#endif

#ifndef LINEFILTER_LIB_LAYOUTS_QUOTIENT_PLACE_ONCE_
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_PLACE_ONCE_
namespace linefilter::internal {

// A load at any bit has so many, wherever it begins within a byte.
inline constexpr uint32_t kWindowBits = 57;

// How many fields of `width` bits a window has; 27 are one more than an entry has.
struct FieldsOfWindow {
  uint8_t of_width[kMostRemainderBits + 2] = {};
  constexpr FieldsOfWindow() {
    for (uint32_t width = 1; width < sizeof(of_width); ++width) {
      of_width[width] = static_cast<uint8_t>(kWindowBits / width);
    }
  }
};
inline constexpr FieldsOfWindow kFieldsOfWindow;

// The fast ways take blocks of fewer entries than this, whose ends of runs lie in two words.
inline constexpr uint32_t kManyEntries = 120;

}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// They must not be 0.
HWY_INLINE uint32_t LowestOne(uint64_t bits) { return static_cast<uint32_t>(__builtin_ctzll(bits)); }
HWY_INLINE uint32_t HighestOne(uint64_t bits) { return 63 - static_cast<uint32_t>(__builtin_clzll(bits)); }

// Where the 1 of that number is, counted from 0; 64 if there is none.
HWY_INLINE uint32_t SelectOne(uint64_t bits, uint32_t number) {
#if LINEFILTER_HAS_BMI2
  return static_cast<uint32_t>(_tzcnt_u64(_pdep_u64(uint64_t{1} << number, bits)));
#else
  constexpr uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const uint64_t sums = CountBitsUpToBytes(bits);
  if (number >= sums >> 56) return 64;
  const uint64_t not_above = ((number * kOnes | kHighs) - sums) & kHighs;  // bytes whose sum is at most `number`
  const uint32_t at = 8 * CountBitsOfWord(not_above);
  number -= static_cast<uint32_t>((sums << 8 >> at) & 0xff);
  uint32_t byte = static_cast<uint32_t>(bits >> at & 0xff);
  for (; number != 0; --number) byte &= byte - 1;
  return at + LowestOne(byte);
#endif
}

// The 1 bits that tell where runs begin: S of the format.
struct RunBegins {
  uint64_t low, high;

  HWY_INLINE uint32_t Select(uint32_t number) const {
    const uint32_t of_low = CountBitsOfWord(low);
    const bool above = number >= of_low;
    return SelectOne(above ? high : low, above ? number - of_low : number) + (above ? 64 : 0);
  }
  // How far it is from a 1 to the next one; 64 if it is farther than 63.
  HWY_INLINE uint32_t RunAt(uint32_t begin) const {
    const uint32_t shift = begin & 63;
    const uint64_t of_low = low >> shift >> 1 | high << (63 - shift), of_high = high >> shift >> 1;
    const uint64_t next = begin < 64 ? of_low : of_high;
    return next == 0 ? 64 : 1 + LowestOne(next);
  }
  HWY_INLINE bool Has(uint32_t at) const { return ((at < 64 ? low : high) >> (at & 63) & 1) != 0; }
  // 1 in the bits below `at`, 0 <= at < 128.
  static HWY_INLINE RunBegins Below(uint32_t at) {
    const uint64_t ones = (uint64_t{1} << (at & 63)) - 1;
    return {at < 64 ? ones : ~uint64_t{0}, at < 64 ? 0 : ones};
  }
  HWY_INLINE void Keep(RunBegins mask) {
    low &= mask.low;
    high &= mask.high;
  }
  // All bits from that one on move up by one, and it becomes `bit`.
  HWY_INLINE RunBegins WithBit(uint32_t at, uint64_t bit) const {
    const RunBegins below = Below(at), place = {~below.low & (below.low + 1), at < 64 ? 0 : below.high + 1};
    const uint64_t all = 0 - bit, moved = low & ~below.low;
    return {(low & below.low) | moved << 1 | (place.low & all),
            (high & below.high) | (high & ~below.high) << 1 | moved >> 63 | (place.high & all)};
  }
  HWY_INLINE RunBegins WithoutBit(uint32_t at) const {
    const RunBegins below = Below(at);
    return {(low & below.low) | ((low >> 1 | high << 63) & ~below.low),
            (high & below.high) | (high >> 1 & ~below.high)};
  }
  // The last 1 that is not above `at`; bit 0 is one.
  HWY_INLINE uint32_t LastUpTo(uint32_t at) const {
    RunBegins up_to = *this;
    up_to.Keep(Below(at + 1));
    return up_to.high != 0 ? 64 + HighestOne(up_to.high) : HighestOne(up_to.low);
  }
};

// At least kWindowBits bits from that one on, or what there is until the block's end. At the end itself it is anything.
HWY_INLINE uint64_t Window(const uint8_t* block, uint32_t at) {
  const uint32_t byte = at / 8 < 56 ? at / 8 : 56;
  return internal::LoadLE64(block + byte) >> ((at - 8 * byte) & 63);
}

// The fields of a sound block that is not empty.
struct Fields {
  uint64_t buckets;
  RunBegins runs;
  uint32_t size, width, num_long;

  // The bits of the first n entries, which lie at the block's end.
  HWY_INLINE uint32_t BitsOf(uint32_t n) const { return n * width + (n < num_long ? n : num_long); }

  // False if the block is empty, not sound, or has many entries or some without a remainder.
  HWY_INLINE bool Read(const uint8_t* block) {
    buckets = internal::LoadLE64(block);
    const uint64_t second = internal::LoadLE64(block + 8), third = internal::LoadLE64(block + 16);
    const uint64_t fourth = internal::LoadLE64(block + 24);
    runs = {(second >> 12 | third << 52) | 1, third >> 12 | fourth << 52};
    num_long = second & 0xff;
    const uint32_t dropped = second >> 8 & 31;
    width = internal::kMostRemainderBits - dropped;
    size = runs.Select(CountBitsOfWord(buckets));
    const bool is_border = runs.Has(num_long & 127);
    runs.Keep(RunBegins::Below((size + 1) & 127));  // what follows is not theirs
    return HWY_LIKELY((buckets != 0) & (size < internal::kManyEntries) & (dropped < internal::kMostRemainderBits) &
                      (num_long < size) & is_border & ((dropped != 0) | (num_long == 0)) &
                      (internal::kRunEndsAt + size + BitsOf(size) <= internal::kQuotientBlockBits));
  }
  // The four words in front of the entries.
  HWY_INLINE Line Write(const Line& entries) const {
    const uint64_t dropped = internal::kMostRemainderBits - width, ends = runs.low & ~uint64_t{1};
    return WithHead(buckets, num_long | dropped << 8 | ends << 12, runs.low >> 52 | runs.high << 12, runs.high >> 52,
                    entries);
  }
};

// The run of a key's bucket, whose entries are compared at once with the key's remainder.
struct Place {
  uint32_t begin, size;    // the run; size is 0 if the bucket has no entry
  uint32_t is_long, bits;  // of an entry there
  uint64_t run, wanted;    // its entries, the last one lowest; the remainder in each field
  uint64_t lows, highs;    // the lowest and the highest bits of its fields

  // False if the run is too long for that.
  HWY_INLINE bool Find(const uint8_t* block, const Fields& fields, uint32_t q) {
    const uint32_t bucket = internal::BucketOf(q), here = fields.buckets >> bucket & 1;
    begin = fields.runs.Select(CountBitsOfWord(fields.buckets & ((uint64_t{1} << bucket) - 1)));
    size = fields.runs.RunAt(begin) & (0 - here);
    // A new bucket in front of the first short entry is long, unless all lengths are the greatest one.
    is_long = (begin < fields.num_long + 1 - here) & (fields.width < internal::kMostRemainderBits);
    bits = fields.width + is_long;
    const uint32_t run_bits = size * bits;
    const uint64_t all = (uint64_t{1} << (run_bits & 63)) - 1;
    lows = internal::kLowestBits.of[bits] & all;
    highs = lows << ((bits - 1) & 63);
    run = Window(block, internal::kQuotientBlockBits - fields.BitsOf(begin + size)) & all;
    wanted = internal::RemainderOf(q, bits) * lows;
    return HWY_LIKELY(run_bits <= internal::kWindowBits);
  }
  // The highest bits of the fields of a that are not smaller than those of b.
  HWY_INLINE uint64_t NotSmaller(uint64_t a, uint64_t b) const {
    const uint64_t lower_parts = (a | highs) - (b & ~highs);
    return ((a & ~b) | (~(a ^ b) & lower_parts)) & highs;
  }
  // Tells whether an entry is equal in all but the lowest `dropped` bits.
  HWY_INLINE bool HasEqual(uint32_t dropped) const {
    const uint64_t differ = (run ^ wanted) & ~(lows * ((uint64_t{1} << dropped) - 1));
    return ((differ - lows) & ~differ & highs) != 0;
  }
  // The entries of the run in front of the first one of those fields, which are told by their highest bits.
  HWY_INLINE uint32_t CountBefore(uint64_t fields) const {
    const uint64_t up_to_first = fields == 0 ? 0 : ~uint64_t{0} >> (63 - HighestOne(fields));
    return CountBitsOfWord(highs & ~up_to_first);
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_PLACE_INL_H_
