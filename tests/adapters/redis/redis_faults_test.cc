// What no sound server does, but something at its address may: garbage, pieces, too much, silence, connections that end
// in the midst. Each command has exactly one answer, and none is another's.
#include "tests/adapters/redis/redis_faults_test.h"

#include <unistd.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace linefilter::redis_internal {

TEST(RedisFaults, WhatSpeaksAnotherProtocolIsSaidAtOnce) {
  for (const char* text :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "\x15\x03\x01\x00\x02", "$600000000\r\n", "*2000000\r\n"}) {
    RedisFakeServer server([text](const std::string&) { return text; }, false);
    Router router;
    EXPECT_TRUE(test::Says(StatusCode::kIoError, router.Connect(ServersOf(server, test::kLongMs)),
                           "does not speak Redis' protocol"))
        << text;
  }
}

// A command that has one integer is answered by strings without an end: nobody waits for that, or keeps it.
TEST(RedisFaults, AnAnswerOfTooManyBytesIsGarbage) {
  const std::string mebibyte(size_t{1} << 20, 'x');
  RedisFakeServer server([&](const std::string&) { return "*100000\r\n" + Bulk(mebibyte) + Bulk(mebibyte); });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  RedisReplies replies;
  EXPECT_EQ(replies.Run(&router, Gets(1)).code(), StatusCode::kIoError);
}

