// linefilter targets tells which instructions this CPU offers, and which do the work.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/target.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

int RunTargets(bool json) {
  const TargetList list = SupportedTargets();
  std::vector<Report> rows;
  for (size_t i = 0; i < list.size; ++i) {
    Report row;
    row.Text("target", list.names[i]);
    row.Bool("chosen", strcmp(list.names[i], ChosenTarget()) == 0);
    rows.push_back(row);
  }
  Report report;
  report.Text("chosen_target", ChosenTarget());
  report.Table("targets", rows);
  report.Print(json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto json = std::make_shared<bool>(false);
  arguments.Json(json.get());
  return [json] { return RunTargets(*json); };
}

}  // namespace

const Command kTargetsCommand = {
    "targets", "List the SIMD targets that this program can use on this CPU, best first",
    "The environment variable LINEFILTER_TARGET=NAME forces one, for experiments: all give the same bits and answers.\n"
    "Exit code: 0.",
    &Declare};

}  // namespace linefilter::tools
