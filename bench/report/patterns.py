"""Pattern against pattern: the same loop, hash given, inlined; and what this project promises of it, computed."""

import math
import textwrap

import choose
from choose import GATHER, MAIN_HITS, PERMUTE, by, fastest, filters, where
from markdown import Section, Table, bits, code, ns, percent, probes, rate, ratio

# What `blocked` promises against k independent bits in 512 (FPR, then ns of theirs / ns of ours).
MOST_FPR = 1.02
LEAST_AVX512_SMALL_K, LEAST_AVX512_K11, LEAST_AVX2, LEAST_ANYWHERE = 1.6, 2.2, 1.1, 0.97

SCOPE = "They are the worst cases of inlined, independent lookups. \"Where we lose\" has the others."
# Heading, rival, its targets (None: all). A list leaves out the lines that an earlier one of the same rival has.
LISTS = (
    (f"These are the promises of `blocked` against `{GATHER}`. {SCOPE}", GATHER, None),
    (f"Nothing is promised against `{PERMUTE}`. On AVX2 it is how RocksDB computes this pattern where it is compiled "
     "for AVX2 (Debian's package is not). The same thresholds applied to it, on AVX2:", PERMUTE, "AVX2"),
    (f"The same against `{PERMUTE}` on any target, our AVX-512 version of it included; the lines that change:", PERMUTE,
     None),
)
Z_99 = 2.5758  # of a two-sided interval of 99 %
VERDICTS = ("holds", "holds within the measurement's error", "undecided, the intervals allow both", "MISSED")


def rival(cpu, row, rows, layout):
    """The fastest row of `layout` in the same place, on instructions no better than this row's."""
    same = where(rows, layout=layout, size=row["size"], asked_bits_per_key=row["asked_bits_per_key"],
                 hit_percent=row["hit_percent"], keys=row["keys"], access=row["access"])
    return fastest([other for other in same if choose.no_better(cpu, other["target"], row["target"])])


def table(cpu, accuracy):
    section = Section(f"### Pattern against pattern: inlined, hash given, {MAIN_HITS} % hits, in cache")
    rows = [row for row in filters(where(cpu.rows, access="inlined", keys="hash", hits=MAIN_HITS))
            if choose.in_cache(cpu, row["size"])]
    if len(by(rows, "layout")) == 0:
        return section
    section.say(f"The schemes alone, in the same loop: ns by bits per key, and behind it ns of `{GATHER}` / ns of the "
                "line. "
                f"The `{GATHER}` of a ratio is its fastest target that needs no better instructions than the line's "
                "(AVX-512 counts as one).")
    densities = sorted(by(rows, "asked_bits_per_key"))
    titles = [(f"{density:.10g} bits", "r") for density in densities]
    for size in choose.sizes(rows):
        of_size = where(rows, size=size)
        columns = Table((size, "l"), ("target", "l"), *titles)
        for layout in choose.layouts(of_size):
            of_layout = where(of_size, layout=layout)
            for target in sorted(by(of_layout, "target"), key=choose.target_order(cpu)):
                line = {row["asked_bits_per_key"]: row for row in where(of_layout, target=target)}
                columns.add(code(layout), target,
                            *[_with_ratio(cpu, line.get(density), of_size) for density in densities])
        section.table(columns, of_size)
    _rates(section, rows, densities, titles)
    section.parts += gates(cpu, accuracy)
    return section


def _with_ratio(cpu, row, rows):
    if not row:
        return ""
    other = rival(cpu, row, rows, GATHER) if row["layout"] != GATHER else None
    return f"{ns(row)} ({ratio(choose.times(other, row), 1)})" if other else ns(row)


def _rates(section, rows, densities, titles):
    """FPR and k: the same on every target."""
    size = choose.sizes(rows)[-1]
    columns = Table((f"FPR %, {size}", "l"), *titles)
    for layout in choose.layouts(rows):
        line = by(where(rows, layout=layout, size=size), "asked_bits_per_key")
        cells = [line[density][0] if density in line else None for density in densities]
        columns.add(code(layout), *[f"{rate(row)} (k {probes(row)})" if row else "" for row in cells])
    section.table(columns, where(rows, size=size))


def gates(cpu, accuracy):
    """Sentences: each promise with its worst number and a verdict."""
    rows = where(cpu.rows, access="inlined", keys="hash")
    found, said = [], set()
    for heading, layout, target in LISTS:
        rivals = where(rows, layout=layout, target=target) if target else rows
        pairs = [(row, rival(cpu, row, rivals, layout)) for row in where(rows, layout="blocked")]
        pairs = [(ours, theirs) for ours, theirs in pairs if theirs]
        lines = [line for line in _promises(cpu, pairs, accuracy) if line and (layout, line) not in said]
        said.update((layout, line) for line in lines)
        if lines:
            heading = textwrap.fill(heading, 120, break_long_words=False, break_on_hyphens=False)
            found.append(heading + "\n\n" + "".join(f"- {line}\n" for line in lines))
    return found


