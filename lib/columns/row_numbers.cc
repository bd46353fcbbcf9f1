// Bits become the numbers of rows, without a branch for each. A vector of numbers is compressed: those whose bit is 1
// move to the front, and all of the vector is stored, of which the next store overwrites the rest. It never reaches
// behind what was read: so `out` may be `rows`, and needs no more room. AVX-512 compresses in one instruction (a store
// that compresses is microcode on Zen 4); AVX2 permutes by a table of 256 masks. On other targets each number is
// stored, and its bit says whether the next one is stored over it.
//
// Where rows have the bits of values (a dictionary's), the numbers of the values are read where they lie, and checked
// in the same pass. AVX-512 looks the bits of up to 1,024 values up in two registers, and gathers those of more, as
// AVX2 gathers all.
#include <cstddef>
#include <cstdint>

#include "lib/columns/chunk.h"
#include "lib/columns/value_at.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/columns/row_numbers.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"

#ifndef LINEFILTER_ROW_NUMBERS_ONCE
#define LINEFILTER_ROW_NUMBERS_ONCE
namespace linefilter::internal {
namespace {

// In place of a number of rows: a row's value was outside.
constexpr size_t kOutside = ~size_t{0};

inline unsigned BitAt(const uint8_t* bits, size_t i) { return (bits[i >> 3] >> (i & 7)) & 1u; }

// The places of the bits of each byte that are 1, from the lowest on.
struct PlacesOfBits {
  alignas(64) uint8_t of[256][8];
};
constexpr PlacesOfBits MakePlaces() {
  PlacesOfBits places{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned n = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (((byte >> bit) & 1) != 0) places.of[byte][n++] = static_cast<uint8_t>(bit);
    }
  }
  return places;
}
[[maybe_unused]] constexpr PlacesOfBits kPlaces = MakePlaces();

}  // namespace
}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A plain loop of g++ for any CPU took 0.1 ns for a row, which is much where a ScanFilter does nothing else.
void AllRows(size_t n, uint32_t* rows) {
  const hn::CappedTag<uint32_t, 16> d;
  const size_t num_lanes = hn::Lanes(d);
  const auto step = hn::Set(d, static_cast<uint32_t>(num_lanes));
  auto numbers = hn::Iota(d, 0u);
  size_t i = 0;
  for (; n - i >= num_lanes; i += num_lanes) {
    hn::StoreU(numbers, d, rows + i);
    numbers = hn::Add(numbers, step);
  }
  for (; i < n; ++i) rows[i] = static_cast<uint32_t>(i);
}

#if LINEFILTER_SAME_AS_AVX3

size_t RowsOfBits(const uint8_t* bits, size_t n, const uint32_t* rows, uint32_t first, uint32_t* out) {
  return N_AVX3::RowsOfBits(bits, n, rows, first, out);
}
size_t RowsOfValues(const internal::ValueBits& values, const void* value, size_t n, const uint32_t* rows,
                    uint32_t first, uint32_t* out) {
  return N_AVX3::RowsOfValues(values, value, n, rows, first, out);
}

#else

// Rows from `begin` on, one by one; `count` are out already.
HWY_INLINE size_t OneByOne(const uint8_t* bits, size_t begin, size_t n, const uint32_t* rows, uint32_t first,
                           uint32_t* out, size_t count) {
  for (size_t i = begin; i < n; ++i) {
    const uint32_t row = rows != nullptr ? rows[i] : first + static_cast<uint32_t>(i);
    out[count] = row;
    count += internal::BitAt(bits, i);
  }
  return count;
}

// The same by the bits of the rows' values; kOutside if one of these is.
HWY_INLINE size_t ValuesOneByOne(const internal::ValueBits& values, const void* value, size_t begin, size_t n,
                                 const uint32_t* rows, uint32_t first, uint32_t* out, size_t count) {
  const uint32_t last = static_cast<uint32_t>(values.count - 1);
  uint32_t most = 0;
  for (size_t i = begin; i < n; ++i) {
    const uint32_t row = rows != nullptr ? rows[i] : first + static_cast<uint32_t>(i);
    const uint32_t of_row = internal::At<uint32_t>(value, i);
    most = of_row > most ? of_row : most;
    out[count] = row;
    count += internal::BitAt(values.bytes, of_row < last ? of_row : last);
  }
  return most <= last ? count : internal::kOutside;
}

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3

