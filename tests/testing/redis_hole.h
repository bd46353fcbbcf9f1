// A server that drops what is sent to it, as behind a firewall.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_HOLE_H_
#define LINEFILTER_TESTS_TESTING_REDIS_HOLE_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace linefilter::test {

// Addresses at the loopback that neither answer nor refuse: a listener whose queue is full.
class RedisHole {
 public:
  RedisHole() {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    socklen_t size = sizeof(address);
    fds_.push_back(socket(AF_INET, SOCK_STREAM, 0));
    (void)bind(fds_[0], reinterpret_cast<sockaddr*>(&address), size);
    (void)listen(fds_[0], 0);
    (void)getsockname(fds_[0], reinterpret_cast<sockaddr*>(&address), &size);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < 4; ++i) {
      fds_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
      (void)connect(fds_.back(), reinterpret_cast<sockaddr*>(&address), size);
    }
    usleep(50000);
    port_ = std::to_string(ntohs(address.sin_port));
  }
  RedisHole(const RedisHole&) = delete;
  RedisHole& operator=(const RedisHole&) = delete;
  ~RedisHole() {
    for (const int fd : fds_) close(fd);
  }
  std::string port() const { return port_; }

 private:
  std::vector<int> fds_;
  std::string port_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_HOLE_H_
