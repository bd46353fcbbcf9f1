#include "tools/program/images.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "linefilter/column.h"
#include "linefilter/sizing.h"
#include "tools/program/command.h"
#include "tools/program/progress.h"
#include "tools/program/secret.h"

namespace linefilter::tools {
void ReportHash(HashId hash_id, uint64_t seed, Report* report) {
  report->Text("hash", HashIdName(hash_id));
  if (KeyHash::IsKeyed(hash_id)) {
    report->Text("secret_check", SecretCheckText(seed));
  } else if (KeyHash::HasSeed(hash_id)) {
    report->Count("seed", seed);
  }
}

void ReportStages(const FilterView& view, Report* report) {
  std::vector<Report> rows;
  for (uint32_t i = 0; i < view.num_stages(); ++i) {
    const StageInfo stage = view.stage(i);
    rows.emplace_back();
    rows.back().Count("stage", i);
    rows.back().Text("layout", LayoutName(stage.layout));
    rows.back().Count("num_probes", stage.num_probes);
    rows.back().Count("num_blocks", stage.num_blocks);
    rows.back().Number("num_keys", stage.num_keys == 0 ? NAN : static_cast<double>(stage.num_keys));
    rows.back().Rate("fill_ratio", stage.FillRatio());
    rows.back().Rate("expected_fpr", stage.ExpectedFpr());
  }
  if (!rows.empty()) report->Table("stages", std::move(rows));
}

uint64_t MemoryOfMachine() {
  uint64_t limit = ~uint64_t{0};
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) limit = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes);
  // Control groups, version 2 and 1; "max" fails to parse and so counts as no limit.
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t bytes = 0;
    if (std::ifstream(path) >> bytes) limit = std::min(limit, bytes);
  }
  return limit;
}

// Gives the kind of the keys. Where they come from a column its form tells it. Returns false for a form that neither
// lines nor words of 8 bytes have: padded or canonical texts, instants, reals, decimals, several columns.
static bool FindKind(const FilterView& view, KeyKind* kind) {
  constexpr uint64_t kOrNull = 0x80;  // which lines have not
  const uint64_t told = view.key_forms(), forms = told == kUnknownKeyForms ? told : told & ~kOrNull;
  *kind = view.key_kind();
  if (*kind != KeyKind::kUnknown || forms == 0 || forms == kUnknownKeyForms) return true;
  if (forms == static_cast<uint64_t>(KeyForm::kText)) *kind = KeyKind::kText;
  if (forms == static_cast<uint64_t>(KeyForm::kInteger)) *kind = KeyKind::kInteger;
  return *kind != KeyKind::kUnknown;
}

Status AreOfItsKind(const char* command, const std::string& path, const FilterView& view, const KeysOption& keys) {
  KeyKind kind = KeyKind::kUnknown;
  const bool is_found = FindKind(view, &kind);
  const bool is_short = path.size() <= 60;  // a Status has no room for more
  const std::string words = std::string(command) + " " + (is_short ? path : "IMAGE");
  const char* const option = strcmp(command, "verify") == 0         ? " --keys "
                             : strcmp(command, "fpr --filter") == 0 ? " --members "
                                                                    : " ";
  if (kind == KeyKind::kUnknown && view.key_forms() == kUnknownKeyForms) {
    fprintf(stderr,
            "linefilter: %s: its keys, or some of them, are those of columns in forms that differ: of them lines and "
            "--u64 find none but text and integers\n",
            words.c_str());
  }
  if (!is_found) {
    return Status::Error(StatusCode::kIncompatible,
                         "its keys are those of a column in a form of its own (key_forms of `linefilter info`), which "
                         "neither lines nor --u64 have: ask it, and add to it, by columns (doc/guide/columns.md)");
  }
  if (kind == KeyKind::kText && keys.u64) {
    return Status::Error(StatusCode::kIncompatible,
                         "its keys are text, and --u64 asks for integers, which are other keys: `linefilter %s%sFILE` "
                         "asks for lines",
                         words.c_str(), option);
  }
  if (kind == KeyKind::kInteger && !keys.u64) {
    return Status::Error(StatusCode::kIncompatible,
                         "its keys are integers, and lines of text are other keys. For numbers in lines: `perl -ne "
                         "'print pack \"Q<\", $_' FILE | linefilter %s%s- --u64`",
                         words.c_str(), option);
  }
  return Status();
}

