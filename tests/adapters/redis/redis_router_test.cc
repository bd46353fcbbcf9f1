// Batches of commands against one server: each command has exactly one answer, in order, whatever becomes of the
// handler, the process or the router.
#include "tests/adapters/redis/redis_router_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>
#include <utility>

#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {
namespace {

TEST_F(RedisRouter, AnswersInOrderWithEveryKindOfReply) {
  ASSERT_TRUE(Connect().ok());
  EXPECT_FALSE(router_.is_cluster());
  EXPECT_EQ(router_.num_masters(), 1u);
  const RedisKey key = KeyOf("a");
  batch_.Add(key, Kind::kRead, 2);
  batch_.Arg("GET");
  batch_.Arg(key.name);
  batch_.Add(key, Kind::kWrite, 4);
  batch_.Arg("SETRANGE");
  batch_.Arg(key.name);
  batch_.Arg(3);
  batch_.Arg(std::string_view("x\0\r\ny", 5));
  batch_.AddGetRange(key, Kind::kRead, 2, 6);
  batch_.AddGetRange(key, Kind::kRead, 3, 1);
  batch_.Add(key, Kind::kWrite, 8);
  for (const char* word : {"BITFIELD", "a", "SET", "u1", "7", "1", "GET", "u64"}) batch_.Arg(word);
  batch_.Add(key, Kind::kWrite, 9);
  for (const char* word : {"BITFIELD", "a", "SET", "u1", "7", "1", "GET", "i64"}) batch_.Arg(word);
  batch_.Arg(uint64_t{0});
  batch_.Add(key, Kind::kRead, 5);
  for (const char* word : {"EVAL", "return {1,'two',{3,{}},false,-4}", "1", "a", ""}) batch_.Arg(word);
  batch_.Add(key, Kind::kCheck, 2);
  batch_.Arg("STRLEN");
  batch_.Arg(key.name);
  const Status status = replies_.Run(&router_, batch_);
  EXPECT_EQ(replies_.text(0), "nil");
  EXPECT_EQ(replies_.text(1), "8");
  EXPECT_EQ(replies_.text(2), std::string("\0x\0\r\ny", 6));
  EXPECT_EQ(replies_.text(3), "x");
  EXPECT_EQ(replies_.code(4), StatusCode::kIoError) << replies_.text(4);  // a word is missing
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_STREQ(status.message(), replies_.text(4).c_str());
  EXPECT_EQ(replies_.text(5), "[0 72058109434858105]");
  EXPECT_EQ(replies_.text(6), "[1 two [3 []] nil -4]");
  EXPECT_EQ(replies_.text(7), "8");
}

TEST_F(RedisRouter, RunsHugeBatches) {
  ASSERT_TRUE(Connect().ok());
  const RedisKey key = KeyOf("a");
  constexpr int kCommands = 50000;
  for (int i = 0; i < kCommands; ++i) {
    batch_.Add(key, Kind::kWrite, 2);
    batch_.Arg("INCR");
    batch_.Arg(key.name);
  }
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  for (int i = 0; i < kCommands; ++i) ASSERT_EQ(replies_.text(static_cast<size_t>(i)), std::to_string(i + 1));
  batch_.Clear();
  EXPECT_EQ(batch_.size(), 0u);
  EXPECT_TRUE(replies_.Run(&router_, batch_).ok());
}

TEST_F(RedisRouter, CarriesLargeStringsBothWays) {
  ASSERT_TRUE(Connect().ok());
  const RedisKey key = KeyOf("a");
  std::string large(20 << 20, 'x');
  for (size_t i = 0; i < large.size(); i += 4093) large[i] = static_cast<char>(i);
  for (int i = 0; i < 3; ++i) {
    batch_.Add(key, Kind::kWrite, 3);
    batch_.Arg("SET");
    batch_.Arg(key.name);
    batch_.Arg(large);
    batch_.Add(key, Kind::kRead, 2, kMostStringBytes);
    batch_.Arg("GET");
    batch_.Arg(key.name);
  }
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  for (size_t i = 1; i < 6; i += 2) EXPECT_TRUE(replies_.text(i) == large);
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GETRANGE", "a", "0", "4"}).ok());
  EXPECT_EQ(replies_.text(0), large.substr(0, 5));
}

TEST_F(RedisRouter, AFullServerIsOverItsLimitAndOthersCommandsRun) {
  RedisServerOptions options;
  options.max_memory = 8 << 20;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  ASSERT_TRUE(router_.Connect(PatientServers(server.address())).ok());
  const std::string mebibyte(1 << 20, 'x');
  const RedisKey small = KeyOf("small");
  for (int i = 0; i < 20; ++i) {
    const RedisKey key = KeyOf("k" + std::to_string(i));
    batch_.Add(key, Kind::kWrite, 3);
    batch_.Arg("SET");
    batch_.Arg(key.name);
    batch_.Arg(mebibyte);
  }
  batch_.Add(small, Kind::kRead, 2);
  batch_.Arg("STRLEN");
  batch_.Arg("k0");
  const Status status = replies_.Run(&router_, batch_);
  EXPECT_EQ(status.code(), StatusCode::kOverLimit);
  EXPECT_NE(std::string(status.message()).find("maxmemory"), std::string::npos) << status.message();
  EXPECT_EQ(replies_.code(0), StatusCode::kOk);
  EXPECT_EQ(replies_.code(19), StatusCode::kOverLimit);
  EXPECT_EQ(replies_.text(20), "1048576");
}

TEST_F(RedisRouter, AForeignKeyIsIncompatible) {
  RedisClient(Shared().address()).Do({"LPUSH", "list", "x"});
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(replies_.Run(&router_, "list", Kind::kRead, {"GETRANGE", "list", "0", "9"}).code(),
            StatusCode::kIncompatible);
}

// A handler that throws at the n-th answer, as one may that allocates.
class Thrower final : public ReplyHandler {
 public:
  void OnReply(size_t command, const Reply&) override {
    if (command == 3) throw std::runtime_error("no memory");
  }
  void OnError(size_t, const Status&) override {}
};

TEST_F(RedisRouter, IsUsableAfterAnExceptionOfTheHandler) {
  ASSERT_TRUE(Connect().ok());
  for (int i = 0; i < 10; ++i) {
    batch_.Add(KeyOf("a"), Kind::kRead, 2);
    batch_.Arg("ECHO");
    batch_.Arg(i);
  }
  Thrower thrower;
  EXPECT_THROW((void)router_.Run(batch_, &thrower), std::runtime_error);
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(replies_.text(i), std::to_string(i));
}

// Two processes on one connection would read each other's replies.
TEST_F(RedisRouter, AChildHasConnectionsOfItsOwn) {
  ASSERT_TRUE(Connect().ok());
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "1"}).ok());
  const uint64_t connections = router_.num_connections();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_right = replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok() && replies_.text(0) == "1";
    _exit(is_right && router_.num_connections() > connections ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  EXPECT_EQ(router_.num_connections(), connections);
}

TEST_F(RedisRouter, CanBeMoved) {
  ASSERT_TRUE(Connect().ok());
  Router other = std::move(router_);
  EXPECT_TRUE(replies_.Run(&other, "a", Kind::kRead, {"GET", "a"}).ok());
  router_ = std::move(other);
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
}

}  // namespace
}  // namespace linefilter::redis_internal
