// Each single fault that storage makes of an image is found: each flipped bit, each length cut off at either end, each
// byte too many at either end. At open; but for the bits of a body above 4 KiB, which Verify finds (doc/FORMAT.md
// section 4).
//
// Found at open means: refused with a sentence, and "maybe" to each of its keys. The images end with their page, so a
// reader that trusts a damaged length is killed. How many faults there are follows from the sizes of the images; the
// tests count what they made of it. (What is wrong under a valid check is in malformed_test.)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/view.h"
#include "tests/testing/guarded_pages.h"
#include "tests/testing/image_parts.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

// The optional fields of an image, in all combinations.
constexpr unsigned kSeed = 1, kNumKeys = 2, kExtensions = 4, kAllFields = 7;

// An image of the integers below num_keys.
struct Sample {
  std::string name, image;
  size_t body_bytes = 0;
  uint64_t num_keys = 0;
  std::vector<uint64_t> questions;  // the hashes of the keys and some others: what is broken says "maybe" to all
};

// At 8 bits per key: the body has a byte for each key, in blocks rounded up to 64.
Sample MakeSample(Layout layout, uint64_t num_keys, unsigned fields) {
  FilterOptions options = BitsPerKey(8, layout);
  options.seed = (fields & kSeed) != 0 ? 0x123456789abcdef0 : 0;
  FilterBuilder builder(options);
  Sample sample;
  sample.num_keys = num_keys;
  sample.questions = RandomHashes(8, 99);
  for (uint64_t key = 0; key < num_keys; ++key) {
    builder.AddKey(key);
    sample.questions.push_back(HashKey(key, options.seed));
  }
  std::string built;
  EXPECT_TRUE(builder.Finish(&built).ok());
  const FilterView from(built.data(), built.size(), VerifyMode::kTrusted);
  ImageParts parts;
  parts.body = built.substr(0, from.body_bytes());
  parts.layout = static_cast<uint8_t>(layout);
  parts.num_probes = static_cast<uint8_t>(from.num_probes());
  if ((fields & kSeed) != 0) parts.seed = options.seed;
  if ((fields & kNumKeys) != 0) parts.num_keys = num_keys;
  if ((fields & kExtensions) != 0) parts.extensions = Extension(9, "hello") + Extension(10, "");
  sample.image = Assemble(parts);
  sample.body_bytes = parts.body.size();
  sample.name = std::string(LayoutName(layout)) + ", body of " + std::to_string(sample.body_bytes) +
                " bytes, optional fields " + std::to_string(fields);

  const FilterView view(sample.image.data(), sample.image.size(), VerifyMode::kTrusted);
  EXPECT_TRUE(view.status().ok() && view.Verify().ok()) << sample.name << ": " << view.status().message();
  EXPECT_GE(view.CountMaybes(sample.questions.data(), sample.questions.size()), num_keys) << sample.name;
  return sample;
}

std::vector<Sample> SmallSamples() {
  std::vector<Sample> samples;
  for (const Layout layout : EveryLayout()) {
    for (const uint64_t num_keys : {0u, 1u, 64u, 640u, 4096u}) {
      for (unsigned fields = 0; fields <= kAllFields; ++fields) samples.push_back(MakeSample(layout, num_keys, fields));
    }
  }
  for (const Sample& sample : samples) EXPECT_LE(sample.body_bytes, kSmallBody);
  return samples;
}

// One chunk with all combinations of fields, and two chunks with all fields.
std::vector<Sample> LargeSamples() {
  std::vector<Sample> samples;
  for (const Layout layout : EveryLayout()) {
    for (unsigned fields = 0; fields <= kAllFields; ++fields) samples.push_back(MakeSample(layout, 4160, fields));
    samples.push_back(MakeSample(layout, kChunk + 4160, kAllFields));
  }
  for (const Sample& sample : samples) EXPECT_GT(sample.body_bytes, kSmallBody);
  return samples;
}

// Every fault in an optimized build, each Step-th elsewhere. Odd: else some bits of a byte never had their turn.
size_t Step() { return static_cast<size_t>(1 / Effort()) | 1; }
uint64_t Steps(uint64_t faults, size_t step) { return (faults + step - 1) / step; }

