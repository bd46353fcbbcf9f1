// The builder and the reader that RocksDB's policies hand out, which its public headers only forward-declare since 7.0.
// These declarations say again which virtual functions both have and in which order, and so are good for the versions
// in which that order was looked up. CMake leaves out with any other what includes this.
#ifndef LINEFILTER_BENCH_PEERS_ROCKSDB_INTERFACE_H_
#define LINEFILTER_BENCH_PEERS_ROCKSDB_INTERFACE_H_

#include <cstddef>
#include <memory>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/version.h"

#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR < 700 || ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR > 905
#error "RocksDB's internal FilterBitsBuilder and FilterBitsReader are known from 7.0 to 9.5 only: calls would go astray"
#endif

namespace ROCKSDB_NAMESPACE {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() {}
  virtual void AddKey(const Slice& key) = 0;
  virtual size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* bytes) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* bytes, Status* status) = 0;
  virtual Status MaybePostVerify(const Slice& filter) = 0;
  virtual size_t ApproximateNumEntries(size_t num_bytes) = 0;
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() {}
  virtual bool MayMatch(const Slice& key) = 0;
  virtual void MayMatch(int num_keys, Slice** keys, bool* may_match) = 0;
};

}  // namespace ROCKSDB_NAMESPACE

#endif  // LINEFILTER_BENCH_PEERS_ROCKSDB_INTERFACE_H_
