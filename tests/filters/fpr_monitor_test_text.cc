// The text for Prometheus, read back by a small parser of its exposition format.
#include <map>
#include <sstream>

#include "tests/filters/fpr_monitor_test.h"

namespace linefilter::test {
namespace {

struct Page {
  std::map<std::string, std::string> types, helps;                    // by family
  std::map<std::string, std::map<std::string, std::string>> samples;  // value by labels, by family
  std::vector<std::string> families;                                  // in the order of their first sample
};

// The labels of "{name="value",...}" as name=value;..., unescaped. Empty if that is not what the text is.
std::string Labels(const std::string& text, size_t* at) {
  std::string labels;
  EXPECT_EQ(text[*at], '{');
  for (++*at; *at < text.size() && text[*at] != '}';) {
    const size_t equals = text.find("=\"", *at);
    labels += text.substr(*at, equals - *at) + "=";
    for (*at = equals + 2; text[*at] != '"'; ++*at) {
      if (text[*at] != '\\') {
        labels += text[*at];
        continue;
      }
      const char escaped = text[++*at];
      EXPECT_TRUE(escaped == 'n' || escaped == '\\' || escaped == '"') << escaped;
      labels += escaped == 'n' ? '\n' : escaped;
    }
    labels += ';';
    if (text[++*at] == ',') ++*at;
  }
  ++*at;
  return labels;
}

Page Parse(const std::string& text) {
  Page page;
  EXPECT_EQ(text.back(), '\n');
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line[0] == '#') {
      std::istringstream words(line);
      std::string hash, kind, name, rest;
      words >> hash >> kind >> name;
      std::getline(words, rest);
      EXPECT_TRUE(page.samples.count(name) == 0) << "the head comes before the samples: " << line;
      EXPECT_TRUE((kind == "HELP" ? page.helps : page.types).emplace(name, rest.substr(1)).second) << "twice: " << line;
      continue;
    }
    size_t at = line.find('{');
    const std::string name = line.substr(0, at), labels = Labels(line, &at);
    EXPECT_EQ(line[at], ' ') << line;
    EXPECT_EQ(page.types.count(name), 1u) << line;
    if (page.families.empty() || page.families.back() != name) page.families.push_back(name);
    EXPECT_TRUE(page.samples[name].emplace(labels, line.substr(at + 1)).second) << "twice: " << line;
  }
  EXPECT_EQ(page.families.size(), page.samples.size()) << "the samples of a family are one group";
  EXPECT_EQ(page.types.size(), page.samples.size());
  EXPECT_EQ(page.helps.size(), page.samples.size());
  return page;
}

TEST(FprMonitorText, HasAllCountersAndRates) {
  FprMonitor monitor(Planned(0.01));
  monitor.Asked(10000, 150);
  monitor.WasAbsent(50);
  std::string text = "# before\n";
  const std::string before = text;
  ASSERT_TRUE(IsOk(monitor.WritePrometheus(0.005, "users", &text)));
  ASSERT_EQ(text.rfind(before, 0), 0u) << "it appends";
  Page page = Parse(text.substr(before.size()));
  const std::string users = "filter=users;";
  EXPECT_EQ(page.samples["linefilter_lookups_total"][users], "10000");
  EXPECT_EQ(page.samples["linefilter_maybes_total"][users], "150");
  EXPECT_EQ(page.samples["linefilter_false_positives_total"][users], "50");
  EXPECT_EQ(page.samples["linefilter_lost_members_total"][users], "0");
  const auto number = [&](const char* name) { return std::stod(page.samples[name][users]); };
  EXPECT_NEAR(number("linefilter_fpr"), 50 / 9900.0, 1e-15);
  EXPECT_NEAR(number("linefilter_expected_fpr"), 0.005, 1e-15);
  EXPECT_LT(number("linefilter_fpr_low"), 0.005);
  EXPECT_GT(number("linefilter_fpr_high"), 0.005);
  EXPECT_EQ(page.samples["linefilter_fpr_verdict"][users + "verdict=as_expected;"], "1");
  EXPECT_EQ(page.samples["linefilter_fpr_verdict"][users + "verdict=members_lost;"], "0");
  EXPECT_EQ(page.samples["linefilter_fpr_verdict"].size(), 4u);
  for (const auto& [name, type] : page.types) {
    const bool is_total = name.size() > 6 && name.substr(name.size() - 6) == "_total";
    EXPECT_EQ(type, is_total ? "counter" : "gauge") << name;
  }
}

TEST(FprMonitorText, HasSeveralMonitorsAndAnyNames) {
  const std::string odd = "a \"b\"\\\nc, {d}=\xc3\xa4";
  FprMonitor first(Planned(1)), second(Planned(0.01));
  first.Asked(false);
  first.WasLost();
  Count(1000, 1000, &second);
  FprMonitorSeries series[2], without;
  series[0].monitor = &first;
  series[0].filter = odd;
  series[1].monitor = &second;
  series[1].filter = "";
  series[1].expected_fpr = 0.01;
  std::string text;
  ASSERT_TRUE(IsOk(FprMonitor::WritePrometheus(series, 2, &text)));
  Page page = Parse(text);
  EXPECT_EQ(page.samples["linefilter_lookups_total"]["filter=" + odd + ";"], "1");
  EXPECT_EQ(page.samples["linefilter_lookups_total"]["filter=;"], "1000");
  EXPECT_EQ(page.samples["linefilter_fpr"]["filter=;"], "1.000000000000000000");
  EXPECT_EQ(page.samples["linefilter_fpr_verdict"]["filter=" + odd + ";verdict=members_lost;"], "1");
  EXPECT_EQ(page.samples["linefilter_fpr_verdict"]["filter=;verdict=more_than_expected;"], "1");
  EXPECT_EQ(series[0].report.verdict, Verdict::kMembersLost) << "what was read is told";
  text.clear();
  ASSERT_TRUE(IsOk(FprMonitor::WritePrometheus(&without, 1, &text))) << "no monitor";
  EXPECT_EQ(Parse(text).samples["linefilter_fpr_verdict"]["filter=;verdict=too_early;"], "1");
  text.clear();
  ASSERT_TRUE(IsOk(FprMonitor::WritePrometheus(nullptr, 0, &text)));
  EXPECT_EQ(text.find('{'), std::string::npos);
}

}  // namespace
}  // namespace linefilter::test
