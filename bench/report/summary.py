"""BENCHMARKS.md: one page that says what to choose. All the rest is on the pages of doc/benchmarks."""

import math

import choose
import engines
import goals
import headline
import losses
import parquet
import quotient
import table_files
from choose import MAIN_BITS, MAIN_HITS, by, fastest, where
from markdown import Section, Table, code, ns, number, ratio
from names import of_cpu, of_filter

HEAD = """# Benchmarks

Which filter reaches your rate, at what size, and how fast? This page answers with one table and one picture. `tools/report`
writes it from the files in bench/results, and `tools/report --check` fails if a number is not from them. All rows, all
targets and the accuracy of each filter are in [doc/benchmarks](doc/benchmarks/README.md). [One HTML
file](doc/benchmarks.html) has the same tables, to sort and to search. A page tells [what columns and joins
cost](doc/benchmarks/columns.md).
"""
RUN = """## Run it on your machine

```sh
tools/bench.sh --portable  # makes build/portable/linefilter_bench: run it anywhere for ten minutes, put its JSON into bench/results/cpus
tools/report               # writes this page again; tools/bench.sh alone measures every row, in about an hour
```
"""
PICTURE = """Each mark is a filter: its rate by the time of a lookup in a batch, and the end of its line by the time of one lookup alone. LevelDB's
filter has a hash of 32 bits, so its rate rises in one large filter; LevelDB itself makes a small one for each 2 KiB of data.
"""
MOST_LOSSES, LEAST_FACTOR = 12, 1.05
LONGEST_NAME, MOST_WITH_BUILDS = 7, 3  # of CPUs side by side: a line has at most 140 characters
# The order of importance: what most programs do comes first.
ACCESSES = ("single", "batch", "inlined", "build", "insert_single", "insert_batch", "branch", "dependent",
            "inlined_branch", "inlined_dependent")
KINDS = {"time": "faster at no higher rate", "space": "smaller at no higher rate", "rate": "lower rate in the same time",
         "higher": "faster at a higher rate", "unrated": "faster, rate not measured"}


def write(results, figures, folder, pages):
    """figures: {file name: title}; folder, pages: where plots and pages are, from here."""
    cpu = goals.best_cpu(results)
    out = [HEAD.replace("doc/benchmarks/", f"{pages}/").replace("doc/benchmarks.html", f"{pages}.html")]
    lines = headline.text(results)
    if lines:
        out.append("## In five lines\n\n" + lines)
    if "choose.svg" in figures:
        out.append(f"## What to choose\n\n![{figures['choose.svg']}]({folder}/choose.svg)\n\n{PICTURE}")
    # The CPU of most cells; and where it lacks the engines' filters, the one that has them.
    of_tables = [cpu] if cpu is headline.best_cpu(results) else [cpu, headline.best_cpu(results)]
    out += [goals.section(one, number == 0).text() for number, one in enumerate(of_tables)]
    out += [cpus(results).text(), targets(cpu).text(), table_files.section(results.tables).text(),
            parquet.section(results.parquet, f"{pages}/parquet.md").text(),
            quotient.section(results.quotient, results.churn, f"{pages}/quotient.md").text(), where_we_lose(cpu, results).text(), RUN]
    return "\n".join(part for part in out if part)


def cpus(results):
    """Each CPU's way to 1 %, by the filters that two of them have."""
    out = Section("## CPUs side by side: to reach 1 %")
    if len(results.cpus) < 2:
        return out
    found = {cpu.slug: {one.layout: one for one in goals.ways(cpu, goals.GOALS[0])} for cpu in results.cpus}
    names, legend = _names_of_columns(results.cpus)
    shown = ("one", "batch", "build")[:3 if len(names) <= MOST_WITH_BUILDS else 2]
    table = Table(("filter", "l"), ("size", "r"), *[(f"{name}: {what}", "r") for name in names for what in shown])
    for layout in sorted({layout for ways in found.values() for layout in ways}):
        for size in (goals.SMALL, goals.LARGE):
            rows = _side_by_side([found[cpu.slug].get(layout) for cpu in results.cpus], size)
            if sum(any(of_cpu_[:2]) for of_cpu_ in rows) > 1:
                table.add(of_filter(layout), _size(size), *[ns(row) if row else goals.NOTHING for of_cpu_ in rows for row in of_cpu_[:len(shown)]])
    if not table.lines:
        return out
    out.say("These are ns per 64-bit key; `one` is inlined where the filter offers it." + legend + "".join(
        f" On {name} each filter has the next size of the full run, which is larger than the rate needs."
        for cpu, name in zip(results.cpus, names) if not cpu.by_rate))
    out.table(table)
    return out


