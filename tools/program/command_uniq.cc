// linefilter uniq prints the lines of a stream that it has not seen before.
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/lines.h"
#include "tools/program/living_image.h"
#include "tools/program/report.h"
#include "tools/program/stop_signals.h"
#include "tools/program/wrong_drops.h"

namespace linefilter::tools {
namespace {

// A line that is dropped wrongly is gone for good, so this is a tenth of the 1 % that is usual where an exact store
// stands behind the filter. Another tenth costs 5 bits per line.
constexpr double kDefaultFpr = 0.001;

// A filter that grows has room for so many lines at first: 9 MB at the default rate, of which few lines touch a part.
// 1e7 lines then have two stages, and take 14 ns each in the filter and 30 MB; from 2^20 on it is 4 stages, 23 ns and
// 48 MB, from 2^16 on 8 stages, 47 ns and 57 MB (AMD Zen 4, AVX3_DL).
constexpr uint64_t kFirstCapacity = uint64_t{1} << 22;

struct Uniq {
  KeysOption keys;
  std::string filter;
  uint64_t num_keys = 0;
  double fpr = kDefaultFpr;
  SecretOption secret;
  bool json = false;
};

struct Counts {
  uint64_t lines = 0, kept = 0;
};

bool RequestMakesSense(const Uniq& uniq, bool num_keys_is_given) {
  std::string reason;
  if (num_keys_is_given && uniq.num_keys == 0) {
    Fail("uniq: --num-keys 0 leaves no room for a line: give the number that may come, or leave it out");
  } else if (!uniq.filter.empty() && !LivingImage::CanBeAt(uniq.filter, &reason)) {
    Fail("uniq: --filter %s %s", uniq.filter.c_str(), reason.c_str());
  } else if (!uniq.filter.empty() && uniq.keys.Has(uniq.filter)) {
    Fail("uniq: --filter %s is a file of the lines, too: name another one", uniq.filter.c_str());
  } else {
    return true;
  }
  return false;
}

Status MakeFilter(const Uniq& uniq, OwnedFilter* filter) {
  FilterOptions options;
  options.fpr = uniq.fpr;
  options.key_kind = uniq.keys.kind();
  options.memory_limit = MemoryOfMachine();
  if (uniq.secret.is_given) {
    options.hash_id = HashId::kKeyed;
    options.secret = uniq.secret.secret;
  }
  if (uniq.num_keys == 0) return filter->CreateGrowing(kFirstCapacity, options, {});
  options.rounded = true;
  return filter->Create(uniq.num_keys, options);
}

// Has the filter of --filter, if that is there, or a new one; false after saying why there is none.
bool OpenFilter(const Uniq& uniq, LivingImage* image, OwnedFilter* filter) {
  const Status locked = uniq.filter.empty() ? Status() : image->Lock(uniq.filter);
  const bool loads = locked.ok() && image->exists();
  const Status status = !locked.ok() ? locked
                        : loads      ? image->Load("uniq --filter", uniq.keys, uniq.secret.OrNull(), filter)
                                     : MakeFilter(uniq, filter);
  if (status.ok()) return true;
  if (locked.ok() && !loads) {
    Fail("uniq: %s%s", status.message(),
         uniq.num_keys == 0 && uniq.fpr < 1 ? "\nOr give --num-keys, and it need not grow." : "");
  } else {
    FailImage(uniq.filter, status);
  }
  return false;
}

// Prints the lines whose keys are certainly new, until the end or a signal. Others get them as soon as there is no more
// input to handle meanwhile.
Status PrintNewLines(const Uniq& uniq, const StopSignals& signals, KeyReader* reader, const OwnedFilter& filter,
                     WrongDrops* drops, Counts* counts) {
  bool can_write = true;
  reader->WhenIdle([&](int fd) { return (can_write = FlushLines()) && signals.WaitForInput(fd); });
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  const KeyHash key_hash = filter->key_hash();
  std::vector<uint64_t> hashes(KeyReader::kBatchKeys);
  std::vector<uint8_t> were_new(KeyReader::kBatchKeys);
  while (can_write && !StopSignals::HasCome() && reader->Next()) {
    const size_t n = reader->keys().size();
    (void)key_hash.OfKeys(reader->keys().data(), n, hashes.data());
    const uint64_t num_new = filter->InsertHashes(hashes.data(), n, were_new.data());
    PrintLines(*reader, uniq.keys, were_new.data(), 1);
    if (is_terminal || ferror(stdout) != 0) can_write = FlushLines();
    counts->lines += n;
    counts->kept += num_new;
    drops->Kept(num_new);
  }
  if (!can_write || !FlushLines()) {
    return Status::Error(StatusCode::kIoError, "uniq: cannot write to standard output: %s", strerror(errno));
  }
  return reader->status();
}

void ReportCounts(const Uniq& uniq, const Counts& counts, const OwnedFilter& filter, WrongDrops* drops) {
  const double dropped = drops->Expected();
  const Status grown = filter.growing() != nullptr ? filter.growing()->growth_status() : Status();
  Report report;
  report.Count("lines", counts.lines);
  report.Count("kept", counts.kept);
  report.Number("expected_wrongly_dropped", std::isfinite(dropped) ? dropped : NAN);
  if (!grown.ok()) report.Text("growth", grown.message());
  report.Print(uniq.json, stderr);
  if (filter->OverCapacity()) {
    WarnOfOverfull(uniq.filter.empty() ? "the filter" : uniq.filter, filter->capacity(), filter->ApproximateSize());
  }
}

int RunUniq(const Uniq& uniq, bool num_keys_is_given) {
  if (!RequestMakesSense(uniq, num_keys_is_given)) return kExitBad;
  KeyReader reader;
  const Status opened = reader.Open(uniq.keys);
  if (!opened.ok()) return Fail("%s", opened.message());
  LivingImage image;
  OwnedFilter filter;
  if (!OpenFilter(uniq, &image, &filter)) return kExitBad;
  BufferLines();
  WrongDrops drops(filter);
  Counts counts;
  const StopSignals signals;
  const Status status = PrintNewLines(uniq, signals, &reader, filter, &drops, &counts);
  const char* const unchanged =
      uniq.filter.empty() ? "" : "\nThe filter is as it was: the next run prints lines again.";
  if (!status.ok()) return Fail("%s%s", status.message(), unchanged);
  if (!uniq.filter.empty()) {
    (void)fdatasync(STDOUT_FILENO);  // a file must have the lines before the filter says that they were seen
    const Status saved = image.Save(filter);
    if (!saved.ok()) return FailImage(uniq.filter, saved);
  }
  ReportCounts(uniq, counts, filter, &drops);
  StopSignals::EndBySignal();
  return filter.growing() == nullptr || filter.growing()->growth_status().ok() ? kExitGood : kExitNegative;
}

std::function<int()> Declare(Arguments& arguments) {
  auto uniq = std::make_shared<Uniq>();
  arguments.Keys(&uniq->keys);
  arguments.Count("--num-keys", &uniq->num_keys,
                  "How many different lines come, for a filter half as large; by default it grows");
  arguments.Rate("--fpr", &uniq->fpr, "The highest share of new lines to be dropped; 0.001 by default");
  arguments.Path("--filter", &uniq->filter,
                 "Image of the lines of earlier runs, which gets those of this one; made if missing");
  arguments.Secret(&uniq->secret, SecretUse::kMake, &uniq->keys);
  arguments.Json(&uniq->json);
  return [uniq, &arguments] { return RunUniq(*uniq, arguments.Given("--num-keys")); };
}

}  // namespace

const Command kUniqCommand = {
    "uniq", "Print the lines of a stream that were not seen before",
    KEYS_NOTES
    "With --field N lines are told apart by that field alone. Output is handed on as soon as no more input is ready.\n"
    "A line that was seen is always dropped. A new one that looks like others is dropped, too, and lost: at most the\n"
    "share --fpr of them, and far less until the filter is full. The summary on standard error tells how many lines\n"
    "came (lines), how many were printed (kept), and how many distinct ones are expected to be lost\n"
    "(expected_wrongly_dropped, from the rate that the filter had when each came).\n"
    "--num-keys and --fpr say how a filter is made; one that --filter finds is as it is. That file is changed as add\n"
    "changes an image, at the end, or on Ctrl-C, SIGTERM or SIGHUP. Before, it is as it was: after a crash or a "
    "closed\n"
    "output (| head) the next run prints lines again and loses none.\n"
    "Memory: 2 bytes per line with --num-keys, 3 to 6 while it grows, at the default rate.\n"
    "Exit code: 0 good, 1 the filter could not grow and its rate is above --fpr, 2 bad usage, bad image or bad lines.",
    &Declare};

}  // namespace linefilter::tools
