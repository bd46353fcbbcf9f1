// `add` and `uniq` print lines of a batch with this.
#ifndef LINEFILTER_TOOLS_PROGRAM_LINES_H_
#define LINEFILTER_TOOLS_PROGRAM_LINES_H_

#include <cstdint>

#include "tools/program/key_reader.h"

namespace linefilter::tools {

// Gives standard output a large buffer. Call it before anything is printed.
void BufferLines();

// Prints those lines of the batch that the reader took last for which is_wanted has `value`. A line that the file ends
// without its end gets one.
void PrintLines(const KeyReader& reader, const KeysOption& keys, const uint8_t* is_wanted, uint8_t value);

// Hands over what was printed; false, with errno, if that failed. A reader who has gone (| head) ends the process here,
// quietly, as he does that of others.
bool FlushLines();

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_LINES_H_
