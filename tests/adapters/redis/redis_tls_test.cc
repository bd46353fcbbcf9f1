// Everything that goes without TLS goes with it, for servers and clusters of Redis. Both sides show certificates, and
// one that is wrong, expired, foreign or another host's is an error that tells what to do. A library that was built
// without TLS says so.
#ifdef LINEFILTER_REDIS_TLS
#include "tests/adapters/redis/redis_tls_test.h"

#include <openssl/err.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tests/testing/redis_cluster.h"
#else
#include <string>

#include "gtest/gtest.h"
#include "lib/adapters/redis/wire/tls.h"
#include "linefilter/redis.h"
#include "tests/testing/options.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_server.h"
#endif

namespace linefilter::test {
namespace {

#ifndef LINEFILTER_REDIS_TLS

TEST(RedisTls, SaysThatThisBuildHasNone) {
  ASSERT_FALSE(redis_internal::HasTls());
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers;
  servers.addresses = server.address();
  RedisFilter filter = Created(servers, "seen", 1000, Fpr(0.01));
  servers.tls = true;
  const Status status = filter.Open(servers, "seen");
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  const std::string text = status.message();
  for (const char* word : {"tls", "OpenSSL", "libssl-dev", "stunnel"}) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
  bool maybe = false;
  EXPECT_FALSE(filter.MayContainHash(1, &maybe).ok());
  EXPECT_TRUE(maybe);
}

#else

TEST_F(RedisTls, DoesAllThatGoesWithout) {
  const std::vector<uint64_t> hashes = RandomHashes(60000, 1), others = RandomHashes(20000, 2);
  const FilterOptions options = RedisOptions(12);
  RedisFilter filter = Created(servers_, "all", hashes.size() + others.size(), options);
  std::vector<RedisInsert> outcomes(hashes.size());
  ASSERT_TRUE(IsOk(filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data())));
  size_t num_new = 0;
  for (const RedisInsert outcome : outcomes) num_new += outcome == RedisInsert::kNew;
  EXPECT_GT(num_new, hashes.size() * 9 / 10);
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  EXPECT_GT(CountMissing(&filter, others), others.size() * 9 / 10);
  RedisInsert outcome = RedisInsert::kFailed;
  bool maybe = false;
  ASSERT_TRUE(filter.InsertKey("bob@example.org", &outcome).ok());
  ASSERT_TRUE(filter.MayContainKey("bob@example.org", &maybe).ok());
  EXPECT_TRUE(maybe);

  // A client without TLS sees the same.
  RedisServers plain;
  plain.addresses = server_->plain_address();
  RedisFilter same = Opened(plain, "all");
  EXPECT_EQ(CountMissing(&same, hashes), 0u);
  EXPECT_EQ(Download(&filter), Download(&same));

