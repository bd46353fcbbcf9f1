#include "linefilter/fpr_judge.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "lib/base/fpr_limit.h"

namespace linefilter {
namespace {

bool IsShare(double x) { return x > 0 && x < 1; }

// The sentence, written piece by piece and cut to fit.
class Writer {
 public:
  explicit Writer(FprResult* result) : at_(result->sentence), end_(at_ + sizeof(result->sentence)) {}

  void Write(const char* format, ...)
#if defined(__GNUC__)
      __attribute__((format(printf, 2, 3)))
#endif
  {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(at_, static_cast<size_t>(end_ - at_), format, arguments);
    va_end(arguments);
    if (n > 0) at_ += std::min<ptrdiff_t>(n, end_ - at_ - 1);
  }

  // " \"alice\" (17), \"bob\" (20), and 3 more", without what was not named.
  void Names(const FprKeys& keys, uint64_t count) {
    for (size_t i = 0; i < keys.size; ++i) {
      Write("%s%s (position %" PRIu64 ")", i == 0 ? ": " : ", ", keys.named[i].text, keys.named[i].position);
    }
    if (keys.size != 0 && count > keys.size) Write(", and %" PRIu64 " more", count - keys.size);
  }

 private:
  char* at_;
  char* const end_;
};

// Why the request makes no sense, and what to do; or null.
const char* Misuse(const FprCounts& counts, const FprLimit& limit) {
  if (limit.baseline == nullptr && !IsShare(limit.at_most)) {
    return "at_most is not between 0 and 1: give the highest false-positive rate that is allowed, like 0.01";
  }
  if (!IsShare(limit.confidence)) return "confidence is not between 0 and 1: choose like 0.99";
  if (!(limit.resolution > 1) || std::isinf(limit.resolution)) {
    return "resolution is not above 1: choose like 1.5, which lets rates of up to 1.5 times the limit pass";
  }
  if (limit.baseline != nullptr &&
      (limit.baseline->num_queries == 0 || limit.baseline->false_positives > limit.baseline->num_queries)) {
    return "the baseline has no query, or more false positives than queries: count it again";
  }
  if (limit.baseline != nullptr && limit.baseline->false_positives == 0) {
    return "the baseline has no false positive, so it tells no rate: count it again with more queries, or give at_most";
  }
  if (counts.num_lost > counts.num_members || counts.false_positives > counts.num_queries) {
    return "more keys answered than were asked: count members and absent keys apart";
  }
  if (counts.num_queries == 0 && counts.num_absent_members == 0)
    return "no absent key was asked, so there is no rate: give keys that are not in the filter";
  return nullptr;
}

// "1.02 % (103 of 10100 absent keys, 99 % interval 0.78 % to 1.31 %)".
void WriteRate(const FprResult& result, const FprLimit& limit, Writer* writer) {
  writer->Write("the false-positive rate is %.4g %% (%" PRIu64 " of %" PRIu64
                " absent keys; %.6g %% interval: %.4g %% to %.4g %%)",
                100 * result.fpr, result.counts.false_positives, result.counts.num_queries, 100 * limit.confidence,
                100 * result.fpr_low, 100 * result.fpr_high);
  if (limit.baseline != nullptr) {
    writer->Write(", %.4g times that of the baseline (%.4g to %.4g)", result.ratio, result.ratio_low,
                  result.ratio_high);
  }
}

void WriteLimit(const FprResult& result, const FprLimit& limit, Writer* writer) {
  writer->Write("the %s of %.4g %%", limit.baseline == nullptr ? "limit" : "baseline", 100 * result.limit);
}

void Decide(const FprLimit& limit, FprResult* result, Writer* writer) {
  // A rate that seems to be below the limit may be at it.
  const bool is_higher = result->fpr > result->limit;
  result->num_queries_needed = internal::QueriesToDecide(std::max(result->fpr, result->limit), is_higher, limit);
  writer->Write(": too few queries to tell whether it keeps to ");
  WriteLimit(*result, limit, writer);
  if (result->num_queries_needed != 0) {
    writer->Write(". %" PRIu64 " absent keys would decide in %.6g of 100 runs", result->num_queries_needed,
                  100 * internal::ShareDecided(is_higher, limit));
  } else if (limit.baseline != nullptr) {
    writer->Write(". No number of queries would decide: count the baseline again with more, or raise the resolution");
  } else {
    writer->Write(". No number of queries that ends would decide: raise the resolution");
  }
  if (is_higher && result->ratio < limit.resolution) {
    writer->Write(
        ". The rate seems to lie between the limit and %.4g times the limit: allow that by a larger "
        "resolution, or make the filter larger",
        limit.resolution);
  }
}

bool TakesMoreBits(const FprCounts& counts, const FprLimit& limit) {
  return limit.baseline != nullptr && counts.bits_per_key > 0 && limit.baseline->bits_per_key > 0 &&
         counts.bits_per_key > kMostBitsOfBaseline * limit.baseline->bits_per_key;
}

// Rules 3 to 6.
void JudgeRate(const FprLimit& limit, FprResult* result, Writer* writer) {
  const FprCounts& counts = result->counts;
  if (result->ratio_low > 1) {
    result->verdict = FprVerdict::kAbove;
    WriteRate(*result, limit, writer);
    writer->Write(": above ");
    WriteLimit(*result, limit, writer);
    if (counts.false_positives == counts.num_queries) {
      writer->Write(". Every key answered \"maybe\", as of a broken filter: look at the Status of what made it");
    }
  } else if (TakesMoreBits(counts, limit)) {
    result->verdict = FprVerdict::kAbove;
    writer->Write(
        "the filter takes %.4g bits per key, and the baseline %.4g: more than %g times as many, if all of its "
        "members were counted",
        counts.bits_per_key, limit.baseline->bits_per_key, kMostBitsOfBaseline);
  } else if (counts.num_absent_members != 0) {
    writer->Write("%" PRIu64 " absent %s", counts.num_absent_members,
                  counts.num_absent_members == 1 ? "key is a member" : "keys are members");
    writer->Names(result->absent_members, counts.num_absent_members);
    writer->Write(". Give absent keys that are not in the filter");
  } else if (result->ratio_high <= limit.resolution) {
    result->verdict = FprVerdict::kWithin;
    WriteRate(*result, limit, writer);
    writer->Write(": at most %.4g times ", limit.resolution);
    WriteLimit(*result, limit, writer);
  } else {
    WriteRate(*result, limit, writer);
    Decide(limit, result, writer);
  }
}

}  // namespace

void FprKeys::Add(uint64_t position, const Key& key) noexcept {
  if (size == kMost) return;
  Named& name = named[size++];
  name.position = position;
  if (key.is_number()) {
    snprintf(name.text, sizeof(name.text), "%" PRIu64, key.number());
    return;
  }
  constexpr size_t kRest = 9;  // "\xNN", and "...\"" with its zero
  size_t at = 0;
  name.text[at++] = '"';
  for (const char c : key.bytes()) {
    if (at + kRest > sizeof(name.text)) {
      at += static_cast<size_t>(snprintf(name.text + at, sizeof(name.text) - at, "..."));
      break;
    }
    const auto byte = static_cast<unsigned char>(c);
    const bool is_printable = byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
    at += static_cast<size_t>(snprintf(name.text + at, sizeof(name.text) - at, is_printable ? "%c" : "\\x%02x", byte));
  }
  name.text[at++] = '"';
  name.text[at] = '\0';
}

FprResult JudgeFpr(const FprCounts& counts, const FprLimit& limit, const FprKeys& lost,
                   const FprKeys& absent_members) noexcept {
  FprResult result;
  result.counts = counts;
  result.lost = lost;
  result.absent_members = absent_members;
  Writer writer(&result);
  const char* const misuse = Misuse(counts, limit);
  if (misuse == nullptr) {
    const Interval fpr = ClopperPearson(counts.false_positives, counts.num_queries, limit.confidence);
    const Interval ratio = internal::RatioToLimit(counts.false_positives, counts.num_queries, limit);
    result.limit = internal::RateOf(limit);
    if (counts.num_queries != 0) {
      result.fpr = static_cast<double>(counts.false_positives) / static_cast<double>(counts.num_queries);
    }
    result.fpr_low = fpr.low, result.fpr_high = fpr.high;
    result.ratio = result.fpr / result.limit;
    result.ratio_low = ratio.low, result.ratio_high = ratio.high;
  }
  if (counts.num_lost != 0) {
    result.verdict = FprVerdict::kAbove;
    writer.Write("%" PRIu64 " of %" PRIu64 " members answered \"absent\"", counts.num_lost, counts.num_members);
    writer.Names(lost, counts.num_lost);
    writer.Write(". A filter never loses a key that it was given with the same bytes, hash and seed");
  } else if (misuse != nullptr) {
    writer.Write("%s", misuse);
  } else {
    JudgeRate(limit, &result, &writer);
  }
  return result;
}

uint64_t QueriesForLimit(const FprLimit& limit) noexcept {
  FprCounts one;
  one.num_queries = 1;
  if (Misuse(one, limit) != nullptr) return 0;
  return internal::QueriesToDecide(internal::RateOf(limit), false, limit);
}

}  // namespace linefilter
