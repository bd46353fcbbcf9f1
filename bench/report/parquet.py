"""`split_block` beside the loops of engines over the same filter of Parquet: times, and what was asked of them."""

import choose
from choose import by, fastest, times, where
from markdown import Section, Table, code, ns, ratio, rate
from names import of_cpu, of_filter
from promises import place, table, unknown, verdict

COMMAND = "taskset -c 1 build/release/linefilter_bench --plan parquet --fresh --out bench/results/parquet.json"
OURS, ENGINE, IMPALA, HASH, HASH_EACH = "split_block", "arrow_loop", "impala_split_block", "parquet_hash", "xxh64_each"
SHARED, SEALED = "split_block_concurrent", "split_block_sealed"
BASELINE = ("x86-64", "baseline")  # the engine's loop by the compiler's flags
LIKE_AVX2 = ("AVX-512", "AVX2")
SMALL, SIZES = "24KB", ("128KB", "2MB", "32MB", "256MB")
MOST_FIND, MOST_INSERT = (0.6, 0.5, 0.35, 0.35), (0.35, 0.25, 0.2, 0.2)
MOST_INLINED, MOST_OLDER = 0.85, 0.8
MOST_HASH = {"AVX-512": 0.5, "AVX2": 1.2, "SCALAR": 3.0}
SHARED_ACCESSES = ("single", "fill", "fill_batch", "fill_2_threads", "fill_batch_2_threads", "single_during_inserts",
                   "batch_during_inserts")
NOTHING = "-"


def section(measured):
    out = Section("## Parquet's filter beside the loops of engines")
    if not measured:
        out.say(f"Not measured yet: `{COMMAND}`, then `tools/report`.")
        return out
    rows, context = measured["rows"], measured["context"]
    bits_per_key = rows[0]["asked_bits_per_key"]
    out.say("All these filters have the blocks of the Parquet format, 256 bits with eight bits of each key. "
            f"They have {bits_per_key:g} bits per key, and {_rates(rows)} % false positives. The CPU is {of_cpu(context['cpu'])} "
            f"(commit {context['commit']}), one thread, and half of the hashes that are looked up are members. Times are ns per hash.")
    out.say(f"`{ENGINE}` is the loop of Apache Arrow. It takes a hash at a time behind a call, and its lookup tests a vector "
            "where there is AVX2. Without AVX2, and for insertions, it loops over eight words as the compiler makes them for "
            f"x86-64. `{IMPALA}` is the block of Impala with our look-ahead in batches; Impala itself has no batches and no "
            "AVX-512. Both are written here and are not the code of these projects.")
    out.table(_lookups(rows))
    out.table(_fills(rows))
    table(out, _lines(rows), "")
    out.say(f"`{SHARED}` takes insertions of many threads at once, and `{SEALED}` is the sequential filter.")
    out.table(_shared(rows), command=COMMAND)
    return out


def _rates(rows):
    found = where(rows, access="batch", size=SIZES, layout=(OURS, ENGINE, IMPALA), floor=False)
    low, high = (rate(choose_one(found, key=lambda row: row["fpr"])) for choose_one in (min, max))
    return low if low == high else f"{low} to {high}"


def _targets(rows, layout):
    of_layout = [row["target"] for row in where(rows, layout=layout) if row["target"] not in ("AVX3_DL", "SSSE3")]
    return list(dict.fromkeys(of_layout))


def _cell(rows, layout, target, access, size):
    return ns(fastest(where(rows, layout=layout, target=target, access=access, size=size))) or NOTHING


def _lookups(rows):
    of_lookups = Table(("lookups", "l"), ("target", "l"), (f"call, {SMALL}", "r"), (f"inlined, {SMALL}", "r"),
                       *[(f"batch, {size}", "r") for size in (SMALL, *SIZES)])
    for layout in (OURS, ENGINE, IMPALA):
        for target in _targets(where(rows, keys="hash"), layout):
            of_lookups.add(_name(layout), target, _cell(rows, layout, target, "single", SMALL),
                           _cell(rows, layout, target, "inlined", SMALL),
                           *[_cell(rows, layout, target, "batch", size) for size in (SMALL, *SIZES)])
    return of_lookups


