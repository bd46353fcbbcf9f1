"""`split_block` beside the loops of engines over the same filter of Parquet: times, and what was asked of them."""

import asked
import choose
from choose import by, fastest, times, where
from markdown import Section, Table, code, ns, ratio, rate
from names import of_cpu, of_filter

COMMAND = "taskset -c 1 build/release/linefilter_bench --plan parquet --fresh --out bench/results/parquet.json"
OURS, ENGINE, IMPALA, HASH, HASH_EACH = "split_block", "arrow_loop", "impala_split_block", "parquet_hash", "xxh64_each"
SHARED, SEALED = "split_block_concurrent", "split_block_sealed"
BASELINE = ("x86-64", "baseline")  # the engine's loop by the compiler's flags
LIKE_AVX2 = ("AVX-512", "AVX2")
SMALL, SIZES = "24KB", ("128KB", "2MB", "32MB", "256MB")
MOST_FIND, MOST_INSERT = (0.6, 0.5, 0.35, 0.35), (0.35, 0.25, 0.2, 0.2)
MOST_INLINED, MOST_OLDER = 0.85, 0.8
MOST_HASH = {"AVX-512": 0.5, "AVX2": 1.2, "SCALAR": 3.0}
SHARED_ACCESSES = {"single": "call", "single_during_inserts": "call, meanwhile", "batch_during_inserts": "batch, meanwhile", "fill": "fill",
                   "fill_2_threads": "fill, 2 threads", "fill_batch": "fill batch", "fill_batch_2_threads": "fill batch, 2 threads"}
HEADING = "## Parquet's filter beside the loops of engines"
NOTHING = "-"


def section(measured, page="doc/benchmarks/parquet.md"):
    """What BENCHMARKS.md says: lookups, the promises, and where theirs is faster. `page` has the rest."""
    out = Section(HEADING)
    if not measured:
        out.say(f"Not measured yet: `{COMMAND}`, then `tools/report`.")
        return out
    rows, context = measured["rows"], measured["context"]
    bits_per_key = rows[0]["asked_bits_per_key"]
    out.say("All these filters have the blocks of the Parquet format, 256 bits with eight bits of each key. "
            f"They have {bits_per_key:g} bits per key, and {_rates(rows)} % false positives. The CPU is {of_cpu(context['cpu'])} "
            f"(commit {context['commit']}), one thread, and half of the hashes that are looked up are members. Times are ns per hash.")
    out.say(f"{of_filter(ENGINE)} is that of Apache Arrow. It takes a hash at a time behind a call, and its lookup tests a vector "
            "where there is AVX2. Without AVX2, and for insertions, it loops over eight words as the compiler makes them for "
            f"x86-64. {of_filter(IMPALA)} has our look-ahead in batches; Impala itself has no batches and no AVX-512. Both are written "
            f"here and are not the code of these projects. Insertions, builds and threads are on [a page]({page}) of their own.")
    out.table(_lookups(rows))
    out.table(asked.table(_lines(rows)))
    losses = _losses(rows)
    if losses.lines:
        out.say("Here theirs is faster on the same target, and the last column tells how many times as long ours takes:")
    out.table(losses, command=COMMAND)
    return out


def details(measured):
    """The page of its own."""
    out = Section(f"{HEADING}: insertions and threads")
    if not measured:
        out.say(f"Not measured yet: `{COMMAND}`, then `tools/report`.")
        return out
    rows = measured["rows"]
    out.say("Times are ns per hash. `build` makes a filter of all its hashes. BENCHMARKS.md says what the filters are.")
    out.table(_fills(rows))
    each = fastest(where(rows, layout=HASH_EACH))
    if each:
        out.say(f"A call of XXH64 for each value of INT64 takes {ns(each)} ns.")
    out.say(f"`{SHARED}` takes insertions of many threads at once, and `{SEALED}` is the sequential filter. In `fill` an emptied "
            f"filter of {_sizes(where(rows, layout=SHARED))} takes all members, a hash at a time or in batches. In `2 threads` each "
            "thread takes half of them, timed by the clock. In `meanwhile` another thread inserts as fast as it can.")
    out.table(_shared(rows), command=COMMAND)
    return out


def _rates(rows):
    found = where(rows, access="batch", size=SIZES, layout=(OURS, ENGINE, IMPALA), floor=False)
    low, high = (rate(choose_one(found, key=lambda row: row["fpr"])) for choose_one in (min, max))
    return low if low == high else f"{low} to {high}"


def _families(rows, layout):
    """The kinds of targets that it has, best first; SSSE3 runs what SCALAR runs."""
    families = [choose.target_family(row["target"]) for row in where(rows, layout=layout, keys="hash")]
    return [family for family in dict.fromkeys(families) if family != "SSSE3"]


