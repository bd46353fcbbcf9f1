// linefilter takes keys and images as people have them: from files, pipes and standard input, several at once, with
// fields and zero bytes, with numbers as they write them. What it does not take it refuses with the command to type.
#include <algorithm>

#include "linefilter/column.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/view.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using ::nlohmann::json;

class ToolsInputTest : public ToolsTest {
 protected:
  // The output of a line of the shell, where linefilter is the program.
  RunResult Shell(const std::string& line, std::string_view input = {}) const {
    const std::string program = "linefilter() { " + ShellProgram() + "\"$@\"; }; cd '" + dir_.path() + "'; ";
    return RunProgram({"/bin/bash", "-c", program + line}, input);
  }
  void ExpectSaid(const RunResult& result, const std::string& words) const {
    EXPECT_NE(result.err.find(words), std::string::npos) << words << ": " << result.err;
  }
  static size_t NumOf(const std::string& text, const std::string& word) {
    size_t n = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
  }
};

TEST_F(ToolsInputTest, KeysComeFromStandardInputFilesAndPipes) {
  const std::string image = dir_.File("image"), a = dir_.Write("a", "one\ntwo"), b = dir_.Write("b", "three\n");
  const json built = Json({"build", a, b, "-", "--out", image, "--fpr", "0.1%"}, 0, "four\n");
  EXPECT_EQ(built["keys_read"], 4) << "the last line of a file ends with it";
  const std::string all = "one\ntwo\nthree\nfour\nfive\n";
  EXPECT_EQ(Run({"query", image}, all).out, Run({"query", image, "-"}, all).out);
  EXPECT_EQ(Run({"query", image, a, b, "--print", "maybe"}).out, "one\ntwo\nthree\n");
  EXPECT_EQ(Shell("linefilter query image <(cat a) <(cat b) --count --json").exit_code, 0);
  EXPECT_EQ(Json({"verify", image, "--keys", a, "--keys", b}, 0)["keys_checked"], 3);
  ExpectBadUsage({"build", a, dir_.File("missing"), "--out", dir_.File("bad"), "--fpr", "1%"});
  ExpectBadUsage({"build", "-", "-", "--out", dir_.File("bad"), "--fpr", "1%"});
}

TEST_F(ToolsInputTest, KeysMayEndWithZeroBytesOrBeFields) {
  const std::string image = Build("image", "b\nd\n", {"--bits-per-key", "20"});
  const std::string nul(1, '\0');
  EXPECT_EQ(Run({"query", image, "-0", "--print", "maybe"}, "b" + nul + "c" + nul + "d").out, "b" + nul + "d" + nul);
  EXPECT_EQ(Run({"query", image, "--null", "--print", "absent"}, "b\nd" + nul).out, "b\nd" + nul);
  EXPECT_EQ(Run({"query", image, "--field", "2", "--print", "maybe"}, "a\tb\tz\nb\ta\n\td").out, "a\tb\tz\n\td\n")
      << "whole lines come out";
  EXPECT_EQ(Run({"query", image, "--field", "2", "--delimiter", "\\t"}, "a\tb\n").out, "maybe\ta\tb\n");
  EXPECT_EQ(Json({"query", image, "--field", "1", "--delimiter", ","}, 0, "b,a\nd,\nx,b\n")["maybe"], 2);
  const RunResult short_line =
      Run({"build", "--field", "2", "--delimiter", ",", "--out", dir_.File("bad"), "--fpr", "1%"}, "a,b\nc\n");
  EXPECT_EQ(short_line.exit_code, 2);
  ExpectSaid(short_line, "line 2 of standard input ends before field 2");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--delimiter", ","},
                                             {"--field", "0"},
                                             {"--field", "1", "--delimiter", "ab"},
                                             {"--u64", "-0"},
                                             {"--u64", "--field", "1"}}) {
    std::vector<std::string> words = {"query", image};
    words.insert(words.end(), more.begin(), more.end());
    ExpectBadUsage(words, "b\n");
  }
}

