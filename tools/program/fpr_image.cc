#include "tools/program/fpr_image.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tools/program/absent_keys.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/same_file.h"

namespace linefilter::tools {
namespace {

struct Files {
  Image image;
  KeysOption absent_option;
  KeyReader members, absent;
};

// Whether the two paths lead to one pipe, or to one standard input: whoever reads first leaves nothing for the other.
bool AreOneStream(const std::string& one, const std::string& other) {
  struct stat info;
  if (one == "-" && other == "-") return true;
  return SameFile(one, other) && StatOf(one, &info) && !S_ISREG(info.st_mode);
}

// Says what is wrong with the paths to write, or nothing.
std::string RefuseOutputs(const FprOfImage& fpr, const GuardOptions& options) {
  for (const std::string& out : {options.junit, options.baseline}) {
    const bool is_absent =
        std::any_of(fpr.absent.begin(), fpr.absent.end(), [&](const std::string& keys) { return SameFile(keys, out); });
    if (out != "-" && (is_absent || SameFile(out, fpr.image) || fpr.members.Has(out))) {
      return out + " is read here, and --junit or --baseline would replace it: give another one";
    }
  }
  return "";
}

// The same for the three paths to read.
std::string RefuseInputs(const FprOfImage& fpr) {
  for (const std::string& absent : fpr.absent) {
    for (const std::string& members : fpr.members.paths) {
      if (!AreOneStream(members, absent)) continue;
      return "--members " + members + " and --absent " + absent + " are one stream: give a file for one of them";
    }
    if (SameFile(absent, fpr.image)) return "--absent " + absent + " is the image itself: give a file of keys";
  }
  if (fpr.members.Has(fpr.image)) return "--members lead to the image " + fpr.image + " itself: give a file of keys";
  return "";
}

// Opens all three, so that a wrong path is found before one of them is read.
Status OpenAll(const FprOfImage& fpr, Files* files) {
  files->absent_option = fpr.members;
  files->absent_option.paths = fpr.absent;
  Status status = files->members.Open(fpr.members);
  if (status.ok()) status = files->absent.Open(files->absent_option);
  return status;
}

Status OpenTheImage(const FprOfImage& fpr, Image* image) {
  Status status = image->Open(fpr.image, VerifyMode::kTrusted, MapAdvice::kWillNeed, fpr.secret.OrNull());
  if (status.ok()) status = VerifyBody(image->view());
  if (status.ok()) status = CanBeAsked(image->view());
  return status.ok() ? AreOfItsKind("fpr --filter", fpr.image, image->view(), fpr.members) : status;
}

// The key as it was given: 8 bytes of --u64 are an integer.
Key AsGiven(const KeysOption& option, std::string_view key) {
  if (!option.u64) return Key(key);
  uint64_t number = 0;
  for (size_t i = key.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(key[i]);
  return Key(number);
}

Status AskAbsent(const FilterView& view, KeyReader* reader, AbsentKeys* absent) {
  std::vector<uint8_t> answers(KeyReader::kBatchKeys);
  const Status read = ReadKeys(reader, "asking absent keys", [&](const std::vector<std::string_view>& keys) {
    view.MayContainKeys(keys.data(), keys.size(), answers.data());
    absent->Add(keys, answers.data());
    return true;
  });
  absent->Complete();
  return read;
}

// Members come second, so that each is looked up among the absent keys when it comes, and none is kept.
Status AskMembers(const FprOfImage& fpr, const FilterView& view, KeyReader* reader, AbsentKeys* absent,
                  Guarded* found) {
  std::vector<uint8_t> answers(KeyReader::kBatchKeys);
  FprCounts& counts = found->counts;
  return ReadKeys(reader, "asking members", [&](const std::vector<std::string_view>& keys) {
    view.MayContainKeys(keys.data(), keys.size(), answers.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      uint64_t position = counts.num_members++;
      if (answers[i] == 0) {
        ++counts.num_lost;
        found->lost.Add(position, AsGiven(fpr.members, keys[i]));
      } else if (absent->Meets(keys[i], &position)) {
        found->absent_members.Add(position, AsGiven(fpr.members, keys[i]));
      }
    }
    return true;
  });
}

std::string NameOf(const std::string& path) {
  if (path == "-") return "standard input";
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.empty() ? path : name;
}

int Measure(const FprOfImage& fpr, double confidence, Files* files, FprGuard* guard) {
  const FilterView& view = files->image.view();
  AbsentKeys absent;
  Guarded found;
  Status read = AskAbsent(view, &files->absent, &absent);
  if (read.ok()) read = AskMembers(fpr, view, &files->members, &absent, &found);
  if (read.ok() && found.counts.num_members == 0) {
    read = Status::Error(StatusCode::kInvalidArgument, "fpr: --members has no key: a guard asks those of the filter");
  }
  if (!read.ok()) {
    Fail("%s", read.message());
    return guard->EndBroken(read.message());
  }
  FprCounts& counts = found.counts;
  counts.num_absent_members = absent.num_members();
  counts.num_queries = absent.num_keys() - absent.num_members();
  counts.false_positives = absent.num_maybes() - absent.num_members();
  found.expected_fpr = view.ExpectedFpr();
  counts.bits_per_key = 8 * static_cast<double>(view.body_bytes()) / static_cast<double>(counts.num_members);
  Report report;
  report.Text("image", fpr.image);
  report.Text("layout", LayoutName(view.layout()));
  report.Real("bits_per_key", counts.bits_per_key);
  report.Count("num_probes", view.num_probes());
  report.Count("num_keys", counts.num_members);
  ReportRate(counts, found.expected_fpr, confidence, &report);
  report.Count("num_lost", counts.num_lost);
  report.Count("num_absent_members", counts.num_absent_members);
  report.Count("num_repeats", absent.num_repeats());
  report.Text("target", view.target());
  return guard->End(found, std::move(report));
}

}  // namespace

void DeclareFprOfImage(Arguments* arguments, FprOfImage* fpr) {
  arguments->Path("--filter", &fpr->image, "Ask this image, in place of a filter that is made here; see below");
  arguments->Keys("--members", &fpr->members,
                  "With --filter: file of the keys in it; - is standard input; it may be given again");
  arguments->Paths("--absent", &fpr->absent, "With --filter: file of keys that are not in it, in the same way",
                   Need::kOptional);
  arguments->Secret(&fpr->secret, SecretUse::kAsk, &fpr->members);
  for (const char* const option : {"--members", "--absent", "--secret"}) arguments->Needs(option, "--filter");
  for (const char* const option : {"--members", "--absent"}) arguments->Needs("--filter", option);
  for (const char* const option : {"--layout", "--bits-per-key", "--num-keys", "--keys", "--num-probes", "--precision",
                                   "--num-queries", "--seed", "--seeds", "--threads"}) {
    arguments->AtMostOneOf("--filter", option);
  }
}

int RunFprOfImage(const FprOfImage& fpr, const GuardOptions& options) {
  std::string refused = RefuseOutputs(fpr, options);
  if (!refused.empty()) return Fail("fpr: %s", refused.c_str());
  FprGuard guard(options, NameOf(fpr.image));
  if (!guard.Prepare()) return kExitBad;
  refused = RefuseInputs(fpr);
  if (!refused.empty()) return guard.EndRefused(refused);
  Files files;
  Status status = OpenAll(fpr, &files);
  if (!status.ok()) {
    Fail("%s", status.message());
    return guard.EndBroken(status.message());
  }
  status = OpenTheImage(fpr, &files.image);
  if (!status.ok()) {
    FailImage(fpr.image, status);
    return guard.EndBroken(status.message());
  }
  return Measure(fpr, options.confidence, &files, &guard);
}

}  // namespace linefilter::tools
