#!/usr/bin/env -S python3 -S
"""doxygen_filter.py FILE: prints a header (or a page of Markdown) of ours as Doxygen wants it; for doc/Doxyfile.

Headers document by plain comments: above a name, or behind a member. Here `//` becomes `///` or `///<`. A comment also
documents the names that follow it in its paragraph (the lines up to an empty one) without a comment of their own. What a
class has without saying (destructor, copies, moves) gets the usual words. No line is added or lost, so that warnings tell
the line of the header. Protected parts become private ones, which Doxygen leaves out.

Of a page the links to files that are no part of the reference are made to lead to them from build/doc/html.
"""

import re
import sys

COMMENT = re.compile(r"^\s*//(?!/) ?(.*)$")
TRAILING = re.compile(r"^(.*[;,{}\w)]\s*)//(?!/) ?(.*)$")
SCOPE = re.compile(r"^(inline\s+|typedef\s+)?(namespace|class|struct|union|enum|extern)\b(?!.*=\s*$)")
FUNCTION = re.compile(r"(\)|\b(noexcept|const|override|final))\s*$")  # what stands in front of a body; else it is a value's


def code_of(line):
    """Without strings, characters and comments."""
    return re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'|//.*', lambda m: '""' if m[0][0] in "\"'" else "", line)


