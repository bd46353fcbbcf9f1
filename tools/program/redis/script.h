// These are the usual ways, to compare with: the bits of `classic` in one string, k GETBIT or SETBIT in one server-side
// script (EVALSHA), or k of them in one BITFIELD without a script. The client computes the offsets.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_SCRIPT_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_SCRIPT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "linefilter/remote_body.h"
#include "linefilter/status.h"

struct redisContext;

namespace linefilter::tools {

// The traffic in bytes, since the server began.
struct ServerTraffic {
  int64_t in = 0, out = 0;
};

class ScriptFilter {
 public:
  // Connects to the server that has the key, once the library has found one, without TLS.
  Status Connect(const RedisServers& servers, const std::string& key);
  // The key becomes the bits of the filter, and goes after an hour, also if this is killed behind the first piece.
  Status Upload(const ClassicFilter& filter);
  Status Delete();

  // These are like RedisFilter's calls, with all n at once.
  Status MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers);
  Status InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new);
  // These do the same by BITFIELD_RO and BITFIELD.
  Status MayContainByBitfield(const uint64_t* hashes, size_t n, uint8_t* answers);
  Status InsertByBitfield(const uint64_t* hashes, size_t n, uint8_t* were_new);

  // A fact of INFO, like redis_version; empty if it is not told.
  std::string TextFact(const char* name);
  // Whether the server counts all commands and replies, and nothing else.
  bool TellsTraffic();
  // The traffic by one INFO: its command is counted, its reply not yet. It leaves out what goes to replicas.
  ServerTraffic Traffic();
  bool is_cluster() { return TextFact("redis_mode") == "cluster"; }

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };

  Status Open(const RedisServers& servers, const std::string& address);
  // Runs one command; a reply that is an error is one.
  Status Do(const std::vector<std::string>& words, std::string* text = nullptr);
  // The form of a command: how many words it has besides those of its probes, and the first of them; and how many each
  // probe has, with what stands before and after its offset.
  struct Form {
    size_t words;
    std::string begin;
    size_t words_of_probe;
    const char *before, *after;
    bool inserts;
  };
  Form FormOfScript(const std::string& script, bool inserts) const;
  Status Run(const Form& form, const uint64_t* hashes, size_t n, uint8_t* answers);
  Status Lost();

  std::unique_ptr<redisContext, Free> context_;
  std::string key_, lookup_, insert_;  // the scripts' SHA1
  BodyFacts facts_;
  std::string buffer_;  // the commands of a batch
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_SCRIPT_H_
