// Blocks of layout `quotient` that no writer makes: random bits, and blocks that contradict themselves. Each target
// answers and changes them as the reference does, and reads nothing outside: bodies touch a page that nobody may touch.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "linefilter/file.h"
#include "tests/layouts/quotient/quotient_test.h"
#include "tests/testing/guarded_pages.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::quotient_test {
namespace {

constexpr size_t kBlocks = 500, kSound = 2000, kRoundsOfSound = 100;

reference::Filter HostileFilter(const std::vector<Block>& sound, bool is_set, Random* random) {
  reference::Filter filter = EmptyOf(is_set, 0);
  filter.body = test::HostileBody(sound, kBlocks, random);
  return filter;
}

// Copies of at most that many bytes, at the end of the pages or near their beginning.
class Place {
 public:
  explicit Place(size_t most_bytes) : pages_(most_bytes + 64) { EXPECT_TRUE(pages_.ok()); }
  uint8_t* Put(const reference::Bytes& bytes, uint64_t where) {
    uint8_t* const at = where % 3 == 0 ? pages_.begin() + where / 3 % 64 : pages_.end() - bytes.size();
    memcpy(at, bytes.data(), bytes.size());
    return at;
  }

 private:
  test::GuardedPages pages_;
};

struct Asked {
  uint64_t blocks = 0, sound = 0, questions = 0, maybes = 0, by_image = 0;
};

// By key, without opening: each mode says the same of a whole image.
void ExpectOfImages(const reference::Filter& filter, const uint8_t* image, size_t size, uint64_t first, Asked* asked) {
  uint64_t wrong = 0;
  for (uint64_t key = first; key < first + 40; ++key) {
    const bool expected = filter.MayContain(reference::HashOfInteger(key, 0));
    for (const VerifyMode verify : {VerifyMode::kTrusted, VerifyMode::kLazy, VerifyMode::kWhole}) {
      wrong += ImageMayContainKey(image, size, key, verify) != expected;
      ++asked->by_image;
    }
  }
  EXPECT_EQ(wrong, 0u);
}

void ExpectAnswersOfARound(const std::vector<Block>& sound, const test::TempDir& folder, Random* random, Place* place,
                           Asked* asked) {
  const bool is_set = random->Below(2) == 0;
  const reference::Filter filter = HostileFilter(sound, is_set, random);
  const std::vector<uint64_t> questions = test::QuestionsOf(filter.body, 8 * kBlocks, random);
  std::vector<uint8_t> answers;
  for (const uint64_t question : questions) answers.push_back(filter.MayContain(question));
  asked->blocks += kBlocks;
  asked->questions += questions.size();
  asked->maybes += static_cast<uint64_t>(std::count(answers.begin(), answers.end(), 1));
  for (size_t i = 0; i < kBlocks; ++i) asked->sound += reference::QuotientLength(&filter.body[64 * i]) >= 0;
  reference::Filter small = filter;
  small.body.resize(64 * (1 + random->Below(20)));
  const reference::Bytes image = reference::WriteImage(filter), small_image = reference::WriteImage(small);
  const std::string path = folder.Write("image", std::string(image.begin(), image.end()));
  test::OnEveryTarget([&](const char*) {
    Bound bound(is_set, place->Put(filter.body, (*random)()), kBlocks);
    test::ExpectAnswers(bound, questions.data(), questions.size(), answers.data());
    const uint8_t* const at = place->Put(image, (*random)());
    const FilterView view(at, image.size(), VerifyMode::kTrusted);
    ASSERT_TRUE(test::IsOk(view.status()));
    test::ExpectAnswers(view, questions.data(), questions.size() / 4, answers.data());
    FilterFile file;
    ASSERT_TRUE(test::IsOk(file.Map(path.c_str(), VerifyMode::kLazy)));
    test::ExpectAnswers(file.view(), questions.data(), questions.size() / 4, answers.data());
    ExpectOfImages(filter, at, image.size(), (*random)(), asked);
    ExpectOfImages(small, place->Put(small_image, (*random)()), small_image.size(), (*random)(), asked);
  });
}

struct Changed {
  uint64_t blocks = 0, saturated = 0, united = 0;
};

// `steps` is called with the reference's body and with the library's, and says what differed in the answers.
template <class Reference, class Library>
void ExpectSameChange(const reference::Filter& before, const char* what, Place* place, Random* random,
                      const Reference& change, const Library& library) {
  reference::Filter expected = before;
  const std::vector<uint8_t> answers = change(&expected);
  test::OnEveryTarget([&](const char*) {
    uint8_t* const body = place->Put(before.body, (*random)());
    Bound bound(before.num_probes == 0, body, before.body.size() / 64);
    EXPECT_EQ(library(&bound), answers) << what;
    EXPECT_EQ(memcmp(body, expected.body.data(), expected.body.size()), 0) << what;
  });
}

void ExpectChangesOfARound(const std::vector<Block>& sound, Random* random, Place* place, Changed* changed) {
  const bool is_set = random->Below(2) == 0;
  const reference::Filter before = HostileFilter(sound, is_set, random);
  const std::vector<uint64_t> hashes = test::QuestionsOf(before.body, (1 + random->Below(3)) * kBlocks, random);
  const auto insert = [&](reference::Filter* filter) {
    std::vector<uint8_t> were_new;
    for (const uint64_t hash : hashes) were_new.push_back(filter->Insert(hash));
    changed->blocks += kBlocks;
    for (size_t i = 0; i < kBlocks; ++i) {
      const uint8_t* const block = &filter->body[64 * i];
      changed->saturated += std::all_of(block, block + 64, [](uint8_t byte) { return byte == 0xff; });
    }
    return were_new;
  };
  const auto remove = [&](reference::Filter* filter) {
    std::vector<uint8_t> were_there;
    for (const uint64_t hash : hashes) were_there.push_back(filter->Remove(hash));
    return were_there;
  };
  ExpectSameChange(before, "inserted by one", place, random, insert, [&](Bound* bound) {
    std::vector<uint8_t> were_new;
    for (const uint64_t hash : hashes) were_new.push_back(bound->Insert(hash));
    return were_new;
  });
  ExpectSameChange(before, "inserted in a batch", place, random, insert, [&](Bound* bound) {
    std::vector<uint8_t> were_new(hashes.size());
    bound->InsertAll(hashes, were_new.data());
    return were_new;
  });
  ExpectSameChange(before, "removed by one", place, random, remove, [&](Bound* bound) {
    std::vector<uint8_t> were_there;
    for (const uint64_t hash : hashes) were_there.push_back(bound->Remove(hash));
    return were_there;
  });
  ExpectSameChange(before, "removed in a batch", place, random, remove, [&](Bound* bound) {
    std::vector<uint8_t> were_there(hashes.size());
    bound->RemoveAll(hashes, were_there.data());
    return were_there;
  });
  reference::Filter other = HostileFilter(sound, is_set, random), both = before;
  for (size_t i = 0; i < kBlocks; ++i) {
    if (random->Below(2) == 0) memcpy(&other.body[64 * i], sound[random->Below(sound.size())].bytes, 64);
    reference::QuotientUnite(&other.body[64 * i], is_set, &both.body[64 * i]);
  }
  changed->united += kBlocks;
  test::OnEveryTarget([&](const char*) {
    uint8_t* const body = place->Put(before.body, (*random)());
    FoldBlocks(is_set, other.body.data(), kBlocks, 1, true, body);
    EXPECT_EQ(memcmp(body, both.body.data(), both.body.size()), 0) << "united";
  });
}

template <class Round>
void Rounds(uint64_t blocks, uint64_t seed, const Round& round) {
  Random random(seed);
  std::vector<Block> sound;
  const uint64_t rounds = blocks / kBlocks + 1;
  for (uint64_t i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("round " + std::to_string(i) + ", seed " + std::to_string(seed));
    if (i % kRoundsOfSound == 0) sound = test::SoundBlocks(kSound, &random);
    round(sound, &random);
  }
}

}  // namespace

