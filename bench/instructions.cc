// linefilter_instructions [REGEX]: runs each row (whose name has a match of the regex) once, for callgrind to count.
//
// tools/perf.sh instructions starts it as
//   valgrind --tool=callgrind --zero-before=linefilter_counted_row --dump-after=linefilter_counted_row ...
// so that callgrind writes one file for each row, of the instructions inside of that function alone. No header of
// valgrind is needed to build it. Standard output: what the counts depend on besides our code, then the rows in order.
//
// Rows are what a caller does with the library, key by key and in batches, on every target. Only public headers are
// used: what is counted is what a user gets, the caller's loop included.
#include "bench/instructions.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "bench/machine.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/sizing.h"
#include "linefilter/target.h"
#include "linefilter/view.h"
#include "tools/measure/any_filter.h"
#include "tools/measure/layouts.h"

// One function, under this very name: no copy for special arguments, nothing inlined.
#if defined(__clang__)
#define LINEFILTER_ONE_FUNCTION __attribute__((noinline, used))
#else
#define LINEFILTER_ONE_FUNCTION __attribute__((noipa, used))
#endif

extern "C" LINEFILTER_ONE_FUNCTION void linefilter_counted_row(const linefilter::bench::InstructionRow& row) {
  row.run();
  asm volatile("" ::: "memory");  // no tail call: this function ends after run
}

namespace linefilter::bench {
namespace {

using Rows = InstructionRows;

// Some 12 KB of filter. Instructions do not depend on the size; that they are counted exactly needs no more keys.
constexpr uint64_t kMembers = 10000;
constexpr uint64_t kQueries = 2 * kMembers;
// Filters larger than some caches are asked by another loop, which prefetches: 2.5 MB, most of it empty where keys are
// inserted. What is built gets it by so many bits per key that few keys have to be built.
constexpr uint64_t kLargeMembers = uint64_t{2} << 20;
constexpr double kManyBits = 60;
constexpr uint64_t kLargeBuiltMembers = kLargeMembers * 10 / 60;
constexpr uint64_t kBuiltKeys = 100000;
constexpr uint64_t kAbsent = uint64_t{1} << 40;

void Check(const Status& status) {
  if (status.ok()) return;
  fprintf(stderr, "linefilter_instructions: %s\n", status.message());
  abort();
}

std::vector<uint64_t> HashesFrom(uint64_t first, uint64_t count) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < count; ++i) hashes.push_back(HashKey(first + i));
  return hashes;
}

FilterOptions Options(Layout layout, double bits_per_key = 10) {
  FilterOptions options = FilterOptions::AtBitsPerKey(bits_per_key);
  options.layout = layout;
  return options;
}

std::string Suffix(Layout layout, const char* target) { return std::string("/") + LayoutName(layout) + "/" + target; }

// One filter, and what it is asked: members and absent keys in turn.
struct Subject {
  Subject() {
    const std::vector<uint64_t> absent = HashesFrom(kAbsent, kMembers);
    for (size_t i = 0; i < kMembers; ++i) {
      queries.push_back(members[i]);
      queries.push_back(absent[i]);
    }
  }
  // For that many keys, empty. False if the layout takes no single keys.
  bool Create(Layout layout, uint64_t num_keys) {
    Status status;
    filter = tools::CreateMutable(layout, num_keys, Options(layout), &status);
    Check(status);
    asked = filter.get();
    return filter != nullptr;
  }
  // The filter is a view of an image of num_keys keys.
  void Build(Layout layout, uint64_t num_keys, double bits_per_key) {
    FilterBuilder builder(Options(layout, bits_per_key));
    for (const uint64_t hash : HashesFrom(0, num_keys)) builder.AddHash(hash);
    Check(builder.Finish(&image));
    Check(view.Open(image.data(), image.size(), VerifyMode::kTrusted));
    asked = &view;
  }
  // All members, and at most 3 % of the absent keys.
  bool RightMaybes(uint64_t maybes) const { return maybes >= kMembers && maybes < kMembers + kMembers * 3 / 100; }
  bool RightAnswers(const uint8_t* bits_or_bytes, size_t size) const {
    uint64_t ones = 0;
    for (size_t i = 0; i < size; ++i) ones += static_cast<uint64_t>(__builtin_popcount(bits_or_bytes[i]));
    return RightMaybes(ones);
  }

