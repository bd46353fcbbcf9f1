// LazyChecks has the checks of a body that is verified while it is asked (lib/layouts/lazy.h), and what is known of its
// chunks. A FilterFile owns it. Any thread may verify: two that verify the same chunk find the same.
#ifndef LINEFILTER_LIB_FILTERS_LAZY_CHECKS_H_
#define LINEFILTER_LIB_FILTERS_LAZY_CHECKS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lib/layouts/layout_record.h"
#include "lib/layouts/lazy.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// A body with chunks, and their checks in its image.
struct CheckedBody {
  const LayoutRecord* record;
  const uint8_t* body;
  uint64_t body_bytes;
  const uint8_t* checks;
  uint32_t num_stages;  // 0 of a layout without stages
};

class LazyChecks {
 public:
  // Make allocates so many bytes: for this object, two marks per chunk, and the marks of ranges.
  static size_t BytesFor(const CheckedBody& checked);
  // From now on `state`, which answers from the body, is asked lazily. It is null if there is no memory.
  static LazyChecks* Make(const CheckedBody& checked, ProbeState* state);
  // Call it when the state and its copies are gone. Null is allowed, and nothing happens.
  static void Free(LazyChecks* checks);
  // The one that Make bound to a state.
  static LazyChecks& Of(const ProbeState& state) { return Of(&LazyBody::Of(state)); }

  // Verifies these chunks, whatever is known of them, and keeps what it finds.
  Status Verify(uint64_t first, uint64_t count);
  // Verifies those that nobody has.
  Status VerifyRest();
  // kCorrupt with the first damaged range that was found.
  Status status() const;

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};

  LazyChecks(const CheckedBody& checked, const ProbeState& state);
  static LazyChecks& Of(LazyBody* body);
  static uint64_t NumRanges(const CheckedBody& checked);
  uint64_t num_chunks() const;
  template <class Act>
  void ForRangesOf(uint64_t chunk, const Act& act);
  void MarkRangesOf(uint64_t chunk);
  void ForgetSound(uint64_t chunk);
  ChunkMark* damaged() { return lazy_.marks() + num_chunks(); }
  bool IsSound(uint64_t chunk);
  bool Keep(uint64_t chunk, bool is_sound);

  const CheckedBody checked_;
  std::atomic<uint64_t> num_left_;  // chunks that were not found sound
  std::atomic<uint64_t> first_damaged_{kNone};
  // The last: its marks follow, then those of damaged chunks, which no lookup verifies again, then those of ranges.
  LazyBody lazy_;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_LAZY_CHECKS_H_
