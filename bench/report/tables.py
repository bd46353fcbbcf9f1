"""The tables of one CPU: the main comparison, sizes, hits and accesses, keys, placement, inserts, counters."""

import choose
from choose import MAIN_BITS, MAIN_HITS, by, fastest, filters, where
from markdown import Section, Table, bits, code, ns, number, percent, probes, rate, ratio
from results import FILLS

ONE_BY_ONE = ("single", "inlined")
LARGE = "512MB"  # the size out of cache that all kinds of rows have


def main_comparison(cpu):
    rows = filters(where(cpu.rows, bits=MAIN_BITS, keys="u64", hits=(MAIN_HITS, -1)))
    lookups = where(rows, access=ONE_BY_ONE + ("batch",))
    size = choose.main_size(lookups)
    section = Section(f"### Library against library: {MAIN_BITS} bits per key, {size}, {MAIN_HITS} % hits, 64-bit keys")
    if not lookups:
        return section
    section.say("Hash included. Each number is of the fastest target; where they differ, all are named in the order of "
                "the columns. Sorted by `inlined`, or by `single` where there is no `inlined`. `build` makes the "
                "filter of all its keys.")
    table = Table(("layout", "l"), ("target", "l"), ("bits per key", "r"), ("k", "r"), ("FPR %", "r"),
                  ("expected %", "r"), ("single ns", "r"), ("inlined ns", "r"), ("batch ns", "r"), ("build ns", "r"),
                  ("code", "l"))
    lines, shown = [], []
    for layout, of_layout in by(where(rows, size=size), "layout").items():
        cells = [fastest(where(of_layout, access=access)) for access in ONE_BY_ONE + ("batch", "build")]
        if not any(cells[:3]):
            continue
        single, inlined, batch, _ = cells
        first = inlined or single or batch
        shown += [row for row in cells if row]
        lines.append((first["ns"], [
            code(layout), _targets(cells), bits(first["bits_per_key"]), probes(first), rate(first),
            percent(first["expected_fpr"]) if first["expected_fpr"] else "", *[ns(row) for row in cells],
            first["origin"]]))
    for _, line in sorted(lines, key=lambda entry: (entry[0], entry[1][0])):
        table.add(*line)
    section.table(table, shown)
    return section


def _targets(cells):
    """One name if all rows are of one target, else that of each."""
    names = [row["target"] for row in cells if row]
    return names[0] if len(set(names)) == 1 else " / ".join(names)


def sizes(cpu):
    section = Section(f"### Time against size: {MAIN_BITS} bits per key, {MAIN_HITS} % hits")
    found = filters(where(cpu.rows, bits=MAIN_BITS, hits=MAIN_HITS, access=ONE_BY_ONE + ("batch",)))
    if not found:
        return section
    section.say("ns per key, and behind it how many times the floor: reading one random line and nothing else. Keys "
                "are given as hashes; peers that take no hashes stand with 64-bit keys, hash included, and without a "
                "floor.")
    for title, accesses in (("One key at a time", ONE_BY_ONE), ("Batches", ("batch",))):
        rows = where(found, access=accesses)
        if rows:
            section.say(f"{title}:")
            _size_table(cpu, section, rows, accesses)
    return section


def _size_table(cpu, section, rows, accesses):
    names = choose.sizes(rows)
    table = Table(("layout", "l"), ("target", "l"), ("access", "l"), ("keys", "l"), *[(name, "r") for name in names])
    floors = {name: choose.line_floor(cpu.rows, accesses[0], name) for name in names}
    shown = [row for row in floors.values() if row]
    if shown:
        table.add("floor", shown[0]["target"], "", "hash", *[ns(floors[name]) for name in names])
    for layout in choose.layouts(rows):
        of_layout = where(rows, layout=layout)
        of_layout = where(of_layout, keys="hash") or where(of_layout, keys="u64") or of_layout
        for access in accesses:
            of_access = where(of_layout, access=access)
            for target in sorted(by(of_access, "target"), key=choose.target_order(cpu)):
                line = {row["size"]: row for row in where(of_access, target=target)}
                shown += line.values()
                table.add(code(layout), target, access, of_access[0]["keys"],
                          *[_with_floor(line.get(name), floors[name]) for name in names])
    section.table(table, shown)


