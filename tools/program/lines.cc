#include "tools/program/lines.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <vector>

namespace linefilter::tools {

void BufferLines() { setvbuf(stdout, nullptr, _IOFBF, size_t{1} << 18); }

// The lines of a batch lie one behind the other in the reader's buffer, each with its end between it and the next. So a
// run of wanted ones is one piece of memory.
void PrintLines(const KeyReader& reader, const KeysOption& keys, const uint8_t* is_wanted, uint8_t value) {
  const std::vector<std::string_view>& lines = reader.lines();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (is_wanted[i] != value) continue;
    const char* const begin = lines[i].data();
    while (i + 1 < lines.size() && is_wanted[i + 1] == value) ++i;
    fwrite(begin, 1, static_cast<size_t>(lines[i].data() + lines[i].size() - begin), stdout);
    if (!keys.u64) putc(keys.line_end(), stdout);
  }
}

bool FlushLines() {
  if (fflush(stdout) == 0 && ferror(stdout) == 0) return true;
  if (errno == EPIPE) {  // whoever started us ignored SIGPIPE
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  return false;
}

}  // namespace linefilter::tools
