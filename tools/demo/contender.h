// A filter of the demo, ours or another library's: it is made of words, and words are looked up in it.
#ifndef LINEFILTER_TOOLS_DEMO_CONTENDER_H_
#define LINEFILTER_TOOLS_DEMO_CONTENDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "linefilter/layout.h"

namespace linefilter::demo {

using Words = std::vector<std::string_view>;

class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  virtual double wanted_bits_per_key() const = 0;  // 0: it keeps the words themselves
  // Makes it again of these words; returns what failed, or "".
  virtual std::string Build(const Words& words) = 0;
  // Once, before the lookups: ours are saved and mapped, as a service would do it.
  virtual std::string Finish() { return ""; }
  virtual uint64_t bytes() const = 0;
  virtual double expected_fpr() const { return -1; }  // below 0: it tells none
  // One call per word; how many are "maybe".
  virtual uint64_t CountMaybes(const Words& words) const = 0;
  virtual bool MayContain(std::string_view word) const = 0;
  // All words by one call; false: it has no such call.
  virtual bool Batch(const Words&, uint8_t*) const { return false; }
};

// Of this library: the image is saved at `path` and mapped.
std::unique_ptr<Contender> OfLayout(Layout layout, double bits_per_key, const std::string& path);
// Filters of other libraries, those that this build found; the last one is std::unordered_set, which is exact.
std::vector<std::unique_ptr<Contender>> OfOthers(double bits_per_key);

}  // namespace linefilter::demo

#endif  // LINEFILTER_TOOLS_DEMO_CONTENDER_H_
