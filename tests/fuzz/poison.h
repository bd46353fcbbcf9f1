// Memory that AddressSanitizer reports when it is touched, though it is mapped. Nothing in other builds.
#ifndef LINEFILTER_TESTS_FUZZ_POISON_H_
#define LINEFILTER_TESTS_FUZZ_POISON_H_

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LINEFILTER_FUZZ_POISONS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LINEFILTER_FUZZ_POISONS
#endif
#ifdef LINEFILTER_FUZZ_POISONS
#include <sanitizer/asan_interface.h>
#endif

namespace linefilter::fuzz {

inline void Poison([[maybe_unused]] const void* begin, [[maybe_unused]] size_t size) {
#ifdef LINEFILTER_FUZZ_POISONS
  __asan_poison_memory_region(begin, size);
#endif
}

inline void Unpoison([[maybe_unused]] const void* begin, [[maybe_unused]] size_t size) {
#ifdef LINEFILTER_FUZZ_POISONS
  __asan_unpoison_memory_region(begin, size);
#endif
}

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_POISON_H_
