"""What was asked and what was got, as lines of a table: worst cases, computed from the rows.

A line is (what, asked, verdict, got, worst at, rows). Rows are compared as choose.times does.
"""

import choose
from choose import fastest, times, where
from markdown import Table, ns, number, ratio

YARDSTICK = "floor_registers"
KEPT, MISSED, UNKNOWN = "ok", "**MISSED**", "not measured"


def table(section, lines, command=None):
    """The lines as a table of that section, with this command, or the one that measures their rows."""
    of_lines = Table(("what", "l"), ("asked", "l"), ("got", "l"), ("", "l"), ("worst at", "l"))
    shown = []
    for what, asked, kept, got, at, rows in lines:
        of_lines.add(what, asked, got, kept, at)
        shown += rows
    section.table(of_lines, shown, command)


def verdict(kept):
    return KEPT if kept else MISSED


def unknown(what, asked):
    return what, asked, UNKNOWN, "", "", []


def best(rows, family=None):
    """Of each access, keys, size, density and hits the row of the fastest target (of that family)."""
    fastest_rows = {}
    for row in rows:
        if family in (None, choose.target_family(row["target"])):
            group = (row["access"], row["keys"], row["size"], row["asked_bits_per_key"], row["hit_percent"])
            fastest_rows[group] = fastest([row, fastest_rows.get(group, row)])
    return list(fastest_rows.values())


def pairs_of(cpu, rows, layout, family=None):
    """(row, the other layout's fastest in the same place), where there is one."""
    pairs = []
    for row in rows:
        same = where(cpu.rows, layout=layout, access=row["access"], keys=row["keys"], size=row["size"],
                     bits=row["asked_bits_per_key"], hits=row["hit_percent"])
        theirs = fastest(best(same, family))
        if theirs:
            pairs.append((row, theirs))
    return pairs


def most_times(what, asked, most, pairs):
    """pairs: (ours, theirs); ours may take so many times theirs."""
    if not pairs:
        return unknown(what, asked)
    ours, theirs = max(pairs, key=lambda pair: (times(*pair), pair[0]["row"]))
    return (what, asked, verdict(times(ours, theirs) <= most), compared(ours, theirs), place(ours),
            [row for pair in pairs for row in pair])


def least_times(what, asked, least, pairs):
    """pairs: (slower, faster)"""
    if not pairs:
        return unknown(what, asked)
    slow, fast = min(pairs, key=lambda pair: (times(*pair), pair[0]["row"]))
    return (what, asked, verdict(times(slow, fast) >= least), compared(slow, fast), place(fast),
            [row for pair in pairs for row in pair])


def compared(a, b):
    return f"{ratio(times(a, b), 1)}: {ns(a)} to {ns(b)} ns"


def place(row):
    hits = f", {row['hit_percent']} % hits" if row["hit_percent"] >= 0 else ""
    return f"{row['target']}, {row['keys']}, {row['size']}, {row['asked_bits_per_key']:.10g} bits per key{hits}"


def gained(cpu, what, least, rows):
    """rows: of two threads. Each against the same on one thread, and that against what the loop in registers gains."""
    asked = f"at least {least} of what `{YARDSTICK}` gains"
    found = []
    for two in rows:
        here = {"keys": two["keys"], "size": two["size"], "bits": two["asked_bits_per_key"]}
        one = fastest(where(cpu.rows, layout=two["layout"], access=two["access"].replace("_2_threads", ""), **here))
        loop_one, loop_two = (fastest(where(cpu.rows, layout=YARDSTICK, access=access, **here))
                              for access in ("build", "build_2_threads"))
        if one and loop_one and loop_two and loop_two["ns"] > 0:
            gain, possible = times(one, two), times(loop_one, loop_two)
            found.append((gain / possible, gain, possible, two, [one, two, loop_one, loop_two]))
    if not found:
        return unknown(what, asked)
    part, gain, possible, two, shown = min(found, key=lambda entry: (entry[0], entry[3]["row"]))
    return (what, asked, verdict(part >= least), f"{number(part)}: {number(gain)} of {number(possible)} times",
            place(two), shown)
