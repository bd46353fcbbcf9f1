#include "tools/demo/leveldb.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "linefilter/leveldb.h"
#include "tools/demo/clock.h"
#include "tools/demo/table.h"
#include "tools/measure/counted_leveldb.h"

namespace linefilter::demo {
namespace {

constexpr size_t kGets = 50000;
// Whole blocks for so few keys take more bytes than were asked for: so many bits make LevelDB's filters as large.
constexpr int kBitsOfSameBytes = 12;

struct Case {
  std::string name;
  std::unique_ptr<const leveldb::FilterPolicy> policy;
  std::unique_ptr<tools::CountedLevelDB> db;
  uint64_t filter_bytes = 0, reads = 0;
  std::vector<double> ns;
};

leveldb::Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

std::vector<Case> Cases() {
  std::vector<Case> cases(1);
  cases[0].name = "no filter";
  for (const int bits : {static_cast<int>(kBitsPerKey), kBitsOfSameBytes}) {
    cases.emplace_back();
    cases.back().name = "LevelDB's Bloom, " + std::to_string(bits) + " bits";
    cases.back().policy.reset(leveldb::NewBloomFilterPolicy(bits));
  }
  for (const Layout layout : {Layout::kBlocked, Layout::kRetrieval}) {
    EngineFilterOptions options;
    options.bits_per_key = kBitsPerKey;
    options.layout = layout;
    cases.emplace_back();
    cases.back().name = std::string("linefilter, ") + LayoutName(layout);
    cases.back().policy.reset(NewLevelDBFilterPolicy(options));
  }
  return cases;
}

// The words with values of as many bytes as make some 50 entries of a block; returns how many are not found then.
uint64_t Fill(const WordList& members, Case* filled) {
  const std::string value(75, 'v');
  for (const std::string_view word : members.words) filled->db->Put(SliceOf(word), value);
  filled->db->Compact();
  if (!filled->db->status().ok()) return 0;
  filled->db->ForEachFilter([filled](std::string_view filter) { filled->filter_bytes += filter.size(); });
  uint64_t lost = 0;
  for (const std::string_view word : members.words) lost += !filled->db->Contains(SliceOf(word));
  return lost;
}

void Ask(const std::vector<std::string_view>& absent, Case* asked) {
  const uint64_t before = asked->db->reads();
  const double start = NowNs();
  for (const std::string_view word : absent) (void)asked->db->Contains(SliceOf(word));
  asked->ns.push_back((NowNs() - start) / static_cast<double>(absent.size()));
  asked->reads = asked->db->reads() - before;
}

double Median(std::vector<double> ns) {
  std::sort(ns.begin(), ns.end());
  return ns[ns.size() / 2];
}

double Factor(uint64_t a, uint64_t b) { return static_cast<double>(a) / static_cast<double>(std::max<uint64_t>(b, 1)); }

// The line of the verdict: the last case against LevelDB's own filter.
std::string Sentence(const std::vector<Case>& cases) {
  const Case &own = cases[2], &ours = cases.back();
  char text[200];
  snprintf(text, sizeof(text),
           "In LevelDB, with %.2f of the filter bytes: retrieval has %.2f of the reads of its Bloom, a Get takes %.2f "
           "of the time.\n",
           Factor(ours.filter_bytes, own.filter_bytes), Factor(ours.reads, own.reads),
           Median(ours.ns) / Median(own.ns));
  return text;
}

void Print(const std::vector<Case>& cases, size_t num_words, size_t num_absent, int rounds, FILE* out) {
  fprintf(out, "\nLevelDB with %zu words as keys, %zu absent words looked up, %g bits per key asked for:\n", num_words,
          num_absent, kBitsPerKey);
  fprintf(out, "%-25s %13s %7s %12s %9s %18s\n", "filter", "filter bytes", "bytes", "block reads", "FPR %",
          "ns per absent Get");
  for (const Case& of : cases) {
    fprintf(out, "%-25s %13llu %6.2fx %12llu %9.3f %18.0f\n", of.name.c_str(),
            static_cast<unsigned long long>(of.filter_bytes), Factor(of.filter_bytes, cases[1].filter_bytes),
            static_cast<unsigned long long>(of.reads),
            100.0 * static_cast<double>(of.reads) / static_cast<double>(num_absent), Median(of.ns));
  }
  fprintf(out,
          "Each read is a false positive: the word is not there. All databases hold the same words and take turns; "
          "median of %d "
          "rounds.\n"
          "bytes: by those of LevelDB's Bloom of 10 bits. For so few keys per filter ours take whole blocks.\n",
          rounds);
}

bool IsGood(const Case& of, const std::string& folder) {
  if (of.db->status().ok()) return true;
  fprintf(stderr, "linefilter_demo: LevelDB in %s: %s\n", folder.c_str(), of.db->status().ToString().c_str());
  return false;
}

}  // namespace

bool ShowLevelDB(const WordList& members, const Asked& asked, int rounds, const std::string& folder, uint64_t* lost,
                 std::string* sentence) {
  std::vector<std::string_view> absent;
  for (size_t i = 0; i < asked.words.size() && absent.size() < kGets; ++i) {
    if (!asked.is_member[i]) absent.push_back(asked.words[i]);
  }
  std::vector<Case> cases = Cases();
  *lost = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string of_case = folder + "/leveldb-" + std::to_string(i);
    std::error_code ignored;
    std::filesystem::remove_all(of_case, ignored);  // of a demo that was killed
    cases[i].db = std::make_unique<tools::CountedLevelDB>(of_case, cases[i].policy.get());
    const uint64_t lost_here = Fill(members, &cases[i]);
    if (!IsGood(cases[i], of_case)) return false;
    *lost += lost_here;
  }
  for (int round = 0; round < rounds; ++round) {
    for (Case& each : cases) Ask(absent, &each);
  }
  for (const Case& each : cases) {
    if (!IsGood(each, folder)) return false;
  }
  *sentence = Sentence(cases);
  const std::string path = folder + "/leveldb.txt";
  FILE* const file = fopen(path.c_str(), "w");
  Print(cases, members.words.size(), absent.size(), rounds, stdout);
  if (file != nullptr) Print(cases, members.words.size(), absent.size(), rounds, file);
  if (file != nullptr && fclose(file) == 0) return true;
  fprintf(stderr, "linefilter_demo: cannot write %s\n", path.c_str());
  return false;
}

}  // namespace linefilter::demo
