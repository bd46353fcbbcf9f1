// The stored false-positive rates, tests/layouts/fpr_baseline.json, which fpr_regression_test writes.
#ifndef LINEFILTER_TESTS_TESTING_FPR_BASELINE_H_
#define LINEFILTER_TESTS_TESTING_FPR_BASELINE_H_

#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/layout.h"
#include "nlohmann/json.hpp"
#include "tests/testing/fpr_judge.h"

namespace linefilter::test {

inline constexpr char kBaseline[] = LINEFILTER_SOURCE_DIR "/tests/layouts/fpr_baseline.json";

inline std::string NameOf(const StoredFpr& stored) {
  return LayoutName(stored.layout) + (", " + std::to_string(stored.bits_per_key)) + " bits per key, " +
         std::to_string(stored.num_keys) + " keys";
}

inline std::vector<StoredFpr> ReadBaseline() {
  std::ifstream in(kBaseline);
  const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  std::vector<StoredFpr> all;
  if (!json.is_object()) return all;
  for (const auto& row : json["rates"]) {
    StoredFpr stored;
    EXPECT_TRUE(ParseLayout(row["layout"].get<std::string>().c_str(), &stored.layout));
    stored.bits_per_key = row["bits_per_key"];
    stored.num_probes = row["num_probes"];
    stored.num_keys = row["num_keys"];
    stored.body_bytes = row["body_bytes"];
    stored.fpr = row["fpr"];
    stored.fpr_error = row["fpr_error"];
    stored.fill_deviation = row["fill_deviation"];
    all.push_back(stored);
  }
  return all;
}

inline StoredFpr Stored(Layout layout, double bits_per_key, bool large = false) {
  for (const StoredFpr& stored : ReadBaseline()) {
    if (stored.layout == layout && stored.bits_per_key == bits_per_key && (stored.num_keys >= 10000000) == large) {
      return stored;
    }
  }
  ADD_FAILURE() << kBaseline << " has no entry of " << LayoutName(layout) << " at " << bits_per_key;
  return {};
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_FPR_BASELINE_H_
