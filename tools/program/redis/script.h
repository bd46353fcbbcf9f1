// The usual ways, to compare with: the bits of `classic` in one string, k GETBIT or SETBIT in one server-side script
// (EVALSHA), or k of them in one BITFIELD without a script; the offsets computed by the client.
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

// In bytes, since the server began.
struct ServerTraffic {
  int64_t in = 0, out = 0;
};

class ScriptFilter {
 public:
  // Connects to the server that has the key, once the library has found one. Without TLS.
  Status Connect(const RedisServers& servers, const std::string& key);
  // The key becomes the bits of the filter, and goes after an hour, also if this is killed behind the first piece.
  Status Upload(const ClassicFilter& filter);
  Status Delete();

  // As RedisFilter's calls; all n at once.
  Status MayContainHashes(const uint64_t* hashes, size_t n, uint8_t* answers);
  Status InsertHashes(const uint64_t* hashes, size_t n, uint8_t* were_new);
  // The same by BITFIELD_RO and BITFIELD.
  Status MayContainByBitfield(const uint64_t* hashes, size_t n, uint8_t* answers);
  Status InsertByBitfield(const uint64_t* hashes, size_t n, uint8_t* were_new);

  // A fact of INFO, like redis_version; empty: not told.
  std::string TextFact(const char* name);
  // Whether it counts the commands and replies of all there is, and nothing else.
  bool TellsTraffic();
  // Of one INFO, of which the command is counted, and the reply is not yet. Without what goes to replicas.
  ServerTraffic Traffic();
  bool is_cluster() { return TextFact("redis_mode") == "cluster"; }

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };

  Status Open(const RedisServers& servers, const std::string& address);
  // One command; a reply that is an error is one.
  Status Do(const std::vector<std::string>& words, std::string* text = nullptr);
  // A command: how many words it has besides those of its probes, and the first of them; of each probe how many, what
  // stands before and after its offset.
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
  std::string buffer_;  // commands of a batch
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_SCRIPT_H_
