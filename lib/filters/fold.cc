#include "lib/filters/fold.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/layouts/layout_maker.h"
#include "lib/layouts/layout_names.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/fold.h"
#include "linefilter/sizing.h"

namespace linefilter {
namespace internal {
namespace {

unsigned long long Number(uint64_t value) { return value; }

// Names what makes the bits of two filters mean something else; null if they mean the same.
const char* Difference(const FilterBase& one, const FilterBase& other) {
  const Layout layout = one.layout();
  if (layout == Layout::kAuto || other.layout() != layout) return "layout";
  const bool one_is_empty = one.body_bytes() == 0 || other.body_bytes() == 0;
  const bool any_size = FactsOf(layout).folds || one_is_empty;
  if (!any_size && other.body_bytes() != one.body_bytes()) return "size";
  if (!one_is_empty && other.num_probes() != one.num_probes()) {
    return FactsOf(layout).chooses_removal ? "choice of removable" : "num_probes";
  }
  return one.key_hash().DifferenceTo(other.key_hash());
}

// The keys that leave a single place free, on average. A filter of which every place is taken has about as many, or
// more.
double KeysThatFill(const FilterBase& filter) {
  const LayoutRecord& record = *FindLayout(filter.layout());
  const ProbeState& state = filter.probe_state();
  return record.size_at_fill(1 - 1 / record.PlacesIn(filter.body_bytes()), state.num_probes, state.num_units).keys;
}

}  // namespace

Divisors::Divisors(uint64_t num_blocks) {
  for (uint64_t i = 1; i * i <= num_blocks; ++i) {
    if (num_blocks % i == 0) values_[size_++] = i;
  }
  if (size_ == 0) values_[size_++] = 1;
  for (size_t i = size_; i-- != 0;) {
    const uint64_t other = num_blocks / values_[i];
    if (other > values_[size_ - 1]) values_[size_++] = other;
  }
}

Status CheckFoldable(const FilterBase& filter) {
  if (filter.layout() == Layout::kAuto) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "the filter is broken, was never created, or was sealed or moved: there is nothing to fold (of a "
        "SwappableFilter a lease tells)");
  }
  if (FactsOf(filter.layout()).folds) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "layout %s cannot be folded: make what may be too large with layout blocked",
                       LayoutName(filter.layout()));
}

Status CheckFold(const FilterBase& filter, uint64_t factor) {
  const Status foldable = CheckFoldable(filter);
  const uint64_t num_blocks = filter.num_blocks();
  if (!foldable.ok() || (factor != 0 && num_blocks % factor == 0)) return foldable;
  if (num_blocks == 0) {
    return Status::Error(StatusCode::kInvalidArgument, "the empty set cannot be folded by 0: by 1 or more");
  }
  const Divisors divisors(num_blocks);
  if (factor == 0 || factor > num_blocks) {
    return Status::Error(StatusCode::kInvalidArgument, "%llu block%s cannot be folded by %llu: by 1 to %llu",
                         Number(num_blocks), num_blocks == 1 ? "" : "s", Number(factor), Number(num_blocks));
  }
  size_t above = 0;
  while (divisors[above] < factor) ++above;
  return Status::Error(StatusCode::kInvalidArgument,
                       "%llu blocks cannot be folded by %llu: by %llu or %llu (the factor must divide them: foldable "
                       "filters have many)",
                       Number(num_blocks), Number(factor), Number(divisors[above - 1]), Number(divisors[above]));
}

