// Is this URL on the list of bad ones? Who keeps the list makes an image of it; browsers and proxies hold the image,
// and ask the list itself (here the store, elsewhere a server) only of URLs that may be on it.
//
// The list is complete when the image is made: layout `retrieval`, a sixth of the false positives of `blocked` in the
// same bytes. An image that does not arrive whole answers "maybe" to all: slow, but no bad URL gets through.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "examples/uses/exact_store.h"
#include "examples/uses/use.h"
#include "linefilter/builder.h"
#include "linefilter/file.h"
#include "linefilter/monitor.h"

namespace uses {
namespace {

constexpr uint64_t kBatch = 256, kOneIsBad = 1000;  // of so many URLs that are asked

void MakeImage(ExactStore* list, const Options& options, const std::string& path) {
  linefilter::FilterOptions filter_options = options.filter();
  filter_options.layout = linefilter::Layout::kRetrieval;
  linefilter::FilterBuilder builder(filter_options);
  list->ForEachAfter(0, [&](std::string_view url) { builder.AddKey(url); });
  Check(builder.FinishToFile(path.c_str()));  // under its name only when it is complete
}

// Asks `n` URLs; every kOneIsBad-th is on the list.
Tally Ask(ExactStore* list, const linefilter::FilterView& filter, const Urls& url, uint64_t n, const Options& options) {
  const uint64_t listed = options.items;
  linefilter::FprMonitor monitor({options.fpr});
  Tally tally;
  tally.questions = n;
  const uint64_t lookups_before = list->lookups();
  uint64_t good = 0;
  std::vector<uint8_t> maybe(kBatch);
  for (uint64_t first = 0; first < n; first += kBatch) {
    std::vector<std::string> urls;
    for (uint64_t i = first; i < std::min(first + kBatch, n); ++i) {
      urls.push_back(url(i % kOneIsBad == 0 ? linefilter::MixHash(i) % listed : listed + i));
    }
    const std::vector<std::string_view> keys(urls.begin(), urls.end());
    filter.MayContainKeys(keys.data(), keys.size(), maybe.data());
    monitor.Asked(keys.size(), static_cast<size_t>(std::count(maybe.begin(), maybe.begin() + keys.size(), 1)));
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool is_bad = (first + i) % kOneIsBad == 0, found = maybe[i] != 0 && list->Contains(keys[i]);
      if (maybe[i] != 0 && !found) monitor.WasAbsent();
      if (maybe[i] == 0 && is_bad) monitor.WasLost();  // a service: if the list turns out to have it
      good += !is_bad;
      tally.needed += found;
      tally.keys_lost += is_bad && !found;
    }
  }
  tally.lookups = list->lookups() - lookups_before;
  puts(monitor.Read(filter.ExpectedFpr()).sentence);
  tally.expected_for_nothing = static_cast<double>(good) * filter.ExpectedFpr();  // 1 of one that is broken
  return tally;
}

int Run(const Options& options) {
  const Urls url(options.items);
  ExactStore list(options.db, Sync::kOff);
  list.Begin();
  for (uint64_t i = 0; i < options.items; ++i) {
    if (!list.Insert(url(i))) throw StoreError("the URLs are not different");
  }
  list.Commit();
  const std::string image = options.db + ".filter";
  MakeImage(&list, options, image);

  linefilter::FilterFile file;
  Check(file.Load(image.c_str()));  // verifies every byte
  printf("%llu URLs, one of %llu on a list of %llu\n", static_cast<unsigned long long>(options.items),
         static_cast<unsigned long long>(kOneIsBad), static_cast<unsigned long long>(options.items));
  DescribeFilter(file.view());
  const int exit_code = Ask(&list, file.view(), url, options.items, options).Report();

  // One bit of it is another: the image is refused, and what is no filter answers "maybe".
  std::fstream bytes(image, std::ios::in | std::ios::out | std::ios::binary);
  const char first = static_cast<char>(bytes.get() ^ 1);
  bytes.seekp(0);
  bytes.put(first);
  bytes.close();
  linefilter::FilterFile refused;
  const linefilter::Status status = refused.Load(image.c_str());
  const uint64_t few = std::min<uint64_t>(options.items, 5000);
  printf("\na damaged image: %s\n", status.ok() ? "was accepted" : status.message());
  const Tally damaged = Ask(&list, refused.view(), url, few, options);
  const int damaged_code = damaged.Report();
  return std::max({exit_code, damaged_code, status.ok() ? 1 : 0});
}

}  // namespace
}  // namespace uses

int main(int argc, char** argv) {
  return uses::Main(argc, argv, "Is this URL on the list of bad ones?", uses::Restarts::kNo, &uses::Run);
}
