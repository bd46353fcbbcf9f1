// A cluster's map that is old, empty, partial or gone: whoever can tell a better one is asked, and the next call goes
// to the right node. And a lone server that is no master any more.
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "tests/testing/redis_fake_server.h"
#include "tests/testing/redis_hole.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"
#include "tests/testing/status.h"

namespace linefilter::redis_internal {
namespace {

using test::RedisFakeServer;
using test::RedisReplies;

std::string Bulk(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

std::string NodeOf(const std::string& port, const std::string& host) {
  return "*2\r\n" + Bulk(host) + ":" + port + "\r\n";
}

// One range of CLUSTER SLOTS. `nodes`: a master, its replicas.
std::string Range(int first, int last, const std::vector<std::string>& nodes) {
  std::string text = "*" + std::to_string(2 + nodes.size()) + "\r\n:" + std::to_string(first) +
                     "\r\n:" + std::to_string(last) + "\r\n";
  for (const std::string& node : nodes) text += node;
  return text;
}

std::string Whole(const std::string& port, const std::string& host = "127.0.0.1") {
  return "*1\r\n" + Range(0, 16383, {NodeOf(port, host)});
}

constexpr char kNoMap[] = "*0\r\n";

// A node: its map, and what it answers to all else; both may be changed.
class Node {
 public:
  explicit Node(std::string answer = "+OK\r\n") : answer_(std::move(answer)) {}
  std::string address() const { return server_.address(); }
  std::string port() const { return server_.port(); }
  int num_maps() const { return num_maps_; }
  int num_asked() const { return num_asked_; }  // else
  void SetMap(const std::string& map) {
    const std::lock_guard<std::mutex> lock(mutex_);
    map_ = map;
  }
  void SetMapPause(int ms) { map_pause_ms_ = ms; }
  void SetAnswer(const std::string& answer, bool closes = false) {
    const std::lock_guard<std::mutex> lock(mutex_);
    answer_ = answer;
    closes_ = closes;
  }

 private:
  RedisFakeServer::Answer Answer(const std::string& command) {
    if (command == "CLUSTER SLOTS") usleep(static_cast<useconds_t>(1000 * map_pause_ms_));
    const std::lock_guard<std::mutex> lock(mutex_);
    ++(command == "CLUSTER SLOTS" ? num_maps_ : num_asked_);
    RedisFakeServer::Answer answer(command == "CLUSTER SLOTS" && !closes_ ? map_ : answer_);
    answer.closes = closes_;
    return answer;
  }

  std::mutex mutex_;
  std::string map_ = kNoMap, answer_;
  bool closes_ = false;
  std::atomic<int> num_maps_{0}, num_asked_{0}, map_pause_ms_{0};
  RedisFakeServer server_{[this](const std::string& command) { return Answer(command); }, false};
};

class RedisFaultsCluster : public testing::Test {
 protected:
  Status Connect(const std::string& addresses, uint32_t patience_ms = 0) {
    servers_.addresses = addresses;
    servers_.deadlines.admin_ms = patience_ms;
    return router_.Connect(servers_);
  }
  Status Get() { return replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}); }

