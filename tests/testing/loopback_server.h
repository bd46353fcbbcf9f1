// Whoever connects to a port of the loopback gets a thread that runs a function with his socket: for what no server of
// Redis does before it is one, or under what a test lays it.
#ifndef LINEFILTER_TESTS_TESTING_LOOPBACK_SERVER_H_
#define LINEFILTER_TESTS_TESTING_LOOPBACK_SERVER_H_

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/testing/loopback.h"

namespace linefilter::test {

class LoopbackServer {
 public:
  // The socket is closed when `talk` returns; it ends (reads find the end) with the server at the latest.
  explicit LoopbackServer(std::function<void(int fd)> talk) : talk_(std::move(talk)) {
    listener_ = ListenOnLoopback(&port_);
    thread_ = std::thread([this] { Serve(); });
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  ~LoopbackServer() {
    stop_ = true;
    thread_.join();
    close(listener_);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int num_connections() const { return num_connections_; }

 private:
  void Serve() {
    std::vector<std::pair<int, std::thread>> clients;
    while (!stop_) {
      pollfd polled = {listener_, POLLIN, 0};
      if (poll(&polled, 1, 5) <= 0) continue;
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      ++num_connections_;
      clients.emplace_back(fd, [this, fd] {
        talk_(fd);
        // The number is given back below: shutdown must not find another's.
        shutdown(fd, SHUT_RDWR);
      });
    }
    for (auto& [fd, thread] : clients) {
      shutdown(fd, SHUT_RDWR);
      thread.join();
      close(fd);
    }
  }

  const std::function<void(int)> talk_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> num_connections_{0};
  std::thread thread_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_LOOPBACK_SERVER_H_
