// linefilter redis add brings keys into a filter that others may be filling too, and tells which were certainly new.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tools/program/images.h"
#include "tools/program/key_reader.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Add {
  ServerOptions server;
  std::string name, print, generation;
  KeysOption keys;
  SecretOption secret;
  bool remove = false;
  bool json = false;
};

constexpr const char* kOfInsertions[] = {"known", "new", "failed"};                // per RedisInsert
constexpr const char* kOfRemovals[] = {"absent", "removed", "failed", "unknown"};  // per RedisRemove

// Counts keys per outcome, and prints those whose outcome is wanted, if one is.
class Outcomes {
 public:
  template <size_t n>
  Outcomes(const Add& add, const char* const (&names)[n]) : add_(add), names_(names, names + n), of_(n) {}

  uint64_t of(size_t outcome) const { return of_[outcome]; }
  uint64_t read() const { return std::accumulate(of_.begin(), of_.end(), uint64_t{0}); }
  uint64_t unprinted() const { return unprinted_; }
  int print_error() const { return print_error_; }

  // Takes those of a batch. False: they could not all be printed.
  template <class Outcome>
  bool Take(const std::vector<std::string_view>& lines, const std::vector<Outcome>& outcomes) {
    for (const Outcome outcome : outcomes) ++of_[static_cast<size_t>(outcome)];
    if (add_.print.empty()) return true;
    std::string text;
    std::vector<size_t> ends;  // ends of the keys in it
    for (size_t i = 0; i < outcomes.size(); ++i) {
      if (add_.print != names_[static_cast<size_t>(outcomes[i])]) continue;
      text += lines[i];
      if (!add_.keys.u64) text += add_.keys.line_end();
      ends.push_back(text.size());
    }
    Print(text, ends);
    return unprinted_ == 0;
  }

 private:
  // Prints before the next batch is sent, and unbuffered. What Redis has done and nobody was told of is lost: a key
  // that is added again is known then.
  void Print(const std::string& text, const std::vector<size_t>& ends) {
    size_t written = 0;
    while (written < text.size()) {
      const ssize_t size = write(STDOUT_FILENO, text.data() + written, text.size() - written);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      written += static_cast<size_t>(size);
    }
    print_error_ = errno;
    unprinted_ = static_cast<uint64_t>(ends.end() - std::upper_bound(ends.begin(), ends.end(), written));
  }

  const Add& add_;
  std::vector<std::string> names_;
  std::vector<uint64_t> of_;
  uint64_t unprinted_ = 0;
  int print_error_ = 0;  // why
};

int FailPrinting(uint64_t read, uint64_t acknowledged, uint64_t unprinted, int error) {
  return Fail(
      "redis add: cannot write to standard output: %s. It ends after %llu keys, %llu of them acknowledged.\n"
      "%llu of the last batch were to be printed and are not; those that are acknowledged are known next time.",
      strerror(error), static_cast<unsigned long long>(read), static_cast<unsigned long long>(acknowledged),
      static_cast<unsigned long long>(unprinted));
}

// This is for after a failure. What was acknowledged stays where Redis is only away, full or without a disk. Where the
// filter or a part of it is gone, so is that, and a user who adds only the others gets "absent" for it.
std::string AdviceOf(StatusCode code) {
  switch (code) {
    case StatusCode::kUnavailable:
    case StatusCode::kOverLimit:
    case StatusCode::kIoError:
      return "Add the others, or simply all again.";
    case StatusCode::kNotFound:
    case StatusCode::kCorrupt:
      return "What was acknowledged is lost, too, whoever added it: make the filter anew, of all keys of the exact "
             "source.";
    default:
      return "";
  }
}

// Tells the generation to remove from. In one that was made since the keys left the exact source they may be missing,
// and only the user knows when that was. The first one may be taken for granted.
std::string FindGeneration(const Add& add, RedisFilter* filter, uint64_t* generation, Status* status) {
  if (!add.generation.empty()) {
    *generation = std::stoull(add.generation, nullptr, 16);
    return "";
  }
  *generation = filter->generation();
  RedisInfo info;
  *status = filter->Info(&info);
  if (!status->ok() || info.version == 1) return "";
  return "generations of it were begun, so give --generation, as `linefilter redis info` showed it before the keys "
         "left "
         "the exact source. A later one may be without them, and would give up other keys: leave them in, then";
}

