// What a program does for itself where no script prepares its run: it stays on one CPU and chooses a name for its
// results.
#ifndef LINEFILTER_BENCH_PORTABLE_H_
#define LINEFILTER_BENCH_PORTABLE_H_

#include <string>
#include <vector>

namespace linefilter::bench {

// Whether this program is tools/bench.sh --portable's: one file that needs no library.
bool IsPortable();

// The last of those that may run fastest: some have slow cores beside fast ones, and interrupts tend to go to the
// first. `root` is where /sys is looked for: tests give trees of their own. -1 of none.
int FastestCpu(const std::vector<int>& cpus, const std::string& root = "");

// Stays on the fastest CPU that it may use. Its number, or -1 where the system does not let it.
int PinToOneCpu();

// Starts the program anew with all addresses where they were in the last run, if the system lets it: where they are
// random, rows of small filters differ by several percent from run to run. Returns where that is done or cannot be.
void FixAddresses(char** argv);

// "linefilter-<cpu>.json" in the current folder, or "linefilter-<cpu>-2.json" where that one is there already.
std::string FreshResultsFile();

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PORTABLE_H_
