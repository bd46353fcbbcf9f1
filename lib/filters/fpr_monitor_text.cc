// The text for Prometheus, in its exposition format 0.0.4: a family of samples after the other, each with its help, its
// type, and a sample for each monitor. Numbers are printed from integers, because printf writes a comma in some
// locales.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "linefilter/monitor.h"

namespace linefilter {
namespace {

// Writes what fits, counts all.
class Text {
 public:
  Text(char* out, size_t capacity) : out_(out), capacity_(capacity) {}

  void Add(std::string_view text) {
    if (size_ < capacity_) memcpy(out_ + size_, text.data(), std::min<size_t>(text.size(), capacity_ - size_));
    size_ += text.size();
  }
  void AddCount(uint64_t value) {
    char text[24];
    Add({text, static_cast<size_t>(snprintf(text, sizeof(text), "%llu", static_cast<unsigned long long>(value)))});
  }
  // A share, 0 to 1, in 18 decimals.
  void AddShare(double value) {
    constexpr uint64_t kOne = 1000000000000000000;
    const auto parts = static_cast<uint64_t>(value * static_cast<double>(kOne));
    char text[48];
    const int size = snprintf(text, sizeof(text), "%llu.%018llu", static_cast<unsigned long long>(parts / kOne),
                              static_cast<unsigned long long>(parts % kOne));
    Add({text, static_cast<size_t>(size)});
  }
  // The value of a label, in quotes.
  void AddQuoted(std::string_view value) {
    Add("\"");
    for (const char& c : value) {
      if (c == '\n') {
        Add("\\n");
      } else {
        if (c == '"' || c == '\\') Add("\\");
        Add({&c, 1});
      }
    }
    Add("\"");
  }
  uint64_t size() const { return size_; }

 private:
  char* out_;
  size_t capacity_;
  size_t size_ = 0;
};

struct Counter {
  const char *name, *help;
  uint64_t FprMonitorCounts::*count;
};
constexpr Counter kCounters[] = {
    {"linefilter_lookups_total", "Lookups in the filter.", &FprMonitorCounts::asked},
    {"linefilter_maybes_total", "Lookups that the filter answered with maybe.", &FprMonitorCounts::maybes},
    {"linefilter_false_positives_total", "Lookups answered with maybe, of keys that the store did not have.",
     &FprMonitorCounts::false_positives},
    {"linefilter_lost_members_total", "Lookups answered with absent, of keys that the store had.",
     &FprMonitorCounts::lost},
};

struct Gauge {
  const char *name, *help;
  double FprMonitorReport::*share;
};
constexpr Gauge kGauges[] = {
    {"linefilter_fpr", "Share of the recent lookups of absent keys that were false positives.", &FprMonitorReport::fpr},
    {"linefilter_fpr_low", "Lower end of the interval of linefilter_fpr.", &FprMonitorReport::fpr_low},
    {"linefilter_fpr_high", "Upper end of the interval of linefilter_fpr.", &FprMonitorReport::fpr_high},
    {"linefilter_expected_fpr", "The false-positive rate that is expected now.", &FprMonitorReport::expected_fpr},
};

constexpr const char* kVerdicts[] = {"as_expected", "too_early", "more_than_expected", "members_lost"};

void AddHead(const char* name, const char* help, const char* type, Text* text) {
  for (const char* part : {"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"}) text->Add(part);
}

void AddName(const char* name, const FprMonitorSeries& one, Text* text) {
  text->Add(name);
  text->Add("{filter=");
  text->AddQuoted(one.filter);
}

void AddVerdicts(const FprMonitorSeries& one, Text* text) {
  for (size_t verdict = 0; verdict < sizeof(kVerdicts) / sizeof(*kVerdicts); ++verdict) {
    AddName("linefilter_fpr_verdict", one, text);
    text->Add(",verdict=");
    text->AddQuoted(kVerdicts[verdict]);
    text->Add(static_cast<size_t>(one.report.verdict) == verdict ? "} 1\n" : "} 0\n");
  }
}

}  // namespace

void FprMonitor::ReadAll(FprMonitorSeries* series, size_t num_series) noexcept {
  for (size_t i = 0; i < num_series; ++i) {
    if (series[i].monitor != nullptr) series[i].report = series[i].monitor->Read(series[i].expected_fpr);
  }
}

uint64_t FprMonitor::PrometheusText(const FprMonitorSeries* series, size_t num_series, char* out,
                                    size_t capacity) noexcept {
  Text text(out, capacity);
  for (const Counter& counter : kCounters) {
    AddHead(counter.name, counter.help, "counter", &text);
    for (size_t i = 0; i < num_series; ++i) {
      AddName(counter.name, series[i], &text);
      text.Add("} ");
      text.AddCount(series[i].report.all.*counter.count);
      text.Add("\n");
    }
  }
  for (const Gauge& gauge : kGauges) {
    AddHead(gauge.name, gauge.help, "gauge", &text);
    for (size_t i = 0; i < num_series; ++i) {
      AddName(gauge.name, series[i], &text);
      text.Add("} ");
      text.AddShare(series[i].report.*gauge.share);
      text.Add("\n");
    }
  }
  AddHead("linefilter_fpr_verdict", "1 for the verdict that holds now, 0 for the others.", "gauge", &text);
  for (size_t i = 0; i < num_series; ++i) AddVerdicts(series[i], &text);
  return text.size();
}

}  // namespace linefilter
