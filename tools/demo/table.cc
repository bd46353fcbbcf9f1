#include "tools/demo/table.h"

#include <cerrno>
#include <cmath>
#include <cstring>

namespace linefilter::demo {
namespace {

double Fpr(const Row& row, uint64_t num_absent) {
  return static_cast<double>(row.false_positives) / static_cast<double>(num_absent);
}

bool IsOurs(const Row& row) { return row.contender->name().rfind("linefilter ", 0) == 0; }
bool IsOfSameBytes(const Row& row) { return row.contender->wanted_bits_per_key() == kBitsPerKey; }

// "-" for what is not there.
std::string Text(double value, const char* format) {
  if (value < 0) return "-";
  char text[32];
  snprintf(text, sizeof(text), format, value);
  return text;
}
std::string Text(const Timing& timing) { return Text(timing.samples.empty() ? -1 : timing.Median(), "%.1f"); }

// How its bytes are to the rows above and below.
std::string Bytes(const Row& row, uint64_t num_members) {
  if (IsOfSameBytes(row)) return "same";
  return Text(8.0 * static_cast<double>(row.contender->bytes()) / static_cast<double>(num_members) / kBitsPerKey,
              "%.1fx");
}

const Row* Find(const std::vector<Row>& rows, const std::string& name) {
  for (const Row& row : rows) {
    if (row.contender->name() == name && (IsOfSameBytes(row) || row.contender->wanted_bits_per_key() == 0)) return &row;
  }
  return nullptr;
}

}  // namespace

void PrintTable(const std::vector<Row>& rows, uint64_t num_members, uint64_t num_absent, FILE* out) {
  const std::string rule = std::string(109, '-') + "\n";
  fprintf(out, "%s%-22s %9s %6s %10s  %6s %10s %10s | %8s %8s %8s\n", rule.c_str(), "", "bits", "", "", "false",
          "FPR %", "FPR %", "ns: one", "in a", "to");
  fprintf(out, "%-22s %9s %6s %10s  %6s %10s %10s | %8s %8s %8s\n%s", "filter", "per word", "bytes", "", "neg.",
          "measured", "expected", "word", "batch", "build", rule.c_str());
  for (const Row& row : rows) {
    const Contender& of = *row.contender;
    fprintf(out, "%-22s %9.1f %6s %10llu  %6llu %10.4f %10s | %8s %8s %8s\n", of.name().c_str(),
            8.0 * static_cast<double>(of.bytes()) / static_cast<double>(num_members), Bytes(row, num_members).c_str(),
            static_cast<unsigned long long>(of.bytes()), static_cast<unsigned long long>(row.false_negatives),
            100 * Fpr(row, num_absent), Text(100 * of.expected_fpr(), "%.4f").c_str(), Text(row.one).c_str(),
            Text(row.batch).c_str(), Text(row.build).c_str());
  }
  fprintf(out, "%s", rule.c_str());
}

void PrintVerdict(const std::vector<Row>& rows, uint64_t num_absent, FILE* out) {
  const Row *const blocked = Find(rows, "linefilter blocked"), *const retrieval = Find(rows, "linefilter retrieval");
  const Row* other = Find(rows, "LevelDB's Bloom");
  if (other == nullptr) other = Find(rows, "linefilter classic");
  const Row* const set = Find(rows, "std::unordered_set");
  if (blocked == nullptr || retrieval == nullptr || other == nullptr || set == nullptr) return;
  const std::string name = other->contender->name();
  const double rate = std::max(Fpr(*other, num_absent), 1 / static_cast<double>(num_absent));
  fprintf(out, "At the same bytes: retrieval has %.2f of the false positives of %s, and blocked has %.2f of them.\n",
          Fpr(*retrieval, num_absent) / rate, name.c_str(), Fpr(*blocked, num_absent) / rate);
  fprintf(out, "At the same bytes: a lookup in blocked takes %.2f of the time of %s, in a batch %.2f.\n",
          blocked->one.Median() / other->one.Median(), name.c_str(), blocked->batch.Median() / other->one.Median());
  fprintf(out, "To build: retrieval takes %.1f times the time of %s, and blocked takes %.2f times.\n",
          retrieval->build.Median() / other->build.Median(), name.c_str(),
          blocked->build.Median() / other->build.Median());
  fprintf(out, "The exact set takes %.0f times the bytes of blocked, and %.1f times the time of a lookup.\n",
          static_cast<double>(set->contender->bytes()) / static_cast<double>(blocked->contender->bytes()),
          set->one.Median() / blocked->one.Median());
}

bool WritePlotData(const std::vector<Row>& rows, uint64_t num_absent, const std::string& folder) {
  const std::string path = folder + "/points.tsv";
  FILE* const file = fopen(path.c_str(), "w");
  bool good = file != nullptr;
  if (good) {
    fprintf(file, "# name\tours\tns of one word\tns in a batch\tFPR %%\n");
    for (const Row& row : rows) {
      if (!IsOfSameBytes(row) || row.false_positives == 0) continue;
      fprintf(file, "%s\t%d\t%g\t%g\t%g\n", row.contender->name().c_str(), IsOurs(row), row.one.Median(),
              row.batch.samples.empty() ? row.one.Median() : row.batch.Median(), 100 * Fpr(row, num_absent));
    }
    good = ferror(file) == 0;
    good = fclose(file) == 0 && good;
  }
  if (!good) fprintf(stderr, "linefilter_demo: cannot write %s: %s\n", path.c_str(), strerror(errno));
  return good;
}

}  // namespace linefilter::demo
