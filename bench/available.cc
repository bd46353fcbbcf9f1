#include "bench/available.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace linefilter::bench {
namespace {

constexpr uint64_t kReserve = uint64_t{1} << 30;  // keys to ask, and what else runs

// A number in a file of a control group; the most there is where it does not say ("max").
uint64_t GroupBytes(const char* file) {
  uint64_t bytes = 0;
  return std::ifstream(std::string("/sys/fs/cgroup/") + file) >> bytes ? bytes : UINT64_MAX;
}

std::string Sentence(const std::string& what, uint64_t needed, uint64_t available) {
  return what + ": needs " + std::to_string(needed >> 20) + " MiB, " + std::to_string(available >> 20) + " are free";
}

}  // namespace

uint64_t AvailableMemory() {
  const uint64_t most = GroupBytes("memory.max"), used = GroupBytes("memory.current");
  const uint64_t of_group = most == UINT64_MAX || used == UINT64_MAX ? UINT64_MAX : most - std::min(used, most);
  std::ifstream in("/proc/meminfo");
  for (std::string word; in >> word;) {
    uint64_t kib = 0;
    if (word == "MemAvailable:" && in >> kib) return std::min(kib << 10, of_group);
  }
  return std::min(uint64_t{4} << 30, of_group);
}

std::vector<std::string> LeaveOutTooLarge(uint64_t available, uint64_t kept, std::vector<Group>* groups) {
  std::vector<std::string> left_out;
  std::vector<Group> fitting;
  const uint64_t reserve = kReserve + kept;
  for (Group& group : *groups) {
    if (const uint64_t needed = MostBytes(group) + reserve; needed > available) {
      const auto is_build = [](const Row& row) { return IsBuild(row.access); };
      const auto builds = std::remove_if(group.rows.begin(), group.rows.end(), is_build);
      if (builds != group.rows.end() && builds != group.rows.begin()) {
        left_out.push_back(Sentence(group.name + ", building", needed, available));
      }
      if (builds != group.rows.begin()) {
        group.rows.erase(builds, group.rows.end());
        group.spec.built_later = false;
      }
    }
    if (const uint64_t needed = MostBytes(group) + reserve; needed > available) {
      left_out.push_back(Sentence(group.name, needed, available));
    } else {
      fitting.push_back(std::move(group));
    }
  }
  groups->swap(fitting);
  return left_out;
}

}  // namespace linefilter::bench
