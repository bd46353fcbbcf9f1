#include "tools/program/images.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "linefilter/sizing.h"
#include "tools/program/command.h"
#include "tools/program/progress.h"
#include "tools/program/secret.h"

namespace linefilter::tools {
namespace {

bool StatOf(const std::string& path, struct stat* info) {
  return (path == "-" ? fstat(STDIN_FILENO, info) : stat(path.c_str(), info)) == 0;
}

}  // namespace

Status MapImage(const std::string& path, VerifyMode verify, MapAdvice advice, const HashSecret* secret,
                FilterFile* file) {
  const Status status = file->Map(path.c_str(), verify, advice, secret);
  if (status.code() != StatusCode::kIncompatible) return status;
  if (secret == nullptr) {
    return Status::Error(StatusCode::kIncompatible, "it is of a keyed hash, to be asked with --secret PATH only");
  }
  FilterFile plain;
  if (plain.Map(path.c_str(), VerifyMode::kTrusted, MapAdvice::kRandom).ok()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "its hash is %s, which has no secret: if it is the image that you mean, leave out --secret",
                         HashIdName(plain.view().hash_id()));
  }
  return Status::Error(StatusCode::kIncompatible, "it was made with another secret than that of --secret");
}

Status CanBeAsked(const FilterView& view) {
  const Status status = view.KeyStatus();
  if (status.code() != StatusCode::kIncompatible) return status;
  return Status::Error(StatusCode::kIncompatible,
                       "it was made of its writer's own hashes, which this program does not know: only the writer can "
                       "ask it");
}

bool OpenImage(const std::string& path, const HashSecret* secret, FilterFile* file) {
  Status status = MapImage(path, VerifyMode::kTrusted, MapAdvice::kWillNeed, secret, file);
  if (status.ok()) status = VerifyBody(file->view());
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

// A FilterFile does not keep what its view refuses, so the file is mapped anew.
Status VerifyFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info = {};
  void* image = MAP_FAILED;
  if (fd >= 0 && fstat(fd, &info) == 0) {
    image = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED, fd, 0);
  }
  const int reason = errno;
  if (fd >= 0) close(fd);
  if (image == MAP_FAILED) return Status::Error(StatusCode::kIoError, "cannot be mapped: %s", strerror(reason));
  const size_t size = static_cast<size_t>(info.st_size);
  (void)madvise(image, size, MADV_SEQUENTIAL);
  const Status status = VerifyImage(image, size);
  munmap(image, size);
  return status;
}

const char* SecretState(const HashSecret* given) { return given == nullptr ? "secret missing" : "another secret"; }

void ReportHash(HashId hash_id, uint64_t seed, Report* report) {
  report->Text("hash", HashIdName(hash_id));
  if (KeyHash::IsKeyed(hash_id)) {
    report->Text("secret_check", SecretCheckText(seed));
  } else {
    report->Count("seed", seed);
  }
}

void ReportStages(const FilterView& view, Report* report) {
  std::vector<Report> rows;
  for (uint32_t i = 0; i < view.num_stages(); ++i) {
    const StageInfo stage = view.stage(i);
    rows.emplace_back();
    rows.back().Count("stage", i);
    rows.back().Text("layout", LayoutName(stage.layout));
    rows.back().Count("num_probes", stage.num_probes);
    rows.back().Count("num_blocks", stage.num_blocks);
    rows.back().Number("num_keys", stage.num_keys == 0 ? NAN : static_cast<double>(stage.num_keys));
    rows.back().Rate("fill_ratio", stage.FillRatio());
    rows.back().Rate("expected_fpr", stage.ExpectedFpr());
  }
  if (!rows.empty()) report->Table("stages", std::move(rows));
}

const char* ChecksumState(const Status& verified) {
  return verified.ok() ? "ok" : verified.code() == StatusCode::kCorrupt ? "damaged" : "unknown";
}

