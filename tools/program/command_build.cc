// linefilter build takes keys and makes one image. Its memory is 8 bytes per key and the image, whatever the keys'
// length; with --grow (build_grown.cc) it is the image alone.
#include <memory>
#include <string>
#include <vector>

#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "tools/measure/parallel.h"
#include "tools/program/arguments.h"
#include "tools/program/build.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/key_reader.h"
#include "tools/program/output.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

// This finds what would make an hour of reading keys useless, before it.
bool RequestMakesSense(const Build& build, bool by_bits, bool num_keys_is_given) {
  // An option of 0 means "not given" to the library; here it was given.
  if (build.like.empty() && (by_bits ? build.options.bits_per_key == 0 : build.options.fpr == 0)) {
    Fail(by_bits ? "build: --bits-per-key 0 leaves no bit to set: choose %g to %g"
                 : "build: --fpr 0 needs a list of the keys, no filter: choose a rate above 0, like 0.01",
         kMinBitsPerKey, kMaxBitsPerKey);
    return false;
  }
  if (build.threads < 1 || build.threads > kMaxThreads) {
    Fail("build: --threads %llu is outside 1 to %llu", static_cast<unsigned long long>(build.threads),
         static_cast<unsigned long long>(kMaxThreads));
    return false;
  }
  std::string reason;
  if (!CanCreate(build.out, &reason)) {
    Fail("build: --out %s %s", build.out.c_str(), reason.c_str());
    return false;
  }
  if (build.like == "-" && build.keys.Has("-")) {
    Fail("build: --like - and the keys cannot both come from standard input: name a file of keys");
    return false;
  }
  if (num_keys_is_given && build.options.num_keys == 0) {
    Fail("build: --num-keys 0 leaves no room for a key: give the number that may come, or leave it out");
    return false;
  }
  if (build.max_growth != 0 && !build.grow) {
    Fail("build: --max-growth goes with --grow: give both, or neither");
    return false;
  }
  if (build.out != "-" && build.keys.Has(build.out)) {
    Fail("build: --out %s is the file of the keys and would be replaced: name another one", build.out.c_str());
    return false;
  }
  return true;
}

// Takes the options of the image that --like names; false after saying what is wrong with it.
bool TakeOptionsOfLike(Build* build) {
  Image like;
  if (!OpenImage(build->like, build->secret.OrNull(), &like)) return false;
  build->options = FilterOptions::SameSizeAs(like.view());
  if (FactsOf(build->options.layout).unites && build->options.body_bytes != 0) return true;
  Fail(
      "build: --like %s: an image of layout %s and %llu bytes of body is united with none. Name one that was built "
      "with --layout blocked, and with --num-keys if it has no keys yet",
      build->like.c_str(), LayoutName(build->options.layout),
      static_cast<unsigned long long>(build->options.body_bytes));
  return false;
}

// Reports the rate of the image that was written: that of its bits if it has more keys than it was sized for.
void ReportRate(const Build& build, const FilterView& made, uint64_t keys_read, double expected_fpr, Report* report) {
  const uint64_t capacity = build.options.num_keys;  // 0: sized for the keys that came
  SizeEstimate size;
  if (capacity != 0 && keys_read > capacity) {
    expected_fpr = made.ExpectedFpr();
    size = made.ApproximateSize();
  }
  report->Rate("expected_fpr", expected_fpr);
  report->Print(build.json, ReportStream(build.out));
  if (!size.IsAbove(capacity)) return;
  fflush(stdout);  // before what standard error says of it
  WarnOfOverfull(build.out, capacity, size);
}

