// BlockChanges are the blocks of one generation that a batch of keys changes, where Redis has no command for the
// change. They are read, changed here, and written by a script that first looks whether each is still what was read.
// The script answers with the blocks that are not: these are changed again. So no writer undoes what another one did.
//
// Keys of one block are changed together. A missing block is never one that was read, so nothing is made anew.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_BLOCK_CHANGES_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_BLOCK_CHANGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/adapters/redis/record/marks.h"
#include "lib/adapters/redis/record/shards.h"
#include "lib/adapters/redis/wire/batch.h"

namespace linefilter::redis_internal {

// So many keys are changed at once in a body of so many blocks. With more, several writers would often meet in a block.
size_t BlockKeysAtOnce(uint64_t num_blocks);

// The rounds in which blocks are written that others changed meanwhile. They are bounded. Each writes fewer blocks, and
// after some there is a pause before each, cut by chance, so that the writers of a block come one after the other.
class BlockRounds {
 public:
  // Waits, if need be; false: that was the last one.
  bool Next();

 private:
  int num_rounds_ = 0;
};

// Usage: AddReads, Run, then AddWrites and Run while it adds some and rounds are left. Ask for the round before
// AddWrites: after it a block counts as sent. In between OnReply and OnError get what is theirs. They are the last
// commands of a batch but for the checks.
class BlockChanges {
 public:
  enum class Change : uint8_t { kInsert, kRemove };
  // What became of a key.
  enum class Found : uint8_t {
    kNothing,  // nothing was changed, and nothing is known
    kUnknown,  // a change was sent, and nobody knows whether it was made
    kLeft,     // its block need not be changed, as it was read
    kWritten,
  };

  // `shards` and the hashes must stay. Keys that are `stopped` are left out (null: none is).
  BlockChanges(const Shards& shards, const uint64_t* hashes, size_t n, Change change, const std::vector<bool>* stopped);

  void AddReads(Marks* marks, Batch* batch);
  // Changes what was read, or answered by the last writes, and adds the scripts. `all` writes also blocks that do not
  // change. It returns how many blocks are to be written.
  size_t AddWrites(bool all, Batch* batch);

  // Whether blocks are still to be written, because others changed them meanwhile.
  bool AnyDiffers() const;

  // Whether that command is one of the last reads or writes.
  bool Has(size_t command) const { return command >= first_ && command - first_ < commands_.size(); }
  void OnReply(size_t command, const Reply& reply);
  void OnError(size_t command);
  void OnRefused(size_t command);  // a script did nothing, and is not sent again

  Found FoundOf(size_t i) const { return blocks_.empty() || block_of_[i] == kNone ? Found::kNothing : StateOf(i); }
  // Whether the key was certainly new, or was taken out, if it is kLeft or kWritten.
  bool Changed(size_t i) const { return changed_[i]; }
  uint32_t ShardOf(size_t i) const { return block_of_[i] == kNone ? 0 : blocks_[block_of_[i]].shard; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  enum class State : uint8_t { kUnread, kRead, kSent, kDiffers, kLeft, kWritten, kRefused, kUnknown };
  struct Block {
    alignas(64) uint8_t was[kMostBlockBytes];
    alignas(64) uint8_t now[kMostBlockBytes];
    uint64_t offset;  // in the shard
    uint32_t shard;
    uint32_t first_key, num_keys;  // of order_
    State state;
  };
  // Reads have one block, scripts several: those of to_write_ from `first` on.
  struct Command {
    uint32_t first, num_blocks;
  };

  Found StateOf(size_t i) const;
  bool IsChanged(Block* block);
  void AddScript(size_t first, size_t num_blocks, Batch* batch);

  const Shards* shards_;
  const uint64_t* hashes_;
  Change change_;
  size_t block_bytes_;
  std::vector<uint32_t> order_;     // keys, those of a block side by side and as they came
  std::vector<uint32_t> block_of_;  // of a key; kNone: stopped
  std::vector<bool> changed_;       // see Changed
  std::vector<Block> blocks_;       // by shard
  bool is_reading_ = false;
  size_t first_ = ~size_t{0};  // command
  std::vector<Command> commands_;
  std::vector<uint32_t> to_write_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_CALLS_BLOCK_CHANGES_H_
