// A list is deduplicated by several processes at once: which of its e-mail addresses (or URLs) has nobody brought
// before? A local copy of the filter, then the filter in Redis, then an exact store (SQLite), each asked only what the
// one before could not answer. Prints how many questions each level answered; fails if an item was told to be new
// twice, or accepted twice, or not at all.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "examples/redis_dedup/list.h"
#include "examples/redis_dedup/results.h"
#include "examples/redis_dedup/writer.h"
#include "linefilter/redis.h"

namespace redis_dedup {
namespace {

constexpr int kExitGood = 0, kExitWrong = 1, kExitBad = 2;
constexpr uint64_t kFollowedKeys = 1000000;  // 8 MB in Redis
constexpr uint64_t kTimeToLiveMs = 3600000;  // of the filter, should nobody be left to delete it
// Writers finish the batch that they are at: of one that is killed commands may come after the filter was deleted, and
// make a shard that nobody deletes.
constexpr auto kGrace = std::chrono::seconds(10);
constexpr char kPasswordVariable[] = "LINEFILTER_REDIS_PASSWORD";

constexpr char kHelp[] =
    "  --items N          how many, like 1e6; three of ten come again\n"
    "  --kind email|url   what they are\n"
    "  --list FILE        instead: the lines of a file, but the empty ones\n"
    "  --server A         of Redis: host:port[,host:port...] or unix:/path (127.0.0.1:6379)\n"
    "  --user NAME        of its ACL; the default user by default\n"
    "  --name NAME        of the filter there (redis_dedup), which must be free; deleted at the end\n"
    "  --writers N        processes (4)\n"
    "  --fpr P            the filter's false-positive rate, like 0.01\n"
    "  --within-ms MS     how old a writer's local copy may be (300)\n"
    "  --patience-ms MS   how long Redis is asked again before the store decides alone (2000)\n"
    "  --pause-ms MS      how long it does so then without asking; 0: each time after that patience (80)\n"
    "  A password comes from the environment variable LINEFILTER_REDIS_PASSWORD.\n";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

volatile sig_atomic_t interrupted = 0;

void Interrupt(int) { interrupted = 1; }

// Ctrl-C, or SIGTERM: the writers end, and what was made is removed.
void HandleSignals() {
  struct sigaction action = {};
  action.sa_handler = &Interrupt;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

// The number of a standard stream that is closed is not for a connection to Redis: what is printed would be commands.
// Opened for reading only, so that printing fails as before.
void OccupyStandardStreams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) _exit(kExitBad);
  }
}

Options Parse(int argc, char** argv) {
  Options options;
  options.servers.deadlines.admin_ms = options.servers.deadlines.request_ms = 2000;
  if (const char* password = std::getenv(kPasswordVariable)) options.servers.password = password;
  bool is_made = false;
  for (int i = 1; i < argc; i += 2) {  // argv[argc] is null
    const std::string name = argv[i];
    if (argv[i + 1] == nullptr || std::strncmp(argv[i + 1], "--", 2) == 0) throw UsageError(name + " needs a value");
    const std::string text = argv[i + 1];
    const auto number = [&](double least, double most) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      if (end == text.c_str() || *end != '\0' || !(value >= least && value <= most)) {
        throw UsageError(name + ": no number from " + std::to_string(least) + " to " + std::to_string(most));
      }
      return value;
    };
    is_made = is_made || name == "--items" || name == "--kind";
    if (name == "--items") {
      options.items = static_cast<uint64_t>(number(100, 1e9));
    } else if (name == "--fpr") {
      options.fpr = number(1e-9, 0.9);
    } else if (name == "--writers") {
      options.writers = static_cast<unsigned>(number(1, 100));
    } else if (name == "--within-ms") {
      options.within_ms = static_cast<uint64_t>(number(50, 1e9));
    } else if (name == "--patience-ms") {
      options.servers.deadlines.request_ms = static_cast<uint32_t>(number(1, 1e9));
    } else if (name == "--pause-ms") {
      options.servers.deadlines.pause_ms = static_cast<uint32_t>(number(0, 1e9));
    } else if (name == "--server") {
      options.servers.addresses = text;
    } else if (name == "--user") {
      options.servers.user = text;
    } else if (name == "--name") {
      options.name = text;
    } else if (name == "--list") {
      options.list = text;
    } else if (name == "--kind" && (text == "email" || text == "url")) {
      options.kind = text;
    } else {
      throw UsageError("'" + name + " " + text + "' is no option here");
    }
  }
  if (is_made && !options.list.empty()) throw UsageError("--list has its own items: leave --items and --kind out");
  return options;
}

