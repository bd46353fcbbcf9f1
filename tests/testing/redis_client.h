// A connection of a test to a server of Redis, by hiredis: a command in, its reply out. What the library does is looked
// at with it, and servers are told what to do; it shares nothing with the library's own connections.
//
//   RedisClient client(server);
//   EXPECT_EQ(client.Text({"GET", "name"}), "...");
#ifndef LINEFILTER_TESTS_TESTING_REDIS_CLIENT_H_
#define LINEFILTER_TESTS_TESTING_REDIS_CLIENT_H_

#include <cstdint>
#include <string>
#include <vector>

struct redisContext;

namespace linefilter::test {

struct RedisReply {
  enum class Kind {
    kLost,
    kError,
    kNil,
    kText,
    kInteger,
    kList
  };  // kLost: no connection, or it broke; `text` says how
  Kind kind = Kind::kLost;
  std::string text;  // of a status, a string or an error
  int64_t integer = 0;
  std::vector<RedisReply> items;

  bool ok() const { return kind != Kind::kLost && kind != Kind::kError; }
};

class RedisClient {
 public:
  // host:port or unix:/path. Connects when first asked, and anew after the connection was lost; waits a minute for a
  // reply.
  explicit RedisClient(std::string address, std::string password = "");
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;
  ~RedisClient();

  RedisReply Ask(const std::vector<std::string>& words);
  // The same, where an error is a failure of the test.
  RedisReply Do(const std::vector<std::string>& words);
  std::string Text(const std::vector<std::string>& words) { return Do(words).text; }
  int64_t Integer(const std::vector<std::string>& words) { return Do(words).integer; }
  // The value of a line `name:value` of INFO or CLUSTER INFO; empty where there is none. Does not fail.
  std::string Fact(const std::vector<std::string>& words, const std::string& name);

 private:
  bool Connect(std::string* why);

  const std::string address_, password_;
  redisContext* context_ = nullptr;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_CLIENT_H_
