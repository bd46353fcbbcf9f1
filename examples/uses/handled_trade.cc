// Was this trade handled? Messages come at least once, some again, and after a restart all that nobody acknowledged:
// each trade must change the books exactly once. The same holds for coupons, payments, webhooks.
//
// After a crash the filter must have every key of the store, or a trade would be handled twice. Four rules see to that:
// 1. While running: into the filter first, then into the store. A crash between the two loses the filter with the
//    process.
// 2. An image of the filter is only a shortcut for the start: the store says which image (the fingerprint of its bytes)
//    has all rows up to which one, and says so after the image is safely under its name.
// 3. At the start such an image gets the rows that came after it. If it is missing, damaged, older, of another store,
//    or too small: the filter is made anew of all rows.
// 4. The column stays UNIQUE. Should all else fail, the store refuses the second one.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "examples/uses/exact_store.h"
#include "examples/uses/use.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"

namespace uses {
namespace {

constexpr uint64_t kGroup = 10000;      // messages that are acknowledged together, behind one commit
constexpr uint64_t kGroupsOfImage = 4;  // an image is saved so often

std::string TradeId(uint64_t trade) { return "XETR-20261123-" + std::to_string(100000000 + trade); }
int64_t AmountOf(uint64_t trade) { return static_cast<int64_t>(linefilter::MixHash(trade) % 10000); }

// Rule 2. Whatever fails or dies here leaves an image that the store does not know, or an older one with its row.
void SaveFilter(const linefilter::BlockedFilter& filter, const std::string& path, ExactStore* store) {
  const int64_t last_row = store->LastRow();  // the filter has all of these
  std::string image;
  Check(filter.AppendImage(&image));
  linefilter::AtomicFile file;
  Check(file.Create(path.c_str()));
  Check(file.Append(image.data(), image.size()));
  Check(file.Commit());
  store->SetSavedFilter({linefilter::HashKey(image), last_row});
}

// Rule 3. Empty, or why the image is of no use.
std::string LoadFilter(const std::string& path, uint64_t room, const Options& options, ExactStore* store,
                       linefilter::BlockedFilter* filter) {
  ExactStore::SavedFilter saved;
  if (!store->GetSavedFilter(&saved)) return "none was saved";
  linefilter::FilterFile file;
  linefilter::Status status = file.Load(path.c_str());
  if (status.code() == linefilter::StatusCode::kIoError) return "it is missing";
  const std::string_view image(static_cast<const char*>(file.data()), file.view().image_bytes());
  if (!status.ok() || linefilter::HashKey(image) != saved.fingerprint) {
    return "it is damaged, or not the one that the store knows";
  }
  status = filter->CreateFromImage(image.data(), image.size());
  if (!status.ok()) return status.message();
  if (MaxKeysForFpr(filter->layout(), filter->body_bytes(), options.fpr) < room) return "it is too small by now";
  uint64_t late = 0;
  store->ForEachAfter(saved.last_row, [&](std::string_view id) {
    filter->InsertKey(id);
    ++late;
  });
  printf("filter: loaded, and %llu trades that came after it\n", static_cast<unsigned long long>(late));
  return "";
}

void OpenFilter(const std::string& path, uint64_t room, const Options& options, ExactStore* store,
                linefilter::BlockedFilter* filter) {
  const std::string reason = LoadFilter(path, room, options, store, filter);
  if (reason.empty()) return;
  Check(filter->Create(room, options.filter()));
  store->ForEachAfter(0, [&](std::string_view id) { filter->InsertKey(id); });
  printf("filter: made of %llu trades, for of its image %s\n", static_cast<unsigned long long>(store->Count()),
         reason.c_str());
}

int Run(const Options& options) {
  const Stream messages = {10};
  const uint64_t trades = messages.NewBefore(options.items);
  const std::string image = options.db + ".filter";
  ExactStore store(options.db, Sync::kFull);  // what was acknowledged must stay
  const uint64_t handled_before = store.Count();
  if (handled_before > trades) {  // the books could not be judged by a list that ends before them
    throw std::runtime_error(options.db + " has " + std::to_string(handled_before) + " trades, these are messages of " +
                             std::to_string(trades) + ": give at least as many --items as before");
  }
  linefilter::BlockedFilter filter;
  OpenFilter(image, trades, options, &store, &filter);

  Tally tally;
  tally.questions = options.items;
  tally.expected_for_nothing = MaybesWhileFilling(filter, handled_before, trades);
  store.Begin();
  for (uint64_t i = 0; i < options.items; ++i) {
    const uint64_t trade = messages.ItemAt(i);
    const std::string id = TradeId(trade);
    if (filter.MayContainKey(id) && store.Contains(id)) {
      ++tally.needed;  // it was: acknowledge, and no more
    } else {
      filter.InsertKey(id);                                                 // rule 1
      if (!store.Insert(id, AmountOf(trade))) ++tally.duplicates_accepted;  // rule 4
    }
    if (i + 1 == options.crash_after) kill(getpid(), SIGKILL);
    if ((i + 1) % kGroup == 0) {
      store.Commit();  // here the group is acknowledged
      if ((i + 1) % (kGroup * kGroupsOfImage) == 0) SaveFilter(filter, image, &store);
      store.Begin();
    }
  }
  store.Commit();
  SaveFilter(filter, image, &store);
  tally.lookups = store.lookups();

  // The books, from a list that no crash has touched.
  int64_t sum = 0;
  for (uint64_t trade = 0; trade < trades; ++trade) sum += AmountOf(trade);
  tally.keys_lost = trades - std::min(trades, store.Count());
  tally.duplicates_accepted += store.Count() - std::min(trades, store.Count());
  printf("%llu messages of %llu trades, %llu handled before; the books say %lld, should be %lld\n",
         static_cast<unsigned long long>(options.items), static_cast<unsigned long long>(trades),
         static_cast<unsigned long long>(handled_before), static_cast<long long>(store.Sum()),
         static_cast<long long>(sum));
  DescribeFilter(filter);
  const int exit_code = tally.Report();
  return store.Sum() == sum ? exit_code : std::max(exit_code, 1);
}

}  // namespace
}  // namespace uses

int main(int argc, char** argv) {
  return uses::Main(argc, argv, "Was this trade handled?", uses::Restarts::kYes, &uses::Run);
}
