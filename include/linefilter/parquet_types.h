// This makes the hashes of Parquet's values, and asks a filter for a value of any type, right by construction.
// linefilter/parquet.h includes it.
//
//   const auto type = linefilter::ParquetColumnType::Decimal(physical, precision, scale, type_length);
//   const linefilter::ParquetQuestion question(type, linefilter::ParquetValue::Decimal(1234, 2));  // 12.34
//   if (!question.MayContain(view)) ...  // skip this row group, and ask the view of the next one
//
// Whoever hashes a constant in another form than the column stores is told "absent" of rows that are there. A question
// makes all stored forms that equal the value. It answers "maybe" for what it cannot be sure of, and says why. Two
// values are equal if they are the same number, text, bytes, UUID, date or time. An engine that compares in another way
// (a collation, padded text, a column that is cast, rounded or moved to another calendar first) must not ask.
// doc/guide/parquet.md has a table of all types. Everything here is thread-safe.
#ifndef LINEFILTER_PARQUET_TYPES_H_
#define LINEFILTER_PARQUET_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "linefilter/filter_base.h"
#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/internal/xxh64.h"
#include "linefilter/key.h"

namespace linefilter {

// A hash is made of the plain encoding of the physical type; the logical type does not matter. hash.h has the others:
// ParquetHashBytes is for BYTE_ARRAY (the bytes without their length), FIXED_LEN_BYTE_ARRAY and INT96 (12 bytes), and
// ParquetHashes for whole columns of 32 or 64 bits, or of bytes. BOOLEAN has no filter.

namespace internal {

// Makes the hashes of real numbers from copies of their bits: an array of them must not be read as integers.
template <class Bits, class Real>
void ParquetHashesOfBits(const Real* values, size_t n, uint64_t* hashes) noexcept {
  constexpr size_t kGroup = 256;
  Bits bits[kGroup];
  for (size_t begin = 0; begin < n; begin += kGroup) {
    const size_t size = n - begin < kGroup ? n - begin : kGroup;
    std::memcpy(bits, values + begin, size * sizeof(Bits));
    ParquetHashes(bits, size, hashes + begin);
  }
}

}  // namespace internal

// INT32 is 4 little-endian bytes. Integers of 8 and 16 bits are widened by their sign, those of 32 unsigned bits are
// cast.
LINEFILTER_INLINE uint64_t ParquetHashInt32(int32_t value) noexcept {
  return internal::Xxh64Of4Bytes(static_cast<uint32_t>(value));
}
// INT64 is 8 little-endian bytes. Integers of 64 unsigned bits are cast.
LINEFILTER_INLINE uint64_t ParquetHashInt64(int64_t value) noexcept {
  return ParquetHashNumber(static_cast<uint64_t>(value));
}
// FLOAT is its 4 IEEE bytes, little-endian. So -0.0 and 0.0 have different hashes, and so have NaNs of different bits.
// A writer hashes what it stores; a ParquetQuestion asks for both zeros, and for no NaN.
LINEFILTER_INLINE uint64_t ParquetHashFloat(float value) noexcept {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return ParquetHashInt32(bits);
}
// DOUBLE has 8 bytes, and is as FLOAT in all else.
LINEFILTER_INLINE uint64_t ParquetHashDouble(double value) noexcept {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return ParquetHashInt64(bits);
}

// These make the hashes of a whole column of INT32, INT64, FLOAT or DOUBLE, the same ones as above. hash.h has those of
// unsigned integers and of bytes.
inline void ParquetHashes(const int32_t* values, size_t n, uint64_t* hashes) noexcept {
  ParquetHashes(reinterpret_cast<const uint32_t*>(values), n, hashes);
}
// The same for INT64.
inline void ParquetHashes(const int64_t* values, size_t n, uint64_t* hashes) noexcept {
  ParquetHashes(reinterpret_cast<const uint64_t*>(values), n, hashes);
}
// The same for FLOAT.
inline void ParquetHashes(const float* values, size_t n, uint64_t* hashes) noexcept {
  internal::ParquetHashesOfBits<uint32_t>(values, n, hashes);
}
// The same for DOUBLE.
inline void ParquetHashes(const double* values, size_t n, uint64_t* hashes) noexcept {
  internal::ParquetHashesOfBits<uint64_t>(values, n, hashes);
}
// The same for n values of FIXED_LEN_BYTE_ARRAY or INT96 that lie one behind the other.
inline void ParquetHashesOfFixed(const void* values, size_t type_length, size_t n, uint64_t* hashes) noexcept {
  const char* at = static_cast<const char*>(values);
  for (size_t i = 0; i < n; ++i, at += type_length) hashes[i] = ParquetHashBytes(at, type_length);
}

// This says how values are stored. The numbers are those of Parquet's metadata (Type).
enum class ParquetPhysicalType : uint8_t {
  kBoolean = 0,            // no filter
  kInt32 = 1,              // 4 little-endian bytes
  kInt64 = 2,              // 8
  kInt96 = 3,              // 12 bytes: timestamps of old writers
  kFloat = 4,              // IEEE, 4 bytes
  kDouble = 5,             // IEEE, 8 bytes
  kByteArray = 6,          // bytes of any length
  kFixedLenByteArray = 7,  // type_length bytes
};

// This says what values mean. The numbers are those of the fields of Parquet's LogicalType; 9 is the INTERVAL of its
// ConvertedType. Others may be cast to this type: a question about them answers "maybe".
enum class ParquetLogicalType : uint8_t {
  kNone = 0,       // what the physical type says
  kString = 1,     // UTF-8
  kEnum = 4,       // UTF-8
  kDecimal = 5,    // an unscaled integer
  kDate = 6,       // days since 1970-01-01
  kTime = 7,       // a count since midnight
  kTimestamp = 8,  // a count since 1970-01-01
  kInterval = 9,   // months, days, milliseconds
  kInteger = 10,   // of 8, 16, 32 or 64 bits, with a sign or without
  kJson = 12,      // UTF-8
  kBson = 13,      // bytes
  kUuid = 14,      // 16 bytes
  kFloat16 = 15,   // IEEE, 2 bytes
};

// This is the unit of times and timestamps. The numbers are those of the fields of Parquet's TimeUnit.
enum class ParquetTimeUnit : uint8_t {
  kMillis = 1,  // 10^-3 s
  kMicros = 2,  // 10^-6 s
  kNanos = 3,   // 10^-9 s
};

// The type of a leaf column in this very file, which may be another one than that of the table. Fill it from the
// metadata of the file, or take one of the functions. A column that has a ConvertedType alone is none of kNone: see
// OfConverted.
struct LINEFILTER_EXPORT ParquetColumnType {
  ParquetPhysicalType physical = ParquetPhysicalType::kByteArray;  // all
  ParquetLogicalType logical = ParquetLogicalType::kNone;          // all
  int32_t type_length = 0;                                         // FIXED_LEN_BYTE_ARRAY
  int32_t precision = 0;                            // DECIMAL; in BYTE_ARRAY it tells how long values may be
  int32_t scale = 0;                                // DECIMAL
  int32_t bit_width = 0;                            // INTEGER: 8, 16, 32 or 64
  bool is_signed = true;                            // INTEGER
  bool is_utc = false;                              // TIME and TIMESTAMP: isAdjustedToUTC
  ParquetTimeUnit unit = ParquetTimeUnit::kMicros;  // TIME and TIMESTAMP