def _promises(cpu, pairs, accuracy):
    if not pairs:
        return
    cached = [(ours, theirs) for ours, theirs in pairs if choose.in_cache(cpu, ours["size"])]
    avx512 = _best_target(cached, "AVX-512")
    avx2 = _best_target(cached, "AVX2")
    yield from _fpr_promises(pairs, accuracy)
    yield _ratio_promise("in cache, AVX-512, k of at most 8", LEAST_AVX512_SMALL_K,
                         [pair for pair in avx512 if pair[0]["num_probes"] <= 8])
    yield _ratio_promise("in cache, AVX-512, k = 11", LEAST_AVX512_K11,
                         [pair for pair in avx512 if pair[0]["num_probes"] == 11])
    yield _ratio_promise("in cache, AVX2", LEAST_AVX2, avx2)
    everywhere = _best_target(pairs, "AVX-512") + _best_target(pairs, "AVX2")
    yield _ratio_promise("at any size and density" + (", AVX-512 and AVX2" if everywhere else ""), LEAST_ANYWHERE,
                         everywhere or pairs)


def _best_target(pairs, family):
    """The pairs in which ours is the fastest target of the family: what a user of that CPU gets."""
    best = {}
    for ours, theirs in pairs:
        if choose.target_family(ours["target"]) == family:
            key = (ours["size"], ours["asked_bits_per_key"], ours["hit_percent"])
            if key not in best or ours["ns"] < best[key][0]["ns"]:
                best[key] = (ours, theirs)
    return list(best.values())


def _fpr_promises(pairs, accuracy):
    """From the accuracy file where it has both: many fills. Else from these very filters, where chance moves the rate,
    less so the larger they are: the largest of each density counts."""
    compared, source = accurate_pairs(accuracy, pairs[0][1]["layout"]), "of the accuracy file"
    if not compared:
        largest = {}
        for ours, theirs in sorted(pairs, key=lambda pair: choose.size_bytes(pair[0]["size"])):
            largest[ours["asked_bits_per_key"]] = (ours, theirs)
        compared, source = list(largest.values()), "in the largest filter"
    for field, what in (("expected_fpr", "by the models"), ("fpr", "measured")):
        usable = [pair for pair in compared if pair[0][field] > 0 and pair[1][field] > 0]
        if usable:
            ours, theirs = max(usable, key=lambda pair: (_verdict(*pair, field), pair[0][field] / pair[1][field]))
            yield (f"FPR at most {MOST_FPR}x, {what}: **{VERDICTS[_verdict(ours, theirs, field)]}**, "
                   f"{ratio(ours[field], theirs[field], 3)} "
                   f"({percent(ours[field])} % against {percent(theirs[field])} % at {bits(ours['bits_per_key'])} "
                   f"bits per key, k {probes(ours)} against {probes(theirs)}, {source})")


def _verdict(ours, theirs, field):
    """A place in VERDICTS."""
    (low, high), (their_low, their_high) = _interval(ours, field), _interval(theirs, field)
    if high <= MOST_FPR * their_low:
        return 0
    if low > MOST_FPR * their_high:
        return 3
    return 1 if ours[field] <= MOST_FPR * theirs[field] else 2


def _interval(row, field):
    """Of a model: the rate. Of a measurement: that of the accuracy file, or Wilson's of 99 %."""
    rate_, queries = row[field], row.get("fpr_queries", 0)
    if field == "fpr" and "fpr_low" in row:
        return row["fpr_low"], row["fpr_high"]
    if field != "fpr" or not queries:
        return rate_, rate_
    middle = rate_ + Z_99 ** 2 / (2 * queries)
    half = Z_99 * math.sqrt(rate_ * (1 - rate_) / queries + (Z_99 / (2 * queries)) ** 2)
    scale = 1 + Z_99 ** 2 / queries
    return (middle - half) / scale, (middle + half) / scale


def accurate_pairs(accuracy, layout):
    """Measurements of `blocked` and of `layout` of the same keys at the same density, 8 to 20 bits per key."""
    measured = accuracy["measured"] if accuracy else []
    theirs = where(measured, layout=layout)
    return [(ours, other) for ours in where(measured, layout="blocked") for other in theirs
            if 7.9 <= ours["bits_per_key"] <= 20.1 and ours["keys"] in ("hash", "u64") and
            (ours["keys"], ours["num_keys"]) == (other["keys"], other["num_keys"]) and
            abs(ours["bits_per_key"] / other["bits_per_key"] - 1) < 0.005]


def _ratio_promise(what, least, pairs):
    if not pairs:
        return None
    ours, theirs = min(pairs, key=lambda pair: (choose.times(pair[1], pair[0]), pair[0]["row"]))
    factor = choose.times(theirs, ours)
    verdict = "holds" if factor >= least else "MISSED"
    return (f"{what}: at least {least}x: **{verdict}**, {ratio(factor, 1)} ({ns(ours)} ns on "
            f"{ours['target']} against {ns(theirs)} ns on {theirs['target']}, {int(ours['asked_bits_per_key'])} bits "
            f"per key, {ours['size']}, {ours['hit_percent']} % hits)")