def _with_floor(row, floor):
    if not row:
        return ""
    return f"{ns(row)} ({ratio(choose.times(row, floor), 1)})" if floor and row["keys"] == "hash" else ns(row)


def rates(cpu):
    """Rates must not depend on how many keys there are: those of a 32-bit hash do."""
    section = Section(f"### False-positive rate against the number of keys: {MAIN_BITS} bits per key")
    rows = [row for row in filters(where(cpu.rows, bits=MAIN_BITS, keys=("hash", "u64"))) if row["fpr_queries"] > 0]
    names = choose.sizes(rows)
    if len(names) < 2:
        return section
    section.say("FPR in %, of the very filters that were timed, so small ones scatter. The last column "
                "is the rate of the largest filter by that of the 1 MB filter.")
    table = Table(("layout", "l"), *[(name, "r") for name in names], ("largest / 1MB", "r"))
    shown = []
    for layout in choose.layouts(rows):
        of_layout = where(rows, layout=layout)
        of_layout = where(of_layout, keys="hash") or of_layout
        line = {name: next(iter(where(of_layout, size=name)), None) for name in names}
        measured = [row for row in line.values() if row]
        shown += measured
        first = line.get("1MB")
        growth = ratio(measured[-1]["fpr"], first["fpr"]) if first and first["fpr"] and len(measured) > 1 else ""
        table.add(code(layout), *[rate(line[name]) for name in names], growth)
    section.table(table, shown)
    return section


def hits(cpu):
    """Access by access at 0, 50 and 100 % hits."""
    section = Section(f"### Hits, branches, dependent lookups: {MAIN_BITS} bits per key, hash given")
    rows = filters(where(cpu.rows, bits=MAIN_BITS, keys="hash", hits=(0, 50, 100)))
    more = {(row["access"], row["size"], row["layout"]) for row in rows
            if row["hit_percent"] != MAIN_HITS or row["access"] not in ONE_BY_ONE + ("batch",)}
    rows = [row for row in rows if (row["access"], row["size"], row["layout"]) in more]
    if not rows:
        return section
    section.say("ns per key, each filter on the target that is fastest at 50 % hits. `branch`: the caller branches on "
                "the answer; `dependent`: the next key depends on it; its floor is "
                "the latency of one line.")
    sizes_shown = {choose.main_size(rows), LARGE}
    table = Table(("layout", "l"), ("target", "l"), ("access", "l"), ("size", "l"),
                  *[(f"{hit} % hits", "r") for hit in (0, 50, 100)])
    shown = []
    for size in sorted(sizes_shown.intersection(choose.sizes(rows)), key=choose.size_bytes):
        floor = choose.line_floor(cpu.rows, "dependent", size)
        if floor and where(rows, size=size, access=("dependent", "inlined_dependent")):
            shown.append(floor)
            table.add("floor", floor["target"], floor["access"], size, "", ns(floor), "")
        for layout in choose.layouts(rows):
            if size == LARGE and len(sizes_shown) > 1 and layout not in ("blocked", "classic", choose.GATHER):
                continue  # memory decides there
            for access, of_access in by(where(rows, size=size, layout=layout), "access").items():
                target = fastest(where(of_access, hits=MAIN_HITS) or of_access)["target"]
                cells = [fastest(where(of_access, target=target, hits=hit)) for hit in (0, 50, 100)]
                shown += [row for row in cells if row]
                table.add(code(layout), target, access, size, *[ns(row) for row in cells])
    section.table(table, shown)
    return section


