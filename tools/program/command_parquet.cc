// linefilter parquet shows the Bloom filters of a Parquet file, and asks them.
#include <memory>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/parquet/request.h"

namespace linefilter::tools {
namespace {

int RunParquet(const ParquetRequest& request, const Arguments& arguments) {
  if (!IsWantedFpr("parquet", request.fpr)) return kExitBad;
  if (arguments.Given("--ask")) return AskParquet(request);
  return arguments.Given("--at") ? ShowParquetFilter(request) : ListParquet(request);
}

std::function<int()> Declare(Arguments& arguments) {
  auto request = std::make_shared<ParquetRequest>();
  arguments.Path("FILE", &request->path, "The Parquet file", Need::kRequired);
  arguments.Text("--ask", &request->ask, "COLUMN=VALUE", "Tell which row groups may have the value in the column");
  arguments.Text("--at", &request->at, "OFFSET[:LENGTH]",
                 "Describe the filter that begins there, header first; the file needs no footer");
  arguments.Rate("--fpr", &request->fpr, "Tell sizes for this false-positive rate; 1% by default");
  arguments.Json(&request->json);
  arguments.AtMostOneOf("--ask", "--at");
  return [request, &arguments] { return RunParquet(*request, arguments); };
}

}  // namespace

const Command kParquetCommand = {
    "parquet", "Show the Bloom filters of a Parquet file, and which row groups may have a value",
    "Lists each column of each row group. state: ok, none (it has no filter), encrypted, elsewhere (its data lie in\n"
    "another file), damaged, unknown (of a later version); reasons explains the last four. body_bytes, fill_ratio,\n"
    "expected_fpr and approximate_size (distinct values) are those of the very bits. sized_body_bytes and sized_fpr:\n"
    "what a filter of the right size would have, for --fpr and the distinct values that the bits tell, or without a\n"
    "filter for all values. Columns are named by their path, with points. Files of old writers, which store no length\n"
    "of a filter, are read by the filter's own header.\n"
    "--ask: VALUE is converted to the type of the column. Numbers are written like 42, -1.50 or 1e-3, dates like\n"
    "2024-02-29, times like 08:30:00.25, timestamps like 2024-02-29T08:30:00.25 (with Z in a column of instants),\n"
    "bytes like 0x6162; text and UUIDs as they are. In a column of FLOAT or DOUBLE a number with a point or an "
    "exponent\n"
    "is the nearest one that the column holds. Each answer has its reason; what cannot be known is maybe.\n"
    "Exit code: 0 good, with --ask: a row group may have the value; 1 none has it; 2 bad usage or bad file, or a "
    "filter\n"
    "is damaged (the others are told all the same).",
    &Declare};

}  // namespace linefilter::tools
