// A FilterView is a filter in bytes that somebody else owns: zero-copy, at any alignment, of any layout.
//
//   using linefilter::VerifyMode;
//   linefilter::FilterView view(file.data() + offset, size, VerifyMode::kWhole);  // the bytes of exactly one image
//   if (!view.status().ok()) ...            // status().message() says what to do; all answers are "maybe"
//   if (view.MayContainKey(user_key)) ...  // read the table
//
// A lookup in an image at an aligned address touches one cache line; at an odd address (a filter block inside an SST) a
// block may lie across two adjacent lines.
#ifndef LINEFILTER_VIEW_H_
#define LINEFILTER_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "linefilter/filter_base.h"
#include "linefilter/internal/compiler.h"
#include "linefilter/internal/export.h"
#include "linefilter/key.h"
#include "linefilter/status.h"

namespace linefilter {

// One of the filters of which a `container` consists.
struct LINEFILTER_EXPORT StageInfo {
  const uint8_t* body = nullptr;     // 64 * num_blocks bytes
  uint64_t num_blocks = 0;           // see FilterBase
  uint64_t num_keys = 0;             // counted in it, at most 512 for each block; 0: unknown
  Layout layout = Layout::kBlocked;  // no other so far
  uint32_t num_probes = 0;           // see FilterBase

  // These do what FilterBase's do, for this stage alone: each reads all of it.
  double FillRatio() const noexcept;
  double ExpectedFpr() const noexcept;  // see FillRatio
};

// How the body of an image is verified. Its trailer always is when it is opened, and a body of up to 4 KiB with it.
// Whoever asks a damaged body that was not verified may be told "absent" of a member.
enum class VerifyMode : uint8_t {
  kAuto,     // as the call says
  kWhole,    // all of it when it is opened, at about 0.1 s per GB
  kLazy,     // each chunk of 64 KiB before the first "absent" that comes from it; in a damaged one all is "maybe"
  kTrusted,  // not at all: something else vouches for these bytes
};

// It is copyable and has some 400 bytes. The image must stay, unchanged, as long as the view or a copy is used.
class LINEFILTER_EXPORT FilterView : public FilterBase {
 public:
  FilterView() noexcept;  // broken: answers "maybe"
  // Opens an image; status() has the answer.
  FilterView(const void* image, size_t size, VerifyMode verify, const HashSecret* secret = nullptr) noexcept;
  // Copying is in the library, like all that is not always inlined (see linefilter/inline.h).
  FilterView(const FilterView& other) noexcept;
  FilterView& operator=(const FilterView& other) noexcept;

  // Opens `size` bytes, which are exactly one image, neither more nor less: keep its offset and size beside it, for it
  // does not tell them. `verify` is kWhole or kTrusted: with another one it is kInvalidArgument, because a view has no
  // memory for the marks of kLazy. Both verify the trailer, and a body of at most 4 KiB; kWhole verifies a larger one,
  // too. On an error (kCorrupt, kUnsupported) the view answers "maybe" to everything, and status() keeps the reason: it
  // does not stay with the image before, whose bytes the caller may have replaced. `secret` goes with an image of a
  // keyed hash (linefilter/hash.h), and is copied. Without it, with another one, or with one for an image that needs
  // none, it is kIncompatible.
  Status Open(const void* image, size_t size, VerifyMode verify, const HashSecret* secret = nullptr) noexcept;

  // Returns kCorrupt with the damaged range if the body does not match its checks. It reads the whole body (about 0.1 s
  // per GB). In a view opened with kTrusted an answer "absent" of a damaged body may be wrong: do not use it then. The
  // view of a file that is verified lazily keeps what is found here: lookups do not verify it again. So bytes must not
  // change after they were verified: once all are, no lookup looks at what a later Verify finds.
  Status Verify() const noexcept;
  // The same for the chunks (64 KiB of body each) [first, first + count), to verify little by little.
  Status VerifyChunks(uint64_t first, uint64_t count) const noexcept;
  // The number of chunks; 0 for a body of at most 4 KiB, which has no checks of its own.
  uint64_t num_chunks() const noexcept;

