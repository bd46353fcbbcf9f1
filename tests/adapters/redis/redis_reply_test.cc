// Replies of Redis are read out of whatever bytes come: whole ones, pieces, and what is no reply at all. And what an
// error reply means.
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/wire/failure.h"
#include "lib/adapters/redis/wire/reply_parser.h"
#include "lib/adapters/redis/wire/slot.h"
#include "linefilter/status.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_replies.h"

namespace linefilter::redis_internal {
namespace {

using Result = ReplyParser::Result;

// Asks with a copy of just these bytes, so that a sanitizer sees a read beyond.
Result Parse(ReplyParser* parser, std::string_view bytes, size_t* used) {
  static std::vector<char> copy;
  copy.assign(bytes.begin(), bytes.end());
  copy.shrink_to_fit();
  return parser->Parse({copy.data(), copy.size()}, {}, used);
}

TEST(RedisReply, OfEveryKindIsRead) {
  const struct {
    std::string_view bytes, text;
  } kCases[] = {
      {"+OK\r\n", "OK"},
      {"+\r\n", ""},
      {"-ERR no\r\n", "ERR no"},
      {":0\r\n", "0"},
      {":-1\r\n", "-1"},
      {":9223372036854775807\r\n", "9223372036854775807"},
      {":-9223372036854775808\r\n", "-9223372036854775808"},
      {"$-1\r\n", "nil"},
      {"*-1\r\n", "nil"},
      {"$0\r\n\r\n", ""},
      {"$3\r\na\r\n\r\n", "a\r\n"},
      {"*0\r\n", "[]"},
      {"*3\r\n:1\r\n$-1\r\n:0\r\n", "[1 nil 0]"},
      {"*2\r\n*2\r\n:1\r\n*1\r\n+a\r\n*2\r\n:2\r\n$1\r\nb\r\n", "[[1 [a]] [2 b]]"},
      {"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "[[[[[[[[1]]]]]]]]"},
  };
  ReplyParser parser;
  for (const auto& one : kCases) {
    size_t used = 0;
    for (size_t size = 0; size < one.bytes.size(); ++size) {
      ASSERT_EQ(Parse(&parser, one.bytes.substr(0, size), &used), Result::kMore) << one.text << " up to " << size;
    }
    const std::string more = std::string(one.bytes) + "+next\r\n";
    ASSERT_EQ(parser.Parse(more, {}, &used), Result::kReply) << one.text;
    EXPECT_EQ(used, one.bytes.size());
    EXPECT_EQ(test::TextOf(parser.reply()), one.text);
    EXPECT_EQ(parser.reply().type() == Reply::Type::kError, one.bytes[0] == '-');
  }
}

TEST(RedisReply, WhatIsNoneIsGarbage) {
  ReplyParser parser;
  for (const std::string_view bytes : {"HTTP/1.1 400 Bad Request\r\n",
                                       "\r\n",
                                       "\x15\x03\x01",
                                       "$x\r\n",
                                       "$\r\n",
                                       "$-2\r\n",
                                       "$3\r\nabcde",
                                       ":\r\n",
                                       ":-\r\n",
                                       ":1x\r\n",
                                       ":1\rx",
                                       ":9223372036854775808\r\n",
                                       ":-9223372036854775809\r\n",
                                       ":99999999999999999999\r\n",
                                       "$536870913\r\n",
                                       "*-2\r\n",
                                       "*1048577\r\n",
                                       "*9999999999\r\n",
                                       "*2\r\n:1\r\nx",
                                       "+O\rK\r\n",
                                       "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"}) {
    size_t used = 0;
    EXPECT_EQ(Parse(&parser, bytes, &used), Result::kGarbage) << bytes;
  }
  size_t used = 0;
  EXPECT_EQ(parser.Parse("+" + std::string(70000, 'x'), {}, &used), Result::kGarbage) << "a line without an end";
  EXPECT_EQ(parser.Parse("+OK\r\n", {}, &used), Result::kReply) << "the parser is as good as before";
}

// GETRANGE of 64 bytes has no longer answer, however large the server says that it is.
TEST(RedisReply, LongerThanTheCommandsCanBeIsGarbage) {
  ReplyParser parser;
  ReplyParser::Limits limits;
  limits.bytes = 3;
  limits.elements = 4;  // with the outermost
  size_t used = 0;
  EXPECT_EQ(parser.Parse("$3\r\nabc\r\n", limits, &used), Result::kReply);
  EXPECT_EQ(parser.Parse("$4\r\n", limits, &used), Result::kGarbage);
  EXPECT_EQ(parser.Parse("*3\r\n:1\r\n:1\r\n:1\r\n", limits, &used), Result::kReply);
  EXPECT_EQ(parser.Parse("*4\r\n", limits, &used), Result::kGarbage);
  EXPECT_EQ(parser.Parse("*2\r\n*2\r\n", limits, &used), Result::kGarbage);
  EXPECT_EQ(parser.Parse("*1\r\n$4\r\n", limits, &used), Result::kGarbage);
  EXPECT_EQ(Batch().size(), 0u);
  Batch batch;
  batch.AddGetRange(KeyOf("a"), Kind::kRead, 5, 64);
  EXPECT_EQ(batch.most_bytes(0), 64u);
}

// Nor has a list, though each of its strings would be short enough: what comes without an end is not collected.
TEST(RedisReply, LongerAsAWholeThanTheCommandsCanBeIsGarbage) {
  ReplyParser::Limits limits;
  limits.bytes = 1000;
  std::string bytes = "*100000\r\n";
  const std::string element = "$1000\r\n" + std::string(1000, 'x') + "\r\n";
  ReplyParser parser;
  Result result = Result::kMore;
  size_t used = 0, count = 0;
  while (result == Result::kMore && count < 100000) {
    bytes += element;
    ++count;
    result = parser.Parse(bytes, limits, &used);
  }
  EXPECT_EQ(result, Result::kGarbage);
  EXPECT_LT(bytes.size(), limits.bytes + ReplyParser::kMostLineBytes + 2 * element.size());
  bytes = "*200\r\n";  // a whole one
  for (int i = 0; i < 200; ++i) bytes += element;
  EXPECT_EQ(parser.Parse(bytes, limits, &used), Result::kGarbage);
  EXPECT_EQ(parser.Parse("-" + std::string(60000, 'x') + "\r\n", limits, &used), Result::kReply) << "an error";
}

TEST(RedisReply, HasTheLimitOfItsCommand) {
  Batch batch;
  batch.Add(KeyOf("a"), Kind::kRead, 2);
  batch.Add(KeyOf("a"), Kind::kWrite, 6, 0);
  batch.AddScript(KeyOf("a"), Kind::kWrite, "return 1", {});
  EXPECT_EQ(batch.most_bytes(0), uint32_t{1} << 20);
  EXPECT_EQ(batch.most_bytes(1), 0u);
  EXPECT_EQ(batch.most_bytes(2), 64u);
}

// What was read is not read again: the bytes that were are changed meanwhile.
TEST(RedisReply, GoesOnWhereItStopped) {
  ReplyParser parser;
  size_t used = 0;
  EXPECT_EQ(parser.Parse("*3\r\n:1\r\n*1\r\n", {}, &used), Result::kMore);
  EXPECT_EQ(parser.Parse("xxxxxxxxxxxx:2\r\n$1\r\n", {}, &used), Result::kMore);
  EXPECT_EQ(parser.Parse("xxxxxxxxxxxxxxxx$1\r\na\r\n", {}, &used), Result::kReply);
  EXPECT_EQ(test::TextOf(parser.reply()), "[1 [2] a]");
  EXPECT_EQ(used, 23u);
  EXPECT_EQ(parser.Parse("*2\r\n:1\r\n", {}, &used), Result::kMore);
  parser.Reset();
  EXPECT_EQ(parser.Parse(":7\r\n", {}, &used), Result::kReply) << "of another connection";
}

TEST(RedisReply, OfAnotherTypeHasNoNumberAndNoText) {
  ReplyParser parser;
  for (const char* bytes : {"*0\r\n", "*1\r\n:5\r\n", "$1\r\n5\r\n", "$-1\r\n", "+5\r\n"}) {
    size_t used = 0;
    ASSERT_EQ(parser.Parse(bytes, {}, &used), Result::kReply);
    EXPECT_EQ(parser.reply().integer(), 0) << bytes;
    EXPECT_EQ(parser.reply().size(), bytes[0] == '*' ? static_cast<size_t>(bytes[1] - '0') : 0) << bytes;
    EXPECT_EQ(parser.reply().text().empty(), bytes[1] == '-' || bytes[0] == '*') << bytes;
  }
}

TEST(RedisReply, RandomBytesAreReadWithinTheirEnd) {
  ReplyParser parser;
  test::Random random(1);
  constexpr char kUsual[] = "*$:+-0123456789\r\n\r\n\r\nab";
  for (int i = 0; i < 200000; ++i) {
    std::string bytes;
    for (uint64_t size = random() % 30; size > 0; --size) {
      const uint64_t r = random();
      bytes.push_back(r % 16 == 0 ? static_cast<char>(r >> 8) : kUsual[(r >> 8) % (sizeof(kUsual) - 1)]);
    }
    size_t used = 0;
    parser.Reset();
    if (Parse(&parser, bytes, &used) == Result::kReply) {
      ASSERT_GT(used, 0u);
      ASSERT_LE(used, bytes.size());
      (void)test::TextOf(parser.reply());
    }
  }
}

TEST(RedisFailure, AnErrorReplyHasItsCodeAndVerdict) {
  const struct {
    const char* text;
    Verdict verdict;
    StatusCode code;
  } kCases[] = {
      {"ERR Error running script (call to f_0123): @user_script:2: @user_script: 2: -OOM command not allowed when used "
       "memory > 'maxmemory'.",
       Verdict::kFinal, StatusCode::kOverLimit},
      {"ERR Error running script (call to f_0123): @user_script:2: @user_script: 2: -READONLY You can't write against "
       "a "
       "read only replica.",
       Verdict::kReplica, StatusCode::kUnavailable},
      {"ERR Error running script (call to f_0123): @user_script:1: user_script:1: no command", Verdict::kFinal,
       StatusCode::kIoError},
      {"TRYAGAIN Multiple keys request during rehashing of slot", Verdict::kRetry, StatusCode::kUnavailable},
      {"CLUSTERDOWN The cluster is down", Verdict::kRetry, StatusCode::kUnavailable},
      {"CLUSTERDOWN Hash slot not served", Verdict::kRetry, StatusCode::kUnavailable},
      {"LOADING Redis is loading the dataset in memory", Verdict::kRetry, StatusCode::kUnavailable},
      {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", Verdict::kRetry,
       StatusCode::kUnavailable},
      {"BUSY Redis is busy running a script.", Verdict::kRetry, StatusCode::kUnavailable},
      {"NOREPLICAS Not enough good replicas to write.", Verdict::kRetry, StatusCode::kUnavailable},
      {"ERR max number of clients reached", Verdict::kRetry, StatusCode::kUnavailable},
      {"READONLY You can't write against a read only replica.", Verdict::kReplica, StatusCode::kUnavailable},
      {"NOAUTH Authentication required.", Verdict::kFinal, StatusCode::kInvalidArgument},
      {"NOPERM this user has no permissions to run the 'set' command", Verdict::kFinal, StatusCode::kInvalidArgument},
      {"DENIED Redis is running in protected mode because ...", Verdict::kFinal, StatusCode::kInvalidArgument},
      {"OOM command not allowed when used memory > 'maxmemory'.", Verdict::kFinal, StatusCode::kOverLimit},
      {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to", Verdict::kFinal,
       StatusCode::kIoError},
      {"WRONGTYPE Operation against a key holding the wrong kind of value", Verdict::kFinal, StatusCode::kIncompatible},
      {"ERR unknown command 'BITFIELD_RO', with args beginning with: ", Verdict::kFinal, StatusCode::kUnsupported},
      {"ERR something else", Verdict::kFinal, StatusCode::kIoError},
      {"", Verdict::kFinal, StatusCode::kIoError},
  };
  for (const auto& one : kCases) {
    const Failure failure = JudgeError(one.text, "10.0.0.1:6379");
    EXPECT_EQ(failure.verdict, one.verdict) << one.text;
    EXPECT_EQ(failure.status.code(), one.code) << one.text;
    EXPECT_NE(std::string(failure.status.message()).find("10.0.0.1:6379"), std::string::npos)
        << failure.status.message();
  }
  EXPECT_EQ(JudgeError("MOVED 1 a:1", "s").verdict, Verdict::kMoved);
  EXPECT_EQ(JudgeError("ASK 1 a:1", "s").verdict, Verdict::kAsk);
}

// A server whose AUTH was renamed says the password in its error.
TEST(RedisFailure, NoWordOfTheReplyToAuthIsShown) {
  const struct {
    const char* text;
    Verdict verdict;
    const char* hint;
  } kCases[] = {
      {"WRONGPASS invalid pw", Verdict::kFinal, "RedisServers::user and password"},
      {"ERR invalid password pw", Verdict::kFinal, "RedisServers::user and password"},
      {"ERR AUTH <pw> called without any password configured", Verdict::kFinal, "leave out RedisServers::password"},
      {"ERR Client sent AUTH pw, but no password is set", Verdict::kFinal, "leave out RedisServers::password"},
      {"ERR unknown command `AUTH`, with args beginning with: `pw`", Verdict::kFinal, "does not know AUTH"},
      {"ERR wrong number of arguments for 'auth' pw", Verdict::kFinal, "leave out RedisServers::user"},
      {"LOADING pw", Verdict::kRetry, "starting"},
      {"ERR max number of clients pw", Verdict::kRetry, "too many clients"},
      {"READONLY pw", Verdict::kFinal, "does not take AUTH"},
      {"ERR pw", Verdict::kFinal, "does not take AUTH"},
  };
  for (const auto& one : kCases) {
    const Failure failure = JudgeAuthError(one.text, "10.0.0.1:6379");
    const std::string message = failure.status.message();
    EXPECT_EQ(failure.verdict, one.verdict) << one.text;
    EXPECT_EQ(message.find("pw"), std::string::npos) << message;
    EXPECT_NE(message.find(one.hint), std::string::npos) << message;
    EXPECT_NE(message.find("10.0.0.1:6379"), std::string::npos) << message;
  }
}

TEST(RedisFailure, WhatAServerSaysIsShownPrintable) {
  const std::string text = "ERR \x1b[31m\nFORGED " + std::string(1000, 'x');
  const std::string message = JudgeError(text, "s").status.message();
  EXPECT_NE(message.find("ERR ?[31m?FORGED xxx"), std::string::npos) << message;
  EXPECT_LT(message.size(), 200u);
}

TEST(RedisFailure, ARedirectNamesSlotAndNode) {
  uint16_t slot = 0;
  std::string host;
  int port = 0;
  ASSERT_TRUE(ParseRedirect("MOVED 3999 10.0.0.1:6381", &slot, &host, &port));
  EXPECT_EQ(slot, 3999);
  EXPECT_EQ(host, "10.0.0.1");
  EXPECT_EQ(port, 6381);
  ASSERT_TRUE(ParseRedirect("ASK 16383 2001:db8::1:6381", &slot, &host, &port));
  EXPECT_EQ(host, "2001:db8::1");
  ASSERT_TRUE(ParseRedirect("MOVED 0 :6381", &slot, &host, &port)) << "the host that answered";
  EXPECT_EQ(host, "");
  for (const char* wrong : {"", "MOVED", "MOVED 1", "MOVED 1 a", "MOVED 16384 a:1", "MOVED x a:1", "MOVED 1 a:0",
                            "MOVED 1 a:65536", "MOVED 1 a:1x", "MOVED -1 a:1", "MOVED 1: a", "MOVED 1 a\nb:1"}) {
    EXPECT_FALSE(ParseRedirect(wrong, &slot, &host, &port)) << wrong;
  }
}

}  // namespace
}  // namespace linefilter::redis_internal
