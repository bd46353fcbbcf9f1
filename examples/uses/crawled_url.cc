// Was this URL crawled? Every second link of the web leads where the crawler has been.
//
// Links come by the page, so they go into the filter by the page: InsertHashes inserts and answers at once which were
// certainly new, and overlaps the cache misses of a filter that is larger than the cache. Only the others are asked of
// the store; who would skip them unasked would never see one URL of a hundred.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "examples/uses/exact_store.h"
#include "examples/uses/use.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"

namespace uses {
namespace {

constexpr uint64_t kLinksOfPage = 64, kPagesOfGroup = 1000;

int Run(const Options& options) {
  const Stream links = {2};
  const uint64_t different = links.NewBefore(options.items);
  const Urls url(options.items);
  ExactStore store(options.db, Sync::kOff);
  linefilter::BlockedFilter filter;
  Check(filter.Create(different, options.filter()));
  printf("%llu links, %llu of them to pages that were crawled\n", static_cast<unsigned long long>(options.items),
         static_cast<unsigned long long>(options.items - different));

  Tally tally;
  tally.questions = options.items;
  tally.expected_for_nothing = MaybesWhileFilling(filter, 0, different);
  std::vector<std::string> page;
  std::vector<uint64_t> hashes;
  std::vector<uint8_t> were_new(kLinksOfPage);
  uint64_t pages = 0, crawled = 0;
  store.Begin();
  for (uint64_t first = 0; first < options.items; first += kLinksOfPage) {
    page.clear();
    hashes.clear();
    for (uint64_t i = first; i < std::min(first + kLinksOfPage, options.items); ++i) {
      page.push_back(url(links.ItemAt(i)));
      hashes.push_back(linefilter::HashKey(page.back(), filter.seed()));
    }
    // The filter before the store. Of a link that stands twice on the page the second is not "new".
    filter.InsertHashes(hashes.data(), hashes.size(), were_new.data());
    for (size_t i = 0; i < page.size(); ++i) {
      if (were_new[i] == 0 && store.Contains(page[i])) {
        ++tally.needed;
        continue;
      }
      ++crawled;  // here it is fetched
      if (!store.Insert(page[i])) ++tally.duplicates_accepted;
    }
    if (++pages % kPagesOfGroup == 0) {
      store.Commit();
      store.Begin();
    }
  }
  store.Commit();
  tally.lookups = store.lookups();

  store.ForEachAfter(0, [&](std::string_view known) { tally.keys_lost += !filter.MayContainKey(known); });
  tally.keys_lost += different - std::min(different, crawled);  // pages that were never seen
  DescribeFilter(filter);
  return tally.Report();
}

}  // namespace
}  // namespace uses

int main(int argc, char** argv) {
  return uses::Main(argc, argv, "Was this URL crawled?", uses::Restarts::kNo, &uses::Run);
}