// Lines are found block by block, and lie across blocks, batches and reads; text is written through a buffer.
TEST_F(ToolsInputTest, LinesOfAllLengthsAreKeys) {
  std::string keys, answers;
  for (size_t i = 0; i < 60000; ++i) {
    const uint64_t random = MixHash(i);
    const size_t size = i % 9973 == 0 ? 70000 + i : i % 100 == 0 ? random % 300 : random % 20;
    const std::string line(size, static_cast<char>('a' + i % 26));
    keys += line + '\n';
    answers += "maybe\t" + line + '\n';
  }
  const std::string image = Build("image", keys, {"--bits-per-key", "10"});
  EXPECT_TRUE(Run({"query", image}, keys).out == answers);
  EXPECT_TRUE(Run({"query", image, "--print", "maybe"}, keys).out == keys);
  EXPECT_EQ(Run({"query", image, "--print", "absent"}, keys).out, "");
  std::replace(keys.begin(), keys.end(), '\n', '\0');
  EXPECT_TRUE(Run({"query", image, "--null", "--print", "maybe"}, keys).out == keys);
  keys.pop_back();
  EXPECT_EQ(Json({"query", image, "--null"}, 0, keys)["maybe"], 60000);
}

TEST_F(ToolsInputTest, WhatIsPartOfAKeyIsToldOnce) {
  const std::string image = Build("image", "a\nb\n", {"--bits-per-key", "20"});
  const RunResult crlf = Run({"query", image, "--count"}, "a\r\nb\r\nc\n");
  EXPECT_EQ(crlf.exit_code, 1);
  EXPECT_EQ(NumOf(crlf.err, "CRLF"), 1u) << crlf.err;
  EXPECT_EQ(Run({"query", image, "--count"}, "a\nb\rc\n").err, "");
  const RunResult quoted = Run({"query", image, "--count", "--field", "1", "--delimiter", ","}, "\"a\",1\n\"b\",2\n");
  EXPECT_EQ(quoted.exit_code, 1);
  EXPECT_EQ(NumOf(quoted.err, "quote."), 1u) << quoted.err;
  EXPECT_EQ(Run({"query", image, "--count"}, "\"a\"\n").err, "") << "no fields, no question of quotes";
}

TEST_F(ToolsInputTest, CompressedInputIsRefusedWithThePipe) {
  const std::string image = Build("image", "a\n");
  const std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\x03xx", 12), zstd("\x28\xb5\x2f\xfd\x04\0xxxxxx", 12);
  const std::string xz("\xfd\x37zXZ\0xxxxxx", 12), bzip2 = "BZh91AY&SYxx";
  const std::vector<std::pair<std::string, std::string>> all = {
      {"gzip", gzip}, {"zstd", zstd}, {"xz", xz}, {"bzip2", bzip2}};
  for (const auto& [program, bytes] : all) {
    const std::string pipe = program + " -dc '" + dir_.Write("my " + program, bytes) + "' | linefilter ...";
    for (const RunResult& result :
         {Run({"query", image, dir_.File("my " + program)}),
          Run({"build", dir_.File("my " + program), "--fpr", "1%", "--out", dir_.File("bad")})}) {
      EXPECT_EQ(result.exit_code, 2) << program;
      ExpectSaid(result, pipe);
    }
    ExpectSaid(Run({"query", image}, bytes), program + " -dc FILE | linefilter");
    ExpectSaid(Run({"info", dir_.File("my " + program)}), "linefilter COMMAND -");
  }
  // One byte at a time, as a slow pipe may bring it; and words that begin in the same way.
  EXPECT_EQ(Shell("(printf '\\x1f'; sleep 0.05; printf '\\x8b\\x08\\0\\0\\0\\0\\0\\0\\x03x') | linefilter query image")
                .exit_code,
            2);
  EXPECT_EQ(Run({"query", image, "--print", "absent"}, "BZh9\nB\n(\n").out, "BZh9\nB\n(\n");
  EXPECT_EQ(Run({"query", image, "--print", "absent"}, "BZh9").out, "BZh9\n");
  std::string integers(16, '\0');
  integers.replace(0, 3, "\x1f\x8b\x08");
  integers[8] = 7;
  EXPECT_EQ(Json({"build", "--u64", "--fpr", "1%", "--out", dir_.File("u")}, 0, integers)["keys_read"], 2);
}

