#include "tools/demo/table.h"

#include <cerrno>
#include <cstring>

#include "linefilter/interval.h"
#include "linefilter/sizing.h"
#include "tools/measure/layouts.h"

namespace linefilter::demo {
namespace {

double Percent(uint64_t hits, uint64_t n) {
  return n == 0 ? 0 : 100 * static_cast<double>(hits) / static_cast<double>(n);
}

// Opens `folder`/`name`, lets `write` fill it, and closes it; false after saying what failed.
template <class Write>
bool WriteFile(const std::string& folder, const char* name, Write write) {
  const std::string path = folder + "/" + name;
  FILE* file = fopen(path.c_str(), "w");
  bool good = file != nullptr;
  if (good) {
    write(file);
    good = ferror(file) == 0;
    good = fclose(file) == 0 && good;
  }
  if (!good) fprintf(stderr, "linefilter_demo: cannot write %s: %s\n", path.c_str(), strerror(errno));
  return good;
}

// "-" for what a layout does not do.
std::string Text(const Timing& timing) {
  if (timing.samples.empty()) return "-";
  char text[32];
  snprintf(text, sizeof(text), "%.1f", timing.Median());
  return text;
}

void WriteMeasured(const std::vector<Row>& rows, Layout layout, uint64_t num_absent, FILE* file) {
  fprintf(file, "# bits_per_key\tfpr %%\tlow\thigh (95 %%)\n");
  for (const Row& row : rows) {
    if (row.layout != layout) continue;
    const Interval interval = ClopperPearson(row.false_positives, num_absent, 0.95);
    fprintf(file, "%g\t%g\t%g\t%g\n", row.bits_per_key, Percent(row.false_positives, num_absent), 100 * interval.low,
            100 * interval.high);
  }
}

}  // namespace

void PrintTable(const std::vector<Row>& rows, uint64_t num_absent, FILE* out) {
  const std::string rule = std::string(127, '-') + "\n";
  fprintf(out, "%s", rule.c_str());
  fprintf(out, "%-9s %6s %6s %9s  %6s %10s %10s | %-8s %6s %6s %6s | %6s %6s %6s\n", "", "bits", "", "image", "false",
          "FPR", "FPR", "", "insert", "insert", "", "lookup", "lookup", "lookup");
  fprintf(out, "%-9s %6s %6s %9s  %6s %10s %10s | %-8s %6s %6s %6s | %6s %6s %6s\n", "layout", "/key", "probes",
          "bytes", "neg.", "measured", "expected", "target", "single", "batch", "build", "single", "batch", "+hash");
  double group = 0;
  for (const Row& row : rows) {
    if (row.wanted_bits_per_key != group) fprintf(out, "%s", rule.c_str());
    group = row.wanted_bits_per_key;
    const FilterView& view = row.file->view();
    fprintf(out, "%-9s %6.2f %6u %9zu  %6llu %8.4f %% %8.4f %% | %-8s %6s %6s %6s | %6s %6s %6s\n",
            LayoutName(row.layout), row.bits_per_key, view.num_probes(), view.image_bytes(),
            static_cast<unsigned long long>(row.false_negatives), Percent(row.false_positives, num_absent),
            100 * row.expected_fpr, view.target(), Text(row.insert).c_str(), Text(row.insert_batch).c_str(),
            Text(row.build).c_str(), Text(row.lookup).c_str(), Text(row.lookup_batch).c_str(),
            Text(row.key_batch).c_str());
  }
  fprintf(out, "%s", rule.c_str());
}

bool WritePlotData(const std::vector<Row>& rows, uint64_t num_absent, double bits_per_key, const std::string& folder) {
  bool good = true;
  for (const Layout layout : tools::BuildableLayouts()) {
    const std::string name = std::string("fpr_") + LayoutName(layout) + ".tsv";
    good &= WriteFile(folder, name.c_str(), [&](FILE* file) { WriteMeasured(rows, layout, num_absent, file); });
  }
  good &= WriteFile(folder, "model.tsv", [](FILE* file) {
    fprintf(file, "bits_per_key");
    for (const Layout layout : tools::BuildableLayouts()) fprintf(file, "\t%s", LayoutName(layout));
    for (double bits = 6; bits <= 18.001; bits += 0.1) {
      fprintf(file, "\n%g", bits);
      for (const Layout layout : tools::BuildableLayouts()) {
        fprintf(file, "\t%g", 100 * FprForBitsPerKey(layout, bits));
      }
    }
    fprintf(file, "\n");
  });
  good &= WriteFile(folder, "ns.tsv", [&](FILE* file) {
    fprintf(file, "# name\tlookup single\tlookup batch\tlookup from keys\n");
    for (const Row& row : rows) {
      if (row.wanted_bits_per_key != bits_per_key) continue;
      fprintf(file, "%s\t%g\t%g\t%g\n", LayoutName(row.layout), row.lookup.Median(), row.lookup_batch.Median(),
              row.key_batch.Median());
    }
  });
  return good;
}

}  // namespace linefilter::demo
