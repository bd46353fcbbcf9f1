"""Columns: what a row costs from its value to its number, what a join gains by a filter, and what was asked of both (issue 36)."""

import itertools

import asked
import choose
from choose import by, times, where
from markdown import Section, Table, code, count, ns, number, ratio
from names import of_cpu

COMMAND = "taskset -c 1 build/release/linefilter_bench_columns --out bench/results/columns.json"
JOINS_COMMAND = "taskset -c 1 build/release/linefilter_bench_columns --joins --out bench/results/joins.json"
HEADING = "## Columns: from values to row numbers, and joins"
SMALL, LARGE = "512KB", "256MB"
PERCENTS = (1, 50, 99)
NOTHING = "-"
OTHERS = {"hash": "hash of INT64", "text": "selection of texts of 8 to 24 bytes", "text_nulls": "the same, half of them null",
          "dictionary": "selection of a dictionary of 1,000 texts",
          "no_filter": "no filter, all rows go on", "scan_filter": "`ScanFilter` that lets all rows go on"}

# What was asked for: ns per row, or times of another row. With AVX2 a row may take twice the ns of AVX-512.
FAMILIES = {"AVX-512": 1, "AVX2": 2}
MOST_SELECT = {"split_block": 2.0, "blocked": 2.4, "retrieval": 3.0}
MOST_FLAT, MOST_OF_BATCH, MOST_OF_LOOP = 1.15, 1.25, {SMALL: 0.5, LARGE: 0.4}
MOST_HASH = {"AVX-512": 0.6, "AVX2": 1.3}
MOST_TEXT, MOST_DICTIONARY, MOST_SCAN = 8, 0.5, 1.02
ASKED_BUILD, ASKED_PERCENT, MOST_JOIN = 1000000, 1, 0.35


def details(measured, joins):
    """The page of its own; the plot of the joins follows it."""
    out = Section(HEADING)
    missing = [command for data, command in ((measured, COMMAND), (joins, JOINS_COMMAND)) if not data]
    if missing:
        out.say("Not measured yet: " + " and ".join(code(command) for command in missing) + ", then `tools/report`.")
    rows, joined = measured["rows"] if measured else [], joins["rows"] if joins else []
    if rows or joined:
        out.say("This page tells what a row of a column costs, and what was asked for. The promises count the worst of the pass rates, and "
                f"of the layouts where none is named. With AVX2 a row may take twice as long as with AVX-512. {_sources(measured, joins)}")
        out.table(asked.table([*_of_rows(rows), *_of_joins(joined)]))
    if rows:
        out.say("Integers of 64 bits are hashed and looked up, and the numbers of the rows that stay are written, 2,048 rows at a time. "
                "`batch` only looks up hashes that are there already. `loop` is what engines write by hand: it hashes one value, asks "
                f"for it, and appends its row if it may be a member. A filter of {SMALL} lies in the cache, and one of {LARGE} in memory.")
        out.table(_selections(rows), command=COMMAND)
        out.say("These are other columns, in ns per row. Half of the texts are members. The dictionary is asked in one call for all its rows. "
                "`ScanFilter` stops asking a filter that lets all rows go on, so it should cost as much as no filter. Both write the "
                "numbers of all rows, and then add the values of these.")
        out.table(_others(rows), command=COMMAND)
    if joined:
        out.say(f"These are joins of {' and '.join(count(size) for size in sorted({row['probe_rows'] for row in joined}))} probe rows with a hash "
                "table, by [examples/join](../../examples/join/main.cc). Times are ns per probe row. `columns` has a `ScanFilter` in front, "
                "and `loop` the same filter in the loop of engines. `filter` is the time to make that filter. The ratios are to the "
                "join without, and count it in.")
        out.table(_joins(joined), command=JOINS_COMMAND)
    return out


def _sources(measured, joins):
    found = [f"The {what} were measured on {of_cpu(data['context']['cpu'])} (commit {data['context']['commit']})."
             for what, data in (("rows", measured), ("joins", joins)) if data]
    return " ".join(found)


def of_join(row, way):
    """The time of that way with the making of the filter, as a part of the time without."""
    return (row[f"{way}_ns"] + row["filter_ns"]) / row["without_ns"]


def _one(rows, family, **wanted):
    return next((row for row in where(rows, **wanted) if choose.target_family(row["target"]) == family), None)