// Calls word_of(word numbers) for the words of the values of 16 rows at a time.
template <class WordOf>
HWY_INLINE size_t RowsOfValuesBy(const WordOf& word_of, const internal::ValueBits& values, const void* value, size_t n,
                                 const uint32_t* rows, uint32_t first, uint32_t* out) {
  const __m512i last = _mm512_set1_epi32(static_cast<int>(values.count - 1));
  size_t count = 0, i = 0;
  __mmask16 outside = 0;
  __m512i numbers = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                                     _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  for (; n - i >= 16; i += 16) {
    __m512i of_rows = _mm512_loadu_si512(static_cast<const char*>(value) + i * sizeof(uint32_t));
    outside = _kor_mask16(outside, _mm512_cmpgt_epu32_mask(of_rows, last));
    of_rows = _mm512_min_epu32(of_rows, last);
    const __m512i words = word_of(_mm512_srli_epi32(of_rows, 5));
    // A rotation takes the low 5 bits of a value by itself.
    const __m512i bits = _mm512_rorv_epi32(words, of_rows);
    const __mmask16 mask = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1));
    if (rows != nullptr) numbers = _mm512_loadu_si512(rows + i);
    _mm512_storeu_si512(out + count, _mm512_maskz_compress_epi32(mask, numbers));
    count += static_cast<size_t>(__builtin_popcount(mask));
    if (rows == nullptr) numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
  }
  if (outside != 0) return internal::kOutside;
  return ValuesOneByOne(values, value, i, n, rows, first, out, count);
}

size_t RowsOfValues(const internal::ValueBits& values, const void* value, size_t n, const uint32_t* rows,
                    uint32_t first, uint32_t* out) {
  if (values.count <= 1024) {
    const __m512i low = _mm512_load_si512(values.bytes), high = _mm512_load_si512(values.bytes + 64);
    const auto permuted = [&](__m512i places) HWY_ATTR { return _mm512_permutex2var_epi32(low, places, high); };
    return RowsOfValuesBy(permuted, values, value, n, rows, first, out);
  }
  const auto gathered = [&](__m512i places) HWY_ATTR { return _mm512_i32gather_epi32(places, values.bytes, 4); };
  return RowsOfValuesBy(gathered, values, value, n, rows, first, out);
}

size_t RowsOfBits(const uint8_t* bits, size_t n, const uint32_t* rows, uint32_t first, uint32_t* out) {
  size_t count = 0, i = 0;
  __m512i numbers = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                                     _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  for (; n - i >= 16; i += 16) {
    const __mmask16 mask = static_cast<__mmask16>(bits[i / 8] | (bits[i / 8 + 1] << 8));
    if (rows != nullptr) numbers = _mm512_loadu_si512(rows + i);
    _mm512_storeu_si512(out + count, _mm512_maskz_compress_epi32(mask, numbers));
    count += static_cast<size_t>(__builtin_popcount(mask));
    if (rows == nullptr) numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
  }
  return OneByOne(bits, i, n, rows, first, out, count);
}

#elif HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2

HWY_INLINE __m256i LoadEight(const void* words) { return _mm256_loadu_si256(static_cast<const __m256i*>(words)); }

// Rows whose bit is 1: byte_of(i) has the bits of the eight from row i on. Tells where the last fewer than eight begin.
template <class ByteOf>
HWY_INLINE size_t EightAtOnce(const ByteOf& byte_of, size_t n, const uint32_t* rows, uint32_t first, uint32_t* out,
                              size_t* count) {
  size_t i = 0;
  __m256i numbers =
      _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
  for (; n - i >= 8; i += 8) {
    const unsigned byte = byte_of(i);
    if (rows != nullptr) numbers = LoadEight(rows + i);
    const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(internal::kPlaces.of[byte]));
    const __m256i compressed = _mm256_permutevar8x32_epi32(numbers, _mm256_cvtepu8_epi32(places));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + *count), compressed);
    *count += static_cast<size_t>(__builtin_popcount(byte));
    if (rows == nullptr) numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(8));
  }
  return i;
}

size_t RowsOfBits(const uint8_t* bits, size_t n, const uint32_t* rows, uint32_t first, uint32_t* out) {
  size_t count = 0;
  const auto byte_of = [bits](size_t i) HWY_ATTR -> unsigned { return bits[i / 8]; };
  const size_t i = EightAtOnce(byte_of, n, rows, first, out, &count);
  return OneByOne(bits, i, n, rows, first, out, count);
}

