// These are the commands of `linefilter redis`.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_COMMANDS_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_COMMANDS_H_

#include "tools/program/command.h"

namespace linefilter::tools {

extern const Command kRedisCreateCommand, kRedisAddCommand, kRedisQueryCommand, kRedisInfoCommand, kRedisLoadCommand,
    kRedisDumpCommand, kRedisSwitchCommand, kRedisExpireCommand, kRedisDeleteCommand, kRedisBenchCommand;

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_COMMANDS_H_
