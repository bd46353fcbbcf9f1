// Is this id in the database at all? Nine requests of ten ask for ids that never were ("cache penetration"): no cache
// holds them, so each would reach the database.
//
// Whoever attacks chooses the ids, so the hash is keyed: without the secret nobody can prepare ids that the filter lets
// through. One that got through by luck stays through; a cache of "not there" answers, or a limit per client, ends
// that. A monitor counts what the filter answered and the database then said: it would tell of such an attacker, and of
// a filter that has become too small.
#include <cstdio>
#include <random>
#include <string>

#include "examples/uses/exact_store.h"
#include "examples/uses/use.h"
#include "linefilter/filter.h"
#include "linefilter/monitor.h"

namespace uses {
namespace {

// As sequences leave them: numbers in order, two of three deleted, so that the absent ones are close to the others.
uint64_t ExistingId(uint64_t i) { return 1000000007 + 3 * i; }
uint64_t AbsentId(uint64_t i) { return ExistingId(i) + 1 + i % 2; }

// In a service: from its vault, the same for all processes that share an image.
linefilter::HashSecret NewSecret() {
  linefilter::HashSecret secret;
  std::random_device random;  // of the system's source
  for (uint8_t& byte : secret.bytes) byte = static_cast<uint8_t>(random());
  return secret;
}

int Run(const Options& options) {
  ExactStore store(options.db, Sync::kOff);
  store.Begin();
  for (uint64_t i = 0; i < options.items; ++i) {
    if (!store.Insert(std::to_string(ExistingId(i)))) throw StoreError("the ids are not different");
  }
  store.Commit();

  // At start-up: one pass over the primary keys. Ids that are made later are inserted here first, then there; room for
  // half as many more is planned.
  linefilter::FilterOptions filter_options = options.filter();
  filter_options.hash_id = linefilter::HashId::kKeyed;
  filter_options.secret = NewSecret();
  linefilter::BlockedFilter filter;
  Check(filter.Create(store.Count() + store.Count() / 2, filter_options));
  // An integer is hashed faster than its digits: both sides must do the same.
  store.ForEachAfter(0, [&](std::string_view id) { filter.InsertKey(uint64_t{std::stoull(std::string(id))}); });

  linefilter::FprMonitor monitor({options.fpr});
  Tally tally;
  tally.questions = options.items;
  uint64_t absent = 0;
  for (uint64_t i = 0; i < options.items; ++i) {
    const bool exists = i % 10 == 0;
    const uint64_t id = exists ? ExistingId(linefilter::MixHash(i) % options.items) : AbsentId(i);
    absent += !exists;
    const bool maybe = filter.MayContainKey(id);
    monitor.Asked(maybe);
    const bool found = maybe && store.Contains(std::to_string(id));
    if (maybe && !found) monitor.WasAbsent();
    tally.needed += found;
    tally.keys_lost += exists && !found;
    tally.duplicates_accepted += !exists && found;  // never: the store knows
  }
  tally.lookups = store.lookups();
  tally.expected_for_nothing = static_cast<double>(absent) * filter.ExpectedFpr();
  printf("%llu requests, %llu of them for ids that never were\n", static_cast<unsigned long long>(options.items),
         static_cast<unsigned long long>(absent));
  DescribeFilter(filter);
  puts(monitor.Read(filter.ExpectedFpr()).sentence);  // a service: every minute, into its log or for Prometheus
  return tally.Report();
}

}  // namespace
}  // namespace uses

int main(int argc, char** argv) {
  return uses::Main(argc, argv, "Is this id in the database at all?", uses::Restarts::kNo, &uses::Run);
}
