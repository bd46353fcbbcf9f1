// Both sides show certificates, and one that is wrong, expired, foreign or another host's is an error that tells what
// to do.
#include <openssl/err.h>

#include <cstdlib>
#include <fstream>

#include "tests/adapters/redis/redis_tls_test.h"

namespace linefilter::test {

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
    Status status = router.Connect(servers);
    EXPECT_TRUE(status.ok()) << status.message();
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
  const Status status = ConnectTo(ours_->Issue({"127.0.0.1"}), servers_);
  EXPECT_TRUE(status.ok()) << status.message();
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
    const Status status = ConnectTo(of_name, servers_);
    EXPECT_TRUE(status.ok()) << status.message();
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
  const Status status = ConnectTo(certificate, servers_);
  EXPECT_TRUE(status.ok()) << status.message();
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
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(RedisTls, APathNeedsAName) {
  servers_.addresses = server_->plain_address();
  Router router;
  ExpectRefused(router.Connect(servers_), "a path is in no certificate");
}

}  // namespace linefilter::test
