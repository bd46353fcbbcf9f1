#include "tools/program/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/program/progress.h"

namespace linefilter::tools {
namespace {

Status WriteToMemory(const char* what, uint64_t total, const WriteIt& write, ImageBytes* bytes) {
  struct Output {
    ImageBytes* bytes;
    Progress progress;
  } output{bytes, {what, "bytes", total}};
  return write({[](void* context, const void* data, size_t size) noexcept {
                  Output* to = static_cast<Output*>(context);
                  uint8_t* const room = to->bytes->Room(size);
                  if (room == nullptr) return false;
                  if (size != 0) memcpy(room, data, size);
                  to->bytes->Added(size);
                  to->progress.Update(to->bytes->size());
                  return true;
                },
                &output});
}

// Whether the path is a name of standard output, as /dev/stdout is. A file that it goes to must not be replaced: what
// is written to it later would go to the old one.
bool IsStandardOutput(const std::string& out) {
  struct stat one, two;
  if (out == "-") return true;
  if (out.compare(0, 5, "/dev/") != 0 && out.compare(0, 6, "/proc/") != 0) return false;
  return stat(out.c_str(), &one) == 0 && fstat(STDOUT_FILENO, &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

// Whether it is a pipe, as >(...) of a shell makes them. Devices are no place for an image.
bool IsPipe(const std::string& out) {
  struct stat info;
  return IsStandardOutput(out) || (stat(out.c_str(), &info) == 0 && S_ISFIFO(info.st_mode));
}

Status WriteToPipe(const std::string& out, const ImageBytes& bytes) {
  const bool is_stdout = IsStandardOutput(out);
  FILE* const to = is_stdout ? stdout : fopen(out.c_str(), "wb");
  bool is_written = to != nullptr && fwrite(bytes.data(), 1, bytes.size(), to) == bytes.size() && fflush(to) == 0;
  const int reason = errno;
  if (to != nullptr && to != stdout) is_written = fclose(to) == 0 && is_written;
  if (is_written) return Status();
  return Status::Error(StatusCode::kIoError, "%s cannot be written: %s", is_stdout ? "standard output" : "the pipe",
                       strerror(reason));
}

}  // namespace

void DeclareOut(Arguments* arguments, std::string* out, const char* and_also) {
  const std::string help =
      std::string("The image to write") + and_also + "; it appears when complete; - is standard output";
  arguments->Path("--out", out, help.c_str(), Need::kRequired);
}

bool CanCreate(const std::string& out, std::string* reason) {
  if (out == "-") {
    *reason = "is this terminal, and an image is no text: give a file or a pipe";
    return isatty(STDOUT_FILENO) == 0;
  }
  struct stat info;
  if (stat(out.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    *reason =
        "exists and is neither a regular file nor a pipe: name a file to create or replace, or - for standard output";
    return S_ISFIFO(info.st_mode);
  }
  const size_t slash = out.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : out.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK | X_OK) == 0) return true;
  *reason = std::string("cannot be written in its folder: ") + strerror(errno);
  return false;
}

FILE* ReportStream(const std::string& out) { return IsStandardOutput(out) ? stderr : stdout; }

Status WriteImage(const std::string& out, const char* what, uint64_t total, const HashSecret* secret,
                  const WriteIt& write, Image* made) {
  if (!IsPipe(out)) {
    const Status status = WriteFile(out, what, total, write);
    return status.ok() ? made->Open(out, VerifyMode::kTrusted, MapAdvice::kWillNeed, secret) : status;
  }
  ImageBytes bytes;
  Status status = WriteToMemory(what, total, write, &bytes);
  if (status.ok()) status = WriteToPipe(out, bytes);
  return status.ok() ? made->Take(std::move(bytes), secret) : status;
}

Status WriteFile(const std::string& out, const char* what, uint64_t total, const WriteIt& write) {
  if (IsPipe(out)) {
    ImageBytes bytes;
    const Status status = WriteToMemory(what, total, write, &bytes);
    return status.ok() ? WriteToPipe(out, bytes) : status;
  }
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

}  // namespace linefilter::tools
