// Changes to bytes as an input orders them. A good image and a few orders are a far shorter input than the image that
// comes out, so executions are cheap and the corpus is small, and no image is stored that a new version would spoil.
#ifndef LINEFILTER_TESTS_FUZZ_EDIT_H_
#define LINEFILTER_TESTS_FUZZ_EDIT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz.h"

namespace linefilter::fuzz {

// A place in `size` bytes, its end included: from the beginning, or (where the fields are) from the end.
inline size_t PlaceIn(size_t size, Input* in) {
  const size_t place = static_cast<size_t>(in->Number(2));
  const size_t distance = (place & 0x7fff) % (size + 1);
  return (place & 0x8000) != 0 ? size - distance : distance;
}

// One change: bytes overwritten, inserted, erased, cut off at either end, appended, or taken from `other`.
inline void EditOnce(std::string_view other, Input* in, std::string* bytes) {
  constexpr int kWidths[] = {1, 2, 4, 8};
  const uint8_t what = in->Byte();
  const size_t place = PlaceIn(bytes->size(), in);
  switch (what % 8) {
    case 0:
    case 1: {
      const int width = kWidths[what >> 4 & 3];
      uint64_t value = in->Number(width);
      for (size_t i = place; i < std::min(bytes->size(), place + static_cast<size_t>(width)); ++i, value >>= 8) {
        (*bytes)[i] = static_cast<char>(value);
      }
      return;
    }
    case 2:
      bytes->insert(place, in->Take(in->Byte()));
      return;
    case 3:
      bytes->insert(place, in->Byte(), static_cast<char>(what));  // a run
      return;
    case 4:
      bytes->erase(place, in->Byte());
      return;
    case 5:
      bytes->resize(place);
      return;
    case 6:
      bytes->erase(0, place);
      return;
    default:
      bytes->replace(place, std::string::npos, other.substr(PlaceIn(other.size(), in)));
      return;
  }
}

// Up to seven changes; the result has at most `most_bytes`.
inline void Edit(std::string_view other, size_t most_bytes, Input* in, std::string* bytes) {
  for (int edits = in->Byte() % 8; edits != 0 && !in->empty(); --edits) EditOnce(other, in, bytes);
  if (bytes->size() > most_bytes) bytes->resize(most_bytes);
}

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_EDIT_H_
