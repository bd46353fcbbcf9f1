// linefilter_check_fpr counts by arrays of keys, which are there all the time. Absent keys that answered "maybe" are
// remembered by their hash and place, and looked for among the members.
#include "linefilter/c/testing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "lib/c/handles.h"
#include "lib/filters/hash_keys.h"
#include "lib/filters/serving.h"
#include "linefilter/fpr_judge.h"
#include "linefilter/hash.h"
#include "linefilter/testing.h"

using namespace linefilter;
using namespace linefilter::internal;

static_assert(LINEFILTER_FPR_WITHIN == int{static_cast<int>(FprVerdict::kWithin)});
static_assert(LINEFILTER_FPR_ABOVE == int{static_cast<int>(FprVerdict::kAbove)});
static_assert(LINEFILTER_FPR_UNDECIDED == int{static_cast<int>(FprVerdict::kUndecided)});
static_assert(LINEFILTER_FPR_MAX_NAMED == FprKeys::kMost);
static_assert(sizeof(linefilter_fpr_result::sentence) == sizeof(FprResult::sentence));

namespace {

struct Maybe {
  uint64_t hash;
  size_t position;
  bool is_member;
};

// A sequence that grows, and says so if there is no memory.
class Maybes {
 public:
  Maybes() = default;
  Maybes(const Maybes&) = delete;
  Maybes& operator=(const Maybes&) = delete;
  ~Maybes() { Deallocate({}, begin_, capacity_ * sizeof(Maybe)); }

  bool Add(const Maybe& maybe) {
    if (size_ == capacity_) {
      const size_t capacity = std::max<size_t>(1024, 2 * capacity_);
      auto* const grown = static_cast<Maybe*>(Allocate({}, capacity * sizeof(Maybe)));
      if (grown == nullptr) return false;
      if (size_ != 0) memcpy(grown, begin_, size_ * sizeof(Maybe));
      Deallocate({}, begin_, capacity_ * sizeof(Maybe));
      begin_ = grown;
      capacity_ = capacity;
    }
    begin_[size_++] = maybe;
    return true;
  }
  Maybe* begin() const { return begin_; }
  Maybe* end() const { return begin_ + size_; }
  size_t size() const { return size_; }

 private:
  Maybe* begin_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

struct Check {
  linefilter_may_contain may_contain;
  const void* filter;
  FprCounts counts;
  FprKeys lost, absent_members;
  Maybes maybes;

  // Calls on_answer(position, key, maybe) for each key.
  template <class OnAnswer>
  void Ask(const linefilter_fpr_keys& keys, const OnAnswer& on_answer) const {
    constexpr size_t kBatch = 256;
    uint8_t answers[kBatch];
    for (size_t done = 0; done < keys.n; done += kBatch) {
      const size_t n = std::min(kBatch, keys.n - done);
      const BytesKeys batch{keys.keys + done, keys.sizes + done};
      if (may_contain == nullptr) {
        WithServing(*static_cast<const linefilter_view*>(filter)->asked,
                    [&](const Serving& now) { HashAndAsk(now, batch, n, answers); });
      } else {
        for (size_t i = 0; i < n; ++i) answers[i] = may_contain(filter, batch.keys[i], batch.sizes[i]);
      }
      for (size_t i = 0; i < n; ++i) on_answer(done + i, batch[i], answers[i] != 0);
    }
  }

  // False if there is no memory.
  bool Count(const linefilter_fpr_keys& members, const linefilter_fpr_keys& absent) {
    bool has_memory = true;
    Ask(absent, [&](size_t position, std::string_view key, bool maybe) {
      if (maybe) has_memory = has_memory && maybes.Add({HashOf(key), position, false});
    });
    std::sort(maybes.begin(), maybes.end(), [](const Maybe& a, const Maybe& b) { return a.hash < b.hash; });
    const BytesKeys absent_keys{absent.keys, absent.sizes};
    Ask(members, [&](size_t position, std::string_view key, bool maybe) {
      if (!maybe) ++counts.num_lost, lost.Add(position, key);
      if (maybes.size() != 0) LookUp(key, absent_keys);
    });
    counts.num_members = members.n;
    if (may_contain == nullptr) {
      counts.bits_per_key = BitsPerKeyForFpr(*static_cast<const linefilter_view*>(filter)->asked, members.n);
    }
    counts.num_queries = absent.n - counts.num_absent_members;
    counts.false_positives = maybes.size() - counts.num_absent_members;
    return has_memory;
  }