  // Makes the type of a column without a logical type.
  static ParquetColumnType Plain(ParquetPhysicalType physical, int32_t type_length = 0) noexcept;
  // Makes one whose logical type has no parameters and one physical type. These are STRING, ENUM, JSON and BSON
  // (BYTE_ARRAY), UUID, FLOAT16 and INTERVAL (FIXED_LEN_BYTE_ARRAY), and DATE (INT32).
  static ParquetColumnType Of(ParquetLogicalType logical) noexcept;
  // Makes INTEGER of 8, 16, 32 (INT32) or 64 bits (INT64).
  static ParquetColumnType Integer(int32_t bit_width, bool is_signed) noexcept;
  // Makes DECIMAL in INT32, INT64, BYTE_ARRAY, or FIXED_LEN_BYTE_ARRAY of type_length bytes.
  static ParquetColumnType Decimal(ParquetPhysicalType physical, int32_t precision, int32_t scale,
                                   int32_t type_length = 0) noexcept;
  // Makes TIME in milliseconds (INT32), or in microseconds or nanoseconds (INT64).
  static ParquetColumnType Time(ParquetTimeUnit unit, bool is_utc) noexcept;
  // Makes TIMESTAMP (INT64).
  static ParquetColumnType Timestamp(ParquetTimeUnit unit, bool is_utc) noexcept;
  // Makes that of a column of an old writer, which has a ConvertedType (its number in Parquet's metadata) and no
  // LogicalType. Its times are instants, as the specification reads them: set is_utc to false if your reader takes them
  // for local ones. A number that this version does not know makes a type whose questions are answered "maybe".
  static ParquetColumnType OfConverted(int32_t converted_type, ParquetPhysicalType physical, int32_t type_length = 0,
                                       int32_t precision = 0, int32_t scale = 0) noexcept;
};

// An integer of 256 bits, two's complement, the lowest word first. Any integer of at most 64 bits converts to it.
struct LINEFILTER_EXPORT ParquetInteger {
  uint64_t words[4] = {};  // see above

