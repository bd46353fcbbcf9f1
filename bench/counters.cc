#include "bench/counters.h"

#ifdef __linux__
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#endif

namespace linefilter::bench {

#ifdef __linux__
namespace {

const std::vector<Counters::Event> kHardware = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};

// The file of the counter, or -1 and errno. leader -1: it becomes one, and stands still until it is enabled.
int OpenEvent(const Counters::Event& event, int leader) {
  perf_event_attr attributes;
  memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = leader < 0;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const pid_t this_thread = 0;
  const int any_cpu = -1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, this_thread, any_cpu, leader, PERF_FLAG_FD_CLOEXEC));
}

std::string Advice(int error) {
  std::string paranoid;
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "this CPU or virtual machine shows no such counter to the kernel: take a machine with one (a host can "
             "give its guest a virtual PMU), or count instructions with tools/perf.sh instructions";
    case EACCES:
    case EPERM:
      std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
      return "not permitted, kernel.perf_event_paranoid is " + (paranoid.empty() ? "unknown" : paranoid) +
             ": set it to 2 or less (sysctl kernel.perf_event_paranoid=2), and in a container allow perf_event_open "
             "in its seccomp profile";
    case ENOSYS:
      return "the kernel has no perf events, or a seccomp profile hides them: allow perf_event_open there";
    case EMFILE:
      return "too many files are open: raise ulimit -n";
    default:
      return "run perf stat true to see what perf makes of it";
  }
}

}  // namespace

Counters::Counters() {
  Open(kHardware);
  CheckThatItCounts(kHardware[0].name);
}

Counters::Counters(const std::vector<Event>& events) {
  Open(events);
  if (!events.empty()) CheckThatItCounts(events[0].name);
}

Counters::~Counters() { Close(); }

void Counters::Open(const std::vector<Event>& events) {
  if (events.empty()) why_ = "no event was asked for";
  for (const Event& event : events) {
    int file = -1;
    if (leader_ >= 0 || files_.empty()) {  // without its first event the group means nothing
      file = OpenEvent(event, leader_);
      const int error = errno;
      if (file < 0 && why_.empty()) {
        why_ = "perf_event_open of " + event.name + " failed with errno " + std::to_string(error) + " (" +
               strerror(error) + "): " + Advice(error);
      }
    }
    if (files_.empty()) leader_ = file;
    files_.push_back(file);
  }
}

// Some virtual machines open counters that stand still; and a group that is larger than what is free never runs.
void Counters::CheckThatItCounts(const std::string& event) {
  if (leader_ < 0) return;
  Start();
  for (int i = 0; i < 100000; ++i) asm volatile("");
  if (StopAll()[0] > 0) return;
  Close();
  why_ = event +
         " could be opened but stands still: the counters are not real (a virtual machine), or all taken by others "
         "(sysctl kernel.nmi_watchdog=0 frees one; another perf may be running)";
}

void Counters::Close() {
  for (int& file : files_) {
    if (file >= 0) close(file);
    file = -1;
  }
  leader_ = -1;
}

bool Counters::Read(Reading* reading) const {
  std::vector<uint64_t> words(3 + files_.size());  // count, enabled, running, a value for each
  const ssize_t size = read(leader_, words.data(), words.size() * sizeof(uint64_t));
  if (size < static_cast<ssize_t>(3 * sizeof(uint64_t))) return false;
  reading->enabled = words[1];
  reading->running = words[2];
  reading->values.clear();
  size_t next = 3;  // of the events that were opened, in their order
  for (const int file : files_) reading->values.push_back(file >= 0 ? words[next++] : 0);
  return true;
}

// The leader alone is switched: the others are always enabled and run only with it. (With PERF_IOC_FLAG_GROUP,
// Linux 6.18 often leaves events of a group at 0 from the second time on.) Differences, because a reset of the counters
// would not reset their times.
void Counters::Start() {
  if (leader_ < 0) return;
  if (!Read(&at_start_)) at_start_ = Reading();
  ioctl(leader_, PERF_EVENT_IOC_ENABLE, 0);
}

std::vector<double> Counters::StopAll() {
  std::vector<double> counts(files_.size(), kNotCounted);
  if (leader_ < 0) return counts;
  ioctl(leader_, PERF_EVENT_IOC_DISABLE, 0);
  Reading now;
  if (!Read(&now) || at_start_.values.size() != now.values.size()) return counts;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i] < 0) continue;
    counts[i] =
        Scaled(now.values[i] - at_start_.values[i], now.enabled - at_start_.enabled, now.running - at_start_.running);
  }
  return counts;
}

#else  // not linux

Counters::Counters() : why_("counters are read by linux perf_event_open, and this system is not linux") {}
Counters::Counters(const std::vector<Event>& events) : Counters() { files_.assign(events.size(), -1); }
Counters::~Counters() = default;
void Counters::Start() {}
std::vector<double> Counters::StopAll() { return std::vector<double>(files_.size(), kNotCounted); }

#endif

double Counters::Scaled(uint64_t count, uint64_t enabled, uint64_t running) {
  if (running == 0) return kNotCounted;
  return static_cast<double>(count) * (static_cast<double>(enabled) / static_cast<double>(running));
}

Counters::Counts Counters::Stop() {
  Counts counts;
  if (leader_ < 0) return counts;
  const std::vector<double> all = StopAll();
  if (all.size() > 0) counts.cycles = all[0];
  if (all.size() > 1) counts.instructions = all[1];
  if (all.size() > 2) counts.cache_misses = all[2];
  return counts;
}

std::string Counters::Text() const {
  if (!available()) return "none: " + why_;
  return why_.empty() ? "hardware" : "hardware, but " + why_;
}

}  // namespace linefilter::bench
