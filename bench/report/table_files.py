"""Filters in tables of examples/sst_reader: what a Get reads and takes, and whether a damaged filter loses a key."""

from markdown import Section, Table, bits, code, count, number
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
    out.say("[examples/sst_reader](examples/sst_reader/README.md) keeps one filter in each table, and counts the data blocks that it reads: "
            f"{shape(rows)}. The CPU is {of_cpu(context['cpu'])} (commit {context['commit']}). `tables` tells their number and the "
            "keys of each. `blocks` are those read per Get of an absent key. `absent` and `member` are CPU ns per Get of such keys. All rows are asked for the same keys in turns, and these are "
            "the medians of the rounds. A Get checks each block that it reads. `open` is in microseconds per table.")
    out.say("These three are of tables that are mapped (mmap, the file is in the page cache) and verify their filter when they are "
            "opened. `trusted` does not verify it, and `memory` is a whole file in huge pages. `denied` are members to which "
            "damaged filters say \"absent\" if nobody verifies them; those of up to 4 KiB always are. `lost` are those of them, and of "
            "100 others per damage, that the verifying table does not find. It is to be 0.")
    table = Table(("tables", "l"), ("filter", "l"), ("bits/key", "r"), ("blocks", "r"), ("absent", "r"), ("trusted", "r"), ("memory", "r"),
                  ("member", "r"), ("memory", "r"), ("open", "r"), ("trusted", "r"), ("damages", "r"), ("denied", "r"), ("lost", "r"))
    for ways in groups(rows):
        table.add(*cells(ways))
    out.table(table, command=COMMAND)
    return out


def shape(rows):
    return ", ".join(f"{what} of {' and '.join(str(size) for size in sorted({row[field] for row in rows}))} bytes"
                     for what, field in (("blocks", "block_bytes"), ("values", "value_bytes")))


def groups(rows):
    """[{way: row}] of each filter in tables of one shape, in the order of the file."""
    found = {}
    for row in rows:
        way = next((name for name, flags in WAYS.items() if flags == (row["mapped"], row["verified"] or row["filter"] == NONE)), None)
        found.setdefault(tuple(row[field] for field in FIELDS), {})[way] = row
    return list(found.values())


def cells(ways):
    one, mapped, trusted, memory = next(iter(ways.values())), *(ways.get(way) for way in WAYS)
    damaged = next((row for row in ways.values() if "damages" in row), None)
    return (f"{one['num_tables']} of {count(one['keys_per_table'])}", NONE if one["filter"] == NONE else code(one["filter"]),
            bits(one["bits_per_key"]) if one["filter_bytes"] else "", number(one["absent_blocks"] / one["gets"]),
            time(mapped, "absent_ns"), time(trusted, "absent_ns"), time(memory, "absent_ns"), time(mapped, "present_ns"),
            time(memory, "present_ns"), time(mapped, "open_us"), time(trusted, "open_us"),
            *((damaged["damages"], damaged["denied_keys"], lost(damaged)) if damaged else ("", "", "")))


def time(row, field):
    return number(row[field]) if row else ""


def lost(row):
    return f"{row['lost_keys']} {MISSED}" if row["lost_keys"] else "0"
