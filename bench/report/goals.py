"""The cheapest measured way of each filter to a false-positive rate: rows keyed by rate where a file has them.

Else of the densities that were measured the smallest whose rate is low enough; nothing is interpolated. Times are of
64-bit keys, hash included, because every filter has those.
"""

import choose
from choose import MAIN_HITS, by, fastest, filters, where
from markdown import Section, Table, bits, number, percent
from names import of_cpu, of_filter

GOALS = (0.01, 0.001, 0.0001)
SMALL, LARGE = "1MB", "512MB"
KEYS = "u64"
NOTHING = "-"
REACHED = 1.15  # a filter of the size that its model tells may have so much more by chance; above, it has not reached the rate
PROBES = ("classic", "leveldb_bloom", "libbloom")  # a line for each probe; those below: as many lines as told here
LINES = {"blocked": 1, "retrieval": 1, "k_independent": 1, "k_independent_permute": 1, "split_block_256": 1,
         "split_block_8x64": 1, "multiblock_256": 1, "rocksdb_bloom": 1, "binary_fuse_8_own": 3}


class Way:
    """How one filter reaches a rate: its row in cache, and the rows of the same density by access and size."""

    def __init__(self, goal, row, rows):
        self.goal, self.row, self.layout = goal, row, row["layout"]
        self.cells = {key: fastest(of_key) for key, of_key in by(rows, "access", "size").items()}

    def cell(self, access, size):
        return self.cells.get((access, size))

    def rows(self, accesses=("single", "inlined", "batch", "build"), sizes=(SMALL, LARGE)):
        return [self.cell(access, size) for access in accesses for size in sizes if self.cell(access, size)]

    @property
    def lines(self):
        if self.row.get("lines"):
            return number(self.row["lines"]) if self.row["lines"] % 1 else str(int(self.row["lines"]))
        if self.layout in PROBES:
            return str(int(self.row["num_probes"]))
        return str(LINES.get(self.layout, NOTHING))

    @property
    def one_key(self):
        """The faster of a call and an inlined lookup in cache, for the order of the lines."""
        return fastest([row for row in (self.cell("single", SMALL), self.cell("inlined", SMALL)) if row]) or self.row


def way(cpu, layout, goal):
    keyed = where(filters(cpu.by_rate), layout=layout, keys=KEYS, hits=(MAIN_HITS, -1))
    if keyed:
        rows = where(keyed, rate_goal=goal)
        if not any(row["fpr_queries"] and row["fpr"] <= REACHED * goal for row in where(rows, hits=MAIN_HITS)):
            return None
    else:
        rows = where(filters(cpu.rows), layout=layout, keys=KEYS, hits=(MAIN_HITS, -1))
        low = [row for row in where(rows, size=SMALL, hits=MAIN_HITS) if row["fpr_queries"] and row["fpr"] <= goal]
        least = min((row["bits_per_key"] for row in low), default=None)
        asked = {row["asked_bits_per_key"] for row in low if row["bits_per_key"] == least}
        rows = [row for row in rows if row["asked_bits_per_key"] in asked]
    first = [row for row in where(rows, size=SMALL, hits=MAIN_HITS) if row["fpr_queries"]]
    return Way(goal, fastest(first), rows) if first else None


def ways(cpu, goal):
    """The fastest first."""
    found = [way(cpu, layout, goal) for layout in choose.layouts(filters(cpu.rows) + filters(cpu.by_rate))]
    return sorted((one for one in found if one), key=lambda one: (one.one_key["ns"], one.layout))


def best_cpus(results):
    """The CPU of which most cells are known first."""
    return sorted(results.cpus, key=lambda cpu: (-sum(len(one.rows()) for goal in GOALS for one in ways(cpu, goal)), cpu.slug))


def best_cpu(results):
    return best_cpus(results)[0]


def section(cpu, explained=True):
    out = Section(f"## To reach 1 %, 0.1 % and 0.01 %: {of_cpu(cpu.name)}")
    if explained:
        out.say("This table has for each filter the smallest measured size that reaches the rate, sorted by the time of one "
                "lookup in cache. Times are ns per 64-bit key, hash included, half of the looked-up keys are members; `1 MB` and "
                "`512 MB` are the sizes of the filter. `one` is a call of the library / the same lookup inlined; a filter that is a "
                "header has no call. Lines: cache lines that a lookup of a member reads. `-`: not measured, or not offered. "
                "`(by us)` marks our implementation of the scheme of another, whose own code may be faster or slower.")
    table = Table(("filter", "l"), ("bits/key", "r"), ("FPR %", "r"), ("lines", "r"), ("one, 1 MB", "r"), ("batch", "r"),
                  ("build", "r"), ("one, 512 MB", "r"), ("batch, 512 MB", "r"), ("build, 512 MB", "r"))
    for goal in GOALS:
        lines = ways(cpu, goal)
        if lines:
            table.add(f"**to {100 * goal:g} %**", *[""] * 9)
        for one in lines:
            name = of_filter(one.layout)
            table.add(f"**{name}**" if choose.is_ours(one.row) else name, bits(one.row["bits_per_key"]),
                      percent(one.row["fpr"]), one.lines, *[cell for size in (SMALL, LARGE) for cell in (
                          _pair(one, size), _ns(one.cell("batch", size)), _ns(one.cell("build", size)))])
    out.table(table)
    out.say(_source(cpu) if table.lines else "Nothing of it is measured yet.")
    return out


def _source(cpu):
    if cpu.by_rate:
        return (f"Measured at {cpu.by_rate_context['date'][:10]}, commit {cpu.by_rate_context['commit']}: each filter has "
                "the size that its model tells for the rate. The rate that was measured in it may be above by chance, by "
                f"{100 * (REACHED - 1):.0f} % at most.")
    return ("No row keyed by rate is measured on this CPU yet, so the sizes are those of the full run: 8, 10, 12, 16 and 20 "
            "bits per key, and at 512 MB 10 alone.")


def _ns(row):
    return number(row["ns"]) if row else NOTHING


def _pair(one, size):
    call, inlined = one.cell("single", size), one.cell("inlined", size)
    if not call and not inlined:
        return NOTHING
    return f"{_ns(call)} / {_ns(inlined)}" if inlined else _ns(call)
