// The exact store behind a filter: a set of keys in a SQLite file. It stands for your database; every program here asks
// it only what the filter could not answer, and it counts how often.
//
// Errors are exceptions (StoreError): a program that cannot ask its store has no answer.
#ifndef LINEFILTER_EXAMPLES_USES_EXACT_STORE_H_
#define LINEFILTER_EXAMPLES_USES_EXACT_STORE_H_

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace uses {

struct StoreError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Sync {
  kOff,   // fast: what is committed outlives the process, not a machine that loses power
  kFull,  // what is committed stays
};

class ExactStore {
 public:
  ExactStore(const std::string& path, Sync sync);
  ~ExactStore();
  ExactStore(const ExactStore&) = delete;
  ExactStore& operator=(const ExactStore&) = delete;

  // An exact look-up: what the filter saves.
  bool Contains(std::string_view key);
  uint64_t lookups() const { return lookups_; }
  // False if the key was there. (The column is UNIQUE: the last defence, and here the judge, of what the filter says.)
  bool Insert(std::string_view key, int64_t value = 0);
  // What is inserted between the two is there as a whole, or after a crash not at all.
  void Begin();
  void Commit();

  uint64_t Count();
  int64_t Sum();  // of the values
  // Rows are numbered from 1 in the order of insertion, and no number comes again; 0: there are none.
  int64_t LastRow();
  // The keys of all rows above `row`.
  void ForEachAfter(int64_t row, const std::function<void(std::string_view key)>& visit);

  // Which image of a filter has all keys up to which row, kept with the rows: a store that is brought back from a
  // backup brings back what fits to it.
  struct SavedFilter {
    uint64_t fingerprint = 0;  // of the image's bytes
    int64_t last_row = 0;
  };
  bool GetSavedFilter(SavedFilter* saved);
  void SetSavedFilter(const SavedFilter& saved);

 private:
  void Execute(const char* sql);
  sqlite3_stmt* Prepare(const char* sql);
  int Step(sqlite3_stmt* statement);
  int64_t Number(const char* sql);
  [[noreturn]] void Fail(const char* what);

  std::string path_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* contains_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  uint64_t lookups_ = 0;
};

}  // namespace uses

#endif  // LINEFILTER_EXAMPLES_USES_EXACT_STORE_H_
