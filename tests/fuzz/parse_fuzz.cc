// Any bytes as an image: a reader takes exactly what the reference (written from doc/FORMAT.md alone) takes and answers
// as it does; what cannot be read answers "maybe" to every question; nothing outside the image is read.
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

void RequireRefused(const FilterView& view, const Subject& subject, const Questions& questions) {
  const StatusCode code = view.status().code();
  FUZZ_REQUIRE(code == StatusCode::kCorrupt || code == StatusCode::kUnsupported);
  FUZZ_REQUIRE(view.status().message()[0] != '\0');
  FUZZ_REQUIRE(!view.Verify().ok() && !view.VerifyChunks(0, 0).ok());
  FUZZ_REQUIRE(view.body_bytes() == 0 && view.num_chunks() == 0 && !view.empty_set() && view.ExpectedFpr() == 1);
  FUZZ_REQUIRE(AllMaybe(view, questions.hashes, questions.n));
  for (size_t i = 0; i < questions.n && i < kReferenceQuestions; ++i) {
    FUZZ_REQUIRE(view.MayContainKey(questions.hashes[i]) && view.MayContainKey(questions.Key(i)));
    FUZZ_REQUIRE(ImageMayContainKey(subject.image, subject.size, questions.Key(i)));
  }
}

void RequireTaken(const FilterView& view, const Subject& subject, const uint8_t* answers, const Questions& questions) {
  const reference::Filter& reference = subject.reference;
  FUZZ_REQUIRE(static_cast<int>(view.layout()) == reference.layout);
  FUZZ_REQUIRE(view.num_probes() == static_cast<uint32_t>(reference.num_probes));
  FUZZ_REQUIRE(static_cast<int>(view.hash_id()) == reference.hash_id);
  FUZZ_REQUIRE(view.seed() == reference.seed && view.num_keys() == reference.num_keys);
  FUZZ_REQUIRE(view.body_bytes() == reference.body.size() && view.empty_set() == reference.body.empty());
  FUZZ_REQUIRE(view.image_bytes() == subject.size);
  for (size_t i = 0; i < questions.n && i < kReferenceQuestions; ++i) {
    FUZZ_REQUIRE(reference.MayContain(questions.hashes[i]) == (answers[i] != 0));
    FUZZ_REQUIRE(TrustedImageMayContainKey(subject.image, subject.size, questions.Key(i)) ==
                 view.MayContainKey(questions.Key(i)));
  }
  FUZZ_REQUIRE(view.Verify().ok() == subject.undamaged());
}

// [first, first + count) of the chunks, any numbers.
void RequireChunksJudged(const FilterView& view, const Subject& subject, uint64_t first, uint64_t count) {
  const Status status = view.VerifyChunks(first, count);
  const uint64_t chunks = view.num_chunks();
  if (!subject.readable) {
    FUZZ_REQUIRE(!status.ok());
  } else if (first > chunks || count > chunks - first) {
    FUZZ_REQUIRE(status.code() == StatusCode::kInvalidArgument);
  } else {
    bool good = true;
    for (const uint64_t chunk : subject.damaged_chunks) good &= chunk < first || chunk - first >= count;
    FUZZ_REQUIRE(status.ok() == good);
  }
}

// What becomes a filter of one's own must be whole; and takes keys.
template <class Filter>
void CopyAndInsert(const Subject& subject, Layout layout, uint64_t hash) {
  Filter filter;
  const bool fits = subject.undamaged() && subject.reference.layout == static_cast<int>(layout);
  const Status status = filter.CreateFromImage(subject.image, subject.size);
  FUZZ_REQUIRE(status.ok() == (fits && !subject.reference.body.empty()));
  filter.InsertHash(hash);
  FUZZ_REQUIRE(filter.MayContainHash(hash));
  if constexpr (std::is_base_of_v<MutableFilter, Filter>) {
    const FilterView view(subject.image, subject.size);
    FUZZ_REQUIRE(filter.Union(view).ok() == status.ok());
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
  const FilterView view(image, bytes.size());
  FUZZ_REQUIRE(view.status().ok() == subject.readable);

  uint8_t answers[Questions::kMost];
  AskInEveryWay(view, questions, answers);
  AskByKey(view, questions);
  if (subject.readable) {
    RequireTaken(view, subject, answers, questions);
  } else {
    RequireRefused(view, subject, questions);
  }
  for (size_t i = 0; i < questions.n && i < kReferenceQuestions; ++i) {
    const std::string_view key = questions.Key(i);
    FUZZ_REQUIRE(ImageMayContainKey(image, bytes.size(), key) == view.MayContainKey(key));
    (void)TrustedImageMayContainKey(image, bytes.size(), key);  // may lose a key of a damaged image, no more
  }
  RequireChunksJudged(view, subject, questions.hashes[3], questions.hashes[3] >> 60);
  RequireChunksJudged(view, subject, where % 4, how >> 5);
  if (bytes.size() < kLarge) RequireSaneFigures(view);
  if ((how & 0x18) != 0x18) return;
  const uint64_t hash = questions.hashes[0];
  if ((how & 0x20) != 0) return CopyAndInsert<ClassicFilter>(subject, Layout::kClassic, hash);
  if ((how & 0x40) != 0) return CopyAndInsert<ConcurrentBlockedFilter>(subject, Layout::kBlocked, hash);
  CopyAndInsert<BlockedFilter>(subject, Layout::kBlocked, hash);
}

}  // namespace linefilter::fuzz
