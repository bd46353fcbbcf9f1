// A server that says what a test wants, at a port of the loopback: the answer to each command is made by a function.
// For what a sound Redis never does, or not when a test could see it.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_FAKE_SERVER_H_
#define LINEFILTER_TESTS_TESTING_REDIS_FAKE_SERVER_H_

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/testing/loopback.h"

namespace linefilter::test {

class RedisFakeServer {
 public:
  struct Answer {
    Answer(std::string text) : bytes(std::move(text)) {}  // NOLINT: "+OK\r\n" is an answer
    Answer(const char* text) : bytes(text) {}             // NOLINT
    std::string bytes;
    bool closes = false;  // the connection, then
    bool drips = false;   // a byte at a time, or:
    size_t drop = 1;
    useconds_t pause_us = 500;  // after each
  };
  // The command's words, joined by blanks. What introduces a connection (CLUSTER SLOTS, ROLE) is asked, too, unless
  // `introduces` answers it as a lone master does.
  using Talk = std::function<Answer(const std::string& command)>;

  explicit RedisFakeServer(Talk talk, bool introduces = true) : talk_(std::move(talk)), introduces_(introduces) {
    listener_ = ListenOnLoopback(&port_);
    thread_ = std::thread([this] { Serve(); });
  }
  RedisFakeServer(const RedisFakeServer&) = delete;
  RedisFakeServer& operator=(const RedisFakeServer&) = delete;
  ~RedisFakeServer() {
    stop_ = true;
    thread_.join();
    close(listener_);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string port() const { return std::to_string(port_); }
  // Connections that the other side gave up, so that what was under way is nobody's.
  int num_resets() const { return num_resets_; }
  // All commands that came, but those that introduce.
  std::vector<std::string> commands() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return commands_;
  }

 private:
  struct Client {
    int fd;
    std::string input;
  };

  // Takes a command off the front of *input; false if there is not a whole one.
  static bool TakeCommand(std::string* input, std::string* command) {
    size_t at = 0;
    const auto take_number = [&](char type, size_t* number) {
      const size_t end = input->find("\r\n", at);
      if (end == std::string::npos || (*input)[at] != type) return false;
      *number = static_cast<size_t>(std::atoll(input->c_str() + at + 1));
      at = end + 2;
      return true;
    };
    size_t num_words = 0, size = 0;
    command->clear();
    if (!take_number('*', &num_words)) return false;
    for (size_t i = 0; i < num_words; ++i) {
      if (!take_number('$', &size) || input->size() < at + size + 2) return false;
      *command += (i == 0 ? "" : " ") + input->substr(at, size);
      at += size + 2;
    }
    input->erase(0, at);
    return true;
  }

  static void Send(int fd, const Answer& answer) {
    const size_t step = answer.drips ? answer.drop : answer.bytes.size();
    for (size_t at = 0; at < answer.bytes.size(); at += step) {
      const size_t size = std::min(step, answer.bytes.size() - at);
      if (send(fd, answer.bytes.data() + at, size, MSG_NOSIGNAL) <= 0) return;
      if (answer.drips) usleep(answer.pause_us);
    }
  }

  // False: the connection ends.
  bool TalkTo(Client* client) {
    char bytes[4096];
    const ssize_t got = recv(client->fd, bytes, sizeof(bytes), 0);
    if (got < 0) ++num_resets_;
    if (got <= 0) return false;
    client->input.append(bytes, static_cast<size_t>(got));
    std::string command;
    while (TakeCommand(&client->input, &command)) {
      if (introduces_ && command == "CLUSTER SLOTS") {
        Send(client->fd, "-ERR This instance has cluster support disabled\r\n");
      } else if (introduces_ && command == "ROLE") {
        Send(client->fd, "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
      } else {
        {
          const std::lock_guard<std::mutex> lock(mutex_);
          commands_.push_back(command);
        }
        const Answer answer = talk_(command);
        Send(client->fd, answer);
        if (answer.closes) return false;
      }
    }
    return true;
  }

  void Serve() {
    std::vector<Client> clients;
    while (!stop_) {
      std::vector<pollfd> polled = {{listener_, POLLIN, 0}};
      for (const Client& client : clients) polled.push_back({client.fd, POLLIN, 0});
      if (poll(polled.data(), polled.size(), 5) <= 0) continue;
      for (size_t i = clients.size(); i-- > 0;) {
        if (polled[i + 1].revents == 0 || TalkTo(&clients[i])) continue;
        close(clients[i].fd);
        clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (polled[0].revents == 0) continue;
      const int fd = accept(listener_, nullptr, nullptr), on = 1;
      (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      clients.push_back({fd, ""});
    }
    for (const Client& client : clients) close(client.fd);
  }

  const Talk talk_;
  const bool introduces_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> num_resets_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> commands_;
  std::thread thread_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_FAKE_SERVER_H_