def _cell(rows, layout, family, access, size):
    return ns(fastest(_of_family(where(rows, layout=layout, access=access, size=size), (family,)))) or NOTHING


def _lookups(rows):
    of_lookups = Table(("lookups", "l"), ("target", "l"), (f"call, {SMALL}", "r"), (f"inlined, {SMALL}", "r"),
                       *[(f"batch, {size}", "r") for size in (SMALL, *SIZES)])
    columns = [("single", SMALL), ("inlined", SMALL), *[("batch", size) for size in (SMALL, *SIZES)]]
    for layout in (OURS, ENGINE, IMPALA):
        for family in _families(rows, layout):
            of_lookups.add(_name(layout), family, *[_cell(rows, layout, family, *column) for column in columns])
    return of_lookups


def _fills(rows):
    of_fills = Table(("insertions in batches", "l"), ("target", "l"), *[(size, "r") for size in SIZES],
                     *[(f"build {size}", "r") for size in SIZES])
    columns = [(access, size) for access in ("insert_batch", "build") for size in SIZES]
    for layout in (OURS, ENGINE, IMPALA):
        # Arrow's insertion is the same whatever the target of its lookup.
        for family in _families(rows, layout)[:1 if layout == ENGINE else None]:
            of_fills.add(_name(layout), "any" if layout == ENGINE else family, *[_cell(rows, layout, family, *column) for column in columns])
    return of_fills


def _name(layout):
    return code(layout) if layout == OURS else of_filter(layout)


def _of_family(rows, families):
    return [row for row in rows if choose.target_family(row["target"]) in families]


def _lines(rows):
    """(what, at most, verdict, got, our row) of each promise."""
    arrow, impala = of_filter(ENGINE), of_filter(IMPALA)
    for access, words, mosts in (("batch", "lookups", MOST_FIND), ("insert_batch", "insertions", MOST_INSERT)):
        for size, most in zip(SIZES, mosts):
            ours = fastest(_of_family(where(rows, layout=OURS, access=access, size=size), LIKE_AVX2))
            theirs = fastest(where(rows, layout=ENGINE, access=access, size=size))
            yield asked.at_most_times(f"{words}, batch, {size}", f"{most} of {arrow}", most, [(ours, theirs)])
    inlined = where(rows, access="inlined", size=SMALL)
    yield asked.at_most_ns(f"one lookup, inlined, {SMALL}", MOST_INLINED, fastest(where(inlined, layout=OURS)))
    yield asked.at_most_times(f"one lookup, inlined, {SMALL}", f"{impala} on AVX2", 1,
                                  [tuple(fastest(where(inlined, layout=layout, target="AVX2")) for layout in (OURS, IMPALA))])
    for target in ("SSE4", "SCALAR"):
        pairs = [(fastest(where(rows, layout=OURS, access="batch", target=target, size=size)),
                  fastest(where(rows, layout=ENGINE, access="batch", target=BASELINE, size=size))) for size in (SMALL, *SIZES)]
        theirs = pairs[0][1]["target"] if pairs[0][1] else NOTHING
        yield asked.at_most_times(f"lookups, batch, {target}, the worst size", f"{MOST_OLDER} of {arrow}, {theirs}", MOST_OLDER, pairs)
    for family, most in MOST_HASH.items():
        yield asked.at_most_ns(f"Parquet's hash of INT64, {family}", most, fastest(_of_family(where(rows, layout=HASH), (family,))))


def _losses(rows):
    """Each kind of row in which a peer is faster, at worst."""
    of_losses = Table(("theirs is faster", "l"), ("access", "l"), ("target", "l"), ("at worst in", "r"), ("ours to theirs", "r"))
    for layout in (ENGINE, IMPALA):
        for (access, target), of_kind in by(where(rows, layout=layout, keys="hash"), "access", "target").items():
            family = "SCALAR" if target in BASELINE else choose.target_family(target)
            pairs = [(fastest(_of_family(where(rows, layout=OURS, access=access, size=row["size"]), (family,))), row) for row in of_kind]
            found = [(times(ours, theirs), theirs["size"]) for ours, theirs in pairs if ours]
            factor, size = max(found, default=(0, ""))
            if factor >= asked.LEAST_LOSS:
                of_losses.add(of_filter(layout), access, family, size, ratio(factor, 1))
    return of_losses


def _sizes(rows):
    return " and ".join(choose.sizes(rows))


def _shared(rows):
    of_threads = Table(("filter", "l"), ("target", "l"), *[(title, "r") for title in SHARED_ACCESSES.values()])
    for layout, line in by(where(rows, layout=(SHARED, SEALED)), "layout").items():
        for family in _families(line, layout):
            cells = {row["access"]: row for row in reversed(_of_family(line, (family,)))}
            of_threads.add(code(layout), family, *[ns(cells.get(access)) for access in SHARED_ACCESSES])
    return of_threads