// Counts faults. What was not found fails the test, the first of it with a description.
class Survey {
 public:
  template <class Describe>
  void Take(bool is_found, const Describe& describe) {
    ++num_faults_;
    if (!is_found && num_missed_++ == 0) ADD_FAILURE() << "not found: " << describe();
  }
  // Ends a test: that many faults were made, and in an optimized build more than `least`.
  void Expect(const char* what, uint64_t expected, uint64_t least) const {
    EXPECT_EQ(num_faults_, expected);
    EXPECT_EQ(num_missed_, 0u);
    if (Step() == 1) {
      EXPECT_GT(num_faults_, least);
    }
    std::printf("%s: %llu made, all but %llu found\n", what, static_cast<unsigned long long>(num_faults_),
                static_cast<unsigned long long>(num_missed_));
  }

 private:
  uint64_t num_faults_ = 0, num_missed_ = 0;
};

// Puts bytes where they end with the page.
uint8_t* PutAtEnd(GuardedPages* pages, std::string_view bytes) {
  EXPECT_TRUE(pages->ok()) << "no memory between guards: what follows ends this program";
  uint8_t* const at = pages->end() - bytes.size();
  std::copy(bytes.begin(), bytes.end(), at);
  return at;
}

// Asked of all keys as a batch, and of one key by each other way; `turn` chooses it.
bool IsRefused(const Sample& sample, const uint8_t* at, size_t size, uint64_t turn) {
  const FilterView view(at, size, VerifyMode::kTrusted);
  const Status status = view.status();
  if (status.ok() || std::strlen(status.message()) < 15) return false;
  const std::vector<uint64_t>& questions = sample.questions;
  if (view.CountMaybes(questions.data(), questions.size()) != questions.size()) return false;
  const uint64_t hash = questions[turn % questions.size()], key = sample.num_keys == 0 ? 0 : turn % sample.num_keys;
  std::string bytes;
  AppendLittleEndian(&bytes, key, 8);
  view.Prepare(hash);
  return view.MayContainHash(hash) && view.MayContainKey(key) &&
         ImageMayContainKey(at, size, bytes, VerifyMode::kLazy) && !view.empty_set() && view.body_bytes() == 0;
}

// Asks is_found(bit) with each step-th bit of the bytes [begin, end) flipped; all is as before when it returns.
template <class IsFound>
void FlipBits(uint8_t* image, size_t begin, size_t end, size_t step, const Sample& sample, Survey* survey,
              const IsFound& is_found) {
  for (size_t bit = 8 * begin; bit < 8 * end; bit += step) {
    const uint8_t mask = static_cast<uint8_t>(1 << bit % 8);
    image[bit / 8] ^= mask;
    survey->Take(is_found(bit), [&] {
      return sample.name + ": bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8);
    });
    image[bit / 8] ^= mask;
  }
}

// Each sort of faults answers how many there are of it by the sizes of the sample.

// The bits from byte `begin` to the end, each of which is to be found at open.
uint64_t FlipBitsFrom(const Sample& sample, size_t begin, size_t step, Survey* survey) {
  const size_t size = sample.image.size();
  GuardedPages pages(size);
  uint8_t* const at = PutAtEnd(&pages, sample.image);
  FlipBits(at, begin, size, step, sample, survey, [&](size_t bit) { return IsRefused(sample, at, size, bit); });
  EXPECT_TRUE(FilterView(at, size, VerifyMode::kTrusted).status().ok()) << "undamaged again";
  return Steps(8 * (size - begin), step);
}

