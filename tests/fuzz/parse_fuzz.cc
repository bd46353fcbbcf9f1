// Any bytes as an image: a reader takes exactly what the reference (written from doc/FORMAT.md alone) takes and answers
// as it does; what cannot be read, or is opened with the wrong secret or without one that it needs, answers "maybe" to
// every question; nothing outside the image is read.
//
// The bytes are those of the input, or a good image with changes that the input orders, mostly with checks that were
// made to fit again. They touch a guard page in front or behind, at every alignment.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/fuzz/edit.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/good_images.h"
#include "tests/fuzz/guarded_bytes.h"
#include "tests/fuzz/questions.h"
#include "tests/fuzz/repair.h"
#include "tests/fuzz/secrets.h"
#include "tests/reference/reference.h"

namespace linefilter::fuzz {
namespace {

constexpr size_t kMostBytes = size_t{1} << 18;
constexpr size_t kLarge = size_t{1} << 15;  // from here on an execution looks at less
constexpr size_t kReferenceQuestions = 4;   // of the reference, which is slow

// An image, and what the reference makes of it.
struct Subject {
  const uint8_t* image;
  size_t size;
  reference::Filter reference;
  bool readable;  // reads into `reference`, so it stands behind it
  std::vector<uint64_t> damaged_chunks;

