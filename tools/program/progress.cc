#include "tools/program/progress.h"

#include <unistd.h>

#include <cstdio>

namespace linefilter::tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

}  // namespace

Progress::Progress(const char* what, const char* unit, uint64_t total) noexcept
    : what_(what),
      unit_(unit),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      next_(steady_clock::now() + milliseconds(500)) {}  // quick work shows nothing

Progress::~Progress() {
  if (drawn_) fputs("\r\x1b[K", stderr);
}

void Progress::Update(uint64_t done) noexcept {
  if (!terminal_) return;
  const steady_clock::time_point now = steady_clock::now();
  if (now < next_) return;
  next_ = now + milliseconds(200);
  drawn_ = true;
  if (total_ != 0) {
    fprintf(stderr, "\r%s: %.0f %% of %.3g %s\x1b[K", what_,
            100.0 * static_cast<double>(done) / static_cast<double>(total_), static_cast<double>(total_), unit_);
  } else {
    fprintf(stderr, "\r%s: %.4g %s\x1b[K", what_, static_cast<double>(done), unit_);
  }
  fflush(stderr);
}

}  // namespace linefilter::tools
