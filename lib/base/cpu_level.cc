#include "lib/base/cpu_level.h"

#include <cstddef>

#if defined(__x86_64__) || defined(__i386__)
#define LINEFILTER_HAS_CPUID 1
#include <cpuid.h>
#else
#define LINEFILTER_HAS_CPUID 0
#endif

namespace linefilter::internal {

std::atomic<CpuLevel> level_of_cpu{CpuLevel::kUnasked};

#if LINEFILTER_HAS_CPUID
namespace {

// The registers in which CPUID tells of instructions, and XCR0, where the system says which registers it saves (Intel's
// manual, volume 2, CPUID; volume 1, 13.3).
struct Features {
  uint32_t ecx1 = 0, edx1 = 0;            // leaf 1
  uint32_t ebx7 = 0, ecx7 = 0, edx7 = 0;  // leaf 7
  uint32_t eax7_1 = 0;                    // its subleaf 1
  uint32_t ecx_extended = 0;              // leaf 0x80000001
  uint32_t xcr0 = 0;

  bool Have(const Features& needed) const {
    const auto has = [](uint32_t all, uint32_t some) { return (all & some) == some; };
    return has(ecx1, needed.ecx1) && has(edx1, needed.edx1) && has(ebx7, needed.ebx7) && has(ecx7, needed.ecx7) &&
           has(edx7, needed.edx7) && has(eax7_1, needed.eax7_1) && has(ecx_extended, needed.ecx_extended) &&
           has(xcr0, needed.xcr0);
  }
};

Features FeaturesOfCpu() {
  Features found;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    found.ecx1 = ecx;
    found.edx1 = edx;
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    const uint32_t last_subleaf = eax;
    found.ebx7 = ebx;
    found.ecx7 = ecx;
    found.edx7 = edx;
    if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) found.eax7_1 = eax;
  }
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0) found.ecx_extended = ecx;
  constexpr uint32_t kHasXgetbv = 1u << 27;
  if ((found.ecx1 & kHasXgetbv) != 0) __asm__ volatile("xgetbv" : "=a"(found.xcr0), "=d"(edx) : "c"(0));
  return found;
}

template <class... Bits>
constexpr uint32_t Or(Bits... bits) {
  return ((1u << bits) | ...);
}

// These are what Highway's targets need. From AVX3_DL on they need GFNI, too, for which Highway 1.0.3 does not ask: our
// kernels use it (linefilter/internal/test_solved_block.h). All CPUs that have AVX3_DL have it, but a virtual machine
// may hide it.
Features OfSse2() {
  Features needed;
  needed.edx1 = Or(25, 26);  // SSE, SSE2
  return needed;
}
Features OfSsse3() {
  Features needed = OfSse2();
  needed.ecx1 = Or(0, 9);  // SSE3, SSSE3
  return needed;
}
Features OfSse4() {
  Features needed = OfSsse3();
  needed.ecx1 |= Or(1, 19, 20, 23, 25);  // PCLMUL, SSE4.1, SSE4.2, POPCNT, AES
  return needed;
}
Features OfAvx2() {
  Features needed = OfSse4();
  needed.ecx1 |= Or(12, 27, 28, 29);  // FMA, OSXSAVE, AVX, F16C
  needed.ebx7 = Or(3, 5, 8);          // BMI, AVX2, BMI2
  needed.ecx_extended = Or(5);        // LZCNT
  needed.xcr0 = Or(1, 2);             // vectors of 128 and 256 bits
  return needed;
}
Features OfAvx3() {
  Features needed = OfAvx2();
  needed.ebx7 |= Or(16, 17, 28, 30, 31);  // AVX512 F, DQ, CD, BW, VL
  needed.xcr0 |= Or(5, 6, 7);             // masks, vectors of 512 bits, 32 of them
  return needed;
}
Features OfAvx3Dl() {
  Features needed = OfAvx3();
  needed.ecx7 = Or(1, 6, 8, 9, 10, 11, 12, 14);  // VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ
  return needed;
}
Features OfZen4() {
  Features needed = OfAvx3Dl();
  needed.eax7_1 = Or(5);  // AVX512 BF16
  return needed;
}
Features OfSpr() {
  Features needed = OfZen4();
  needed.edx7 = Or(23);  // AVX512 FP16
  return needed;
}

}  // namespace

CpuLevel AskCpu() {
  const Features found = FeaturesOfCpu();
  // By CpuLevel, from kSse2 on.
  const Features needed[] = {OfSse2(), OfSsse3(), OfSse4(), OfAvx2(), OfAvx3(), OfAvx3Dl(), OfZen4(), OfSpr()};
  uint8_t level = static_cast<uint8_t>(CpuLevel::kNone);
  for (const Features& of_level : needed) {
    if (!found.Have(of_level)) break;
    ++level;
  }
  level_of_cpu.store(static_cast<CpuLevel>(level), std::memory_order_relaxed);
  return static_cast<CpuLevel>(level);
}

#else

CpuLevel AskCpu() { return CpuLevel::kNone; }

#endif

}  // namespace linefilter::internal
