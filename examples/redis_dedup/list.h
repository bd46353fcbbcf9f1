// What is to be deduplicated: e-mail addresses or URLs, of which 30 % have been there before. Everybody who makes the
// list for the same number of items gets the same one, so each process takes its share of it without a word to the
// others.
#ifndef LINEFILTER_EXAMPLES_REDIS_DEDUP_LIST_H_
#define LINEFILTER_EXAMPLES_REDIS_DEDUP_LIST_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "examples/uses/use.h"
#include "linefilter/hash.h"

namespace redis_dedup {

class List {
 public:
  List(const std::string& kind, uint64_t items) : items_(items) {
    if (kind == "url") {
      key_of_ = uses::Urls(items);
    } else {
      key_of_ = uses::Emails(items);
    }
  }

  uint64_t items() const { return items_; }
  uint64_t distinct() const { return NewBefore(items_); }
  // Which of the distinct keys stands at place i: at three of ten places one from anywhere before it.
  uint64_t NumberAt(uint64_t i) const { return IsRepeated(i) ? linefilter::MixHash(i) % NewBefore(i) : NewBefore(i); }
  std::string KeyOf(uint64_t number) const { return key_of_(number); }

 private:
  static bool IsRepeated(uint64_t i) { return i % 10 == 3 || i % 10 == 6 || i % 10 == 9; }
  static uint64_t NewBefore(uint64_t i) {
    const uint64_t rest = i % 10;
    return i / 10 * 7 + rest - (rest > 3) - (rest > 6);
  }

  uint64_t items_;
  std::function<std::string(uint64_t)> key_of_;
};

}  // namespace redis_dedup

#endif  // LINEFILTER_EXAMPLES_REDIS_DEDUP_LIST_H_
