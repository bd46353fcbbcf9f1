// Text with separators is read part by part.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_CUT_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_CUT_H_

#include <string_view>

namespace linefilter::redis_internal {

// Cuts up to the separator, which is taken away, too; else all.
inline std::string_view Cut(std::string_view* text, char separator) {
  const size_t end = text->find(separator);
  const std::string_view part = text->substr(0, end);
  *text = end == std::string_view::npos ? std::string_view() : text->substr(end + 1);
  return part;
}

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_CUT_H_
