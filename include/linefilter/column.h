// A Column is a borrowed view of a typed array, as engines and Arrow have it, and says when two of its values are
// equal. linefilter/columns.h hashes columns, asks filters for them and adds them.
//
//   linefilter::Column ids = linefilter::Column::OfNumbers(values, n);  // 8 to 64 bits, float or double
//   ids.SetValidity(bits, first_bit);                                   // a 1 for each row that is not null
//   linefilter::Status status = ids.SetForm(linefilter::KeyForm::kReal);  // it is joined with a column of doubles
//
// A filter compares bytes. A join compares values: 2 of INT32 and 2.0 of DOUBLE are equal, and so are 1.5 of two
// decimal scales. Were these hashed as they lie, members would be "absent". So a column has a KeyForm, which tells what
// each value becomes before it is hashed: equal values become the same bytes. Both sides of a join take the same form.
// A filter remembers the form of the columns that were added to it, in its image, too; a column of another form is
// refused. (`doc/guide/columns.md` has a table of the types that SQL compares.)
//
// Nothing is copied: arrays, validity and dictionaries stay as long as the column or a copy of it is used. A column may
// be read by many threads. Arrays of numbers need no alignment. Columns of Arrow are made by linefilter/arrow.h.
#ifndef LINEFILTER_COLUMN_H_
#define LINEFILTER_COLUMN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "linefilter/internal/column_data.h"
#include "linefilter/internal/compiler.h"
#include "linefilter/internal/export.h"
#include "linefilter/status.h"

namespace linefilter {

// What the values of a column become before they are hashed (doc/FORMAT.md section 13). Ids are never reused.
enum class KeyForm : uint8_t {
  kUnknown = 0,        // nobody said
  kText = 1,           // the bytes
  kInteger = 2,        // the integer, widened to 64 bits: HashKey's integer key
  kReal = 3,           // the double; a float and an integer are widened to it. -0.0 is 0.0, and all NaN are one key.
                       // (Engines round an integer to FLOAT where they compare the two: cast both to double first)
  kInstant = 4,        // nanoseconds, modulo 2^64: days, seconds, ... and microseconds of one instant are one key
  kPaddedText = 5,     // the bytes without the spaces at their end, as SQL compares CHAR
  kCanonicalText = 6,  // the bytes that a function of the caller makes, such as those of a collation's key
  kDecimal = 0x20,     // DecimalForm(scale): the value times 10^scale, modulo 2^64; scales of 1 to 38
};

// The form of decimals that are compared at this scale, 0 to 38: take the larger scale of the two columns. That of
// scale 0 is kInteger. For another scale it is kUnknown, which SetForm refuses.
constexpr KeyForm DecimalForm(int scale) noexcept {
  if (scale == 0) return KeyForm::kInteger;
  return scale < 0 || scale > 38 ? KeyForm::kUnknown
                                 : static_cast<KeyForm>(static_cast<int>(KeyForm::kDecimal) + scale);
}

// "text", "integer", "real", "instant", "padded text", "canonical text", "decimal" or "unknown".
LINEFILTER_EXPORT const char* KeyFormName(KeyForm form) noexcept;

// What a null is.
enum class Nulls : uint8_t {
  kNever,    // no key: it is never selected and never added, as `=` of SQL has it
  kAlways,   // no key, and selected: somebody else decides about it. It is not added
  kAsValue,  // a key that equals itself alone, as IS NOT DISTINCT FROM of SQL has it
};

// The unit of a column of integers that are instants, dates or times of a day.
enum class TimeUnit : uint8_t {
  kDay,          // 86,400 seconds
  kSecond,       // 1e9 nanoseconds
  kMillisecond,  // 1e6 nanoseconds
  kMicrosecond,  // 1e3 nanoseconds
  kNanosecond,   // 1
};

// The most texts that a Canonicalizer gets at once.
inline constexpr size_t kMaxTexts = 256;

// Makes the canonical bytes of n texts, 1 to kMaxTexts: canonical[i] are those of texts[i]. What it points to must stay
// until the next call of the same thread. It returns false where it cannot: the rows are then selected, and are not
// added.
struct Canonicalizer {
  // The function.
  bool (*make)(void* context, const std::string_view* texts, size_t n, std::string_view* canonical) noexcept = nullptr;
  void* context = nullptr;  // handed to make, by all threads that ask
};

// It is copyable and has 128 bytes. A column of no rows needs no array.
class LINEFILTER_EXPORT Column {
 public:
  Column() noexcept;  // no rows
  Column(const Column& other) noexcept;
  Column& operator=(const Column& other) noexcept;
  // n nulls of any type.
  static Column OfNulls(size_t n) noexcept;

