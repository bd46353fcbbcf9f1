// join_example: what a filter in front of a hash join saves.
//
// Orders are joined with those customers that a predicate left (star.h), in three ways (probe.h):
//   without      each order is looked up in the hash table (hash_table.h), in batches that prefetch
//   columns      a ScanFilter of linefilter/columns.h selects the orders that are looked up
//   one_by_one   so does the loop that engines write by hand, with the same filter: hash one, ask one, append
// All three must find the same orders and the same sums; otherwise the exit code is 1.
//
// Copy probe.cc: MakeFilter fills the filter by AddColumn while the build side is there, and ProbeSelected asks it for
// each batch. Note what happens where nearly all orders find a partner: the ScanFilter stops asking.
//
//   join_example                                              1e8 orders, 1e3 to 1e7 customers, 0.1 to 100 %
//   join_example --rows 1e7 --build 1e6 --selectivity 1       one join
//   join_example --tsv join.tsv                               for the plot (plot.gp)
//
//   $ join_example --build 1e6 --selectivity 1        (AMD EPYC Zen 5, AVX-512, beside other programs)
//        build  % found rows found    without  columns one by one    columns one by one      make
//                                                      ns per row      ratio to without filter ns
//      1000000        1     999193      20.67     4.88       9.73      0.240      0.474     0.077
//
// The table has nanoseconds of CPU time per order, and the ratio to the time without a filter. A ratio counts the
// making of the filter, too; that of the hash table is left out everywhere. Customers and orders lie in memory. They
// take 12 bytes per row, and 1e7 customers another 512 MB in the hash table.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/join/measure.h"
#include "examples/join/star.h"
#include "linefilter/layout.h"

namespace join {
namespace {

constexpr int kExitGood = 0, kExitWrong = 1, kExitBad = 2;

constexpr char kUsage[] =
    "join_example [--rows N] [--build N] [--selectivity PERCENT] [--layout LAYOUT] [--bits BITS_PER_KEY] [--rounds N]\n"
    "             [--tsv FILE]\n"
    "  --rows N            orders, the probe side: 1e8 unless told\n"
    "  --build N           customers that are left, the build side: all of 1e3 to 1e7 unless told\n"
    "  --selectivity P     per cent of the orders that find a partner: all of 0.1 to 100 unless told\n"
    "  --layout LAYOUT     of the filter: split_block unless told; blocked, classic, quotient\n"
    "  --bits B            bits per key of the filter: 10 unless told\n"
    "  --rounds N          the times are medians of: 3 unless told\n"
    "  --tsv FILE          writes what the table has, for plot.gp\n"
    "Exit codes: 0 good, 1 the ways found different orders, 2 bad usage or an error.\n";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  uint64_t rows = 100000000;
  std::vector<double> builds = {1e3, 1e4, 1e5, 1e6, 1e7};
  std::vector<double> percents = {0.1, 1, 5, 20, 50, 80, 100};
  linefilter::FilterOptions filter = linefilter::FilterOptions::AtBitsPerKey(10);
  int rounds = 3;
  const char* tsv = nullptr;
};

double NumberOf(const std::string& name, const char* text, double least, double most) {
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(number >= least && number <= most)) {
    throw UsageError(name + ": a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

Options Parse(int argc, char** argv) {
  Options options;
  options.filter.layout = linefilter::Layout::kSplitBlock;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const char* const value = argv[i + 1];  // argv[argc] is null
    if (value == nullptr) throw UsageError("'" + name + "' is no option, or its value is missing");
    if (name == "--rows") {
      options.rows = static_cast<uint64_t>(NumberOf(name, value, 1, 4e9));
    } else if (name == "--build") {
      options.builds = {NumberOf(name, value, 1, 1e9)};
    } else if (name == "--selectivity") {
      options.percents = {NumberOf(name, value, 1e-6, 100)};
    } else if (name == "--layout") {
      if (!linefilter::ParseLayout(value, &options.filter.layout)) throw UsageError(name + ": no such layout");
    } else if (name == "--bits") {
      options.filter.bits_per_key = NumberOf(name, value, 1, 64);
    } else if (name == "--rounds") {
      options.rounds = static_cast<int>(NumberOf(name, value, 1, 1000));
    } else if (name == "--tsv") {
      options.tsv = value;
    } else {
      throw UsageError("'" + name + "' is no option");
    }
  }
  return options;
}

// Lines of the table, and of a file with the same.
class Report {
 public:
  explicit Report(const char* tsv) {
    printf("%10s %8s %10s   %8s %8s %10s   %8s %10s %9s\n", "build", "% found", "rows found", "without", "columns",
           "one by one", "columns", "one by one", "make");
    printf("%10s %8s %10s   %28s   %19s %9s\n", "", "", "", "ns per row", "ratio to without", "filter ns");
    if (tsv == nullptr) return;
    file_ = fopen(tsv, "w");
    if (file_ == nullptr) throw std::runtime_error(std::string("cannot write ") + tsv);
    fputs("build_rows\tselectivity_percent\tway\tns_per_row\tratio\tspeed_up\trows_found\ttable_bytes\tfilter_bytes\n",
          file_);
  }
  ~Report() {
    if (file_ != nullptr) fclose(file_);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void Add(double build, double percent, const Cost& cost) {
    printf("%10.0f %8g %10llu   %8.2f %8.2f %10.2f   %8.3f %10.3f %9.3f\n", build, percent,
           static_cast<unsigned long long>(cost.found.rows), cost.probe_ns[0], cost.probe_ns[1], cost.probe_ns[2],
           cost.Ratio(1), cost.Ratio(2), cost.filter_ns);
    fflush(stdout);
    for (int way = 0; way < kWays && file_ != nullptr; ++way) {
      fprintf(file_, "%.0f\t%g\t%s\t%.3f\t%.4f\t%.4f\t%llu\t%llu\t%llu\n", build, percent, kWayNames[way],
              cost.probe_ns[way], cost.Ratio(way), 1 / cost.Ratio(way),
              static_cast<unsigned long long>(cost.found.rows), static_cast<unsigned long long>(cost.table_bytes),
              static_cast<unsigned long long>(cost.filter_bytes));
    }
  }
  void Finish() {
    const bool written = fflush(stdout) == 0 && (file_ == nullptr || fflush(file_) == 0);
    if (!written) throw std::runtime_error("cannot write all of the output");
  }

 private:
  FILE* file_ = nullptr;
};

int Run(const Options& options) {
  Report report(options.tsv);
  Orders orders;
  for (const double build : options.builds) {
    const Customers customers = MakeCustomers(static_cast<uint64_t>(build));
    for (const double percent : options.percents) {
      MakeOrders(options.rows, customers.ids.size(), percent / 100, &orders);
      const Cost cost = Measure(customers, orders, options.filter, options.rounds);
      if (!cost.status.ok()) throw std::runtime_error(cost.status.message());
      report.Add(build, percent, cost);
      if (cost.all_agree) continue;
      fputs("join_example: the three ways found different orders\n", stderr);
      return kExitWrong;
    }
  }
  report.Finish();
  return kExitGood;
}

}  // namespace
}  // namespace join

int main(int argc, char** argv) try {
  return join::Run(join::Parse(argc, argv));
} catch (const join::UsageError& error) {
  fprintf(stderr, "join_example: %s\n%s", error.what(), join::kUsage);
  return join::kExitBad;
} catch (const std::exception& error) {
  fprintf(stderr, "join_example: %s\n", error.what());
  return join::kExitBad;
}
