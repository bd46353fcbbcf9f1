#include "tools/program/redis/switch_steps.h"

#include <string_view>
#include <vector>

#include "tools/measure/layouts.h"
#include "tools/program/images.h"
#include "tools/program/key_reader.h"

namespace linefilter::tools {
namespace {

constexpr char kToBoth[] = "add to both generations, wherever they are; readers ask the old one";
constexpr char kToNew[] = "add to the new generation, which readers ask";

// Takes the next generation by its number, with no keys. From now on each step is of this one, and kIncompatible if it
// is another by then. It is not ok if it is another one than was begun or taken here before.
Status TakeNext(RedisFilter* filter) { return filter->InsertHashesIntoNext(nullptr, 0); }

Step LoadIt(const Image& image, RedisFilter* filter) {
  return {filter->LoadNext(image.data(), image.view().image_bytes()), "loaded", kToBoth, ""};
}

// Adds the keys of a file to the next generation alone.
Step AddKeys(const Switch& options, RedisFilter* filter) {
  Step step = {filter->KeyStatus(), "added", kToBoth, ""};
  if (!step.status.ok()) return step;
  std::vector<uint64_t> hashes;
  const Status read = ReadKeys(options.add, "adding keys", [&](const std::vector<std::string_view>& keys) {
    hashes.clear();
    for (const std::string_view& key : keys) hashes.push_back(filter->HashOf(key));
    step.status = filter->InsertHashesIntoNext(hashes.data(), hashes.size());
    return step.status.ok();
  });
  if (step.status.ok()) step.status = read;
  return step;
}

constexpr char kNotByImage[] = "IMAGE neither fills nor commits it";

// Only the one who began it goes on with it: it may lack keys that nobody else knows of.
std::string OfAnother(uint64_t next, const char* therefore) {
  const std::string id = SecretCheckText(next);
  return "generation " + id + " was begun, perhaps by somebody else, and " + therefore +
         ". If it is yours: --load IMAGE or --add FILE, with all keys, then --commit, each with --generation " + id +
         "; if its program died: --abandon";
}

Step Begin(const Switch& options, RedisFilter* filter) {
  Step step = {filter->BeginGeneration(options.num_keys, options.options, options.layout), "begun", kToBoth, ""};
  if (step.status.code() != StatusCode::kIncompatible) return step;
  RedisInfo info;
  if (IsBuiltAtOnce(options.options.layout)) {
    const std::string name = LayoutName(options.options.layout);
    step.advice = "`linefilter build --layout " + name + "` makes the image of all keys. Where the filter is " + name +
                  ", too, "
                  "give it as\nIMAGE instead of --begin, else to `linefilter redis load` with another NAME.";
  } else if (filter->Info(&info).ok() && info.next_generation != 0) {
    // The library's sentence knows no number, by which alone a step is certainly the user's own.
    step.refusal = OfAnother(info.next_generation, "there is no third one");
  }
  return step;
}

// Another generation may be there by now, without the keys of IMAGE: if that served, they would be "absent".
constexpr char kPerhapsBegun[] =
    "Perhaps a generation with the keys of IMAGE was begun, perhaps not. If `linefilter redis info` has a\n"
    "next_generation, it may also be somebody else's, without them: do not --commit it. If nobody else makes this\n"
    "filter anew, give it up by --abandon --generation ID; then all this again.";

bool IsRefusal(StatusCode code) {
  return code == StatusCode::kIncompatible || code == StatusCode::kInvalidArgument ||
         code == StatusCode::kUnsupported || code == StatusCode::kNotFound;
}

// The switch to a generation that certainly has the keys of IMAGE failed. It is `next`, or 0 if Redis did not tell.
std::string AfterBegin(StatusCode code, uint64_t next) {
  if (code == StatusCode::kIncompatible || code == StatusCode::kNotFound) return "";  // gone, by another's hand
  if (next == 0) return kPerhapsBegun;
  const std::string id = SecretCheckText(next);
  if (code == StatusCode::kCorrupt) {
    return "Generation " + id + ", begun for IMAGE, is no longer whole: --abandon --generation " + id +
           " gives it up; then all this again.";
  }
  return "Generation " + id + " has all keys of IMAGE: --commit --generation " + id +
         " lets it serve, --abandon --generation " + id + " gives it up.";
}

void BeginAndSwitch(const Switch& options, const Image& image, RedisFilter* filter, Step* step) {
  RedisInfo info;
  step->status = filter->BeginGenerationFromImage(image.data(), image.view().image_bytes(), options.layout);
  if (!step->status.ok()) {
    const StatusCode code = step->status.code();
    if (!IsRefusal(code)) {
      step->advice = kPerhapsBegun;
    } else if (code == StatusCode::kIncompatible && filter->Info(&info).ok() && info.next_generation != 0) {
      // Somebody was faster.
      step->refusal = OfAnother(info.next_generation, kNotByImage);
    }
    return;
  }
  // This is its number, while it can be asked for: for another one, begun since, TakeNext would not be ok.
  uint64_t next = 0;
  if (filter->Info(&info).ok() && TakeNext(filter).ok()) next = info.next_generation;
  step->status = filter->SwitchGeneration();
  if (!step->status.ok()) step->advice = AfterBegin(step->status.code(), next);
}

// The image is the next generation, which serves at once.
Step SwitchTo(const Switch& options, const Image& image, RedisFilter* filter) {
  RedisInfo info;
  Step step = {filter->Info(&info), "switched", kToNew, ""};
  if (!step.status.ok()) return step;
  if (info.next_generation != 0) {
    step.refusal = OfAnother(info.next_generation, kNotByImage);
  } else if (!IsBuiltAtOnce(filter->layout()) && !options.no_writers) {
    step.refusal =
        "keys that were added since those of IMAGE were read would be lost: say --no-writers if there are none. Else, "
        "in this order: 1. --begin (all writers add to both generations from then on), 2. --add FILE or --load IMAGE "
        "with all keys of the exact source, read after that, 3. --commit";
  } else {
    BeginAndSwitch(options, image, filter, &step);
  }
  return step;
}

// --generation, if given, names the one that was begun; or, for a commit, the one that serves since, with a rest that
// may be left to do.
Step CheckGeneration(const Switch& options, RedisFilter* filter) {
  Step step = {Status(), "", "", ""};
  if (options.generation.empty()) return step;
  (void)TakeNext(filter);  // if there is one: so nobody begins another between this look and the step
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

// The next generation would give no key back, and this one does: that is to be said, for removals would begin to fail.
bool EndsRemovals(const Switch& options, const Image& image, const RedisFilter& filter) {
  if (options.not_removable || !FactsOf(filter.layout(), filter.num_probes()).gives_back) return false;
  if (!options.image.empty()) return !FactsOf(image.view().layout(), image.view().num_probes()).gives_back;
  return options.begin && !options.options.removable;
}

}  // namespace

Step DoSwitchStep(const Switch& options, const Image& image, RedisFilter* filter) {
  const Step checked = CheckGeneration(options, filter);
  if (!checked.status.ok() || !checked.refusal.empty()) return checked;
  if (EndsRemovals(options, image, *filter)) {
    const char* const more = options.begin ? "--removable" : "an image that was made with --removable";
    return {Status(), "", "",
            std::string("its keys can be removed, and those of the next generation could not: give ") + more +
                ", or --not-removable if nobody removes keys any more"};
  }
  if (options.begin) return Begin(options, filter);
  if (!options.add.paths.empty()) return AddKeys(options, filter);
  if (!options.load.empty()) return LoadIt(image, filter);
  if (options.commit) return {filter->SwitchGeneration(), "switched", kToNew, ""};
  if (options.abandon) return {filter->AbandonGeneration(), "abandoned", "add to the old generation alone", ""};
  return SwitchTo(options, image, filter);
}

}  // namespace linefilter::tools