def keys(cpu):
    rows = filters(where(cpu.rows, bits=MAIN_BITS, hits=MAIN_HITS, access=ONE_BY_ONE + ("batch",)))
    size = choose.main_size(where(rows, keys="string"))
    section = Section(f"### What the keys cost: {MAIN_BITS} bits per key, {size}, {MAIN_HITS} % hits")
    if not size:
        return section
    section.say("ns per key: the hash given, 64-bit keys hashed, strings hashed; reading the keys is included. Each "
                "line on the target that is fastest with strings, or with 64-bit keys where strings are not measured. "
                "The floor hashes the same keys and does nothing else.")
    table = Table(("layout", "l"), ("target", "l"), ("access", "l"), ("hash", "r"), ("u64", "r"), ("string", "r"))
    floors = [fastest([row for row in where(cpu.rows, layout=choose.HASH_FLOOR, keys=kind, size=size, bits=MAIN_BITS)
                       if row["floor"]])
              for kind in ("hash", "u64", "string")]
    shown = [row for row in floors if row]
    if shown:
        table.add("floor", shown[0]["target"], shown[0]["access"], *[ns(row) for row in floors])
    rows = where(rows, size=size)
    for layout in choose.layouts(rows):
        for access, of_access in by(where(rows, layout=layout), "access").items():
            # Strings are measured on fewer targets.
            best = fastest(where(of_access, keys="string") or where(of_access, keys="u64") or of_access)
            cells = [fastest(where(of_access, target=best["target"], keys=kind)) for kind in ("hash", "u64", "string")]
            shown += [row for row in cells if row]
            table.add(code(layout), best["target"], access, *[ns(row) for row in cells])
    section.table(table, shown)
    return section


def placement(cpu):
    """The special arrangements of `blocked` beside `blocked` itself."""
    section = Section(f"### Where the image lies: at an odd address, or one of eight; {MAIN_BITS} bits per key")
    rows = where(cpu.rows, layout=choose.SPECIAL, bits=MAIN_BITS)
    if not rows:
        return section
    section.say("ns per key of `blocked` in an image at an odd address, and of one key that is looked up in 8 filters, "
                "whose sizes are added. Behind it is the ratio to one aligned `blocked` of that size, access and target.")
    names = choose.sizes(rows)
    table = Table(("layout", "l"), ("target", "l"), ("access", "l"), ("hits %", "r"), *[(name, "r") for name in names])
    shown = []
    for (layout, access, hit), of_line in sorted(by(rows, "layout", "access", "hit_percent").items()):
        for target in choose.best_targets(cpu, of_line)[:2]:
            cells = []
            for name in names:
                row = fastest(where(of_line, target=target, size=name))
                plain = fastest(where(cpu.rows, layout="blocked", access=access, target=target, size=name, hits=hit,
                                      bits=MAIN_BITS, keys=row["keys"])) if row else None
                shown += [found for found in (row, plain) if found]
                cells.append(f"{ns(row)} ({ratio(choose.times(row, plain), 1)})" if plain else ns(row))
            table.add(code(layout), target, access, hit if hit >= 0 else "", *cells)
    section.table(table, shown)
    return section


def inserts(cpu):
    rows = filters(where(cpu.rows, bits=MAIN_BITS, access=FILLS))
    section = Section(f"### Inserting: {MAIN_BITS} bits per key")
    if not rows:
        return section
    section.say("ns per key. Inserts are of keys already in the filter; `build` makes a filter of all keys, "
                "`build_2_threads` by two threads, timed by the clock.")
    names = choose.sizes(rows)
    table = Table(("layout", "l"), ("target", "l"), ("access", "l"), ("keys", "l"), *[(name, "r") for name in names])
    shown = []
    for layout in choose.layouts(rows):
        for access, of_access in by(where(rows, layout=layout), "access").items():
            for kind, of_kind in by(of_access, "keys").items():
                for target in choose.best_targets(cpu, of_kind)[:2]:
                    line = {row["size"]: row for row in where(of_kind, target=target)}
                    shown += line.values()
                    table.add(code(layout), target, access, kind, *[ns(line.get(name)) for name in names])
    section.table(table, shown)
    return section


def counters(cpu):
    rows = filters(where(cpu.rows, bits=MAIN_BITS, hits=MAIN_HITS, keys="hash", access=ONE_BY_ONE + ("batch",)))
    rows = [row for row in rows if "cycles" in row]
    size = choose.main_size(rows)
    section = Section(f"### The CPU's counters: {MAIN_BITS} bits per key, {size}, {MAIN_HITS} % hits, hash given")
    if not rows:
        return section
    table = Table(("layout", "l"), ("target", "l"), ("access", "l"), ("ns", "r"), ("cycles", "r"),
                  ("instructions", "r"), ("cache misses", "r"))
    rows = where(rows, size=size)
    section.say("Per key.")
    for row in rows:
        table.add(code(row['layout']), row["target"], row["access"], ns(row),
                  *[number(row[name]) if name in row else "" for name in ("cycles", "instructions", "cache_misses")])
    section.table(table, rows)
    return section
