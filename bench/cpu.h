// Which CPU this is, as the system tells it in /proc/cpuinfo.
//
// `root` is where /proc and /sys are looked for: tests give trees of their own.
#ifndef LINEFILTER_BENCH_CPU_H_
#define LINEFILTER_BENCH_CPU_H_

#include <string>

namespace linefilter::bench {

// "AMD EPYC 7R13 Processor", "ARM Neoverse-N1"; the name of the architecture if the system tells no more. Where the
// name leaves open which CPU it is ("AMD EPYC" in a virtual machine), family, model and stepping follow: "AMD EPYC
// (family 25, model 17, stepping 1)".
std::string CpuName(const std::string& root = "");

// The CPU as a file name: [a-z0-9-] only, the same for the same CPU. "amd-epyc-7r13", "amd-epyc-fam25-mod17-step1".
std::string CpuSlug(const std::string& root = "");

int LogicalCpus(const std::string& root = "");
bool IsVirtual(const std::string& root = "");

// Of a file, without blanks at its ends; empty if there is none.
std::string FileText(const std::string& path);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_CPU_H_
