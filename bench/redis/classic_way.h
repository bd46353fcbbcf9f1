// The usual ways, to compare with, keep the bits of `classic` in one string: k GETBIT or SETBIT in one server-side
// script (EVALSHA), or k of them in one BITFIELD without a script. The client computes the offsets.
#ifndef LINEFILTER_BENCH_REDIS_CLASSIC_WAY_H_
#define LINEFILTER_BENCH_REDIS_CLASSIC_WAY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/redis/connection.h"
#include "linefilter/remote_body.h"
#include "tools/measure/redis_bench.h"

namespace linefilter::bench {

// Its strings go when it does, or after an hour, also if this is killed behind the first piece of an upload.
class ClassicWay final : public tools::BenchWay {
 public:
  enum Commands : uint8_t { kScript, kBitfield };
  ClassicWay(Commands commands, const std::string& name);
  ~ClassicWay() override;
  ClassicWay(const ClassicWay&) = delete;
  ClassicWay& operator=(const ClassicWay&) = delete;

  Status Create(const tools::BenchRequest& request);
  Status Ask(const std::vector<uint64_t>& hashes, bool pipelined, uint8_t* answers) override;
  Status Insert(const std::vector<uint64_t>& hashes, bool pipelined) override;

 private:
  // The form of a command: how many words it has besides those of its probes, and the first of them; and how many each
  // probe has, with what stands before and after its offset.
  struct Form {
    size_t words;
    std::string begin;
    size_t words_of_probe;
    const char *before, *after;
    bool inserts;
  };
  struct Server {
    std::string key;
    RedisConnection connection;
    Form form;
    bool is_filled = false;
  };

  Status CreateOne(const tools::BenchRequest& request, tools::BenchUse use, Server* server);
  Status Run(Server* server, const std::vector<uint64_t>& hashes, uint8_t* answers);

  const Commands commands_;
  Server lookups_, inserts_;
  BodyFacts body_;
  std::string buffer_;  // the commands of a batch
  std::vector<uint8_t> were_new_;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_REDIS_CLASSIC_WAY_H_
