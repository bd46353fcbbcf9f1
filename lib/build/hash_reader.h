// A HashReader makes one pass over a HashSource, in pieces. It leaves adjacent repeats out, except for layouts that
// keep them.
#ifndef LINEFILTER_LIB_BUILD_HASH_READER_H_
#define LINEFILTER_LIB_BUILD_HASH_READER_H_

#include <cstddef>
#include <cstdint>

#include "lib/layouts/options.h"
#include "linefilter/bulk.h"
#include "linefilter/hash.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Whether a key that comes right behind itself is dropped: not where it must be removed as often as it came.
inline bool DropsRepeats(const FilterOptions& options) { return !KeepsRepeats(options); }

// A tally is of all hashes of a pass. Two passes over the same hashes have the same; over others they differ but for a
// chance of about 2^-64. The sum is of mixed hashes: sums of hashes, and of their squares, do not see two flips of bit
// 63, nor that {a, a + 4d, a + 5d} became {a + d, a + 2d, a + 6d}.
struct Tally {
  uint64_t count = 0, sum_of_mixed = 0;
  bool operator==(const Tally& other) const { return count == other.count && sum_of_mixed == other.sum_of_mixed; }
};

class HashReader {
 public:
  // Eight more than are counted exactly (kCountedExactly): the call that finds the end then writes behind those.
  static constexpr size_t kCapacity = 4104;

  // Reads into `buffer`, of kCapacity hashes.
  HashReader(const HashSource& source, bool drops_repeats, uint64_t* buffer)
      : source_(source), drops_repeats_(drops_repeats), buffer_(buffer) {}

  // Reads the next hashes to the beginning of the buffer, and fills it if there are so many; it returns 0 at the end,
  // or after an error.
  size_t Next();
  const Tally& tally() const { return tally_; }
  // How many the source gave, adjacent repeats among them.
  uint64_t num_read() const { return num_read_; }
  const Status& status() const { return status_; }

 private:
  HashSource source_;
  bool drops_repeats_;
  uint64_t* buffer_;
  Tally tally_;
  uint64_t last_ = 0, num_read_ = 0;
  bool is_at_end_ = false;
  Status status_;
};

inline size_t HashReader::Next() {
  size_t kept = 0;
  while (kept != kCapacity && !is_at_end_) {
    uint64_t* const to = buffer_ + kept;
    const size_t got = source_.read(source_.context, to, kCapacity - kept);
    if (got > kCapacity - kept) {
      status_ = Status::Error(StatusCode::kIoError, "the source of hashes failed after %llu of them",
                              static_cast<unsigned long long>(num_read_));
      is_at_end_ = true;
      return 0;
    }
    is_at_end_ = got == 0;
    if (got == 0) break;
    size_t kept_now = 0;
    uint64_t last = num_read_ != 0 ? last_ : ~to[0], sum_of_mixed = 0;
    for (size_t i = 0; i < got; ++i) {
      const uint64_t hash = to[i];
      const bool keep = !drops_repeats_ || hash != last;
      to[kept_now] = hash;
      kept_now += keep;
      sum_of_mixed += keep ? MixHash(hash) : 0;
      last = hash;
    }
    last_ = last;
    tally_.sum_of_mixed += sum_of_mixed;
    kept += kept_now;
    tally_.count += kept_now;
    num_read_ += got;
  }
  return kept;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_HASH_READER_H_
