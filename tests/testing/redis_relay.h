// A way to a server of Redis on which each command is shown to the test before it runs, and after it. So what others do
// falls between two commands of one client, however busy the machine is. Commands of a pipeline go to the server one by
// one.
//
//   RedisRelay relay(server.port());
//   relay.before = [&](const RedisRelay::Words& words) {
//     return words[0] == "ROLE" ? RedisRelay::Act::kClose : RedisRelay::Act::kForward;
//   };
#ifndef LINEFILTER_TESTS_TESTING_REDIS_RELAY_H_
#define LINEFILTER_TESTS_TESTING_REDIS_RELAY_H_

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/testing/loopback.h"

namespace linefilter::test {

// A function that a test may change while others call it, who go on with the one that they began.
template <class Result, class Argument>
class RelayHook {
 public:
  template <class Function>
  RelayHook& operator=(Function function) {
    const auto made = std::make_shared<const std::function<Result(Argument)>>(std::move(function));
    const std::lock_guard<std::mutex> lock(mutex_);
    function_ = made;
    return *this;
  }
  Result operator()(Argument argument) const {
    std::shared_ptr<const std::function<Result(Argument)>> now;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      now = function_;
    }
    return now == nullptr ? Result() : (*now)(argument);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const std::function<Result(Argument)>> function_;
};

class RedisRelay {
 public:
  using Words = std::vector<std::string>;
  struct Act {
    enum Do { kForward, kClose, kRunAndClose, kReply };
    Act(Do act = kForward) : what(act) {}                            // NOLINT: kClose is an act
    Act(std::string text) : what(kReply), reply(std::move(text)) {}  // NOLINT: "-OOM\r\n", without the server
    Do what;
    std::string reply;
  };

  // Both may take their time, and use other ways to the server. What they count and tests read is atomic.
  RelayHook<Act, const Words&> before;
  RelayHook<void, const Words&> after;  // it ran, and its reply is kept so long
  std::atomic<bool> refuses{false};     // new connections
  size_t num_refused() const { return num_refused_; }
  // Nothing goes through, while connections stay. Only a relay of bytes does this.
  std::atomic<bool> stalls{false};

  // A relay of bytes shows nothing: a replica follows through it.
  enum class Of { kCommands, kBytes };
  explicit RedisRelay(uint16_t server_port, Of of = Of::kCommands) : server_port_(server_port), of_(of) {
    listener_ = ListenOnLoopback(&port_);
    thread_ = std::thread([this] { Accept(); });
  }
  RedisRelay(const RedisRelay&) = delete;
  RedisRelay& operator=(const RedisRelay&) = delete;
  ~RedisRelay() {
    stops_ = true;
    shutdown(listener_, SHUT_RDWR);  // wakes who waits for a client
    thread_.join();
    for (std::thread& way : ways_) way.join();
    close(listener_);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  uint16_t port() const { return port_; }

 private:
  void Accept() {
    while (!stops_) {
      pollfd polled = {listener_, POLLIN, 0};
      if (poll(&polled, 1, 20) <= 0) continue;
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      if (refuses) {
        ++num_refused_;
        close(client);
      } else {
        ways_.emplace_back([this, client] { Serve(client); });
      }
    }
  }

  void Serve(int client) {
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    const sockaddr_in address = Loopback(server_port_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
      for (const int fd : {client, server}) (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      if (of_ == Of::kBytes) {
        PassBytes(client, server);
      } else {
        PassCommands(client, server);
      }
    }
    close(client);
    close(server);
  }

  void PassCommands(int client, int server) {
    std::string commands, replies;
    for (;;) {
      Words words;
      size_t size = 0;
      for (; !Parse(commands, &(size = 0), &words); words.clear()) {
        if (!Read(client, &commands)) return;
      }
      const std::string command = commands.substr(0, size);
      commands.erase(0, size);
      const Act act = before(words);
      if (act.what == Act::kClose) return;
      if (act.what == Act::kReply) {
        Send(client, act.reply);
        continue;
      }
      Send(server, command);
      while (!Parse(replies, &(size = 0), nullptr)) {
        if (!Read(server, &replies)) return;
      }
      after(words);
      if (act.what == Act::kRunAndClose) return;
      Send(client, replies.substr(0, size));
      replies.erase(0, size);
    }
  }

  void PassBytes(int client, int server) {
    while (!stops_) {
      pollfd polled[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      if (poll(polled, 2, 5) <= 0) continue;
      if (stalls) {
        usleep(1000);
        continue;
      }
      for (int i = 0; i < 2; ++i) {
        std::string bytes;
        if (polled[i].revents == 0) continue;
        if (!Read(polled[i].fd, &bytes)) return;
        Send(polled[1 - i].fd, bytes);
      }
    }
  }

  // A command or a reply of RESP at *at, which is moved behind it. False: it is not all there.
  static bool Parse(const std::string& bytes, size_t* at, Words* words) {
    const size_t end = bytes.find("\r\n", *at);
    if (end == std::string::npos) return false;
    const char type = bytes[*at];
    const int64_t number = std::atoll(bytes.c_str() + *at + 1);
    *at = end + 2;
    if (type == '*') {
      for (int64_t i = 0; i < number; ++i) {
        if (!Parse(bytes, at, words)) return false;
      }
    } else if (type == '$' && number >= 0) {
      if (bytes.size() < *at + static_cast<size_t>(number) + 2) return false;
      if (words != nullptr) words->push_back(bytes.substr(*at, static_cast<size_t>(number)));
      *at += static_cast<size_t>(number) + 2;
    }
    return true;
  }

  // False: the connection, or the test, ends.
  bool Read(int fd, std::string* bytes) const {
    while (!stops_) {
      pollfd polled = {fd, POLLIN, 0};
      if (poll(&polled, 1, 20) <= 0) continue;
      char piece[65536];
      const ssize_t size = recv(fd, piece, sizeof(piece), 0);
      if (size <= 0) return false;
      bytes->append(piece, static_cast<size_t>(size));
      return true;
    }
    return false;
  }

  static void Send(int fd, const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t sent = send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<size_t>(sent);
    }
  }

  const uint16_t server_port_;
  const Of of_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stops_{false};
  std::atomic<size_t> num_refused_{0};
  std::thread thread_;
  std::vector<std::thread> ways_;  // of thread_ alone
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_RELAY_H_