TEST_F(ToolsInputTest, ImagesComeFromAndGoToPipes) {
  const std::string keys = dir_.Write("keys", Lines(0, 20000)), image = Build("image", Lines(0, 20000));
  EXPECT_EQ(Shell("linefilter build keys --bits-per-key 12 --out - | cmp - image").exit_code, 0);
  EXPECT_EQ(Shell("linefilter build keys --bits-per-key 12 --out - 2>report >there; grep -c image_bytes report").out,
            "1\n");
  EXPECT_EQ(
      Shell("linefilter build keys --bits-per-key 12 --out >(cat >there) >/dev/null; wait; sleep 0.1; cmp there image")
          .exit_code,
      0);
  const std::string info = Run({"info", image, "--json"}).out;
  for (const std::string line : {"cat image | linefilter info - --json", "linefilter info - --json < image",
                                 "linefilter info <(cat image) --json"}) {
    json here = json::parse(Shell(line).out), there = json::parse(info);
    here["image"] = there["image"];
    EXPECT_EQ(here, there) << line;
  }
  for (const char* mode : {"whole", "lazy", "trusted"}) {
    EXPECT_EQ(Shell(std::string("cat image | linefilter query - keys --count --verify ") + mode).exit_code, 0) << mode;
  }
  EXPECT_EQ(
      Shell("cat image | linefilter fold - --by 2 --out - 2>/dev/null | linefilter verify - --keys keys").exit_code, 0);
  EXPECT_EQ(Shell("linefilter merge image image --out both && linefilter merge <(cat image) image --out - 2>/dev/null "
                  "| cmp - both")
                .exit_code,
            0);
  EXPECT_EQ(Shell("cat image | linefilter build keys --like - --out there").exit_code, 0);
  EXPECT_EQ(Shell("linefilter create - --num-keys 10k --fpr 1% 2>/dev/null | linefilter verify -").exit_code, 0);
  EXPECT_EQ(Shell("head -c 1000 image | linefilter verify -").exit_code, 2);
  EXPECT_EQ(Shell(": | linefilter verify -").exit_code, 2);
  ExpectSaid(Shell("linefilter query - < image"), "name a file of keys");
  ExpectSaid(Shell("linefilter verify - --keys - < image"), "--keys another file");
  ExpectSaid(Shell("linefilter build --like - --fpr 1% --out bad < image"), "");
  ExpectBadUsage({"info", "-", "-"});
  EXPECT_EQ(Shell("linefilter build keys --fpr 1% --out - > /dev/full").exit_code, 2);
}

TEST_F(ToolsInputTest, SeveralImagesAreToldInAList) {
  const std::string a = Build("a", Lines(0, 1000)), b = Build("b", Lines(500, 2000));
  const json info = Json({"info", a, b}, 0),
             verified = Json({"verify", a, b, "--keys", "-"}, 1, Lines(500, 1000) + "x\n");
  ASSERT_EQ(info["images"].size(), 2u);
  EXPECT_EQ(info["images"][0], Json({"info", a}, 0)) << "one is an object";
  EXPECT_EQ(verified["images"][0]["keys_checked"], 501);
  EXPECT_EQ(verified["images"][1]["keys_absent"], 1) << "a pipe of keys is for all of them";
  const json one_is_bad = Json({"verify", a, dir_.File("missing"), b}, 2);
  ASSERT_EQ(one_is_bad["images"].size(), 3u);
  EXPECT_EQ(one_is_bad["images"][2]["checksum"], "ok") << "the others are told all the same";
  EXPECT_EQ(Json({"info", a, dir_.File("missing")}, 2)["images"].size(), 2u);
}

TEST_F(ToolsInputTest, NumbersAreWrittenAsPeopleWriteThem) {
  const auto keys_of = [&](const char* text) {
    return Json({"plan", "--num-keys", text, "--fpr", "1%"}, 0)["num_keys"];
  };
  EXPECT_EQ(keys_of("1M"), 1000000);
  EXPECT_EQ(keys_of("1e6"), 1000000);
  EXPECT_EQ(keys_of("1.5k"), 1500);
  EXPECT_EQ(keys_of("10K"), 10000);
  EXPECT_EQ(keys_of("64Ki"), 65536);
  EXPECT_EQ(keys_of("2Mi"), 2097152);
  EXPECT_EQ(keys_of("1G"), 1000000000);
  for (const auto& [percent, fraction] : std::vector<std::pair<const char*, const char*>>{
           {"1%", "0.01"}, {"0.1%", "0.001"}, {"1e-1%", "0.001"}, {"2.5%", "0.025"}, {"0.3%", "0.003"}}) {
    EXPECT_EQ(Run({"plan", "--num-keys", "1e6", "--fpr", percent}).out,
              Run({"plan", "--num-keys", "1e6", "--fpr", fraction}).out)
        << "the same double, so the same bytes: " << percent;
  }
}

