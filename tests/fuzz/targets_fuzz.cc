// Every SIMD target against the scalar reference, in one process, on every layout: the same bytes from the same hashes,
// the same answers from the same bytes, and nothing touched outside.
//
// An execution takes one target, one layout and one thing that kernels do (lib/layouts/kernels.h): to ask a small body
// or one beyond the size at which batches look ahead, to insert, to make a range of blocks. Bodies touch a guard page.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/sizing.h"
#include "linefilter/target.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/guarded_bytes.h"
#include "tests/fuzz/questions.h"
#include "tests/reference/reference.h"
#include "tests/testing/quotient_blocks.h"
#include "tests/testing/random.h"

namespace linefilter::fuzz {
namespace {

using internal::Changes;
using internal::ChangesOf;
using internal::FindChanges;
using internal::FindLayout;
using internal::FindMaker;
using internal::Kernels;
using internal::LayoutRecord;
using internal::ProbeState;

constexpr size_t kMostBodyBytes = 1024;
constexpr size_t kLargeBodyBytes = (size_t{1} << 20) + 64;  // all layouts look ahead in it
constexpr size_t kMostHashes = 300;                         // to be made into blocks
constexpr size_t kMostSpans = 16, kScratchBytes = size_t{1} << 20;

// By a byte. Looked up only when it is another than before: an execution is shorter than that.
void Force(uint8_t byte) {
  static const TargetList targets = SupportedTargets();
  static size_t chosen = ~size_t{0};
  const size_t wanted = byte % targets.size;
  if (wanted != chosen) FUZZ_REQUIRE(ForceTarget(targets.names[wanted]).ok());
  chosen = wanted;
}

const LayoutRecord& ChooseLayout(uint8_t byte) {
  static const std::vector<const LayoutRecord*> layouts = [] {
    std::vector<const LayoutRecord*> all;
    for (int id = 1; id < 256; ++id) {
      const LayoutRecord* const record = FindLayout(static_cast<Layout>(id));
      if (record != nullptr && record->facts.buildable) all.push_back(record);
    }
    return all;
  }();
  return *layouts[byte % layouts.size()];
}

uint32_t ChooseNumProbes(Layout layout, uint8_t byte) {
  if (FactsOf(layout).chooses_removal) return byte % 2;
  const uint32_t most = FactsOf(layout).max_num_probes;
  return most == 0 ? 0 : 1 + byte % most;
}

// An empty body of a size that the layout can have.
reference::Filter EmptyFilter(const LayoutRecord& record, Input* in) {
  reference::Filter filter;
  filter.layout = static_cast<int>(record.layout);
  filter.num_probes = static_cast<int>(ChooseNumProbes(record.layout, in->Byte()));
  const auto is_unit = [&](size_t bytes) {
    return record.body_is_valid(bytes, static_cast<uint32_t>(filter.num_probes));
  };
  const size_t unit = is_unit(1) ? 1 : is_unit(32) ? 32 : 64, bytes = 1 + in->Byte();
  filter.body.assign(unit == 1 ? bytes : unit * (1 + bytes % (kMostBodyBytes / unit)), 0);
  return filter;
}

const std::vector<test::Block>& SoundBlocksOfQuotient() {
  static const std::vector<test::Block> sound = [] {
    test::Random seed(1);
    return test::SoundBlocks(300, &seed);
  }();
  return sound;
}

// Questions of which many are about entries of a block of `quotient` that are there.
void AskForEntries(uint8_t how, const reference::Filter& filter, Questions* questions) {
  test::Random random(how);
  const std::vector<uint64_t> hashes = test::QuestionsOf(filter.body, questions->n, &random);
  for (size_t i = 0; i < questions->n; i += 1 + random.Below(3)) questions->hashes[i] = hashes[i];
}

// Bits of any density; of `retrieval` any level too, for at high ones nothing is "maybe".
void FillAtRandom(uint8_t how, uint64_t seed, reference::Filter* filter) {
  test::Random random(seed);
  if (filter->layout == reference::kQuotient && how != 0) {
    filter->body = test::HostileBody(SoundBlocksOfQuotient(), filter->body.size() / 64, &random);
    return;
  }
  uint8_t bytes[8];
  for (size_t i = 0; i < filter->body.size(); i += 8) {
    uint64_t word = random();
    if ((how & 1) != 0) word |= random();
    if ((how & 2) != 0) word |= random();
    if ((how & 4) != 0) word &= random();
    if (filter->layout == reference::kRetrieval && how >= 16)
      word = word << 1 >> 1 | uint64_t{how} >> (i / 8 % 8) << 63;
    reference::PutLittleEndian(word, 8, bytes);
    std::copy_n(bytes, std::min<size_t>(8, filter->body.size() - i), &filter->body[i]);
  }
}

// A filter of a body that is in no image, on the chosen target.
class BoundFilter : public FilterBase {
 public:
  BoundFilter(const LayoutRecord& record, const uint8_t* body, size_t body_bytes, int num_probes) {
    internal::BindBody(record, {body, body_bytes, static_cast<uint32_t>(num_probes)}, &state_);
    layout_ = record.layout;
  }
};

void RequireAnswers(const FilterBase& filter, const reference::Filter& reference, const Questions& questions) {
  constexpr size_t kMostOfReference = 20;
  uint8_t answers[Questions::kMost];
  AskInEveryWay(filter, questions, answers);
  // The last ones too: they are answered behind the look-ahead.
  const size_t n = questions.n, step = n / kMostOfReference + 1;
  for (size_t i = 0; i < n; i += step) {
    const size_t at = n - 1 - i;
    FUZZ_REQUIRE(reference.MayContain(questions.hashes[at]) == (answers[at] != 0));
  }
}

GuardedBytes& Memory() {
  static GuardedBytes memory(64 * 64);
  return memory;
}

uint8_t* Place(const reference::Bytes& body, uint8_t where) {
  return Memory().Place({reinterpret_cast<const char*>(body.data()), body.size()}, where);
}

void AskSmall(Input* in) {
  const LayoutRecord& record = ChooseLayout(in->Byte());
  reference::Filter filter = EmptyFilter(record, in);
  const uint8_t how = in->Byte(), where = in->Byte();
  FillAtRandom(how, in->Number(2), &filter);
  Questions questions(in);
  // The input has a say in the bits, where special hashes look: at both ends.
  for (size_t i = 0; i < filter.body.size() && !in->empty(); ++i) {
    filter.body[i % 2 == 0 ? i / 2 : filter.body.size() - 1 - i / 2] = in->Byte();
  }
  if (filter.layout == reference::kQuotient) AskForEntries(how, filter, &questions);
  const BoundFilter bound(record, Place(filter.body, where), filter.body.size(), filter.num_probes);
  RequireAnswers(bound, filter, questions);
}

// Of each layout and each of a few num_probes; at an aligned address and at an odd one.
struct LargeBody {
  reference::Filter filter;
  std::vector<uint8_t> bytes;  // the same, twice
  const uint8_t* aligned;
  const uint8_t* odd;

