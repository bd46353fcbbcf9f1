// Two abstract classes make and read a filter in RocksDB; its public headers only forward-declare them since 7.0. They
// are declared again here; what counts is which virtual functions there are, and in which order. That was looked up in
// 7.0 to 9.5, where it is the same; 9.6 and 10.9 have others.
#ifndef LINEFILTER_LIB_ADAPTERS_ROCKSDB_INTERFACE_H_
#define LINEFILTER_LIB_ADAPTERS_ROCKSDB_INTERFACE_H_

#include "rocksdb/version.h"

#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR < 700 || ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR > 905
#error "linefilter's adapter fits RocksDB 7.0 to 9.5: other versions have another filter interface, or one that \
nobody has looked up, and calls would go astray. Use one of these versions, or leave LINEFILTER_ROCKSDB off."
#else

#include <cstddef>
#include <memory>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() = default;
  // Keys come in sorted order, with duplicates; whole keys and prefixes may alternate.
  virtual void AddKey(const Slice& key) = 0;
  // This is called before Finish, for the properties of the file; 0 = unknown.
  virtual size_t EstimateEntriesAdded() = 0;
  // The filter of the keys added since the last Finish. *memory owns it, or nobody has to.
  virtual Slice Finish(std::unique_ptr<const char[]>* memory) = 0;
  // *status may be Corruption, and nothing else but OK; then the file is given up, and writing stops.
  virtual Slice Finish(std::unique_ptr<const char[]>* memory, Status* status) = 0;
  // This is called after Finish. Faults are to be looked for if detect_filter_construct_corruption is set.
  virtual Status MaybePostVerify(const Slice& filter) = 0;
  // How many keys a filter of that size holds: where to end a partition.
  virtual size_t ApproximateNumEntries(size_t num_bytes) = 0;
};

// There is one for each filter block in the block cache; the block lives longer. Many threads use it.
class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;
  virtual bool MayMatch(const Slice& key) = 0;
  virtual void MayMatch(int num_keys, Slice** keys, bool* may_match) = 0;
};

}  // namespace ROCKSDB_NAMESPACE

#endif
#endif  // LINEFILTER_LIB_ADAPTERS_ROCKSDB_INTERFACE_H_
