// linefilter redis switch: a filter made anew while it serves. Readers see the old or the new one, never a mixture.
#include <cstdio>
#include <memory>
#include <vector>

#include "tools/images.h"
#include "tools/key_reader.h"
#include "tools/progress.h"
#include "tools/redis/commands.h"
#include "tools/redis/failure.h"
#include "tools/redis/images.h"
#include "tools/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Switch {
  ServerOptions server;
  std::string name, image, load, add, generation;
  bool begin = false, commit = false, abandon = false, u64 = false, no_writers = false;
  uint64_t num_keys = 0;
  FilterOptions options;
  RedisLayout layout;
  SecretOption secret;
  bool json = false;
};

constexpr const char* kSteps[] = {"IMAGE", "--begin", "--add", "--load", "--commit", "--abandon"};
constexpr const char* kOfBegin[] = {"--num-keys", "--fpr", "--bits-per-key", "--layout", "--foldable"};

// What is done, and what writers do from now on.
struct Step {
  Status status;
  const char* done;
  const char* writers;
  std::string refusal;      // instead of it: what is asked for would lose keys
  std::string advice = {};  // after a failure: how to go on
};

constexpr char kToBoth[] = "add to both generations, wherever they are; readers ask the old one";
constexpr char kToNew[] = "add to the new generation, which readers ask";

Step Begin(const Switch& options, RedisFilter* filter) {
  return {filter->BeginGeneration(options.num_keys, options.options, options.layout), "begun", kToBoth, ""};
}

Step LoadIt(const RedisImage& image, RedisFilter* filter) {
  return {filter->LoadNext(image.data(), image.size()), "loaded", kToBoth, ""};
}

// The keys of a file, into the next generation alone.
Step AddKeys(const Switch& options, RedisFilter* filter) {
  Step step = {filter->KeyStatus(), "added", kToBoth, ""};
  KeyReader reader;
  if (step.status.ok()) step.status = reader.Open(options.add, options.u64 ? KeyFormat::kU64 : KeyFormat::kLines);
  if (!step.status.ok()) return step;
  Progress progress("adding keys", "bytes", reader.bytes_total());
  std::vector<std::string_view> keys;
  std::vector<uint64_t> hashes;
  while (step.status.ok() && reader.Next(&keys)) {
    hashes.clear();
    for (const std::string_view& key : keys) hashes.push_back(filter->HashOf(key));
    step.status = filter->InsertHashesIntoNext(hashes.data(), hashes.size());
    progress.Update(reader.bytes_done());
  }
  if (step.status.ok()) step.status = reader.status();
  return step;
}

// Whoever began it goes on with it, nobody else: it may lack keys that only he knows of.
std::string OfAnother(uint64_t next) {
  const std::string id = SecretCheckText(next);
  return "generation " + id +
         " was begun, perhaps by somebody else, and IMAGE neither fills nor commits it. If it is yours: --load IMAGE "
         "or "
         "--add FILE, then --commit, each with --generation " +
         id + "; if its program died: --abandon";
}

// Another generation may be there by now, without the keys of IMAGE: to let that serve would answer "absent" of them.
constexpr char kPerhapsBegun[] =
    "Perhaps a generation with the keys of IMAGE was begun, perhaps not. If `linefilter redis info` has a\n"
    "next_generation, it may also be somebody else's without them: do not --commit it. If nobody else makes this "
    "filter "
    "anew,\n"
    "give it up by --abandon --generation ID; then all this again.";

bool IsRefusal(StatusCode code) {
  return code == StatusCode::kIncompatible || code == StatusCode::kInvalidArgument ||
         code == StatusCode::kUnsupported || code == StatusCode::kNotFound;
}

// The switch to a generation that certainly has the keys of IMAGE failed; `next` is it, 0 if Redis did not tell.
std::string AfterBegin(StatusCode code, uint64_t next) {
  if (IsRefusal(code)) return "";  // it is gone, by somebody else's hand
  if (next == 0) return kPerhapsBegun;
  const std::string id = SecretCheckText(next);
  if (code == StatusCode::kCorrupt) {
    return "Generation " + id + ", begun for IMAGE, is no longer whole: --abandon --generation " + id +
           " gives it up; then all this again.";
  }
  return "Generation " + id + " has all keys of IMAGE: --commit --generation " + id +
         " lets it serve, --abandon --generation " + id + " gives it up.";
}

void BeginAndSwitch(const Switch& options, const RedisImage& image, RedisFilter* filter, Step* step) {
  RedisInfo info;
  step->status = filter->BeginGenerationFromImage(image.data(), image.size(), options.layout);
  if (!step->status.ok()) {
    const StatusCode code = step->status.code();
    if (!IsRefusal(code)) {
      step->advice = kPerhapsBegun;
    } else if (code == StatusCode::kIncompatible && filter->Info(&info).ok() && info.next_generation != 0) {
      // Somebody was faster.
      step->refusal = OfAnother(info.next_generation);
    }
    return;
  }
  // Its number, while it can be asked for: ours, if a step into the next generation, which goes by its number, succeeds
  // afterwards. No key is a step, too.
  uint64_t next = 0;
  if (filter->Info(&info).ok() && filter->InsertHashesIntoNext(nullptr, 0).ok()) next = info.next_generation;
  step->status = filter->SwitchGeneration();
  if (!step->status.ok()) step->advice = AfterBegin(step->status.code(), next);
}

