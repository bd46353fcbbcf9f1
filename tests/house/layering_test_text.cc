// Rules 2, 4, 5 and 6 of doc/DESIGN.md ("House"), which the text of a file keeps or breaks. Each is tried with
// violations that are planted.
#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/layout.h"
#include "tests/house/layering_test.h"

namespace linefilter::test {
namespace {

using Faults = std::vector<std::string>;

// What `find` finds in the code of all files of the folders, but for those below `free`.
template <class Find>
Faults FaultsIn(const std::set<std::string>& folders, const std::set<std::string>& free, const Find& find) {
  Faults faults;
  for (const std::string& folder : folders) {
    for (const std::string& file : SourceFiles(folder)) {
      bool is_free = false;
      for (const std::string& prefix : free) is_free = is_free || StartsWith(file, prefix);
      if (is_free) continue;
      for (const std::string& fault : find(CodeOf(TextOf(file)))) faults.push_back(file + ": " + fault);
    }
  }
  return faults;
}

Faults Matches(const std::string& code, const std::regex& pattern) {
  Faults found;
  for (auto it = std::sregex_iterator(code.begin(), code.end(), pattern); it != std::sregex_iterator(); ++it) {
    found.push_back(it->str());
  }
  return found;
}

// --- Rule 2: no comparison with a layout but kAuto; a question about a layout is one of its facts.
Faults LayoutsCompared(const std::string& code) {
  static const std::regex kCompared(
      R"((==|!=|case)\s*[\w:<>(]*\bLayout::k(?!Auto\b)\w+|\bLayout::k(?!Auto\b)\w+\)*\s*(==|!=)|)"
      R"((==|!=|case)\s*LINEFILTER_LAYOUT_(?!AUTO\b)\w+|LINEFILTER_LAYOUT_(?!AUTO\b)\w+\s*(==|!=))");
  return Matches(code, kCompared);
}

TEST(Layering, NobodyOutsideOfLayoutsComparesWithOne) {
  EXPECT_EQ(
      FaultsIn({"include", "lib", "tools", "bench", "python"}, {"lib/layouts/", "lib/c/convert"}, LayoutsCompared),
      Faults());
  for (const char* planted :
       {"if (layout == Layout::kBlocked) f();", "return Layout::kClassic != view.layout();",
        "switch (l) { case linefilter::Layout::kQuotient: break; }", "x = layout ==\n      Layout::kRetrieval ? 1 : 2;",
        "if (fixed[4] == static_cast<uint8_t>(Layout::kContainer)) g();",
        "if (options->layout == LINEFILTER_LAYOUT_QUOTIENT) g();"}) {
    EXPECT_EQ(LayoutsCompared(CodeOf(planted)).size(), 1u) << planted;
  }
  for (const char* good : {"if (layout == Layout::kAuto) layout = Layout::kBlocked;", "// == Layout::kBlocked",
                           "f(\"== Layout::kBlocked\");", "if (FactsOf(layout).takes_keys) g(Layout::kClassic);"}) {
    EXPECT_EQ(LayoutsCompared(CodeOf(good)), Faults()) << good;
  }
}

// --- Rule 4: the ways to hash a key meet in KeyHash alone.
Faults HashesMeet(const std::string& code) {
  static const std::regex kWays[] = {std::regex(R"(\bHashKey\()"), std::regex(R"(\bKeyedHash\()"),
                                     std::regex(R"(\bParquetHash\()")};
  const auto n = std::count_if(std::begin(kWays), std::end(kWays),
                               [&](const std::regex& way) { return std::regex_search(code, way); });
  return n > 1 ? Faults{"two of HashKey, KeyedHash and ParquetHash"} : Faults();
}

TEST(Layering, TheWaysToHashAKeyMeetInKeyHashAlone) {
  EXPECT_EQ(FaultsIn({"include", "lib", "tools", "bench", "python"}, {"include/linefilter/hash.h"}, HashesMeet),
            Faults());
  EXPECT_EQ(HashesMeet(CodeOf(TextOf("include/linefilter/hash.h"))).size(), 1u);
  EXPECT_EQ(HashesMeet(CodeOf("h = keyed ? KeyedHash(key, secret) : HashKey(key, seed);")).size(), 1u);
  EXPECT_EQ(HashesMeet(CodeOf("h = plain ? HashKey(key) : ParquetHash(key);")).size(), 1u);
  EXPECT_EQ(HashesMeet(CodeOf("h = HashKey(key, seed);  // KeyedHash(key, secret)")), Faults());
}

// --- Rule 5: a question, an insertion, a way out of an image is declared once for all owners. Elsewhere stand those of
// a filter on servers, whose answers have errors, and the inlined ones.
struct Surface {
  std::string folder, extension;
  std::regex declared;
  std::set<std::string> elsewhere;
};
const std::map<std::string, Surface>& Surfaces() {
  static const std::map<std::string, Surface> surfaces = {
      {"C++",
       {"include/linefilter",
        ".h",
        std::regex(
            R"(\n  (?:LINEFILTER_INLINE )?(?:bool|void|Status|uint64_t) ((?:MayContain|CountMaybes|Insert|WriteImage|AppendImage)\w*|Save)\()"),
        {"inline.h", "redis.h", "redis_async.h", "redis_cached.h"}}},
      {"C",
       {"include/linefilter/c",
        ".h",
        std::regex(R"(\blinefilter_[a-z]+_((?:may_contain|count_maybes|insert|write_to)\w*|save)\()"),
        {"redis.h"}}},
      {"Python",
       {"python/src/linefilter", ".py", std::regex(R"(\n    def ((?:add|contains|to_bytes)\w*|save)\(self)"), {}}}};
  return surfaces;
}

std::map<std::string, int> Declared(const Surface& surface, const std::vector<std::string>& texts) {
  std::map<std::string, int> declared;
  for (const std::string& text : texts) {
    std::set<std::string> names;  // overloads count once
    for (auto it = std::sregex_iterator(text.begin(), text.end(), surface.declared); it != std::sregex_iterator();
         ++it) {
      names.insert((*it)[1]);
    }
    for (const std::string& name : names) ++declared[name];
  }
  return declared;
}

TEST(Layering, AQuestionIsDeclaredOnce) {
  const std::map<std::string, std::string> planted = {{"C++", "class A {\n  bool InsertKey(Key key) noexcept;\n};\n"},
                                                      {"C", "bool linefilter_new_insert_key(const void* key);\n"},
                                                      {"Python", "class A:\n    def add_many(self, keys):\n"}};
  for (const auto& [language, surface] : Surfaces()) {
    std::vector<std::string> texts;
    for (const std::string& file : SourceFiles(surface.folder, {surface.extension})) {
      const bool is_part =
          surface.folder == "include/linefilter" && file.find('/', surface.folder.size() + 1) != std::string::npos;
      if (!is_part && surface.elsewhere.count(file.substr(file.rfind('/') + 1)) == 0)
        texts.push_back(surface.extension == ".py" ? TextOf(file) : CodeOf(TextOf(file)));
    }
    const std::map<std::string, int> declared = Declared(surface, texts);
    EXPECT_GE(declared.size(), 4u) << language << ": nothing was found";
    for (const auto& [name, count] : declared) EXPECT_EQ(count, 1) << language << ": " << name;
    const std::string name = language == "C++" ? "InsertKey" : language == "C" ? "insert_key" : "add_many";
    texts.push_back(planted.at(language));
    EXPECT_EQ(Declared(surface, texts)[name], declared.at(name) + 1) << language;
  }
}

// --- Rule 6: a file has at most 400 lines, a function at most 60; tests too.
constexpr int kMostLines = 400, kMostLinesOfFunction = 60;

struct Scope {
  bool is_outer;  // a namespace or a class: what opens in it is no part of a function
  bool is_function;
  int first_line;
};

// Functions that are longer than they may be: their first lines.
Faults LongFunctions(const std::string& code) {
  static const std::regex kOuter(
      R"((^|[^\w])(namespace|class|struct|union|enum|extern)\b[^()=]*$|^\s*extern\s*\"\"\s*$)");
  Faults faults;
  std::vector<Scope> scopes;
  std::string head;  // what stands before a brace
  int line = 1, first_line = 1;
  bool is_directive = false;
  for (size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '#' && (i == 0 || code[i - 1] == '\n')) is_directive = true;
    if (c == '\n') {
      ++line;
      if (i == 0 || code[i - 1] != '\\') is_directive = false;
    }
    if (is_directive) continue;
    const bool is_outside = scopes.empty() || scopes.back().is_outer;
    if (c == '{') {
      const bool is_outer = is_outside && std::regex_search(head, kOuter);
      scopes.push_back({is_outer, is_outside && !is_outer && head.find('(') != std::string::npos, first_line});
    } else if (c == '}' && !scopes.empty()) {
      const Scope& scope = scopes.back();
      const int lines = line - scope.first_line + 1;
      if (scope.is_function && lines > kMostLinesOfFunction) {
        faults.push_back("line " + std::to_string(scope.first_line) + ": " + std::to_string(lines) + " lines");
      }
      scopes.pop_back();
    }
    if (c == '{' || c == '}' || c == ';') {
      head.clear();
    } else if (!head.empty() || !std::isspace(static_cast<unsigned char>(c))) {
      if (head.empty()) first_line = line;
      head += c;
    }
  }
  return faults;
}

TEST(Layering, NoFunctionIsTooLong) {
  EXPECT_EQ(FaultsIn({"include", "lib", "tools", "bench", "examples", "python", "tests"}, {}, LongFunctions), Faults());
  const auto body = [](int lines) {
    std::string text = "namespace a {\nclass B {\n  void F() {\n";
    for (int i = 2; i < lines; ++i) text += "    if (x) {}\n";
    return text + "  }\n};\nTEST(C, D) {\n  f([] { return \"}\"; });\n}\n}\n";
  };
  EXPECT_EQ(LongFunctions(CodeOf(body(kMostLinesOfFunction))), Faults());
  EXPECT_EQ(LongFunctions(CodeOf(body(kMostLinesOfFunction + 1))), Faults{"line 3: 61 lines"});
}

TEST(Layering, NoFileIsTooLong) {
  int files = 0;
  for (const char* folder : {"include", "lib", "tools", "bench", "examples", "python", "tests"}) {
    for (const std::string& file : SourceFiles(folder, {".h", ".cc", ".c", ".inc", ".py", ".sh"})) {
      const std::string text = TextOf(file);
      const auto lines = std::count(text.begin(), text.end(), '\n');
      EXPECT_LE(lines, kMostLines) << file << " holds more than one idea: split it";
      ++files;
    }
  }
  EXPECT_GE(files, 500);
}

}  // namespace
}  // namespace linefilter::test
