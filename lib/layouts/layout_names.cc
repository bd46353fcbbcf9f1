#include "lib/layouts/layout_names.h"

#include <cstdio>

namespace linefilter::internal {
namespace {

void Append(const char* separator, const char* name, LayoutNames* names, size_t* size) {
  const int written =
      snprintf(names->text + *size, sizeof(names->text) - *size, "%s%s", *size == 0 ? "" : separator, name);
  if (written > 0) *size += static_cast<size_t>(written);
  if (*size >= sizeof(names->text)) *size = sizeof(names->text) - 1;
}

}  // namespace

LayoutNames NamesOf(bool (*wanted)(const LayoutFacts&), const char* also, const char* last) {
  LayoutNames names = {""};
  size_t size = 0;
  const char* next = nullptr;
  for (const Layout layout : SupportedLayouts()) {
    if (!wanted(FactsOf(layout))) continue;
    if (next != nullptr) Append(", ", next, &names, &size);
    next = LayoutName(layout);
  }
  if (also != nullptr && next != nullptr) Append(", ", next, &names, &size);
  if (also != nullptr) next = also;
  if (next != nullptr) Append(last, next, &names, &size);
  return names;
}

}  // namespace linefilter::internal
