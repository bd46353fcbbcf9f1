"""BENCHMARKS.md: what ran where, how to read it, and all sections in their order."""

import accuracy
import choose
import concurrency
import engines
import losses
import patterns
import retrieval
import tables
from choose import MAIN_BITS, MAIN_HITS, fastest, filters, where
from markdown import Section, Table, ns, rows_command

HEAD = """# Benchmarks

Written by `tools/report` from the files in bench/results/; do not edit: `tools/report --check` finds a page that is not
theirs. Every number below stands in one of those files, rounded to three digits, or tells how many times one is the
other (marked `x`).
`tools/bench.sh` measures this machine and adds it here.
"""

READING = """## How to read it

- **ns**: CPU time of the thread per key (of two threads the time by the clock), the median of the repetitions. Less is
  better. **x**: how many times one is the other. Of times the median over rounds, if both rows are of one
  group (size, keys, asked bits per key), whose rows were measured once in each round: what slowed the machine for a while
  slowed both. Else of the medians.
- **FPR**: false-positive rate, measured in the very filter that was timed, in percent. **expected**: of its model.
- **bits per key**: real ones, 8 times the bytes that lookups may read / keys. Peers are asked for the same; some round.
- **k**: probes per key.
- **single**: one call per key through the library. **branch**: and the caller branches on the answer. **dependent**:
  and the next key depends on it, the latency. (Not of code that branches inside, as `classic` and the SCALAR targets
  do: the CPU guesses the answer and goes on before the line has come.) **batch**: the library's call for many keys.
  **inlined**: compiled into the caller for this target, as header-only code is; the schemes written here
  (`k_independent`, `split_block_...`) have that instead of `single`.
- **keys**: `hash` is given; `u64` and `string` keys are hashed inside the time.
- **target**: the SIMD instructions the code was made to use; `packaged`: as the distribution compiled it.
- **floor**: what reading one random line of the same memory and nothing else took, in the same run.
- **size**: of the filter's bits. Members asked in 50 % of the lookups unless a table says otherwise.
"""


def machines(results):
    section = Section("## The machines")
    columns = [(cpu.name, cpu.context, cpu) for cpu in results.cpus]
    if results.accuracy:
        columns.append(("accuracy file", results.accuracy["context"], None))
    table = Table(("", "l"), *[(name, "l") for name, _, _ in columns])
    properties = (("CPU", "cpu"), ("cores", "cores"), ("caches", "caches"), ("targets", "targets"),
                  ("virtual machine", "virtual"), ("governor", "governor"), ("huge pages", "huge_pages"),
                  ("kernel", "kernel"), ("compiler", "compiler"), ("flags", "flags"),
                  ("commit", "commit"), ("date", "date"), ("counters", "counters"),
                  ("peers left out", "missing_peers"))
    for title, field in properties:
        table.add(title, *[_words(context[field]) for _, context, _ in columns])
    table.add("memory in huge pages", *[_huge_pages(cpu) for _, _, cpu in columns])
    table.add("file", *[f"{cpu.slug}.json" if cpu else "accuracy.json" for _, _, cpu in columns])
    table.add("rows", *[len(cpu.rows) if cpu else len(results.accuracy["measured"]) for _, _, cpu in columns])
    section.table(table)
    origins = sorted({(choose.kind_order(row), row["layout"], row["origin"]) for cpu in results.cpus for row in cpu.rows
                      if not row["floor"] and not choose.is_ours(row)})
    if origins:
        section.say("Peers:\n\n" + "".join(f"- `{layout}`: {origin}\n" for _, layout, origin in origins))
    return section


def _huge_pages(cpu):
    """Of the filters' memory, the least of any size."""
    percents = [row["huge_page_percent"] for row in cpu.rows if "huge_page_percent" in row] if cpu else []
    return f"at least {min(percents):.3g} %" if percents else ""


def _words(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value).replace("|", "/")


def across(results):
    section = Section("## CPU against CPU")
    if len(results.cpus) < 2:
        section.say("There is one CPU so far. On another one, run `tools/bench.sh`: it measures, leaves its file in "
                    "bench/results/ and writes this page again, with a table and a plot of both.")
        return section
    section.say(f"ns per key at {MAIN_BITS} bits per key, {MAIN_HITS} % hits, each layout on its fastest target of "
                "that CPU and size.")
    columns = Table(("layout", "l"), ("access", "l"), ("keys", "l"), ("size", "l"),
                    *[(cpu.name, "r") for cpu in results.cpus])
    rows = {cpu.slug: filters(where(cpu.rows, bits=MAIN_BITS, hits=MAIN_HITS, access=tables.ONE_BY_ONE + ("batch",),
                                    keys=("hash", "u64"))) for cpu in results.cpus}
    everything = [row for of_cpu in rows.values() for row in of_cpu]
    shown = []
    for layout in choose.layouts(everything):
        for access in tables.ONE_BY_ONE + ("batch",):
            of_access = where(everything, layout=layout, access=access)
            keys = "hash" if where(of_access, keys="hash") else "u64"
            for size in choose.sizes(where(of_access, keys=keys)):
                cells = [fastest(where(rows[cpu.slug], layout=layout, access=access, keys=keys, size=size))
                         for cpu in results.cpus]
                if sum(1 for row in cells if row) < 2:
                    continue
                shown += [row for row in cells if row]
                columns.add(f"`{layout}`", access, keys, size, *[ns(row) for row in cells])
    if not columns.lines:
        section.say("The files have no row in common yet.")
    section.table(columns, command=rows_command(shown) + " (on each CPU)" if shown else None)
    return section


def write(results, plots, plots_folder):
    """The whole page. plots: {file name: title}, those that exist beside it under plots_folder."""
    out = [HEAD, machines(results).text(), READING]

    def show(*names):
        lines = [f"![{plots[name]}]({plots_folder}/{name})\n" for name in names if name in plots]
        if lines:
            out.append("\n".join(lines))

    for cpu in results.cpus:
        out.append(f"## {cpu.name}\n")
        if cpu.context["virtual"]:
            out.append("A virtual machine: neighbours may slow single rows; each row is the median of its "
                       "repetitions.\n")
        show(f"pareto_{cpu.slug}.svg")
        out.append(tables.main_comparison(cpu).text())
        out.append(patterns.table(cpu, results.accuracy).text())
        out.append(retrieval.section(cpu, results.accuracy).text())
        out.append(concurrency.section(cpu).text())
        out.append(losses.section(cpu).text())
        show(f"size_{cpu.slug}.svg")
        for make in (tables.sizes, tables.rates, tables.hits, tables.keys, tables.placement, tables.inserts,
                     tables.counters):
            out.append(make(cpu).text())
    out.append(across(results).text())
    show("cpus.svg")
    out.append(engines.section(results.engines).text())
    if results.accuracy:
        out.append("## Accuracy\n")
        show("fpr.svg")
        out.append(accuracy.densities(results.accuracy).text())
        out.append(accuracy.families(results.accuracy).text())
    else:
        out.append(f"## Accuracy\n\nNot measured yet: `{accuracy.COMMAND}`, then `tools/report`.\n")
    return "\n".join(part for part in out if part)