int FailImage(const std::string& path, const Status& status) {
  // Messages of the file system name the file already. (Others may hold a short name by chance.)
  const bool is_named = status.code() == StatusCode::kIoError && strstr(status.message(), path.c_str()) != nullptr;
  if (is_named) return Fail("%s", status.message());
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

SizeEstimate ReportImage(const FilterView& view, Report* report) {
  const SizeEstimate size = view.ApproximateSize();
  const double keys = view.has_num_keys() ? static_cast<double>(view.num_keys()) : size.keys;
  report->Text("layout", LayoutName(view.layout()));
  ReportHash(view.hash_id(), view.seed(), report);
  report->Count("num_probes", view.num_probes());
  if (view.num_blocks() != 0) report->Count("num_blocks", view.num_blocks());
  report->Count("body_bytes", view.body_bytes());
  report->Count("image_bytes", view.image_bytes());
  if (view.has_num_keys()) report->Count("num_keys", view.num_keys());
  ReportSize(view.capacity(), size, report);
  report->Real("bits_per_key", keys > 0 ? 8 * static_cast<double>(view.body_bytes()) / keys : 0);
  report->Rate("fill_ratio", view.FillRatio());
  report->Rate("expected_fpr", view.ExpectedFpr());
  return size;
}

void ReportSize(uint64_t capacity, const SizeEstimate& size, Report* report) {
  report->Number("capacity", capacity == 0 ? NAN : static_cast<double>(capacity));
  report->Number("approximate_size", size.keys);
  report->Number("size_error", size.error);
}

void ReportRoom(const FilterView& view, double fpr, Report* report) {
  report->Rate("wanted_fpr", fpr);
  if (view.num_stages() == 0) {
    report->Count("keys_at_fpr", MaxKeysForFpr(view.layout(), view.body_bytes(), fpr, view.num_probes()));
  }
  report->Count("room_for", view.RoomFor(fpr));
}

bool IsWantedFpr(const char* command, double fpr) {
  if (fpr > 0 && fpr < 1) return true;
  Fail("%s: --fpr %g is no rate: give one above 0 and below 1, like 0.01", command, fpr);
  return false;
}

void WarnOfOverfull(const std::string& name, uint64_t capacity, const SizeEstimate& size) {
  char held[64] = "so many more that its bits tell no number";
  if (std::isfinite(size.keys)) snprintf(held, sizeof(held), "about %.0f different ones", size.keys);
  fprintf(stderr,
          "linefilter: warning: %s was made for %llu keys and holds %s, so more answers are wrong than it was made for "
          "(expected_fpr tells how many). Make another one for more keys.\n",
          name.c_str(), static_cast<unsigned long long>(capacity), held);
}

void WarnIfOverfull(const std::string& name, const FilterView& view, const SizeEstimate& size) {
  // An image that is not above by its size need not be read again.
  if (size.IsAbove(view.capacity()) && view.OverCapacity()) WarnOfOverfull(name, view.capacity(), size);
}

Status WriteFile(const std::string& out, const char* what, uint64_t total,
                 const std::function<Status(const Sink&)>& write) {
  struct Output {
    AtomicFile file;
    Progress progress;
    uint64_t done = 0;
  } output{{}, {what, "bytes", total}};
  Status status = output.file.Create(out.c_str());
  if (!status.ok()) return status;
  status = write({[](void* context, const void* data, size_t size) noexcept {
                    Output* to = static_cast<Output*>(context);
                    to->progress.Update(to->done += size);
                    return to->file.Append(data, size).ok();
                  },
                  &output});
  if (!output.file.status().ok()) return output.file.status();  // the system's reason, not the sink's
  return status.ok() ? output.file.Commit() : status;
}

bool SameFile(const std::string& one, const std::string& other) {
  struct stat left, right;
  return StatOf(one, &left) && StatOf(other, &right) && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

}  // namespace linefilter::tools
