"""Filters in tables of examples/sst_reader: what a Get reads and takes, and whether a damaged filter loses a key."""

from choose import times
from markdown import Section, Table, bits, code, number, ratio
from names import of_cpu
from promises import MISSED

COMMAND = "taskset -c 1 build/release/linefilter_bench_tables --out bench/results/tables.json"
NONE = "none"
WAYS = {"mapped": (True, True), "trusted": (True, False), "memory": (False, True)}  # mapped, verified
FIELDS = ("filter", "num_tables", "keys_per_table", "value_bytes", "block_bytes")


def section(measured):
    out = Section("## Inside a table of your own")
    if not measured:
        out.say(f"Not measured yet: `{COMMAND}`, then `tools/report`.")
        return out
    context, rows = measured["context"], measured["rows"]
    out.say("[examples/sst_reader](examples/sst_reader/README.md) keeps a filter in each table and counts the data blocks that it reads: "
            f"{blocks(rows)}, one filter per table. The CPU is {of_cpu(context['cpu'])} (commit {context['commit']}). `blocks` are those read "
            "per absent Get. Times are CPU ns per Get, medians of rounds in which all rows are asked for the same keys in turns; **x** is "
            "against no filter, round by round. A Get checks each block that it reads, and two counters are atomic. `open` is in "
            "microseconds per table.")
    out.say("`mapped` is by mmap (the file is in the page cache) and verifies the filter when it opens a table, `trusted` does not, and "
            "`memory` holds whole files in huge pages. `denied` are members to which damaged filters say \"absent\" if nobody verifies them; "
            "filters of up to 4 KiB are always verified. `lost` are those of them, and of 100 more per damage, that the verifying "
            "table does not find.")
    table = Table(("tables x keys", "l"), ("filter", "l"), ("bits/key", "r"), ("blocks", "r"), ("absent: mapped", "r"), ("x", "r"),
                  ("trusted", "r"), ("memory", "r"), ("member: mapped", "r"), ("memory", "r"), ("open: mapped", "r"), ("trusted", "r"),
                  ("damages", "r"), ("denied", "r"), ("lost", "r"))
    for one in groups(rows):
        table.add(*line(one, groups(rows)))
    out.table(table, command=COMMAND)
    return out


def blocks(rows):
    return (f"blocks of {', '.join(str(size) for size in sorted({row['block_bytes'] for row in rows}))} bytes, values of "
            f"{', '.join(str(size) for size in sorted({row['value_bytes'] for row in rows}))}")


def groups(rows):
    """[{way: row}] of each filter in tables of one shape, in the order of the file."""
    found = {}
    for row in rows:
        way = next((name for name, flags in WAYS.items() if flags == (row["mapped"], row["verified"] or row["filter"] == NONE)), None)
        found.setdefault(tuple(row[field] for field in FIELDS), {})[way] = row
    return list(found.values())


def line(ways, others):
    any_row, mapped, memory = next(iter(ways.values())), ways.get("mapped"), ways.get("memory")
    none = next((one.get("mapped") for one in others if one is not ways and mapped and
                 all(row["filter"] == NONE and all(row[field] == mapped[field] for field in FIELDS[1:]) for row in one.values())), None)
    damaged = next((row for row in ways.values() if "damages" in row), None)
    return (f"{any_row['num_tables']} x {any_row['keys_per_table']}", code(any_row["filter"]) if any_row["filter"] != NONE else NONE,
            bits(any_row["bits_per_key"]) if any_row["filter_bytes"] else "", number(any_row["absent_blocks"] / any_row["gets"]),
            time(mapped, "absent"), ratio(times(_timed(mapped), _timed(none)), 1, 3) if none else "", time(ways.get("trusted"), "absent"),
            time(memory, "absent"), time(mapped, "present"), time(memory, "present"), opened(mapped), opened(ways.get("trusted")),
            *((damaged["damages"], damaged["denied_keys"], lost(damaged)) if damaged else ("", "", "")))


def time(row, what):
    return number(row[f"{what}_ns"]) if row else ""


def opened(row):
    return number(row["open_us"]) if row else ""


def lost(row):
    return f"{row['lost_keys']} {MISSED}" if row["lost_keys"] else "0"


def _timed(row):
    return {**row, "ns": row["absent_ns"], "ns_each": row["absent_ns_each"]}
