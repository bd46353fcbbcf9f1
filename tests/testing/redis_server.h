// A server of Redis that a test starts for itself: on a free port of the loopback, or a Unix socket, with its data in a
// folder of its own. It ends with the object, and with the thread that launched it (by the constructor or Restart),
// however that ends. So a thread that goes before the test does launches none.
//
//   RedisServer server;
//   ASSERT_TRUE(server.ok()) << server.why();  // says what to install, where no server is installed
//   servers.addresses = server.address();
#ifndef LINEFILTER_TESTS_TESTING_REDIS_SERVER_H_
#define LINEFILTER_TESTS_TESTING_REDIS_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/testing/redis_client.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

struct RedisServerOptions {
  bool append_only = false;             // what was written is there again after Kill and Restart
  std::string append_fsync = "always";  // or everysec, no
  std::string password;
  uint64_t max_memory = 0;  // bytes; 0: no limit. What is too much is refused (OOM), unless max_memory_policy evicts
  std::string max_memory_policy;
  uint16_t replica_of = 0;  // the port of another server on the loopback
  bool cluster = false;     // RedisCluster (redis_cluster.h) makes one of several
  bool unix_socket = false;
  // Files. With a certificate TLS alone is spoken at the port, in a cluster between the nodes, too, and by the test
  // itself through a Unix socket. Clients must show a certificate that tls_ca signed, if tls_asks_clients.
  std::string tls_certificate, tls_key, tls_ca;
  bool tls_asks_clients = false;
  std::vector<std::string> more;  // "--name", "value", ... of redis.conf
};

class RedisServer {
 public:
  // Answers PING when the constructor returns, unless !ok().
  explicit RedisServer(const RedisServerOptions& options = {});
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer();

  bool ok() const { return why_.empty(); }
  const std::string& why() const { return why_; }
  std::string address() const;        // 127.0.0.1:port, or unix:/path
  std::string plain_address() const;  // the same without TLS, for the test itself
  uint16_t port() const { return port_; }
  uint16_t cluster_port() const { return cluster_port_; }
  const std::string& password() const { return options_.password; }
  const std::string& folder() const { return folder_.path(); }
  pid_t pid() const { return pid_; }
  std::string Log() const;

  void Kill();     // SIGKILL
  void Stop();     // SIGTERM: in order, with what it saves then
  void Pause();    // SIGSTOP: connections stay, nothing is answered
  void Resume();   // SIGCONT
  bool Restart();  // at the same place with the same data; kills it first, if it runs. False: see why()

 private:
  enum class Start { kAnswers, kPortTaken, kFailed };
  bool has_tls() const { return !options_.tls_certificate.empty(); }
  std::vector<std::string> Arguments() const;
  void Launch();
  Start WaitForAnswer();
  bool HasEnded();
  void End(int signal);
  void FreePorts();

  const RedisServerOptions options_;
  const TempDir folder_;
  uint16_t port_ = 0, cluster_port_ = 0;
  int port_holder_ = -1, cluster_port_holder_ = -1;  // sockets: nobody else gets the ports, also while no server runs
  pid_t pid_ = -1;
  std::string why_;
};

// Asks until it is so, for at most a minute, which no sound server needs. False: it never was.
bool WaitUntil(const std::function<bool()>& is_so);

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_SERVER_H_