def _names_of_columns(cpus):
    """Names, and a sentence that explains them: letters where names are too long or too many for a line of the page."""
    names = [of_cpu(cpu.name).split(", ")[-1] for cpu in cpus]
    if len(names) <= 2 and len(set(names)) == len(names) and max(len(name) for name in names) <= LONGEST_NAME:
        return names, ""
    letters = [chr(ord("A") + number) for number in range(len(cpus))]
    return letters, "".join(f" {letter} is {of_cpu(cpu.name)}." for letter, cpu in zip(letters, cpus))


def _side_by_side(ways, size):
    """(one, batch, build) of each CPU's way or None; `one` is the same access on all that have any."""
    offered = [way for way in ways if way and way.rows(("single", "inlined"), (size,))]
    one = "inlined" if all(way.cell("inlined", size) for way in offered) else "single"
    return [[way and way.cell(access, size) for access in (one, "batch", "build")] for way in ways]


def targets(cpu):
    out = Section(f"## SIMD targets side by side: {of_cpu(cpu.name)}")
    rows = where(cpu.rows, layout=("blocked", "retrieval"), keys="hash", hits=(MAIN_HITS, -1), bits=MAIN_BITS,
                 access=("inlined", "single", "batch"), size=(goals.SMALL, goals.LARGE))
    if len(by(rows, "target")) < 2:
        return out
    out.say(f"The same filter with {MAIN_BITS} bits per key, on each set of instructions that this CPU has. These are ns per key "
            "whose hash is given. The library takes the best target at run time.")
    table = Table(("layout", "l"), ("target", "l"), *[(f"{words}, {_size(size)}", "r") for size in (goals.SMALL, goals.LARGE)
                                                      for words in ("call", "inlined", "batch")])
    for layout in choose.layouts(rows):
        for target in sorted(by(where(rows, layout=layout), "target"), key=choose.target_order(cpu)):
            of_target = where(rows, layout=layout, target=target)
            table.add(code(layout), target, *[ns(fastest(where(of_target, access=access, size=size))) or goals.NOTHING
                                              for size in (goals.SMALL, goals.LARGE) for access in ("single", "inlined", "batch")])
    out.table(table)
    return out


def where_we_lose(cpu, results):
    out = Section("## Where we lose")
    notes = [note for note in (_build(cpu), *_engines(results.engines)) if note]
    full = max(results.cpus, key=lambda one: (len(losses.against_peers(one)[1]), one.slug))
    lost, compared = losses.against_peers(full)
    groups = {}
    for loss in lost:
        groups.setdefault(loss.group, []).append(loss)
    ordered = sorted((found for found in groups.values() if max(loss.factor for loss in found) >= LEAST_FACTOR), key=lambda found: _importance(found, compared))
    if notes:
        out.say("".join(f"- {note}\n" for note in notes))
    same_rate = to_the_same_rate(cpu)
    if same_rate:
        out.say(f"This is where another filter gets to the same rate with less, on {of_cpu(cpu.name)}, our best filter against the best peer:")
        out.parts.append(same_rate)
    table = Table(("against", "l"), ("access", "l"), ("what it is", "l"), ("in", "r"), ("at worst", "r"), ("there", "l"))
    for found in ordered[:MOST_LOSSES]:
        worst = max(found, key=lambda loss: (loss.factor, loss.ours["row"]))
        kind, layout, access = worst.group
        table.add(of_filter(layout), access, KINDS[kind], f"{len(found)} of {compared[worst.group]}", ratio(worst.factor, 1),
                  f"{worst.ours['layout']}, {worst.ours['size']}, {worst.ours['asked_bits_per_key']:g} bits per key")
    if table.lines:
        out.say(f"The table compares rows of {of_cpu(full.name)} with the same access, size, keys and bits per key. The most usual access comes "
                "first, and within it the losses that are most often and largest. The factor is ours by theirs in time, rate or size. "
                f"Kinds that lose less than {LEAST_FACTOR} times everywhere are left out.")
        out.table(table)
    if len(ordered) > MOST_LOSSES:
        out.say(f"{len(ordered) - MOST_LOSSES} more kinds of losses are on the page of the CPU.")
    return out


