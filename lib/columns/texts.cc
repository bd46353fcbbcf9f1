// The hashes of texts. Small groups of rows become std::string_view, whatever the layout of the column, take their
// form, and are hashed together.
#include <string_view>

#include "lib/columns/chunk.h"
#include "lib/columns/value_at.h"

namespace linefilter::internal {
namespace {

constexpr size_t kGroup = kMaxTexts;  // 4 KB of views, and as many of canonical ones

// The texts of a column by their layout. A text that cannot be is said to be so by a null pointer with a size.
constexpr std::string_view Impossible() { return std::string_view(nullptr, 1); }
unsigned IsImpossible(std::string_view text) { return unsigned{text.data() == nullptr} & unsigned{!text.empty()}; }

// One of two texts, by a bit and without a branch: no CPU predicts nulls.
std::string_view Chosen(unsigned second, std::string_view text, std::string_view other) {
  const uintptr_t mask = uintptr_t{0} - second;
  const uintptr_t place = reinterpret_cast<uintptr_t>(text.data());
  const uintptr_t place_of_other = reinterpret_cast<uintptr_t>(other.data());
  return std::string_view(reinterpret_cast<const char*>(place ^ ((place ^ place_of_other) & mask)),
                          text.size() ^ ((text.size() ^ other.size()) & mask));
}

template <class Offset>
std::string_view TextOfOffsets(const ColumnData& data, size_t i) {
  const Offset begin = At<Offset>(data.values, i), end = At<Offset>(data.values, i + 1);
  if (begin < 0 || end < begin) return Impossible();
  return std::string_view(static_cast<const char*>(data.bytes) + begin, static_cast<size_t>(end - begin));
}

// Both kinds of views keep up to 12 bytes beside their length.
constexpr size_t kViewBytes = 16, kMostInside = 12;

// In place of a view of more bytes: outside(view, size).
template <class Outside>
std::string_view TextOfView(const ColumnData& data, size_t i, const Outside& outside) {
  const char* const view = static_cast<const char*>(data.values) + i * kViewBytes;
  const int32_t size = At<int32_t>(view, 0);
  if (size < 0) return Impossible();
  if (static_cast<size_t>(size) <= kMostInside) return std::string_view(view + 4, static_cast<size_t>(size));
  return outside(view, static_cast<size_t>(size));
}

std::string_view TextOfPointer(const ColumnData& data, size_t i) {
  return TextOfView(data, i,
                    [](const char* view, size_t size) { return std::string_view(At<const char*>(view + 8, 0), size); });
}

std::string_view TextOfBuffer(const ColumnData& data, size_t i) {
  return TextOfView(data, i, [&data](const char* view, size_t size) {
    const int32_t buffer = At<int32_t>(view, 2), offset = At<int32_t>(view, 3);
    if (buffer < 0 || offset < 0 || static_cast<size_t>(buffer) >= data.width) return Impossible();
    const char* const bytes = static_cast<const char* const*>(data.bytes)[buffer];
    return bytes == nullptr ? Impossible() : std::string_view(bytes + offset, size);
  });
}

std::string_view TextOfWidth(const ColumnData& data, size_t i) {
  return std::string_view(static_cast<const char*>(data.values) + i * data.width, data.width);
}

std::string_view WithoutSpacesAtTheEnd(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Views of n rows of the chunk from row `begin` on, by text_at(data, place); false if a text cannot be. text_at looks
// at the row's own place alone, so it may be asked for a null, in whose place `of_null` stands.
template <class TextAt>
bool MakeViewsBy(const TextAt& text_at, const ColumnData& data, const RowChunk& chunk, const RowBits* nulls,
                 std::string_view of_null, size_t begin, size_t n, std::string_view* views) {
  size_t num_impossible = 0;
  if (nulls != nullptr || chunk.rows != nullptr) {
    for (size_t i = 0; i < n; ++i) {
      const unsigned is_null = nulls != nullptr && (*nulls)[begin + i] ? 1 : 0;
      views[i] = Chosen(is_null, text_at(data, data.first + chunk.row(begin + i)), of_null);
      num_impossible += IsImpossible(views[i]);
    }
  } else {
    const size_t first = data.first + chunk.first + begin;
    for (size_t i = 0; i < n; ++i) {
      views[i] = text_at(data, first + i);
      num_impossible += IsImpossible(views[i]);
    }
  }
  return num_impossible == 0;
}

bool MakeViews(const Column& column, const RowChunk& chunk, const RowBits* nulls, size_t begin, size_t n,
               std::string_view* views) {
  const ColumnData& data = column.data();
  // Hashes of nulls are not looked at. That of one byte takes least; a function of the caller gets no byte.
  const std::string_view of_null("", column.form() == KeyForm::kCanonicalText ? 0 : 1);
  const auto make = [&](const auto& text_at) {
    return MakeViewsBy(text_at, data, chunk, nulls, of_null, begin, n, views);
  };
  switch (data.type) {
    case ColumnType::kFixedBytes:
      return make([](const ColumnData& d, size_t i) { return TextOfWidth(d, i); });
    case ColumnType::kText32:
      return make([](const ColumnData& d, size_t i) { return TextOfOffsets<int32_t>(d, i); });
    case ColumnType::kText64:
      return make([](const ColumnData& d, size_t i) { return TextOfOffsets<int64_t>(d, i); });
    case ColumnType::kViews:
      return make([](const ColumnData& d, size_t i) { return TextOfBuffer(d, i); });
    case ColumnType::kPointerViews:
      return make([](const ColumnData& d, size_t i) { return TextOfPointer(d, i); });
    default:
      return make([](const ColumnData& d, size_t i) { return static_cast<const std::string_view*>(d.values)[i]; });
  }
}

// A function of C finds itself and its context in the column.
bool MakeCanonical(const Column& column, const std::string_view* texts, size_t n, std::string_view* canonical) {
  const Canonicalizer& canonicalizer = column.canonicalizer();
  void* const context = column.data().callee != nullptr ? const_cast<Column*>(&column) : canonicalizer.context;
  return canonicalizer.make(context, texts, n, canonical);
}

}  // namespace

Fault HashTexts(const Column& column, const KeyHash& key_hash, const RowChunk& chunk, const RowBits* nulls,
                uint64_t* hashes) {
  std::string_view views[kGroup], canonical[kGroup];
  for (size_t begin = 0, n; begin < chunk.n; begin += n) {
    n = chunk.n - begin < kGroup ? chunk.n - begin : kGroup;
    if (!MakeViews(column, chunk, nulls, begin, n, views)) {
      return "the place of a text lies outside, or its length is negative";
    }
    const std::string_view* texts = views;
    if (column.form() == KeyForm::kPaddedText) {
      for (size_t i = 0; i < n; ++i) views[i] = WithoutSpacesAtTheEnd(views[i]);
    } else if (column.form() == KeyForm::kCanonicalText) {
      if (!MakeCanonical(column, views, n, canonical)) {
        return "the function that makes canonical texts could not make them";
      }
      texts = canonical;
    }
    key_hash.OfKeys(texts, n, hashes + begin);
  }
  return nullptr;
}

}  // namespace linefilter::internal
