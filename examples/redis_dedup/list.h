// What is to be deduplicated: the lines of a file; or made e-mail addresses or URLs, of which 30 % have been there
// before. All processes have the same list, so each takes its share of it without a word to the others.
#ifndef LINEFILTER_EXAMPLES_REDIS_DEDUP_LIST_H_
#define LINEFILTER_EXAMPLES_REDIS_DEDUP_LIST_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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

  // The lines of a file but the empty ones. Throws what to do if there is none.
  explicit List(const std::string& path);

  uint64_t items() const { return items_; }
  uint64_t distinct() const { return lines_.empty() ? NewBefore(items_) : lines_.size(); }
  // Which of the distinct keys stands at place i: of a made list, at three of ten places one from anywhere before it.
  uint64_t NumberAt(uint64_t i) const {
    if (!lines_.empty()) return number_at_[i];
    return IsRepeated(i) ? linefilter::MixHash(i) % NewBefore(i) : NewBefore(i);
  }
  std::string KeyOf(uint64_t number) const { return lines_.empty() ? key_of_(number) : lines_[number]; }

 private:
  static bool IsRepeated(uint64_t i) { return i % 10 == 3 || i % 10 == 6 || i % 10 == 9; }
  static uint64_t NewBefore(uint64_t i) {
    const uint64_t rest = i % 10;
    return i / 10 * 7 + rest - (rest > 3) - (rest > 6);
  }

  uint64_t items_ = 0;
  std::function<std::string(uint64_t)> key_of_;  // of a made list
  std::vector<std::string> lines_;               // of a file, each once, and which of them stands where
  std::vector<uint64_t> number_at_;
};

}  // namespace redis_dedup

#endif  // LINEFILTER_EXAMPLES_REDIS_DEDUP_LIST_H_
