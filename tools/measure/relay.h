// A relay before a server of Redis that is ill in its place: it refuses or is silent, while the server serves others.
//
//   Relay relay;
//   Status status = relay.Start("redis.example.org:6379");
//   servers.addresses = relay.address();
//   status = relay.Become(Relay::State::kSilent);
#ifndef LINEFILTER_TOOLS_MEASURE_RELAY_H_
#define LINEFILTER_TOOLS_MEASURE_RELAY_H_

#include <cstdint>
#include <list>
#include <string>
#include <thread>

#include "linefilter/status.h"

namespace linefilter::tools {

// One thread uses an object. A thread of its own forwards as long as a state lasts in which something goes through.
class Relay {
 public:
  enum class State {
    kWell,          // all goes through
    kRefuses,       // connections end, and there are no new ones
    kSilent,        // connections stay and are made, and nothing goes through
    kOldAreSilent,  // the same for connections that are there; new ones are well
  };

  Relay() = default;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  // Goes before the server at host:port, [host]:port or unix:/path, whether or not that answers.
  Status Start(const std::string& server);
  Status Become(State state);

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // The server's host, which its certificate names; empty for unix:/path.
  const std::string& host() const { return host_; }

 private:
  struct Way {
    int client = -1, server = -1;
    bool is_silent = false;
  };

  Status BindListener();
  void EndThread();
  void CloseWays();
  void Serve();
  void Accept();
  int ConnectToServer() const;

  std::string host_, port_or_path_;
  uint16_t port_ = 0;
  int listener_ = -1, wake_[2] = {-1, -1};
  State state_ = State::kRefuses;
  std::list<Way> ways_;  // the thread's, while there is one
  std::thread thread_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_RELAY_H_
