// Keys and values of the databases and tables that are compared.
#ifndef LINEFILTER_BENCH_ENGINES_KEYS_H_
#define LINEFILTER_BENCH_ENGINES_KEYS_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "linefilter/hash.h"

namespace linefilter::bench {

// Key i of a database: 16 hexadecimal digits in no order, so that absent keys lie between those that are there.
inline constexpr uint64_t kAbsentEngineKey = uint64_t{1} << 40;
inline std::string EngineKey(uint64_t i) {
  char text[17];
  snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(MixHash(i)));
  return text;
}

inline std::string EngineValue(uint64_t i, uint64_t size) {
  std::string value = std::to_string(i);
  value.resize(static_cast<size_t>(size), 'v');
  return value;
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ENGINES_KEYS_H_
