// A failure says what an error means: whether to ask again, elsewhere, or not at all; and the sentence about it.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_FAILURE_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_FAILURE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "linefilter/status.h"

namespace linefilter::redis_internal {

enum class Verdict : uint8_t {
  kFine,
  kFinal,    // asked again it would say the same
  kBroken,   // it failed, and is not asked for a while (Breaker)
  kRetry,    // later it may do it
  kReplica,  // it is none that may be asked; another one is
  kMoved,    // another node has the slot, from now on
  kAsk,      // another node has this key already, the slot still moves
};

// What it says of the node: see Breaker. kHurried is silence in a call that gave hardly any time: it says something of
// a node that is known to be ill, and nothing of any other.
enum class Sign : uint8_t { kNone, kRefused, kSilent, kHurried, kLost };

struct Failure {
  Verdict verdict = Verdict::kFine;
  Status status;  // not for kMoved and kAsk
  Sign sign = Sign::kNone;
};
inline bool IsFine(const Failure& failure) { return failure.verdict == Verdict::kFine; }

// Judges an error reply. `server` is its address.
Failure JudgeError(std::string_view text, const std::string& server);

// Whether an error reply means that nothing was done. Redis says so before a command runs, or before the first write of
// a script; what it has in mind then does not change until the script ends.
bool IsRefusal(std::string_view text);

// Judges the reply to AUTH. Its words are not shown: a server that does not know the command says the password.
Failure JudgeAuthError(std::string_view text, const std::string& server);

// Parses "MOVED 3999 10.0.0.1:6379", or ASK. *host is empty if it is the one that answered. It is false if it is no
// such text.
bool ParseRedirect(std::string_view text, uint16_t* slot, std::string* host, int* port);

// Makes what a server said fit for sentences in logs and terminals: no more than a line, printable.
std::string Shown(std::string_view text);
// Whether a server's word for a host can be one: printable, and not endless.
bool IsHost(std::string_view text);

// The failure of a server that is a replica.
Failure ReplicaFailure(const std::string& server);
// The failure of a connection; %s is `why`.
Failure Unreachable(const std::string& server, const char* why, Sign sign);
Failure Lost(const std::string& server, const char* why);
Failure TimedOut(const std::string& server, int64_t ms, const char* limit);
Failure Garbage(const std::string& server);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_WIRE_FAILURE_H_
