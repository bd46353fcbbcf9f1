#include "tools/program/fpr_baseline.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "linefilter/file.h"

namespace linefilter::tools {
namespace {

using nlohmann::json;

// The folder is locked, not the file, which is replaced; so no lock file stays in a tree that is committed.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path) {
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    fd_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() {
    if (fd_ >= 0) close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

// Takes a whole number from 0 on; false if there is none.
bool TakeCount(const json& object, const char* name, uint64_t* value) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) return false;
  *value = found->get<uint64_t>();
  return true;
}

// Says what is wrong with a line, or nothing.
std::string ParseRow(const std::string& line, BaselineRow* row) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return "is no JSON object";
  const auto name = object.find("name"), bits = object.find("bits_per_key");
  if (name == object.end() || !name->is_string() || name->get<std::string>().empty()) return "has no \"name\"";
  row->name = name->get<std::string>();
  if (bits == object.end() || !bits->is_number() || bits->get<double>() < 0) return "has no \"bits_per_key\"";
  row->counted.bits_per_key = bits->get<double>();
  if (!TakeCount(object, "num_queries", &row->counted.num_queries) || row->counted.num_queries == 0)
    return "has no whole number \"num_queries\"";
  if (!TakeCount(object, "false_positives", &row->counted.false_positives) || row->counted.false_positives == 0) {
    return "has no whole number \"false_positives\" above 0, so it tells no rate";
  }
  if (row->counted.false_positives > row->counted.num_queries)
    return "has more \"false_positives\" than \"num_queries\"";
  return "";
}

// The nearest number of so many digits: people read it in a diff.
double Rounded(double value, int digits) {
  char text[64];
  snprintf(text, sizeof(text), "%.*g", digits, value);
  return strtod(text, nullptr);
}

std::string TextOf(const BaselineRow& row) {
  const FprBaseline& counted = row.counted;
  const double fpr = static_cast<double>(counted.false_positives) / static_cast<double>(counted.num_queries);
  const json object = {{"bits_per_key", Rounded(counted.bits_per_key, 10)},
                       {"false_positives", counted.false_positives},
                       {"fpr", Rounded(fpr, 6)},
                       {"lost", row.lost},
                       {"name", row.name},
                       {"num_keys", row.num_keys},
                       {"num_queries", counted.num_queries}};
  std::string text;
  for (const auto& [name, value] : object.items()) {
    text += (text.empty() ? "{\"" : ", \"") + name + "\": " + value.dump();
  }
  return text + "}";
}

}  // namespace

bool BaselineFile::Read(const std::string& path, std::string* error) {
  path_ = path;
  lines_.clear();
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return true;
    *error = std::string("cannot be looked at: ") + strerror(errno);
    return false;
  }
  if (!S_ISREG(info.st_mode)) {
    *error = "is no regular file: name one to read, or to create";
    return false;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    *error = std::string("cannot be read: ") + strerror(errno);
    return false;
  }
  for (std::string text; std::getline(in, text);) {
    lines_.push_back({text, {}});
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    BaselineRow row;
    std::string wrong = ParseRow(text, &row);
    if (wrong.empty() && Find(row.name) != nullptr) wrong = "has a name that an earlier line has: leave one of them";
    if (!wrong.empty()) {
      *error = "is no baseline: line " + std::to_string(lines_.size()) + " " + wrong;
      return false;
    }
    lines_.back().row = row;
  }
  return true;
}

const BaselineRow* BaselineFile::Find(const std::string& name) const {
  for (const Line& line : lines_) {
    if (!line.row.name.empty() && line.row.name == name) return &line.row;
  }
  return nullptr;
}

bool BaselineFile::Add(const BaselineRow& row, std::string* error) {
  const FolderLock lock(path_);
  if (!Read(std::string(path_), error)) return false;
  const auto has_that = [&](const Line& line) { return line.row.name == row.name; };
  lines_.erase(std::remove_if(lines_.begin(), lines_.end(), has_that), lines_.end());
  const auto by_name = [](const Line& one, const Line& other) { return one.row.name < other.row.name; };
  const Line added = {TextOf(row), row};
  const bool is_sorted = std::is_sorted(lines_.begin(), lines_.end(), by_name);
  lines_.insert(is_sorted ? std::upper_bound(lines_.begin(), lines_.end(), added, by_name) : lines_.end(), added);
  std::string all;
  for (const Line& line : lines_) all += line.text + "\n";
  AtomicFile file;
  Status status = file.Create(path_.c_str());
  if (status.ok()) status = file.Append(all.data(), all.size());
  if (status.ok()) status = file.Commit();
  if (!status.ok()) *error = std::string("cannot be written: ") + status.message();
  return status.ok();
}

}  // namespace linefilter::tools
