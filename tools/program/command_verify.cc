// linefilter verify tells whether the image is undamaged, and whether every key of a list answers "maybe".
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/key_reader.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Verify {
  std::string image;
  KeysOption keys;
  SecretOption secret;
  bool json = false;
};

// Shows a key on a terminal: what is not printable ASCII becomes \xNN, a long one is cut.
std::string Printable(std::string_view key) {
  constexpr size_t kShown = 60;
  std::string text;
  for (const char c : key.substr(0, kShown)) {
    char escaped[5];
    const bool plain = c >= ' ' && c <= '~' && c != '\\';
    snprintf(escaped, sizeof(escaped), plain ? "%c" : "\\x%02x", static_cast<unsigned char>(c));
    text += escaped;
  }
  return key.size() > kShown ? text + "..." : text;
}

struct KeysResult {
  uint64_t checked = 0, absent = 0, first_absent = 0;  // first_absent counts from 1
  std::string first_absent_key;
};

Status AskKeys(const Verify& verify, const FilterView& view, KeysResult* result) {
  std::vector<uint8_t> answers;
  return ReadKeys(verify.keys, "verifying keys", [&](const std::vector<std::string_view>& keys) {
    answers.resize(keys.size());
    view.MayContainKeys(keys.data(), keys.size(), answers.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      ++result->checked;
      if (answers[i] == 0 && result->absent++ == 0) {
        result->first_absent = result->checked;
        result->first_absent_key = Printable(keys[i]);
      }
    }
    return true;
  });
}

int RunVerify(const Verify& verify) {
  FilterFile file;
  Report report;
  report.Text("image", verify.image);
  Status status = MapImage(verify.image, VerifyMode::kTrusted, MapAdvice::kWillNeed, verify.secret.OrNull(), &file);
  if (status.code() == StatusCode::kInvalidArgument) return FailImage(verify.image, status);
  const bool closed = status.code() == StatusCode::kIncompatible;
  const Status verified = closed ? VerifyFile(verify.image) : status.ok() ? VerifyBody(file.view()) : status;
  if (closed || !verified.ok()) report.Text("checksum", ChecksumState(verified));
  if (!verified.ok()) {
    report.Text("reason", verified.message());
    report.Print(verify.json);
    return FailImage(verify.image, verified);
  }
  // The bytes alone can be verified whosever hashes they hold.
  if (closed) {
    report.Count("image_bytes", std::filesystem::file_size(verify.image));
    report.Text("state", SecretState(verify.secret.OrNull()));
    report.Print(verify.json);
    return verify.keys.paths.empty() && !verify.secret.is_given ? kExitGood : FailImage(verify.image, status);
  }
  if (!verify.keys.paths.empty()) status = CanBeAsked(file.view());
  if (!status.ok()) return FailImage(verify.image, status);
  KeysResult result;
  if (!verify.keys.paths.empty()) status = AskKeys(verify, file.view(), &result);
  if (!status.ok()) return Fail("%s", status.message());
  report.Count("image_bytes", file.view().image_bytes());
  report.Text("checksum", "ok");
  if (!verify.keys.paths.empty()) {
    report.Count("keys_checked", result.checked);
    report.Count("keys_absent", result.absent);
    if (result.absent != 0) {
      report.Count("first_absent", result.first_absent);
      report.Text("first_absent_key", result.first_absent_key);
    }
  }
  report.Print(verify.json);
  return result.absent == 0 ? kExitGood : kExitNegative;
}

std::function<int()> Declare(Arguments& arguments) {
  auto verify = std::make_shared<Verify>();
  arguments.Path("IMAGE", &verify->image, "The image to verify", Need::kRequired);
  arguments.Keys("--keys", &verify->keys,
                 "File of keys that must answer maybe, one per line; - is standard input. It may be given again");
  arguments.Secret(&verify->secret, SecretUse::kAsk, &verify->keys);
  arguments.Json(&verify->json);
  return [verify] { return RunVerify(*verify); };
}

}  // namespace

const Command kVerifyCommand = {
    "verify", "Check an image for damage, and that every key of a list answers maybe",
    KEYS_NOTES
    "The bytes of an image of a keyed hash are verified without its --secret, too.\n"
    "first_absent is the number of the first key that is not in the set (for lines: the line).\n"
    "Exit code: 0 undamaged and every key answers maybe, 1 undamaged but a key is absent, 2 damaged, unreadable or bad "
    "usage:\n"
    "do not ask that image.",
    &Declare};

}  // namespace linefilter::tools
