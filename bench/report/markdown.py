"""Numbers, tables and sections as Markdown. Numbers are rounded here only: about three digits that count."""

import re
import textwrap


OWN = set()  # layouts of other schemes that this project wrote itself: page.py tells them


def code(layout):
    """The name of a layout in a table: one that is our own reimplementation says so."""
    return f"`{layout}` (by us)" if layout in OWN and not layout.endswith("_own") else f"`{layout}`"


def digits(value):
    """Decimals that leave about three significant digits."""
    if value >= 100:
        return 0
    if value >= 10:
        return 1
    if value >= 1:
        return 2
    places = 3
    while value > 0 and round(value, places) < 10.0 ** (2 - places) and places < 7:
        places += 1
    return places


def number(value):
    if value == 0:
        return "0"
    return f"{value:.{digits(value)}f}"


def ns(row):
    return number(row["ns"]) if row else ""


def percent(rate):
    return number(100 * rate)


def rate(row):
    """The measured rate of a row in percent; empty where nothing is measured."""
    return percent(row["fpr"]) if row and row.get("fpr_queries") else ""


def bits(value):
    return f"{value:.2f}"


def probes(row):
    return str(int(row["num_probes"])) if row and row.get("num_probes") else ""


def ratio(a, b, places=2):
    """Always with the sign, which tells ratios from measured numbers."""
    return f"{a / b:.{places}f}x"


def count(value):
    """1000000 -> 1e6, where that is exact."""
    text = str(int(value))
    match = re.fullmatch(r"([1-9])(0{4,})", text)
    return f"{match[1]}e{len(match[2])}" if match else text


class Table:
    """Columns are (title, "l" or "r"). A column without a single entry is left out."""

    def __init__(self, *columns):
        self.columns = columns
        self.lines = []

    def add(self, *cells):
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.lines.append([str(cell) for cell in cells])

    def text(self):
        used = [i for i in range(len(self.columns)) if any(line[i] for line in self.lines)]
        width = {i: max(len(self.columns[i][0]), 2, *(len(line[i]) for line in self.lines)) for i in used}

        def cell(i, text):
            return text.rjust(width[i]) if self.columns[i][1] == "r" else text.ljust(width[i])

        out = ["| " + " | ".join(cell(i, self.columns[i][0]) for i in used) + " |",
               "|" + "|".join("-" * (width[i] + 1) + (":" if self.columns[i][1] == "r" else "-") for i in used) + "|"]
        out += ["| " + " | ".join(cell(i, line[i]) for i in used) + " |" for line in self.lines]
        return "\n".join(out) + "\n"


class Section:
    """A heading, sentences, tables, and under each table the command that measures it again."""

    def __init__(self, heading):
        self.heading = heading
        self.parts = []

    def say(self, text):
        text = text.strip()
        self.parts.append((text if "\n" in text else textwrap.fill(text, 120, break_long_words=False,
                                                                   break_on_hyphens=False)) + "\n")

    def table(self, table, rows=(), command=None):
        """rows: those the table shows. A table without a line is not shown."""
        if not table.lines:
            return
        self.parts.append(table.text())
        if command is None and rows:
            command = rows_command(rows)
        if command:
            self.parts.append(f"Again: `{command}`\n")

    def text(self):
        return self.heading + "\n\n" + "\n".join(self.parts) if self.parts else ""


def rows_command(rows):
    """The command that runs these rows: each part of the rows' names lists its values."""
    split = [row["row"].split("/") for row in rows]
    pattern = "/".join(_alternatives({parts[i] for parts in split}) for i in range(7))
    if not all(re.search(f"^{pattern}$", row["row"]) for row in rows):
        raise ValueError(f"'{pattern}' does not find its rows")
    plan = "--plan cpus " if all(row.get("plan") == "cpus" for row in rows) else ""
    return f"build/release/linefilter_bench {plan}--rows '^{pattern}$'"


def _alternatives(values):
    escaped = [re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", value) for value in sorted(values)]
    if len(escaped) > 6:
        return "[^/]+"
    return escaped[0] if len(escaped) == 1 else "(" + "|".join(escaped) + ")"
