// The answers to a batch, kept; and that each command gets exactly one.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_REPLIES_H_
#define LINEFILTER_TESTS_TESTING_REDIS_REPLIES_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/status.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {

// A reply as text: "nil", "7", "text", "[1 2 nil]".
inline std::string TextOf(const redis_internal::Reply& reply) {
  if (reply.is_nil()) return "nil";
  if (reply.is_integer()) return std::to_string(reply.integer());
  if (!reply.is_array()) return std::string(reply.text());
  std::string text = "[";
  for (size_t i = 0; i < reply.size(); ++i) text += (i == 0 ? "" : " ") + TextOf(reply[i]);
  return text + "]";
}

// With a short time-out, which may be over before a server that would answer at once has its turn.
inline bool ConnectInTheEnd(redis_internal::Router* router, const RedisServers& servers) {
  return WaitUntil([&] { return router->Connect(servers).ok(); });
}

class RedisReplies final : public redis_internal::ReplyHandler {
 public:
  // Runs the batch. The first error, or ok.
  Status Run(redis_internal::Router* router, const redis_internal::Batch& batch) {
    texts_.assign(batch.size(), "");
    codes_.assign(batch.size(), StatusCode::kOk);
    counts_.assign(batch.size(), 0);
    const uint64_t connections = router->num_connections();
    const Status status = router->Run(batch, this);
    for (size_t i = 0; i < batch.size(); ++i) {
      EXPECT_GE(counts_[i], 1) << "answers to command " << i;
      if (router->is_cluster() || router->num_connections() == connections) {
        EXPECT_EQ(counts_[i], 1) << "answers to command " << i;
      }
    }
    return status;
  }
  // One command.
  Status Run(redis_internal::Router* router, const std::string& key, redis_internal::Kind kind,
             std::initializer_list<std::string_view> words) {
    redis_internal::Batch batch;
    batch.Add(redis_internal::KeyOf(key), kind, words);
    return Run(router, batch);
  }

  const std::string& text(size_t i) const { return texts_[i]; }  // of an error its sentence
  StatusCode code(size_t i) const { return codes_[i]; }

  void OnReply(size_t command, const redis_internal::Reply& reply) override {
    ++counts_[command];
    texts_[command] = TextOf(reply);
    codes_[command] = StatusCode::kOk;
  }
  void OnError(size_t command, const Status& status) override {
    ++counts_[command];
    EXPECT_FALSE(status.ok());
    texts_[command] = status.message();
    codes_[command] = status.code();
  }

 private:
  std::vector<std::string> texts_;
  std::vector<StatusCode> codes_;
  std::vector<int> counts_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_REPLIES_H_