// The bits of the body, each of which is to be found by VerifyChunks.
uint64_t FlipBitsOfBody(const Sample& sample, Survey* survey) {
  const size_t size = sample.image.size();
  GuardedPages pages(size);
  uint8_t* const at = PutAtEnd(&pages, sample.image);
  FlipBits(at, 0, sample.body_bytes, Step(), sample, survey, [&](size_t bit) {
    const FilterView view(at, size, VerifyMode::kTrusted);
    const uint64_t chunk = bit / 8 / kChunk;
    if (bit % 4099 == 0) {  // all chunks now and then: Verify finds it too, and where it is not nothing is found
      if (view.Verify().ok()) return false;
      for (uint64_t i = 0; i < view.num_chunks(); ++i) EXPECT_EQ(view.VerifyChunks(i, 1).ok(), i != chunk) << bit;
    }
    return view.VerifyChunks(chunk, 1).code() == StatusCode::kCorrupt;
  });
  EXPECT_TRUE(FilterView(at, size, VerifyMode::kTrusted).Verify().ok()) << "undamaged again";
  return Steps(8 * sample.body_bytes, Step());
}

// Each length that can be left, 0 included, of either end.
uint64_t CutOff(const Sample& sample, Survey* survey) {
  GuardedPages pages(sample.image.size());
  for (size_t size = 0; size < sample.image.size(); size += Step()) {
    const auto describe = [&] { return sample.name + ": of which " + std::to_string(size) + " bytes are left"; };
    const uint8_t* at = PutAtEnd(&pages, std::string_view(sample.image).substr(0, size));
    survey->Take(IsRefused(sample, at, size, size), describe);
    at = PutAtEnd(&pages, std::string_view(sample.image).substr(sample.image.size() - size));
    survey->Take(IsRefused(sample, at, size, size), describe);
  }
  return 2 * Steps(sample.image.size(), Step());
}

// Each byte that can be too many, at either end.
uint64_t AddByte(const Sample& sample, Survey* survey) {
  const size_t longer = sample.image.size() + 1;
  GuardedPages pages(longer);
  for (int value = 0; value < 256; ++value) {
    const char byte = static_cast<char>(value);
    for (const std::string& bytes : {sample.image + byte, byte + sample.image}) {
      survey->Take(IsRefused(sample, PutAtEnd(&pages, bytes), longer, static_cast<uint64_t>(value)),
                   [&] { return sample.name + ": with a byte " + std::to_string(value) + " too many"; });
    }
  }
  return 2 * 256;
}

// make(sample, &survey) makes faults of one sample and answers how many those must be; all are found, and in an
// optimized build they are more than `least`.
template <class Make>
void ExpectFound(const char* what, const std::vector<Sample>& samples, uint64_t least, const Make& make) {
  Survey survey;
  uint64_t expected = 0;
  for (const Sample& sample : samples) expected += make(sample, &survey);
  survey.Expect(what, expected, least);
}

TEST(DamagedSmallImage, EachFlippedBitIsFoundAtOpen) {
  ExpectFound("flipped bits of small images", SmallSamples(), 900000,
              [](const Sample& sample, Survey* survey) { return FlipBitsFrom(sample, 0, Step(), survey); });
}

TEST(DamagedSmallImage, EachTruncationIsFoundAtOpen) {
  ExpectFound("truncations of small images", SmallSamples(), 200000, CutOff);
}

TEST(DamagedSmallImage, EachByteTooManyIsFoundAtOpen) {
  ExpectFound("bytes too many of small images", SmallSamples(), 60000, AddByte);
}

TEST(DamagedLargeImage, EachFlippedBitBehindTheBodyIsFoundAtOpen) {
  ExpectFound("flipped bits behind large bodies", LargeSamples(), 5000,
              [](const Sample& sample, Survey* survey) { return FlipBitsFrom(sample, sample.body_bytes, 1, survey); });
}

TEST(DamagedLargeImage, EachFlippedBitOfTheBodyIsFoundByVerify) {
  ExpectFound("flipped bits of large bodies", LargeSamples(), 2400000, FlipBitsOfBody);
}

TEST(DamagedLargeImage, EachTruncationIsFoundAtOpen) {
  ExpectFound("truncations of large images", LargeSamples(), 600000, CutOff);
}

TEST(DamagedLargeImage, EachByteTooManyIsFoundAtOpen) {
  ExpectFound("bytes too many of large images", LargeSamples(), 13000, AddByte);
}

}  // namespace
}  // namespace linefilter::test
