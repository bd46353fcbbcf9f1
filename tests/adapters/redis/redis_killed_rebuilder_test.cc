// One who makes or rebuilds a filter in Redis is killed after each of his commands, and once more with the reply to the
// last one lost. No key is lost then, nor by who goes on, and nothing stays behind for ever.
#include <cstdio>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_proxy.h"

namespace linefilter::test {
namespace {

class KilledRebuilder : public RedisServerTest {
 protected:
  RedisServers Through(const RedisProxy& proxy) const {
    RedisServers through = servers_;
    through.addresses = proxy.address();
    test::SetPatience(0, &through);
    return through;
  }
  // False: he came to the end.
  bool KillAfter(size_t commands, RedisProxy::Last last, bool end_by_abandoning) {
    const std::string name = "killed" + std::to_string(commands) + (last == RedisProxy::Last::kAnswered ? "a" : "u") +
                             (end_by_abandoning ? "x" : "");
    SCOPED_TRACE(name);
    RedisFilter writer = Created(servers_, name, 1000, RedisOptions(10), {700});
    RedisFilter old_reader = Opened(servers_, name);
    std::vector<uint64_t> source = RandomHashes(300, commands);
    Insert(&writer, source);

    RedisProxy proxy(server_->port());
    const RedisServers through = Through(proxy);
    RedisFilter rebuilder = Opened(through, name);
    proxy.CutAfter(commands, last);
    Status status;
    if (end_by_abandoning) {
      status = rebuilder.BeginGeneration(2000, RedisOptions(12), {1536});
      if (status.ok()) status = rebuilder.AbandonGeneration();
    } else {
      status = Rebuild(&rebuilder, 2000, RedisOptions(12), {1536}, source);
    }
    const bool killed = proxy.was_cut();
    EXPECT_TRUE(killed || status.ok()) << status.message();

    RedisFilter new_reader = Opened(servers_, name);
    for (RedisFilter* reader : {&old_reader, &new_reader}) EXPECT_EQ(CountMissing(reader, source), 0u);
    const std::vector<uint64_t> more = RandomHashes(300, commands + 1000);
    Insert(&writer, more);
    source.insert(source.end(), more.begin(), more.end());
    for (RedisFilter* reader : {&old_reader, &new_reader}) EXPECT_EQ(CountMissing(reader, source), 0u);

    // Somebody else goes on.
    RedisInfo info;
    EXPECT_TRUE(new_reader.Info(&info).ok());
    if (info.next_generation != 0) {
      EXPECT_EQ(new_reader.BeginGeneration(1000, RedisOptions(10)).code(), StatusCode::kIncompatible);
      EXPECT_TRUE(new_reader.AbandonGeneration().ok());
    }
    EXPECT_EQ(CountMissing(&old_reader, source), 0u);
    status = Rebuild(&new_reader, 3000, RedisOptions(14), {2048}, source);
    EXPECT_TRUE(IsOk(status));
    Insert(&writer, RandomHashes(10, 1));
    EXPECT_EQ(CountMissing(&old_reader, source), 0u);
    ExpectNothingLeftOver(name, new_reader.generation());
    return killed;
  }