int RunBuild(Build build, bool by_bits, bool num_keys_is_given) {
  if (!RequestMakesSense(build, by_bits, num_keys_is_given)) return kExitBad;
  if (!build.like.empty() && !TakeOptionsOfLike(&build)) return kExitBad;
  build.options.memory_limit = MemoryOfMachine();
  build.options.key_kind = build.keys.kind();
  if (build.secret.is_given) {
    build.options.hash_id = HashId::kKeyed;
    build.options.secret = build.secret.secret;
  }
  if (build.grow) return RunGrow(build);
  build.options.rounded = build.like.empty() && !build.exact_size;
  build.options.executor = Threads(build.threads);
  FilterBuilder builder(build.options);
  if (!builder.status().ok()) return Fail("build: %s", builder.status().message());
  uint64_t keys_read = 0;
  const Status read = ReadHashes(build, &keys_read, [&](const uint64_t* hashes, size_t n) {
    if (builder.status().ok()) builder.AddHashes(hashes, n);
    return builder.status().ok();
  });
  if (!read.ok()) return Fail("%s", read.message());
  const uint64_t image_bytes = builder.ImageBytes();
  Image made;
  const Status status = WriteImage(
      build.out, "building and writing", image_bytes, build.secret.OrNull(),
      [&builder](const Sink& sink) { return builder.FinishToSink(sink); }, &made);
  if (!status.ok()) return Fail("build: %s: %s", build.out.c_str(), status.message());

  const Sizing& sizing = builder.sizing();
  Report report;
  report.Text("image", build.out);
  report.Text("layout", LayoutName(sizing.layout));
  report.Count("keys_read", keys_read);
  report.Count("num_keys", sizing.num_keys);
  if (build.options.num_keys == 0 && sizing.num_keys < keys_read) {
    report.Count("repeats_removed", keys_read - sizing.num_keys);
  }
  report.Count("num_probes", sizing.num_probes);
  ReportRemovable(sizing.layout, sizing.num_probes, &report);
  report.Real("bits_per_key", sizing.bits_per_key);
  report.Count("body_bytes", sizing.body_bytes);
  report.Count("image_bytes", image_bytes);
  const KeyHash key_hash = build.options.key_hash();
  ReportHash(key_hash.id, key_hash.seed, &report);
  ReportRate(build, made.view(), keys_read, sizing.expected_fpr, &report);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto build = std::make_shared<Build>();
  build->threads = DefaultThreads();
  arguments.Keys(&build->keys);
  DeclareOut(&arguments, &build->out);
  arguments.Real("--bits-per-key", &build->options.bits_per_key, "B",
                 "Size of the filter, 1 to 64; 10 gives 1 % false positives");
  arguments.Rate("--fpr", &build->options.fpr, "Or the highest acceptable false-positive rate, 0.01 for 1 %");
  arguments.Path("--like", &build->like,
                 "Or an image with which this one can be merged: of the same size, layout and hash");
  arguments.ExactlyOneOf({"--bits-per-key", "--fpr", "--like"});
  for (const char* const other :
       {"--layout", "--removable", "--foldable", "--exact-size", "--hash", "--seed", "--grow", "--num-keys"}) {
    arguments.AtMostOneOf("--like", other);
  }
  arguments.Count("--num-keys", &build->options.num_keys,
                  "Size for so many keys, whatever comes; for the distinct keys that come by default");
  arguments.LayoutName(&build->options.layout, true, "auto by default");
  arguments.Removable(&build->options);
  arguments.Flag("--foldable", &build->options.foldable, "Blocks in a multiple of 64, to be folded and merged");
  arguments.Flag("--exact-size", &build->exact_size,
                 "Not rounded to sizes that images of nearly as many keys share, which costs less than 2 %");
  arguments.Seed(&build->options.seed, "Seed of the hash, 0 by default; filters asked with one hash must share it");
  arguments.Hash(&build->options.hash_id);
  arguments.Secret(&build->secret, SecretUse::kMake, &build->keys);
  arguments.AtMostOneOf("--seed", "--secret");  // a keyed hash has no seed
  arguments.AtMostOneOf("--hash", "--secret");
  arguments.AtMostOneOf("--hash", "--seed");  // that of Parquet has none, and xxh3 need not be named
  arguments.Flag("--grow", &build->grow,
                 "Of keys whose number nobody knows: the filter grows in stages and keeps --fpr");
  arguments.Count("--max-growth", &build->max_growth,
                  "With --grow: room for so many times 4096 keys, for a smaller image; 0, no end, by default");
  arguments.AtMostOneOf("--bits-per-key", "--grow");
  arguments.AtMostOneOf("--foldable", "--grow");
  arguments.AtMostOneOf("--removable", "--grow");
  arguments.AtMostOneOf("--foldable", "--exact-size");
  arguments.AtMostOneOf("--grow", "--exact-size");
  arguments.AtMostOneOf("--num-keys", "--grow");
  arguments.AtMostOneOf("--threads", "--grow");
  arguments.Count("--threads", &build->threads,
                  "How many threads make the image; all cores by default. The bytes do not depend on it");
  arguments.Json(&build->json);
  return [build, &arguments] {
    return RunBuild(*build, arguments.Given("--bits-per-key"), arguments.Given("--num-keys"));
  };
}

}  // namespace

Status ReadHashes(const Build& build, uint64_t* keys_read,
                  const std::function<bool(const uint64_t* hashes, size_t n)>& take) {
  std::vector<uint64_t> hashes;
  const KeyHash key_hash = build.options.key_hash();
  return ReadKeys(build.keys, "reading keys", [&](const std::vector<std::string_view>& keys) {
    hashes.resize(keys.size());
    (void)key_hash.OfKeys(keys.data(), keys.size(), hashes.data());
    *keys_read += keys.size();
    return take(hashes.data(), hashes.size());
  });
}

const Command kBuildCommand = {
    "build", "Make an image of a set of keys",
    KEYS_NOTES
    "num_keys is what the image was sized for. It is --num-keys, or what the image of --like tells, if one is given.\n"
    "Of up to 4096 keys it is how many are distinct, and of more, too, where a sample shows that keys_read is more\n"
    "than 1.05 times that. Else it is keys_read. The order does not matter. If more came than it was sized for,\n"
    "expected_fpr is that of its bits, and a warning tells so.\n"
    "--removable keeps repeats: each counts, and is to be removed as often as it came.\n"
    "Memory: 8 bytes per key and the image, whatever the length of the keys. With --grow it is the image alone,\n"
    "which is 1.3 to 4 times as large at 1 %, more at higher rates. num_keys is then how many were certainly new.\n"
    "--foldable images have many factors to be folded by, and num_probes of the density asked for alone. auto is "
    "blocked.\n"
    "Blocks are rounded up to 50 to 99 times a power of two, which costs less than 2 % (--exact-size: they are not). "
    "So\n"
    "images of nearly as many keys have one size and can be merged, and each can be folded by that power.\n"
    "To merge images of other numbers of keys, make the next ones --like the first, and that with room for all\n"
    "(--num-keys).\n"
    "Exit code: 0 the image is written, 1 it is too, but --max-growth or memory ended the growth and its rate\n"
    "is above --fpr, 2 it is not.",
    &Declare};

}  // namespace linefilter::tools