void ReportRemovable(Layout layout, uint32_t num_probes, Report* report) {
  const LayoutFacts facts = FactsOf(layout, num_probes);
  if (facts.chooses_removal) report->Bool("removable", facts.gives_back);
}

// The forms of columns, of which the kind of keys does not tell those of one column of text or integers.
void ReportKeyForms(uint64_t forms, Report* report) {
  static constexpr const char* kNames[] = {"", "text", "integer", "real", "instant", "padded text", "canonical text"};
  if (forms == kUnknownKeyForms || forms <= static_cast<uint64_t>(KeyKind::kInteger)) return;
  std::string told;
  for (; forms != 0; forms >>= 8) {
    const unsigned form = forms & 0x7f;
    if (!told.empty()) told += ", ";
    told += form <= 6 ? kNames[form] : "decimal(" + std::to_string(form - 0x20) + ")";
    if ((forms & 0x80) != 0) told += " or null";
  }
  report->Text("key_forms", told);
}

SizeEstimate ReportImage(const FilterView& view, Report* report) {
  const SizeEstimate size = view.ApproximateSize();
  const double keys = view.has_num_keys() ? static_cast<double>(view.num_keys()) : size.keys;
  report->Text("layout", LayoutName(view.layout()));
  ReportHash(view.hash_id(), view.seed(), report);
  report->Text("key_kind", KeyKindName(view.key_kind()));
  ReportKeyForms(view.key_forms(), report);
  report->Count("num_probes", view.num_probes());
  ReportRemovable(view.layout(), view.num_probes(), report);
  if (view.num_blocks() != 0) report->Count("num_blocks", view.num_blocks());
  report->Count("body_bytes", view.body_bytes());
  report->Count("image_bytes", view.image_bytes());
  if (view.has_num_keys()) report->Count("num_keys", view.num_keys());
  ReportSize(view.capacity(), size, IsOverCapacity(view, size), report);
  report->Real("bits_per_key", keys > 0 ? 8 * static_cast<double>(view.body_bytes()) / keys : 0);
  report->Rate("fill_ratio", view.FillRatio());
  report->Rate("expected_fpr", view.ExpectedFpr());
  return size;
}

void ReportSize(uint64_t capacity, const SizeEstimate& size, bool over_capacity, Report* report) {
  report->Number("capacity", capacity == 0 ? NAN : static_cast<double>(capacity));
  report->Number("approximate_size", size.keys);
  report->Number("size_error", size.error);
  report->Bool("over_capacity", over_capacity);
}

// An image that is not above by its size need not be read again.
bool IsOverCapacity(const FilterView& view, const SizeEstimate& size) {
  return size.IsAbove(view.capacity()) && view.OverCapacity();
}

void ReportRoom(const FilterView& view, double fpr, Report* report) {
  report->Rate("wanted_fpr", fpr);
  if (view.num_stages() == 0) {
    report->Count("keys_at_fpr", MaxKeysForFpr(view.layout(), view.body_bytes(), fpr, view.num_probes()));
  }
  report->Count("room_for", view.RoomFor(fpr));
}

bool IsWantedFpr(const char* command, double fpr) {
  if (fpr > 0 && fpr < 1) return true;
  Fail("%s: --fpr %g is no rate: give one above 0 and below 1, like 0.01", command, fpr);
  return false;
}

void WarnOfOverfull(const std::string& name, uint64_t capacity, const SizeEstimate& size) {
  char held[64] = "so many more that its bits tell no number";
  if (std::isfinite(size.keys)) snprintf(held, sizeof(held), "about %.0f", size.keys);
  fprintf(stderr,
          "linefilter: warning: %s was made for %llu keys and holds %s, so more answers are wrong than it was made for "
          "(expected_fpr tells how many). Make another one for more keys.\n",
          name.c_str(), static_cast<unsigned long long>(capacity), held);
}

void WarnIfOverfull(const std::string& name, const FilterView& view, const SizeEstimate& size) {
  if (IsOverCapacity(view, size)) WarnOfOverfull(name, view.capacity(), size);
}

}  // namespace linefilter::tools
