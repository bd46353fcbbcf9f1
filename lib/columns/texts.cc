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

// One of two places or texts, by a bit and without a branch: no CPU predicts nulls.
const char* Chosen(unsigned second, const char* place, const char* other) {
  const uintptr_t of_first = reinterpret_cast<uintptr_t>(place), of_other = reinterpret_cast<uintptr_t>(other);
  return reinterpret_cast<const char*>(of_first ^ ((of_first ^ of_other) & (uintptr_t{0} - second)));
}
std::string_view Chosen(unsigned second, std::string_view text, std::string_view other) {
  return std::string_view(Chosen(second, text.data(), other.data()),
                          text.size() ^ ((text.size() ^ other.size()) & (uintptr_t{0} - second)));
}

// Layouts of texts: a row has its entry every kEntryBytes of data.values, and Text makes its text of that.
template <class Offset>
struct Offsets {
  static constexpr size_t kEntryBytes = sizeof(Offset);
  static std::string_view Text(const ColumnData& data, const char* entry) {
    const Offset begin = At<Offset>(entry, 0), end = At<Offset>(entry, 1);
    if (begin < 0 || end < begin) return Impossible();
    return std::string_view(static_cast<const char*>(data.bytes) + begin, static_cast<size_t>(end - begin));
  }
};

// Both kinds of views keep up to 12 bytes beside their length. A longer one's bytes are elsewhere.
constexpr size_t kViewBytes = 16, kMostInside = 12;

template <class Elsewhere>
std::string_view TextOfView(const char* view, const Elsewhere& elsewhere) {
  const int32_t size = At<int32_t>(view, 0);
  if (size < 0) return Impossible();
  if (static_cast<size_t>(size) <= kMostInside) return std::string_view(view + 4, static_cast<size_t>(size));
  return elsewhere(static_cast<size_t>(size));
}

struct PointerViews {
  static constexpr size_t kEntryBytes = kViewBytes;
  static std::string_view Text(const ColumnData&, const char* view) {
    return TextOfView(view, [=](size_t size) { return std::string_view(At<const char*>(view + 8, 0), size); });
  }
};

struct BufferViews {
  static constexpr size_t kEntryBytes = kViewBytes;
  static std::string_view Text(const ColumnData& data, const char* view) {
    return TextOfView(view, [&](size_t size) {
      const int32_t buffer = At<int32_t>(view, 2), offset = At<int32_t>(view, 3);
      if (buffer < 0 || offset < 0 || static_cast<size_t>(buffer) >= data.width) return Impossible();
      const char* const bytes = static_cast<const char* const*>(data.bytes)[buffer];
      return bytes == nullptr ? Impossible() : std::string_view(bytes + offset, size);
    });
  }
};

struct StringViews {
  static constexpr size_t kEntryBytes = sizeof(std::string_view);
  static std::string_view Text(const ColumnData&, const char* entry) { return At<std::string_view>(entry, 0); }
};

std::string_view WithoutSpacesAtTheEnd(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Views of n rows of the chunk from row `begin` on; false if a text cannot be. What lies at a null was perhaps never
// written, so an entry of zeros is read in its place: the empty text in each layout. Then it becomes `of_null`.
template <class Layout>
bool MakeViewsOf(const ColumnData& data, const RowChunk& chunk, const RowBits* nulls, std::string_view of_null,
                 size_t begin, size_t n, std::string_view* views) {
  alignas(16) static const char kEmpty[2 * kViewBytes] = {};
  static_assert(2 * Layout::kEntryBytes <= sizeof(kEmpty));
  size_t num_impossible = 0;
  const char* const entries = static_cast<const char*>(data.values) + data.first * Layout::kEntryBytes;
  if (nulls != nullptr || chunk.rows != nullptr) {
    for (size_t i = 0; i < n; ++i) {
      const unsigned is_null = nulls != nullptr && (*nulls)[begin + i] ? 1 : 0;
      const char* const entry = Chosen(is_null, entries + chunk.row(begin + i) * Layout::kEntryBytes, kEmpty);
      views[i] = Chosen(is_null, Layout::Text(data, entry), of_null);
      num_impossible += IsImpossible(views[i]);
    }
  } else {
    const char* const of_first = entries + (chunk.first + begin) * Layout::kEntryBytes;
    for (size_t i = 0; i < n; ++i) {
      views[i] = Layout::Text(data, of_first + i * Layout::kEntryBytes);
      num_impossible += IsImpossible(views[i]);
    }
  }
  return num_impossible == 0;
}

void MakeViewsOfFixedBytes(const ColumnData& data, const RowChunk& chunk, const RowBits* nulls,
                           std::string_view of_null, size_t begin, size_t n, std::string_view* views) {
  for (size_t i = 0; i < n; ++i) {
    const size_t row = data.first + chunk.row(begin + i);
    const std::string_view text(static_cast<const char*>(data.values) + row * data.width, data.width);
    views[i] = Chosen(nulls != nullptr && (*nulls)[begin + i] ? 1 : 0, text, of_null);
  }
}

bool MakeViews(const Column& column, const RowChunk& chunk, const RowBits* nulls, size_t begin, size_t n,
               std::string_view* views) {
  const ColumnData& data = column.data();
  // Hashes of nulls are not looked at. That of one byte takes least; a function of the caller gets no byte.
  const std::string_view of_null("", column.form() == KeyForm::kCanonicalText ? 0 : 1);
  switch (data.type) {
    case ColumnType::kFixedBytes:
      MakeViewsOfFixedBytes(data, chunk, nulls, of_null, begin, n, views);
      return true;
    case ColumnType::kText32:
      return MakeViewsOf<Offsets<int32_t>>(data, chunk, nulls, of_null, begin, n, views);
    case ColumnType::kText64:
      return MakeViewsOf<Offsets<int64_t>>(data, chunk, nulls, of_null, begin, n, views);
    case ColumnType::kViews:
      return MakeViewsOf<BufferViews>(data, chunk, nulls, of_null, begin, n, views);
    case ColumnType::kPointerViews:
      return MakeViewsOf<PointerViews>(data, chunk, nulls, of_null, begin, n, views);
    default:
      return MakeViewsOf<StringViews>(data, chunk, nulls, of_null, begin, n, views);
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
