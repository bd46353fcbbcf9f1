#!/usr/bin/env python3
"""doxygen_filter.py FILE: prints a header (or a page of Markdown) of ours as Doxygen wants it; for doc/Doxyfile.

Headers document by plain comments: above a name, or behind a member. Here `//` becomes `///` or `///<`. A comment also
documents the names that follow it in its paragraph (the lines up to an empty one) without a comment of their own, if
they are overloads, if it tells of them by name, or if it is the only one there and seems to speak of them too: they share a
word with the name it stands above or with what it says (AddKey, AddHash), or are types in a row (typedef); where a name of C
says what it belongs to (linefilter_builder_free in c/builder.h), that is no such word. Private and protected parts and namespace
internal are left out, and what a class has without saying (destructor, copies, moves) gets the usual words. No line is
added or lost, so that warnings tell the line of the header.

Of a page the links to files that are no part of the reference are made to lead to them from build/doc/html.
"""

import os
import re
import sys

COMMENT = re.compile(r"^\s*//(?!/) ?(.*)$")
TRAILING = re.compile(r"^(.*[;,{}\w)]\s*)//(?!/) ?(.*)$")
SCOPE = re.compile(r"^(inline\s+|typedef\s+)?(namespace|class|struct|union|enum|extern)\b(?!.*=\s*$)")
FUNCTION = re.compile(r"(\)|\b(noexcept|const|override|final))\s*$")  # what stands in front of a body; else it is a value's
HIDDEN_NAMESPACE = re.compile(r"\bnamespace\s+(\w+::)*internal\b")


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


