#include "bench/available.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace linefilter::bench {
namespace {

constexpr uint64_t kReserve = uint64_t{1} << 30;  // keys to ask, and what else runs

// A number in a file; the most there is where it does not say ("max", or no file).
uint64_t NumberIn(const std::string& file) {
  uint64_t bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : UINT64_MAX;
}

// The number that a file of "name number" lines has for a name. It is 0 without such a line.
uint64_t FieldIn(const std::string& file, const std::string& field) {
  std::ifstream in(file);
  uint64_t bytes = 0;
  for (std::string name; in >> name >> bytes;) {
    if (name == field) return bytes;
  }
  return 0;
}

// What the files of a version of control groups are called.
struct Names {
  const char *folder, *most, *used, *idle;  // idle: of memory.stat, files in memory that the kernel gives up first
};
constexpr Names kVersion2 = {"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file"};
constexpr Names kVersion1 = {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                             "total_inactive_file"};

// The least that this group and all that hold it leave. A container may see its own group at the root, under the name
// that it has outside: groups that are not there say nothing.
uint64_t FreeInGroups(const std::string& root, const Names& names, std::string group) {
  uint64_t least = UINT64_MAX;
  for (;;) {
    const std::string folder = root + names.folder + group;
    const uint64_t most = NumberIn(folder + names.most), used = NumberIn(folder + names.used);
    if (most != UINT64_MAX && used != UINT64_MAX) {
      const uint64_t busy = used - std::min(used, FieldIn(folder + "/memory.stat", names.idle));
      least = std::min(least, most - std::min(busy, most));
    }
    if (group.empty()) return least;
    group.erase(group.rfind('/'));
  }
}

// /proc/self/cgroup has "0::/path" for version 2, and "4:memory:/path" for version 1.
uint64_t FreeInGroups(const std::string& root) {
  uint64_t least = std::min(FreeInGroups(root, kVersion2, ""), FreeInGroups(root, kVersion1, ""));
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const size_t path = line.find(":/");
    if (path == std::string::npos) continue;
    const bool is_version_2 = line.compare(0, 3, "0::") == 0;
    if (!is_version_2 && line.substr(0, path).find("memory") == std::string::npos) continue;
    least = std::min(least, FreeInGroups(root, is_version_2 ? kVersion2 : kVersion1, line.substr(path + 1)));
  }
  return least;
}

std::string Sentence(const std::string& what, uint64_t needed, uint64_t available) {
  return what + ": needs " + std::to_string(needed >> 20) + " MiB, " + std::to_string(available >> 20) + " are free";
}

}  // namespace

uint64_t AvailableMemory(const std::string& root) {
  const uint64_t of_groups = FreeInGroups(root);
  std::ifstream in(root + "/proc/meminfo");
  for (std::string word; in >> word;) {
    uint64_t kib = 0;
    if (word == "MemAvailable:" && in >> kib) return std::min(kib << 10, of_groups);
  }
  return std::min(uint64_t{4} << 30, of_groups);
}

std::vector<std::string> LeaveOutTooLarge(uint64_t available, const std::function<uint64_t(const Group&)>& kept,
                                          std::vector<Group>* groups) {
  std::vector<std::string> left_out;
  uint64_t reserve = kReserve;
  // Without its builds, if it does not fit with them.
  const auto fits = [&](Group* group) {
    const auto needed = [&] { return reserve + std::max(MostBytes(*group), kept(*group)); };
    const auto is_build = [](const Row& row) { return IsBuild(row.access); };
    std::vector<Row>& rows = group->rows;
    if (needed() > available && std::any_of(rows.begin(), rows.end(), is_build) &&
        !std::all_of(rows.begin(), rows.end(), is_build)) {
      left_out.push_back(Sentence(group->name + ", building", needed(), available));
      rows.erase(std::remove_if(rows.begin(), rows.end(), is_build), rows.end());
      group->spec.built_later = false;
    }
    if (needed() <= available) return true;
    left_out.push_back(Sentence(group->name, needed(), available));
    return false;
  };
  // Those that live all the time come first, the smallest of them before others: the most fit. What they leave is for
  // those that live alone.
  std::vector<Group*> order;
  for (Group& group : *groups) order.push_back(&group);
  const auto place = [&](const Group* group) { return std::make_pair(kept(*group) == 0, kept(*group)); };
  std::stable_sort(order.begin(), order.end(), [&](const Group* a, const Group* b) { return place(a) < place(b); });
  for (Group* const group : order) {
    if (fits(group)) {
      reserve += kept(*group);
    } else {
      group->rows.clear();
    }
  }
  const auto is_left_out = [](const Group& group) { return group.rows.empty(); };
  groups->erase(std::remove_if(groups->begin(), groups->end(), is_left_out), groups->end());
  return left_out;
}

}  // namespace linefilter::bench
