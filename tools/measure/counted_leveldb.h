// This is a LevelDB database that counts its reads of blocks, which is what filters are for, and tells how large its
// filters are. LevelDB neither compresses nor caches blocks, so that a block which is needed is a read, and each block
// holds the same number of keys.
#ifndef LINEFILTER_TOOLS_MEASURE_COUNTED_LEVELDB_H_
#define LINEFILTER_TOOLS_MEASURE_COUNTED_LEVELDB_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"

namespace linefilter::tools {

// Counts RandomAccessFile::Read.
class CountingEnv : public leveldb::EnvWrapper {
 public:
  CountingEnv() : leveldb::EnvWrapper(leveldb::Env::Default()) {}

  leveldb::Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** file) override {
    const leveldb::Status status = leveldb::EnvWrapper::NewRandomAccessFile(name, file);
    if (status.ok()) *file = new CountingFile(*file, &reads_);
    return status;
  }
  uint64_t reads() const { return reads_.load(std::memory_order_relaxed); }

 private:
  class CountingFile : public leveldb::RandomAccessFile {
   public:
    CountingFile(leveldb::RandomAccessFile* file, std::atomic<uint64_t>* reads) : file_(file), reads_(reads) {}
    leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char* scratch) const override {
      reads_->fetch_add(1, std::memory_order_relaxed);
      return file_->Read(offset, n, result, scratch);
    }

   private:
    const std::unique_ptr<leveldb::RandomAccessFile> file_;
    std::atomic<uint64_t>* const reads_;
  };

  std::atomic<uint64_t> reads_{0};
};

// The filter block of an uncompressed table, by LevelDB's doc/table_format.md. The footer, 48 bytes, begins with the
// handle (offset, size) of the metaindex block. Its only entry is `filter.<name of the policy>` and the filter block's
// handle.
struct FilterBlock {
  uint64_t offset = 0, size = 0;
  std::string policy_name;
};
inline FilterBlock FilterBlockOf(std::string_view table) {
  FilterBlock block;
  if (table.size() < 48) return block;
  size_t at = table.size() - 48;
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0; at < table.size() && shift < 64; shift += 7) {
      const unsigned char byte = static_cast<unsigned char>(table[at++]);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  at = varint();
  const uint64_t shared = varint(), key_bytes = varint();
  varint();  // the size of the value
  if (shared != 0 || at > table.size() || key_bytes > table.size() - at || key_bytes < 7) return block;  // no filters
  block.policy_name = table.substr(at + 7, key_bytes - 7);  // behind "filter."
  at += key_bytes;
  block.offset = varint();
  block.size = varint();
  return block;
}

// A filter block ends with the place where the filters' offsets begin, 4 bytes, and for how many bytes of the table
// each filter is, 1 byte.
inline constexpr size_t kFilterBlockEnd = 5;

// Calls visit(filter) for each filter of a table that is not empty.
template <class Visit>
void ForEachFilter(std::string_view table, const Visit& visit) {
  const FilterBlock block = FilterBlockOf(table);
  if (block.size < kFilterBlockEnd || block.offset > table.size() || block.size > table.size() - block.offset) return;
  const std::string_view bytes = table.substr(block.offset, block.size);
  const auto word = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value |= uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return value;
  };
  const size_t end = bytes.size() - kFilterBlockEnd;
  for (size_t at = word(end); at + 4 <= end; at += 4) {
    const uint32_t first = word(at), last = word(at + 4);
    if (first < last && last <= end) visit(bytes.substr(first, last - first));
  }
}

// Closed and opened again, it keeps its keys.
class CountedLevelDB {
 public:
  // The options of the next Open.
  leveldb::Options options;

  // `folder` does not exist yet; it is removed at the end.
  explicit CountedLevelDB(std::string folder) : folder_(std::move(folder)), cache_(leveldb::NewLRUCache(0)) {
    options.create_if_missing = true;
    options.error_if_exists = true;
    options.compression = leveldb::kNoCompression;
    options.max_file_size = size_t{32} << 20;
    options.write_buffer_size = size_t{32} << 20;
    options.block_cache = cache_.get();
    options.env = &env_;
  }
  // The database is open afterwards.
  CountedLevelDB(std::string folder, const leveldb::FilterPolicy* policy, size_t block_bytes = 4096)
      : CountedLevelDB(std::move(folder)) {
    options.block_size = block_bytes;
    Open(policy);
  }
  ~CountedLevelDB() {
    Close();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  CountedLevelDB(const CountedLevelDB&) = delete;
  CountedLevelDB& operator=(const CountedLevelDB&) = delete;

  // The policy (null: none) belongs to the caller and lives until the database is closed.
  void Open(const leveldb::FilterPolicy* policy) {
    Close();
    options.filter_policy = policy;
    leveldb::DB* db = nullptr;
    status_ = leveldb::DB::Open(options, folder_, &db);
    db_.reset(db);
    if (status_.ok()) options.error_if_exists = false;  // the next time it is ours
  }
  void Close() { db_.reset(); }

  // The first error since it was opened; nothing is done after it.
  const leveldb::Status& status() const { return status_; }

  void Put(const leveldb::Slice& key, const leveldb::Slice& value) {
    if (status_.ok()) status_ = db_->Put({}, key, value);
  }
  // Brings all tables into one sorted level, open.
  void Compact() {
    if (!status_.ok()) return;
    db_->CompactRange(nullptr, nullptr);
    const std::unique_ptr<leveldb::Iterator> all(db_->NewIterator({}));
    for (all->SeekToFirst(); all->Valid(); all->Next()) continue;
    status_ = all->status();
  }
  bool Contains(const leveldb::Slice& key) {
    if (!status_.ok()) return false;
    const leveldb::Status status = db_->Get({}, key, &value_);
    if (!status.ok() && !status.IsNotFound()) status_ = status;
    return status.ok();
  }
  // The value of the last key that it contained.
  const std::string& value() const { return value_; }
  uint64_t reads() const { return env_.reads(); }

  // The paths of the tables.
  std::vector<std::string> Tables() const {
    std::vector<std::string> tables;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().extension() == ".ldb") tables.push_back(entry.path());
    }
    return tables;
  }
  // Calls visit(filter) for each filter of each table.
  template <class Visit>
  void ForEachFilter(const Visit& visit) const {
    for (const std::string& path : Tables()) {
      std::ifstream in(path, std::ios::binary);
      const std::string table(std::istreambuf_iterator<char>(in), {});
      tools::ForEachFilter(table, visit);
    }
  }

 private:
  const std::string folder_;
  CountingEnv env_;
  const std::unique_ptr<leveldb::Cache> cache_;
  leveldb::Status status_;
  std::string value_;
  std::unique_ptr<leveldb::DB> db_;  // the last: it uses the others
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_COUNTED_LEVELDB_H_