  ParquetInteger() noexcept = default;  // 0
  // Takes any integer of at most 64 bits.
  template <class T, std::enable_if_t<internal::kIsInteger<T>, int> = 0>
  ParquetInteger(T value) noexcept {
    words[0] = static_cast<uint64_t>(value);
    if constexpr (std::is_signed_v<T>) words[1] = words[2] = words[3] = value < 0 ? ~uint64_t{0} : uint64_t{0};
  }
  // Makes one of 128 bits and a sign: FromHalves(static_cast<int64_t>(v >> 64), static_cast<uint64_t>(v)). Set
  // words[0] and words[1] for a number without a sign: the highest bit would make it negative here.
  static ParquetInteger FromHalves(int64_t high, uint64_t low) noexcept;
  // Reads big-endian two's complement bytes, as DECIMAL stores them; no bytes are 0. It is false, and *integer is
  // untouched, if the number needs more than 256 bits.
  static bool FromBigEndian(const void* bytes, size_t size, ParquetInteger* integer) noexcept;
};

// A value of a query. It refers to the bytes of a text, so it must not outlive them.
struct LINEFILTER_EXPORT ParquetValue {
  // One for each function below.
  enum class Kind : uint8_t {
    kNull,       // no value: what a ParquetValue is by itself
    kInteger,    // see Integer
    kDecimal,    // see Decimal
    kFloat,      // see Float
    kDouble,     // see Double
    kText,       // see Text
    kBytes,      // see Bytes
    kUuid,       // see Uuid
    kDate,       // see Date
    kTime,       // see Time
    kTimestamp,  // see Timestamp
  };

  Kind kind = Kind::kNull;                          // null is in no filter: "maybe"
  bool is_utc = false;                              // kTime, kTimestamp
  ParquetTimeUnit unit = ParquetTimeUnit::kMicros;  // kTime, kTimestamp
  int32_t scale = 0;                                // kDecimal
  ParquetInteger integer;       // kInteger, kDecimal (unscaled), kDate (days), kTime and kTimestamp (count of units)
  double real = 0;              // kFloat, kDouble
  std::string_view bytes;       // kText, kBytes
  unsigned char uuid[16] = {};  // kUuid

