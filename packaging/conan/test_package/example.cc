// A filter of one key, made and asked.
#include "linefilter/filter.h"

int main() {
  linefilter::FilterOptions options;
  options.bits_per_key = 10;
  linefilter::BlockedFilter filter;
  if (!filter.Create(1, options).ok()) return 1;
  filter.InsertKey("key");
  return filter.MayContainKey("key") ? 0 : 1;
}
