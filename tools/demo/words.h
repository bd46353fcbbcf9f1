// The keys of the demo: one word list whose words are inserted, and others whose words are asked.
#ifndef LINEFILTER_TOOLS_DEMO_WORDS_H_
#define LINEFILTER_TOOLS_DEMO_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linefilter::demo {

struct WordList {
  std::string path;
  std::string text;
  std::vector<std::string_view> words;  // sorted, each once, pointing into text
};

// False after saying why: unreadable, or no word in it.
bool ReadWords(const std::string& path, WordList* list);

// The words of the asked lists together, each once, and for each whether it is a member: the truth, by merging sorted
// lists.
struct Asked {
  std::vector<std::string_view> words;
  std::vector<uint8_t> is_member;
  uint64_t num_members = 0;
};
Asked MergeAsked(const WordList& members, const std::vector<WordList>& lists);

// How many words of `list` are members.
uint64_t CountShared(const WordList& members, const WordList& list);

}  // namespace linefilter::demo

#endif  // LINEFILTER_TOOLS_DEMO_WORDS_H_