Status CheckUnion(const FilterList& filters) {
  if (filters.size() == 0) {
    return Status::Error(StatusCode::kInvalidArgument, "a union of no filters: give at least one");
  }
  size_t first = 0;  // the first that is no empty set, if there is one
  while (first + 1 < filters.size() && filters[first].body_bytes() == 0) ++first;
  if (filters[first].layout() != Layout::kAuto && !FactsOf(filters[first].layout()).unites) {
    return Status::Error(StatusCode::kIncompatible,
                         "images of layout %s cannot be united: build one of all keys, or each with layout %s",
                         LayoutName(filters[first].layout()),
                         NamesOf([](const LayoutFacts& facts) { return facts.unites; }, nullptr, " or ").text);
  }
  for (size_t i = 0; i < filters.size(); ++i) {
    // They are in the order in which they were given, which is that of "here" and "there".
    const FilterBase &one = filters[std::min(first, i)], &other = filters[std::max(first, i)];
    const char* const difference = Difference(one, other);
    if (difference == nullptr) continue;
    // Where the layouts differ, the one that folds is the better one for both: it is united in unequal sizes, too.
    const bool layouts_differ = one.layout() != other.layout();
    const Layout better = FactsOf(one.layout()).folds ? one.layout() : other.layout();
    return Status::Error(StatusCode::kIncompatible,
                         "no union, for the %s is another: %s, %llu bytes, %u probes, %s hashes here, %s, %llu bytes, "
                         "%u probes, %s hashes there. Make %s%s",
                         difference, LayoutName(one.layout()), Number(one.body_bytes()), one.num_probes(),
                         HashIdName(one.hash_id()), LayoutName(other.layout()), Number(other.body_bytes()),
                         other.num_probes(), HashIdName(other.hash_id()),
                         layouts_differ ? "both with layout " : "one like the other (SameSizeAs, like=)",
                         layouts_differ ? LayoutName(better) : "");
  }
  return Status();
}

UnionPlan PlanOf(const FilterList& filters) {
  UnionPlan plan;
  const FilterBase* one = nullptr;  // that is no empty set
  double sum = 0, least = 0, sum_at_least = 0;
  uint64_t largest_full_bytes = 0;
  for (size_t i = 0; i < filters.size(); ++i) {
    const FilterBase& filter = filters[i];
    if (filter.body_bytes() == 0) continue;
    one = &filter;
    plan.body_bytes = std::gcd(plan.body_bytes, filter.body_bytes());
    plan.largest_body_bytes = std::max(plan.largest_body_bytes, filter.body_bytes());
    const double keys = filter.ApproximateSize().keys;
    sum += keys;
    least = std::max(least, keys);
    const bool is_full = !(keys < HUGE_VAL);
    sum_at_least += is_full ? KeysThatFill(filter) : keys;
    if (is_full) largest_full_bytes = std::max(largest_full_bytes, filter.body_bytes());
  }
  if (one == nullptr) return plan;
  const LayoutMaker& maker = *FindMaker(one->layout());
  double united = 0;  // the united bits count a key once that several filters hold
  plan.expected_fpr = maker.folded_fpr(filters.bodies(), plan.body_bytes / maker.sizing.unit_bytes, 1, &united);
  plan.approximate_size = std::min(sum, std::max(least, united));
  const auto rate_in = [&](uint64_t body_bytes, double keys) {
    constexpr double kMost = 9223372036854775808.0;
    if (!(keys < kMost)) return 1.0;  // every bit is set
    return ExpectedFpr(one->layout(), static_cast<uint64_t>(std::round(keys)), body_bytes, one->num_probes());
  };
  const bool folds = plan.body_bytes != plan.largest_body_bytes;
  if (folds && plan.approximate_size == 0) {  // still to be filled: the first key would show what is left of it
    plan.expected_fpr = rate_in(plan.body_bytes, 1);
    plan.fpr_of_largest = rate_in(plan.largest_body_bytes, 1);
  } else {
    // What fills a smaller one need not fill the largest.
    const bool is_full = largest_full_bytes == plan.largest_body_bytes;
    const double keys = is_full || plan.approximate_size < HUGE_VAL ? plan.approximate_size : sum_at_least;
    plan.fpr_of_largest = rate_in(plan.largest_body_bytes, keys);
  }
  if (folds) plan.default_max_fpr = std::min(2 * plan.fpr_of_largest, 1 - (1 - plan.fpr_of_largest) / 2);
  return plan;
}

