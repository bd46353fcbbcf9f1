// What is demanded of every state: saved and loaded it has the same answers, and it goes on the same way.
#ifndef LINEFILTER_TESTS_FILTERS_STATES_TEST_H_
#define LINEFILTER_TESTS_FILTERS_STATES_TEST_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/claims.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

using reference::Bytes;

// Of what is opened again.
inline FilterOptions ToOpen(const FilterOptions& made) {
  FilterOptions options;
  options.memory_limit = made.memory_limit;
  if (made.hash_id == HashId::kKeyed) options.hash_id = made.hash_id, options.secret = made.secret;
  return options;
}

inline std::vector<uint64_t> SomeHashes(Random* random, size_t n) {
  std::vector<uint64_t> hashes(n);
  for (uint64_t& hash : hashes) {
    hash = random->Below(16) == 0 ? OneOf<uint64_t>(random, {0, 1, kMost, uint64_t{1} << 63}) : (*random)();
  }
  return hashes;
}

template <class Filter>
std::vector<uint8_t> AnswersOf(const Filter& filter, const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> answers(hashes.size(), 2);
  filter.MayContainHashes(hashes.data(), hashes.size(), answers.data());
  return answers;
}

// --- How each class goes on: the answers that it gives meanwhile, the same for the same choices ---

template <class Filter>
void Insert(Filter* filter, Random* random, std::vector<uint8_t>* answers) {
  for (const uint64_t hash : SomeHashes(random, random->Below(20))) {
    answers->push_back(filter->InsertHash(hash));
    EXPECT_TRUE(filter->MayContainHash(hash)) << "a member is absent";
  }
  const std::vector<uint64_t> batch = SomeHashes(random, 1 + random->Below(40));
  std::vector<uint8_t> were_new(batch.size());
  filter->InsertHashes(batch.data(), batch.size(), were_new.data());
  answers->insert(answers->end(), were_new.begin(), were_new.end());
  EXPECT_TRUE(filter->MayContainHash(batch.back())) << "a member is absent";
}

template <class Filter>
void More(Filter* filter, Random* random, std::vector<uint8_t>*) {
  if (random->Below(4) == 0 && filter->num_blocks() % 2 == 0 && filter->num_blocks() != 0) {
    EXPECT_TRUE(filter->Fold(2).ok());
  }
  if (random->Below(8) == 0) filter->Clear();
}
inline void More(ClassicFilter* filter, Random* random, std::vector<uint8_t>*) {
  if (random->Below(8) == 0) filter->Clear();
}
inline void More(ConcurrentFilter*, Random*, std::vector<uint8_t>*) {}
inline void More(QuotientFilter* filter, Random* random, std::vector<uint8_t>* answers) {
  const std::vector<uint64_t> hashes = SomeHashes(random, 10);
  for (const uint64_t hash : hashes) filter->InsertHash(hash);
  for (const uint64_t hash : hashes) answers->push_back(filter->RemoveHash(hash));
}
inline void More(ScalableFilter* filter, Random* random, std::vector<uint8_t>* answers) {
  answers->push_back(static_cast<uint8_t>(filter->num_stages()));
  if (random->Below(8) == 0) filter->Clear();
}
inline void More(RotatingFilter* filter, Random* random, std::vector<uint8_t>* answers) {
  for (uint64_t i = random->Below(4); i != 0; --i) {
    const uint64_t before = filter->generation();
    EXPECT_EQ(filter->Rotate(), std::min(before + 1, kLastGeneration));
  }
  for (int i = 0; i < 48; i += 8) answers->push_back(static_cast<uint8_t>(filter->generation() >> i));
}

template <class Filter>
std::vector<uint8_t> GoOn(Filter* filter, Random random) {
  std::vector<uint8_t> answers;
  for (uint64_t i = 1 + random.Below(3); i != 0; --i) {
    Insert(filter, &random, &answers);
    More(filter, &random, &answers);
  }
  return answers;
}

// --- The property ---

// The ones of the newest stage are those that it has, for no key came meanwhile.
inline BodyFacts FactsWithOnes(const FilterView& view) {
  BodyFacts facts = FactsOf(view);
  if (view.num_stages() == 0) return facts;
  const StageInfo newest = view.stage(view.num_stages() - 1);
  facts.newest_ones =
      static_cast<uint64_t>(std::llround(newest.FillRatio() * 512 * static_cast<double>(newest.num_blocks)));
  return facts;
}

// Through a body that lies elsewhere, as Redis has it: the image of its facts.
inline std::string ThroughBody(const std::string& image, const HashSecret* secret, bool tells_ones) {
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole, secret);
  return ImageOfBody(tells_ones ? FactsWithOnes(view) : FactsOf(view), view.body());
}

