// Has this e-mail address been registered? A million registrations, each tenth of an address that has an account.
//
// The filter is asked first. "absent" is always true, so the account is made without a question to the database; only
// "maybe" asks it.
#include <algorithm>
#include <cstdio>
#include <string>

#include "examples/uses/exact_store.h"
#include "examples/uses/use.h"
#include "linefilter/filter.h"

namespace uses {
namespace {

constexpr uint64_t kGroup = 50000;  // registrations of one transaction

int Run(const Options& options) {
  const Stream registrations = {10};
  const uint64_t accounts = registrations.NewBefore(options.items);
  const Emails email(options.items);
  ExactStore store(options.db, Sync::kOff);  // the store ends with this program: nothing to keep
  linefilter::BlockedFilter filter;
  Check(filter.Create(accounts, options.filter()));
  printf("%llu registrations, %llu of them of an address that has an account\n",
         static_cast<unsigned long long>(options.items), static_cast<unsigned long long>(options.items - accounts));

  Tally tally;
  tally.questions = options.items;
  tally.expected_for_nothing = MaybesWhileFilling(filter, 0, accounts);
  store.Begin();
  for (uint64_t i = 0; i < options.items; ++i) {
    const std::string address = email(registrations.ItemAt(i));
    const bool is_taken = filter.MayContainKey(address) && store.Contains(address);
    if (is_taken) {
      ++tally.needed;
    } else {
      // The filter first: a key that is in the store and not in the filter would be "absent" and registered again. A
      // key in the filter alone, as if the store refused it now, costs one look-up.
      filter.InsertKey(address);
      if (!store.Insert(address)) ++tally.duplicates_accepted;
    }
    if ((i + 1) % kGroup == 0) {
      store.Commit();
      store.Begin();
    }
  }
  store.Commit();
  tally.lookups = store.lookups();

  uint64_t lost = 0;
  store.ForEachAfter(0, [&](std::string_view address) { lost += !filter.MayContainKey(address); });
  tally.keys_lost = lost + (accounts - std::min(accounts, store.Count()));
  DescribeFilter(filter);
  return tally.Report();
}

}  // namespace
}  // namespace uses

int main(int argc, char** argv) {
  return uses::Main(argc, argv, "Has this e-mail address been registered?", uses::Restarts::kNo, &uses::Run);
}