// The image is the next generation, which serves at once.
Step SwitchTo(const Switch& options, const RedisImage& image, RedisFilter* filter) {
  RedisInfo info;
  Step step = {filter->Info(&info), "switched", kToNew, ""};
  if (!step.status.ok()) return step;
  if (info.next_generation != 0) {
    step.refusal = OfAnother(info.next_generation);
  } else if (filter->layout() != Layout::kRetrieval && !options.no_writers) {
    step.refusal =
        "keys that were added since those of IMAGE were read would be lost: say --no-writers if there are none. Else, "
        "in this order: 1. --begin (all writers add to both generations from then on), 2. --add FILE or --load IMAGE "
        "with all keys of the exact source, read after that, 3. --commit";
  } else {
    BeginAndSwitch(options, image, filter, &step);
  }
  return step;
}

// --generation, if given, names the one that was begun; or, of a commit, the one that serves since, of which the rest
// may be left to do.
Step CheckGeneration(const Switch& options, RedisFilter* filter) {
  Step step = {Status(), "", "", ""};
  if (options.generation.empty()) return step;
  RedisInfo info;
  step.status = filter->Info(&info);
  if (!step.status.ok()) return step;
  const std::string next = info.next_generation != 0 ? SecretCheckText(info.next_generation) : "none";
  const bool is_left = options.commit && info.previous_generation != 0;
  if (options.generation == next || (is_left && options.generation == SecretCheckText(info.generation))) return step;
  step.refusal = "the generation that was begun is " + next + ", not " + options.generation +
                 ", which was switched to or abandoned: look at `linefilter redis info`, and begin anew";
  return step;
}

Step Do(const Switch& options, const RedisImage& image, RedisFilter* filter) {
  const Step checked = CheckGeneration(options, filter);
  if (!checked.status.ok() || !checked.refusal.empty()) return checked;
  if (options.begin) return Begin(options, filter);
  if (!options.add.empty()) return AddKeys(options, filter);
  if (!options.load.empty()) return LoadIt(image, filter);
  if (options.commit) return {filter->SwitchGeneration(), "switched", kToNew, ""};
  if (options.abandon) return {filter->AbandonGeneration(), "abandoned", "add to the old generation alone", ""};
  return SwitchTo(options, image, filter);
}

// Empty, or which rule between the options is broken.
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
  if (options.u64 && options.add.empty()) return "--u64 goes with --add";
  if (arguments.Given("--shard-bytes") && !options.begin && options.image.empty()) {
    return "--shard-bytes goes with --begin or IMAGE, which make a generation";
  }
  if (options.no_writers && options.image.empty()) return "--no-writers goes with IMAGE";
  if (arguments.Given("--generation")) {
    if (options.begin || !options.image.empty()) return "--generation goes with --add, --load, --commit or --abandon";
    if (options.generation.size() != 16 ||
        options.generation.find_first_not_of("0123456789abcdef") != std::string::npos) {
      return "--generation must be 16 hexadecimal digits, as --begin prints them: next_generation";
    }
  }
  return "";
}

int RunSwitch(const Switch& options, const Arguments& arguments) {
  const std::string broken = BrokenRule(arguments, options);
  if (!broken.empty()) return Fail("redis switch: %s", broken.c_str());
  RedisServers servers;
  RedisImage image;
  if (!ReadyServers(options.server, &servers)) return kExitBad;
  const std::string& path = options.load.empty() ? options.image : options.load;
  if (!path.empty() && !OpenRedisImage("switch", path, options.secret.OrNull(), &image)) return kExitBad;
  RedisFilter filter;
  Status status = filter.Open(servers, options.name, options.secret.OrNull());
  if (!status.ok()) return FailRedis("switch", options.name, status);
  const Step step = Do(options, image, &filter);
  if (!step.refusal.empty()) return Fail("redis switch %s: %s", ShownName(options.name).c_str(), step.refusal.c_str());
  if (!step.status.ok()) return FailRedis("switch", options.name, step.status, step.advice);
  RedisInfo info;
  status = filter.Info(&info);
  if (!status.ok()) {
    return Fail("redis switch %s: %s; what is there now, `linefilter redis info` tells (%s)",
                ShownName(options.name).c_str(), step.done, SentenceOf(options.name, status).c_str());
  }
  Report report;
  ReportFilter(filter, &report);
  report.Text("step", step.done);
  report.Text("generation", SecretCheckText(info.generation));
  if (info.next_generation != 0) report.Text("next_generation", SecretCheckText(info.next_generation));
  report.Number("estimated_keys", info.estimated_keys);
  report.Rate("expected_fpr", info.expected_fpr);
  report.Text("writers", step.writers);
  report.Print(options.json);
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
  arguments.Real("--fpr", &options->options.fpr, "P", "With --begin: the highest acceptable false-positive rate");
  arguments.Real("--bits-per-key", &options->options.bits_per_key, "B", "With --begin: or the size, 1 to 64");
  arguments.LayoutName(&options->options.layout, true, "With --begin: blocked by default", true);
  arguments.Flag("--foldable", &options->options.foldable,
                 "With --begin: blocks in a multiple of 64: dumps can be folded and merged");
  arguments.Path("--add", &options->add,
                 "Only add the keys of this file to the next generation, one per line; - is stdin");
  arguments.Flag("--u64", &options->u64, kU64Help);
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
    "Exit code: 0 the step is done, 2 it is not, or not to its end: the old or the new one serves, as a whole.",
    &Declare};

}  // namespace linefilter::tools
