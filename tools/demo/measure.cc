#include "tools/demo/measure.h"

#include <algorithm>
#include <cstdio>

#include "tools/demo/clock.h"

namespace linefilter::demo {
namespace {

template <class Work>
double NsPerWord(size_t n, Work work) {
  const double start = NowNs();
  work();
  return (NowNs() - start) / static_cast<double>(std::max<size_t>(n, 1));
}

// Keeps a result alive, so that the work for it is done.
volatile uint64_t sink;

}  // namespace

double Timing::Median() const {
  if (samples.empty()) return 0;
  std::vector<double> sorted = samples;
  double* const middle = sorted.data() + sorted.size() / 2;
  std::nth_element(sorted.data(), middle, sorted.data() + sorted.size());
  return *middle;
}

bool Check(const Words& members, const Asked& asked, Row* row) {
  Contender& of = *row->contender;
  std::string failed = of.Build(members);
  if (failed.empty()) failed = of.Finish();
  if (!failed.empty()) {
    fprintf(stderr, "linefilter_demo: %s: %s\n", of.name().c_str(), failed.c_str());
    return false;
  }
  row->false_negatives = members.size() - of.CountMaybes(members);
  for (size_t i = 0; i < asked.words.size(); ++i) {
    const bool maybe = of.MayContain(asked.words[i]);
    row->false_negatives += asked.is_member[i] != 0 && !maybe;
    row->false_positives += asked.is_member[i] == 0 && maybe;
  }
  return true;
}

void TimeOnce(const Words& members, const Asked& asked, Row* row) {
  Contender& of = *row->contender;
  row->build.samples.push_back(NsPerWord(members.size(), [&] { sink = of.Build(members).size(); }));
  row->one.samples.push_back(NsPerWord(asked.words.size(), [&] { sink = of.CountMaybes(asked.words); }));
  std::vector<uint8_t> answers(asked.words.size());
  bool has_batch = false;
  const double ns = NsPerWord(asked.words.size(), [&] { has_batch = of.Batch(asked.words, answers.data()); });
  if (has_batch) row->batch.samples.push_back(ns);
}

}  // namespace linefilter::demo
