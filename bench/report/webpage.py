"""BENCHMARKS.md and doc/benchmarks as one HTML file: tables to be sorted and searched, plots inside.

Made of the Markdown that summary.py and page.py write, so that both say the same; of Markdown only what they use is understood,
anything else is an error. A link to another page is its words: all pages are in this one. The file needs no other file and no network, and forbids itself both.
"""

import html
import os
import re

import figure
import results

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGE = re.compile(r"!\[([^\]]*)\]\((\S+)\)$")
HEADING = re.compile(r"(#+) (.*)$")
INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)\s]+\)")
AGAIN = "Again: "


def write(text, drawn):
    """drawn: {file name: SVG}."""
    headings, body = [], []
    for block in text.strip().split("\n\n"):
        for part in split_lists(block.strip("\n")):
            body.append(element(part, headings, drawn))
    title = headings[0][2]
    links = "\n".join(f'<a class="h{level}" href="#{name}">{inline(words)}</a>' for level, name, words in headings[1:])
    return (asset("page.html").replace("@TITLE@", html.escape(title)).replace("@STYLE@", asset("page.css"))
            .replace("@SCRIPT@", asset("page.js")).replace("@LINKS@", links).replace("@BODY@", "\n".join(body)))


def asset(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read().rstrip("\n")


def split_lists(block):
    """A block of lines as its parts: a paragraph, a list or a table each (a list may follow its sentence at once)."""
    parts = [[]]
    for line in block.split("\n"):
        if parts[-1] and line.startswith("- ") and not parts[-1][0].startswith("- "):
            parts.append([])
        parts[-1].append(line)
    return [part for part in parts if part]


def element(lines, headings, drawn):
    heading, image = HEADING.match(lines[0]), IMAGE.match(lines[0])
    if heading and len(lines) == 1:
        level, words = len(heading[1]), heading[2]
        name = unique(re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-"), [name for _, name, _ in headings])
        headings.append((level, name, words))
        return f'<h{level} id="{name}">{inline(words)}</h{level}>'
    if image:
        return "\n".join(plot(IMAGE.match(line), drawn) for line in lines)
    if lines[0].startswith("|"):
        return table(lines)
    if lines[0].startswith("- "):
        items = re.split(r"\n- ", "\n".join(lines)[2:])
        return "<ul>\n" + "\n".join(f"<li>{inline(item)}</li>" for item in items) + "\n</ul>"
    text = "\n".join(lines)
    if lines[0].startswith("```") and lines[-1] == "```":
        return "<pre>" + html.escape("\n".join(lines[1:-1]), quote=False) + "</pre>"
    if re.match(r"[|#>]|```|    |!\[|\d+\. ", text) or re.search(r"!\[[^\]]*\]\(", text):
        raise results.ResultsError(f"Markdown that {__name__} does not know: {lines[0]}")
    kind = ' class="again"' if text.startswith(AGAIN) else ""
    return f"<p{kind}>{inline(text)}</p>"


def unique(name, taken):
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def inline(text):
    out, at = [], 0
    for match in INLINE.finditer(text):
        out.append(html.escape(text[at:match.start()], quote=False))
        kind, words = ("code", match[1]) if match[1] else ("b", match[2]) if match[2] else (None, match[3])
        words = html.escape(words, quote=False)
        out.append(f"<{kind}>{words}</{kind}>" if kind else words)
        at = match.end()
    out.append(html.escape(text[at:], quote=False))
    return "".join(out)


def table(lines):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    kinds = ["r" if cell.endswith(":") else "l" for cell in rows[1]]
    if any(len(row) != len(kinds) for row in rows):
        raise results.ResultsError(f"a table with rows of different lengths: {lines[0]}")

    def cells(row):
        return "".join(f"<td{' class=r' if kind == 'r' else ''}>{inline(cell)}</td>" for cell, kind in zip(row, kinds))

    head = "".join(f'<th{" class=r" if kind == "r" else ""}><button>{inline(cell)}</button></th>' if cell else "<th></th>"
                   for cell, kind in zip(rows[0], kinds))
    body = "\n".join(f"<tr>{cells(row)}</tr>" for row in rows[2:])
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def plot(match, drawn):
    """An SVG, with names of its own and without a background: the page has one."""
    title, name = match[1], os.path.basename(match[2])
    if name not in drawn:
        raise results.ResultsError(f"the page shows {match[2]}, and there is no such plot")
    svg = drawn[name]
    svg = svg[svg.index("<!-- tools/report"):]
    prefix = re.sub(r"\W", "_", name)
    svg = re.sub(r"\bid=(['\"])", rf"id=\g<1>{prefix}-", svg)
    svg = re.sub(r"(href=['\"]#|url\(#)", rf"\g<1>{prefix}-", svg)
    svg = re.sub(r'<rect ([^>]*)fill="#ffffff"/>', r'<rect \1fill="none"/>', svg, count=1)
    svg = re.sub(r"<title>[^<]*</title>", f"<title>{html.escape(title)}</title>", svg, count=1)
    return f'<figure class="wide">{svg.strip()}</figure>'


SVG = re.compile(r"<!-- tools/report.*?</svg>", re.DOTALL)


def is_fresh(committed, fresh):
    """Whether two pages say the same: equal but for plots that another version of gnuplot drew of the same script."""
    if SVG.sub("", committed) != SVG.sub("", fresh):
        return False
    old, new = SVG.findall(committed), SVG.findall(fresh)
    return len(old) == len(new) and all(figure.is_fresh(a, b) for a, b in zip(old, new))