// Members would seem absent, because text 1000 and the integer 1000 are different keys.
TEST_F(ToolsInputTest, KeysOfAnotherKindAreRefused) {
  const std::string bytes("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16), integers = dir_.Write("integers", bytes);
  const std::string numbers = dir_.Write("numbers", "1\n2\n"), text = dir_.File("text"), u64 = dir_.File("u64");
  for (const char* layout : {"blocked", "classic", "retrieval", "quotient"}) {
    ASSERT_EQ(Run({"build", numbers, "--fpr", "0.3%", "--layout", layout, "--out", text}).exit_code, 0);
    ASSERT_EQ(Run({"build", integers, "--u64", "--fpr", "0.3%", "--layout", layout, "--out", u64}).exit_code, 0);
    EXPECT_EQ(Json({"info", text}, 0)["key_kind"], "text") << layout;
    EXPECT_EQ(Json({"stats", u64}, 0)["images"][0]["key_kind"], "integer") << layout;
    EXPECT_EQ(Run({"query", u64, integers, "--u64", "--count"}).exit_code, 0);
    for (const RunResult& result :
         {Run({"query", u64, numbers}), Run({"query", text, integers, "--u64", "--count"}),
          Run({"verify", u64, "--keys", numbers}), Run({"verify", text, "--keys", integers, "--u64"})}) {
      EXPECT_EQ(result.exit_code, 2) << layout << result.out;
      ExpectSaid(result, "other keys");
    }
  }
  // The commands that the messages name work.
  EXPECT_EQ(Shell("perl -ne 'print pack \"Q<\", $_' numbers | linefilter query u64 - --u64 --count").exit_code, 0);
  EXPECT_EQ(Shell("perl -ne 'print pack \"Q<\", $_' numbers | linefilter verify u64 --keys - --u64").exit_code, 0);
  // Where both are members, both are asked.
  ASSERT_EQ(Run({"build", numbers, "--num-keys", "100", "--fpr", "1%", "--layout", "blocked", "--out", text}).exit_code,
            0);
  ASSERT_EQ(Run({"build", integers, "--u64", "--like", text, "--out", u64}).exit_code, 0);
  ASSERT_EQ(Run({"merge", text, u64, "--out", dir_.File("both")}).exit_code, 0);
  EXPECT_EQ(Json({"info", dir_.File("both")}, 0)["key_kind"], "mixed");
  EXPECT_EQ(Run({"verify", dir_.File("both"), "--keys", numbers}).exit_code, 0);
  EXPECT_EQ(Run({"verify", dir_.File("both"), "--keys", integers, "--u64"}).exit_code, 0);
  ASSERT_EQ(Run({"build", integers, "--u64", "--grow", "--fpr", "1%", "--out", u64}).exit_code, 0);
  EXPECT_EQ(Json({"info", u64}, 0)["key_kind"], "integer");
}

TEST_F(ToolsInputTest, AColumnsFormMayHaveNeitherLinesNorWords) {
  const std::string lines = dir_.Write("lines", "a\n"), words = dir_.Write("words", std::string(8, '\1'));
  const std::string path = dir_.File("image");
  const struct {
    KeyForm form;
    bool takes_lines, takes_words;
  } cases[] = {{KeyForm::kInstant, false, false},      {KeyForm::kReal, false, false},
               {DecimalForm(2), false, false},         {KeyForm::kInteger, false, true},
               {KeyForm::kText, true, false},          {KeyForm::kPaddedText, false, false},
               {KeyForm::kCanonicalText, false, false}};
  for (const auto& [form, takes_lines, takes_words] : cases) {
    Filter filter;
    ASSERT_TRUE(filter.Create(10, FilterOptions::AtBitsPerKey(10)).ok());
    filter.NoteKeyForms(static_cast<uint64_t>(form));
    ASSERT_TRUE(filter.Save(path.c_str()).ok());
    for (const bool is_words : {false, true}) {
      const std::vector<std::string> asked = {"query", path, is_words ? words : lines, "--count"};
      std::vector<std::string> by_words = asked;
      by_words.push_back("--u64");
      const RunResult result = Run(is_words ? by_words : asked);
      const bool is_taken = is_words ? takes_words : takes_lines;
      EXPECT_EQ(result.exit_code == 2, !is_taken) << KeyFormName(form) << result.out << result.err;
      const bool has_own_form = !takes_lines && !takes_words;
      if (!is_taken) ExpectSaid(result, has_own_form ? "a form of its own" : "other keys");
    }
  }
}

// Nobody knows the forms of its keys, so lines are added and asked as ever.
// It has keys of a column of real numbers and others, so nobody can say which keys would be asked in vain.
TEST_F(ToolsInputTest, AFilterOfKeysInUnknownFormsTakesLines) {
  const std::string reals = dir_.File("reals"), text = dir_.File("text"), both = dir_.File("both");
  const std::string lines = dir_.Write("lines", "a\n");
  Filter filter;
  ASSERT_TRUE(filter.Create(1000, FilterOptions::AtBitsPerKey(10)).ok());
  filter.NoteKeyForms(static_cast<uint64_t>(KeyForm::kReal));
  filter.InsertHash(0x123456789abcdef);
  ASSERT_TRUE(filter.Save(reals.c_str()).ok());
  ASSERT_EQ(Run({"build", "--num-keys", "1000", "--bits-per-key", "10", "--out", text}, "b\n").exit_code, 0);
  for (const char* command : {"add", "query"}) ExpectSaid(Run({command, reals, lines}), "by columns");
  ASSERT_EQ(Run({"merge", reals, text, "--out", both}).exit_code, 0);
  const std::string image = ReadFile(both);
  FilterView view;
  ASSERT_TRUE(view.Open(image.data(), image.size(), VerifyMode::kWhole).ok());
  ASSERT_EQ(view.key_forms(), kUnknownKeyForms) << "the merged image is not what this test is about";
  ASSERT_EQ(view.key_kind(), KeyKind::kUnknown);
  const auto expect_maybes = [&](const char* expected) {
    const RunResult asked = Run({"query", both, "--count"}, "a\nb\n");
    EXPECT_EQ(asked.exit_code, 0) << asked.out << asked.err;
    EXPECT_NE(asked.out.find(expected), std::string::npos) << asked.out;
    return asked;
  };
  ExpectSaid(expect_maybes("maybe        1\n"), "in forms that differ");
  EXPECT_EQ(Run({"add", both, lines}).exit_code, 0);
  expect_maybes("maybe        2\n");
}

TEST_F(ToolsInputTest, AScriptIsToldOfAnImageThatIsTooFull) {
  const std::string image = dir_.File("image"), full = dir_.File("full");
  ASSERT_EQ(Run({"build", "--num-keys", "10k", "--fpr", "1%", "--out", image}, Lines(0, 10000)).exit_code, 0);
  ASSERT_EQ(Run({"build", "--num-keys", "10k", "--fpr", "1%", "--out", full}, Lines(0, 20000)).exit_code, 0);
  EXPECT_EQ(Json({"info", image}, 0)["over_capacity"], false);
  EXPECT_EQ(Json({"info", full}, 0)["over_capacity"], true);
  EXPECT_EQ(Run({"stats", image, "--at-most", "2%"}).exit_code, 0);
  EXPECT_EQ(Run({"stats", full}).exit_code, 0) << "nobody asked";
  const RunResult rate = Run({"stats", image, full, "--at-most", "2%"});
  EXPECT_EQ(rate.exit_code, 1);
  ExpectSaid(rate, "above --at-most 0.02");
  EXPECT_EQ(Run({"stats", image, "--at-most", "0.1%"}).exit_code, 1);
  const RunResult overfull = Run({"stats", full, "--at-most", "99%"});
  EXPECT_EQ(overfull.exit_code, 1) << "its rate is below that, but it has more keys than it was made for";
  ExpectSaid(overfull, "was made for 10000 keys");
  EXPECT_EQ(Run({"stats", full, dir_.File("missing"), "--at-most", "2%"}).exit_code, 2) << "the worst";
  for (const char* rate_is_none : {"0", "1", "100%", "-1%"})
    ExpectBadUsage({"stats", image, "--at-most", rate_is_none});
}

}  // namespace
}  // namespace linefilter::test
