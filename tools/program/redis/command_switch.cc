// linefilter redis switch makes a filter anew while it serves. Readers see the old or the new one, never a mixture.
#include <memory>

#include "tools/program/images.h"
#include "tools/program/key_reader.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/switch_steps.h"

namespace linefilter::tools {
namespace {

constexpr const char* kSteps[] = {"IMAGE", "--begin", "--add", "--load", "--commit", "--abandon"};
constexpr const char* kOfBegin[] = {"--num-keys", "--fpr",       "--bits-per-key", "--layout",
                                    "--foldable", "--removable", "--turnovers"};

// Says which rule between the options is broken, or nothing.
std::string BrokenRule(const Arguments& arguments, const Switch& options) {
  int steps = 0;
  for (const char* step : kSteps) steps += arguments.Given(step);
  if (steps != 1) return "give one of IMAGE, --begin, --add FILE, --load IMAGE, --commit, --abandon";
  for (const char* option : kOfBegin) {
    if (!options.begin && arguments.Given(option)) return std::string(option) + " goes with --begin";
  }
  if (options.begin && options.num_keys == 0) return "--begin needs --num-keys, above 0";
  if (options.begin && arguments.Given("--fpr") == arguments.Given("--bits-per-key")) {
    return "--begin needs --fpr or --bits-per-key, one of them";
  }
  if (arguments.Given("--shard-bytes") && !options.begin && options.image.empty()) {
    return "--shard-bytes goes with --begin or IMAGE, which make a generation";
  }
  if (options.no_writers && options.image.empty()) return "--no-writers goes with IMAGE";
  if (options.not_removable && !options.begin && options.image.empty()) {
    return "--not-removable goes with --begin or IMAGE, which make a generation";
  }
  if (arguments.Given("--generation")) {
    if (options.begin || !options.image.empty()) return "--generation goes with --add, --load, --commit or --abandon";
    if (!IsGeneration(options.generation)) return kNoGeneration;
  }
  return "";
}

int RunSwitch(const Switch& options, const Arguments& arguments) {
  const std::string broken = BrokenRule(arguments, options);
  if (!broken.empty()) return Fail("redis switch: %s", broken.c_str());
  Image image;
  const std::string& path = options.load.empty() ? options.image : options.load;
  if (!path.empty() && !OpenImage(path, options.secret.OrNull(), &image)) return kExitBad;
  RedisFilter filter;
  if (const int failed = OpenFilter("switch", options.server, options.name, options.secret, &filter);
      failed != kExitGood)
    return failed;
  const Step step = DoSwitchStep(options, image, &filter);
  if (!step.refusal.empty()) return Fail("redis switch %s: %s", ShownName(options.name).c_str(), step.refusal.c_str());
  if (!step.status.ok()) return FailRedis("switch", options.name, step.status, step.advice);
  RedisInfo info;
  const Status status = filter.Info(&info);
  if (!status.ok()) {
    Fail("redis switch %s: %s; what is there now, `linefilter redis info` tells (%s)", ShownName(options.name).c_str(),
         step.done, SentenceOf(options.name, status).c_str());
    return ExitOf(status);
  }
  Report report;
  ReportFilter(filter, &report);
  report.Text("step", step.done);
  report.Text("generation", SecretCheckText(info.generation));
  if (info.next_generation != 0) report.Text("next_generation", SecretCheckText(info.next_generation));
  ReportSize(info.capacity, info.approximate_size, info.OverCapacity(), &report);
  report.Rate("expected_fpr", info.expected_fpr);
  report.Text("writers", step.writers);
  report.Print(options.json);
  if (!options.image.empty()) {
    WarnIfEmpty(image, filter, options.name, "`linefilter redis switch` with --begin and --num-keys");
  }
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto options = std::make_shared<Switch>();
  DeclareFilterName(&arguments, &options->name);
  arguments.Path("IMAGE", &options->image, "All in one go: this image is the next generation, and serves");
  arguments.Flag("--no-writers", &options->no_writers,
                 "With IMAGE: nobody added keys since its own were read, nor does now");
  arguments.Flag("--begin", &options->begin, "Only begin the next generation, empty");
  arguments.Count("--num-keys", &options->num_keys, "With --begin: how many keys there will be");
  arguments.Rate("--fpr", &options->options.fpr, "With --begin: the highest acceptable false-positive rate");
  arguments.Real("--bits-per-key", &options->options.bits_per_key, "B", "With --begin: or the size, 1 to 64");
  arguments.LayoutName(&options->options.layout, true, "With --begin: blocked by default", true);
  arguments.Flag("--foldable", &options->options.foldable,
                 "With --begin: blocks in a multiple of 64: dumps can be folded and merged");
  arguments.Removable(&options->options);
  arguments.Flag("--not-removable", &options->not_removable,
                 "With --begin or IMAGE: keys could be removed until now, and no more");
  arguments.AtMostOneOf("--removable", "--not-removable");
  arguments.Keys("--add", &options->add,
                 "Only add the keys of this file to the next generation, one per line; - is standard input");
  arguments.Path("--load", &options->load, "Or those of this image, which has its size");
  arguments.Flag("--commit", &options->commit, "Only let the next generation serve");
  arguments.Flag("--abandon", &options->abandon, "Give the next generation up, perhaps of a program that died");
  arguments.Text("--generation", &options->generation, "ID",
                 "With these four: only if it is the one that was begun, as --begin printed it");
  arguments.Count("--shard-bytes", &options->layout.shard_bytes,
                  "With --begin or IMAGE: most bytes of one string of Redis; 64 MiB by default");
  arguments.Secret(&options->secret, SecretUse::kAsk, &options->add);
  DeclareServer(&arguments, ServerUse::kAdd, &options->server);
  arguments.Json(&options->json);
  return [options, &arguments] { return RunSwitch(*options, arguments); };
}

}  // namespace

const Command kRedisSwitchCommand = {
    "switch", "Let another generation of a filter serve: readers see the old or the new one",
    "Where nobody adds keys: linefilter redis switch NAME IMAGE --no-writers (retrieval takes none, and needs no "
    "word).\n"
    "Keys that were added since the image's were read would not be in it. So, where others go on adding:\n"
    "  linefilter redis switch NAME --begin --num-keys 1e8 --fpr 0.01   from now on all writers add to both "
    "generations\n"
    "  linefilter redis switch NAME --add FILE                          all keys of the exact source, read after that\n"
    "  linefilter redis switch NAME --commit                            readers ask the new one, and the old one goes\n"
    "Instead of --add, --load IMAGE, which must have the layout, size, num_probes and hash of what was begun. Where "
    "several\n"
    "programs make filters anew, each gives --generation ID. A step that failed is done again; where IMAGE failed, "
    "the\n"
    "message tells how to go on: a next_generation that redis info shows may be somebody else's, without IMAGE's "
    "keys.\n"
    "Exit code: 0 the step is done, 2 it is not, or not to its end: the old or the new one serves, as a whole,\n"
    "3 the same, since a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