// An image that this library wrote comes back byte for byte.
inline void ExpectSameBody(const std::string& image, const HashSecret* secret, const std::vector<uint64_t>& asked,
                           bool tells_ones) {
  const std::string again = ThroughBody(image, secret, tells_ones);
  EXPECT_EQ(again, image) << "the image of its facts and its body";
  const FilterView read(again.data(), again.size(), VerifyMode::kWhole, secret),
      view(image.data(), image.size(), VerifyMode::kWhole, secret);
  EXPECT_EQ(AnswersOf(read, asked), AnswersOf(view, asked));
}

// One that claims anything keeps what matters, and comes back byte for byte from then on.
inline void ExpectKeepsClaims(const std::string& image, const HashSecret* secret, Random* random) {
  const bool tells_ones = random->Below(2) == 0;
  const std::string again = ThroughBody(image, secret, tells_ones);
  const FilterView before(image.data(), image.size(), VerifyMode::kWhole, secret),
      after(again.data(), again.size(), VerifyMode::kWhole, secret);
  test::ExpectSameClaims(before, after);
  if (after.body_bytes() > 4096) {
    EXPECT_EQ(after.num_keys(), before.num_keys());
  }
  const std::vector<uint64_t> asked = SomeHashes(random, 60);
  EXPECT_EQ(AnswersOf(after, asked), AnswersOf(before, asked));
  EXPECT_EQ(ThroughBody(again, secret, tells_ones), again);
}

// It goes on the same way, too, whether the keys come one by one or together.
template <class Filter>
void ExpectBatchesAsSingleCalls(const std::string& image, const FilterOptions& options,
                                const std::vector<uint64_t>& hashes) {
  Filter one_by_one, together;
  ASSERT_TRUE(one_by_one.CreateFromImage(image.data(), image.size(), options).ok());
  ASSERT_TRUE(together.CreateFromImage(image.data(), image.size(), options).ok());
  std::vector<uint8_t> were_new, answers(hashes.size(), 2);
  for (const uint64_t hash : hashes) were_new.push_back(one_by_one.InsertHash(hash));
  together.InsertHashes(hashes.data(), hashes.size(), answers.data());
  EXPECT_EQ(answers, were_new);
  EXPECT_EQ(ImageOf(together), ImageOf(one_by_one));
}

// `filter` is in some state: it saves; what is loaded is the same, saves the same, and goes on the same way.
template <class Filter>
void ExpectGoesOn(Filter* filter, const FilterOptions& made, Random* random, const test::TempDir& folder,
                  uint64_t number) {
  const FilterOptions options = ToOpen(made);
  const std::vector<uint64_t> asked = SomeHashes(random, 60);
  const std::string image = ImageOf(*filter);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole, test::SecretOf(options));
  ASSERT_TRUE(view.Verify().ok()) << view.status().message();
  reference::Filter read;
  ASSERT_TRUE(reference::ReadImage(reinterpret_cast<const uint8_t*>(image.data()), image.size(), &read));

  Filter loaded;
  if (number % 100 == 0) {  // a file costs more than all the rest
    const std::string path = folder.File("image");
    ASSERT_TRUE(filter->Save(path.c_str()).ok());
    FilterFile file;
    ASSERT_TRUE(file.Load(path.c_str(), {}, kNoMemoryLimit, test::SecretOf(options)).ok());
    ASSERT_EQ(file.view().image_bytes(), image.size());
    ASSERT_TRUE(loaded.CreateFromImage(file.view().body(), file.view().image_bytes(), options).ok());
  } else {
    ASSERT_TRUE(IsOk(loaded.CreateFromImage(image.data(), image.size(), options)));
  }
  ASSERT_EQ(ImageOf(loaded), image);
  const std::vector<uint8_t> answers = AnswersOf(*filter, asked);
  EXPECT_EQ(AnswersOf(loaded, asked), answers);
  EXPECT_EQ(AnswersOf(view, asked), answers);
  ExpectSameBody(image, test::SecretOf(options), asked, random->Below(2) == 0);

  ExpectBatchesAsSingleCalls<Filter>(image, options, SomeHashes(random, 100));
  const Random choices((*random)());
  EXPECT_EQ(GoOn(filter, choices), GoOn(&loaded, choices));
  const std::string later = ImageOf(*filter);
  ASSERT_EQ(ImageOf(loaded), later);
  Filter once_more;
  ASSERT_TRUE(once_more.CreateFromImage(later.data(), later.size(), options).ok());
  EXPECT_EQ(ImageOf(once_more), later);
  EXPECT_EQ(AnswersOf(once_more, asked), AnswersOf(*filter, asked));
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_STATES_TEST_H_