  // Joins the pages of the body to huge pages where they lie: for a large image in memory that was allocated without
  // (a std::string, a vector, shared memory). At 512 MB a batch then takes 1.15 times as long as after
  // FilterFile::Load, and 1.8 times before. No byte changes; other threads may look up meanwhile. It takes 0.3 to 2.5 s
  // per GB.
  //
  // It is ok when all huge pages that fit between the ends of the body are there. A body without a whole one, of 2 MiB,
  // gains nothing: it is ok, too. kOutOfMemory says that not all could be made now: free memory and call it again.
  // kIoError says that the system does not make them of this memory, and what to do: such is a file that is mapped
  // (Load it), shared memory that is not mapped at a multiple of 2 MiB, and Linux before 6.1, which may join private
  // memory minutes later. Answers are the same in any case. A broken view answers status().
  Status AdviseHugePages() const noexcept;

  // The answer of the last Open; a view that opened nothing says so. In a file that is verified lazily it becomes
  // kCorrupt, with the first damaged range, when one is found: the view goes on answering, with "maybe" there.
  Status status() const noexcept;
  // The size of the bytes last given to Open, broken or not.
  size_t image_bytes() const noexcept { return image_bytes_; }
  // The version of its bytes (doc/FORMAT.md), whatever the version of the library.
  uint32_t format_version() const noexcept { return format_version_; }
  // Whether the image says how many keys it was sized for. The empty set always does: 0. Those of a FilterBuilder do if
  // the body is above 4 KiB or the kind of keys is told (builder.h says what it counts). Those of a ScalableFilter tell
  // how many came; those of other filters and unions do not say.
  bool has_num_keys() const noexcept { return has_num_keys_; }
  // That number; 0 unless has_num_keys(). Where a builder removed repeats it is the number of distinct keys.
  uint64_t num_keys() const noexcept { return num_keys_; }
  // Whether it is the image of no keys at all.
  bool empty_set() const noexcept { return layout() != Layout::kAuto && body_bytes() == 0; }

  // The number of stages of a `container`; 0 in other layouts and the empty set.
  uint32_t num_stages() const noexcept { return state_.num_stages; }
  // A stage by its index, the oldest is 0; a stage that does not exist has 0 blocks.
  StageInfo stage(uint32_t index) const noexcept;
  // The field `growth` (doc/FORMAT.md), within the image: how a `container` goes on adding keys. It is null if the
  // image does not say. Its first byte says whose it is.
  const uint8_t* growth() const noexcept { return growth_; }
  // The length of growth(); 0 if there is none.
  size_t growth_bytes() const noexcept { return growth_bytes_; }

 private:
  friend class FilterFile;  // its view keeps why a file was not opened

  const uint8_t* chunk_checks_ = nullptr;
  const uint8_t* growth_ = nullptr;
  uint64_t num_keys_ = 0;
  size_t image_bytes_ = 0;
  uint32_t format_version_ = 0;
  uint16_t growth_bytes_ = 0;
  bool has_num_keys_ = false;
  Status status_;
};

// Opens and verifies without a secret (for a copy, a backup, an upload). It verifies everything but that the secret
// fits. It is ok for a sound image of any hash; else kCorrupt or kUnsupported.
LINEFILTER_EXPORT Status VerifyImage(const void* image, size_t size) noexcept;

// What ImageMayContainKey does with a key of bytes.
LINEFILTER_EXPORT bool ImageMayContainBytes(const void* image, size_t size, const void* key, size_t key_size,
                                            VerifyMode verify) noexcept;

// Asks an image that is not kept open for one key, for engines that hand over the bytes at each lookup. An image of a
// few dozen keys takes a quarter of the time of a FilterView. `verify` says what is verified before it is "absent":
//   kWhole    trailer and body, each time that the image is asked and the key is not found
//   kLazy     trailer and a body of up to 4 KiB; of a larger one the chunks of this key alone
//   kTrusted  nothing in a plain image of up to 4 KiB, which spares a fifth of the time or more; the trailer of others
// kAuto is kLazy. A chunk of 64 KiB takes 7.6 us (median, AMD Zen 4), and a `container` verifies one per stage.
// With kTrusted a damaged image may answer "absent" for a key that is in it; no byte outside it is read. It takes no
// secret: an image of a keyed hash answers "maybe".
LINEFILTER_INLINE bool ImageMayContainKey(const void* image, size_t size, Key key, VerifyMode verify) noexcept {
  char word[8];
  const std::string_view bytes = key.bytes_or_word(word);
  return ImageMayContainBytes(image, size, bytes.data(), bytes.size(), verify);
}

}  // namespace linefilter

#endif  // LINEFILTER_VIEW_H_