  std::vector<uint64_t> members = HashesFrom(0, kMembers), queries;
  std::vector<uint8_t> answers = std::vector<uint8_t>(kQueries);
  uint64_t result = 0;
  std::unique_ptr<Filter> filter;
  std::string image;
  FilterView view;
  const FilterBase* asked = nullptr;  // one of the two
};

void AddLookups(Layout layout, const char* target, Rows* rows) {
  const auto s = std::make_shared<Subject>();
  if (s->Create(layout, kMembers)) {
    s->filter->InsertHashes(s->members.data(), kMembers);
  } else {
    s->Build(layout, kMembers, 10);
  }
  const std::string suffix = Suffix(layout, target);
  const auto prepare = [s] {
    s->result = 0;
    s->answers.assign(kQueries, 0);
  };
  const auto right = [s] { return s->RightMaybes(s->result); };
  const auto single = [s] {
    const FilterBase& filter = *s->asked;
    uint64_t maybes = 0;
    for (const uint64_t hash : s->queries) maybes += filter.MayContainHash(hash);
    s->result = maybes;
  };
  const auto bytes = [s] { s->asked->MayContainHashes(s->queries.data(), kQueries, s->answers.data()); };
  const auto bits = [s] { s->asked->MayContainHashesToBits(s->queries.data(), kQueries, s->answers.data()); };
  const auto count = [s] { s->result = s->asked->CountMaybes(s->queries.data(), kQueries); };
  rows->push_back({"single" + suffix, kQueries, prepare, single, right});
  rows->push_back(
      {"batch" + suffix, kQueries, prepare, bytes, [s] { return s->RightAnswers(s->answers.data(), kQueries); }});
  rows->push_back({"batch_bits" + suffix, kQueries, prepare, bits,
                   [s] { return s->RightAnswers(s->answers.data(), kQueries / 8); }});
  rows->push_back({"batch_count" + suffix, kQueries, prepare, count, right});
}

void AddInsertions(Layout layout, const char* target, Rows* rows) {
  const auto s = std::make_shared<Subject>();
  if (!s->Create(layout, kMembers)) return;
  const std::string suffix = Suffix(layout, target);
  const auto prepare = [s] { s->filter->Clear(); };
  const auto single = [s] {
    Filter& filter = *s->filter;
    for (const uint64_t hash : s->members) filter.InsertHash(hash);
  };
  const auto batch = [s] { s->filter->InsertHashes(s->members.data(), kMembers); };
  const auto right = [s] { return s->RightMaybes(s->filter->CountMaybes(s->queries.data(), kQueries)); };
  rows->push_back({"insert_single" + suffix, kMembers, prepare, single, right});
  rows->push_back({"insert_batch" + suffix, kMembers, prepare, batch, right});
}

// Lookups and insertions in batches; nothing is cleared between the two runs: insertions change no bit.
void AddLarge(Layout layout, const char* target, Rows* rows) {
  const auto s = std::make_shared<Subject>();
  const bool is_mutable = s->Create(layout, kLargeMembers);
  if (!is_mutable) s->Build(layout, kLargeBuiltMembers, kManyBits);
  const std::string suffix = Suffix(layout, target);
  const auto prepare = [s] {
    if (s->filter != nullptr) s->filter->InsertHashes(s->members.data(), kMembers);
    s->result = 0;
  };
  const auto count = [s] { s->result = s->asked->CountMaybes(s->queries.data(), kQueries); };
  rows->push_back({"large_batch_count" + suffix, kQueries, prepare, count, [s] { return s->RightMaybes(s->result); }});
  if (!is_mutable) return;
  const auto insert = [s] { s->result = kMembers + s->filter->InsertHashes(s->members.data(), kMembers); };
  rows->push_back({"large_insert_batch" + suffix, kMembers, prepare, insert, [s] { return s->result == kMembers; }});
}