def to_the_same_rate(cpu):
    """Each measure in which the best peer beats our best, at the rate where it does most."""
    table = Table(("to the same rate", "l"), ("rate", "r"), ("against", "l"), ("theirs", "r"), ("ours", "l"), ("ours is", "r"), ("factor", "r"))
    if not cpu.by_rate:
        return ""  # sizes of the full run are too far apart for a comparison
    measures = [("bits per key", lambda way: way.row["bits_per_key"])]
    for size in (goals.SMALL, goals.LARGE):
        for access in ("single", "inlined", "batch", "build"):
            measures.append((f"ns, {access}, {_size(size)}",
                             lambda way, access=access, size=size: way.cell(access, size) and way.cell(access, size)["ns"]))
    for words, measure in measures:
        found = []
        for goal in goals.GOALS:
            ways = [way for way in goals.ways(cpu, goal) if measure(way)]
            ours = min((way for way in ways if choose.is_ours(way.row)), key=measure, default=None)
            theirs = min((way for way in ways if not choose.is_ours(way.row)), key=measure, default=None)
            if ours and theirs and measure(ours) >= LEAST_FACTOR * measure(theirs):
                found.append((measure(ours) / measure(theirs), goal, ours, theirs))
        if found:
            factor, goal, ours, theirs = max(found, key=lambda one: one[0])
            table.add(words, f"{100 * goal:g} %", of_filter(theirs.layout), number(measure(theirs)), code(ours.layout),
                      number(measure(ours)), ratio(factor, 1))
    return table.text() if table.lines else ""


def _size(name):
    return name.replace("MB", " MB")


def _importance(found, compared):
    kind, layout, access = found[0].group
    own = choose.is_own_code(found[0].theirs)
    weight = len(found) / compared[found[0].group] * math.log(max(loss.factor for loss in found))
    return ACCESSES.index(access) if access in ACCESSES else len(ACCESSES), own, -weight, kind, layout


def _build(cpu):
    ways = {layout: goals.way(cpu, layout, goals.GOALS[0]) for layout in ("retrieval", "blocked", headline.PEER)}
    rows = {layout: way and (way.cell("build", goals.SMALL) or _built(cpu, layout)) for layout, way in ways.items()}
    if not rows["retrieval"] or not rows["blocked"]:
        return ""
    beside = f"; {of_filter(headline.PEER)} takes {number(rows[headline.PEER]['ns'])} ns" if rows[headline.PEER] else ""
    return (f"A `retrieval` filter takes {number(rows['retrieval']['ns'])} ns per key to build in {_size(goals.SMALL)}, and `blocked` takes "
            f"{number(rows['blocked']['ns'])} ns{beside}.")


def _built(cpu, layout):
    return fastest(where(cpu.rows, layout=layout, access="build", keys=goals.KEYS, bits=MAIN_BITS, size=goals.SMALL))


def _engines(measured):
    rows = measured["rows"] if measured else []
    for engine, words in (("rocksdb", "RocksDB"), ("leveldb", "LevelDB with blocks of 4 KiB")):
        pairs = [(row, engines.own(rows, row)) for row in rows if row["engine"] == engine and row["block_bytes"] < engines.LARGE_BLOCKS
                 and row["filter"] in ("blocked", "auto")]
        pairs = [(row, theirs) for row, theirs in pairs if theirs]
        if pairs:
            worst = max(choose.times(*pair) for pair in pairs)
            if worst > 1:
                yield (f"Inside {words} a Get of an absent key gets no faster: at worst it takes "
                       f"{worst:.2f} times as long as with its own Bloom filter. The gain there is reads and bytes.")
    large = [(row, engines.own(rows, row)) for row in rows if row["engine"] == "leveldb" and row["block_bytes"] >= engines.LARGE_BLOCKS
             and row["filter"] == "retrieval"]
    large = [(row, theirs) for row, theirs in large if theirs]
    row, theirs = max(large, key=lambda pair: choose.times(*pair), default=(None, None))
    if row and choose.times(row, theirs) > 1:
        blocks = f"{row['block_bytes'] >> 20} MiB" if row["block_bytes"] >> 20 else f"{row['block_bytes'] >> 10} KiB"
        yield (f"LevelDB with blocks of {blocks} checks a whole `retrieval` filter before it answers, and a Get of "
               f"an absent key takes {choose.times(row, theirs):.2f} times as long.")
