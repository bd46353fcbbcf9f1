// A key that was inserted once is out after one removal, even if its insertion had to connect anew.
#include <atomic>

#include "tests/adapters/redis/redis_removal_test.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

// A way to the server that is closed once, in front of the next read of a block.
class CutRelay {
 public:
  explicit CutRelay(uint16_t port) : relay_(port) {
    relay_.before = [this](const RedisRelay::Words& words) {
      const bool is_block = words[0] == "GETRANGE" && std::stoll(words[3]) - std::stoll(words[2]) == 63;
      return is_block && cuts_.exchange(false) ? RedisRelay::Act::kClose : RedisRelay::Act::kForward;
    };
  }
  RedisServers Servers(RedisServers servers) const {
    servers.addresses = relay_.address();
    return servers;
  }
  void Cut() { cuts_ = true; }
  bool was_cut() const { return !cuts_; }

 private:
  std::atomic<bool> cuts_{false};
  RedisRelay relay_;
};

class RedisCountsTest : public RedisRemovalTest {
 protected:
  RedisFilter OpenThrough(const CutRelay& relay) { return Opened(relay.Servers(servers_), "seen"); }
  std::string ZeroBody(const RedisFilter& filter) {
    return std::string(static_cast<size_t>(filter.body_bytes()), '\0');
  }
  void InsertAndCut(CutRelay* relay, RedisFilter* filter, const std::vector<uint64_t>& hashes) {
    relay->Cut();
    outcomes_ = InsertAll(filter, hashes);
    EXPECT_TRUE(relay->was_cut());
  }

  std::vector<RedisInsert> outcomes_;
};

TEST_F(RedisCountsTest, OnceIfTheConnectionWasClosedBeforeTheBlocksWereRead) {
  (void)Create("seen", 1000);
  CutRelay relay(server_->port());
  RedisFilter filter = OpenThrough(relay);
  const std::vector<uint64_t> hashes = RandomHashes(64, 20);
  InsertAndCut(&relay, &filter, hashes);
  EXPECT_GT(CountOf(outcomes_, RedisInsert::kNew), 60u);
  EXPECT_EQ(CountOf(RemoveAll(&filter, hashes), RedisRemove::kRemoved), hashes.size());
  EXPECT_EQ(Body(), ZeroBody(filter));
}

// What was written is there: only what was left out is written once more.
TEST_F(RedisCountsTest, ABatchOfWhichNothingWasLeftOutIsWrittenOnce) {
  options_.removable = false;
  (void)Create("seen", 1000);
  CutRelay relay(server_->port());
  RedisFilter filter = OpenThrough(relay);
  const int64_t before = NumCalls("eval");
  InsertAndCut(&relay, &filter, RandomHashes(64, 23));
  EXPECT_EQ(NumCalls("eval"), before + 1);
}

// Keys of a saturated block are left out, and are inserted again. The others are not.
TEST_F(RedisCountsTest, OnceBesideABlockThatIsSaturated) {
  (void)Create("seen", 200);
  CutRelay relay(server_->port());
  RedisFilter filter = OpenThrough(relay);
  client_->Do({"SETRANGE", Shards()[0], "64", std::string(64, '\xff')});
  std::string saturated = ZeroBody(filter);
  saturated.replace(64, 64, 64, '\xff');
  const std::vector<uint64_t> hashes = RandomHashes(200, 21);
  InsertAndCut(&relay, &filter, hashes);
  const size_t num_new = CountOf(outcomes_, RedisInsert::kNew);
  EXPECT_GT(num_new, hashes.size() / 2);
  EXPECT_LT(num_new, hashes.size() - 5) << "no key is in the saturated block";
  EXPECT_EQ(CountOf(RemoveAll(&filter, hashes), RedisRemove::kRemoved), hashes.size());
  EXPECT_EQ(Body(), saturated);
}

// A generation whose bits are read and left out stands beside one that counts.
TEST_F(RedisCountsTest, OnceInTheNextGenerationOfOneThatIsReadFirst) {
  options_ = BitsPerKey(10, Layout::kBlocked);
  RedisFilter direct = Create("seen", 2000);
  const std::vector<uint64_t> hashes = RandomHashes(200, 22);
  const std::vector<std::string> left = Shards();
  EXPECT_TRUE(IsOk(direct.BeginGeneration(2000, Removable(20))));
  CutRelay relay(server_->port());
  RedisFilter filter = OpenThrough(relay);
  for (int times = 0; times < 2; ++times) (void)InsertAll(&filter, hashes);  // the second time most bits are set
  InsertAndCut(&relay, &filter, hashes);
  EXPECT_EQ(CountOf(outcomes_, RedisInsert::kKnown), hashes.size());
  EXPECT_TRUE(IsOk(direct.SwitchGeneration()));
  for (const std::string& shard : left) client_->Do({"UNLINK", shard});
  for (int times = 0; times < 3; ++times) {
    EXPECT_EQ(CountOf(RemoveAll(&direct, hashes), RedisRemove::kRemoved), hashes.size()) << times;
  }
  EXPECT_EQ(Body(), ZeroBody(direct));
}

}  // namespace
}  // namespace linefilter::test