// Removals ended among the keys, because Redis or standard output failed.
int FailRemoving(const Add& add, const Outcomes& told, const Status& status, uint64_t generation) {
  const std::string why = status.ok() ? std::string("cannot write to standard output: ") + strerror(told.print_error())
                                      : SentenceOf(add.name, status);
  const std::string advice = status.code() == StatusCode::kIncompatible
                                 ? "Leave in what is not removed."
                                 : "Go on behind these keys, and remove again what failed, with --generation " +
                                       SecretCheckText(generation) + ".";
  Fail("redis add --remove: after %llu keys, %llu of them removed or absent, %llu failed, %llu unknown: %s\n%s",
       static_cast<unsigned long long>(told.read()), static_cast<unsigned long long>(told.of(0) + told.of(1)),
       static_cast<unsigned long long>(told.of(2)), static_cast<unsigned long long>(told.of(3)), why.c_str(),
       advice.c_str());
  return status.ok() ? kExitBad : ExitOf(status);
}

// Takes the keys out. What nobody knows of is counted by itself: it is not to be removed again.
int RunRemove(const Add& add, KeyReader* reader, RedisFilter* filter) {
  Status status;
  uint64_t generation = 0;
  const std::string refusal = FindGeneration(add, filter, &generation, &status);
  if (!status.ok()) return FailRedis("add --remove", add.name, status);
  if (!refusal.empty()) return Fail("redis add --remove %s: %s", ShownName(add.name).c_str(), refusal.c_str());
  Outcomes told(add, kOfRemovals);
  std::vector<uint64_t> hashes;
  std::vector<RedisRemove> outcomes;
  const Status all_read = ReadKeys(reader, "removing keys", [&](const std::vector<std::string_view>& keys) {
    hashes.clear();
    for (const std::string_view& key : keys) hashes.push_back(filter->HashOf(key));
    outcomes.assign(keys.size(), RedisRemove::kFailed);
    status = filter->RemoveHashes(hashes.data(), hashes.size(), outcomes.data(), generation);
    return told.Take(reader->lines(), outcomes) && status.ok();
  });
  const uint64_t absent = told.of(0), removed = told.of(1), failed = told.of(2), unknown = told.of(3);
  if (add.print.empty() && (status.ok() || failed != told.read())) {
    Report report;
    report.Text("filter", add.name);
    report.Count("keys_read", told.read());
    report.Count("removed", removed);
    report.Count("absent", absent);
    report.Count("failed", failed);
    report.Count("unknown", unknown);
    report.Print(add.json);
  }
  if (!status.ok() && failed == told.read()) return FailRedis("add --remove", add.name, status);
  if (!status.ok() || told.unprinted() != 0) return FailRemoving(add, told, status, generation);
  return all_read.ok() ? kExitGood : Fail("%s", all_read.message());
}

// Says which rule between the options is broken, or nothing.
std::string BrokenRule(const Add& add) {
  const bool is_of_insertions = add.print == "new" || add.print == "known";
  const bool is_of_removals = add.print == "removed" || add.print == "absent" || add.print == "unknown";
  if (add.remove && is_of_insertions) return "--print " + add.print + " goes without --remove";
  if (!add.remove && is_of_removals) return "--print " + add.print + " goes with --remove";
  return add.generation.empty() || IsGeneration(add.generation) ? "" : kNoGeneration;
}

