// Filters in Redis, as each release wrote them, are asked, filled and switched for ever: tests/releases/VERSION/redis,
// kept by tools/keep_records.sh. Clients of several versions use one filter at the same time, so reading is not enough.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/layout.h"
#include "linefilter/redis.h"
#include "tests/adapters/redis/redis_filter_test.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = LINEFILTER_SOURCE_DIR "/tests/releases";
constexpr uint64_t kAsked = 20000;

// A line of answers.txt.
struct Kept {
  std::string name;
  uint64_t num_keys = 0, maybes = 0;
};

std::string FromHex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// The decimal numbers from `first` on, as keys.
struct Numbers {
  Numbers(uint64_t first, uint64_t count) {
    for (uint64_t i = first; i < first + count; ++i) texts.push_back(std::to_string(i));
    keys.assign(texts.begin(), texts.end());
  }
  std::vector<std::string> texts;
  std::vector<Key> keys;
};

class RedisReleases : public RedisFilterTest {
 protected:
  // Puts into Redis what the release left there, and opens it.
  void Restore(const fs::path& folder, const Kept& kept) {
    client_->Do({"FLUSHALL"});
    std::ifstream record(folder / (kept.name + ".record"));
    std::string key, digits;
    size_t strings = 0;
    for (; record >> key >> digits; ++strings) client_->Do({"SET", key, FromHex(digits)});
    ASSERT_GE(strings, 2u) << "the header record and a shard";
    HashSecret secret;
    std::ifstream(folder / "secret", std::ios::binary)
        .read(reinterpret_cast<char*>(secret.bytes), sizeof(secret.bytes));
    ASSERT_TRUE(IsOk(filter_.Open(servers_, kept.name, kept.name == "keyed" ? &secret : nullptr)));
  }

  uint64_t CountMaybes(uint64_t first, uint64_t count) {
    const Numbers keys(first, count);
    std::vector<uint8_t> answers(count);
    EXPECT_TRUE(IsOk(filter_.MExists(keys.keys.data(), count, answers.data())));
    return static_cast<uint64_t>(std::count(answers.begin(), answers.end(), uint8_t{1}));
  }
  void Insert(uint64_t first, uint64_t count) {
    const Numbers keys(first, count);
    EXPECT_TRUE(IsOk(filter_.MAdd(keys.keys.data(), count)));
    EXPECT_EQ(CountMaybes(first, count), count);
  }
  RedisInfo Info() {
    RedisInfo info;
    EXPECT_TRUE(IsOk(filter_.Info(&info)));
    return info;
  }

  RedisFilter filter_;
};

// What each release kept is given to `use`: the filters of that name, or all where the name is empty.
template <class Use>
void ForEachKept(const std::string& name, const Use& use) {
  if (!fs::exists(LINEFILTER_SOURCE_DIR)) GTEST_SKIP() << "no source tree on this machine";
  size_t used = 0;
  for (const auto& release : fs::directory_iterator(kFolder)) {
    const fs::path folder = release.path() / "redis";
    std::ifstream answers(folder / "answers.txt");
    size_t lines = 0;
    for (Kept kept; answers >> kept.name >> kept.num_keys >> kept.maybes; ++lines) {
      if (!name.empty() && kept.name != name) continue;
      ++used;
      SCOPED_TRACE((folder / kept.name).string());
      use(folder, kept);
    }
    EXPECT_TRUE(answers.eof()) << "a line of answers.txt cannot be read";
    const auto is_record = [](const fs::directory_entry& file) { return file.path().extension() == ".record"; };
    EXPECT_EQ(std::count_if(fs::directory_iterator(folder), fs::directory_iterator(), is_record),
              static_cast<std::ptrdiff_t>(lines))
        << "each record has its answers";
  }
  EXPECT_GE(used, name.empty() ? 13u : 1u);
}

TEST_F(RedisReleases, AreAskedByThisVersion) {
  ForEachKept("", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    EXPECT_EQ(CountMaybes(0, kept.num_keys), kept.num_keys) << "a key was lost";
    EXPECT_EQ(CountMaybes(kept.num_keys, kAsked), kept.maybes);
    const std::string record = client_->Text({"GET", kept.name});
    EXPECT_EQ(record.rfind("linefilter-redis 1\n", 0), 0u) << "record version 1 stays what it is";
  });
}

TEST_F(RedisReleases, TakeKeysAndAreDeletedByThisVersion) {
  ForEachKept("", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    if (Info().layout != Layout::kRetrieval) Insert(kept.num_keys + kAsked, 20);
    EXPECT_EQ(CountMaybes(0, kept.num_keys), kept.num_keys) << "a key was lost";
    EXPECT_TRUE(IsOk(RedisFilter::Delete(servers_, kept.name)));
    EXPECT_EQ(client_->Integer({"DBSIZE"}), 0) << "nothing of it is left";
  });
}

TEST_F(RedisReleases, GiveKeysBackToThisVersion) {
  ForEachKept("removable", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    for (uint64_t i = 0; i < kept.num_keys; ++i) {
      RedisRemove outcome;
      ASSERT_TRUE(IsOk(filter_.RemoveKey(std::to_string(i), &outcome)));
      ASSERT_EQ(outcome, RedisRemove::kRemoved) << i;
    }
    EXPECT_EQ(CountMaybes(0, kept.num_keys), 0u) << "it is empty now";
  });
}

TEST_F(RedisReleases, GrowInThisVersion) {
  ForEachKept("growing", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    const uint64_t capacity = Info().capacity;
    Insert(kept.num_keys, 2 * capacity);
    EXPECT_GT(Info().capacity, capacity) << "a stage came";
    EXPECT_EQ(CountMaybes(0, kept.num_keys), kept.num_keys) << "a key was lost";
  });
}

TEST_F(RedisReleases, ServeTheGenerationThatWasBegun) {
  ForEachKept("switching", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    const uint64_t begun = Info().next_generation;
    ASSERT_TRUE(IsOk(filter_.SwitchGeneration()));
    EXPECT_EQ(filter_.generation(), begun);
    EXPECT_EQ(CountMaybes(0, kept.num_keys), kept.num_keys);
  });
}

}  // namespace
}  // namespace linefilter::test
