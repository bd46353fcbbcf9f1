// Filters in Redis, as each release wrote them, are asked, filled and switched for ever: tests/releases/VERSION/redis,
// kept by tools/keep_records.sh. Clients of several versions use one filter at the same time, so reading is not enough.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/hash.h"
#include "linefilter/layout.h"
#include "linefilter/redis.h"
#include "linefilter/redis_cached.h"
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

std::string LittleEndian(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

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
  std::string Record(const std::string& name) { return client_->Text({"GET", name}); }
  void ExpectVersion1(const std::string& name) {
    EXPECT_EQ(Record(name).rfind("linefilter-redis 1\n", 0), 0u)
        << "what another version could not read: " << Record(name);
  }
  // Writes another record, with its check.
  void Rewrite(const std::string& name, std::string record) {
    record.erase(record.rfind("check "));
    char check[32];
    snprintf(check, sizeof(check), "check %016llx\n", static_cast<unsigned long long>(HashKey(record)));
    client_->Do({"SET", name, record + check});
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
    for (std::string line; std::getline(answers, line); ++lines) {
      Kept kept;
      ASSERT_TRUE(std::istringstream(line) >> kept.name >> kept.num_keys >> kept.maybes) << line;
      if (!name.empty() && kept.name != name) continue;
      ++used;
      SCOPED_TRACE((folder / kept.name).string());
      use(folder, kept);
    }
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
  });
}

TEST_F(RedisReleases, TakeKeysAndAreDeletedByThisVersion) {
  ForEachKept("", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    if (Info().layout != Layout::kRetrieval) Insert(kept.num_keys + kAsked, 20);
    ExpectVersion1(kept.name);
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
    Rewrite(kept.name, std::regex_replace(Record(kept.name), std::regex("check "), "note of a later version\ncheck "));
    Insert(kept.num_keys, 2 * capacity);
    EXPECT_GT(Info().capacity, capacity) << "a stage came";
    ExpectVersion1(kept.name);
    EXPECT_NE(Record(kept.name).find("\nnote of a later version\n"), std::string::npos) << "what is not known stays";
    EXPECT_EQ(CountMaybes(0, kept.num_keys), kept.num_keys) << "a key was lost";
  });
}

TEST_F(RedisReleases, ServeTheGenerationThatWasBegun) {
  ForEachKept("switching", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    const uint64_t begun = Info().next_generation;
    Insert(kept.num_keys, 20);
    ASSERT_TRUE(IsOk(filter_.SwitchGeneration()));
    EXPECT_EQ(filter_.generation(), begun);
    EXPECT_EQ(CountMaybes(0, kept.num_keys + 20), kept.num_keys + 20) << "writers fill both";
    ExpectVersion1(kept.name);
  });
}

TEST_F(RedisReleases, EndASwitchThatAnotherVersionBegan) {
  ForEachKept("switching", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    Rewrite(kept.name, std::regex_replace(Record(kept.name), std::regex("\nnext"), "\nprevious"));
    const uint64_t left = Info().previous_generation;
    EXPECT_NE(left, 0u);
    ASSERT_TRUE(IsOk(filter_.SwitchGeneration()));
    EXPECT_EQ(Info().previous_generation, 0u);
    EXPECT_EQ(CountMaybes(0, kept.num_keys), kept.num_keys);
    EXPECT_GT(client_->Integer({"PTTL", redis_internal::ShardName(kept.name, left, 0)}), 0)
        << "it goes within a minute";
  });
}

// What this version adds to the stream is what another one reads, and the other way round.
TEST_F(RedisReleases, AreFollowedByThisVersionBesideWritersOfAnother) {
  ForEachKept("{tag}followed", [&](const fs::path& folder, const Kept& kept) {
    ASSERT_NO_FATAL_FAILURE(Restore(folder, kept));
    RedisCachedFilter follower;
    ASSERT_TRUE(IsOk(follower.Open(servers_, kept.name, 1000)));
    Insert(kept.num_keys, 1);
    const RedisReply last = client_->Do({"XREVRANGE", kept.name + ":stream", "+", "-", "COUNT", "1"});
    ASSERT_EQ(last.items.size(), 1u);
    const RedisReply& fields = last.items[0].items[1];
    ASSERT_EQ(fields.items.size(), 2u);
    EXPECT_EQ(fields.items[0].text, "h");
    EXPECT_EQ(fields.items[1].text, LittleEndian(filter_.HashOf(std::to_string(kept.num_keys))));
    const uint64_t added = filter_.HashOf("by another version");
    EXPECT_FALSE(follower.MayContainHash(added));
    client_->Do({"XADD", kept.name + ":stream", "*", "h", LittleEndian(added)});
    ASSERT_TRUE(IsOk(follower.Refresh()));
    EXPECT_TRUE(follower.MayContainHash(added));
  });
}

}  // namespace
}  // namespace linefilter::test