  // Integers of 8 to 64 bits (form kInteger), float and double (kReal).
  template <class T, std::enable_if_t<internal::kTypeOfNumber<T> != ColumnType::kNull, int> = 0>
  static Column OfNumbers(const T* values, size_t n) noexcept {
    constexpr ColumnType kType = internal::kTypeOfNumber<T>;
    return Column(kType, kType < ColumnType::kFloat ? KeyForm::kInteger : KeyForm::kReal, values, n);
  }
  // Integers that count a unit (kInstant). Days, seconds and the like of one instant are one key. Say
  // SetForm(kInteger) for the integers themselves.
  template <class T, std::enable_if_t<internal::kIsSigned32Or64<T>, int> = 0>
  static Column OfInstants(const T* values, size_t n, TimeUnit unit) noexcept {
    return OfInstants(internal::kTypeOfNumber<T>, values, n, unit);
  }
  // Integers that are a decimal times 10^scale, 0 to 38 (DecimalForm(scale)). Say SetForm(DecimalForm(s)) if the other
  // side has a larger scale s.
  template <class T, std::enable_if_t<internal::kIsSigned32Or64<T>, int> = 0>
  static Column OfDecimals(const T* values, size_t n, int scale) noexcept {
    return OfDecimals(internal::kTypeOfNumber<T>, values, n, scale);
  }
  // The same of 128 bits: 16 bytes each, as the machine has them.
  static Column OfDecimals128(const void* values, size_t n, int scale) noexcept {
    return OfDecimals(ColumnType::kInt128, values, n, scale);
  }
  // n values of `width` bytes each (kText).
  static Column OfFixedBytes(const void* values, size_t width, size_t n) noexcept;
  // Row i has the bytes from offsets[i] to offsets[i + 1] (kText). The offsets rise.
  static Column OfTexts(const int32_t* offsets, const void* bytes, size_t n) noexcept {
    return OfTexts(ColumnType::kText32, offsets, bytes, n);
  }
  static Column OfTexts(const int64_t* offsets, const void* bytes, size_t n) noexcept {
    return OfTexts(ColumnType::kText64, offsets, bytes, n);
  }
  static Column OfTexts(const std::string_view* texts, size_t n) noexcept {
    return OfTexts(ColumnType::kStringViews, texts, nullptr, n);
  }
  // 16 bytes for each row: a length of 32 bits, then up to 12 bytes of text, or its first 4 and a pointer to all of it
  // (kText). DuckDB has these.
  static Column OfPointerViews(const void* views, size_t n) noexcept {
    return OfTexts(ColumnType::kPointerViews, views, nullptr, n);
  }
  // The same as Arrow has them: in place of the pointer the number of a buffer and an offset into it.
  static Column OfViews(const void* views, const void* const* buffers, size_t num_buffers, size_t n) noexcept;

  // Row i has row indices[i] of `values`, which has its own validity, and a form that was set before. `indices` are
  // integers; a row of them may be null. `values` is none of these three, and stays as long as the column. An index
  // outside is kCorrupt when it is met: the rows around it all stay, or none of them is added.
  static Column OfDictionary(const Column& indices, const Column* values) noexcept;
  // Row i has row j of `values`, j being the first with i < run_ends[j].
  static Column OfRuns(const Column& run_ends, const Column* values, size_t n) noexcept;
  // n rows of the first value of `value`.
  static Column OfConstant(const Column* value, size_t n) noexcept;

  // Bit (first_bit + i) & 7 of byte (first_bit + i) >> 3 is 1 if row i is not null; null: no row is.
  void SetValidity(const uint8_t* bits, size_t first_bit = 0) noexcept;
  // What its nulls are; kNever unless told.
  void SetNulls(Nulls nulls) noexcept { nulls_ = nulls; }
  // Says how it is equal. kIncompatible says that its values cannot take that form, and why: a decimal none of a
  // smaller scale, a double no integer's, an integer of no known unit no instant's. (Set that of a dictionary on its
  // values.)
  Status SetForm(KeyForm form) noexcept;
  // The form kCanonicalText, of texts alone.
  Status SetCanonical(const Canonicalizer& canonicalizer) noexcept;

  // The rows first, first + 1, ... first + n - 1, as far as there are any.
  Column Slice(size_t first, size_t n) const noexcept;

  size_t size() const noexcept { return data_.size; }  // rows
  Nulls nulls() const noexcept { return nulls_; }      // see SetNulls
  KeyForm form() const noexcept { return form_; }      // see SetForm; kUnknown if there are nulls alone
  // Ok, or what was wrong with what it was made of. Then all rows stay, and none is added.
  Status status() const noexcept;

  // Only linefilter/arrow.h and the library itself use these.
  const internal::ColumnData& data() const noexcept { return data_; }
  const Canonicalizer& canonicalizer() const noexcept { return canonicalizer_; }

 private:
  friend class ArrowColumn;             // linefilter/arrow.h
  friend struct internal::ColumnMaker;  // lib/c/columns.h

  Column(ColumnType type, KeyForm form, const void* values, size_t n) noexcept;
  static Column OfInstants(ColumnType type, const void* values, size_t n, TimeUnit unit) noexcept;
  static Column OfDecimals(ColumnType type, const void* values, size_t n, int scale) noexcept;
  static Column OfTexts(ColumnType type, const void* values, const void* bytes, size_t n) noexcept;
  LINEFILTER_LOCAL static Column Around(ColumnType type, const Column* indices, const Column* inner, size_t n) noexcept;

  internal::ColumnData data_;
  Canonicalizer canonicalizer_;
  KeyForm form_ = KeyForm::kUnknown;
  Nulls nulls_ = Nulls::kNever;
};

}  // namespace linefilter

#endif  // LINEFILTER_COLUMN_H_