  // Makes an integer of any width and sign.
  static ParquetValue Integer(const ParquetInteger& value) noexcept;
  // Makes unscaled * 10^-scale: 12.34 is Decimal(1234, 2).
  static ParquetValue Decimal(const ParquetInteger& unscaled, int32_t scale) noexcept;
  // Float is for a constant that is compared as FLOAT, Double for one that is compared as DOUBLE. More integers and
  // decimals are rounded to the same FLOAT.
  static ParquetValue Float(float value) noexcept;
  static ParquetValue Double(double value) noexcept;  // see Float
  // Takes UTF-8, for columns of text and of UUID.
  static ParquetValue Text(std::string_view text) noexcept;
  // Takes the bytes that the column stores, without any escape.
  static ParquetValue Bytes(const void* bytes, size_t size) noexcept;
  // Takes 16 bytes in the order of the text: 00112233-... begins with 00 11 22 33.
  static ParquetValue Uuid(const void* bytes) noexcept;
  // Counts days since 1970-01-01.
  static ParquetValue Date(int64_t days) noexcept;
  // Counts since midnight. is_utc must be that of the column.
  static ParquetValue Time(int64_t count, ParquetTimeUnit unit, bool is_utc) noexcept;
  // Counts since 1970-01-01 00:00. is_utc tells an instant from a local time: only a time zone would compare the two.
  static ParquetValue Timestamp(int64_t count, ParquetTimeUnit unit, bool is_utc) noexcept;
};

// Why an answer is what it is.
enum class ParquetReason : uint8_t {
  kAsked,            // the filter was asked for every form of the value
  kNull,             // "maybe": null is in no filter
  kNan,              // "maybe": NaN has many forms
  kInexact,          // "maybe": the value is rounded where it is compared with the column, or the column is
  kOtherKind,        // "maybe": a value of this kind is not compared with such a column
  kUnsupportedType,  // "maybe": the type has no filter, or is none that this version knows
  kNoFilter,         // "maybe": the filter is broken, or was never made
  kOtherHash,        // "maybe": the filter has another hash than Parquet's
  kOutOfRange,       // "absent": the type of the column cannot hold the value; no filter was asked, so a broken one has
                     // this answer, too
};

// An answer, and why.
struct ParquetAnswer {
  bool may_contain = true;                       // false: absent
  ParquetReason reason = ParquetReason::kAsked;  // see there
  const char* message = "";                      // the reason in a sentence, which lives as long as the program
};

// A ParquetQuestion is a value for a column of some type, to be asked of any number of filters, for example those of
// all row groups. It has some 300 bytes, is copyable, and refers to nothing.
class LINEFILTER_EXPORT ParquetQuestion {
 public:
  // Finds the forms; it refers to neither afterwards.
  ParquetQuestion(const ParquetColumnType& type, const ParquetValue& value) noexcept;

  // Whether a filter may have the value: one of hash id kParquet, of any layout. All others answer "maybe".
  bool MayContain(const FilterBase& filter) const noexcept { return Ask(filter).may_contain; }
  // The same, with the reason.
  ParquetAnswer Ask(const FilterBase& filter) const noexcept;

  // The answer without a filter: "maybe" with reason kAsked if a filter is to be asked, else what Ask will say.
  const ParquetAnswer& decided() const noexcept { return decided_; }
  // The hashes of the forms of the value: none if the question is decided, mostly one, two for zero in floating point.
  const uint64_t* hashes() const noexcept { return hashes_; }
  size_t num_hashes() const noexcept { return num_hashes_; }  // see hashes

  // The most forms that a value has: the lengths of 0 as a decimal in BYTE_ARRAY, 0 to 32.
  static constexpr size_t kMostHashes = 33;

 private:
  ParquetAnswer decided_;
  size_t num_hashes_ = 0;
  uint64_t hashes_[kMostHashes];
};

// Asks one filter for one value.
LINEFILTER_EXPORT ParquetAnswer MayContain(const FilterBase& filter, const ParquetColumnType& type,
                                           const ParquetValue& value) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_PARQUET_TYPES_H_
