// What tests of a body that lies elsewhere share: filters of the reference, their facts, and a sink.
#ifndef LINEFILTER_TESTS_FILTERS_REMOTE_BODY_TEST_H_
#define LINEFILTER_TESTS_FILTERS_REMOTE_BODY_TEST_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/remote_body.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/random.h"
#include "tests/testing/reference_filters.h"

namespace linefilter::remote_body_test {

using reference::Bytes;
using test::Kind;
using Collector = test::CollectorOf<Bytes>;

inline BodyFacts FactsOf(const reference::Filter& filter) {
  BodyFacts facts;
  facts.layout = static_cast<Layout>(filter.layout);
  facts.hash_id = static_cast<HashId>(filter.hash_id);
  facts.num_probes = static_cast<uint32_t>(filter.num_probes);
  facts.body_bytes = filter.body.size();
  facts.seed = filter.seed;
  facts.has_num_keys = filter.has_num_keys;
  facts.num_keys = filter.num_keys;
  std::vector<reference::Filter> stages;
  if (filter.layout != reference::kContainer) return facts;
  EXPECT_TRUE(reference::ReadStages(filter, &stages));
  facts.num_stages = static_cast<uint32_t>(stages.size());
  for (size_t i = 0; i < stages.size(); ++i) {
    facts.stages[i].num_blocks = stages[i].body.size() / 64;
    facts.stages[i].num_probes = static_cast<uint32_t>(stages[i].num_probes);
  }
  return facts;
}

inline reference::Filter FilledReference(const Kind& kind, size_t units, size_t num_keys, uint64_t seed) {
  reference::Filter filter = test::EmptyReference(kind.layout, kind.num_probes, units * kind.unit_bytes);
  filter.Fill(test::RandomHashes(num_keys, seed));
  return filter;
}

inline reference::Filter SomeContainer(uint64_t seed) {
  std::vector<reference::Filter> stages;
  for (const size_t num_blocks : {1u, 3u, 70u}) {
    const uint32_t num_probes = static_cast<uint32_t>(2 + num_blocks % 7);
    stages.push_back(FilledReference({Layout::kBlocked, num_probes, 64}, num_blocks, 30 * num_blocks, ++seed));
  }
  return reference::MakeContainer(stages, {30, 0, 2100});
}

}  // namespace linefilter::remote_body_test

#endif  // LINEFILTER_TESTS_FILTERS_REMOTE_BODY_TEST_H_
