"""What `retrieval`, and building all at once, promise: each asked and got, worst cases, computed from the results.

Rates and false negatives are those of the accuracy file where it has them. Times compare rows of the same keys, hits,
size and bits per key; each layout is on its fastest target of the family that a line names.
"""

import choose
from choose import GATHER, PERMUTE, fastest, where
from markdown import Section, bits, count, ns, percent
from promises import YARDSTICK, best, gained, least_times, most_times, pairs_of, place, table, unknown, verdict

LAYOUT, BESIDE, STATIC, PACKAGED = "retrieval", "blocked", "binary_fuse_8_own", "rocksdb_bloom"
MOST_FPR = {8: 0.0056, 10: 0.00168, 12: 0.000515, 16: 0.000065}
LEAST_MEMBERS = 100_000_000
LEAST_KEYS = 10_000  # fewer blocks are loaded unlike those of a large set
MOST_BATCH = {"AVX-512": 1.15, "AVX2": 1.6, "AVX2, large": 1.15}
MOST_SINGLE, LEAST_STATIC, LEAST_BULK, LEAST_THREADS = 1.5, 2.0, 1.8, 0.85
MOST_BUILD = {"AVX-512": (75, 60), "AVX2": (150, 110)}
SMALL, LARGE = 24 << 10, 512 << 20
UNDECIDED = "undecided, the interval allows both"


def section(cpu, accuracy):
    out = Section("### Retrieval and building: what was asked, what it got")
    if not where(cpu.rows, layout=LAYOUT) and not where(cpu.rows, access="build_2_threads"):
        return out
    out.say("For lookups this is the worst case over sizes, hits and bits per key. Rates are from the measurement with most "
            f"queries, and builds from the largest filter. `{STATIC}` is the static peer, and it has one density. Filters are built "
            "in memory that is there already. Two threads are timed by the clock, and "
            f"`{YARDSTICK}`, a loop in registers, tells how much the second CPU gives.")
    table(out, lines(cpu, accuracy))
    return out


def lines(cpu, accuracy):
    """(what, asked, verdict, got, where, rows) of each promise, in the order of the issue that made them."""
    yield from rates(cpu, accuracy)
    yield members(accuracy)
    yield from batches(cpu)
    yield from singles(cpu)
    yield static(cpu)
    yield from builds(cpu)
    yield bulk(cpu)
    yield from threads(cpu)


# Rates.


def rates(cpu, accuracy):
    for density, most in MOST_FPR.items():
        what, asked = f"FPR, {density} bits per key", f"at most {percent(most)} %"
        row, source = _rated(cpu, accuracy, density)
        if not row:
            yield unknown(what, asked)
            continue
        undecided = row.get("fpr_low", row["fpr"]) <= most < row["fpr"]
        yield (what, asked, UNDECIDED if undecided else verdict(row["fpr"] <= most),
               f"{percent(row['fpr'])} % ({bits(row['bits_per_key'])} bits per key)", source,
               [] if "seeds" in row else [row])


def _rated(cpu, accuracy, density):
    """The measurement with the most queries of the accuracy file, else the largest timed filter."""
    measured = [row for row in where(accuracy["measured"] if accuracy else [], layout=LAYOUT, keys=("hash", "u64"))
                if row["num_keys"] >= LEAST_KEYS and
                abs(row.get("asked_bits_per_key", row["bits_per_key"]) - density) < 0.05]
    if measured:
        return max(measured, key=lambda row: row["num_queries"]), "accuracy file"
    rows = [row for row in where(cpu.rows, layout=LAYOUT, bits=density) if row.get("fpr_queries")]
    best = max(rows, key=lambda row: (choose.size_bytes(row["size"]), row["fpr_queries"]), default=None)
    return best, best["size"] if best else ""


def members(accuracy):
    """Each filter of the accuracy file was asked for all its members; the program ends at the first that is lost."""
    what, asked = "false negatives", f"0 of {count(LEAST_MEMBERS)}"
    measured = where(accuracy["measured"], layout=LAYOUT) if accuracy else []
    if not measured:
        return unknown(what, asked)
    total = sum(int(row["num_keys"] * row["seeds"]) for row in measured)
    lost = sum(int(row["false_negatives"]) for row in measured)
    return what, asked, verdict(lost == 0 and total >= LEAST_MEMBERS), f"{lost} of {total}", "accuracy file", []


