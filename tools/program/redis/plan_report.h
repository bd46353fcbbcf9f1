// `linefilter plan --redis` prints this.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_PLAN_REPORT_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_PLAN_REPORT_H_

#include <string>

#include "tools/program/redis/plan.h"

namespace linefilter::tools {

// rates_file is "" for the rates that are assumed. It returns the exit code.
int RunRedisPlan(RedisPlanRequest request, const std::string& rates_file, bool json);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_PLAN_REPORT_H_
