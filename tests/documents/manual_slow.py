#!/usr/bin/env python3
"""tools/manual.sh and the filter that turns our comments into Doxygen's: the headers have words for every public name,
and each kind of name that has none is refused by name."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILTER = os.path.join(ROOT, "tools", "lib", "doxygen_filter.py")

WITHOUT_WORDS = """// A header with names that nobody told anything of.
#ifndef LINEFILTER_NAKED_H_
#define LINEFILTER_NAKED_H_

#define LINEFILTER_NAKED_MACRO 1

namespace linefilter {

namespace internal {
struct NotPublic {};
}  // namespace internal

void NakedFunction() noexcept;

class NakedClass {};

// Has words.
enum class Dressed {
  kDressed,  // so has this one
  kNakedValue,
};

// Has words.
struct DressedStruct {
  int naked_field = 0;
  int dressed_field = 0;  // so has this one

  // Tells of its paragraph.
  void Overloaded() noexcept;
  void Overloaded(int) noexcept;
  // Another one.
  void Other() noexcept;

  void naked_member() const noexcept;
  DressedStruct(const DressedStruct&) = delete;

 protected:
  void NotPublicEither() noexcept;

 private:
  void NorThis() noexcept;
};

// Has words, for its values too.
enum { kConstant = 16 };

// Has words, as C writes it.
typedef struct dressed_in_c {
  int dressed_in_c_field;  // so has this one
  int naked_in_c_field;
} dressed_in_c;

}  // namespace linefilter

#endif  // LINEFILTER_NAKED_H_
"""


def run_filter(text, name="a.h"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([FILTER, path], check=True, stdout=subprocess.PIPE, text=True).stdout


def manual(folder):
    return subprocess.run([os.path.join(folder, "tools", "manual.sh")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


class Manual(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="linefilter-manual-")
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("include", "tools/manual.sh", "tools/lib/doxygen_filter.py", "tools/lib/undocumented.py",
                     "doc/Doxyfile", "README.md"):
            target = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            (shutil.copytree if name == "include" else shutil.copy)(os.path.join(ROOT, name), target)

    def test_every_public_name_has_words(self):
        done = manual(self.folder)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"^manual: build/doc/html/index.html, \d\d\d+ names\n$")
        html = os.path.join(self.folder, "build", "doc", "html")
        with open(os.path.join(html, "classlinefilter_1_1BlockedFilter.html"), encoding="utf-8") as file:
            page = file.read()
        for words in ("Makes room for num_keys keys", "InsertKey", "MayContainKey", "A lookup and an insertion read one cache line"):
            self.assertIn(words, page)
        for hidden in ("insert_", "CreateLayout", "probe_state_"):  # private, protected
            self.assertNotIn(hidden + "<", page)
        with open(os.path.join(html, "index.html"), encoding="utf-8") as file:
            self.assertIn("../../../doc/DESIGN.md", file.read())

    def test_a_name_without_words_is_refused(self):
        with open(os.path.join(self.folder, "include", "linefilter", "naked.h"), "w", encoding="utf-8") as file:
            file.write(WITHOUT_WORDS)
        done = manual(self.folder)
        self.assertEqual(done.returncode, 1, done.stdout)
        for name, line in (("LINEFILTER_NAKED_MACRO", 5), ("NakedFunction", 13), ("NakedClass", 15), ("kNakedValue", 18),
                           ("naked_field", 25), ("naked_member", 34), ("naked_in_c_field", 50)):
            self.assertRegex(done.stdout, rf"naked\.h:{line}: .*\b{name}\b")
        for line in done.stdout.splitlines()[:-1]:
            self.assertRegex(line.lower(), "naked", "only these")


class Filter(unittest.TestCase):
    def test_no_line_is_added_or_lost(self):
        folder = os.path.join(ROOT, "include", "linefilter")
        for path, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text = file.read()
                self.assertEqual(run_filter(text).count("\n"), text.count("\n"), name)

    def test_comments_become_doxygens(self):
        out = run_filter(WITHOUT_WORDS).split("\n")
        self.assertEqual(out[:3], ["/// A header with names that nobody told anything of.", "/// \\file", ""])
        self.assertEqual(out[17:19], ["enum class Dressed {", "  kDressed,  ///< so has this one"])
        self.assertEqual(out[29], "  /** Tells of its paragraph. */ void Overloaded(int) noexcept;")
        self.assertEqual(out[33:35], ["  void naked_member() const noexcept;",
                                      "  /** Deleted. */ DressedStruct(const DressedStruct&) = delete;"])
        self.assertEqual(out[36], " private:")  # protected

    def test_what_stands_in_a_function_is_left_alone(self):
        text = "// A.\n#ifndef A_\n#define A_\n// B.\ninline int f(int a = 0) {\n  // c\n  return a;  // d\n}\n// E.\nint g();\n#endif\n"
        self.assertEqual(run_filter(text), "/// A.\n/// \\file\n\n/// B.\ninline int f(int a = 0) {\n  // c\n  return a;  // d\n}\n"
                                           "/// E.\nint g();\n\n")

    def test_samples_are_code_and_signs_are_text(self):
        text = "// A:\n//\n//   *f(<x>);  // no comment\n//\n// B of *c, `*d` and <e>.\n// - item\n//   goes on\n#ifndef A_\n#define A_\n#endif\n"
        self.assertEqual(run_filter(text).split("\n")[:7],
                         ["/// A:", "/// ", "///       *f(<x>);  // no comment", "/// ",
                          "/// B of \\*c, `*d` and \\<e\\>.", "/// - item", "///   goes on"])

    def test_links_of_a_page_lead_out_of_the_reference(self):
        self.assertEqual(run_filter("[a](doc/A.md) [b](https://x.y) [c](#d)\n", "a.md"),
                         '<a href="../../../doc/A.md">a</a> [b](https://x.y) [c](#d)\n')


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
