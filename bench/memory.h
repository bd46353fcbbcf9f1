// Memory for filters as storage engines would give it: aligned, in transparent huge pages, present before it is timed.
#ifndef LINEFILTER_BENCH_MEMORY_H_
#define LINEFILTER_BENCH_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "linefilter/memory.h"

namespace linefilter::bench {

// Zeroed; aligned to a huge page. Aborts with a sentence if there is no such memory.
class HugeBuffer {
 public:
  explicit HugeBuffer(uint64_t size);
  ~HugeBuffer();
  HugeBuffer(const HugeBuffer&) = delete;
  HugeBuffer& operator=(const HugeBuffer&) = delete;

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }

  // Hands the same bytes to every filter that asks: filters forced to different targets share one body.
  Allocator SharedBy();

 private:
  void* raw_;
  uint64_t mapped_;
  uint8_t* data_;
  uint64_t size_;
};

// What a builder asks for and gives back, out of one HugeBuffer: memory that is there already, as in a process that has
// built before. Starts anew when all is given back.
class Arena {
 public:
  explicit Arena(uint64_t size) : buffer_(size) {}
  Allocator allocator();

 private:
  HugeBuffer buffer_;
  std::mutex mutex_;
  uint64_t used_ = 0, pieces_ = 0;
};

// The share of all HugeBuffers' memory that lies in huge pages, in percent; -1 if the system does not say. In small
// pages a random read of 2 GB costs twice as much, so a result without this number could not be trusted.
double HugePagePercent();
inline constexpr double kAlmostAllPages = 95;

// Says so on the screen, if it is much less than all.
void PrintSmallPages(double huge_page_percent);

// Reads a word of each 4 KiB of all HugeBuffers. A virtual machine's host may map what the guest calls present only
// when it is read, and unmap what rests: random reads of 2 GB, 14 ns, took 100 to 1000 ns at first and 90 after 40 s of
// rest.
void ReadAllPages();

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_MEMORY_H_
