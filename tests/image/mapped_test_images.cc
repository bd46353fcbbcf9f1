#include <algorithm>
#include <cstdlib>
#include <memory>

#include "lib/base/endian.h"
#include "linefilter/c.h"
#include "linefilter/scalable.h"
#include "tests/image/mapped_test.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kMembers = 4000;

std::string ContainerOf(const std::vector<uint64_t>& keys, bool grows) {
  ScalableFilter filter;
  EXPECT_TRUE(filter.Create(grows ? keys.size() / 10 : keys.size(), Fpr(0.01)).ok());
  for (const uint64_t key : keys) filter.InsertKey(key);
  EXPECT_EQ(filter.num_stages() > 1, grows);
  std::string image;
  EXPECT_TRUE(filter.AppendImage(&image).ok());
  return image;
}

std::unique_ptr<Subject> MakeSubject(Layout layout, bool grows = true) {
  auto subject = std::make_unique<Subject>();
  subject->name = std::string(LayoutName(layout)) + (grows ? "" : "_of_one_stage");
  for (uint64_t key = 0; key < 200000; ++key) subject->keys.push_back(key);
  if (layout == Layout::kContainer) {
    subject->image = ContainerOf(subject->keys, grows);
  } else {
    FilterBuilder builder(BitsPerKey(BitsPerKeyLikeBlocked(layout, 10), layout));
    for (const uint64_t key : subject->keys) builder.AddKey(key);
    EXPECT_TRUE(builder.Finish(&subject->image).ok());
  }
  for (uint64_t i = 0; i < kMembers; ++i) subject->keys[i] = subject->keys[i * (subject->keys.size() / kMembers)];
  subject->keys.resize(kMembers);
  for (const uint64_t key : subject->keys) subject->hashes.push_back(HashKey(key));
  EXPECT_GT(subject->image.size(), 3 * kChunk);
  return subject;
}

uint64_t LostByView(linefilter_view* view, const Subject& subject) {
  std::vector<uint8_t> answers(kMembers, 1);
  if (view == nullptr) return 0;  // refused, and NULL is "maybe" to all
  linefilter_view_may_contain_u64s(view, subject.keys.data(), kMembers, answers.data());
  const uint64_t lost = static_cast<uint64_t>(std::count(answers.begin(), answers.end(), 0));
  EXPECT_TRUE(linefilter_view_status(view, nullptr) == LINEFILTER_OK ||
              linefilter_view_verify(view, nullptr) == LINEFILTER_CORRUPT);
  linefilter_view_free(view);
  return lost;
}

}  // namespace

const std::vector<const Subject*>& Subjects() {
  static const auto* const subjects = [] {  // never freed: a leak checker finds what it points to
    auto* const made = new std::vector<const Subject*>;
    for (const Layout layout : EveryLayout()) made->push_back(MakeSubject(layout).release());
    for (const bool grows : {true, false}) made->push_back(MakeSubject(Layout::kContainer, grows).release());
    return made;
  }();
  return *subjects;
}

std::string Damaged(std::string image, uint64_t number) {
  const std::vector<uint64_t> random = RandomHashes(3, 1000 + number);
  const size_t at = random[0] % image.size(), left = image.size() - at;
  switch (number % 4) {
    case 0:
      image[at] = static_cast<char>(image[at] ^ (1 << random[1] % 8));
      break;
    case 1:
      for (size_t i = 0; i < std::min<size_t>(left, 4096); ++i)
        image[at + i] = static_cast<char>(MixHash(random[1] + i));
      break;
    case 2:
      std::fill_n(image.begin() + static_cast<std::ptrdiff_t>(at), random[1] % left, '\0');
      break;
    default:
      image.resize(at);
  }
  return image;
}

void DamageChunk(std::string* image) {
  for (size_t i = 0; i < kChunk; ++i) (*image)[kChunk + i] = static_cast<char>(MixHash(i));
}

uint64_t NumDamages() {
  const char* const given = std::getenv("LINEFILTER_TEST_DAMAGES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 12;
}

uint64_t LostByC(const std::string& path, const std::string& image, const Subject& subject) {
  uint64_t lost = 0;
  for (const auto verify : {LINEFILTER_VERIFY_AUTO, LINEFILTER_VERIFY_WHOLE, LINEFILTER_VERIFY_LAZY}) {
    lost += LostByView(linefilter_view_map(path.c_str(), verify, LINEFILTER_RANDOM, nullptr, nullptr), subject);
    lost += LostByView(linefilter_view_open(image.data(), image.size(), verify, nullptr, nullptr), subject);
    for (size_t i = 0; i < kMembers; i += 61) {
      uint8_t key[8];
      internal::StoreLE64(subject.keys[i], key);
      lost += !linefilter_image_ask(image.data(), image.size(), verify, key, sizeof(key));
    }
    linefilter_view* const serving = linefilter_swappable_new(nullptr, nullptr);
    linefilter_view* const next = linefilter_view_map(path.c_str(), verify, LINEFILTER_RANDOM, nullptr, nullptr);
    if (next != nullptr && linefilter_swappable_swap_view(serving, next, nullptr) != LINEFILTER_OK) {
      linefilter_view_free(next);
    }
    for (const uint64_t key : subject.keys) lost += !linefilter_view_may_contain_u64(serving, key);
    linefilter_view_free(serving);
  }
  return lost;
}

}  // namespace linefilter::test
