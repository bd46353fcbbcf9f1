// bench/machine.h and bench/cpu.h: what results say about their machine, read from fake /proc and /sys trees.
#include "bench/machine.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/target.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::bench {
namespace {

// A folder that looks like the / of a machine.
class FakeRoot {
 public:
  explicit FakeRoot(const std::string& cpuinfo = "") { Write("proc/cpuinfo", cpuinfo); }
  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(dir_.File(name)).parent_path());
    dir_.Write(name, text);
  }
  void WriteCache(int index, const std::string& level, const std::string& type, const std::string& size) {
    const std::string folder = "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    Write(folder + "level", level + "\n");
    Write(folder + "type", type + "\n");
    Write(folder + "size", size + "\n");
  }
  std::string path() const { return dir_.path(); }

 private:
  test::TempDir dir_;
};

std::string X86(const std::string& name, const std::string& model = "17", const std::string& flags = "fpu sse2") {
  return "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: " + model +
         "\nmodel name\t: " + name + "\nstepping\t: 1\nflags\t\t: " + flags + "\n\n";
}

TEST(Cpu, OfAModelNumberIsNamedByIt) {
  for (const auto& [name, slug] : std::vector<std::pair<std::string, std::string>>{
           {"AMD EPYC 7R13 Processor", "amd-epyc-7r13"},
           {"AMD EPYC 9654 96-Core Processor", "amd-epyc-9654"},
           {"Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", "intel-xeon-platinum-8375c"},
           {"Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "intel-core-i7-8700"},
           {"12th Gen Intel(R) Core(TM) i7-12700K", "12th-gen-intel-core-i7-12700k"}}) {
    const FakeRoot root(X86(name));
    EXPECT_EQ(CpuName(root.path()), name);
    EXPECT_EQ(CpuSlug(root.path()), slug);
  }
}

// As virtual machines name their CPUs: the clock is no model.
TEST(Cpu, OfAGenericNameIsToldByItsFamilyToo) {
  EXPECT_EQ(CpuSlug(FakeRoot(X86("AMD EPYC")).path()), "amd-epyc-fam25-mod17-step1");
  EXPECT_EQ(CpuName(FakeRoot(X86("AMD EPYC")).path()), "AMD EPYC (family 25, model 17, stepping 1)");
  EXPECT_EQ(CpuSlug(FakeRoot(X86("AMD EPYC", "1")).path()), "amd-epyc-fam25-mod1-step1");
  EXPECT_EQ(CpuSlug(FakeRoot(X86("Intel(R) Xeon(R) CPU @ 2.20GHz", "85")).path()), "intel-xeon-fam25-mod85-step1");
  EXPECT_EQ(CpuSlug(FakeRoot(X86("AMD EPYC-Milan Processor")).path()), "amd-epyc-milan-fam25-mod17-step1");
  EXPECT_EQ(CpuSlug(FakeRoot(X86("QEMU Virtual CPU version 2.5+")).path()),
            "qemu-virtual-version-2-5-fam25-mod17-step1");
}

TEST(Cpu, OfArmIsNamedByItsNumbers) {
  const std::string n1 = "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n";
  EXPECT_EQ(CpuName(FakeRoot(n1).path()), "ARM Neoverse-N1");
  EXPECT_EQ(CpuSlug(FakeRoot(n1 + n1).path()), "arm-neoverse-n1");
  const std::string strange = "processor\t: 1\nCPU implementer\t: 0x99\nCPU part\t: 0x001\n\n";
  EXPECT_EQ(CpuName(FakeRoot(strange).path()), "ARM implementer 0x99 part 0x001");
  EXPECT_EQ(CpuName(FakeRoot(n1 + strange).path()), "ARM Neoverse-N1 and ARM implementer 0x99 part 0x001");
  EXPECT_EQ(CpuSlug(FakeRoot(n1 + strange).path()), "arm-neoverse-n1-and-arm-implementer-0x99-part-0x001");
}

TEST(Cpu, OfOthersIsWhatTheSystemTells) {
  EXPECT_EQ(CpuSlug(FakeRoot("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n").path()),
            "power9-altivec-supported");
  FakeRoot board("processor\t: 0\n");
  board.Write("proc/device-tree/model", std::string("Some Board 3") + '\0');
  EXPECT_EQ(CpuName(board.path()), "Some Board 3");
  EXPECT_EQ(CpuName(FakeRoot().path()).rfind("unknown ", 0), 0u) << CpuName(FakeRoot().path());
  EXPECT_EQ(CpuSlug(FakeRoot(X86("@@@ 1234")).path()).find('@'), std::string::npos);
}

TEST(Cpu, CountsProcessors) {
  EXPECT_EQ(LogicalCpus(FakeRoot(X86("a") + X86("a") + X86("a")).path()), 3);
  EXPECT_EQ(LogicalCpus(FakeRoot("processor 0: version = FF\nprocessor 1: version = FF\n").path()), 2);
  EXPECT_EQ(LogicalCpus(FakeRoot().path()), 0);
}

TEST(Cpu, TellsAVirtualMachine) {
  EXPECT_TRUE(IsVirtual(FakeRoot(X86("a", "1", "fpu hypervisor sse2")).path()));
  EXPECT_FALSE(IsVirtual(FakeRoot(X86("a", "1", "fpu nohypervisor sse2")).path()));
  FakeRoot xen(X86("a"));
  EXPECT_FALSE(IsVirtual(xen.path()));
  xen.Write("sys/hypervisor/type", "xen\n");
  EXPECT_TRUE(IsVirtual(xen.path()));
}

TEST(Machine, ContextHasEveryField) {
  FakeRoot root(X86("AMD EPYC", "17", "hypervisor") + X86("AMD EPYC", "17", "hypervisor"));
  EXPECT_EQ(MachineContext(root.path()).at("caches").size(), 0u);
  EXPECT_EQ(MachineContext(root.path()).at("governor"), "none");
  EXPECT_EQ(MachineContext(root.path()).at("huge_pages"), "none");
  root.WriteCache(0, "1", "Data", "32K");
  root.WriteCache(1, "1", "Instruction", "48K");
  root.WriteCache(2, "2", "Unified", "1024K");
  root.WriteCache(3, "3", "Unified", "36608K");
  root.Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  root.Write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  const nlohmann::json context = MachineContext(root.path());
  EXPECT_EQ(context.at("cpu"), CpuName(root.path()));
  EXPECT_EQ(context.at("cores"), 2);
  EXPECT_EQ(context.at("caches"), (std::vector<std::string>{"L1d 32 KiB", "L1i 48 KiB", "L2 1 MiB", "L3 36608 KiB"}));
  EXPECT_EQ(context.at("governor"), "performance");
  EXPECT_EQ(context.at("huge_pages"), "always [madvise] never");
  EXPECT_EQ(context.at("virtual"), true);
  EXPECT_EQ(context.at("targets").size(), SupportedTargets().size);
  EXPECT_EQ(context.at("targets").at(0), SupportedTargets().names[0]);
  EXPECT_TRUE(std::regex_match(context.at("date").get<std::string>(),
                               std::regex("20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z")));
  EXPECT_TRUE(std::regex_match(context.at("compiler").get<std::string>(), std::regex("(clang|g)\\+\\+ [0-9]+\\..*")));
  EXPECT_TRUE(std::regex_match(context.at("commit").get<std::string>(), std::regex("unknown|[0-9a-f]{7,40}(-dirty)?")));
  EXPECT_TRUE(std::regex_match(context.at("counters").get<std::string>(), std::regex("hardware(, but .+)?|none: .+")));
  EXPECT_FALSE(context.at("kernel").get<std::string>().empty());
  std::set<std::string> names;
  for (const auto& [name, value] : context.items()) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"cpu", "cores", "caches", "governor", "huge_pages", "kernel", "compiler",
                                          "program", "flags", "commit", "date", "targets", "counters", "virtual"}))
      << "as bench/results/README.md lists them";
}

// The machine that runs this: a name that can be a file's.
TEST(Machine, ThisOneHasAFileName) {
  const std::string slug = CpuSlug();
  EXPECT_FALSE(slug.empty());
  EXPECT_TRUE(std::all_of(slug.begin(), slug.end(), [](unsigned char c) {
    return (std::isalnum(c) != 0 && std::isupper(c) == 0) || c == '-';
  })) << slug;
  EXPECT_GE(LogicalCpus(), 1);
}

}  // namespace
}  // namespace linefilter::bench
