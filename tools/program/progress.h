// Progress is one line on standard error while long work runs, only where that is a terminal.
#ifndef LINEFILTER_TOOLS_PROGRAM_PROGRESS_H_
#define LINEFILTER_TOOLS_PROGRAM_PROGRESS_H_

#include <chrono>
#include <cstdint>

namespace linefilter::tools {

class Progress {
 public:
  // `what` happens to `total` units ("keys", "bytes"); 0 = nobody knows how many.
  Progress(const char* what, const char* unit, uint64_t total) noexcept;
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Call it once per batch: it costs a look at the clock, and draws five times a second at most.
  void Update(uint64_t done) noexcept;

 private:
  const char* what_;
  const char* unit_;
  uint64_t total_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_PROGRESS_H_