  Subject(const uint8_t* bytes, size_t num_bytes)
      : image(bytes), size(num_bytes), readable(reference::ReadImage(bytes, num_bytes, &reference)) {
    if (readable) damaged_chunks = reference::DamagedChunks(bytes, num_bytes);
  }
  bool undamaged() const { return readable && damaged_chunks.empty(); }
};

void RequireRefused(const FilterView& view, const Questions& questions) {
  FUZZ_REQUIRE(!view.Verify().ok() && !view.VerifyChunks(0, 0).ok());
  FUZZ_REQUIRE(view.body_bytes() == 0 && view.num_chunks() == 0 && !view.empty_set() && view.ExpectedFpr() == 1);
  FUZZ_REQUIRE(AllMaybe(view, questions.hashes, questions.n));
  for (size_t i = 0; i < questions.n && i < kReferenceQuestions; ++i) {
    FUZZ_REQUIRE(view.MayContainKey(questions.hashes[i]) && view.MayContainKey(questions.Key(i)));
  }
}

// `secret`: what it was opened with, so null if it is not keyed.
void RequireTaken(const FilterView& view, const Subject& subject, const HashSecret* secret, const uint8_t* answers,
                  const Questions& questions) {
  const reference::Filter& reference = subject.reference;
  FUZZ_REQUIRE(static_cast<int>(view.layout()) == reference.layout);
  FUZZ_REQUIRE(view.num_probes() == static_cast<uint32_t>(reference.num_probes));
  FUZZ_REQUIRE(static_cast<int>(view.hash_id()) == reference.hash_id);
  FUZZ_REQUIRE(view.seed() == reference.seed && view.num_keys() == reference.num_keys);
  FUZZ_REQUIRE(view.body_bytes() == reference.body.size() && view.empty_set() == reference.body.empty());
  FUZZ_REQUIRE(view.image_bytes() == subject.size);
  for (size_t i = 0; i < questions.n && i < kReferenceQuestions; ++i) {
    FUZZ_REQUIRE(reference.MayContain(questions.hashes[i]) == (answers[i] != 0));
    if (!view.KeyStatus().ok()) continue;
    const std::string_view key = questions.Key(i);
    const uint64_t hash = HashBy(static_cast<HashId>(reference.hash_id), reference.seed, secret, key);
    FUZZ_REQUIRE(reference.MayContain(hash) == view.MayContainKey(key));
  }
  FUZZ_REQUIRE(view.Verify().ok() == subject.undamaged());
}

// [first, first + count) of the chunks, any numbers.
void RequireChunksJudged(const FilterView& view, const Subject& subject, uint64_t first, uint64_t count) {
  const Status status = view.VerifyChunks(first, count);
  const uint64_t chunks = view.num_chunks();
  if (!view.status().ok()) {
    FUZZ_REQUIRE(!status.ok());
  } else if (first > chunks || count > chunks - first) {
    FUZZ_REQUIRE(status.code() == StatusCode::kInvalidArgument);
  } else {
    bool good = true;
    for (const uint64_t chunk : subject.damaged_chunks) good &= chunk < first || chunk - first >= count;
    FUZZ_REQUIRE(status.ok() == good);
  }
}

// What becomes a filter of one's own must be whole, and opened rightly, as `view` is or is not; and takes keys.
template <class Owner>
void CopyAndInsert(const FilterView& view, const Subject& subject, const HashSecret* secret, Layout layout,
                   const Questions& questions) {
  Owner filter;
  FilterOptions options;
  if (secret != nullptr) options.hash_id = HashId::kKeyed, options.secret = *secret;
  const bool fits = view.status().ok() && subject.undamaged() && subject.reference.layout == static_cast<int>(layout);
  const Status status = filter.CreateFromImage(subject.image, subject.size, options);
  FUZZ_REQUIRE(status.ok() == fits);
  filter.InsertHash(questions.hashes[0]);
  FUZZ_REQUIRE(filter.MayContainHash(questions.hashes[0]));
  const std::string_view key = questions.Key(1);
  filter.InsertKey(key);
  FUZZ_REQUIRE(filter.MayContainKey(key));
  if (secret != nullptr) FUZZ_REQUIRE(filter.MayContainHash(HashBySecret(key, *secret)));
  if constexpr (std::is_same_v<Owner, Filter>) {
    if (FactsOf(filter.layout(), filter.num_probes()).gives_back) {
      FUZZ_REQUIRE(filter.RemoveHash(questions.hashes[0]));
    }
  }
  if constexpr (std::is_base_of_v<Filter, Owner>) FUZZ_REQUIRE(filter.Union(view).ok() == status.ok());
  if constexpr (std::is_same_v<Owner, BlockedFilter>) {
    const uint64_t factor = 1 + subject.size % 6;
    const bool divides = filter.num_blocks() % factor == 0;
    FUZZ_REQUIRE(filter.Fold(factor).ok() == (status.ok() && divides));
    FUZZ_REQUIRE(filter.MayContainHash(questions.hashes[0]) && filter.MayContainKey(key));
  }
}

// `how` says also what else is done.
void OpenAndAsk(const Subject& subject, const HashSecret* secret, uint8_t how, uint8_t where,
                const Questions& questions) {
  const FilterView view(subject.image, subject.size, VerifyMode::kTrusted, secret);
  RequireOpenedRightly(view.status(), subject.readable, subject.reference, secret);
  if (!subject.readable && secret != nullptr) return;  // refused for what it is: asked once, for time
  const FilterView whole(subject.image, subject.size, VerifyMode::kWhole, secret);
  FUZZ_REQUIRE(whole.status().ok() == (view.status().ok() && subject.undamaged()));
  uint8_t answers[Questions::kMost];
  AskInEveryWay(view, questions, answers);
  AskByKey(view, questions, secret);
  if (view.status().ok()) {
    RequireTaken(view, subject, secret, answers, questions);
  } else {
    RequireRefused(view, questions);
  }
  RequireChunksJudged(view, subject, questions.hashes[3], questions.hashes[3] >> 60);
  RequireChunksJudged(view, subject, where % 4, how >> 5);
  if (subject.size < kLarge) RequireSaneFigures(view);
  if ((how & 0x18) != 0x18) return;
  if (view.layout() == Layout::kSplitBlock || view.layout() == Layout::kQuotient) {
    CopyAndInsert<Filter>(view, subject, secret, view.layout(), questions);
  }
  if ((how & 0x20) != 0) return CopyAndInsert<ClassicFilter>(view, subject, secret, Layout::kClassic, questions);
  if ((how & 0x40) != 0) {
    const Layout shared = FactsOf(view.layout()).shares ? view.layout() : Layout::kBlocked;
    return CopyAndInsert<ConcurrentFilter>(view, subject, secret, shared, questions);
  }
  CopyAndInsert<BlockedFilter>(view, subject, secret, Layout::kBlocked, questions);
}

// As a view that was opened without a secret; so a keyed image answers "maybe".
void AskWithoutOpening(const Subject& subject, const Questions& questions) {
  const FilterView view(subject.image, subject.size, VerifyMode::kTrusted);
  for (size_t i = 0; i < questions.n && i < kReferenceQuestions; ++i) {
    const std::string_view key = questions.Key(i);
    const auto ask = [&](VerifyMode verify) { return ImageMayContainKey(subject.image, subject.size, key, verify); };
    const bool believed = view.MayContainKey(key), lazy = ask(VerifyMode::kLazy);
    FUZZ_REQUIRE(ask(VerifyMode::kWhole) == (believed || !subject.undamaged()));
    FUZZ_REQUIRE(lazy == believed || (lazy && !subject.undamaged()));
    // It may lose a key of a damaged one, no more.
    FUZZ_REQUIRE(!subject.readable || ask(VerifyMode::kTrusted) == believed);
  }
}

std::string ImageOf(Input* in, uint8_t how) {
  if (how % 4 == 0) return std::string(in->Rest());
  std::string image = ChooseGoodImage(in);
  Edit(ChooseOtherImage(in), kMostBytes, in, &image);
  return image;
}

}  // namespace

void Parse(const uint8_t* data, size_t size) {
  static GuardedBytes memory(kMostBytes);
  Input in(data, size);
  const uint8_t how = in.Byte(), where = in.Byte();
  const Questions questions(&in);
  std::string bytes = ImageOf(&in, how);
  if ((how & 4) == 0) RepairImage(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size());
  const uint8_t* const image = memory.Place(bytes, where);

  const Subject subject(image, bytes.size());
  for (const HashSecret* const secret : kOpenings) OpenAndAsk(subject, secret, how, where, questions);
  AskWithoutOpening(subject, questions);
}

}  // namespace linefilter::fuzz
