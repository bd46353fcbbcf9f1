#include "tools/images.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "tools/command.h"
#include "tools/progress.h"

namespace linefilter::tools {

bool OpenImage(const std::string& path, bool verify, const HashSecret* secret, FilterFile* file) {
  Status status = file->Map(path.c_str(), verify ? MapAdvice::kWillNeed : MapAdvice::kRandom, secret);
  if (status.ok()) status = file->view().KeyStatus();
  if (status.ok() && verify) status = VerifyBody(file->view());
  if (!status.ok()) FailImage(path, status);
  return status.ok();
}

Status VerifyBody(const FilterView& view) {
  constexpr uint64_t kStep = 256;  // 16 MiB
  Progress progress("verifying", "chunks", view.num_chunks());
  for (uint64_t first = 0; first < view.num_chunks(); first += kStep) {
    const Status status = view.VerifyChunks(first, std::min(kStep, view.num_chunks() - first));
    if (!status.ok()) return status;
    progress.Update(first);
  }
  return view.status();
}

const char* ChecksumState(const Status& verified) {
  return verified.ok() ? "ok" : verified.code() == StatusCode::kCorrupt ? "damaged" : "unknown";
}

int FailImage(const std::string& path, const Status& status) {
  // Messages of the file system name the file already.
  if (strstr(status.message(), path.c_str()) != nullptr) return Fail("%s", status.message());
  return Fail("image %s: %s", path.c_str(), status.message());
}

uint64_t MemoryOfMachine() {
  uint64_t limit = ~uint64_t{0};
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) limit = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes);
  // Control groups, version 2 and 1; "max" fails to parse and so counts as no limit.
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t bytes = 0;
    if (std::ifstream(path) >> bytes) limit = std::min(limit, bytes);
  }
  return limit;
}

bool CanCreate(const std::string& path, std::string* reason) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    *reason = "exists and is no regular file: name a file to create or replace";
    return false;
  }
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK | X_OK) == 0) return true;
  *reason = std::string("cannot be written in its folder: ") + strerror(errno);
  return false;
}

bool SameFile(const std::string& keys, const std::string& out) {
  struct stat left, right;
  const bool found = keys == "-" ? fstat(STDIN_FILENO, &left) == 0 : stat(keys.c_str(), &left) == 0;
  return found && stat(out.c_str(), &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

}  // namespace linefilter::tools
