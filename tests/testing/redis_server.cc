#include "tests/testing/redis_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace linefilter::test {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);
constexpr int kPortsTried = 20;

// Empty if there is none.
std::string InPath(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return folder + "/" + program;
  }
  return "";
}

// Debian's package redis-server would start a service when it is installed; the program itself is in redis-tools, under
// the name of a checker, and is a server if that is how it is called.
std::string ServerProgram() {
  const std::string server = InPath("redis-server");
  return server.empty() ? InPath("redis-check-rdb") : server;
}

// A port that was free a moment ago; 0 if there is none. On Linux it stays so until *holder is closed: the system gives
// it to nobody who does not ask for it by its number and with SO_REUSEADDR, as servers of Redis do.
uint16_t FreePort(int* holder) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
#ifdef __linux__
  const int on = 1;
  if (fd >= 0) (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
#endif
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  const bool ok = fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0 &&
                  getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0;
#ifdef __linux__
  *holder = fd;
#else
  if (fd >= 0) close(fd);
#endif
  return ok ? ntohs(name.sin_port) : 0;
}

}  // namespace

bool WaitUntil(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (auto pause = std::chrono::milliseconds(1); !is_so();
       pause = std::min(2 * pause, std::chrono::milliseconds(50))) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

RedisServer::RedisServer(const RedisServerOptions& options) : options_(options) {
  if (ServerProgram().empty()) {
    why_ =
        "neither redis-server nor redis-check-rdb is in PATH (Debian and Ubuntu: redis-tools has the latter, which is "
        "a "
        "server as well)";
    return;
  }
  // Whoever else takes the port before the server's bind: the server ends, and another port is tried.
  for (int i = 0; i < kPortsTried; ++i) {
    FreePorts();
    port_ = options_.unix_socket ? 0 : FreePort(&port_holder_);
    cluster_port_ = options_.cluster ? FreePort(&cluster_port_holder_) : 0;
    Launch();
    const Start start = WaitForAnswer();
    if (start == Start::kAnswers) return;
    End(SIGKILL);
    if (start == Start::kFailed) break;
  }
  why_ = "redis-server did not start: " + Log();
}

RedisServer::~RedisServer() {
  End(SIGKILL);
  FreePorts();
}

void RedisServer::FreePorts() {
  for (int* holder : {&port_holder_, &cluster_port_holder_}) {
    if (*holder >= 0) close(*holder);
    *holder = -1;
  }
}

std::string RedisServer::address() const {
  return options_.unix_socket ? "unix:" + folder_.File("socket") : "127.0.0.1:" + std::to_string(port_);
}

std::string RedisServer::plain_address() const { return has_tls() ? "unix:" + folder_.File("socket") : address(); }

std::string RedisServer::Log() const {
  std::string text;
  for (const char* name : {"output", "log"}) {  // what it says before it knows of the log
    std::ifstream in(folder_.File(name), std::ios::binary);
    text.append(std::istreambuf_iterator<char>(in), {});
  }
  return text;
}

std::vector<std::string> RedisServer::Arguments() const {
  std::vector<std::string> words = {"redis-server",
                                    "--port",
                                    std::to_string(has_tls() ? 0 : port_),
                                    "--bind",
                                    "127.0.0.1",
                                    "--daemonize",
                                    "no",
                                    "--dir",
                                    folder_.path(),
                                    "--logfile",
                                    "log",
                                    "--save",
                                    "",
                                    "--appendonly",
                                    options_.append_only ? "yes" : "no",
                                    "--appendfsync",
                                    options_.append_fsync};
  const auto add = [&words](const std::string& name, const std::string& value) {
    words.push_back("--" + name);
    words.push_back(value);
  };
  if (options_.unix_socket || has_tls()) add("unixsocket", folder_.File("socket"));
  if (has_tls()) {
    add("tls-port", std::to_string(port_));
    add("tls-cert-file", options_.tls_certificate);
    add("tls-key-file", options_.tls_key);
    add("tls-ca-cert-file", options_.tls_ca);
    add("tls-auth-clients", options_.tls_asks_clients ? "yes" : "no");
    if (options_.cluster) add("tls-cluster", "yes");
  }
  if (!options_.password.empty()) {
    add("requirepass", options_.password);
    add("masterauth", options_.password);
  }
  if (options_.max_memory != 0) add("maxmemory", std::to_string(options_.max_memory));
  if (!options_.max_memory_policy.empty()) add("maxmemory-policy", options_.max_memory_policy);
  add("repl-diskless-sync-delay", "0");  // else whoever follows waits for 5 s
  if (options_.replica_of != 0) add("replicaof", "127.0.0.1 " + std::to_string(options_.replica_of));
  if (options_.cluster) {
    add("cluster-enabled", "yes");
    add("cluster-port", std::to_string(cluster_port_));
    add("cluster-node-timeout", "2000");
  }
  words.insert(words.end(), options_.more.begin(), options_.more.end());
  return words;
}

void RedisServer::Launch() {
  const std::string program = ServerProgram();
  const std::vector<std::string> words = Arguments();
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  unlink(folder_.File("log").c_str());
  // Ours would stay open, and whoever reads them would wait for the server, too.
  const int output = open(folder_.File("output").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ != 0) {
    close(output);
    return;
  }
  // The child of a process that may have threads: system calls only.
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
#endif
  dup2(output, 1);
  dup2(output, 2);
  execv(program.c_str(), argv.data());
  _exit(127);
}

bool RedisServer::HasEnded() {
  if (pid_ <= 0) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return false;
  pid_ = -1;
  return true;
}

RedisServer::Start RedisServer::WaitForAnswer() {
  bool ended = false;
  RedisClient client(plain_address(), options_.password);
  const bool answers = WaitUntil([this, &client, &ended] {
    if (HasEnded()) return ended = true;
    // Another's server may answer at the port that ours does not get; while it loads its data, ours answers an error.
    return client.Fact({"INFO", "server"}, "process_id") == std::to_string(pid_) && client.Ask({"PING"}).ok();
  });
  if (!ended) return answers ? Start::kAnswers : Start::kFailed;
  const bool taken = Log().find("in use") != std::string::npos;  // EADDRINUSE; the port of the cluster says it, too
  return taken ? Start::kPortTaken : Start::kFailed;
}

void RedisServer::End(int signal) {
  if (pid_ <= 0) return;
  kill(pid_, SIGCONT);  // one that is paused sees no other signal than SIGKILL
  kill(pid_, signal);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void RedisServer::Kill() { End(SIGKILL); }
void RedisServer::Stop() { End(SIGTERM); }
void RedisServer::Pause() {
  if (pid_ > 0) kill(pid_, SIGSTOP);
}
void RedisServer::Resume() {
  if (pid_ > 0) kill(pid_, SIGCONT);
}

bool RedisServer::Restart() {
  End(SIGKILL);
  // The port may be another's for a moment: an outgoing connection's, for which the system chose it.
  for (const auto end = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < end;) {
    Launch();
    const Start start = WaitForAnswer();
    if (start == Start::kAnswers) return true;
    End(SIGKILL);
    if (start == Start::kFailed) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  why_ = "redis-server did not start again: " + Log();
  return false;
}

}  // namespace linefilter::test