void ExpectTheReferenceOnHostileBlocks(uint64_t blocks, uint64_t seed) {
  Asked asked;
  const test::TempDir folder;
  Place place(64 * kBlocks + 64);
  Rounds(blocks, seed,
         [&](const auto& sound, Random* random) { ExpectAnswersOfARound(sound, folder, random, &place, &asked); });
  EXPECT_GT(asked.sound, asked.blocks / 20) << "some differ only in what a sound block does not say";
  EXPECT_LT(asked.sound, asked.blocks / 2);
  EXPECT_GT(asked.maybes, asked.questions / 5);
  EXPECT_LT(asked.maybes, asked.questions / 5 * 4);
  std::printf("%llu hostile blocks (%llu sound), %llu questions on each target (%llu maybe), %llu by image\n",
              static_cast<unsigned long long>(asked.blocks), static_cast<unsigned long long>(asked.sound),
              static_cast<unsigned long long>(asked.questions), static_cast<unsigned long long>(asked.maybes),
              static_cast<unsigned long long>(asked.by_image));
}

void ExpectTheReferenceChangesHostileBlocks(uint64_t blocks, uint64_t seed) {
  Changed changed;
  Place place(64 * kBlocks + 64);
  Rounds(blocks, seed,
         [&](const auto& sound, Random* random) { ExpectChangesOfARound(sound, random, &place, &changed); });
  EXPECT_GT(changed.saturated, changed.blocks / 10);
  EXPECT_LT(changed.saturated, changed.blocks / 10 * 9);
  std::printf("%llu hostile blocks united, inserted into and removed from by one and in batches, on each target\n",
              static_cast<unsigned long long>(changed.united));
}

}  // namespace linefilter::quotient_test
