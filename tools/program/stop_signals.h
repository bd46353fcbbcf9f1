// While a StopSignals lives, Ctrl-C (SIGINT), SIGTERM and SIGHUP ask a command to finish what it has. A second one ends
// it at once.
#ifndef LINEFILTER_TOOLS_PROGRAM_STOP_SIGNALS_H_
#define LINEFILTER_TOOLS_PROGRAM_STOP_SIGNALS_H_

#include <csignal>

namespace linefilter::tools {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Whether one has come.
  static bool HasCome();
  // Waits until there is something to read, or its end; false if a signal came first.
  bool WaitForInput(int fd) const;
  // Ends the process by the signal that has come, as the shell expects it of a program that was interrupted; returns if
  // none has.
  static void EndBySignal();

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

  struct sigaction before_[3] = {};
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_STOP_SIGNALS_H_