TEST(RedisFaults, GarbageInTheMidstFailsWhatHasNoAnswerYet) {
  RedisFakeServer server([](const std::string& command) -> RedisFakeServer::Answer {
    return command == "GET 5" ? "garbage\r\n" : Echo(command);
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  RedisReplies replies;
  EXPECT_EQ(replies.Run(&router, Gets(10)).code(), StatusCode::kIoError);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(replies.code(i), i < 5 ? StatusCode::kOk : StatusCode::kIoError);
    if (i < 5) {
      EXPECT_EQ(replies.text(i), std::to_string(i));
    }
  }
  EXPECT_TRUE(replies.Run(&router, Gets(5)).ok()) << "on a new connection";
}

TEST(RedisFaults, RepliesInPiecesAreReplies) {
  RedisFakeServer server([](const std::string& command) {
    RedisFakeServer::Answer answer = Echo(command);
    answer.drips = true;
    return answer;
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  RedisReplies replies;
  ASSERT_TRUE(test::IsOk(replies.Run(&router, Gets(20))));
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(replies.text(i), std::to_string(i));
}

// More than a buffer holds, so that a reply lies across its end.
TEST(RedisFaults, RepliesMayComeAllAtOnce) {
  constexpr size_t kCommands = 1000;
  const auto reply_to = [](size_t i) { return std::string(300 + i % 100, static_cast<char>('a' + i % 26)); };
  RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
    if (command != "GET " + std::to_string(kCommands - 1)) return "";
    std::string all;
    for (size_t i = 0; i < kCommands; ++i) all += Bulk(reply_to(i));
    return all;
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  RedisReplies replies;
  ASSERT_TRUE(test::IsOk(replies.Run(&router, Gets(kCommands))));
  for (size_t i = 0; i < kCommands; ++i) ASSERT_EQ(replies.text(i), reply_to(i)) << i;
}

TEST(RedisFaults, MoreRepliesThanQuestionsAreNobodys) {
  RedisFakeServer server([](const std::string& command) -> RedisFakeServer::Answer {
    const std::string echo = Echo(command).bytes;
    return command == "GET 4" ? echo + "$5\r\nextra\r\n$5\r\nex" : echo;
  });
  RedisServers servers = ServersOf(server);
  for (const bool replica_reads : {true, false}) {
    servers.replica_reads = replica_reads;
    Router router;
    ASSERT_TRUE(router.Connect(servers).ok());
    RedisReplies replies;
    for (int round = 0; round < 3; ++round) {
      const Status status = replies.Run(&router, Gets(5));
      EXPECT_EQ(status.ok(), replica_reads) << "where a reply to ROLE follows, they are noticed";
      for (size_t i = 0; i < 5; ++i) EXPECT_EQ(replies.text(i), std::to_string(i));
    }
  }
}

// Half a reply, and then the connection ends, or nothing comes any more.
TEST(RedisFaults, HalfAReplyIsNone) {
  for (const bool closes : {true, false}) {
    RedisFakeServer server([closes](const std::string& command) {
      RedisFakeServer::Answer answer = Echo(command);
      if (command == "GET 3") {
        answer.bytes.resize(answer.bytes.size() - 3);
        answer.closes = closes;
      }
      return answer;
    });
    RedisServers servers = ServersOf(server);
    servers.replica_reads = true;  // else the reply to ROLE follows
    EXPECT_TRUE(test::HoldsAtSomeScale([&](uint32_t scale) {
      if (!closes) servers.deadlines.reply_ms = 50 * scale;
      Router router;
      EXPECT_TRUE(test::ConnectInTheEnd(&router, servers));
      RedisReplies replies;
      EXPECT_EQ(replies.Run(&router, Gets(4)).code(), StatusCode::kUnavailable);
      EXPECT_EQ(replies.code(3), StatusCode::kUnavailable);
      return replies.code(2) == StatusCode::kOk;
    }));
  }
}

// The next connection begins with a reply, not with the rest of this one.
TEST(RedisFaults, HalfAListIsForgottenWithItsConnection) {
  std::atomic<int> count{0};
  RedisFakeServer server([&count](const std::string&) -> RedisFakeServer::Answer {
    RedisFakeServer::Answer answer("*3\r\n:1\r\n$3\r\nab");
    answer.closes = true;
    return ++count == 1 ? answer : "*3\r\n:4\r\n:5\r\n:6\r\n";
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  RedisReplies replies;
  EXPECT_TRUE(replies.Run(&router, Gets(1)).ok());
  EXPECT_EQ(replies.text(0), "[4 5 6]");
}

TEST(RedisFaults, AConnectionThatEndsAgainAndAgainIsMadeAgain) {
  std::atomic<int> count{0};
  RedisFakeServer server([&count](const std::string& command) {
    RedisFakeServer::Answer answer = Echo(command);
    if (++count % 7 == 0) {
      answer.bytes.resize(static_cast<size_t>(count) % answer.bytes.size());
      answer.closes = true;
    }
    return answer;
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  for (int round = 0; round < 10; ++round) {
    RedisReplies replies;
    ASSERT_TRUE(test::IsOk(replies.Run(&router, Gets(4))));
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(replies.text(i), std::to_string(i));
  }
}

TEST(RedisFaults, WhatIsForNowOnlyIsAskedAgainAsLongAsPatienceLasts) {
  for (const char* error : {"LOADING x", "CLUSTERDOWN x", "TRYAGAIN x", "MASTERDOWN x", "BUSY x"}) {
    std::atomic<int> count{0};
    RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
      return ++count <= 6 ? "-" + std::string(error) + "\r\n" : Echo(command);
    });
    Router router;
    ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
    RedisReplies replies;
    EXPECT_EQ(replies.Run(&router, Gets(2)).code(), StatusCode::kUnavailable) << error;
    EXPECT_NE(replies.text(0).find(error), std::string::npos) << replies.text(0);
    ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
    EXPECT_TRUE(replies.Run(&router, Gets(2)).ok()) << error;
    EXPECT_EQ(replies.text(1), "1");
  }
}

TEST(RedisFaults, TheDeadlineOfARequestIsThatOfAllItsBatchesTogether) {
  RedisFakeServer server([](const std::string& command) -> RedisFakeServer::Answer { return Echo(command); });
  RedisServers servers = ServersOf(server, test::kLongMs);
  for (const uint32_t own_ms : {0u, 40u}) {
    servers.deadlines.request_ms = own_ms == 0 ? 40 : test::kLongMs;
    Router router;
    ASSERT_TRUE(router.Connect(servers).ok());
    RedisReplies replies;
    {
      const Router::Call call(&router, Router::Call::kRequest, own_ms);
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      const size_t num_commands = server.commands().size();
      EXPECT_TRUE(
          test::Says(StatusCode::kUnavailable, replies.Run(&router, Gets(2)),
                     own_ms == 0 ? "within 40 ms (Deadlines::request_ms)" : "within 40 ms (RedisFilter::Within)"));
      EXPECT_EQ(server.commands().size(), num_commands) << "nothing was sent";
    }
    EXPECT_TRUE(replies.Run(&router, Gets(2)).ok()) << "the call is over";
  }
}

// A megabyte more gives it request_ms_per_mb more.
TEST(RedisFaults, ARequestOfManyBytesHasLonger) {
  RedisFakeServer server([](const std::string&) { return "+OK\r\n"; });
  RedisServers servers = ServersOf(server, test::kLongMs);
  servers.deadlines.request_ms = 40;
  servers.deadlines.request_ms_per_mb = test::kLongMs;
  Router router;
  ASSERT_TRUE(router.Connect(servers).ok());
  RedisReplies replies;
  {
    const Router::Call call(&router, Router::Call::kRequest, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_TRUE(replies.Run(&router, "a", Kind::kWrite, {"SET", "a", std::string(1100000, 'x')}).ok());
  }
  // Replies count as well: those of lookups, whose size is known.
  Batch batch;
  batch.AddGetRange(KeyOf("a"), Kind::kRead, 0, 1100000);
  const Router::Call call(&router, Router::Call::kRequest, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(replies.Run(&router, batch).ok());
}

// write (fails once) check write check: both checks are asked again, after all writes.
TEST(RedisFaults, AChecksAnswerIsYoungerThanAllThatWentBeforeIt) {
  std::atomic<int> count{0};
  RedisFakeServer server([&count](const std::string& command) -> RedisFakeServer::Answer {
    return ++count == 2 ? "-TRYAGAIN x\r\n" : Echo(command);
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server, test::kLongMs)).ok());
  Batch batch;
  for (size_t i = 0; i < 6; ++i) {
    batch.Add(KeyOf("a"), i % 2 == 0 ? Kind::kCheck : Kind::kWrite, 2);
    batch.Arg("GET");
    batch.Arg(uint64_t{i});
  }
  RedisReplies replies;
  ASSERT_TRUE(replies.Run(&router, batch).ok());
  const std::vector<std::string> expected = {"GET 0", "GET 1", "GET 2", "GET 3", "GET 4", "GET 5",  //
                                             "GET 1", "GET 2", "GET 4"};
  EXPECT_EQ(server.commands(), expected);
}

// The write is redirected to a slow node: the check at the other one waits for it.
TEST(RedisFaults, ACheckWaitsForWhatAnotherNodeWasAsked) {
  std::mutex mutex;
  std::vector<std::string> log;
  const auto note = [&](const std::string& line) {
    const std::lock_guard<std::mutex> lock(mutex);
    log.push_back(line);
  };
  RedisFakeServer slow([&](const std::string& command) -> RedisFakeServer::Answer {
    if (command == "ASKING") return "+OK\r\n";
    usleep(20000);
    note("slow " + command);
    return Echo(command);
  });
  RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
    note(command);
    return command == "GET 0" ? "-ASK 15495 " + slow.address() + "\r\n" : Echo(command);
  });
  Router router;
  ASSERT_TRUE(router.Connect(ServersOf(server)).ok());
  Batch batch;
  for (const Kind kind : {Kind::kWrite, Kind::kCheck}) {
    batch.Add(KeyOf("a"), kind, 2);
    batch.Arg("GET");
    batch.Arg(uint64_t{batch.size() - 1});
  }
  RedisReplies replies;
  ASSERT_TRUE(test::IsOk(replies.Run(&router, batch)));
  const std::lock_guard<std::mutex> lock(mutex);
  EXPECT_EQ(log, (std::vector<std::string>{"GET 0", "GET 1", "slow GET 0", "GET 1"}));
}

// WAIT on another connection than that of the write says nothing about it.
TEST(RedisFaults, WhatWasWrittenOnALostConnectionIsNotKnownToBeReplicated) {
  const struct {
    int closing;  // the number of the reply after which the connection ends; 0: none
    Kind second;  // the second command is of this kind
    StatusCode code;
  } kCases[] = {{0, Kind::kInsert, StatusCode::kOk},
                {1, Kind::kInsert, StatusCode::kOk},  // all is written again
                {2, Kind::kRead, StatusCode::kOk},
                {2, Kind::kCheck, StatusCode::kUnavailable}};  // behind the role: written before, checked on another
  for (const auto& one : kCases) {
    std::atomic<int> count{0};
    RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
      if (command == "WAIT 1 10") return ":1\r\n";
      RedisFakeServer::Answer answer = Echo(command);
      answer.closes = ++count == one.closing;
      return answer;
    });
    RedisServers servers = ServersOf(server, test::kLongMs);
    servers.wait_replicas = 1;
    servers.wait_ms = 10;
    Router router;
    ASSERT_TRUE(router.Connect(servers).ok());
    Batch batch;
    for (const Kind kind : {Kind::kInsert, one.second}) {
      batch.Add(KeyOf("a"), kind, 2);
      batch.Arg("GET");
      batch.Arg(uint64_t{batch.size() - 1});
    }
    RedisReplies replies;
    EXPECT_TRUE(test::Says(one.code, replies.Run(&router, batch)));
    EXPECT_EQ(replies.text(1), "1");
  }
}

}  // namespace linefilter::redis_internal