  static uint64_t HashOf(std::string_view key) { return HashBytes(key.data(), key.size(), 0); }

  void LookUp(std::string_view member, const BytesKeys& absent) {
    const uint64_t hash = HashOf(member);
    Maybe* maybe = std::lower_bound(maybes.begin(), maybes.end(), hash,
                                    [](const Maybe& known, uint64_t wanted) { return known.hash < wanted; });
    for (; maybe != maybes.end() && maybe->hash == hash; ++maybe) {
      if (absent[maybe->position] != member) continue;
      if (maybe->is_member) return;  // the member came before, and so did all absent keys like it
      maybe->is_member = true;
      ++counts.num_absent_members;
      absent_members.Add(maybe->position, member);
    }
  }
};

FprLimit FromC(const linefilter_fpr_limit& limit, FprBaseline* baseline) {
  FprLimit made;
  made.at_most = limit.at_most;
  if (limit.confidence != 0) made.confidence = limit.confidence;
  if (limit.resolution != 0) made.resolution = limit.resolution;
  baseline->num_queries = limit.baseline_num_queries;
  baseline->false_positives = limit.baseline_false_positives;
  baseline->bits_per_key = limit.baseline_bits_per_key;
  if (limit.baseline_num_queries != 0) made.baseline = baseline;
  return made;
}

void PositionsToC(const FprKeys& keys, uint64_t* positions) {
  std::fill_n(positions, FprKeys::kMost, UINT64_MAX);
  for (size_t i = 0; i < keys.size; ++i) positions[i] = keys.named[i].position;
}

linefilter_fpr_verdict ToC(const FprResult& result, linefilter_fpr_result* to) {
  const auto verdict = static_cast<linefilter_fpr_verdict>(result.verdict);
  if (to == nullptr) return verdict;
  to->verdict = verdict;
  to->reserved = 0;
  to->num_members = result.counts.num_members;
  to->num_lost = result.counts.num_lost;
  to->num_queries = result.counts.num_queries;
  to->false_positives = result.counts.false_positives;
  to->num_absent_members = result.counts.num_absent_members;
  to->fpr = result.fpr;
  to->fpr_low = result.fpr_low;
  to->fpr_high = result.fpr_high;
  to->limit = result.limit;
  to->bits_per_key = result.counts.bits_per_key;
  to->num_queries_needed = result.num_queries_needed;
  PositionsToC(result.lost, to->lost);
  PositionsToC(result.absent_members, to->absent_members);
  memcpy(to->sentence, result.sentence, sizeof(to->sentence));
  return verdict;
}

linefilter_fpr_verdict Undecided(const char* sentence, linefilter_fpr_result* to) {
  FprResult result;
  snprintf(result.sentence, sizeof(result.sentence), "%s", sentence);
  return ToC(result, to);
}

bool HasNull(const linefilter_fpr_keys* keys) {
  return keys == nullptr || (keys->n != 0 && (keys->keys == nullptr || keys->sizes == nullptr));
}

}  // namespace

linefilter_fpr_verdict linefilter_check_fpr(linefilter_may_contain may_contain, const void* filter,
                                            const linefilter_fpr_keys* members, const linefilter_fpr_keys* absent,
                                            const linefilter_fpr_limit* limit, linefilter_fpr_result* result) {
  if (limit == nullptr || HasNull(members) || HasNull(absent)) {
    return Undecided("members, absent, limit, or an array of keys is NULL: give all of them", result);
  }
  if (may_contain == nullptr && filter == nullptr) {
    return Undecided("filter is NULL: look at the status of the call that made it", result);
  }
  Check check{may_contain, filter, {}, {}, {}, {}};
  const bool has_memory = check.Count(*members, *absent);
  // A member that was lost is lost, whatever else is not known.
  if (!has_memory && check.counts.num_lost == 0) {
    return Undecided("there is no memory for the absent keys that answered \"maybe\": ask fewer keys", result);
  }
  FprBaseline baseline;
  return ToC(JudgeFpr(check.counts, FromC(*limit, &baseline), check.lost, check.absent_members), result);
}
