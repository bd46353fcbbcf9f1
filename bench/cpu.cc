#include "bench/cpu.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace linefilter::bench {
namespace {

std::string Trimmed(std::string text) {
  // The device tree ends its strings with a zero byte.
  const auto blank = [](char c) { return c == '\0' || std::isspace(static_cast<unsigned char>(c)); };
  while (!text.empty() && blank(text.back())) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
  return text;
}

using Fields = std::vector<std::pair<std::string, std::string>>;

// The "name : value" lines of /proc/cpuinfo, in their order: all CPUs one after the other.
Fields CpuInfo(const std::string& root) {
  Fields fields;
  std::ifstream in(root + "/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    fields.emplace_back(Trimmed(line.substr(0, colon)), Trimmed(line.substr(colon + 1)));
  }
  return fields;
}

// Of the first CPU that has it.
std::string Field(const Fields& fields, const std::string& name) {
  for (const auto& [field, value] : fields) {
    if (field == name) return value;
  }
  return "";
}

// ARM's cores tell numbers only. Names: Arm's and Apple's main id registers, as Linux lists them in cputype.h.
std::string ArmCore(const std::string& implementer, const std::string& part) {
  static const std::map<std::string, std::string> kCores = {
      {"0x41/0xd03", "ARM Cortex-A53"},    {"0x41/0xd05", "ARM Cortex-A55"},    {"0x41/0xd07", "ARM Cortex-A57"},
      {"0x41/0xd08", "ARM Cortex-A72"},    {"0x41/0xd0b", "ARM Cortex-A76"},    {"0x41/0xd0c", "ARM Neoverse-N1"},
      {"0x41/0xd40", "ARM Neoverse-V1"},   {"0x41/0xd49", "ARM Neoverse-N2"},   {"0x41/0xd4f", "ARM Neoverse-V2"},
      {"0x61/0x022", "Apple M1 Icestorm"}, {"0x61/0x023", "Apple M1 Firestorm"}};
  const auto core = kCores.find(implementer + "/" + part);
  return core != kCores.end() ? core->second : "ARM implementer " + implementer + " part " + part;
}

// Different cores of one chip are named in order of appearance. Empty on other CPUs.
std::string ArmCores(const Fields& fields) {
  std::string implementer;
  std::vector<std::string> cores;
  for (const auto& [field, value] : fields) {
    if (field == "CPU implementer") implementer = value;
    if (field != "CPU part" || implementer.empty()) continue;
    const std::string core = ArmCore(implementer, value);
    if (std::find(cores.begin(), cores.end(), core) == cores.end()) cores.push_back(core);
  }
  std::string names;
  for (const std::string& core : cores) names += (names.empty() ? "" : " and ") + core;
  return names;
}

// Words of a name without what is not the model: (R), (TM), CPU, "8-Core", "Processor", and the clock behind @.
std::vector<std::string> ModelWords(const std::string& name) {
  std::string text = name.substr(0, name.find('@'));
  for (const char* mark : {"(R)", "(TM)", "(r)", "(tm)"}) {
    for (size_t at = 0; (at = text.find(mark)) != std::string::npos;) text.replace(at, std::string(mark).size(), " ");
  }
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const bool counts_cores = word.find("-Core") != std::string::npos;
    if (word != "CPU" && word != "Processor" && !counts_cores) words.push_back(word);
  }
  return words;
}

// A model has a number of three digits at least ("7R13" and "i7-8700" have): "AMD EPYC" could be any.
bool IsGeneric(const std::string& name) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (const std::string& word : ModelWords(name)) {
    if (std::count_if(word.begin(), word.end(), digit) >= 3) return false;
  }
  return true;
}

// What else tells which x86 CPU it is, if its name is generic; else empty.
struct Generic {
  std::string family, model, stepping;
};
Generic GenericOf(const Fields& fields) {
  if (!IsGeneric(Field(fields, "model name"))) return {};
  return {Field(fields, "cpu family"), Field(fields, "model"), Field(fields, "stepping")};
}

std::string PlainName(const Fields& fields, const std::string& root) {
  const std::string arm = ArmCores(fields);
  if (!arm.empty()) return arm;
  // Of x86, POWER, MIPS, RISC-V, s390x.
  for (const char* field : {"model name", "cpu", "cpu model", "uarch", "vendor_id"}) {
    const std::string name = Field(fields, field);
    if (!name.empty()) return name;
  }
  const std::string board = FileText(root + "/proc/device-tree/model");
  if (!board.empty()) return board;
  utsname system{};
  return uname(&system) == 0 ? std::string("unknown ") + system.machine : "unknown";
}

}  // namespace

std::string FileText(const std::string& path) {
  std::ifstream in(path);
  return Trimmed(std::string(std::istreambuf_iterator<char>(in), {}));
}

std::string CpuName(const std::string& root) {
  const Fields fields = CpuInfo(root);
  const Generic generic = GenericOf(fields);
  const std::string name = PlainName(fields, root);
  if (generic.family.empty()) return name;
  return name + " (family " + generic.family + ", model " + generic.model + ", stepping " + generic.stepping + ")";
}

std::string CpuSlug(const std::string& root) {
  const Fields fields = CpuInfo(root);
  const Generic generic = GenericOf(fields);
  std::string text;
  for (const std::string& word : ModelWords(PlainName(fields, root))) text += word + " ";
  if (!generic.family.empty()) text += "fam" + generic.family + " mod" + generic.model + " step" + generic.stepping;
  std::string slug;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "unknown" : slug;
}

int LogicalCpus(const std::string& root) {
  int cpus = 0;
  for (const auto& [field, value] : CpuInfo(root)) cpus += field.rfind("processor", 0) == 0;  // s390x: "processor 0"
  return cpus;
}

bool IsVirtual(const std::string& root) {
  std::istringstream flags(Field(CpuInfo(root), "flags"));
  for (std::string flag; flags >> flag;) {
    if (flag == "hypervisor") return true;
  }
  return !FileText(root + "/sys/hypervisor/type").empty();
}

}  // namespace linefilter::bench
