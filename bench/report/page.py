"""The pages of doc/benchmarks: what ran where, how to read it, a page of each CPU, engines, accuracy."""

import accuracy
import choose
import columns
import concurrency
import engines
import losses
import markdown
import parquet
import patterns
import quotient
import retrieval
import tables
from choose import MAIN_BITS, MAIN_HITS, fastest, filters, where
from markdown import Section, Table, code, ns, rows_command
from names import of_cpu

HEAD = """# All measurements

`tools/report` writes these pages from the files in bench/results; do not edit them. Every number stands in one of those files,
rounded to three digits, or tells how many times one is the other (marked `x`). The summary is BENCHMARKS.md.
"""

READING = """## How to read it

- **ns**: CPU time of the thread per key, the median of the repetitions. Rows of two threads have the time by the clock. Less is
  better.
- **x**: how many times one is the other. Rows of one group (size, keys, bits per key) were measured once in each round. Their
  ratio of times is the median over the rounds, because noise of the machine hits both. Other ratios are of the medians.
- **FPR**: the false-positive rate in percent, measured in the very filter that was timed. **expected**: the rate of its model.
- **bits per key**: 8 times the bytes that lookups may read, by the number of keys. Some peers round what they are asked for.
- **k**: probes per key.
- **single**: one call per key through the library. **branch**: the caller also branches on the answer. **dependent**: the next
  key depends on the answer, so this is the latency. `classic` and the SCALAR targets branch inside, and the CPU guesses their
  answers before the line has come.
- **batch**: the library's call for many keys. **inlined**: the lookup is compiled into the caller for this target. The schemes
  that are written here (`k_independent`, `split_block_...`) have that instead of `single`.
- **(by us)**: a reimplementation of another's scheme by this project, not the code of that project.
- **keys**: a `hash` is given; `u64` and `string` keys are hashed inside the time.
- **target**: the SIMD instructions that the code uses; `packaged`: as the distribution compiled it.
- **floor**: the time to read one random line of the same memory and nothing else, in the same run.
- **size**: of the filter's bits. Half of the looked-up keys are members, unless a table says otherwise.
"""


def machines(results):
    section = Section("## The machines")
    named = [(cpu.name, cpu.context, cpu) for cpu in results.cpus]
    named += [(f"{of_cpu(cpu.name)}, by rate", cpu.by_rate_context, None) for cpu in results.cpus
                if cpu.by_rate_context is not cpu.context]
    if results.accuracy:
        named.append(("accuracy file", results.accuracy["context"], None))
    table = Table(("", "l"), *[(name, "l") for name, _, _ in named])
    properties = (("CPU", "cpu"), ("cores", "cores"), ("caches", "caches"), ("targets", "targets"),
                  ("virtual machine", "virtual"), ("governor", "governor"), ("huge pages", "huge_pages"),
                  ("kernel", "kernel"), ("compiler", "compiler"), ("flags", "flags"),
                  ("commit", "commit"), ("date", "date"), ("counters", "counters"),
                  ("peers left out", "missing_peers"))
    for title, field in properties:
        table.add(title, *[_words(context[field], field) for _, context, _ in named])
    table.add("memory in huge pages", *[_huge_pages(cpu) for _, _, cpu in named])
    table.add("rows", *[len(cpu.rows) if cpu else "" for _, _, cpu in named])
    section.table(table)
    origins = sorted({(choose.kind_order(row), row["layout"], row["origin"]) for cpu in results.cpus for row in cpu.rows + cpu.by_rate
                      if not row["floor"] and not choose.is_ours(row)})
    if origins:
        section.say("Peers:\n\n" + "".join(f"- `{layout}`: {origin}\n" for _, layout, origin in origins))
    return section


def _huge_pages(cpu):
    """Of the filters' memory, the least of any size."""
    percents = [row["huge_page_percent"] for row in cpu.rows if "huge_page_percent" in row] if cpu else []
    return f"at least {min(percents):.3g} %" if percents else ""


def _words(value, field):
    if field == "counters":
        return value.split(":")[0]  # the rest says what to do
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value).replace("|", "/")


def across(results):
    section = Section("## CPU against CPU")
    if len(results.cpus) < 2:
        section.say("There is one CPU so far. On another one, run `tools/bench.sh`: it measures, leaves its file in "
                    "bench/results/ and writes these pages again, with a table and a plot of both.")
        return section
    section.say(f"ns per key at {MAIN_BITS} bits per key, {MAIN_HITS} % hits, each layout on its fastest target of "
                "that CPU and size.")
    table = Table(("layout", "l"), ("access", "l"), ("keys", "l"), ("size", "l"),
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
                table.add(code(layout), access, keys, size, *[ns(row) for row in cells])
    if not table.lines:
        section.say("The files have no row in common yet.")
    section.table(table, command=rows_command(shown) + " (on each CPU)" if shown else None)
    return section


def pages(results, plots, plots_folder):
    """{name: text} of all pages. plots: {file name: title}, those that exist beside them under plots_folder."""
    markdown.OWN = {row["layout"] for cpu in results.cpus for row in cpu.rows + cpu.by_rate if choose.is_own_code(row)}

    def show(*names):
        return "\n".join(f"![{plots[name]}]({plots_folder}/{name})\n" for name in names if name in plots)

    written = {"README": [HEAD, contents(results), machines(results).text(), READING, across(results).text(),
                          show("cpus.svg")]}
    for cpu in results.cpus:
        written[cpu.slug] = cpu_page(cpu, results.accuracy, show)
    written["engines"] = [engines.section(results.engines).text()]
    written["parquet"] = [parquet.details(results.parquet).text()]
    written["quotient"] = [quotient.details(results.quotient, results.churn).text()]
    written["columns"] = [columns.details(results.columns, results.joins).text(), show("join.svg")]
    written["accuracy"] = ["## Accuracy\n"]
    if results.accuracy:
        written["accuracy"] += [show("fpr.svg"), accuracy.densities(results.accuracy).text(),
                                accuracy.families(results.accuracy).text()]
    else:
        written["accuracy"] += [f"Not measured yet: `{accuracy.COMMAND}`, then `tools/report`.\n"]
    return {name: "\n".join(part for part in parts if part) for name, parts in written.items()}


def contents(results):
    lines = [(cpu.slug, cpu.name) for cpu in results.cpus]
    lines += [("engines", "Filters inside LevelDB and RocksDB"),
              ("parquet", "Parquet's filter beside the loops of engines: insertions and threads"),
              ("quotient", "Layout `quotient` beside filters of its bytes: promises, every target, building, and rates"),
              ("columns", "Columns: from values to row numbers, and joins"), ("accuracy", "Rates by size and by kind of keys")]
    return "".join(f"- [{words}]({name}.md)\n" for name, words in lines)


def cpu_page(cpu, measured, show):
    out = [f"## {cpu.name}\n"]
    if cpu.context["virtual"]:
        out.append("This is a virtual machine, whose neighbours may slow single rows. Each row is the median of its "
                   "repetitions.\n")
    out += [show(f"pareto_{cpu.slug}.svg"), tables.main_comparison(cpu).text(), patterns.table(cpu, measured).text(),
            retrieval.section(cpu, measured).text(), concurrency.section(cpu).text(), losses.section(cpu).text(),
            show(f"size_{cpu.slug}.svg")]
    for make in (tables.sizes, tables.rates, tables.hits, tables.keys, tables.placement, tables.inserts, tables.counters):
        out.append(make(cpu).text())
    return out