void AddBuild(Layout layout, const char* target, Rows* rows) {
  const std::string name = target;
  const auto keys = std::make_shared<std::vector<uint64_t>>(HashesFrom(0, kBuiltKeys));
  const auto image = std::make_shared<std::string>();
  const auto prepare = [name, image] {
    Check(ForceTarget(name.c_str()));
    image->clear();
    image->shrink_to_fit();
  };
  const auto run = [layout, keys, image] {
    FilterBuilder builder(Options(layout));
    for (const uint64_t hash : *keys) builder.AddHash(hash);
    Check(builder.Finish(image.get()));
  };
  const auto right = [keys, image] {
    const FilterView view(image->data(), image->size(), VerifyMode::kTrusted);
    return view.status().ok() && view.num_keys() == kBuiltKeys &&
           view.CountMaybes(keys->data(), kBuiltKeys) == kBuiltKeys;
  };
  rows->push_back({"build" + Suffix(layout, target), kBuiltKeys, prepare, run, right});
}

void AddHashing(Rows* rows) {
  const auto sum = std::make_shared<uint64_t>();
  const auto prepare = [sum] { *sum = 0; };
  const auto right = [sum] { return *sum != 0; };
  const auto integers = std::make_shared<std::vector<uint64_t>>();
  const auto text = std::make_shared<std::string>();
  for (uint64_t i = 0; i < kMembers; ++i) integers->push_back(i);
  for (uint64_t i = 0; i < kMembers + 1024; ++i) *text += static_cast<char>(MixHash(i));
  rows->push_back({"hash_u64", kMembers, prepare,
                   [=] {
                     for (const uint64_t key : *integers) *sum += HashKey(key);
                   },
                   right});
  for (const size_t size : {16u, 256u, 1024u}) {
    rows->push_back({"hash_string_of_" + std::to_string(size), kMembers, prepare,
                     [=] {
                       const char* const first = text->data();
                       for (uint64_t i = 0; i < kMembers; ++i) *sum += HashKey(std::string_view(first + i, size));
                     },
                     right});
  }
}

// Arrays of keys hashed together: integers, and words of 2 to 14 letters, whose lengths come in no order. callgrind
// knows no AVX-512, where vectors do it.
void AddHashingTogether(Rows* rows) {
  const auto text = std::make_shared<std::string>();
  const auto words = std::make_shared<std::vector<std::string_view>>();
  const auto integers = std::make_shared<std::vector<uint64_t>>();
  const auto hashes = std::make_shared<std::vector<uint64_t>>(kMembers);
  for (uint64_t i = 0; i < kMembers + 16; ++i) *text += static_cast<char>(MixHash(i));
  for (uint64_t i = 0; i < kMembers; ++i) {
    words->push_back(std::string_view(*text).substr(i, 2 + MulHigh(MixHash(i), 13)));
    integers->push_back(i);
  }
  const auto prepare = [hashes] {
    Check(ForceTarget(nullptr));
    hashes->assign(kMembers, 0);
  };
  const auto add = [&](const char* name, const auto& keys) {
    const auto run = [=] { (void)KeyHash().OfKeys(keys->data(), kMembers, hashes->data()); };
    const auto right = [=] {
      return hashes->front() == HashKey(keys->front()) && hashes->back() == HashKey(keys->back());
    };
    rows->push_back({name, kMembers, prepare, run, right});
  };
  add("hash_u64s", integers);
  add("hash_words", words);
  const auto one_by_one = [=] {
    for (uint64_t i = 0; i < kMembers; ++i) (*hashes)[i] = HashKey((*words)[i]);
  };
  rows->push_back({"hash_words_one_by_one", kMembers, prepare, one_by_one, [=] { return hashes->back() != 0; }});
}