# Lookups.


def batches(cpu):
    for what, family, most, needed, fits in (
            ("batch, AVX-512, 24 KB to 512 MB", "AVX-512", MOST_BATCH["AVX-512"], {SMALL, LARGE},
             lambda size: SMALL <= choose.size_bytes(size) <= LARGE),
            ("batch, AVX2, in cache", "AVX2", MOST_BATCH["AVX2"], {SMALL}, lambda size: choose.in_cache(cpu, size)),
            ("batch, AVX2, 512 MB", "AVX2", MOST_BATCH["AVX2, large"], {LARGE},
             lambda size: choose.size_bytes(size) >= LARGE)):
        ours = [row for row in best(where(cpu.rows, layout=LAYOUT, access="batch", keys="hash"), family)
                if fits(row["size"])]
        pairs = pairs_of(cpu, ours, BESIDE, family)
        if not needed <= {choose.size_bytes(row["size"]) for row, _ in pairs}:
            pairs = []  # a part is not the whole
        yield most_times(what, f"at most {most} times the ns of `{BESIDE}`", most, pairs)


def singles(cpu):
    ours = [row for row in best(where(cpu.rows, layout=LAYOUT, access="inlined", keys="hash"), "AVX-512")
            if choose.in_cache(cpu, row["size"])]
    yield most_times("single, inlined, AVX-512, in cache",
                     f"at most {MOST_SINGLE} times the ns of k independent bits on AVX2", MOST_SINGLE,
                     pairs_of(cpu, ours, (GATHER, PERMUTE), "AVX2"))
    pairs = pairs_of(cpu, best(where(cpu.rows, layout=LAYOUT, access="single")), PACKAGED)
    if not {"u64", "string"} <= {row["keys"] for row, _ in pairs}:
        pairs = []  # a part is not the whole
    yield most_times("single, 64-bit keys and strings", f"faster than `{PACKAGED}` as packaged", 1, pairs)


def static(cpu):
    ours = best(where(cpu.rows, layout=LAYOUT, access="batch", keys="hash", size="512MB"))
    return least_times("batch, 512 MB", f"at least {LEAST_STATIC:g} times as fast as `{STATIC}`", LEAST_STATIC,
                       [(theirs, row) for row, theirs in pairs_of(cpu, ours, STATIC)])


# Building.


def builds(cpu):
    for family, (most, goal) in MOST_BUILD.items():
        what = f"build, one thread, {family}, 10 bits per key"
        asked = f"at most {most} ns per key; goal {goal}"
        rows = best(where(cpu.rows, layout=LAYOUT, access="build", keys="hash", bits=10), family)
        row = max(rows, key=lambda row: choose.size_bytes(row["size"]), default=None)
        if not row:
            yield unknown(what, asked)
            continue
        yield what, asked, verdict(row["ns"] <= most), f"{ns(row)} ns", place(row), [row]


def bulk(cpu):
    what = f"bulk build of `{BESIDE}`, 512 MB"
    asked = f"at least {LEAST_BULK} times as fast as one by one with prefetch"
    pairs = []
    for built in best(where(cpu.rows, layout=BESIDE, access="build", keys="hash", size="512MB")):
        one_by_one = fastest(where(cpu.rows, layout=BESIDE, access="insert_batch", keys="hash", size="512MB",
                                   bits=built["asked_bits_per_key"]))
        if one_by_one:
            pairs.append((one_by_one, built))
    return least_times(what, asked, LEAST_BULK, pairs)


def threads(cpu):
    for layout, size in ((BESIDE, "512MB"), (LAYOUT, None)):
        rows = [row for row in best(where(cpu.rows, layout=layout, access="build_2_threads"))
                if not size or row["size"] == size]
        yield gained(cpu, f"build of `{layout}` on two threads", LEAST_THREADS, rows)