def parts_of(name):
    """The words that a name is made of, as they are compared: AddHashes has `add` and `hashe`."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return {part.lower().rstrip("s") for part in parts if len(part) >= 3} - {"linefilter"}


class Filter:
    def __init__(self, lines, subject=frozenset()):
        self.lines = lines
        self.subject = subject  # the words of the header's own name
        self.out = list(lines)
        self.scopes = []     # (kind, name, hidden)
        self.comment = []    # the lines of the comment that stands right above
        self.cover = None    # (text, name it stands above, whether that is a typedef, (paragraph, depth))
        self.paragraph = 0   # counted by empty lines
        self.comments_in = self.count_comments()

    def count_comments(self):
        counts, paragraph, last = {}, 0, False
        for line in self.lines:
            is_comment = bool(COMMENT.match(line))
            if not line.strip():
                paragraph += 1
            if is_comment and not last:
                counts[paragraph] = counts.get(paragraph, 0) + 1
            last = is_comment
        return counts

    def hidden(self):
        return any(scope[2] for scope in self.scopes)

    def in_body(self):
        return any(scope[0] == "body" for scope in self.scopes)

    def run(self):
        at = self.head()
        statement, start = "", None  # of the declaration that is being read
        while at < len(self.lines):
            line = self.lines[at]
            before = (self.hidden(), self.in_body())
            text = COMMENT.match(line)
            code = code_of(line)
            if not line.strip():
                self.paragraph += 1
                self.comment = []
            elif text:
                if not any(before):
                    self.put_comment(at, text[1])
            elif line.lstrip().startswith(("#", "LINEFILTER_C_")):
                at = self.preprocessor(at)
            elif re.match(r"\s*(public|protected|private)\s*:\s*$", code):
                kind, name, _ = self.scopes[-1]
                self.scopes[-1] = (kind, name, "public" not in code)
                self.comment = []
            else:
                if start is None:
                    start = at
                    if not any(before) and not re.match(r"\s*}", code):
                        self.first_line_of = at
                statement, ended = self.read(statement, code, start, at, before)
                if ended:
                    start = None
            if before[0] or self.hidden():
                if not re.search(r"[{}]", code) or (before[0] and self.hidden()):
                    self.out[at] = ""
                elif before[0]:   # it ends here: the class's own end stays
                    self.out[at] = re.sub(r"//.*", "", self.out[at]) if not HIDDEN_NAMESPACE.search(line) else ""
                elif HIDDEN_NAMESPACE.search(line):
                    self.out[at] = ""
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

    def preprocessor(self, at):
        while self.lines[at].endswith("\\"):
            at += 1
        return at

    def read(self, statement, code, start, at, before):
        """Adds a line to the statement; says what it has become, and whether it has ended."""
        ended = False
        for character in code:
            if character == "{":
                match = SCOPE.match(re.sub(r"^template\s*<.*>\s*|\[\[\w+\]\]\s*", "", statement.strip()))
                kind = match[2] if match else "body"
                name = ""
                if match:
                    declared = re.sub(r"\b(final|LINEFILTER_EXPORT|class|struct|enum|inline|alignas\(\w+\))\b|\[\[\w+\]\]",
                                      " ", statement.split(":")[0] if kind != "namespace" else statement).split()
                    name = declared[-1] if declared else ""
                if not any(before) and kind not in ("namespace", "extern"):
                    self.declared(statement + "{", start, name if match else None)
                hidden = bool(match) and kind == "namespace" and bool(HIDDEN_NAMESPACE.search(statement))
                self.scopes.append((kind, name, hidden))
                statement, ended = ("", True) if kind != "body" else (statement + "{", False)
                if kind != "body":
                    before = (self.hidden(), self.in_body())
            elif character == "}":
                kind = self.scopes.pop()[0] if self.scopes else "body"
                if kind == "enum" and statement.strip():
                    self.declared(statement, start, None)
                if kind != "body" or (not self.in_body() and FUNCTION.search(statement.split("{")[0])):
                    statement, ended = "", True
            elif character in ";," and not self.in_body():
                if character == ";" or (self.scopes and self.scopes[-1][0] == "enum" and statement.count("(") ==
                                        statement.count(")")):
                    if statement.strip() and not any(before) and "{" not in statement:
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
        if not match or any(before) or self.hidden() or re.match(r"\s*}", self.lines[at]):
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
        name = scope_name or name_of(statement)
        is_typedef = bool(re.match(r"\s*typedef\b", statement))
        has_trailing = bool(TRAILING.match(self.lines[start])) and not self.lines[start].rstrip().endswith("{")
        if self.comment:
            self.cover = (words_of(self.comment), name, is_typedef, (self.paragraph, len(self.scopes)))
            self.comment = []
        elif not has_trailing:
            class_name = self.scopes[-1][1] if self.scopes else ""
            words = usual_words(statement, class_name)
            words = [words] if words else self.shared(name, is_typedef)
            if words:
                self.out[start] = re.sub(r"^(\s*)", lambda m: f"{m[1]}/** {' @nl '.join(words)} */ ", self.out[start],
                                         count=1)

    def shared(self, name, is_typedef):
        if not self.cover or self.cover[3] != (self.paragraph, len(self.scopes)):
            return None
        words, above, above_is_typedef, _ = self.cover
        text = " ".join(words)
        if above == name or (name and re.search(rf"\b{re.escape(name)}\b", text)):
            return words
        if self.comments_in.get(self.paragraph) != 1:
            return None
        is_value = "enum" in (name, above)  # the numbers behind their type, or in it
        said = {part for word in re.findall(r"\w{4,}", text) for part in parts_of(word)}
        own = parts_of(name) - (self.subject if "_" in name else set())
        if is_value or (is_typedef and above_is_typedef) or own & (parts_of(above) | said):
            return words
        return None


def page(text):
    return re.sub(r"\[([^][]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)", r'<a href="../../../\2">\1</a>', text)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    if sys.argv[1].endswith(".md"):
        sys.stdout.write(page(text))
        return
    lines = text.split("\n")
    subject = parts_of(os.path.basename(sys.argv[1]))
    sys.stdout.write(Filter(lines[:-1] if lines[-1] == "" else lines, subject).run())


if __name__ == "__main__":
    main()
