// These are the steps of `linefilter redis switch`, and what to do after one that failed.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_SWITCH_STEPS_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_SWITCH_STEPS_H_

#include <cstdint>
#include <string>

#include "linefilter/redis.h"
#include "tools/program/key_reader.h"
#include "tools/program/redis/images.h"
#include "tools/program/redis/servers.h"
#include "tools/program/secret.h"

namespace linefilter::tools {

struct Switch {
  ServerOptions server;
  std::string name, image, load, generation;
  KeysOption add;
  bool begin = false, commit = false, abandon = false, no_writers = false, not_removable = false;
  uint64_t num_keys = 0;
  FilterOptions options;
  RedisLayout layout;
  SecretOption secret;
  bool json = false;
};

// A step tells what is done, and what writers do from now on.
struct Step {
  Status status;
  const char* done;
  const char* writers;
  std::string refusal;      // instead of it: what is asked for would lose keys
  std::string advice = {};  // after a failure: how to go on
};

// Does the step that the options ask for; `image` is that of IMAGE or --load.
Step DoSwitchStep(const Switch& options, const Image& image, RedisFilter* filter);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_SWITCH_STEPS_H_