Status CheckUnionFpr(const FilterList& filters, const UnionOptions& options) {
  const double max_fpr = options.max_fpr;
  if (!(max_fpr >= 0 && max_fpr <= 1)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "UnionOptions::max_fpr is %g: it must lie between 0, for the default, and 1, for any rate",
                         max_fpr);
  }
  uint64_t body_bytes = 0;  // of those that are no empty set
  bool folds = false;
  for (size_t i = 0; i < filters.size(); ++i) {
    if (filters[i].body_bytes() == 0) continue;
    folds = folds || (body_bytes != 0 && filters[i].body_bytes() != body_bytes);
    body_bytes = filters[i].body_bytes();
  }
  if (max_fpr == 1 || (max_fpr == 0 && !folds)) return Status();  // so nothing need be read
  const UnionPlan plan = PlanOf(filters);
  const double most = max_fpr != 0 ? max_fpr : plan.default_max_fpr;
  if (plan.expected_fpr <= most) return Status();
  if (!folds) {
    return Status::Error(StatusCode::kIncompatible,
                         "the union would have an expected false-positive rate of %.3g, above %.3g: make the filters "
                         "larger, build one of all keys, or permit the rate (max_fpr)",
                         plan.expected_fpr, most);
  }
  return Status::Error(StatusCode::kIncompatible,
                       "sizes of up to %llu bytes have no more than %llu in common, where the union would have an "
                       "expected false-positive rate of %.3g, above %.3g: make filters of one size (SameSizeAs), or "
                       "permit the rate (max_fpr)",
                       Number(plan.largest_body_bytes), Number(plan.body_bytes), plan.expected_fpr, most);
}

Status NoMemoryToFold(uint64_t bytes) {
  return Status::Error(StatusCode::kOutOfMemory,
                       "no memory for %llu bytes, what the folded filter takes: it stays as it was", Number(bytes));
}

}  // namespace internal

FilterOptions FilterOptions::SameSizeAs(const FilterBase& filter) noexcept {
  FilterOptions options;
  options.layout = filter.layout();
  options.num_keys = filter.capacity();
  options.body_bytes = filter.body_bytes();
  options.num_probes = filter.num_probes();
  options.removable = FactsOf(filter.layout(), filter.num_probes()).gives_back;
  const KeyHash& key_hash = filter.key_hash();
  options.hash_id = key_hash.id;
  options.seed = key_hash.is_keyed() ? 0 : key_hash.seed;
  options.secret = key_hash.secret;
  return options;
}

Status PlanUnion(const FilterBase* const filters[], size_t num_filters, UnionPlan* plan) noexcept {
  const internal::FilterList all(filters, num_filters);
  const Status status = internal::CheckUnion(all);
  if (status.ok()) *plan = internal::PlanOf(all);
  return status;
}

// The rate of a factor is at least that of each divisor of it, for a union answers "maybe" where a part does. Between
// factors of which neither divides the other, anything may be. So this finds the place where the rate passes fpr by
// halving the list, and tries every factor above it that has no divisor known to fail. A rate far above fpr is known to
// be so after a part of the body, so all that takes some readings of it.
Status FoldFactorForFpr(const FilterBase& filter, double fpr, uint64_t* factor) noexcept {
  const Status foldable = internal::CheckFoldable(filter);
  if (!foldable.ok()) return foldable;
  if (!(fpr > 0 && fpr < 1)) {
    return Status::Error(StatusCode::kInvalidArgument, "fpr is %g: it must lie above 0 and below 1 (0.01 is 1 %%)",
                         fpr);
  }
  *factor = 1;
  if (filter.num_blocks() == 0) return Status();  // the empty set
  const double now = filter.ExpectedFpr();
  if (now > fpr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the expected false-positive rate is %.3g before any folding, above %g: there is nothing to "
                         "fold",
                         now, fpr);
  }
  const internal::Divisors factors(filter.num_blocks());
  bool fails[2048] = {};
  const auto folded_fpr = internal::FindMaker(filter.layout())->folded_fpr;
  const auto test = [&](size_t i) {
    fails[i] =
        folded_fpr(internal::OneBody(filter.probe_state()), filter.num_blocks() / factors[i], fpr, nullptr) > fpr;
    return !fails[i];
  };
  size_t best = 0, end = factors.size();
  while (end - best > 1) {
    const size_t middle = best + (end - best) / 2;
    (test(middle) ? best : end) = middle;
  }
  for (size_t i = best + 1; i < factors.size(); ++i) {
    bool may_do = !fails[i];
    for (size_t j = best + 1; j < i && may_do; ++j) may_do = !fails[j] || factors[i] % factors[j] != 0;
    if (may_do && test(i)) best = i;
  }
  *factor = factors[best];
  return Status();
}

}  // namespace linefilter