// Per call: opening an image of 400 keys (its body is verified), asking it where nothing is kept open, with and without
// its check, and finding the size for a rate.
void AddCalls(Layout layout, Rows* rows) {
  constexpr uint64_t kCalls = 100;
  const auto image = std::make_shared<std::string>();
  FilterBuilder builder(Options(layout));
  for (const uint64_t hash : HashesFrom(0, 400)) builder.AddHash(hash);
  Check(builder.Finish(image.get()));
  const auto good = std::make_shared<uint64_t>();
  const auto prepare = [good] {
    Check(ForceTarget(nullptr));
    *good = 0;
  };
  const auto right = [good] { return *good == kCalls; };
  rows->push_back({std::string("view_open/") + LayoutName(layout), kCalls, prepare,
                   [=] {
                     FilterView view;
                     for (uint64_t i = 0; i < kCalls; ++i)
                       *good += view.Open(image->data(), image->size(), VerifyMode::kTrusted).ok();
                   },
                   right});
  for (const VerifyMode verify : {VerifyMode::kWhole, VerifyMode::kTrusted}) {
    const char* const access = verify == VerifyMode::kWhole ? "image_checked/" : "image_trusted/";
    rows->push_back({std::string(access) + LayoutName(layout), kCalls, prepare,
                     [=] {
                       for (uint64_t key = 0; key < kCalls; ++key)
                         *good += ImageMayContainKey(image->data(), image->size(), key, verify);
                     },
                     right});
  }
  rows->push_back({std::string("size_for_fpr/") + LayoutName(layout), kCalls, prepare,
                   [=] {
                     Sizing sizing;
                     for (uint64_t i = 0; i < kCalls; ++i) {
                       *good += SizeForFpr(layout, 1000 + 100000 * i, 0.01, &sizing).ok();
                     }
                   },
                   right});
}

Rows AllRows() {
  Rows rows;
  const TargetList targets = SupportedTargets();
  for (size_t i = 0; i < targets.size; ++i) {
    Check(ForceTarget(targets.names[i]));
    for (const Layout layout : tools::BuildableLayouts()) {
      AddLookups(layout, targets.names[i], &rows);
      AddInsertions(layout, targets.names[i], &rows);
      AddLarge(layout, targets.names[i], &rows);
      AddBuild(layout, targets.names[i], &rows);
    }
    AddColumns(targets.names[i], &rows);
  }
  AddHashing(&rows);
  AddHashingTogether(&rows);
  for (const Layout layout : tools::BuildableLayouts()) AddCalls(layout, &rows);
  return rows;
}

std::string Libc() {
#ifdef __GLIBC__
  return std::string("glibc ") + gnu_get_libc_version();
#else
  return "unknown libc";
#endif
}

int RunRows(const std::regex& wanted) {
  printf("toolchain\t%s %s, %s, %s\n", Compiler().c_str(), Flags().c_str(), LINEFILTER_BENCH_ON, Libc().c_str());
  int rows = 0;
  for (const InstructionRow& row : AllRows()) {
    if (!std::regex_search(row.name, wanted)) continue;
    row.prepare();
    row.run();  // symbols are bound and tables made at the first time: not counted
    row.prepare();
    linefilter_counted_row(row);
    if (!row.right()) {
      fprintf(stderr, "linefilter_instructions: %s gave wrong answers: what is the use of counting it\n",
              row.name.c_str());
      return 1;
    }
    printf("row\t%s\t%llu\n", row.name.c_str(), static_cast<unsigned long long>(row.keys));
    ++rows;
  }
  if (rows == 0) fprintf(stderr, "linefilter_instructions: no row matches\n");
  return rows == 0 ? 2 : 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  try {
    return linefilter::bench::RunRows(std::regex(argc > 1 ? argv[1] : ""));
  } catch (const std::exception& error) {
    fprintf(stderr, "linefilter_instructions '%s': %s\n", argc > 1 ? argv[1] : "", error.what());
    return 2;
  }
}
