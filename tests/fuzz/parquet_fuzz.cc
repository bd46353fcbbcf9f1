// Any bytes as a Bloom filter of a Parquet file: a view takes exactly what the reference takes and answers as it does;
// what cannot be read answers "maybe" to every question; nothing outside the bytes is read. And any value, asked of any
// type of column: what the column stores of an integer or of bytes is not lost, and nothing goes wrong with the rest.
//
// The bytes are those of the input, or a good header with changes that the input orders. They touch a guard page in
// front or behind, at every alignment.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/guarded_bytes.h"
#include "tests/reference/parquet.h"

namespace linefilter::fuzz {
namespace {

constexpr size_t kMostBytes = size_t{1} << 16;
constexpr size_t kQuestions = 8;

using reference::HeaderVerdict;

StatusCode CodeOf(const reference::ParquetHeader& header, size_t size) {
  if (header.verdict == HeaderVerdict::kUnknown) return StatusCode::kUnsupported;
  const bool is_whole = header.verdict == HeaderVerdict::kGood && header.header_bytes + header.bitset_bytes <= size;
  return is_whole ? StatusCode::kOk : StatusCode::kCorrupt;
}

void OpenAndAsk(const uint8_t* bytes, size_t size, uint64_t seed) {
  const reference::ParquetHeader expected = reference::ReadParquetHeader(bytes, size);
  const ParquetFilterView view(bytes, size);
  const StatusCode code = view.status().code();
  FUZZ_REQUIRE(code == CodeOf(expected, size));
  const uint64_t needed = ParquetBytesNeeded(bytes, size);
  if (expected.verdict == HeaderVerdict::kGood) {
    FUZZ_REQUIRE(needed == expected.header_bytes + expected.bitset_bytes);
  } else {
    FUZZ_REQUIRE(expected.verdict == HeaderVerdict::kCut ? needed > size : needed == 0);
  }
  uint64_t hashes[kQuestions];
  uint8_t answers[kQuestions];
  for (size_t i = 0; i < kQuestions; ++i) hashes[i] = MixHash(seed + i);
  view.MayContainHashes(hashes, kQuestions, answers);
  for (size_t i = 0; i < kQuestions; ++i) {
    const bool maybe = code != StatusCode::kOk ||
                       reference::ParquetMayContain(bytes + expected.header_bytes, expected.bitset_bytes, hashes[i]);
    FUZZ_REQUIRE(view.MayContainHash(hashes[i]) == maybe && (answers[i] != 0) == maybe);
  }
  if (code != StatusCode::kOk) {
    FUZZ_REQUIRE(view.ExpectedFpr() == 1 && view.filter_bytes() == 0 && ParquetFilterBytes(view) == 0);
    return;
  }
  FUZZ_REQUIRE(view.filter_bytes() == needed && view.header_bytes() == expected.header_bytes);
  std::string file;
  FUZZ_REQUIRE(AppendParquetFilter(view, &file).ok());
  const std::string_view bitset(reinterpret_cast<const char*>(view.body()), view.body_bytes());
  FUZZ_REQUIRE(file.size() >= bitset.size() && std::string_view(file).substr(file.size() - bitset.size()) == bitset);
}

std::string HeaderOf(Input* in, uint8_t how) {
  if (how % 4 == 0) return std::string(in->Take(kMostBytes));
  std::string bytes("\x15\x80\x01\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 16);
  bytes.append(64, static_cast<char>(how));
  for (uint8_t changes = in->Byte() % 8; changes != 0; --changes) {
    const size_t at = in->Below(32);
    if (in->Byte() % 2 == 0) {
      bytes[at] = static_cast<char>(in->Byte());
    } else {
      bytes.insert(at, in->Take(in->Below(16)));
    }
  }
  return bytes;
}

ParquetColumnType TypeOf(Input* in) {
  ParquetColumnType type;
  type.physical = static_cast<ParquetPhysicalType>(in->Byte() % 9);
  type.logical = static_cast<ParquetLogicalType>(in->Byte() % 20);
  type.type_length = static_cast<int32_t>(in->Number(4));
  if (in->Byte() % 4 != 0) type.type_length &= 31;
  type.precision = static_cast<int8_t>(in->Byte());
  type.scale = static_cast<int8_t>(in->Byte());
  type.bit_width = in->Byte() & 0x78;
  type.is_signed = in->Byte() % 2 != 0;
  type.is_utc = in->Byte() % 2 != 0;
  type.unit = static_cast<ParquetTimeUnit>(in->Byte() % 5);
  return type;
}

// A value of any kind. The bytes are those of the input.
ParquetValue ValueOf(Input* in) {
  ParquetValue value;
  value.kind = static_cast<ParquetValue::Kind>(in->Byte() % 12);
  value.is_utc = in->Byte() % 2 != 0;
  value.unit = static_cast<ParquetTimeUnit>(in->Byte() % 5);
  value.scale = in->Byte() % 8 == 0 ? static_cast<int32_t>(in->Number(4)) : static_cast<int8_t>(in->Byte());
  const std::string_view number = in->Take(in->Below(40));
  (void)ParquetInteger::FromBigEndian(number.data(), number.size(), &value.integer);
  const uint64_t bits = in->Number(8);
  memcpy(&value.real, &bits, sizeof(value.real));
  value.bytes = in->Rest();
  return value;
}

void RequireSane(const ParquetQuestion& question, const FilterBase& filter) {
  const bool is_asked = question.decided().reason == ParquetReason::kAsked;
  FUZZ_REQUIRE(question.num_hashes() <= ParquetQuestion::kMostHashes && is_asked == (question.num_hashes() != 0));
  FUZZ_REQUIRE(question.decided().may_contain == (question.decided().reason != ParquetReason::kOutOfRange));
  bool maybe = question.decided().may_contain && !is_asked;
  for (size_t i = 0; i < question.num_hashes(); ++i) maybe = maybe || filter.MayContainHash(question.hashes()[i]);
  FUZZ_REQUIRE(question.MayContain(filter) == maybe);
}

void Question(Input* in) {
  const ParquetColumnType type = TypeOf(in);
  const ParquetValue value = ValueOf(in);
  static const Filter* const filter = [] {
    Filter* const made = new Filter;
    FUZZ_REQUIRE(made->Create(4, ParquetFilterOptionsOfBytes(32)).ok());
    return made;
  }();
  RequireSane(ParquetQuestion(type, value), *filter);

  // What such a column stores, asked as what it is.
  const int64_t stored = static_cast<int64_t>(value.integer.words[0]);
  const ParquetQuestion as_integer(ParquetColumnType::Plain(ParquetPhysicalType::kInt64),
                                   ParquetValue::Decimal(value.integer, 0));
  const bool fits = value.integer.words[1] == (stored < 0 ? UINT64_MAX : 0) &&
                    value.integer.words[2] == value.integer.words[1] &&
                    value.integer.words[3] == value.integer.words[1];
  FUZZ_REQUIRE(as_integer.num_hashes() == (fits ? 1 : 0));
  FUZZ_REQUIRE(!fits || as_integer.hashes()[0] == ParquetHashInt64(stored));
  const ParquetQuestion as_double(ParquetColumnType::Plain(ParquetPhysicalType::kDouble),
                                  ParquetValue::Double(value.real));
  const bool is_nan = value.real != value.real;
  FUZZ_REQUIRE(is_nan ? as_double.num_hashes() == 0 : as_double.hashes()[0] == ParquetHashDouble(value.real));
}

}  // namespace

void Parquet(const uint8_t* data, size_t size) {
  static GuardedBytes memory(2 * kMostBytes);
  Input in(data, size);
  const uint8_t how = in.Byte(), where = in.Byte();
  if (how % 2 != 0) return Question(&in);
  const std::string bytes = HeaderOf(&in, how);
  OpenAndAsk(memory.Place(bytes, where), bytes.size(), in.Number(8));
}

}  // namespace linefilter::fuzz
