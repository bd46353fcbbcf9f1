// A filter policy for RocksDB 7.0 to 9.5. Link linefilter::rocksdb (CMake option LINEFILTER_ROCKSDB; a program that
// links RocksDB's static library names its target in LINEFILTER_ROCKSDB_TARGET). Where both kinds are installed, that
// is the shared library; with linefilter::static goes linefilter::rocksdb_static.
//
//   #include "linefilter/rocksdb.h"
//   #include "rocksdb/filter_policy.h"
//   #include "rocksdb/options.h"
//   #include "rocksdb/table.h"
//   ...
//   rocksdb::BlockBasedTableOptions table;
//   table.filter_policy.reset(linefilter::NewRocksDBFilterPolicy(10));  // bits per key
//   if (table.filter_policy == nullptr) ...  // a Status* as the second argument says what to change
//   rocksdb::Options options;
//   options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
//
// EngineFilterOptions in the place of the 10 choose a rate, a layout, and what is verified.
//
// Versions: RocksDB lets policies choose among its own filters only; how filters are made and read is internal. The
// adapter declares that interface again as it is from 7.0 to 9.5, and does not compile with any other version. Compile
// it with the headers of the very library that it will run with: with another minor version no policy is made. RocksDB
// 9.6 to 10 have no way in: 7.0 took the policy by bytes (CreateFilter, KeyMayMatch) away, and 9.6 put another call
// (AddKeyAndAlt) among the internal ones.
//
// Keys: filters are full or partitioned (BlockBasedTableOptions::partition_filters), of whole keys
// (whole_key_filtering) and of prefixes (Options::prefix_extractor), as RocksDB hands them over. Get, MultiGet and
// iterators ask; MultiGet asks for all keys of a table at once. Keys are compared byte by byte. Do not use the policy
// with a comparator for which different bytes are the same key: it would lose keys.
//
// Size: a filter of at most 64 keys is `classic` where that is smaller and has the rate that the named layout has at
// this density in large filters (or the fpr). Making a policy takes about 1 ms: its tables are made then, not with the
// first filter. (Of `retrieval` above 64 keys, the first filters of a thread take 70 to 130 us more.)
//
// Files: the name in them is "linefilter.Image.1", whatever the options; each filter says how it was made. So a
// database may be opened with any options, with RocksDB's own filters or with none: old files are then read with the
// filters they have, or without. Whatever is broken answers "maybe". The number in the name stays as long as image
// format 1 is written. RocksDB's options files do not keep the policy: after LoadLatestOptions set filter_policy again,
// or new files get no filter.
//
// Damage: RocksDB verifies the checksum of a filter block when it reads it from a file, unless
// ReadOptions::verify_checksums is unset or the table has kNoChecksum. The policy verifies it once more when it is
// loaded into the block cache, as EngineFilterOptions::verify says; this takes some 0.1 ms per MB. With
// BlockBasedTableOptions::detect_filter_construct_corruption a new filter is verified before it is written, and asked
// for every key that was added: if one is missing, RocksDB gives the file up (Corruption).
//
// Memory: writing a file takes 8 bytes per key of a filter (16 with detect_filter_construct_corruption) and what
// linefilter/builder.h says, which RocksDB does not charge to the block cache. Each loaded filter takes some 400 bytes.
// optimize_filters_for_memory has no effect.
#ifndef LINEFILTER_ROCKSDB_H_
#define LINEFILTER_ROCKSDB_H_

#include "linefilter/internal/export.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace rocksdb {
class FilterPolicy;
}

namespace linefilter {

// The caller owns the policy, usually by the std::shared_ptr above. Any number of databases and threads may use one. It
// is null if the options make no sense, there is no memory, or another RocksDB runs than was compiled with (7.8 is
// another than 7.9; kUnsupported). *status (it may be null) then says why. It needs no exceptions. The policy has RTTI
// (typeid, dynamic_cast) if the RocksDB that it was built with has, as Debian's does; without, these end the program.
// Where memory runs out later, the file gets a filter that answers "maybe": slower, never wrong. RocksDB is not told,
// because it would stop writing.
LINEFILTER_EXPORT const rocksdb::FilterPolicy* NewRocksDBFilterPolicy(const EngineFilterOptions& options,
                                                                      Status* status = nullptr) noexcept;
// The same for that many bits per key, as rocksdb::NewBloomFilterPolicy takes them; all else is at its default.
inline const rocksdb::FilterPolicy* NewRocksDBFilterPolicy(double bits_per_key, Status* status = nullptr) noexcept {
  EngineFilterOptions options;
  options.bits_per_key = bits_per_key;
  return NewRocksDBFilterPolicy(options, status);
}

}  // namespace linefilter

#endif  // LINEFILTER_ROCKSDB_H_
