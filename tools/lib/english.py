#!/usr/bin/env python3
"""english.py [--list] [FILE.md ...]: counts the words of the sentences in the documents; exit code 1 above a limit.

Without files it takes all documents of the repository. For each file it prints the number of sentences, the mean, the longest one
and how many are above 35 words. It also counts two patterns that readers gave up at:
- start   a clause that begins with "Of", "Who", "Whoever", "What" or "As" and is no question ("Of members it takes ...")
- bracket a second sentence in brackets, or more than 20 words in brackets
The places above a limit follow with their lines; --list shows all places.

Code blocks, headings, comments and HTML are left out. A list item is a paragraph. A table's cell stands by itself and counts only if it
is above 35 words. Inline code, a link and a picture are one word each, and a token without a letter or digit is none.

The limits of each file: a mean of at most 20 words, and none of the rest.
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENTS = ("README.md", "BENCHMARKS.md", "CONTRIBUTING.md", "doc/**/*.md", "python/README.md", "bench/results/README.md",
             "examples/**/README.md")
LONGEST = 35
MEAN = 20.0
BRACKET = 20

# A full stop behind these ends no sentence.
ABBREVIATIONS = re.compile(r"(?:^|[\s(\"*])(?:(?:[a-z]\.)+[a-z]|cf|vs|approx|al|Dr|St|ca|resp|Fig|Sec|No)$")
CODE, LINK = "Code", "Link"


class Sentence:
    def __init__(self, text, line, is_cell=False):
        self.text, self.line, self.is_cell = text, line, is_cell
        self.words = sum(1 for token in text.split() if re.search(r"\w", token))


def paragraphs(text):
    """(lines, is_cell) of each; lines are (number, text)."""
    text = re.sub(r"<!--.*?-->", lambda match: "\n" * match.group().count("\n"), text, flags=re.S)
    current, fence, in_list, numbered, blank = [], None, False, set(), True  # numbered: where numbered items are indented
    for number, line in enumerate(text.split("\n"), 1):
        bare = re.sub(r"^\s*(> ?)+", "", line)
        mark = re.match(r"\s*(```+|~~~+)", bare)
        if mark and (fence is None or bare.strip().startswith(fence)):
            fence = mark.group(1) if fence is None else None
        in_list = in_list and not bare.startswith("#")
        item = re.match(r"(\s*)([-*+]|\d+[.)])\s+", bare)
        if item and item.group(2)[0].isdigit():
            if current and item.group(2)[:-1] != "1" and not (in_list and item.group(1) in numbered):
                item = None  # a line that begins with "2008. " within a paragraph
            else:
                numbered = (numbered if in_list else set()) | {item.group(1)}
        is_code = fence is not None or mark or (blank and not in_list and line.startswith("    "))
        is_table = bare.lstrip().startswith("|")
        ends = is_code or is_table or item or not bare.strip() or re.match(r"\s*(#+ |</?[a-z]|[-=*]{3,}\s*$|\[[^\]]+\]: )", bare)
        if ends and current:
            yield current, False
            current = []
        if is_table and not is_code and not re.fullmatch(r"[\s|:-]+", bare):
            for cell in re.split(r"(?<!\\)\|", bare):
                yield [(number, cell)], True
        elif item and not is_code:
            in_list, current = True, [(number, bare[item.end():])]
        elif not ends:
            in_list = in_list and (bool(current) or bare.startswith(" "))
            current.append((number, bare))
        blank = not bare.strip() or bare.startswith("#") or (is_code and fence is None and not mark)  # code may follow
    if current:
        yield current, False


def plain(text):
    """One word each for code, pictures, links and addresses."""
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", CODE, text)
    text = re.sub(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\](?:\([^)]*\)|\[[^\]]*\])", LINK, text)
    return re.sub(r"<?https?://[^\s)>]*[^\s)>.,;:]>?", LINK, text)


def sentences(lines, is_cell):
    """Ends at a full stop outside of brackets; code and links may go over lines, so their ends of lines are kept as marks."""
    text = plain("".join(f"\x00{number} {line} " for number, line in lines))  # \x00NUMBER is where a line begins
    line, start, depth, first = lines[0][0], 0, 0, True
    for match in re.finditer(r"\x00(\d+)|[()]|[.!?][)\"'*_\]]*(?=\s)|$", text):
        mark = match.group()
        if mark.startswith("\x00"):
            line_of_mark = int(match.group(1))
            if not re.sub(r"\x00\d+", "", text[start:match.start()]).strip():
                line = line_of_mark
        elif mark == "(":
            depth += not (depth == 0 and not re.sub(r"\x00\d+", "", text[start:match.start()]).strip())
        elif mark == ")":
            depth = max(0, depth - 1)
        else:
            if mark:
                depth = max(0, depth - mark.count(")"))
                if depth or (mark[0] == "." and ABBREVIATIONS.search(text[start:match.start()])):
                    continue
                if text[match.start() - 1:match.start()] == "." and re.match(r"\s+(\x00\d+\s*)?[a-z,]", text[match.end():]):
                    continue  # "..." within a sentence
            words = re.sub(r"\x00\d+", "", text[start:match.end()]).strip()
            words = re.sub(r"^\*\*[^*]+[.:?]\*\*|^\*\*[^*]+\*\*:", "", words)  # a heading at the start of a paragraph
            sentence = Sentence(re.sub(r"\s+", " ", words).strip(), line, is_cell)
            if sentence.words:
                yield sentence
            start = match.end()
            later = re.match(r"\s*\x00(\d+)", text[start:])
            line = int(later.group(1)) if later else last_line(text[:start], line)


def last_line(text, otherwise):
    found = re.findall(r"\x00(\d+)", text)
    return int(found[-1]) if found else otherwise


def start_patterns(sentence):
    """The clauses that begin in a way that makes readers look for the subject."""
    if sentence.text.rstrip("*_\")").endswith("?"):
        return []
    return re.findall(r"(?:^[\W_]*(?:Of|Who|Whoever|What|As)\b|[;:] (?:of|who|whoever|what)\b)(?! course)(?: \S+){0,5}", sentence.text)


def bracket_patterns(sentence):
    found = re.findall(r"\(((?:[^()]|\([^()]*\))*)\)", sentence.text)
    if sentence.text.startswith("("):
        return [sentence.text]
    return [inner for inner in found
            if re.search(r"(?<!\w\.\w)(?<!\s\w)[.!?](\s+[A-Z]|\s*$)", inner) or Sentence(inner, 0).words > BRACKET]


class Counts:
    """What is counted of one file."""
    def __init__(self, text):
        found = [sentence for lines, is_cell in paragraphs(text) for sentence in sentences(lines, is_cell)]
        self.long = [(s.line, f"{s.words} words", s.text) for s in found if s.words > LONGEST]
        self.longest = max((s.words for s in found), default=0)
        found = [s for s in found if not s.is_cell]
        self.sentences = len(found)
        self.mean = sum(s.words for s in found) / max(1, len(found))
        self.starts = [(s.line, "start", start) for s in found for start in start_patterns(s)]
        self.brackets = [(s.line, "bracket", inner) for s in found for inner in bracket_patterns(s)]

    def values(self):
        return self.mean, len(self.long), len(self.starts), len(self.brackets)

    def places(self):
        return sorted(self.long + self.starts + self.brackets)


FINAL = (MEAN, 0, 0, 0)


def count_files(names):
    counted = {}
    for name in names:
        with open(os.path.join(ROOT, name), encoding="utf-8") as document:
            counted[name] = Counts(document.read())
    return counted


def report(counted, every_place=False):
    """(lines to print, whether all limits are kept)."""
    lines = [f"{'':45} sentences  mean longest  >{LONGEST} start bracket"]
    places, kept = [], True
    for name, counts in counted.items():
        mean, long, starts, brackets = counts.values()
        is_above = any(value > most for value, most in zip(counts.values(), FINAL))
        kept = kept and not is_above
        said = "  above its limits" if is_above else ""
        lines.append(f"{name:45} {counts.sentences:9} {mean:5.1f} {counts.longest:7} {long:4} {starts:5} {brackets:7}{said}")
        if is_above or every_place:
            places += [f"{name}:{line}: {what}: {text}" for line, what, text in counts.places()]
    return places + lines, kept


def main(arguments):
    files = [argument for argument in arguments if not argument.startswith("-")]
    options = set(arguments) - set(files)
    if options - {"--list"}:
        print(__doc__)
        return 2
    names = [os.path.relpath(os.path.abspath(name), ROOT) for name in files]
    if not names:
        found = {name for pattern in DOCUMENTS for name in glob.glob(os.path.join(ROOT, pattern), recursive=True)}
        names = sorted(os.path.relpath(name, ROOT) for name in found)
    counted = count_files(names)
    lines, kept = report(counted, "--list" in options)
    print("\n".join(lines))
    if not kept:
        print("english.py: make each sentence above short and whole; --list shows all places")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