def _fills(rows):
    of_fills = Table(("insertions", "l"), ("target", "l"), *[(f"batch, {size}", "r") for size in SIZES],
                     *[(f"build, {size}", "r") for size in SIZES])
    for layout in (OURS, ENGINE, IMPALA):
        for target in _targets(where(rows, keys="hash"), layout):
            if layout == ENGINE and target in BASELINE:
                continue  # the same loop
            of_fills.add(_name(layout), "x86-64" if layout == ENGINE and target == "AVX2" else target,
                         *[_cell(rows, layout, target, access, size) for access in ("insert_batch", "build") for size in SIZES])
    return of_fills


def _name(layout):
    return code(layout) if layout == OURS else of_filter(layout)


def _of_family(rows, families):
    return [row for row in rows if choose.target_family(row["target"]) in families]


def _lines(rows):
    """(what, asked, verdict, got, where, rows) of each promise."""
    for access, words, mosts in (("batch", "lookups", MOST_FIND), ("insert_batch", "insertions", MOST_INSERT)):
        for size, most in zip(SIZES, mosts):
            ours = fastest(_of_family(where(rows, layout=OURS, access=access, size=size), LIKE_AVX2))
            theirs = fastest(where(rows, layout=ENGINE, access=access, size=size))
            yield _most(f"{words}, batch, {size}", f"at most {most} times the ns of {of_filter(ENGINE)}", most, [(ours, theirs)])
    yield from _inlined(rows)
    for target in ("SSE4", "SCALAR"):
        pairs = [(fastest(where(rows, layout=OURS, access="batch", target=target, size=size)),
                  fastest(where(rows, layout=ENGINE, access="batch", target=BASELINE, size=size))) for size in (SMALL, *SIZES)]
        yield _most(f"lookups, batch, {target}", f"at most {MOST_OLDER} times the ns of that loop for x86-64", MOST_OLDER, pairs)
    for family, most in MOST_HASH.items():
        what, asked = f"Parquet's hash of INT64, {family}", f"at most {most} ns per value"
        row = fastest(_of_family(where(rows, layout=HASH), (family,)))
        each = fastest(where(rows, layout=HASH_EACH))
        beside = f"; a call of XXH64 for each: {ns(each)} ns" if each else ""
        yield (what, asked, verdict(row["ns"] <= most), f"{ns(row)} ns{beside}", row["target"], [row]) if row else unknown(what, asked)


def _inlined(rows):
    what, asked = f"one lookup, inlined, {SMALL}", f"at most {MOST_INLINED} ns"
    inlined = where(rows, access="inlined", size=SMALL)
    ours = fastest(where(inlined, layout=OURS))
    yield (what, asked, verdict(ours["ns"] <= MOST_INLINED), f"{ns(ours)} ns", place(ours), [ours]) if ours else unknown(what, asked)
    yield _most(what, f"not behind {of_filter(IMPALA)} on AVX2", 1,
                [(fastest(where(inlined, layout=OURS, target="AVX2")), fastest(where(inlined, layout=IMPALA, target="AVX2")))])


def _most(what, asked, most, pairs):
    """The worst of the pairs (ours, theirs); all of them have to be there, for a part is not the whole."""
    if not all(ours and theirs for ours, theirs in pairs):
        return unknown(what, asked)
    ours, theirs = max(pairs, key=lambda pair: times(*pair))
    factor = times(ours, theirs)
    return what, asked, verdict(factor <= most), f"{ratio(factor, 1)}: {ns(ours)} to {ns(theirs)} ns", place(ours), [ours, theirs]


def _shared(rows):
    found = where(rows, layout=(SHARED, SEALED))
    of_threads = Table(("filter", "l"), ("target", "l"), ("size", "l"), *[(access, "r") for access in SHARED_ACCESSES])
    for (layout, target, size), line in by(found, "layout", "target", "size").items():
        if target != "AVX3_DL":
            cells = {row["access"]: row for row in line}
            of_threads.add(code(layout), target, size, *[ns(cells.get(access)) for access in SHARED_ACCESSES])
    return of_threads
