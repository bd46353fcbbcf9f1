#!/usr/bin/env python3
"""tools/lib/english.py counts sentences as a reader would, and the documents and public headers keep its limits."""

import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
sys.dont_write_bytecode = True
import english  # noqa: E402


def found(text):
    """[(line, words)] of each sentence that is no cell."""
    return [(s.line, s.words) for lines, is_cell in english.paragraphs(text)
            for s in english.sentences(lines, is_cell) if not s.is_cell]


def words(count, start="Word"):
    return " ".join([start] + ["word"] * (count - 1)) + "."


class Sentences(unittest.TestCase):
    def test_what_ends_one(self):
        self.assertEqual(found("One two. Three four five! Six?\nSeven: eight; nine"), [(1, 2), (1, 3), (1, 1), (2, 3)])
        self.assertEqual(found("Begins on one line\nand ends here. The next\none."), [(1, 7), (2, 3)])
        self.assertEqual(found('It says "no." Then more.'), [(1, 3), (1, 2)])
        self.assertEqual(found("linefilter works. linefilter is fast."), [(1, 2), (1, 3)])

    def test_what_ends_none(self):
        for text in ("Version 1.0.3 of e.g. g++ 12.2 and i.e. others vs. these.", "Take word 8 ... then go on in it now.",
                     "It is 0.5 ns (see cf. 1.2) per key in this."):
            self.assertEqual(len(found(text)), 1, text)

    def test_what_is_one_word(self):
        self.assertEqual(found("Call `a.b(c, d). Then` or ``x ` y. z`` now."), [(1, 5)])
        self.assertEqual(found("See [the page. Of all](page.md#there), ![a picture](a.svg) and https://a.example/b.c."), [(1, 5)])
        self.assertEqual(found("Ten / 2 = 5 - 0."), [(1, 4)])
        self.assertEqual(found("A `code\nover lines. Twice` it is.\nNext."), [(1, 4), (3, 1)])

    def test_what_is_left_out(self):
        self.assertEqual(found("# A heading. Of two\n\n```\ncode. code\n```\n\n    x = 1\n    y = 2\n<!-- no\nword --> \n---\nWord."), [(12, 1)])
        self.assertEqual(found("- item\n\n## Heading\n    x = 1\n    y = 2\n\nWord."), [(1, 1), (7, 1)])
        self.assertEqual(found("## Heading\n    x = 1\n    y = 2\n\nWord."), [(5, 1)])
        self.assertEqual(found("**A heading.** Two words. **Another**: three more words."), [(1, 2), (1, 3)])
        self.assertEqual(found("| a cell | of two |\n|---|---|\n| one. two | three |"), [])

    def test_items_of_a_list(self):
        self.assertEqual(found("Begins here:\n- one\n- two three\n  goes on\n1. four. five\n\n   in the item\n\nBehind it."),
                         [(1, 2), (2, 1), (3, 4), (5, 1), (5, 1), (7, 3), (9, 2)])
        self.assertEqual(found("Found in\n2008. Then more."), [(1, 3), (2, 2)])
        self.assertEqual(found("1. one\n   - two\n2. two three"), [(1, 1), (2, 1), (3, 2)])
        self.assertEqual(found("- item\n\n- item two\n\n      code\n\n> quoted word"), [(1, 1), (3, 2), (5, 1), (7, 2)])

    def test_brackets_do_not_shorten(self):
        self.assertEqual(found("It is so (not here. But there) and so on. Then."), [(1, 10), (1, 1)])
        self.assertEqual(found("From 0\n<= n.\n<img src='a.svg'>"), [(1, 3)])
        self.assertEqual(found("One. (Two three. Four.) Five."), [(1, 1), (1, 2), (1, 1), (1, 1)])


class Patterns(unittest.TestCase):
    def test_starts(self):
        for text in ("Of members it takes one.", "Who asks, takes it.", "What is left is fast.", "As it grows, it is slow.",
                     "It is fast; of members it is not.", "**Who dies** leaves it."):
            self.assertEqual(len(english.Counts(text).starts), 1, text)
        for text in ("Of course it is.", "What is it?", "A member of it is fast.", "Often it is.", "**What it costs.** Nothing."):
            self.assertEqual(english.Counts(text).starts, [], text)

    def test_brackets(self):
        for text in ("It is (That is new. It is not.) so.", "It is. (This is new.)", f"It is ({words(21)[:-1]}) so."):
            self.assertEqual(len(english.Counts(text).brackets), 1, text)
        for text in ("It is (e.g. new) so.", "It is (version 1.0.3, of 3 words) so.", "It is (`a.b()`)."):
            self.assertEqual(english.Counts(text).brackets, [], text)


class Limits(unittest.TestCase):
    def judge(self, text):
        lines, kept = english.report({"a.md": english.Counts(text)})
        return kept, "\n".join(lines)

    def test_each(self):
        self.assertTrue(self.judge(words(20))[0])
        self.assertFalse(self.judge(words(21))[0])
        self.assertTrue(self.judge("One. " + words(35))[0])
        kept, lines = self.judge("One.\nTwo. " + words(36))
        self.assertFalse(kept)
        self.assertIn("a.md:2: 36 words: Word word", lines)
        self.assertFalse(self.judge("| a | " + words(36) + " |")[0])
        self.assertTrue(self.judge("| a | " + words(35) + " |")[0])
        for text in ("Of one.", "It is. (So it is.)"):
            self.assertFalse(self.judge(text)[0], text)

    def test_the_documents(self):
        self.assertEqual(english.main([]), 0)


def paragraphs(header):
    """(line, text) of each paragraph of the comments, samples of code left out; a point of a list is one."""
    with open(header) as file:
        lines = file.read().split("\n")
    found, now = [], []
    for number, line in enumerate([*lines, ""], 1):
        alone = re.match(r"\s*//(?: (.*)|$)", line)
        text = (alone.group(1) or "").strip() if alone and not (alone.group(1) or "").startswith("  ") else ""
        if now and (not text or text.startswith("- ")):
            found.append((now[0][0], " ".join(words for _, words in now)))
            now = []
        if text:
            now.append((number, text.removeprefix("- ")))
        behind = None if alone else re.search(r"[^/:]//\s+(.*)$", line)
        if behind:
            found.append((number, behind.group(1)))
    return found


class Headers(unittest.TestCase):
    """A comment of a public header is whole, plain sentences."""

    def faults(self, header):
        for line, text in paragraphs(header):
            for sentence in re.split(r"(?<=[.!?:])[)\"]*\s+", text):
                if re.match(r"(Of|As) ", sentence):
                    yield f"{header}:{line}: begins as no sentence does: {sentence}"
                if len(sentence.split()) > 35:
                    yield f"{header}:{line}: {len(sentence.split())} words: {sentence}"

    def test_sentences_of_public_headers_are_short_and_whole(self):
        folder = os.path.join(ROOT, "include", "linefilter")
        headers = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if "internal" not in at]
        self.assertGreater(len(headers), 30)
        self.assertEqual([fault for header in headers for fault in self.faults(header)], [])

    def test_sees_a_fragment_and_a_long_sentence(self):
        with tempfile.NamedTemporaryFile("w", suffix=".h") as header:
            header.write("// Of a keyed hash the check, which is no seed.\nint a;\n// " + "word " * 36 + "ends.\n")
            header.flush()
            self.assertEqual(len(list(self.faults(header.name))), 2)


if __name__ == "__main__":
    unittest.main()
