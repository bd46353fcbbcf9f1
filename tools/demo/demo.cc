// The main job on real keys: filters of one word list, saved and mapped, are asked every word of others.
//
//   linefilter_demo ROUNDS FOLDER MEMBERS ASKED...      images, table and data for the plot go to FOLDER
//
// All rows take turns in each round, so that noise of the machine hits all alike. With an odd number of rounds the
// median is a measured time.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "linefilter/hash.h"
#include "tools/demo/leveldb.h"
#include "tools/demo/measure.h"
#include "tools/demo/table.h"
#include "tools/demo/words.h"
#include "tools/measure/layouts.h"

namespace linefilter::demo {
namespace {

constexpr double kBitsPerKey[] = {8, 10, 12, 16};
constexpr double kPlottedBitsPerKey = 10;

std::vector<uint64_t> HashAll(const std::vector<std::string_view>& words) {
  std::vector<uint64_t> hashes;
  hashes.reserve(words.size());
  for (const std::string_view& word : words) hashes.push_back(HashKey(word));
  return hashes;
}

bool ReadAll(int argc, char** argv, Keys* keys, WordList* members, std::vector<WordList>* lists) {
  if (!ReadWords(argv[3], members)) return false;
  printf("inserted: %7zu words of %s\n", members->words.size(), argv[3]);
  lists->reserve(static_cast<size_t>(argc));  // the words point into their list: it must not move
  for (int i = 4; i < argc; ++i) {
    lists->emplace_back();
    if (!ReadWords(argv[i], &lists->back())) return false;
  }
  for (const WordList& list : *lists) {
    printf("asked:    %7zu words of %s, %llu of them inserted\n", list.words.size(), list.path.c_str(),
           static_cast<unsigned long long>(CountShared(*members, list)));
  }
  keys->asked = MergeAsked(*members, *lists);
  keys->member_hashes = HashAll(members->words);
  keys->asked_hashes = HashAll(keys->asked.words);
  if (members->words.empty() || keys->asked.num_members == keys->asked.words.size()) {
    fprintf(stderr,
            "linefilter_demo: the lists leave nothing to measure: at least one word to insert and one absent word are "
            "needed\n");
    return false;
  }
  return true;
}

void PrintNotes(const Keys& keys, uint64_t num_absent, int rounds, FILE* out) {
  fprintf(
      out,
      "Times: ns of CPU per key, one thread, median of %d interleaved rounds. The hashes were computed before, but "
      "for\n"
      "\"lookup +hash\": batches of words, hashing included. single = one call per key. Lookups: all %zu asked words.\n"
      "FPR: of the %zu absent ones. False negatives: of all members, and of the asked words that are members.\n"
      "insert: into a mutable filter; retrieval takes no key once it is made. build: FilterBuilder, from hashes to "
      "image.\n"
      "target: the instructions that answer, those that this CPU does best; classic is scalar by design.\n",
      rounds, keys.asked.words.size(), static_cast<size_t>(num_absent));
}

int Run(int argc, char** argv) {
  const int rounds = argc < 5 ? 0 : std::atoi(argv[1]);
  if (rounds < 1) {
    fprintf(stderr,
            "usage: linefilter_demo ROUNDS FOLDER MEMBERS ASKED...\n"
            "ROUNDS is at least 1, FOLDER exists; the others are word lists, one per line.\n");
    return 2;
  }
  const std::string folder = argv[2];
  Keys keys;
  WordList members;
  std::vector<WordList> lists;
  if (!ReadAll(argc, argv, &keys, &members, &lists)) return 2;

  std::vector<Row> rows;
  for (const double bits : kBitsPerKey) {
    for (const Layout layout : tools::BuildableLayouts()) {
      char name[64];
      snprintf(name, sizeof(name), "/%s-%g.filter", LayoutName(layout), bits);
      rows.emplace_back();
      if (!MakeRow(layout, bits, folder + name, keys, &rows.back())) return 2;
    }
  }
  uint64_t false_negatives = 0;
  for (Row& row : rows) {
    CheckAnswers(keys, &row);
    false_negatives += row.false_negatives;
  }
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) TimeOnce(keys, &row);
  }

  const uint64_t num_absent = keys.asked.words.size() - keys.asked.num_members;
  const std::string table = folder + "/table.txt";
  FILE* file = fopen(table.c_str(), "w");
  for (FILE* out : {stdout, file}) {
    if (out == nullptr) continue;
    fprintf(out, "\n");
    PrintTable(rows, num_absent, out);
    PrintNotes(keys, num_absent, rounds, out);
  }
  if (file == nullptr || fclose(file) != 0) {
    fprintf(stderr, "linefilter_demo: cannot write %s\n", table.c_str());
    return 2;
  }
  if (!WritePlotData(rows, num_absent, kPlottedBitsPerKey, folder)) return 2;
#ifdef LINEFILTER_DEMO_LEVELDB
  uint64_t lost = 0;
  if (!ShowLevelDB(members, keys.asked, rounds, folder, &lost)) return 2;
  false_negatives += lost;
#endif
  if (false_negatives == 0) return 0;
  fprintf(stderr, "linefilter_demo: FALSE NEGATIVES in the table above: this must never happen, please report it\n");
  return 1;
}

}  // namespace
}  // namespace linefilter::demo

int main(int argc, char** argv) try { return linefilter::demo::Run(argc, argv); } catch (const std::exception& error) {
  fprintf(stderr, "linefilter_demo: %s\n", error.what());
  return 2;
}