// In a process of its own. What came out goes to a file: its tally, then its notes.
int RunWriter(const Options& options, const List& list, const std::string& folder, unsigned number) {
  try {
    Notes notes;
    const Tally tally = Writer(options, list, number).Run(&notes, interrupted);
    if (interrupted != 0) return kExitBad;
    return WriteResult(ResultFile(folder, number), tally, notes) ? kExitGood : kExitBad;
  } catch (const std::exception& error) {
    fprintf(stderr, "writer %u: %s\n", number, error.what());
    return kExitBad;
  }
}

pid_t StartWriter(const Options& options, const List& list, const std::string& folder, unsigned number) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
#ifdef __linux__  // a writer does not outlive whoever counts
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExitBad);
#else
  (void)parent;
#endif
  _exit(RunWriter(options, list, folder, number));
}

void RunWriters(const Options& options, const List& list, const std::string& folder) {
  std::vector<pid_t> children;
  bool good = true;
  for (unsigned i = 0; i < options.writers && good; ++i) {
    children.push_back(StartWriter(options, list, folder, i));
    good = children.back() > 0;
  }
  if (!good) children.pop_back();
  auto kill_at = std::chrono::steady_clock::time_point::max();
  while (!children.empty()) {  // asked, not waited for: a signal between two system calls would be waited over
    const auto now = std::chrono::steady_clock::now();
    if ((interrupted != 0 || !good) && kill_at > now + kGrace) {
      for (const pid_t child : children) kill(child, SIGTERM);
      kill_at = now + kGrace;
    }
    for (auto child = children.begin(); child != children.end();) {
      if (now >= kill_at) kill(*child, SIGKILL);
      int status = 0;
      const bool has_ended = waitpid(*child, &status, WNOHANG) != 0;
      if (has_ended) good = good && WIFEXITED(status) && WEXITSTATUS(status) == kExitGood;
      child = has_ended ? children.erase(child) : child + 1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (interrupted != 0) throw std::runtime_error("interrupted; all that was made is removed");
  if (!good) throw std::runtime_error("a writer failed");
}

int Report(const Tally& tally, const Judged& judged, double seconds) {
  const auto line = [](const char* level, uint64_t asked, uint64_t answered, const char* how) {
    printf("%-12s %10llu %10llu %8.2f%%  %s\n", level, static_cast<unsigned long long>(asked),
           static_cast<unsigned long long>(answered),
           asked == 0 ? 0 : 100 * static_cast<double>(answered) / static_cast<double>(asked), how);
  };
  const auto fact = [](const char* name, uint64_t value) {
    printf("%-34s %10llu\n", name, static_cast<unsigned long long>(value));
  };
  uint64_t told_twice = 0, twice = 0, lost = 0;
  for (const uint8_t times : judged.told_new) told_twice += times > 1;
  for (const uint8_t times : judged.accepted) {
    twice += times > 1;
    lost += times == 0;
  }
  printf("%-12s %10s %10s %9s\n", "level", "asked", "answered", "share");
  line("local copy", tally.items, tally.known_here, "spared Redis: it would say \"known\"");
  line("Redis", tally.asked_redis, tally.new_in_redis, "certainly new: decided");
  line("SQLite", tally.lookups, tally.lookups, "all the rest: decided");
  fact("  of them known", tally.found);
  fact("  not known: false positives, races", tally.lookups - tally.found);
  line("decided", tally.items, tally.new_in_redis + tally.lookups, "by Redis or SQLite");
  fact("Redis did not answer", tally.unanswered);
  fact("insertions that failed", tally.failed_insertions);
  fact("told new twice", told_twice);
  fact("refused by UNIQUE: races", tally.refused);
  fact("accepted", tally.accepted);
  fact("duplicates accepted", twice);
  fact("items lost", lost);
  printf("local copies: refreshed %llu times, %.1f MB; %.1f s, %.0f items per second\n",
         static_cast<unsigned long long>(tally.refreshes), static_cast<double>(tally.refresh_bytes) / 1e6, seconds,
         static_cast<double>(tally.items) / seconds);
  const bool good = told_twice == 0 && twice == 0 && lost == 0 && tally.accepted == judged.accepted.size();
  return good ? kExitGood : kExitWrong;
}

// A table that nobody got is no success.
int Flushed(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  fprintf(stderr, "redis_dedup: cannot write to standard output%s%s\n", errno == 0 ? "" : ": ",
          errno == 0 ? "" : std::strerror(errno));
  return kExitBad;
}

int Run(Options options, const std::string& folder) {
  options.db = folder + "/store.db";
  HandleSignals();
  const List list = options.list.empty() ? List(options.kind, options.items) : List(options.list);
  linefilter::FilterOptions filter_options;
  filter_options.fpr = options.fpr;
  // Closed again before the processes part: connections are not shared.
  uses::ExactStore(options.db, uses::Sync::kOff);
  {
    linefilter::RedisFilter filter;
    linefilter::RedisLayout layout;
    layout.followed_keys = kFollowedKeys;
    uses::Check(filter.Create(options.servers, options.name, list.distinct(), filter_options, layout));
    uses::Check(filter.Expire(kTimeToLiveMs));
  }

  printf("%llu items (%s), %llu of them repeated; %u writers\n", static_cast<unsigned long long>(list.items()),
         (options.list.empty() ? options.kind : options.list).c_str(),
         static_cast<unsigned long long>(list.items() - list.distinct()), options.writers);
  fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  int exit_code = kExitBad;
  try {
    RunWriters(options, list, folder);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    Judged judged(list.distinct());
    const Tally tally = Collect(folder, options.writers, &judged);
    exit_code = Report(tally, judged, seconds.count());
  } catch (const std::exception& error) {
    fprintf(stderr, "redis_dedup: %s\n", error.what());
  }
  const linefilter::Status gone = linefilter::RedisFilter::Delete(options.servers, options.name);
  if (!gone.ok() && gone.code() != linefilter::StatusCode::kNotFound)
    fprintf(stderr, "the filter %s stays: %s\n", options.name.c_str(), gone.message());
  return exit_code;
}

}  // namespace
}  // namespace redis_dedup

int main(int argc, char** argv) {
  redis_dedup::OccupyStandardStreams();
  std::string folder = (std::filesystem::temp_directory_path() / "linefilter-dedup-XXXXXX").string();
  bool made = false;
  int exit_code = redis_dedup::kExitBad;
  try {
    if (std::any_of(argv, argv + argc, [](const char* word) { return std::strcmp(word, "--help") == 0; })) {
      printf("%s [OPTION VALUE]...: a list is deduplicated by several processes at once.\n%s", argv[0],
             redis_dedup::kHelp);
      return redis_dedup::Flushed(redis_dedup::kExitGood);
    }
    const redis_dedup::Options options = redis_dedup::Parse(argc, argv);
    made = mkdtemp(folder.data()) != nullptr;
    if (!made) throw std::runtime_error("no folder can be made for the store: set TMPDIR");
    exit_code = redis_dedup::Run(options, folder);
  } catch (const redis_dedup::UsageError& error) {
    fprintf(stderr, "%s: %s\n", argv[0], error.what());
    fputs(redis_dedup::kHelp, stderr);
  } catch (const std::exception& error) {
    fprintf(stderr, "%s: %s\n", argv[0], error.what());
  }
  if (made) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  return redis_dedup::Flushed(exit_code);
}