int RunAdd(const Add& add) {
  const std::string broken = BrokenRule(add);
  if (!broken.empty()) return Fail("redis add: %s", broken.c_str());
  KeyReader reader;
  const Status opened = reader.Open(add.keys);
  if (!opened.ok()) return Fail("%s", opened.message());
  RedisFilter filter;
  if (const int failed = OpenFilter("add", add.server, add.name, add.secret, &filter); failed != kExitGood)
    return failed;
  Status status = filter.KeyStatus();
  if (!status.ok()) return FailRedis("add", add.name, status);
  if (!add.print.empty()) signal(SIGPIPE, SIG_IGN);  // a reader that went away is a failure, to be told
  if (add.remove) return RunRemove(add, &reader, &filter);

  Outcomes told(add, kOfInsertions);
  std::vector<uint64_t> hashes;
  std::vector<RedisInsert> outcomes;
  const Status all_read = ReadKeys(&reader, "adding keys", [&](const std::vector<std::string_view>& keys) {
    hashes.clear();
    for (const std::string_view& key : keys) hashes.push_back(filter.HashOf(key));
    outcomes.assign(keys.size(), RedisInsert::kFailed);
    status = filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data());
    return told.Take(reader.lines(), outcomes) && status.ok();
  });
  const uint64_t known = told.of(0), fresh = told.of(1), failed = told.of(2), read = told.read();
  if (add.print.empty()) {
    Report report;
    report.Text("filter", add.name);
    report.Count("keys_read", read);
    report.Count("new", fresh);
    report.Count("known", known);
    report.Count("failed", failed);
    report.Print(add.json);
  }
  const int printed =
      told.unprinted() == 0 ? kExitGood : FailPrinting(read, known + fresh, told.unprinted(), told.print_error());
  if (!status.ok()) {
    const std::string advice = AdviceOf(status.code());
    Fail("redis add: after %llu keys, %llu of them acknowledged: %s%s%s", static_cast<unsigned long long>(read),
         static_cast<unsigned long long>(known + fresh), SentenceOf(add.name, status).c_str(),
         advice.empty() ? "" : "\n", advice.c_str());
    return ExitOf(status);
  }
  const Status growth = filter.growth_status();
  if (!growth.ok()) Fail("redis add: filter %s: %s", ShownName(add.name).c_str(), growth.message());  // a warning
  RedisInfo info;  // a sample, of 1 MiB at most; where it fails, the keys are there all the same
  if (filter.Info(&info).ok() && info.OverCapacity()) {
    WarnOfOverfull(ShownName(add.name), info.capacity, info.approximate_size);
  }
  return all_read.ok() ? printed : Fail("%s", all_read.message());
}

std::function<int()> Declare(Arguments& arguments) {
  auto add = std::make_shared<Add>();
  DeclareFilterName(&arguments, &add->name);
  arguments.Keys(&add->keys);
  arguments.Choice("--print", &add->print, {"new", "known", "failed", "removed", "absent", "unknown"},
                   "Print only the lines whose keys have this outcome, as they were read");
  arguments.AtMostOneOf("--print", "--json");
  arguments.Flag("--remove", &add->remove, "Take the keys out instead, each once; of filters made with --removable");
  arguments.Text("--generation", &add->generation, "ID",
                 "With --remove: only from this generation, which served when the keys left the exact source");
  arguments.Needs("--generation", "--remove");
  arguments.Secret(&add->secret, SecretUse::kAsk, &add->keys);
  DeclareServer(&arguments, ServerUse::kAdd, &add->server);
  arguments.Json(&add->json);
  return [add] { return RunAdd(*add); };
}

}  // namespace

const Command kRedisAddCommand = {
    "add", "Add keys to a filter in Redis, and tell which were new",
    KEYS_NOTES
    "new: certainly nobody had added it, and no other writer is told so of this key. known: it was there, or it looks\n"
    "so (expected_fpr of `linefilter redis info`). failed: nobody vouches for it; adding again is always right.\n"
    "A warning at the end tells of a filter that has more keys than it was made for.\n"
    "--remove is for keys that were added, and exact: a false positive would take another key with it. absent: it was\n"
    "not there. failed: remove it again. unknown: nobody knows, do not remove it again. A later generation may be\n"
    "without the keys, and would give up others for them: so note the generation of `linefilter redis info` before "
    "the\n"
    "keys leave the exact source, and give it as --generation. Where one was ever begun, it must be given.\n"
    "What was acknowledged and not printed, since this was interrupted or its output failed, is known next time.\n"
    "Where a batch fails, the rest is not read. Where the filter or a part of it is gone, so is what was "
    "acknowledged:\n"
    "make it anew of the exact source.\n"
    "Exit code: 0 Redis acknowledged all keys, 2 not, or they could not be printed, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