  RedisServers servers_ = test::PatientServers();
  Router router_;
  RedisReplies replies_;
};

// The node that had all slots dies, is silent, or somebody else has its address. One call may fail, the next goes to
// the node that has them now, which is in no map of before.
TEST_F(RedisFaultsCluster, AfterALostNodeTheNextCallHasTheNewMap) {
  const struct {
    const char* answer;
    bool closes;
  } kCases[] = {{"", true}, {"HTTP/1.1 400 Bad Request\r\n", false}, {"", false}, {"-NOAUTH no\r\n", false}};
  for (const auto& one : kCases) {
    const bool is_silent = one.answer[0] == '\0' && !one.closes;
    EXPECT_TRUE(test::HoldsAtSomeScale([&](uint32_t scale) {
      servers_.deadlines.reply_ms = is_silent ? 60 * scale : test::kLongMs;
      Node seed, owner;
      seed.SetMap(Whole(owner.port()));
      owner.SetMap(Whole(owner.port()));
      if (!Connect(seed.address()).ok() || !Get().ok()) return false;
      seed.SetMap(Whole(seed.port()));
      owner.SetMap(one.closes ? "" : one.answer);
      owner.SetAnswer(one.answer, one.closes);
      EXPECT_FALSE(Get().ok());
      return Get().ok();
    })) << one.answer
        << replies_.text(0);
  }
}

TEST_F(RedisFaultsCluster, WithPatienceTheNewOwnerIsAskedInTheSameCall) {
  for (const char* answer : {"-READONLY You can't write against a read only replica.\r\n", "-CLUSTERDOWN x\r\n"}) {
    Node seed, owner;
    seed.SetMap(Whole(owner.port()));
    owner.SetMap(Whole(owner.port()));
    ASSERT_TRUE(Connect(seed.address(), 20000).ok());
    seed.SetMap(Whole(seed.port()));
    owner.SetMap(Whole(seed.port()));
    owner.SetAnswer(answer);
    EXPECT_TRUE(test::IsOk(Get()));
  }
}

TEST_F(RedisFaultsCluster, TheFullestMapIsTaken) {
  Node fresh, partial, good;
  partial.SetMap("*1\r\n" + Range(0, 100, {NodeOf(partial.port(), "127.0.0.1")}));
  good.SetMap(Whole(good.port()));
  for (const std::string& first : {fresh.address() + "," + partial.address(), partial.address()}) {
    ASSERT_TRUE(Connect(first + "," + good.address()).ok());
    EXPECT_TRUE(test::IsOk(Get()));
  }
  // And an empty one does not replace it.
  good.SetMap(kNoMap);
  partial.SetMap(kNoMap);
  good.SetAnswer("-TRYAGAIN x\r\n");
  EXPECT_FALSE(Get().ok());
  good.SetAnswer("+OK\r\n");
  EXPECT_TRUE(test::IsOk(Get()));
}

TEST_F(RedisFaultsCluster, AReplicaTellsTheMapWhenItsMasterIsGone) {
  Node master, replica;
  master.SetMap("*1\r\n" + Range(0, 16383, {NodeOf(master.port(), "127.0.0.1"), NodeOf(replica.port(), "127.0.0.1")}));
  replica.SetMap(Whole(replica.port()));
  ASSERT_TRUE(Connect(master.address()).ok());
  master.SetAnswer("", true);
  EXPECT_FALSE(Get().ok());
  EXPECT_TRUE(test::IsOk(Get()));
}

TEST_F(RedisFaultsCluster, ANodeThatDoesNotKnowItsOwnHostHasTheOneThatWasAsked) {
  for (const char* host : {"", "?"}) {
    Node node;
    node.SetMap(Whole(node.port(), host));
    ASSERT_TRUE(Connect(node.address()).ok());
    EXPECT_TRUE(test::IsOk(Get()));
  }
}

TEST_F(RedisFaultsCluster, AHostThatIsNoneIsRefused) {
  Node node;
  node.SetMap(Whole(node.port(), "a\x1b[31m\nb"));
  EXPECT_EQ(Connect(node.address()).code(), StatusCode::kIoError);
}

// Who has left is not asked for the map any more, and nobody waits for him.
TEST_F(RedisFaultsCluster, NodesThatHaveLeftAreForgotten) {
  Node stays, leaves;
  stays.SetMap("*2\r\n" + Range(0, 8191, {NodeOf(leaves.port(), "127.0.0.1")}) +
               Range(8192, 16383, {NodeOf(stays.port(), "127.0.0.1")}));
  leaves.SetMap(Whole(stays.port()));
  ASSERT_TRUE(Connect(stays.address()).ok());
  EXPECT_TRUE(replies_.Run(&router_, "b", Kind::kRead, {"GET", "b"}).ok()) << "slot 3300";
  stays.SetMap(Whole(stays.port()));
  int num_maps = 0;
  for (int round = 0; round < 6; ++round) {
    if (round == 2) num_maps = leaves.num_maps();
    stays.SetAnswer("-TRYAGAIN x\r\n");
    EXPECT_FALSE(Get().ok());
    stays.SetAnswer("+OK\r\n");
    EXPECT_TRUE(Get().ok());
  }
  EXPECT_EQ(leaves.num_maps(), num_maps);
}

// Two silent nodes and one that answers: each command has what its own node did.
TEST_F(RedisFaultsCluster, EachNodesFailureIsItsOwn) {
  Node good, silent, loading("-LOADING x\r\n");
  silent.SetAnswer("");
  good.SetMap("*3\r\n" + Range(0, 5460, {NodeOf(silent.port(), "127.0.0.1")}) +
              Range(5461, 10922, {NodeOf(loading.port(), "127.0.0.1")}) +
              Range(10923, 16383, {NodeOf(good.port(), "127.0.0.1")}));
  servers_.addresses = good.address();
  servers_.deadlines.admin_ms = 0;
  Batch batch;
  for (const char* key : {"b", "c", "a"}) {  // slots 3300, 7365, 15495
    batch.Add(KeyOf(key), Kind::kRead, 2);
    batch.Arg("GET");
    batch.Arg(key);
  }
  (void)test::HoldsAtSomeScale([&](uint32_t scale) {
    servers_.deadlines.reply_ms = 60 * scale;
    EXPECT_TRUE(test::ConnectInTheEnd(&router_, servers_));
    EXPECT_EQ(replies_.Run(&router_, batch).code(), StatusCode::kUnavailable);
    return replies_.code(2) == StatusCode::kOk && replies_.text(1).find("did not answer") == std::string::npos;
  });
  EXPECT_NE(replies_.text(0).find(silent.address() + " did not answer"), std::string::npos) << replies_.text(0);
  EXPECT_NE(replies_.text(1).find(loading.address() + " is still starting"), std::string::npos) << replies_.text(1);
  EXPECT_EQ(replies_.text(2), "OK");
}

// Who is gone is asked once, who cannot answer now is waited for once, however many batches a call has.
TEST_F(RedisFaultsCluster, ACallHasOnePatience) {
  for (const bool is_gone : {true, false}) {
    Node good, bad("-TRYAGAIN x\r\n");
    for (Node* node : {&good, &bad}) {
      node->SetMap("*2\r\n" + Range(0, 10922, {NodeOf(bad.port(), "127.0.0.1")}) +
                   Range(10923, 16383, {NodeOf(good.port(), "127.0.0.1")}));
    }
    ASSERT_TRUE(Connect(good.address(), is_gone ? 0 : 100).ok());
    servers_.deadlines.reply_ms = servers_.deadlines.connect_ms = 20000;  // nobody is silent here
    ASSERT_TRUE(router_.Connect(servers_).ok());
    if (is_gone) bad.SetAnswer("", true);
    Batch batch;
    for (const char* key : {"b", "a"}) {  // slots 3300, 15495
      batch.Add(KeyOf(key), Kind::kRead, 2);
      batch.Arg("GET");
      batch.Arg(key);
    }
    int num_asked = 0;
    {
      const Router::Call call(&router_, Router::Call::kFill, 0);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(replies_.Run(&router_, batch).code(), StatusCode::kUnavailable);
        EXPECT_EQ(replies_.text(1), "OK");
        if (i == 0) num_asked = bad.num_asked();
        EXPECT_EQ(bad.num_asked(), num_asked + (is_gone ? 0 : i));
      }
    }
    num_asked = bad.num_asked();
    EXPECT_EQ(replies_.Run(&router_, batch).code(), StatusCode::kUnavailable) << "the next call";
    EXPECT_GT(bad.num_asked(), num_asked);
    bad.SetAnswer("+OK\r\n");
    EXPECT_TRUE(replies_.Run(&router_, batch).ok());
  }
}

