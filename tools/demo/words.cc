#include "tools/demo/words.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

namespace linefilter::demo {

bool ReadWords(const std::string& path, WordList* list) {
  list->path = path;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (!(content << file.rdbuf())) {
    fprintf(stderr, "linefilter_demo: cannot read the word list %s: install its package or name another list\n",
            path.c_str());
    return false;
  }
  list->text = content.str();
  const std::string_view text = list->text;
  for (size_t begin = 0; begin < text.size();) {
    const size_t stop = std::min(text.find('\n', begin), text.size());
    if (stop > begin) list->words.push_back(text.substr(begin, stop - begin));
    begin = stop + 1;
  }
  std::sort(list->words.begin(), list->words.end());
  list->words.erase(std::unique(list->words.begin(), list->words.end()), list->words.end());
  return true;
}

Asked MergeAsked(const WordList& members, const std::vector<WordList>& lists) {
  Asked asked;
  for (const WordList& list : lists) asked.words.insert(asked.words.end(), list.words.begin(), list.words.end());
  std::sort(asked.words.begin(), asked.words.end());
  asked.words.erase(std::unique(asked.words.begin(), asked.words.end()), asked.words.end());
  auto member = members.words.begin();
  for (const std::string_view& word : asked.words) {
    while (member != members.words.end() && *member < word) ++member;
    const bool is_member = member != members.words.end() && *member == word;
    asked.is_member.push_back(is_member);
    asked.num_members += is_member;
  }
  return asked;
}

uint64_t CountShared(const WordList& members, const WordList& list) {
  std::vector<std::string_view> shared;
  std::set_intersection(members.words.begin(), members.words.end(), list.words.begin(), list.words.end(),
                        std::back_inserter(shared));
  return shared.size();
}

}  // namespace linefilter::demo
