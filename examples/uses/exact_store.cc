#include "examples/uses/exact_store.h"

#include <sqlite3.h>

namespace uses {
namespace {

void Bind(sqlite3_stmt* statement, std::string_view key) {
  sqlite3_bind_blob64(statement, 1, key.empty() ? "" : key.data(), key.size(), SQLITE_STATIC);
}

std::string_view KeyOf(sqlite3_stmt* statement) {
  const void* const data = sqlite3_column_blob(statement, 0);
  return {static_cast<const char*>(data), static_cast<size_t>(sqlite3_column_bytes(statement, 0))};
}

}  // namespace

ExactStore::ExactStore(const std::string& path, Sync sync) : path_(path) {
  if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) {
    const std::string reason = db_ == nullptr ? "no memory" : sqlite3_errmsg(db_);
    sqlite3_close(db_);
    throw StoreError(path + ": " + reason);
  }
  try {
    Execute("PRAGMA busy_timeout = 60000");  // ms: other processes may write, too
    Execute("PRAGMA cache_size = -262144");  // KiB
    Execute(sync == Sync::kFull ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
    Execute("PRAGMA journal_mode = WAL");
    // Without AUTOINCREMENT the numbers of deleted rows come again, and new rows look like old ones to LastRow.
    Execute(
        "CREATE TABLE IF NOT EXISTS keys "
        "(number INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, value INTEGER)");
    Execute("CREATE TABLE IF NOT EXISTS filter (id INTEGER PRIMARY KEY, fingerprint INTEGER, last_row INTEGER)");
    contains_ = Prepare("SELECT 1 FROM keys WHERE key = ?1");
    insert_ = Prepare("INSERT INTO keys (key, value) VALUES (?1, ?2)");
  } catch (...) {
    sqlite3_finalize(contains_);
    sqlite3_close(db_);
    throw;
  }
}

ExactStore::~ExactStore() {
  sqlite3_finalize(contains_);
  sqlite3_finalize(insert_);
  sqlite3_close(db_);
}

bool ExactStore::Contains(std::string_view key) {
  ++lookups_;
  Bind(contains_, key);
  const bool found = Step(contains_) == SQLITE_ROW;
  sqlite3_reset(contains_);
  return found;
}

bool ExactStore::Insert(std::string_view key, int64_t value) {
  Bind(insert_, key);
  sqlite3_bind_int64(insert_, 2, value);
  const int code = Step(insert_);
  sqlite3_reset(insert_);
  return code == SQLITE_DONE;
}

void ExactStore::Begin() { Execute("BEGIN IMMEDIATE"); }
void ExactStore::Commit() { Execute("COMMIT"); }
uint64_t ExactStore::Count() { return static_cast<uint64_t>(Number("SELECT count(*) FROM keys")); }
int64_t ExactStore::Sum() { return Number("SELECT sum(value) FROM keys"); }
int64_t ExactStore::LastRow() { return Number("SELECT max(number) FROM keys"); }

void ExactStore::ForEachAfter(int64_t row, const std::function<void(std::string_view key)>& visit) {
  sqlite3_stmt* const statement = Prepare("SELECT key FROM keys WHERE number > ?1");
  sqlite3_bind_int64(statement, 1, row);
  try {
    while (Step(statement) == SQLITE_ROW) visit(KeyOf(statement));
  } catch (...) {
    sqlite3_finalize(statement);
    throw;
  }
  sqlite3_finalize(statement);
}

bool ExactStore::GetSavedFilter(SavedFilter* saved) {
  sqlite3_stmt* const statement = Prepare("SELECT fingerprint, last_row FROM filter");
  const int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) {
    saved->fingerprint = static_cast<uint64_t>(sqlite3_column_int64(statement, 0));
    saved->last_row = sqlite3_column_int64(statement, 1);
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE) Fail("which image was saved");
  return code == SQLITE_ROW;
}

void ExactStore::SetSavedFilter(const SavedFilter& saved) {
  sqlite3_stmt* const statement = Prepare("REPLACE INTO filter VALUES (1, ?1, ?2)");
  sqlite3_bind_int64(statement, 1, static_cast<int64_t>(saved.fingerprint));
  sqlite3_bind_int64(statement, 2, saved.last_row);
  const int code = sqlite3_step(statement);
  sqlite3_finalize(statement);
  if (code != SQLITE_DONE) Fail("to note which image was saved");
}

void ExactStore::Execute(const char* sql) {
  if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) Fail(sql);
}

sqlite3_stmt* ExactStore::Prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) != SQLITE_OK) Fail(sql);
  return statement;
}

// A row, the end, or a key that is there already.
int ExactStore::Step(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE && code != SQLITE_CONSTRAINT) Fail(sqlite3_sql(statement));
  return code;
}

int64_t ExactStore::Number(const char* sql) {
  sqlite3_stmt* const statement = Prepare(sql);
  const int code = sqlite3_step(statement);
  const int64_t number = sqlite3_column_int64(statement, 0);  // of NULL: 0
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW) Fail(sql);
  return number;
}

void ExactStore::Fail(const char* what) { throw StoreError(path_ + ": " + sqlite3_errmsg(db_) + " (" + what + ")"); }

}  // namespace uses
