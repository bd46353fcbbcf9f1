// linefilter create makes an image without keys, with room for as many as shall be added.
#include <memory>
#include <string>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/living_image.h"
#include "tools/program/output.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Create {
  std::string image;
  uint64_t num_keys = 0;
  FilterOptions options;
  GrowthOptions growth;
  SecretOption secret;
  bool grow = false, exact_size = false, json = false;
};

int RunCreate(Create create) {
  std::string reason;
  if (!CanCreate(create.image, &reason)) return Fail("create: %s %s", create.image.c_str(), reason.c_str());
  if (create.num_keys == 0) return Fail("create: --num-keys 0 leaves no room for a key: give the number that may come");
  create.options.memory_limit = MemoryOfMachine();
  if (create.secret.is_given) {
    create.options.hash_id = HashId::kKeyed;
    create.options.secret = create.secret.secret;
  }
  create.options.rounded = !create.grow && !create.exact_size;
  OwnedFilter filter;
  Status status = create.grow ? filter.CreateGrowing(create.num_keys, create.options, create.growth)
                              : filter.Create(create.num_keys, create.options);
  if (!status.ok()) return Fail("create: %s", status.message());
  status = WriteFile(create.image, "writing", filter.ImageBytes(),
                     [&](const Sink& sink) { return filter.WriteImage(sink); });
  if (!status.ok()) return Fail("create: %s: %s", create.image.c_str(), status.message());

  Report report;
  report.Text("image", create.image);
  report.Text("layout", LayoutName(filter->layout()));
  report.Count("capacity", create.num_keys);
  if (!create.grow) report.Count("num_probes", filter->num_probes());
  ReportRemovable(filter->layout(), filter->num_probes(), &report);
  report.Count("body_bytes", filter->body_bytes());
  report.Count("image_bytes", filter.ImageBytes());
  ReportHash(filter->hash_id(), filter->seed(), &report);
  report.Print(create.json, ReportStream(create.image));
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto create = std::make_shared<Create>();
  arguments.Path("IMAGE", &create->image,
                 "The image to make, - for standard output; an old file of that name is replaced", Need::kRequired);
  arguments.Count("--num-keys", &create->num_keys, "The different keys that it shall hold; with --grow: at first",
                  Need::kRequired);
  arguments.Real("--bits-per-key", &create->options.bits_per_key, "B",
                 "Size of the filter, 1 to 64; 10 gives 1 % false positives");
  arguments.Rate("--fpr", &create->options.fpr, "Or the highest acceptable false-positive rate, 0.01 for 1 %");
  arguments.ExactlyOneOf({"--bits-per-key", "--fpr"});
  arguments.LayoutName(&create->options.layout, true, "auto by default", true);
  arguments.Removable(&create->options);
  arguments.Flag("--foldable", &create->options.foldable, "Blocks in a multiple of 64, to be folded and merged");
  arguments.Flag("--exact-size", &create->exact_size,
                 "Not rounded to sizes that images for nearly as many keys share, which costs less than 2 %");
  arguments.Seed(&create->options.seed, "Seed of the hash, 0 by default; filters asked with one hash must share it");
  arguments.Hash(&create->options.hash_id);
  arguments.Secret(&create->secret, SecretUse::kMake);
  arguments.AtMostOneOf("--seed", "--secret");  // a keyed hash has no seed
  arguments.AtMostOneOf("--hash", "--secret");
  arguments.AtMostOneOf("--hash", "--seed");  // that of Parquet has none, and xxh3 need not be named
  arguments.Flag("--grow", &create->grow, "The filter grows in stages when more keys come, and keeps --fpr");
  arguments.Count("--max-growth", &create->growth.max_growth,
                  "With --grow: room for so many times --num-keys, for a smaller image; 0, no end, by default");
  arguments.Needs("--max-growth", "--grow");
  for (const char* const other : {"--bits-per-key", "--foldable", "--exact-size", "--removable"}) {
    arguments.AtMostOneOf(other, "--grow");
  }
  arguments.AtMostOneOf("--foldable", "--exact-size");
  arguments.Json(&create->json);
  return [create] { return RunCreate(*create); };
}

}  // namespace

const Command kCreateCommand = {
    "create", "Make an image without keys, to add some to it",
    "linefilter add IMAGE brings keys into it, which is then to the byte what build --num-keys makes of them.\n"
    "Every layout but retrieval takes keys one by one. What is made with --removable gives them back, too (add\n"
    "--remove); its layout is quotient.\n"
    "With --grow there may come any number: a lookup then reads a line of each stage, of which each has room for "
    "twice\n"
    "the keys of the one before.\n"
    "Exit code: 0 the image is written, 2 it is not.",
    &Declare};

}  // namespace linefilter::tools