def _of_rows(rows):
    """What was asked of rows, for each family of targets."""
    for family, factor in FAMILIES.items():
        for layout, most in MOST_SELECT.items():
            found = _by_percent(rows, family, layout)
            slowest = max(found, key=lambda row: row["ns"]) if all(found) else None
            yield asked.at_most_ns(f"selection, `{layout}`, {SMALL}, {family}", factor * most, slowest)
        yield asked.at_most_times(f"selection, slowest pass rate, {SMALL}, {family}", f"{MOST_FLAT:g} of the fastest", MOST_FLAT,
                                  [pair for layout in MOST_SELECT for pair in itertools.permutations(_by_percent(rows, family, layout), 2)])
        yield asked.at_most_times(f"selection, {LARGE}, {family}", f"{MOST_OF_BATCH:g} of the batch", MOST_OF_BATCH,
                                  _pairs(rows, family, "batch", LARGE))
        for size, most in MOST_OF_LOOP.items():
            yield asked.at_most_times(f"selection, {size}, {family}", f"{most:g} of the loop", most, _pairs(rows, family, "engine_loop", size))
        for what, most in (("hash", MOST_HASH[family]), ("text", factor * MOST_TEXT), ("dictionary", factor * MOST_DICTIONARY)):
            yield asked.at_most_ns(f"{OTHERS[what]}, {family}", most, _one(rows, family, what=what))
        yield asked.at_most_times(f"{OTHERS['scan_filter']}, {family}", f"{MOST_SCAN:g} of no filter", MOST_SCAN,
                                  [tuple(_one(rows, family, what=what) for what in ("scan_filter", "no_filter"))])


def _by_percent(rows, family, layout):
    """The selections of the pass rates, or None for what is not there."""
    return [_one(rows, family, what="select", size=SMALL, layout=layout, percent=percent) for percent in PERCENTS]


def _pairs(rows, family, what, size):
    return [tuple(_one(rows, family, what=one, size=size, layout=layout, percent=percent) for one in ("select", what))
            for layout in MOST_SELECT for percent in PERCENTS]


def _of_joins(rows):
    for family in FAMILIES:
        row = _one(rows, family, build_rows=ASKED_BUILD, percent=ASKED_PERCENT)
        part = row and of_join(row, "columns")
        *line, _ = asked.at_most(f"join, {count(ASKED_BUILD)} build rows, {ASKED_PERCENT} % found, {family}", f"{MOST_JOIN:g} of the join without",
                                 MOST_JOIN, part, part and ratio(part, 1))
        yield (*line, row)


def _selections(rows):
    of_rows = Table(("layout", "l"), ("size", "r"), ("target", "l"), ("% pass", "r"), ("selection", "r"), ("batch", "r"), ("loop", "r"),
                    ("to batch", "r"), ("to loop", "r"))
    for (layout, size, target, percent), group in by(where(rows, what=("select", "batch", "engine_loop")),
                                                     "layout", "size", "target", "percent").items():
        ours, *others = (next(iter(where(group, what=what)), None) for what in ("select", "batch", "engine_loop"))
        of_rows.add(code(layout), size, target, percent, *[ns(row) or NOTHING for row in (ours, *others)],
                    *[ratio(times(ours, row), 1) if ours and row else NOTHING for row in others])
    return of_rows


def _others(rows):
    targets = list(by(rows, "target"))
    of_rows = Table(("column", "l"), *[(target, "r") for target in targets])
    for what, words in OTHERS.items():
        cells = [next(iter(where(rows, what=what, target=target)), None) for target in targets]
        if any(cells):
            of_rows.add(words, *[ns(row) or NOTHING for row in cells])
    return of_rows


def _joins(rows):
    of_joins = Table(("build rows", "r"), ("% found", "r"), ("target", "l"), ("without", "r"), ("columns", "r"), ("loop", "r"), ("filter", "r"),
                     ("columns to without", "r"), ("loop to without", "r"))
    for row in rows:
        of_joins.add(count(row["build_rows"]), f"{row['percent']:g}", row["target"],
                     *[number(row[f"{field}_ns"]) for field in ("without", "columns", "one_by_one", "filter")],
                     *[ratio(of_join(row, way), 1) for way in ("columns", "one_by_one")])
    return of_joins
