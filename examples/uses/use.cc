#include "examples/uses/use.h"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "examples/uses/exact_store.h"
#include "linefilter/sizing.h"

namespace uses {
namespace {

constexpr int kExitGood = 0, kExitWrong = 1, kExitBad = 2;

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double NumberOf(const std::string& name, const char* text) {
  char* end = nullptr;
  const double number = text == nullptr ? 0 : std::strtod(text, &end);
  if (text == nullptr || end == text || *end != '\0') throw UsageError(name + " needs a number");
  return number;
}

Options Parse(int argc, char** argv, Restarts restarts) {
  Options options;
  for (int i = 1; i < argc; i += 2) {  // argv[argc] is null
    const std::string name = argv[i];
    const auto count = [&] {
      const double number = NumberOf(name, argv[i + 1]);
      if (!(number >= 1 && number <= 1e9)) throw UsageError(name + ": 1 to 1e9");
      return static_cast<uint64_t>(number);
    };
    if (name == "--items") {
      options.items = std::max<uint64_t>(count(), 100);
    } else if (name == "--fpr") {
      options.fpr = NumberOf(name, argv[i + 1]);
      if (!(options.fpr > 0 && options.fpr < 1)) throw UsageError("--fpr: above 0 and below 1");
    } else if (name == "--db" && argv[i + 1] != nullptr) {
      options.db = argv[i + 1];
    } else if (name == "--crash-after" && restarts == Restarts::kYes) {
      options.crash_after = count();
    } else {
      throw UsageError("'" + name + "' is no option here");
    }
  }
  if (!options.db.empty() && restarts == Restarts::kNo && std::filesystem::exists(options.db)) {
    throw UsageError(options.db + " exists: this program begins with an empty store, name another file");
  }
  return options;
}

}  // namespace

linefilter::FilterOptions Options::filter() const {
  linefilter::FilterOptions filter;
  filter.fpr = fpr;
  return filter;
}

int Main(int argc, char** argv, const char* about, Restarts restarts, int (*run)(const Options&)) {
  const bool may_crash = restarts == Restarts::kYes;
  std::string folder = (std::filesystem::temp_directory_path() / "linefilter-use-XXXXXX").string();
  bool made = false;
  int exit_code = kExitBad;
  try {
    Options options = Parse(argc, argv, restarts);
    if (options.db.empty()) {
      made = mkdtemp(folder.data()) != nullptr;
      if (!made) throw StoreError("no folder can be made for the store: name a file by --db");
      options.db = folder + "/store.db";
    }
    exit_code = run(options);
  } catch (const UsageError& error) {
    fprintf(stderr, "%s: %s\n%s\n  --items N   how much, like 1e6 (at least 100)\n", argv[0], error.what(), about);
    fputs("  --fpr P     the filter's false-positive rate, like 0.01\n", stderr);
    fprintf(stderr, "  --db PATH   the file of the store%s\n", may_crash ? ", to go on with" : ", to be made");
    if (may_crash) fputs("  --crash-after N   die after N messages, unprepared\n", stderr);
  } catch (const std::exception& error) {
    fprintf(stderr, "%s: %s\n", argv[0], error.what());
  }
  if (made) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  return exit_code;
}

void Check(const linefilter::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

double MaybesWhileFilling(const linefilter::FilterBase& filter, uint64_t first, uint64_t last) {
  constexpr int kSteps = 400;  // of the midpoint rule
  const double width = static_cast<double>(last - first) / kSteps;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const auto keys = first + static_cast<uint64_t>((i + 0.5) * width);
    sum += linefilter::ExpectedFpr(filter.layout(), keys, filter.body_bytes(), filter.num_probes());
  }
  return sum * width;
}

void DescribeFilter(const linefilter::FilterBase& filter) {
  printf("filter                %s, %.0f keys by its bits, %llu bytes, expected rate %.3g\n",
         linefilter::LayoutName(filter.layout()), filter.ApproximateSize().keys,
         static_cast<unsigned long long>(filter.body_bytes()), filter.ExpectedFpr());
}

int Tally::Report() const {
  const auto line = [](const char* name, double expected, double got) {
    printf("%-20s %12.0f %12.0f %10.4f\n", name, expected, got, expected == 0 ? 1 : got / expected);
  };
  const double all = static_cast<double>(questions), got = static_cast<double>(lookups),
               expected = static_cast<double>(needed) + expected_for_nothing;
  printf("%-20s %12s %12s %10s\n", "", "expected", "got", "quotient");
  line("exact look-ups", expected, got);
  line("  of them needed", static_cast<double>(needed), static_cast<double>(needed));
  line("  for nothing", expected_for_nothing, got - static_cast<double>(needed));
  line("look-ups saved", all - expected, all - got);
  printf("%-20s %11.3f%% %11.3f%% %10.4f\n", "share saved", 100 * (all - expected) / all, 100 * (all - got) / all,
         all == expected ? 1 : (all - got) / (all - expected));
  printf("%-20s %12d %12llu\n%-20s %12d %12llu\n", "duplicates accepted", 0,
         static_cast<unsigned long long>(duplicates_accepted), "keys lost", 0,
         static_cast<unsigned long long>(keys_lost));
  // False positives come by chance: 5 %, or where they are few five standard deviations.
  const double limit = std::max(0.05 * expected_for_nothing, 5 * std::sqrt(expected_for_nothing) + 1);
  const bool as_expected = std::abs(got - expected) <= limit;
  if (!as_expected) puts("the filter does not save what its rate predicts");
  return as_expected && duplicates_accepted == 0 && keys_lost == 0 ? kExitGood : kExitWrong;
}

}  // namespace uses
