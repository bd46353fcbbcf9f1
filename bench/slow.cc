#include "bench/slow.h"

#include <cstdlib>
#include <regex>

#include "bench/peer.h"

namespace linefilter::bench {
namespace {

constexpr char kVariable[] = "LINEFILTER_BENCH_SLOW";

struct Plant {
  std::regex rows;
  double slowness = 0;

  Plant() {
    const std::string& text = Planted();
    if (text.empty()) return;
    const size_t colon = text.rfind(':');
    char* end = nullptr;
    const double percent = colon == std::string::npos ? 0 : std::strtod(text.c_str() + colon + 1, &end);
    if (end == nullptr || *end != '\0' || !(percent > 0 && percent <= 1000)) {
      Die("%s='%s' is not REGEX:PERCENT, like '/blocked/AVX2/:10'", kVariable, text.c_str());
    }
    try {
      rows = std::regex(text.substr(0, colon), std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
      Die("%s='%s' begins with no regular expression: %s", kVariable, text.c_str(), error.what());
    }
    slowness = percent / 100;
  }
};

}  // namespace

const std::string& Planted() {
  static const std::string text = [] {
    const char* const value = std::getenv(kVariable);
    return std::string(value == nullptr ? "" : value);
  }();
  return text;
}

double PlantedSlowness(const std::string& row) {
  static const Plant plant;
  return plant.slowness != 0 && std::regex_search(row, plant.rows) ? plant.slowness : 0;
}

}  // namespace linefilter::bench