  LargeBody(const LayoutRecord& record, uint8_t probes) : bytes(2 * kLargeBodyBytes + 128) {
    filter.layout = static_cast<int>(record.layout);
    filter.num_probes = static_cast<int>(ChooseNumProbes(record.layout, probes));
    filter.body.assign(kLargeBodyBytes, 0);
    FillAtRandom(record.layout == Layout::kRetrieval ? 9 : 3, probes, &filter);
    uint8_t* const begin = &bytes[64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64];
    memcpy(begin, filter.body.data(), kLargeBodyBytes);
    memcpy(begin + kLargeBodyBytes + 21, filter.body.data(), kLargeBodyBytes);
    aligned = begin;
    odd = begin + kLargeBodyBytes + 21;
  }
};

void AskLarge(Input* in) {
  const LayoutRecord& record = ChooseLayout(in->Byte());
  static std::unique_ptr<LargeBody> bodies[256];  // by layout: made when first asked for
  std::unique_ptr<LargeBody>& large = bodies[static_cast<size_t>(record.layout)];
  if (large == nullptr) large = std::make_unique<LargeBody>(record, 6);
  const uint8_t* const body = in->Byte() % 2 == 0 ? large->aligned : large->odd;
  const Questions questions(in);
  RequireAnswers(BoundFilter(record, body, kLargeBodyBytes, large->filter.num_probes), large->filter, questions);
}

void Insert(Input* in) {
  const LayoutRecord& record = ChooseLayout(in->Byte());
  if (!record.facts.takes_keys) return;
  reference::Filter filter = EmptyFilter(record, in);
  const uint8_t how = in->Byte();
  uint8_t where = in->Byte();
  FillAtRandom(4, in->Number(1), &filter);  // a quarter of the bits: some keys are new, some are not
  Questions questions(in);
  if (filter.layout == reference::kQuotient) AskForEntries(how, filter, &questions);
  const bool shared = record.facts.shares && (how & 1) != 0;
  if (shared) where = 0;  // its words are loaded and changed as wholes, so a body stands at a multiple of 64
  uint8_t* const body = Place(filter.body, where);
  ProbeState state;
  internal::BindBody(record, {body, filter.body.size(), static_cast<uint32_t>(filter.num_probes)}, &state);
  state.is_shared = shared;
  const Changes& changes = ChangesOf(record.layout, state);
  const Kernels& kernels = shared ? FindChanges(record.layout)->shared_kernels() : *state.kernels;

  const uint64_t* const hashes = questions.hashes;
  const size_t n = questions.n, singles = how / 2 % (n + 1);
  uint8_t were_new[Questions::kMost + 1];
  memset(were_new, 0xa5, sizeof(were_new));
  uint64_t expected = 0, counted = 0;
  bool expected_new[Questions::kMost];
  for (size_t i = 0; i < n; ++i) expected += expected_new[i] = filter.Insert(hashes[i]);
  for (size_t i = 0; i < singles; ++i) counted += were_new[i] = changes.insert(state, hashes[i]);
  if (how >= 128) {
    counted += changes.insert_batch(state, hashes + singles, n - singles, nullptr);
  } else {
    counted += changes.insert_batch(state, hashes + singles, n - singles, were_new + singles);
    for (size_t i = 0; i < n; ++i) FUZZ_REQUIRE(were_new[i] == expected_new[i]);
    FUZZ_REQUIRE(were_new[n] == 0xa5);
  }
  FUZZ_REQUIRE(counted == expected);
  FUZZ_REQUIRE(memcmp(body, filter.body.data(), filter.body.size()) == 0);
  for (size_t i = 0; i < n; ++i) FUZZ_REQUIRE(kernels.may_contain(state, hashes[i]));
  if (!FactsOf(record.layout, state.num_probes).gives_back) return;
  // Out again, some of them twice: single ones, then a batch.
  uint64_t removed = 0;
  expected = 0;
  for (size_t i = 0; i < n; ++i) expected += filter.Remove(hashes[i]);
  for (size_t i = 0; i < singles; ++i) expected += filter.Remove(hashes[i]);
  for (size_t i = 0; i < singles; ++i) removed += changes.remove(state, hashes[i]);
  removed += changes.remove_batch(state, hashes + singles, n - singles, nullptr);
  removed += changes.remove_batch(state, hashes, singles, were_new);
  FUZZ_REQUIRE(removed == expected);
  FUZZ_REQUIRE(memcmp(body, filter.body.data(), filter.body.size()) == 0);
}

// Blocks made of all hashes, which come in pieces, on the target that is chosen now.
uint8_t* MakeBlocks(const LayoutRecord& record, const reference::Filter& filter, const std::vector<uint64_t>& hashes,
                    size_t piece, uint8_t where) {
  // The scratch memory that the largest range of all here takes; its content does not matter.
  static uint8_t* const scratch = static_cast<uint8_t*>(std::aligned_alloc(64, kScratchBytes));
  uint8_t* const blocks = Place(reference::Bytes(filter.body.size(), 0), where);
  ProbeState state;
  internal::BindBody(record, {nullptr, filter.body.size(), static_cast<uint32_t>(filter.num_probes)}, &state);
  internal::HashSpan spans[kMostSpans];
  internal::BlockRange range{0, state.num_units, blocks, spans, 0, hashes.size()};
  piece = std::max(piece, hashes.size() / kMostSpans + 1);
  for (size_t i = 0; i < hashes.size(); i += piece) {
    spans[range.num_spans++] = {&hashes[i], std::min(piece, hashes.size() - i)};
  }
  if (FindMaker(record.layout)->range_scratch_bytes != nullptr) {
    const uint64_t needed = FindMaker(record.layout)->range_scratch_bytes(state.num_units, hashes.size());
    FUZZ_REQUIRE(needed <= kScratchBytes);
    Poison(scratch + needed, (kScratchBytes)-needed);
  }
  FindMaker(record.layout)->build_range(state, range, scratch);
  Unpoison(scratch, kScratchBytes);
  return blocks;
}

// The hash of that high half and in-block hash.
uint64_t HashOf(uint64_t high, uint64_t in_block) { return high << 32 | (high ^ in_block); }

// Compared with another target; the reference, which takes a hundred times as long, seldom judges.
void Make(uint8_t other_target, Input* in) {
  const LayoutRecord& record = ChooseLayout(in->Byte());
  if (FindMaker(record.layout)->range_blocks == 0) return;
  reference::Filter filter = EmptyFilter(record, in);
  const uint8_t how = in->Byte(), where = in->Byte(), piece = in->Byte();
  const size_t num_hashes = in->Seldom(20) ? in->Below(kMostHashes) : in->Below(60);
  test::Random random(in->Number(2));
  // Few blocks, of which one may be crowded; few in-block hashes.
  if ((how & 1) != 0) filter.body.resize(64);
  const uint64_t few = (how & 2) != 0 ? in->Number(2) : 0xffffffff;
  std::vector<uint64_t> hashes;
  while (hashes.size() < num_hashes) {
    hashes.push_back(in->empty() ? HashOf(random() & 0xffffffff, random() & few) : in->Number(8));
  }

  const uint8_t* const made = MakeBlocks(record, filter, hashes, 1 + piece, where);
  const reference::Bytes of_this(made, made + filter.body.size());
  Force(other_target);
  const bool same = memcmp(MakeBlocks(record, filter, hashes, kMostHashes, 0), of_this.data(), of_this.size()) == 0;
  FUZZ_REQUIRE(same);
  const BoundFilter bound(record, of_this.data(), of_this.size(), filter.num_probes);
  FUZZ_REQUIRE(AllMaybe(bound, hashes.data(), hashes.size()));
  if (!record.facts.takes_keys && !in->Seldom(50)) return;
  filter.Fill(hashes);
  FUZZ_REQUIRE(filter.body == of_this);
}

}  // namespace

void Targets(const uint8_t* data, size_t size) {
  Input in(data, size);
  const uint8_t what = in.Byte(), target = in.Byte();
  Force(target);
  if (what % 8 < 3) return AskSmall(&in);
  if (what % 8 < 5) return AskLarge(&in);
  if (what % 8 < 7) return Insert(&in);
  Make(static_cast<uint8_t>(target + 1 + what / 8), &in);
}

}  // namespace linefilter::fuzz