def escaped(text):
    """What Doxygen would take for markup; not in `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*<>#@\\&])(?=\S)", r"\\\1", part) for part in parts)


def words_of(comment):
    """The lines of a comment: samples, which are indented behind an empty line, become code of Markdown."""
    lines, sample = [], False
    for number, text in enumerate(comment):
        if text.startswith("  "):
            sample = sample or number == 0 or comment[number - 1] == ""
        elif text:
            sample = False
        lines.append("    " + text if sample and text else escaped(text))
    return lines


def name_of(statement):
    """Of a declaration: the name before the parameters, the value or the end."""
    statement = re.sub(r"\[\[\w+\]\]|\btemplate\s*<.*?>\s*(?=\w)|__attribute__\s*\(\(.*?\)\)", " ", statement).strip()
    while True:  # template arguments, inner ones first
        shorter = re.sub(r"<[^<>]*>", "", statement)
        if shorter == statement:
            break
        statement = shorter
    pointer = re.match(r"[\w:*&\s]+\(\s*\*\s*(\w+)\s*\)", statement)
    if pointer:
        return pointer[1]
    match = re.search(r"(operator\s*\S+?|~?\w+)\s*(\[\w*\])?\s*(\(|=|;|\{|,|:(?!:)|$)", statement)
    return match[1] if match else ""


def usual_words(statement, class_name):
    """Of what a class has without saying."""
    if re.search(r"=\s*delete\b", statement):
        return "Deleted."
    name = name_of(statement)
    if name == "~" + class_name:
        return "Frees what it holds."
    if name == class_name or name.startswith("operator"):
        parameter = re.search(r"\(\s*(const\s+)?(\w+)?\s*(&&?)?", statement)
        if parameter and parameter[2] == class_name:
            return "Moves." if parameter[3] == "&&" else "Copies."
        if name == class_name and re.search(r"\(\s*\)", statement):
            return f"As {class_name} begins (above)."
    return None


class Filter:
    def __init__(self, lines):
        self.lines = lines
        self.out = list(lines)
        self.scopes = []     # (kind, name)
        self.comment = []    # the lines of the comment that stands right above
        self.cover = None    # the last one: (its words, (paragraph, depth), line of the name)
        self.paragraph = 0   # counted by empty lines

    def in_body(self):
        return any(scope[0] == "body" for scope in self.scopes)

    def run(self):
        at = self.head()
        statement, start = "", None  # of the declaration that is being read
        while at < len(self.lines):
            line = self.lines[at]
            text = COMMENT.match(line)
            code = code_of(line)
            if not line.strip():
                self.paragraph += 1
                self.comment = []
            elif text:
                if not self.in_body():
                    self.put_comment(at, text[1])
            elif line.lstrip().startswith(("#", "LINEFILTER_C_")):
                while self.lines[at].endswith("\\"):
                    at += 1
            elif re.match(r"\s*(public|protected|private)\s*:\s*$", code):
                self.out[at] = line.replace("protected", "private")
                self.comment = []
            else:
                start = at if start is None else start
                statement, ended = self.read(statement, code, start, at)
                if ended:
                    start = None
            at += 1
        return "\n".join(self.out) + "\n"

    def head(self):
        """The comment that opens the file; `\\file` goes to the line of the guard or the empty one behind it."""
        at = 0
        texts = []
        while at < len(self.lines) and COMMENT.match(self.lines[at]):
            texts.append(COMMENT.match(self.lines[at])[1])
            at += 1
        for number, text in enumerate(words_of(texts)):
            self.out[number] = "/// " + text
        self.out[at] = "/// \\file"
        guard = re.match(r"#ifndef (\w+)$", self.lines[at])
        if guard:
            self.out[at + 1] = ""
            at += 1
            last = max(number for number, line in enumerate(self.lines) if line.startswith("#endif"))
            self.out[last] = ""
        return at + 1

    def put_comment(self, at, text):
        self.comment.append(text)
        for number, words in enumerate(words_of(self.comment)):
            self.out[at - len(self.comment) + 1 + number] = "/// " + words

    def read(self, statement, code, start, at):
        """Adds a line to the statement; says what it has become, and whether it has ended."""
        ended, before = False, self.in_body()
        for character in code:
            if character == "{":
                match = SCOPE.match(re.sub(r"^template\s*<.*>\s*|\[\[\w+\]\]\s*", "", statement.strip()))
                kind = match[2] if match else "body"
                name = ""
                if match:
                    declared = re.sub(r"\b(final|LINEFILTER_EXPORT|class|struct|enum|inline|alignas\(\w+\))\b|\[\[\w+\]\]",
                                      " ", statement.split(":")[0] if kind != "namespace" else statement).split()
                    name = declared[-1] if declared else ""
                if not before and kind not in ("namespace", "extern"):
                    self.declared(statement + "{", start, name if match else None)
                self.scopes.append((kind, name))
                statement, ended = ("", True) if kind != "body" else (statement + "{", False)
                if kind != "body":
                    before = self.in_body()
            elif character == "}":
                kind = self.scopes.pop()[0] if self.scopes else "body"
                if kind == "enum" and statement.strip():
                    self.declared(statement, start, None)
                if kind != "body" or (not self.in_body() and FUNCTION.search(statement.split("{")[0])):
                    statement, ended = "", True
            elif character in ";," and not self.in_body():
                if character == ";" or (self.scopes and self.scopes[-1][0] == "enum" and statement.count("(") ==
                                        statement.count(")")):
                    if statement.strip() and not before and "{" not in statement:
                        self.declared(statement + character, start, None)
                    statement, ended = "", True
                else:
                    statement += character
            else:
                statement += character
        statement = statement + " " if statement.strip() else ""
        self.trailing(at, before)
        return statement, ended and not statement.strip()

    def trailing(self, at, before):
        match = TRAILING.match(self.lines[at])
        if not match or before or re.match(r"\s*}", self.lines[at]):
            return
        if self.in_body() and not self.lines[at].rstrip().endswith("}"):
            return
        if match[1].rstrip().endswith("{"):
            return
        self.out[at] = self.out[at][:len(self.out[at]) - len(self.lines[at][len(match[1]):])] + \
            "///< " + escaped(match[2])

    def declared(self, statement, start, scope_name):
        """A declaration that begins in line `start`. Without a comment of its own it may share the last one."""
        if re.match(r"\s*(using\s+\w+::|friend\b|static_assert\b|HWY_|namespace\s+\w+\s*=)", statement):
            return
        forward = re.match(r"\s*(class|struct)\s+\w+\s*;", statement)
        if forward:
            self.comment = []
            return
        has_trailing = bool(TRAILING.match(self.lines[start])) and not self.lines[start].rstrip().endswith("{")
        here = (self.paragraph, len(self.scopes))
        if self.comment:
            self.cover = (words_of(self.comment), here, start)
            self.comment = []
        elif not has_trailing:
            usual = usual_words(statement, self.scopes[-1][1] if self.scopes else "")
            covered = self.cover and self.cover[1] == here and self.cover[2] != start
            words = [usual] if usual else self.cover[0] if covered else None
            if words:
                self.out[start] = re.sub(r"^(\s*)", lambda m: f"{m[1]}/** {' @nl '.join(words)} */ ", self.out[start],
                                         count=1)


def page(text):
    return re.sub(r"\[([^][]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)", r'<a href="../../../\2">\1</a>', text)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    if sys.argv[1].endswith(".md"):
        sys.stdout.write(page(text))
        return
    lines = text.split("\n")
    sys.stdout.write(Filter(lines[:-1] if lines[-1] == "" else lines).run())


if __name__ == "__main__":
    main()
