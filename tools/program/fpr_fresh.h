// `linefilter fpr` without --filter makes filters of keys of its own, and asks them.
#ifndef LINEFILTER_TOOLS_PROGRAM_FPR_FRESH_H_
#define LINEFILTER_TOOLS_PROGRAM_FPR_FRESH_H_

#include "tools/program/arguments.h"
#include "tools/program/fpr_guard.h"
#include "tools/program/fpr_request.h"

namespace linefilter::tools {

void DeclareFprOfFresh(Arguments* arguments, FprRequest* fpr);

int RunFprOfFresh(const FprRequest& fpr, const GuardOptions& options);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_FPR_FRESH_H_
