// A filter policy for LevelDB. Link linefilter::leveldb (CMake option LINEFILTER_LEVELDB). Where both kinds are
// installed, that is the shared library; with linefilter::static goes linefilter::leveldb_static.
//
//   #include <memory>
//   #include "leveldb/filter_policy.h"
//   #include "leveldb/options.h"
//   #include "linefilter/leveldb.h"
//   ...
//   std::unique_ptr<const leveldb::FilterPolicy> policy(linefilter::NewLevelDBFilterPolicy(10));  // bits per key
//   if (policy == nullptr) ...  // a Status* as the second argument says what to change
//   leveldb::Options options;
//   options.filter_policy = policy.get();
//   options.paranoid_checks = true;  // see "Damage"
//
// EngineFilterOptions in the place of the 10 choose a rate, a layout, and what is verified.
//
// Keys: LevelDB makes a filter of whole user keys for every 2 KiB of a table that a data block begins in (8 to 300
// keys, more with a larger block_size). DB::Get asks it; iterators do not, so there are no prefix filters: store
// prefixes as keys to have answers for them. Keys are compared byte by byte. Do not use the policy with a comparator
// for which different bytes are the same key (upper and lower case, trailing spaces): it would lose keys.
//
// Size: a filter of at most 64 keys is `classic` where that is smaller and has the rate that the named layout has at
// this density in large filters (or the fpr). So tables of a key or two cost 16 to 24 bytes, whatever the layout, where
// whole blocks would take 72. Making a policy takes about 1 ms: its tables are made then, not with the first filter.
// (Of `retrieval` above 64 keys, the first filters of a thread take 70 to 130 us more.)
//
// Files: Name() is "linefilter.Image.1", whatever the options; each filter says how it was made. So a database may be
// opened with any options, with another policy or with none: old tables are then read with the filters they have, or
// without. Filters of an unknown kind, and whatever is broken, answer "maybe". The number in the name stays as long as
// image format 1 is written.
//
// Damage: a filter of up to 4 KiB is verified whole at each lookup, which is a fifth of its time or more. In a larger
// one the 64 KiB around the key's block (in `classic` around one of its bits) are verified before the answer is
// "absent".
//
// LevelDB's directory of filters, at the end of the filter block, is out of the policy's reach. Where that is damaged,
// LevelDB asks the filter of other keys, and those there are lost. Options::paranoid_checks finds any damage in the
// filter block when a table is opened, and leaves the block out; with it, EngineFilterOptions::verify may be unset.
// (ReadOptions::verify_checksums does not concern filter blocks.)
#ifndef LINEFILTER_LEVELDB_H_
#define LINEFILTER_LEVELDB_H_

#include "linefilter/internal/export.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace leveldb {
class FilterPolicy;
}

namespace linefilter {

// The caller owns the policy and deletes it after every database that uses it is closed. Any number of databases and
// threads may use one. It is null if the options make no sense or there is no memory; *status (it may be null) then
// says why. It needs no exceptions, here or in LevelDB. The policy has RTTI (typeid, dynamic_cast) if the LevelDB that
// it was built with has, as Debian's does; without, these end the program. Where memory runs out later, a filter that
// answers "maybe" is stored: slower, never wrong. LevelDB's own string is grown before anything of ours is allocated.
// If that throws std::bad_alloc, it passes through CreateFilter as from LevelDB's own code, and nothing leaks.
LINEFILTER_EXPORT const leveldb::FilterPolicy* NewLevelDBFilterPolicy(const EngineFilterOptions& options,
                                                                      Status* status = nullptr) noexcept;
// The same for that many bits per key, as leveldb::NewBloomFilterPolicy takes them; all else is at its default.
inline const leveldb::FilterPolicy* NewLevelDBFilterPolicy(double bits_per_key, Status* status = nullptr) noexcept {
  EngineFilterOptions options;
  options.bits_per_key = bits_per_key;
  return NewLevelDBFilterPolicy(options, status);
}

}  // namespace linefilter

#endif  // LINEFILTER_LEVELDB_H_