// A connection that stays open knows when an earlier call ended, which says nothing of the map that is asked for now.
TEST_F(RedisFaultsCluster, TheDeadlineOfAnEarlierCallIsForgotten) {
  Node good, bad;
  for (Node* node : {&good, &bad}) {
    node->SetMap("*2\r\n" + Range(0, 10922, {NodeOf(bad.port(), "127.0.0.1")}) +
                 Range(10923, 16383, {NodeOf(good.port(), "127.0.0.1")}));
  }
  ASSERT_TRUE(Connect(good.address()).ok());
  Batch batch;
  for (const char* key : {"b", "a"}) {  // slots 3300, 15495
    batch.Add(KeyOf(key), Kind::kRead, 2);
    batch.Arg("GET");
    batch.Arg(key);
  }
  ASSERT_TRUE(replies_.Run(&router_, batch).ok());
  bad.SetAnswer("", true);
  {
    const Router::Call call(&router_, Router::Call::kAdmin, 500);
    EXPECT_EQ(replies_.Run(&router_, batch).code(), StatusCode::kUnavailable);
  }
  usleep(600000);
  good.SetMapPause(30);
  EXPECT_EQ(replies_.Run(&router_, batch).code(), StatusCode::kUnavailable) << "first it asks for the map again";
  EXPECT_EQ(replies_.text(1), "OK");
  for (const auto& breaker : router_.breakers()) {
    if (breaker->server() != good.address()) continue;
    EXPECT_EQ(breaker->num_failures(), 0u) << breaker->why();
  }
}

