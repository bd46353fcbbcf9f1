// The sources of the house as text, for rules about them.
#ifndef LINEFILTER_TESTS_HOUSE_LAYERING_TEST_H_
#define LINEFILTER_TESTS_HOUSE_LAYERING_TEST_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace linefilter::test {

inline bool StartsWith(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

// The files below a folder, by their paths from the top of the sources; what is in no commit of ours is left out.
inline std::vector<std::string> SourceFiles(const std::string& folder,
                                            const std::set<std::string>& extensions = {".h", ".cc"}) {
  namespace fs = std::filesystem;
  const fs::path root = LINEFILTER_SOURCE_DIR;
  std::vector<std::string> files;
  if (!fs::exists(root / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.is_regular_file() && extensions.count(entry.path().extension()) != 0) {
      files.push_back(fs::relative(entry.path(), root).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string TextOf(const std::string& file) {
  std::ifstream in(std::filesystem::path(LINEFILTER_SOURCE_DIR) / file);
  EXPECT_TRUE(in.good()) << file;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// C or C++ without comments and without what stands in strings and characters; the lines stay.
inline std::string CodeOf(const std::string& text) {
  std::string code;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (text.compare(i, 2, "/*") == 0) {
      const size_t end = std::min(text.find("*/", i), text.size());
      code.append(static_cast<size_t>(
                      std::count(text.begin() + static_cast<long>(i), text.begin() + static_cast<long>(end), '\n')),
                  '\n');
      i = end + 1;
    } else if (text.compare(i, 2, "R\"") == 0) {
      const size_t open = text.find('(', i);
      const std::string close = ")" + text.substr(i + 2, open - i - 2) + "\"";
      const size_t end = std::min(text.find(close, open), text.size());
      code.append(static_cast<size_t>(
                      std::count(text.begin() + static_cast<long>(i), text.begin() + static_cast<long>(end), '\n')),
                  '\n');
      i = end + close.size() - 1;
    } else if (text[i] == '"' ||
               (text[i] == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) {
      const char quote = text[i];
      code += quote;
      for (++i; i < text.size() && text[i] != quote && text[i] != '\n'; ++i) i += text[i] == '\\';
      code += quote;
    } else {
      code += text[i];
    }
  }
  return code;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_HOUSE_LAYERING_TEST_H_
