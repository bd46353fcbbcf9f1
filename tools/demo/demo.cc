// The main job on real keys: filters of one word list, saved and mapped, are asked every word of others, and so are the
// filters of other libraries.
//
//   linefilter_demo ROUNDS FOLDER MEMBERS ASKED...      images, tables, verdict and data for the plot go to FOLDER
//
// All rows take turns in each round, so that noise of the machine hits all alike. With an odd number of rounds the
// median is a measured time.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "tools/demo/leveldb.h"
#include "tools/demo/measure.h"
#include "tools/demo/table.h"
#include "tools/demo/words.h"

namespace linefilter::demo {
namespace {

struct Wanted {
  Layout layout;
  double bits_per_key;
};
// The last one is not of the same bytes: it shows what more bytes give.
constexpr Wanted kOurs[] = {{Layout::kBlocked, kBitsPerKey},
                            {Layout::kRetrieval, kBitsPerKey},
                            {Layout::kClassic, kBitsPerKey},
                            {Layout::kQuotient, kBitsPerKey},
                            {Layout::kBlocked, 16}};

bool ReadAll(int argc, char** argv, WordList* members, std::vector<WordList>* lists, Asked* asked) {
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
  *asked = MergeAsked(*members, *lists);
  if (!members->words.empty() && asked->num_members != asked->words.size()) return true;
  fprintf(stderr,
          "linefilter_demo: the lists leave nothing to measure: at least one word to insert and one absent word are "
          "needed\n");
  return false;
}

void MakeRows(const std::string& folder, std::vector<Row>* rows) {
  for (const Wanted& wanted : kOurs) {
    char name[64];
    snprintf(name, sizeof(name), "/%s-%g.filter", LayoutName(wanted.layout), wanted.bits_per_key);
    rows->emplace_back();
    rows->back().contender = OfLayout(wanted.layout, wanted.bits_per_key, folder + name);
  }
  for (auto& other : OfOthers(kBitsPerKey)) {
    rows->emplace_back();
    rows->back().contender = std::move(other);
  }
}

void PrintNotes(const Asked& asked, int rounds, FILE* out) {
  fprintf(out,
          "ns of CPU per word, hashing included, one thread, median of %d rounds. All %zu asked words are looked up; "
          "the FPR is\n"
          "that of the %zu absent ones. bytes: \"same\" is %g bits per word; a factor says how many times that is.\n",
          rounds, asked.words.size(), asked.words.size() - static_cast<size_t>(asked.num_members), kBitsPerKey);
}

bool Close(FILE* file, const std::string& path) {
  if (file != nullptr && fclose(file) == 0) return true;
  fprintf(stderr, "linefilter_demo: cannot write %s\n", path.c_str());
  return false;
}

// To the screen and to folder/table.txt; false after saying why.
bool ShowTable(const std::vector<Row>& rows, const WordList& members, const Asked& asked, int rounds,
               const std::string& folder) {
  const std::string path = folder + "/table.txt";
  FILE* const file = fopen(path.c_str(), "w");
  for (FILE* const out : {stdout, file}) {
    if (out == nullptr) continue;
    fprintf(out, "\n");
    PrintTable(rows, members.words.size(), asked.words.size() - asked.num_members, out);
    PrintNotes(asked, rounds, out);
  }
  return Close(file, path);
}

// To folder/verdict.txt, which tools/demo.sh shows last.
bool WriteVerdict(const std::vector<Row>& rows, uint64_t num_absent, const std::string& of_database,
                  const std::string& folder) {
  const std::string path = folder + "/verdict.txt";
  FILE* const file = fopen(path.c_str(), "w");
  if (file != nullptr) PrintVerdict(rows, num_absent, file);
  if (file != nullptr) fprintf(file, "%s", of_database.c_str());
  return Close(file, path);
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
  WordList members;
  std::vector<WordList> lists;
  Asked asked;
  if (!ReadAll(argc, argv, &members, &lists, &asked)) return 2;
  std::vector<Row> rows;
  MakeRows(folder, &rows);
  uint64_t lost = 0;
  for (Row& row : rows) {
    if (!Check(members.words, asked, &row)) return 2;
    lost += row.false_negatives;
  }
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) TimeOnce(members.words, asked, &row);
  }
  const uint64_t num_absent = asked.words.size() - asked.num_members;
  if (!ShowTable(rows, members, asked, rounds, folder) || !WritePlotData(rows, num_absent, folder)) return 2;
  std::string of_database;
#ifdef LINEFILTER_DEMO_LEVELDB
  uint64_t lost_in_leveldb = 0;
  if (!ShowLevelDB(members, asked, rounds, folder, &lost_in_leveldb, &of_database)) return 2;
  lost += lost_in_leveldb;
#endif
  if (!WriteVerdict(rows, num_absent, of_database, folder)) return 2;
  if (lost == 0) return 0;
  fprintf(stderr, "linefilter_demo: FALSE NEGATIVES in the tables above: this must never happen, please report it\n");
  return 1;
}

}  // namespace
}  // namespace linefilter::demo

int main(int argc, char** argv) try { return linefilter::demo::Run(argc, argv); } catch (const std::exception& error) {
  fprintf(stderr, "linefilter_demo: %s\n", error.what());
  return 2;
}
