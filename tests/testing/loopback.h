// Addresses and listening sockets of the loopback, for servers that tests make of a thread.
#ifndef LINEFILTER_TESTS_TESTING_LOOPBACK_H_
#define LINEFILTER_TESTS_TESTING_LOOPBACK_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstdlib>

namespace linefilter::test {

inline sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Listens on a port that is free, which *port becomes.
inline int ListenOnLoopback(uint16_t* port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 64) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  *port = ntohs(address.sin_port);
  return listener;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_LOOPBACK_H_
