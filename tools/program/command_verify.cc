// linefilter verify tells whether the image is undamaged, and whether every key of a list answers "maybe".
#include <algorithm>
#include <deque>
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
  std::vector<std::string> images;
  KeysOption keys;
  SecretOption secret;
  bool json = false;

  bool with_keys() const { return !keys.paths.empty(); }
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

// What is found of one image.
struct Verified {
  std::string path;
  Image image;
  Report report;
  Status status;                                       // what is wrong with it, if something is
  bool asked = false;                                  // for the keys
  uint64_t checked = 0, absent = 0, first_absent = 0;  // first_absent counts from 1
  std::string first_absent_key;
};

// Verifies the bytes, and tells whether the image can be asked for keys. The bytes alone can be verified whosever
// hashes they hold.
void VerifyOne(const Verify& verify, Verified* one) {
  one->report.Text("image", one->path);
  Status& status = one->status;
  status = one->image.Open(one->path, VerifyMode::kTrusted, MapAdvice::kWillNeed, verify.secret.OrNull());
  if (status.code() == StatusCode::kInvalidArgument) return;
  const bool closed = status.code() == StatusCode::kIncompatible;
  const Status bytes = closed ? one->image.VerifyBytes() : status.ok() ? VerifyBody(one->image.view()) : status;
  if (closed || !bytes.ok()) one->report.Text("checksum", ChecksumState(bytes));
  if (!bytes.ok()) {
    one->report.Text("reason", bytes.message());
    status = bytes;
    return;
  }
  if (closed) {
    size_t size = 0;
    one->image.AllBytes(&size);
    one->report.Count("image_bytes", size);
    one->report.Text("state", SecretState(verify.secret.OrNull()));
    if (!verify.with_keys() && !verify.secret.is_given) status = Status();
    return;
  }
  one->report.Count("image_bytes", one->image.view().image_bytes());
  one->report.Text("checksum", "ok");
  if (verify.with_keys()) status = CanBeAsked(one->image.view());
  if (verify.with_keys() && status.ok()) status = AreOfItsKind("verify", one->path, one->image.view(), verify.keys);
  one->asked = verify.with_keys() && status.ok();
}

// Asks all images at once, so that keys may come from a pipe.
Status AskKeys(const Verify& verify, std::deque<Verified>* all) {
  std::vector<uint8_t> answers;
  return ReadKeys(verify.keys, "verifying keys", [&](const std::vector<std::string_view>& keys) {
    answers.resize(keys.size());
    for (Verified& one : *all) {
      if (!one.asked) continue;
      one.image.view().MayContainKeys(keys.data(), keys.size(), answers.data());
      for (size_t i = 0; i < keys.size(); ++i) {
        ++one.checked;
        if (answers[i] == 0 && one.absent++ == 0) {
          one.first_absent = one.checked;
          one.first_absent_key = Printable(keys[i]);
        }
      }
    }
    return true;
  });
}

int TellOf(Verified* one, ReportsOfImages* reports) {
  // No report tells of an image that --secret does not go with, or whose hashes are unknown.
  if (one->status.code() == StatusCode::kInvalidArgument) return FailImage(one->path, one->status);
  if (one->asked) {
    one->report.Count("keys_checked", one->checked);
    one->report.Count("keys_absent", one->absent);
    if (one->absent != 0) {
      one->report.Count("first_absent", one->first_absent);
      one->report.Text("first_absent_key", one->first_absent_key);
    }
  }
  reports->Add(one->report);
  if (!one->status.ok()) return FailImage(one->path, one->status);
  return one->absent == 0 ? kExitGood : kExitNegative;
}

int RunVerify(const Verify& verify) {
  std::deque<Verified> all;
  bool any_asked = false;
  for (const std::string& path : verify.images) {
    if (verify.keys.Has(path)) {
      return Fail("verify: IMAGE %s is where the keys come from, too: give --keys another file", path.c_str());
    }
    all.emplace_back().path = path;
    VerifyOne(verify, &all.back());
    any_asked = any_asked || all.back().asked;
  }
  const Status read = any_asked ? AskKeys(verify, &all) : Status();
  if (!read.ok()) return Fail("%s", read.message());
  ReportsOfImages reports(verify.json, false);
  int exit_code = kExitGood;
  for (Verified& one : all) exit_code = std::max(exit_code, TellOf(&one, &reports));
  reports.Finish();
  return exit_code;
}

std::function<int()> Declare(Arguments& arguments) {
  auto verify = std::make_shared<Verify>();
  arguments.Paths("IMAGE", &verify->images, "The images to verify, one or more; - is standard input");
  arguments.Keys("--keys", &verify->keys,
                 "File of keys that must answer maybe; - is standard input; it may be given again");
  arguments.Secret(&verify->secret, SecretUse::kAsk, &verify->keys);
  arguments.Json(&verify->json);
  return [verify] { return RunVerify(*verify); };
}

}  // namespace

const Command kVerifyCommand = {
    "verify", "Check an image for damage, and that every key of a list answers maybe",
    KEYS_NOTES
    "The bytes of an image of a keyed hash are verified without its --secret, too.\n"
    "first_absent is the number of the first key that is not in the set (for lines: the line). JSON is one object, of\n"
    "several images one with a list, images.\n"
    "Exit code: 0 undamaged and every key answers maybe, 1 undamaged but a key is absent, 2 damaged, unreadable or bad "
    "usage:\n"
    "do not ask that image.",
    &Declare};

}  // namespace linefilter::tools
