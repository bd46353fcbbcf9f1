// A small immutable sorted table with a filter in front: the template for those who write their own SST reader. Not a
// database: no log, no compaction, no compression, no cache of data blocks.
//
//   TableWriter writer;                                 TableReader table;
//   status = writer.Create("words.sst");                status = table.Open("words.sst");
//   status = writer.Add("apple", "red");  // ascending  Lookup lookup;
//   status = writer.Finish();                           status = table.Get("pear", &lookup);
//
// The bytes are told in table_format.h. Keys and values are any bytes; keys are ordered as unsigned bytes. What the
// library contributes is written `linefilter::`. Memory that runs out throws std::bad_alloc, as std::string does.
#ifndef LINEFILTER_EXAMPLES_SST_READER_TABLE_H_
#define LINEFILTER_EXAMPLES_SST_READER_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "examples/sst_reader/table_format.h"
#include "linefilter/builder.h"
#include "linefilter/file.h"
#include "linefilter/options.h"
#include "linefilter/status.h"
#include "linefilter/view.h"

namespace sst {

using linefilter::Status;

struct TableOptions {
  // `retrieval`, because the keys of a table are complete when its filter is made: a sixth of the false positives of
  // `blocked` in the same bytes. Any layout will do; hash_id stays kXxh3.
  TableOptions() {
    filter.layout = linefilter::Layout::kRetrieval;
    filter.bits_per_key = 10;
  }
  linefilter::FilterOptions filter;
  // A data block is full when it has so many bytes. What a lookup reads when the filter says "maybe".
  uint32_t data_block_bytes = 4096;
};

// Protocol: Create (Add)* Finish. The file appears under its name, complete, in Finish; a writer that is dropped or
// killed before leaves the old one, if any. Memory: a data block, the index, and what
// FilterBuilder::EstimateBytes tells of the filter (as TableOptions has it, about 11 bytes per key at 10^6 keys and 9.4
// at 10^8: hashes, image and work area).
class TableWriter {
 public:
  explicit TableWriter(const TableOptions& options = {});
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  Status Create(const char* path);
  // kInvalidArgument if the key is not above the last one: nothing was added, and the next key may come. After an Add
  // that threw, all is refused until the next Create.
  Status Add(std::string_view key, std::string_view value);
  Status Finish();

 private:
  Status Append(std::string_view bytes);
  Status WriteDataBlock();
  Status WriteFilter();
  Status WriteAll();

  const TableOptions options_;
  linefilter::AtomicFile file_;
  linefilter::FilterBuilder filter_;
  std::string data_block_, index_, last_key_;
  uint64_t offset_ = 0, num_keys_ = 0;  // of bytes in the file; of keys added
  uint64_t last_8_bytes_ = 0;           // of the file, as LoadLE reads them
  bool open_ = false;
};

enum class Outcome : uint8_t { kAbsent, kFound, kError };

// `value` points into the mapped file: good as long as the table is open.
struct Lookup {
  Outcome outcome = Outcome::kError;
  std::string_view value;
};

struct ReadOptions {
  // false: every lookup reads a data block. To see what the filter saves.
  bool use_filter = true;
  // Reads the whole filter in Open (about 0.1 s per GB), so that a damaged one is found before it loses a key. false is
  // for those who verify their files otherwise.
  bool verify_filter = true;
};

struct Counters {
  uint64_t lookups = 0, absent_by_filter = 0, data_blocks_read = 0;
};

// Open first; then all const calls may come from any number of threads. What is damaged is an error, never "absent".
class TableReader {
 public:
  TableReader() { Close(); }
  ~TableReader() { Close(); }
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  // mmap. The file must not shrink while it is open (SIGBUS): replace tables by rename, as TableWriter does. An error
  // if footer or index are damaged. A damaged filter is none: the table works without, filter_status() tells why.
  Status Open(const char* path, const ReadOptions& options = {});
  // A table in memory that somebody else owns, and keeps until Close. (Aligned to 64 bytes, the filter is fast.)
  Status OpenBytes(const void* bytes, size_t size, const ReadOptions& options = {});
  void Close();

  // An error (lookup->outcome is kError then) if the data block is damaged in which the key would be.
  Status Get(std::string_view key, Lookup* lookup) const;
  // lookups[i] is that of keys[i], n of them. The filter is asked by the batch, which hides its cache misses, before
  // any data block is read. Returns the first error, if any; the other keys have been looked up all the same.
  Status MultiGet(const std::string_view* keys, size_t n, Lookup* lookups) const;

  const linefilter::FilterView& filter() const { return filter_; }
  const Status& filter_status() const { return filter_status_; }
  uint64_t num_keys() const { return footer_.num_keys; }
  size_t num_data_blocks() const { return index_.size(); }
  size_t file_bytes() const { return size_; }
  Counters counters() const;

 private:
  friend class TableIterator;
  struct IndexEntry {
    std::string_view last_key;
    uint64_t offset;
    uint32_t size, check;
  };
  // In one cache line that every thread writes: an engine counts per thread.
  struct AtomicCounters {
    std::atomic<uint64_t> lookups{0}, absent_by_filter{0}, data_blocks_read{0};
  };

  // table_open.cc
  Status Map(const char* path);
  Status ReadAll(const ReadOptions& options);
  Status ReadFooter();
  Status ReadIndex();
  Status OpenFilter(const ReadOptions& options);
  Status Damaged(const char* what) const;
  // table_reader.cc
  size_t FindDataBlock(std::string_view key) const;
  Status ReadDataBlock(size_t i, std::string_view* entries) const;
  Status Search(std::string_view key, Lookup* lookup) const;

  std::string name_;  // for messages
  const char* data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false, open_ = false;
  Footer footer_;
  std::vector<IndexEntry> index_;
  linefilter::FilterView filter_;  // broken, which is "maybe", until OpenFilter found a good one
  Status filter_status_;
  mutable AtomicCounters counters_;
};

// All entries in order, or those from a key on. Ends with the table; one thread each.
//   for (it.SeekToFirst(); it.Valid(); it.Next()) use(it.key(), it.value());
//   if (!it.status().ok()) ...  // the end came early
class TableIterator {
 public:
  explicit TableIterator(const TableReader& table) : table_(table) {}

  void SeekToFirst() { OpenDataBlock(0); }
  // To the first key that is not below `key`.
  void Seek(std::string_view key);
  bool Valid() const { return valid_; }
  const Status& status() const { return status_; }
  // While Valid().
  void Next();
  std::string_view key() const { return entry_.key; }
  std::string_view value() const { return entry_.value; }

 private:
  void OpenDataBlock(size_t i);

  const TableReader& table_;
  Status status_;
  size_t data_block_ = 0;
  std::string_view rest_;  // of the data block, behind entry_
  Entry entry_;
  bool valid_ = false;
};

}  // namespace sst

#endif  // LINEFILTER_EXAMPLES_SST_READER_TABLE_H_
