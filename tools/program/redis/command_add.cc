// linefilter redis add brings keys into a filter that others may be filling too, and tells which were certainly new.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
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
  std::string name, print;
  KeysOption keys;
  SecretOption secret;
  bool remove = false;
  bool json = false;
};

struct Counts {
  uint64_t of[3] = {0, 0, 0};  // per RedisInsert
};

// Prints the lines of the keys that are asked for, before the next batch is added, and unbuffered. A key that is
// acknowledged and not printed is known when it is added again, so nobody would ever be told that it was new. It
// returns how many of them could not be written; then errno says why.
uint64_t PrintOutcomes(const Add& add, const std::vector<std::string_view>& lines,
                       const std::vector<RedisInsert>& outcomes) {
  const RedisInsert wanted = add.print == "new"     ? RedisInsert::kNew
                             : add.print == "known" ? RedisInsert::kKnown
                                                    : RedisInsert::kFailed;
  std::string text;
  std::vector<size_t> ends;  // ends of the keys in it
  for (size_t i = 0; i < lines.size(); ++i) {
    if (outcomes[i] != wanted) continue;
    text += lines[i];
    if (!add.keys.u64) text += add.keys.line_end();
    ends.push_back(text.size());
  }
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t size = write(STDOUT_FILENO, text.data() + written, text.size() - written);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    written += static_cast<size_t>(size);
  }
  return static_cast<uint64_t>(ends.end() - std::upper_bound(ends.begin(), ends.end(), written));
}

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

// Takes the keys out. What nobody knows of is counted by itself: it is not to be removed again.
int RunRemove(const Add& add, KeyReader* reader, RedisFilter* filter) {
  Status status;
  uint64_t of[4] = {0, 0, 0, 0}, read = 0;  // per RedisRemove
  std::vector<uint64_t> hashes;
  std::vector<RedisRemove> outcomes;
  const Status all_read = ReadKeys(reader, "removing keys", [&](const std::vector<std::string_view>& keys) {
    hashes.clear();
    for (const std::string_view& key : keys) hashes.push_back(filter->HashOf(key));
    outcomes.assign(keys.size(), RedisRemove::kFailed);
    status = filter->RemoveHashes(hashes.data(), hashes.size(), outcomes.data());
    for (const RedisRemove outcome : outcomes) ++of[static_cast<size_t>(outcome)];
    read += keys.size();
    return status.ok();
  });
  if (status.ok() || of[2] != read) {
    Report report;
    report.Text("filter", add.name);
    report.Count("keys_read", read);
    report.Count("removed", of[1]);
    report.Count("absent", of[0]);
    report.Count("failed", of[2]);
    report.Count("unknown", of[3]);
    report.Print(add.json);
  }
  if (!status.ok()) {
    return FailRedis("add --remove", add.name, status,
                     of[3] == 0 ? "" : "Do not remove again what is unknown: it costs a false positive at most.");
  }
  return all_read.ok() ? kExitGood : Fail("%s", all_read.message());
}

int RunAdd(const Add& add) {
  KeyReader reader;
  const Status opened = reader.Open(add.keys);
  if (!opened.ok()) return Fail("%s", opened.message());
  RedisFilter filter;
  if (const int failed = OpenFilter("add", add.server, add.name, add.secret, &filter); failed != kExitGood)
    return failed;
  Status status = filter.KeyStatus();
  if (!status.ok()) return FailRedis("add", add.name, status);
  if (add.remove) return RunRemove(add, &reader, &filter);

  Counts counts;
  std::vector<uint64_t> hashes;
  std::vector<RedisInsert> outcomes;
  uint64_t read = 0, unprinted = 0;
  int print_error = 0;
  if (!add.print.empty()) signal(SIGPIPE, SIG_IGN);  // a reader that went away is a failure, to be told
  const Status all_read = ReadKeys(&reader, "adding keys", [&](const std::vector<std::string_view>& keys) {
    hashes.clear();
    for (const std::string_view& key : keys) hashes.push_back(filter.HashOf(key));
    outcomes.assign(keys.size(), RedisInsert::kFailed);
    status = filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data());
    for (const RedisInsert outcome : outcomes) ++counts.of[static_cast<size_t>(outcome)];
    read += keys.size();
    if (!add.print.empty()) unprinted = PrintOutcomes(add, reader.lines(), outcomes);
    print_error = errno;
    return status.ok() && unprinted == 0;
  });
  const uint64_t known = counts.of[0], fresh = counts.of[1], failed = counts.of[2];
  if (add.print.empty()) {
    Report report;
    report.Text("filter", add.name);
    report.Count("keys_read", read);
    report.Count("new", fresh);
    report.Count("known", known);
    report.Count("failed", failed);
    report.Print(add.json);
  }
  const int printed = unprinted == 0 ? kExitGood : FailPrinting(read, known + fresh, unprinted, print_error);
  if (!status.ok()) {
    const std::string advice = AdviceOf(status.code());
    Fail("redis add: after %llu keys, %llu of them acknowledged: %s%s%s", static_cast<unsigned long long>(read),
         static_cast<unsigned long long>(known + fresh), SentenceOf(add.name, status).c_str(),
         advice.empty() ? "" : "\n", advice.c_str());
    return ExitOf(status);
  }
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
  arguments.Choice("--print", &add->print, {"new", "known", "failed"},
                   "Print only the lines whose keys have this outcome, as they were read");
  arguments.AtMostOneOf("--print", "--json");
  arguments.Flag("--remove", &add->remove, "Take the keys out instead, each once; of filters made with --removable");
  arguments.AtMostOneOf("--print", "--remove");
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
    "not there. failed: remove it again. unknown: a reply was lost, do not remove it again.\n"
    "What was acknowledged and not printed, since this was interrupted or its output failed, is known next time.\n"
    "Where a batch fails, the rest is not read. Where the filter or a part of it is gone, so is what was "
    "acknowledged:\n"
    "make it anew of the exact source.\n"
    "Exit code: 0 Redis acknowledged all keys, 2 not, or they could not be printed, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
