// Any bytes as the footer of a Parquet file, as the program reads it: it ends with a sentence, or with a footer that
// fits together. Then each column is asked for a text of the input, by its type.
//
// The bytes are those of the input behind the text.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "linefilter/parquet_types.h"
#include "tests/fuzz/fuzz.h"
#include "tools/program/parquet/footer.h"
#include "tools/program/parquet/value.h"

namespace linefilter::fuzz {
namespace {

constexpr size_t kMostText = 64, kMostAsked = 64;

void Ask(const ParquetColumnType& type, const std::string& text) {
  std::string bytes, error;
  ParquetValue value;
  if (!tools::ParseParquetValue(type, text, &bytes, &value, &error)) return FUZZ_REQUIRE(!error.empty());
  const ParquetQuestion question(type, value);
  const bool is_asked = question.decided().reason == ParquetReason::kAsked;
  FUZZ_REQUIRE(question.num_hashes() <= ParquetQuestion::kMostHashes && is_asked == (question.num_hashes() != 0));
  FUZZ_REQUIRE(question.decided().may_contain || question.decided().reason == ParquetReason::kOutOfRange);
}

}  // namespace

void Footer(const uint8_t* data, size_t size) {
  Input in(data, size);
  const std::string text(in.Take(in.Below(kMostText)));
  const std::string_view rest = in.Rest();
  const std::unique_ptr<uint8_t[]> alone(new uint8_t[rest.size()]);  // nothing is behind it
  if (!rest.empty()) memcpy(alone.get(), rest.data(), rest.size());
  tools::ParquetFooter footer;
  const Status status = tools::ReadParquetFooter(alone.get(), rest.size(), &footer);
  if (!status.ok()) return FUZZ_REQUIRE(strlen(status.message()) > 40);
  FUZZ_REQUIRE(footer.chunks.size() == footer.columns.size() * footer.row_groups.size());
  uint64_t rows = 0;
  for (size_t i = 0; i < footer.row_groups.size(); ++i) {
    FUZZ_REQUIRE(footer.row_groups[i] >= 0);
    rows += static_cast<uint64_t>(footer.row_groups[i]);
    for (size_t column = 0; column < footer.columns.size(); ++column) {
      const tools::ParquetChunk& chunk = footer.Chunk(i, column);
      FUZZ_REQUIRE(chunk.is_encrypted || chunk.num_values >= 0);
    }
  }
  FUZZ_REQUIRE(rows == static_cast<uint64_t>(footer.num_rows));
  for (size_t i = 0; i < footer.columns.size() && i < kMostAsked; ++i) {
    FUZZ_REQUIRE(!tools::ParquetTypeName(footer.columns[i].type).empty());
    Ask(footer.columns[i].type, text);
  }
}

}  // namespace linefilter::fuzz
