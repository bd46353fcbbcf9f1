// Rows of integers are measured in three ways: the selection; a batch of the same filter with hashes that are ready;
// and the loop that engines write. That hashes a value, asks for it and appends its row.
#include <benchmark/benchmark.h>

#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/columns/rows.h"
#include "bench/memory.h"
#include "bench/plan.h"
#include "linefilter/builder.h"
#include "linefilter/columns.h"
#include "linefilter/target.h"
#include "linefilter/view.h"

namespace linefilter::bench {
namespace {

constexpr int kPercents[] = {1, 50, 99};
constexpr const char* kWhats[] = {"select", "batch", "engine_loop"};

// An image at 10 bits per key, in huge pages, and a view of it on each target.
struct Built {
  Built(Layout layout, const std::vector<int64_t>& members) {
    FilterOptions options = FilterOptions::AtBitsPerKey(kBitsPerKey);
    options.layout = layout;
    FilterBuilder builder(options);
    Check(AddColumn(Column::OfNumbers(members.data(), members.size()), &builder));
    image = std::make_unique<HugeBuffer>(builder.ImageBytes());
    Check(builder.FinishTo(image->data(), image->size(), &size));
  }
  const FilterView* ViewOn(const std::string& target) {
    Check(ForceTarget(target.c_str()));
    views.emplace_back();
    Check(views.back().Open(image->data(), size, VerifyMode::kTrusted));
    return &views.back();
  }
  std::unique_ptr<HugeBuffer> image;
  size_t size = 0;
  std::list<FilterView> views;
};

// Values of which so many of a hundred are members, and their hashes.
struct Probes {
  Probes(const std::vector<int64_t>& members, size_t num_rows, int percent, const KeyHash& hash)
      : values(RandomValues(num_rows, 77)), hashes(num_rows) {
    std::mt19937_64 random(78);
    for (int64_t& value : values) {
      if (static_cast<int>(random() % 100) < percent) value = members[random() % members.size()];
    }
    column = Column::OfNumbers(values.data(), num_rows);
    Check(HashColumns(column, hash, hashes.data()));
  }
  std::vector<int64_t> values;
  std::vector<uint64_t> hashes;
  Column column;
};

void RunBatch(const FilterView& view, const Probes& probes) {
  static std::vector<uint8_t> bits(kManyRows / 8);
  view.MayContainHashesToBits(probes.hashes.data(), probes.hashes.size(), bits.data());
  benchmark::DoNotOptimize(bits[0]);
}

void RunEngineLoop(const FilterView& view, const Probes& probes) {
  static std::vector<uint32_t> rows(kManyRows);
  size_t n = 0;
  for (size_t i = 0; i < probes.values.size(); ++i) {
    rows[n] = static_cast<uint32_t>(i);  // no branch, as engines avoid it
    n += view.MayContainKey(probes.values[i]) ? 1 : 0;
  }
  benchmark::DoNotOptimize(n + rows[0]);
}

std::function<void()> RunOf(const std::string& what, const std::shared_ptr<const FilterView>& view,
                            const std::shared_ptr<const Probes>& probes) {
  if (what == "select") return [=] { benchmark::DoNotOptimize(SelectAll(*view, probes->column, kVector)); };
  if (what == "batch") return [=] { RunBatch(*view, *probes); };
  return [=] { RunEngineLoop(*view, *probes); };
}

}  // namespace

std::string ColumnRowName::Text() const {
  return what + "/" + layout + "/" + size + "/" + (percent < 0 ? "none" : std::to_string(percent));
}

std::vector<int64_t> RandomValues(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> values(n);
  for (int64_t& value : values) value = static_cast<int64_t>(random());
  return values;
}

size_t SelectAll(const FilterBase& filter, const Column& column, size_t vector) {
  static std::vector<uint32_t> rows(kRows);
  const uint32_t* const all = nullptr;
  size_t sum = 0;
  for (size_t i = 0; i < column.size(); i += vector) {
    size_t n = 0;
    Check(SelectMaybes(filter, column.Slice(i, vector), all, vector, rows.data(), &n));
    sum += n;
  }
  return sum;
}

std::vector<ColumnRow> Selections(Layout layout, uint64_t bytes, const Choice& choice, std::vector<int64_t>* members) {
  std::vector<ColumnRowName> names;
  for (const int percent : kPercents) {
    for (const char* what : kWhats) {
      const ColumnRowName name{what, LayoutName(layout), SizeName(bytes), percent, {}};
      if (choice.wants(name.Text())) names.push_back(name);
    }
  }
  const size_t num_rows = bytes > (uint64_t{64} << 20) ? kManyRows : kRows;
  std::vector<ColumnRow> rows;
  if (names.empty()) return rows;  // to make the filter takes seconds
  if (members->empty()) *members = RandomValues(static_cast<size_t>(static_cast<double>(bytes) * 8 / kBitsPerKey), 1);
  const auto built = std::make_shared<Built>(layout, *members);
  std::map<int, std::shared_ptr<const Probes>> probes;
  for (const std::string& target : choice.targets) {
    const std::shared_ptr<const FilterView> view(built, built->ViewOn(target));  // keeps all of `built`
    for (ColumnRowName name : names) {
      auto& of_percent = probes[name.percent];
      if (of_percent == nullptr)
        of_percent = std::make_shared<Probes>(*members, num_rows, name.percent, view->key_hash());
      name.target = target;
      rows.push_back({name, num_rows, RunOf(name.what, view, of_percent), {}});
    }
  }
  return rows;
}

}  // namespace linefilter::bench
