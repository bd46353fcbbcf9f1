// A way to a server of Redis that a test can cut after any command: what is behind it is killed, as the server sees it.
// The test can hold it there, too: what it does next happens in the middle of a run, however busy the machine is.
//
//   RedisProxy proxy(server.port());
//   servers.addresses = proxy.address();
//   ...
//   proxy.CutAfter(7, RedisProxy::Last::kAnswered);  // seven more commands, then no connection any more
#ifndef LINEFILTER_TESTS_TESTING_REDIS_PROXY_H_
#define LINEFILTER_TESTS_TESTING_REDIS_PROXY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace linefilter::test {

class RedisProxy {
 public:
  // What becomes of the last command: its reply comes, or it runs and nobody is told.
  enum class Last { kAnswered, kUnanswered };

  explicit RedisProxy(uint16_t server_port);
  RedisProxy(const RedisProxy&) = delete;
  RedisProxy& operator=(const RedisProxy&) = delete;
  ~RedisProxy();

  std::string address() const;  // 127.0.0.1:port
  // Counts from now on. Commands of one pipeline are told apart.
  void CutAfter(size_t commands, Last last);
  bool was_cut() const;

  // After so many commands from now on nothing goes either way any more, until Release or the next HoldAfter. The last
  // ones run; whether their replies came nobody knows. Connections stay, and new ones wait, as long as the client does.
  void HoldAfter(size_t commands);
  bool is_held() const;
  // Returns how many of those that are held sent at least so many.
  size_t ConnectionsThatSent(size_t commands) const;
  void Release();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_PROXY_H_