  // What stays for ever is the record and the shards that serve.
  void ExpectNothingLeftOver(const std::string& name, uint64_t generation) {
    const std::string id = IdOf(generation);
    RedisClient client(server_->address());
    for (const auto& key : client.Do({"KEYS", "{" + name + ":*"}).items) {
      const bool serves = key.text.find(id) != std::string::npos && key.text.find(":load") == std::string::npos;
      const bool stays = client.Integer({"PTTL", key.text}) == -1;
      EXPECT_EQ(serves, stays) << key.text;
    }
  }
};

// Who takes over a generation that was begun by halves ends that first: then all write to it.
TEST_F(KilledRebuilder, IsTakenOver) {
  const std::vector<uint64_t> before = RandomHashes(300, 1), after = RandomHashes(300, 2);
  size_t num_taken_over = 0;
  for (size_t commands = 1; commands < 40; ++commands) {
    const std::string name = "taken" + std::to_string(commands);
    RedisFilter writer = Created(servers_, name, 1000, RedisOptions(10), {700});
    RedisFilter other = Opened(servers_, name);
    Insert(&writer, before);
    RedisProxy proxy(server_->port());
    const RedisServers through = Through(proxy);
    RedisFilter rebuilder = Opened(through, name);
    proxy.CutAfter(commands, RedisProxy::Last::kAnswered);
    if (rebuilder.BeginGeneration(2000, RedisOptions(12), {1536}).ok()) break;
    // The first time it fails, on a full server: no half of a takeover is taken for a whole one.
    RedisClient client(server_->address());
    client.Do({"CONFIG", "SET", "maxmemory", "1"});
    EXPECT_FALSE(other.InsertHashesIntoNext(before.data(), before.size()).ok());
    client.Do({"CONFIG", "SET", "maxmemory", "0"});
    if (!other.InsertHashesIntoNext(before.data(), before.size()).ok()) continue;  // it was not begun at all
    ++num_taken_over;
    Insert(&writer, after);
    ASSERT_TRUE(other.SwitchGeneration().ok());
    for (RedisFilter* reader : {&writer, &other}) {
      EXPECT_EQ(CountMissing(reader, before) + CountMissing(reader, after), 0u) << commands;
    }
  }
  EXPECT_GT(num_taken_over, 3u);
}

TEST_F(KilledRebuilder, LosesNothing) {
  const struct {
    bool abandons;
    RedisProxy::Last last;
    size_t least_commands;  // two shards before, two afterwards: made, marked, kept, named, marked, filled...
  } ways[] = {{false, RedisProxy::Last::kAnswered, 30},
              {false, RedisProxy::Last::kUnanswered, 30},
              {true, RedisProxy::Last::kUnanswered, 20}};
  for (const auto& way : ways) {
    size_t commands = 1;
    while (KillAfter(commands, way.last, way.abandons)) ++commands;
    EXPECT_GT(commands, way.least_commands);
  }
}

// What no record names goes by itself. What one names serves, and whoever wants to create it, too, keeps it.
TEST_F(KilledRebuilder, ACreatorLeavesNothingForEverThatNobodyFinds) {
  RedisClient client(server_->address());
  const std::string image = ImageOf(1000, RedisOptions(10), RandomHashes(300, 1));
  for (const bool of_image : {false, true}) {
    size_t commands = 1, num_named = 0;
    for (bool killed = true; killed; ++commands) {
      SCOPED_TRACE(commands);
      client.Do({"FLUSHALL"});
      RedisProxy proxy(server_->port());
      const RedisServers through = Through(proxy);
      proxy.CutAfter(commands, RedisProxy::Last::kUnanswered);
      const auto create = [&](const RedisServers& servers, RedisFilter* filter) {
        return of_image ? filter->CreateFromImage(servers, "made", image.data(), image.size(), nullptr, {300})
                        : filter->Create(servers, "made", 1000, RedisOptions(10), {300});
      };
      RedisFilter creator, other;
      const Status status = create(through, &creator);
      killed = proxy.was_cut();
      EXPECT_EQ(status.ok(), !killed) << status.message();
      const bool is_named = client.Integer({"EXISTS", "made"}) != 0;
      const auto shards = client.Do({"KEYS", "{made:*"}).items;
      if (is_named) {
        EXPECT_EQ(create(servers_, &other).code(), StatusCode::kIncompatible);
        ASSERT_TRUE(other.Open(servers_, "made").ok());
        EXPECT_EQ(CountMissing(&other, RandomHashes(300, 1)), of_image ? 0u : 300u);
        num_named += killed ? 1 : 0;
      }
      for (const auto& shard : shards) EXPECT_EQ(client.Integer({"PTTL", shard.text}) == -1, is_named);
    }
    EXPECT_GT(num_named, 3u) << "SET NX, the times to live, PERSIST of each shard";
    EXPECT_GT(commands, 20u);
  }
}

// Who deletes, or lets expire, takes the shards first: a name that is free has none that anybody could still fill.
TEST_F(KilledRebuilder, ADeleterLeavesNoShardsBehindAFreeName) {
  RedisClient client(server_->address());
  const auto shards = [&client] { return client.Do({"KEYS", "{deleted:*"}).items; };
  size_t commands = 1;
  for (bool killed = true; killed; ++commands) {
    SCOPED_TRACE(commands);
    RedisFilter filter = Created(servers_, "deleted", 1000, RedisOptions(10), {300});
    ASSERT_TRUE(filter.BeginGeneration(1000, RedisOptions(20), {700}).ok());
    RedisProxy proxy(server_->port());
    const RedisServers through = Through(proxy);
    proxy.CutAfter(commands, RedisProxy::Last::kUnanswered);
    const Status status = RedisFilter::Delete(through, "deleted");
    killed = proxy.was_cut();
    EXPECT_TRUE(killed || status.ok()) << status.message();
    if (client.Integer({"EXISTS", "deleted"}) != 0) {
      EXPECT_TRUE(killed);
      ASSERT_TRUE(RedisFilter::Delete(servers_, "deleted").ok());
    }
    EXPECT_TRUE(shards().empty());
  }
  EXPECT_GT(commands, 8u);
}

}  // namespace
}  // namespace linefilter::test
