// A lone server that says whether it is a master, and batches that ask it: GET 0, GET 1, ..., which it answers by 0, 1,
// ...
#ifndef LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_MASTER_SERVER_H_
#define LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_MASTER_SERVER_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "tests/testing/redis_fake_server.h"

namespace linefilter::redis_internal {

inline constexpr char kMaster[] = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n";
inline constexpr char kNoCluster[] = "-ERR This instance has cluster support disabled\r\n";
inline constexpr char kReplica[] = "*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:1\r\n$9\r\nconnected\r\n:1\r\n";

// Answers GET x by x; a replica after so many ROLEs, or at the next one.
class MasterServer {
 public:
  explicit MasterServer(int masters = 1000000) : masters_(masters) {}
  // A cluster, all of whose slots another one has.
  explicit MasterServer(const MasterServer& owner)
      : masters_(0), map_("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + owner.server_.port() + "\r\n") {}
  std::string address() const { return server_.address(); }
  void SetMasters(int masters) { masters_ = masters; }
  // Promoted before the ROLE after the next one.
  void BeLate() { is_late_ = true; }
  // Closes the connection after that command, once.
  void CloseAfter(const std::string& command) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_ = command;
  }
  size_t num_commands() const { return num_commands_; }
  size_t num_roles() const { return num_roles_; }

 private:
  test::RedisFakeServer::Answer Answer(const std::string& command) {
    if (command == "CLUSTER SLOTS") return map_;
    if (command == "ROLE") ++num_roles_;
    if (command == "ROLE") return is_late_.exchange(false) || masters_-- <= 0 ? kReplica : kMaster;
    if (command.substr(0, 3) != "GET") return "+OK\r\n";
    ++num_commands_;
    test::RedisFakeServer::Answer answer("+" + command.substr(4) + "\r\n");
    const std::lock_guard<std::mutex> lock(mutex_);
    answer.closes = command == last_;
    if (answer.closes) last_.clear();
    return answer;
  }

  std::atomic<int> masters_;
  std::atomic<bool> is_late_{false};
  const std::string map_ = kNoCluster;
  std::atomic<size_t> num_commands_{0}, num_roles_{0};
  std::mutex mutex_;
  std::string last_;
  test::RedisFakeServer server_{[this](const std::string& command) { return Answer(command); }, false};
};

// GET 0, GET 1, ... of these kinds.
inline Batch Gets(const std::vector<Kind>& kinds) {
  Batch batch;
  for (const Kind kind : kinds) {
    batch.Add(KeyOf("a"), kind, 2);
    batch.Arg("GET");
    batch.Arg(uint64_t{batch.size() - 1});
  }
  return batch;
}

// GET 0, GET 1, ... with a check at the end, in pieces.
class GrowingGets final : public ReplyHandler {
 public:
  GrowingGets(size_t n, size_t piece) : n_(n), piece_(piece), texts_(n), num_told_(n) {}

  Status Run(Router* router) {
    Batch batch;
    if (!AddMore(&batch)) return router->Run(batch, this);
    return router->RunGrowing(&batch, batch.num_bytes() * n_ / batch.size(), this);
  }
  bool AddMore(Batch* batch) override {
    EXPECT_LT(batch->size(), n_) << "it said that this is all";
    const size_t end = std::min(n_, batch->size() + piece_);
    while (batch->size() < end) {
      const size_t i = batch->size();
      batch->Add(KeyOf("a"), i + 1 == n_ ? Kind::kCheck : Kind::kRead, 2);
      batch->Arg("GET");
      batch->Arg(uint64_t{i});
    }
    num_added_ = end;
    if (before_last_ && end == n_) before_last_();
    return end < n_;
  }
  // Called when the last piece is added.
  void SetBeforeLast(const std::function<void()>& call) { before_last_ = call; }
  void OnReply(size_t command, const Reply& reply) override { Tell(command, std::string(reply.text())); }
  void OnError(size_t command, const Status&) override { Tell(command, "error"); }

  void ExpectAll() const {
    ASSERT_EQ(num_added_, n_);
    for (size_t i = 0; i < n_; ++i) ASSERT_TRUE(texts_[i] == std::to_string(i) && num_told_[i] > 0) << i << texts_[i];
  }
  void ExpectNoneIsForgotten() const {
    for (size_t i = 0; i < n_; ++i) ASSERT_EQ(num_told_[i] > 0, i < num_added_) << i;
    EXPECT_NE(texts_[n_ - 1], std::to_string(n_ - 1)) << "the check did not run";
  }

 private:
  void Tell(size_t command, const std::string& text) {
    texts_[command] = text;
    ++num_told_[command];
  }

  const size_t n_, piece_;
  std::vector<std::string> texts_;
  std::vector<int> num_told_;
  size_t num_added_ = 0;
  std::function<void()> before_last_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_MASTER_SERVER_H_
