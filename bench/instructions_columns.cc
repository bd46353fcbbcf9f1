// Rows of linefilter_instructions: columns in, row numbers out (linefilter/columns.h), in vectors of 2,048 rows.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/instructions.h"
#include "linefilter/builder.h"
#include "linefilter/columns.h"
#include "linefilter/target.h"
#include "linefilter/view.h"

namespace linefilter::bench {
namespace {

constexpr size_t kVector = 2048, kRows = 10 * kVector, kValues = 1000;

void Check(const Status& status) {
  if (status.ok()) return;
  fprintf(stderr, "linefilter_instructions: %s\n", status.message());
  abort();
}

// Columns of as many rows: integers, words of 2 to 24 letters whose lengths come in no order, indices into the words.
struct ColumnData {
  ColumnData() {
    for (uint64_t i = 0; i < kRows + 32; ++i) text += static_cast<char>(MixHash(i));
    for (uint64_t i = 0; i < kRows; ++i) {
      numbers.push_back(static_cast<int64_t>(MixHash(i)));
      words.push_back(std::string_view(text).substr(i, 2 + MulHigh(MixHash(i), 23)));
      indices.push_back(static_cast<int32_t>(MulHigh(MixHash(i), kValues)));
    }
    number = Column::OfNumbers(numbers.data(), kRows);
    word = Column::OfTexts(words.data(), kRows);
    values = word.Slice(0, kValues);
    dictionary = Column::OfDictionary(Column::OfNumbers(indices.data(), kRows), &values);
  }

  std::string text;
  std::vector<int64_t> numbers;
  std::vector<std::string_view> words;
  std::vector<int32_t> indices;
  Column number, word, values, dictionary;
};

// A filter of the first half of the rows of a column.
struct Asked {
  Asked(Layout layout, const Column& members) {
    FilterOptions options = FilterOptions::AtBitsPerKey(10);
    options.layout = layout;
    FilterBuilder builder(options);
    Check(AddColumn(members.Slice(0, kRows / 2), &builder));
    Check(builder.Finish(&image));
    Check(view.Open(image.data(), image.size(), VerifyMode::kTrusted));
  }
  std::string image;
  FilterView view;
  std::vector<uint32_t> rows = std::vector<uint32_t>(kRows);
  size_t num_rows = 0;
};

// Selects the rows of a column by calls for `vector` rows each: so many are members, and few others stay.
InstructionRow Selection(const std::string& name, const std::shared_ptr<Asked>& asked,
                         const std::shared_ptr<ColumnData>& data, const Column& column, size_t vector,
                         size_t num_members, const char* target) {
  const std::string forced = target;
  const auto prepare = [=] {
    Check(ForceTarget(forced.c_str()));
    asked->num_rows = 0;
  };
  const auto run = [=] {
    for (size_t i = 0; i < kRows; i += vector) {
      size_t n = 0;
      const uint32_t* const all = nullptr;
      Check(SelectMaybes(asked->view, column.Slice(i, vector), all, vector, asked->rows.data(), &n));
      asked->num_rows += n;
    }
  };
  const auto right = [=, keep = data] {
    return asked->num_rows >= num_members && asked->num_rows <= num_members + kRows / 30;
  };
  return {name + "/" + target, kRows, prepare, run, right};
}

}  // namespace

void AddColumns(const char* target, InstructionRows* rows) {
  const auto data = std::make_shared<ColumnData>();
  for (const Layout layout : {Layout::kSplitBlock, Layout::kBlocked, Layout::kRetrieval}) {
    const auto asked = std::make_shared<Asked>(layout, data->number);
    const std::string name = std::string("select_int64/") + LayoutName(layout);
    rows->push_back(Selection(name, asked, data, data->number, kVector, kRows / 2, target));
  }
  const auto asked = std::make_shared<Asked>(Layout::kBlocked, data->word);
  rows->push_back(Selection("select_text/blocked", asked, data, data->word, kVector, kRows / 2, target));
  rows->push_back(Selection("select_dictionary/blocked", asked, data, data->dictionary, kRows, kRows, target));
}

}  // namespace linefilter::bench
