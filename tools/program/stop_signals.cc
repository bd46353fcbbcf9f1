#include "tools/program/stop_signals.h"

#include <sys/select.h>

#include <cerrno>
#include <cstddef>
#include <iterator>

namespace linefilter::tools {
namespace {

volatile std::sig_atomic_t caught_signal = 0;

void Catch(int signal) { caught_signal = signal; }

}  // namespace

StopSignals::StopSignals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;  // nohup, and jobs in the background
    struct sigaction action = {};
    action.sa_handler = &Catch;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);  // flags; the second is the sign bit of an int
    sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

bool StopSignals::HasCome() { return caught_signal != 0; }

// Signals are blocked but within pselect: none can come between the look at it and the wait.
bool StopSignals::WaitForInput(int fd) const {
  if (fd >= FD_SETSIZE) return !HasCome();  // pselect cannot wait for it: the read does
  sigset_t ours, before;
  sigemptyset(&ours);
  for (const int signal : kSignals) sigaddset(&ours, signal);
  sigprocmask(SIG_BLOCK, &ours, &before);
  int ready = 0;
  while (!HasCome() && ready <= 0) {
    fd_set input;
    FD_ZERO(&input);
    FD_SET(fd, &input);
    ready = pselect(fd + 1, &input, nullptr, nullptr, nullptr, &before);
    if (ready < 0 && errno != EINTR) break;  // reading tells what is wrong
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return !HasCome();
}

void StopSignals::EndBySignal() {
  if (!HasCome()) return;
  signal(caught_signal, SIG_DFL);
  raise(caught_signal);
}

}  // namespace linefilter::tools