  const std::string image = ImageOf(hashes.size() + others.size(), options, others);
  ASSERT_TRUE(filter.Load(image.data(), image.size()).ok());
  EXPECT_EQ(CountMissing(&same, others), 0u);
  ASSERT_TRUE(Rebuild(&filter, 2 * hashes.size(), options, {}, others).ok());
  EXPECT_EQ(CountMissing(&same, others), 0u);
  EXPECT_EQ(same.generation(), filter.generation());
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_EQ(info.num_lost_shards, 0u);
  ASSERT_TRUE(RedisFilter::Delete(servers_, "all").ok());
  EXPECT_EQ(same.MayContainHash(1, &maybe).code(), StatusCode::kNotFound);
  EXPECT_TRUE(maybe);
}

TEST_F(RedisTls, UserPasswordAndDatabase) {
  RedisServerOptions options = WithTls(ours_->Issue({"127.0.0.1"}));
  options.password = "secret";
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = ServersOf(server.address());
  servers.database = 3;
  Router router;
  EXPECT_FALSE(router.Connect(servers).ok());
  servers.password = "secret";
  EXPECT_TRUE(IsOk(router.Connect(servers)));
}

// 50 MB there and back, over many records and buffers.
TEST_F(RedisTls, LargeImagesComeAndGo) {
  const std::vector<uint64_t> hashes = RandomHashes(100000, 3);
  const std::string image = ImageOf(20000000, RedisOptions(20), hashes);
  ASSERT_GT(image.size(), 50000000u);
  RedisFilter filter;
  const Status status =
      filter.CreateFromImage(servers_, "large", image.data(), image.size(), nullptr, {uint64_t{20} << 20});
  ASSERT_TRUE(IsOk(status));
  EXPECT_EQ(Download(&filter), image);
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  EXPECT_TRUE(RedisFilter::Delete(servers_, "large").ok());
}

// A server that reads nothing while it writes, before one that does so, too, and more of both than all buffers hold:
// who sends must read.
TEST_F(RedisTls, NobodyWaitsForTheOtherWhenAllBuffersAreFull) {
  const TlsTunnel tunnel(plain_().address(), ours_->Issue({"127.0.0.1"}));
  RedisServers servers = ServersOf(tunnel.address());
  servers.deadlines.admin_ms = 0;
  Router router;
  ASSERT_TRUE(IsOk(router.Connect(servers)));
  const auto value = [](size_t i) { return std::string(200000 + i, static_cast<char>('a' + i % 26)); };
  constexpr size_t kCommands = 300;  // 60 MB each way
  Batch batch;
  for (size_t i = 0; i < kCommands; ++i) {
    batch.Add(KeyOf("a"), Kind::kRead, 2);
    batch.Arg("ECHO");
    batch.Arg(value(i));
  }
  for (size_t i = 0; i < 20000; ++i) {
    batch.Add(KeyOf("a"), Kind::kRead, 1);
    batch.Arg(uint64_t{i});
  }
  RedisReplies replies;
  ASSERT_TRUE(IsOk(replies.Run(&router, batch)));
  for (size_t i = 0; i < kCommands; ++i) ASSERT_EQ(replies.text(i), "ECHO " + value(i)) << i;
  for (size_t i = 0; i < 20000; ++i) ASSERT_EQ(replies.text(kCommands + i), std::to_string(i));
}

// What a child closes is the parent's.
TEST_F(RedisTls, AChildLeavesTheParentsConnectionAlone) {
  RedisFilter filter = Created(servers_, "fork", 1000, RedisOptions(12));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RedisInsert outcome;
    const bool ok = filter.InsertHash(7, &outcome).ok();
    filter.Close();
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  bool maybe = false;
  EXPECT_TRUE(IsOk(filter.MayContainHash(7, &maybe)));
  EXPECT_TRUE(maybe);
}

// Nodes tell each other's addresses: these would be in the certificates, if tls_server_name were not.
TEST_F(RedisTls, Clusters) {
  RedisCluster cluster(WithTls(ours_->Issue({"redis.example"})));
  ASSERT_TRUE(cluster.ok()) << cluster.why();
  RedisServers servers = ServersOf(cluster.addresses());
  const std::vector<uint64_t> hashes = RandomHashes(20000, 8);
  const FilterOptions options = RedisOptions(12);
  const RedisLayout layout = {4096};
  RedisFilter filter;
  ExpectRefused(filter.Create(servers, "many", hashes.size(), options, layout), "tls_server_name");
  servers.tls_server_name = "redis.example";
  ASSERT_TRUE(IsOk(filter.Create(servers, "many", hashes.size(), options, layout)));
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_EQ(info.num_masters, 3u);
  Insert(&filter, hashes);
  const uint32_t slot = cluster.SlotOf("many");
  cluster.MoveSlot(slot, (cluster.OwnerOf(slot) + 1) % 3);
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  EXPECT_FALSE(Download(&filter).empty());
}

TEST_F(RedisTls, ShowsTheClientsCertificate) {
  for (const char* protocol : {"TLSv1.2", "TLSv1.3"}) {
    RedisServerOptions options = WithTls(ours_->Issue({"127.0.0.1"}));
    options.tls_asks_clients = true;
    options.more = {"--tls-protocols", protocol};
    RedisServer server(options);
    ASSERT_TRUE(server.ok()) << server.why();
    RedisServers servers = ServersOf(server.address());
    Router router;
    ExpectRefused(router.Connect(servers), "look at RedisServers::tls_certificate");
    const Certificate foreign = theirs_->Issue({}), own = ours_->Issue({});
    servers.tls_certificate = foreign.certificate;
    servers.tls_key = foreign.key;
    ExpectRefused(router.Connect(servers), "look at RedisServers::tls_certificate");
    servers.tls_certificate = own.certificate;
    servers.tls_key = own.key;
    EXPECT_TRUE(IsOk(router.Connect(servers)));
    RedisReplies replies;
    EXPECT_TRUE(replies.Run(&router, "a", Kind::kRead, {"GET", "a"}).ok());
  }
}

TEST_F(RedisTls, SaysWhichFileIsWrong) {
  const Certificate own = ours_->Issue({}), other = ours_->Issue({}), locked = ours_->Issue({}, -1, 86400, "secret");
  const std::string text = folder_->File("text");
  std::ofstream(text) << "no certificate\n";
  const struct {
    std::string ca, certificate, key, words;
  } kCases[] = {
      {"/no/such/file", "", "", "RedisServers::tls_ca: OpenSSL cannot use /no/such/file: No such file or directory"},
      {text, "", "", "RedisServers::tls_ca: OpenSSL cannot use " + text},
      {ours_->file(), "/no/such/file", own.key, "RedisServers::tls_certificate: OpenSSL cannot use /no/such/file: No"},
      {ours_->file(), text, own.key, "RedisServers::tls_certificate: OpenSSL cannot use " + text},
      {ours_->file(), own.certificate, "", "go together"},
      {ours_->file(), "", own.key, "go together"},
      {ours_->file(), own.certificate, "/no/such/file", "RedisServers::tls_key: OpenSSL cannot use /no/such/file: No"},
      {ours_->file(), own.certificate, other.key, "RedisServers::tls_key: OpenSSL cannot use " + other.key},
      {ours_->file(), locked.certificate, locked.key, "RedisServers::tls_key: OpenSSL cannot use " + locked.key},
  };
  for (const auto& one : kCases) {
    servers_.tls_ca = one.ca;
    servers_.tls_certificate = one.certificate;
    servers_.tls_key = one.key;
    Router router;
    ExpectRefused(router.Connect(servers_), one.words);
  }
}

TEST_F(RedisTls, RefusesCertificatesThatAreNotGood) {
  ExpectRefused(ConnectTo(theirs_->Issue({"127.0.0.1"}), servers_), "RedisServers::tls_ca the file of its authority?");
  ExpectRefused(ConnectTo(ours_->Issue({"127.0.0.1"}, -7200, -3600), servers_), "has expired: renew it");
  ExpectRefused(ConnectTo(ours_->Issue({"127.0.0.1"}, 3600, 7200), servers_), "is the clock right?");
  EXPECT_TRUE(IsOk(ConnectTo(ours_->Issue({"127.0.0.1"}), servers_)));
}

TEST_F(RedisTls, RefusesTheCertificateOfAnotherHost) {
  const char* const words = "in RedisServers::tls_server_name";
  const Certificate of_name = ours_->Issue({"redis.example", "*.cache.example", "10.0.0.1"});
  ExpectRefused(ConnectTo(of_name, servers_), words);
  ExpectRefused(ConnectTo(ours_->Issue({}), servers_), words);
  servers_.tls_server_name = "other.example";
  ExpectRefused(ConnectTo(of_name, servers_), words);
  servers_.tls_server_name = "10.0.0.2";
  ExpectRefused(ConnectTo(of_name, servers_), words);
  servers_.tls_server_name = "example";
  ExpectRefused(ConnectTo(of_name, servers_), words);
  for (const char* name : {"redis.example", "REDIS.example", "a.cache.example", "10.0.0.1"}) {
    servers_.tls_server_name = name;
    EXPECT_TRUE(IsOk(ConnectTo(of_name, servers_)));
  }
  servers_.tls_server_name = "nobody";  // as Redis' own script makes them: the subject alone has a name
  EXPECT_TRUE(ConnectTo(ours_->Issue({}), servers_).ok());
}

TEST_F(RedisTls, RefusesWhatIsNoName) {
  const Certificate of_name = ours_->Issue({"redis.example", "*.cache.example"});
  for (const std::string& name : {std::string("redis.example\0.evil", 19), std::string(1, '\0'), std::string(256, 'a'),
                                  std::string(".example"), std::string(".cache.example")}) {
    servers_.tls_server_name = name;
    ExpectRefused(ConnectTo(of_name, servers_), "RedisServers::tls_server_name");
  }
}

// Also of an authority that another one signed, or of nobody but this server.
TEST_F(RedisTls, TrustsWhateverItIsGiven) {
  const Certificate certificate = theirs_->Issue({"127.0.0.1"});
  servers_.tls_ca = certificate.certificate;
  EXPECT_TRUE(IsOk(ConnectTo(certificate, servers_)));
  ExpectRefused(ConnectTo(theirs_->Issue({"127.0.0.1"}), servers_), "RedisServers::tls_ca the file of its authority?");
}

// A program that looks at OpenSSL's errors of its thread finds none of ours.
TEST_F(RedisTls, LeavesNoErrorsBehind) {
  Router router;
  ExpectRefused(ConnectTo(theirs_->Issue({"127.0.0.1"}), servers_), "RedisServers::tls_ca");
  EXPECT_EQ(ERR_peek_error(), 0u);
  servers_.tls_ca = "/nonexistent";
  ExpectRefused(router.Connect(servers_), "RedisServers::tls_ca");
  EXPECT_EQ(ERR_peek_error(), 0u);
}

TEST_F(RedisTls, KnowsTheAuthoritiesOfTheSystem) {
  servers_.tls_ca.clear();
  Router router;
  ExpectRefused(router.Connect(servers_), "RedisServers::tls_ca");
  setenv("SSL_CERT_FILE", ours_->file().c_str(), 1);  // OpenSSL's word for where they are
  const Status status = router.Connect(servers_);
  unsetenv("SSL_CERT_FILE");
  EXPECT_TRUE(IsOk(status));
}

TEST_F(RedisTls, APathNeedsAName) {
  servers_.addresses = server_->plain_address();
  Router router;
  ExpectRefused(router.Connect(servers_), "a path is in no certificate");
}

#endif

}  // namespace
}  // namespace linefilter::test
