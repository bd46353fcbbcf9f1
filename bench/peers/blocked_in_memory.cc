// `blocked` in memory that others allocate: what a lookup costs where huge pages or cache lines are missing.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "bench/peers/library.h"
#include "linefilter/file.h"
#include "linefilter/view.h"

namespace linefilter::bench {
namespace {

enum class Where {
  kLoaded,       // FilterFile::Load: what the others are compared with
  kMapped,       // FilterFile::Map of a file that is not in memory yet
  kString,       // a std::string as somebody else fills it, in small pages; large ones begin 16 bytes behind a line
  kStringHuge,   // the same after AdviseHugePages
  kStringLines,  // and its blocks lie on cache lines
};

// An image in the folder for temporary files; its name goes with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const BlockedFilter& filter) {
    const char* const folder = std::getenv("TMPDIR");
    path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/linefilter_bench_" + std::to_string(getpid());
    int fd = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) Die("cannot write %s: set TMPDIR to another folder", path_.c_str());
    Must(filter.WriteImage({[](void* to, const void* data, size_t size) noexcept {
                              return write(*static_cast<int*>(to), data, size) == static_cast<ssize_t>(size);
                            },
                            &fd}));
#if defined(POSIX_FADV_DONTNEED)
    // What was just written lies in small pages. Small filters gain nothing, and there are many of them in the tests.
    if (filter.ImageBytes() >= uint64_t{16} << 20 && fdatasync(fd) == 0) {
      (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    }
#endif
    close(fd);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

class InMemory : public PeerFilter {
 public:
  InMemory(const std::vector<std::string>& targets, Where where, const Spec& spec)
      : sizing_(SizeOf(Layout::kBlocked, spec)), views_(targets.size()) {
    {
      BlockedFilter filter;
      FilterOptions options;
      options.bits_per_key = spec.bits_per_key;
      Must(filter.Create(spec.num_keys, options));
      ForMembers(spec, [&](const Keys& keys) { InsertAll(filter, keys); });
      Keep(filter, where);
    }
    for (size_t i = 0; i < targets.size(); ++i) {
      OnTarget(targets[i], [&] { Must(views_[i].Open(image_, size_, VerifyMode::kTrusted)); });
    }
    Must(views_[0].Verify());  // all pages are there before a clock starts
    if (where != Where::kStringHuge && where != Where::kStringLines) return;
    const Status status = views_[0].AdviseHugePages();
    if (!status.ok()) printf("the rows of advised strings are without huge pages: %s\n", status.message());
  }
  uint64_t bytes() const override { return sizing_.body_bytes; }
  uint32_t num_probes() const override { return sizing_.num_probes; }
  double expected_fpr() const override { return sizing_.expected_fpr; }
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    return LookupInLibrary(views_[target], access, keys, answers);
  }

 private:
  void Keep(const BlockedFilter& filter, Where where) {
    size_ = filter.ImageBytes();
    if (where == Where::kLoaded || where == Where::kMapped) {
      const TemporaryFile saved(filter);
      Must(where == Where::kLoaded ? file_.Load(saved.path()) : file_.Map(saved.path(), VerifyMode::kTrusted));
      image_ = file_.data();
      return;
    }
    constexpr size_t kLine = 64;
    string_.resize(size_ + kLine);  // not by AppendImage, which wishes huge pages
    const size_t past_line = reinterpret_cast<uintptr_t>(string_.data()) % kLine;
    const size_t offset = where == Where::kStringLines ? (kLine - past_line) % kLine : 0;
    Must(filter.WriteImageTo(&string_[offset], size_));
    image_ = &string_[offset];
  }

  Sizing sizing_;
  FilterFile file_;
  std::string string_;
  const void* image_ = nullptr;
  size_t size_ = 0;
  std::vector<FilterView> views_;
};

Peer PeerOf(const char* name, const char* origin, Where where) {
  return BlockedPeer<InMemory>(name, origin, {Access::kSingle, Access::kBatch}, 20, where);
}

}  // namespace

std::vector<Peer> Peers_blocked_in_memory() {
  return {PeerOf("blocked_loaded", "linefilter, a loaded file", Where::kLoaded),
          PeerOf("blocked_mapped", "linefilter, a mapped file", Where::kMapped),
          PeerOf("blocked_string", "linefilter, image in a std::string", Where::kString),
          PeerOf("blocked_string_huge", "linefilter, image in a std::string that was advised", Where::kStringHuge),
          PeerOf("blocked_string_lines", "linefilter, the same on cache lines", Where::kStringLines)};
}

}  // namespace linefilter::bench