// It tells its map all the while, which is no success: nothing that was asked is answered.
TEST_F(RedisFaultsCluster, ANodeThatTellsItsMapAloneIsNotAskedAgainAndAgain) {
  Node node;
  node.SetMap(Whole(node.port()));
  servers_.deadlines.pause_ms = 60000;
  ASSERT_TRUE(Connect(node.address(), test::kLongMs).ok());
  node.SetAnswer("-CLUSTERDOWN Hash slot not served\r\n");
  const Router::Call call(&router_, Router::Call::kRequest, 0);
  EXPECT_EQ(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).code(), StatusCode::kUnavailable);
  ASSERT_EQ(router_.breakers().size(), 1u);
  EXPECT_TRUE(router_.breakers()[0]->is_open());
  EXPECT_EQ(router_.breakers()[0]->num_failures(), 3u);
}

TEST_F(RedisFaultsCluster, NobodyIsToldOfServersThatLeftTheCluster) {
  Node seed, one, two;
  for (Node* node : {&seed, &one, &two}) node->SetMap(Whole(one.port()));
  ASSERT_TRUE(Connect(seed.address(), test::kLongMs).ok());
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  for (Node* node : {&seed, &one, &two}) node->SetMap(Whole(two.port()));
  one.SetAnswer("-MOVED 15495 127.0.0.1:" + two.port() + "\r\n");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  std::set<std::string> known;
  for (const auto& breaker : router_.breakers()) known.insert(breaker->server());
  EXPECT_EQ(known, (std::set<std::string>{seed.address(), two.address()}));
}

TEST_F(RedisFaultsCluster, ACircleOfRedirectsIsAnError) {
  Node one, two;
  one.SetMap(Whole(one.port()));
  two.SetMap(Whole(two.port()));
  ASSERT_TRUE(Connect(one.address(), 50).ok());
  one.SetAnswer("-MOVED 15495 127.0.0.1:" + two.port() + "\r\n");
  two.SetAnswer("-MOVED 15495 127.0.0.1:" + one.port() + "\r\n");
  for (const Router::Call::Kind kind : {Router::Call::kAdmin, Router::Call::kRequest}) {
    servers_.deadlines.request_ms = 50;
    ASSERT_TRUE(router_.Connect(servers_).ok());
    const Router::Call call(&router_, kind, 0);
    EXPECT_TRUE(test::Says(StatusCode::kUnavailable, replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}),
                           "keep sending us from one to another"));
  }
}

TEST_F(RedisFaultsCluster, ManyUnreachableNodesTakeNoMoreTimeThanThereIs) {
  constexpr int kHoles = 30;
  const test::RedisHole hole;
  Node good, other;
  std::string map = "*" + std::to_string(kHoles + 2) + "\r\n" +
                    Range(100 * kHoles, 10000, {NodeOf(good.port(), "127.0.0.1")}) +
                    Range(10001, 16383, {NodeOf(other.port(), "127.0.0.1")});
  for (int i = 0; i < kHoles; ++i) {
    map += Range(100 * i, 100 * i + 99, {NodeOf(hole.port(), "127.0.1." + std::to_string(i + 1))});
  }
  good.SetMap(map);
  servers_.deadlines.connect_ms = 300;
  ASSERT_TRUE(Connect(good.address()).ok());
  Batch batch;
  std::vector<bool> is_good;
  for (int i = 0; i < 500; ++i) {
    const RedisKey key = KeyOf("k" + std::to_string(i));
    is_good.push_back(key.slot >= 100 * kHoles);
    batch.Add(key, Kind::kRead, 2);
    batch.Arg("GET");
    batch.Arg(key.name);
  }
  EXPECT_EQ(replies_.Run(&router_, batch).code(), StatusCode::kUnavailable);
  std::set<std::string> tried;
  for (size_t i = 0; i < is_good.size(); ++i) {
    if (!is_good[i] && replies_.text(i).find("no time is left") == std::string::npos) tried.insert(replies_.text(i));
  }
  EXPECT_LE(tried.size(), 3u);
  EXPECT_EQ(replies_.Run(&router_, batch).code(), StatusCode::kUnavailable);
  // On a stalled machine there may have been no time for anybody: then both calls are made anew.
  const auto is_late = [&] {
    for (size_t i = 0; i < is_good.size(); ++i) {
      if (is_good[i] && replies_.code(i) != StatusCode::kOk) return true;
    }
    return false;
  };
  for (int round = 0; round < 20 && is_late(); ++round) {
    ASSERT_TRUE(Connect(good.address()).ok());
    for (int i = 0; i < 2; ++i) (void)replies_.Run(&router_, batch).ok();
  }
  for (size_t i = 0; i < is_good.size(); ++i) {  // at the second time who can be reached comes first
    EXPECT_EQ(replies_.code(i), is_good[i] ? StatusCode::kOk : StatusCode::kUnavailable) << i;
  }
}

}  // namespace
}  // namespace linefilter::redis_internal