size_t RowsOfValues(const internal::ValueBits& values, const void* value, size_t n, const uint32_t* rows,
                    uint32_t first, uint32_t* out) {
  size_t count = 0;
  const __m256i last = _mm256_set1_epi32(static_cast<int>(values.count - 1));
  __m256i outside = _mm256_setzero_si256();
  const auto byte_of = [&](size_t i) HWY_ATTR -> unsigned {
    const __m256i of_rows = LoadEight(static_cast<const char*>(value) + i * sizeof(uint32_t));
    const __m256i inside = _mm256_min_epu32(of_rows, last);
    outside = _mm256_or_si256(outside, _mm256_xor_si256(inside, of_rows));
    const __m256i words =
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(values.bytes), _mm256_srli_epi32(inside, 5), 4);
    // The bit becomes the sign: it is shifted by 31 minus the low 5 bits of the value.
    const __m256i shift = _mm256_andnot_si256(inside, _mm256_set1_epi32(31));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(words, shift))));
  };
  const size_t i = EightAtOnce(byte_of, n, rows, first, out, &count);
  if (_mm256_testz_si256(outside, outside) == 0) return internal::kOutside;
  return ValuesOneByOne(values, value, i, n, rows, first, out, count);
}

#else

size_t RowsOfBits(const uint8_t* bits, size_t n, const uint32_t* rows, uint32_t first, uint32_t* out) {
  return OneByOne(bits, 0, n, rows, first, out, 0);
}

#endif

#if !(HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2)
size_t RowsOfValues(const internal::ValueBits& values, const void* value, size_t n, const uint32_t* rows,
                    uint32_t first, uint32_t* out) {
  return ValuesOneByOne(values, value, 0, n, rows, first, out, 0);
}
#endif

#endif  // LINEFILTER_SAME_AS_AVX3

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
namespace {
LINEFILTER_TARGET_TABLE(AllRows);
LINEFILTER_TARGET_TABLE(RowsOfBits);
LINEFILTER_TARGET_TABLE(RowsOfValues);
}  // namespace

namespace internal {

void WriteAllRows(size_t n, uint32_t* rows) { LINEFILTER_DISPATCH(AllRows)(n, rows); }

size_t RowNumbers(const uint8_t* bits, size_t n, const uint32_t* rows, size_t first, uint32_t* out) {
  return LINEFILTER_DISPATCH(RowsOfBits)(bits, n, rows, static_cast<uint32_t>(first), out);
}

namespace {

// Numbers of 16 bits are made of those of 32: rows(out) writes these and tells how many they are, or kOutside.
template <class Rows>
bool Write(const Rows& rows, uint32_t* maybes, size_t* count) {
  const size_t n = rows(maybes + *count);
  if (n == kOutside) return false;
  *count += n;
  return true;
}
template <class Rows>
bool Write(const Rows& rows, uint16_t* maybes, size_t* count) {
  uint32_t wide[kChunkRows];
  const size_t n = rows(wide);
  if (n == kOutside) return false;
  for (size_t i = 0; i < n; ++i) maybes[*count + i] = static_cast<uint16_t>(wide[i]);
  *count += n;
  return true;
}

}  // namespace

template <class Row>
void WriteRows(const uint8_t* bits, const RowChunk& chunk, Row* maybes, size_t* count) {
  Write([&](uint32_t* out) { return RowNumbers(bits, chunk.n, chunk.rows, chunk.first, out); }, maybes, count);
}
template void WriteRows(const uint8_t*, const RowChunk&, uint32_t*, size_t*);
template void WriteRows(const uint8_t*, const RowChunk&, uint16_t*, size_t*);

template <class Row>
bool WriteRows(const ValueBits& values, const void* value, const RowChunk& chunk, Row* maybes, size_t* count) {
  const auto rows = [&](uint32_t* out) {
    const uint32_t first = static_cast<uint32_t>(chunk.first);
    return LINEFILTER_DISPATCH(RowsOfValues)(values, value, chunk.n, chunk.rows, first, out);
  };
  return Write(rows, maybes, count);
}
template bool WriteRows(const ValueBits&, const void*, const RowChunk&, uint32_t*, size_t*);
template bool WriteRows(const ValueBits&, const void*, const RowChunk&, uint16_t*, size_t*);

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
