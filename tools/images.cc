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
namespace {

uint64_t LittleEndian(std::istream* file, size_t size) {
  unsigned char bytes[8] = {};
  file->read(reinterpret_cast<char*>(bytes), static_cast<std::streamsize>(size));
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

uint64_t LittleEndianAt(std::istream* file, uint64_t offset, size_t size) {
  file->seekg(static_cast<std::streamoff>(offset));
  return LittleEndian(file, size);
}

}  // namespace

Status MapImage(const std::string& path, MapAdvice advice, const HashSecret* secret, FilterFile* file) {
  const Status status = file->Map(path.c_str(), advice, secret);
  if (status.code() != StatusCode::kIncompatible) return status;
  if (secret == nullptr) {
    return Status::Error(StatusCode::kIncompatible, "it is of a keyed hash, to be asked with --secret PATH only");
  }
  FilterFile plain;
  if (plain.Map(path.c_str(), MapAdvice::kRandom).ok()) {
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

bool OpenImage(const std::string& path, bool verify, const HashSecret* secret, FilterFile* file) {
  Status status = MapImage(path, verify ? MapAdvice::kWillNeed : MapAdvice::kRandom, secret, file);
  if (status.ok()) status = CanBeAsked(file->view());
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

// The library gives no view of what it refuses, so the chunk checks are read here, by doc/FORMAT.md section 3. All else
// was verified before the secret was asked for: the trailer, and the body where it has no chunk checks.
Status VerifyWithoutSecret(const std::string& path) {
  constexpr uint64_t kChunk = 65536, kFixed = 8;
  std::ifstream body(path, std::ios::binary | std::ios::ate), checks(path, std::ios::binary);
  const uint64_t image_bytes = body ? static_cast<uint64_t>(body.tellg()) : 0;
  const uint64_t flags = image_bytes < kFixed ? 0 : LittleEndianAt(&checks, image_bytes - 2, 1) >> 4;
  if (checks && (flags & 4) == 0) return Status();
  uint64_t fields = kFixed + (flags & 1 ? 8 : 0) + (flags & 2 ? 8 : 0);
  if (flags & 8) fields += 4 + LittleEndianAt(&checks, image_bytes - fields - 4, 4);
  const uint64_t num_chunks = (image_bytes - fields + kChunk + 3) / (kChunk + 4);
  const uint64_t body_bytes = image_bytes - fields - 4 * num_chunks;
  body.seekg(0);
  checks.seekg(static_cast<std::streamoff>(body_bytes));
  std::string chunk;
  Progress progress("verifying", "chunks", num_chunks);
  for (uint64_t i = 0; i < num_chunks && body && checks; ++i) {
    chunk.resize(static_cast<size_t>(std::min(kChunk, body_bytes - i * kChunk)));
    body.read(&chunk[0], static_cast<std::streamsize>(chunk.size()));
    const uint64_t check = LittleEndian(&checks, 4);
    if (body && checks && check != (HashKey(chunk, 0) & 0xffffffff)) {
      return Status::Error(StatusCode::kCorrupt,
                           "body bytes %llu to %llu do not match their check: the image is damaged, rebuild it or "
                           "copy it again",
                           static_cast<unsigned long long>(i * kChunk),
                           static_cast<unsigned long long>(i * kChunk + chunk.size() - 1));
    }
    progress.Update(i);
  }
  return body && checks ? Status() : Status::Error(StatusCode::kIoError, "cannot be read to its end");
}

const char* SecretState(const HashSecret* given) { return given == nullptr ? "secret missing" : "another secret"; }

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

bool SameFile(const std::string& keys, const std::string& out) {
  struct stat left, right;
  const bool found = keys == "-" ? fstat(STDIN_FILENO, &left) == 0 : stat(keys.c_str(), &left) == 0;
  return found && stat(out.c_str(), &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

}  // namespace linefilter::tools
