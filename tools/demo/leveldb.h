// The demo inside a real database: LevelDB with words as keys, asked for absent words.
#ifndef LINEFILTER_TOOLS_DEMO_LEVELDB_H_
#define LINEFILTER_TOOLS_DEMO_LEVELDB_H_

#include <string>

#include "tools/demo/words.h"

namespace linefilter::demo {

// Prints the table and leaves it in folder/leveldb.txt: block reads and time per absent Get without a filter, with
// LevelDB's own Bloom filter, and with ours; of times the median of `rounds`. False after saying why; *lost is the
// number of words that were not found, *sentence the line of the verdict.
bool ShowLevelDB(const WordList& members, const Asked& asked, int rounds, const std::string& folder, uint64_t* lost,
                 std::string* sentence);

}  // namespace linefilter::demo

#endif  // LINEFILTER_TOOLS_DEMO_LEVELDB_H_
