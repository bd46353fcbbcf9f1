"""`quotient` beside the filters of its bytes: times, rates, what changing keys costs, and what was asked of it."""

import asked
import choose
from choose import by, fastest, times, where
from markdown import Section, Table, bits, code, count, number, ns, percent, rate, ratio
from names import of_cpu, of_filter
from promises import KEPT, MISSED

COMMAND = "taskset -c 1 build/release/linefilter_bench --plan quotient --fresh --out bench/results/quotient.json"
CHURN_COMMAND = "taskset -c 1 build/release/linefilter_bench --churn --out bench/results/churn.json"
HEADING = "## `quotient` beside filters of its bytes"
OURS, BLOCKED = "quotient", "blocked"
CUCKOO, CUCKOO_12_BITS = "cuckoo_12_own", 12.64
SMALL, MIDDLE, LARGE = "24KB", "8MB", "512MB"
MILLION, HUNDRED_MILLION = "1220KB", "119MB"  # keys, at 10 bits for each
ASKED_BITS = (10, 12, 16)
NEAR_BITS = 0.6  # 12.1 bits have the times of 12 and of 12.64
VECTORS = ("AVX-512", "AVX2")
NOTHING = "-"

# What was asked for (issue 35): bits for each key and the highest rate of a set; ns; times that of another filter.
MOST_FPR = {8: 0.0221, 9: 0.012, 10: 0.00655, 12: 0.00207, 16: 0.000255, 20: 0.00004}
MOST_MODEL_ERROR = 0.01
MOST_BATCH = {"AVX-512": 4.0, "AVX2": 6.5, "others": 17}
MOST_OF_BLOCKED = {"AVX-512": 1.3, "AVX2": 1.25}
MOST_OF_CUCKOO = {"AVX-512": {SMALL: 0.9, LARGE: 0.6}, "AVX2": {SMALL: 1.35, LARGE: 0.6}}
MOST_CALL, MOST_INLINED = 9, 7
MOST_FILL, MOST_INSERT, MOST_REMOVE = 60, 25, 22
MOST_BULK = {MILLION: 18, HUNDRED_MILLION: 30}
CHURNED_BITS, CHURNED_TURNOVERS, CHURNED_FPR = 12.1, 20, 0.01
MOST_DRIFT_ERROR = {"random": 0.02, "first in, first out": 0.1}


def section(measured, churn, page="doc/benchmarks/quotient.md"):
    """What BENCHMARKS.md says: filters that give keys back, in one table. `page` has the rest."""
    out = Section(HEADING)
    if not measured or not churn:
        out.say(_not_measured(measured, churn))
        return out
    context = measured["context"]
    lines = _promises(measured, churn)
    out.say(f"The rate of each is measured before and after {CHURNED_TURNOVERS} turnovers of all keys, with random removals. `in` and `out` are ns for one "
            f"insertion and one removal in the cache, and the others ns per hash of a batch, half of them members ({of_cpu(context['cpu'])}, one thread). "
            "A cuckoo filter reads two lines, can refuse a key, and can neither be united nor folded. "
            f"{sum(line[2] == KEPT for line in lines)} of {len(lines)} promises of `{OURS}` hold; [the page]({page}) has them, and where theirs is faster.")
    out.table(_summary(measured["rows"], churn))
    return out


def _not_measured(measured, churn):
    missing = [command for data, command in ((measured, COMMAND), (churn, CHURN_COMMAND)) if not data]
    return "Not measured yet: " + " and ".join(f"`{command}`" for command in missing) + ", then `tools/report`."


def details(measured, churn):
    """The page of its own."""
    out = Section(f"{HEADING}: promises, every target, building, and rates")
    if not measured or not churn:
        out.say(_not_measured(measured, churn))
        return out
    rows, context = measured["rows"], measured["context"]
    out.say(f"Filters of the same bytes and keys, in one run. The CPU is {of_cpu(context['cpu'])} (commit {context['commit']}), one "
            "thread. Half of the hashes that are looked up are members. Times are ns per hash. The cuckoo filters are written here.")
    out.table(_lookups(rows), command=COMMAND)
    out.table(asked.table(_promises(measured, churn)))
    losses = _losses(rows)
    if losses.lines:
        out.say("Here theirs is faster on the same target, and the last column tells how many times as long ours takes:")
    out.table(losses)
    out.say("Here all keys are removed and others inserted again and again. One turnover is as many changes as there are keys. The "
            "columns of numbers are the rate in percent after so many turnovers. `in` and `out` are ns for one insertion and one "
            f"removal of {count(_few(churn))} keys, each by a call. `lost` are members that the filter denied; it is to be 0.")
    out.table(_churned(churn), command=CHURN_COMMAND)
    out.say("`absent`, `mixed` and `members` tell whether none, half or all of the hashes are members.")
    out.table(_batches(rows))
    out.say("`fill` empties a filter and inserts all keys again, by a call each or in batches. `build` makes it of all keys at once, "
            f"the order by blocks included. {MILLION} and {HUNDRED_MILLION} are a million and a hundred million keys at 10 bits.")
    out.table(_fills(rows), command=COMMAND)
    out.say(f"These are rates of sets of {count(churn['sets'][0]['num_keys'])} keys, in percent. `by its blocks` is "
            "`ExpectedFpr()`, which reads them. `model` is the rate that sizes are computed from.")
    out.table(_sets(churn), command=CHURN_COMMAND)
    return out


def _promises(measured, churn):
    return [*_of_rows(measured["rows"]), *_of_churn(churn)]


def _summary(rows, churn):
    """Each filter that gives keys back, with the times of the density that is nearest to it."""
    of_filters = Table(("filter", "l"), ("bits/key", "r"), ("FPR %", "r"), (f"after {CHURNED_TURNOVERS}", "r"), ("in", "r"), ("out", "r"),
                       *[(f"batch, {size}", "r") for size in (SMALL, MIDDLE, LARGE)])
    few = _few(churn)
    for (layout, density), line in by(where(churn["churn"], order="random"), "filter", "asked_bits_per_key").items():
        if (layout, density) in ((OURS, 12.0), (OURS, 16.0)):
            continue  # on the page
        large = {row["turnovers"]: row for row in line if row["num_keys"] != few}
        small = next(iter(where(line, num_keys=few)), None)
        times_of = [fastest([row for row in where(rows, layout=layout, access="batch", size=size, hits=50)
                             if abs(row["asked_bits_per_key"] - density) <= NEAR_BITS]) for size in (SMALL, MIDDLE, LARGE)]
        of_filters.add(_name(layout), bits(next(iter(large.values()))["bits_per_key"]),
                       *[percent(large[number_]["fpr"]) if number_ in large else NOTHING for number_ in (0, CHURNED_TURNOVERS)],
                       *[number(small[field]) if small else NOTHING for field in ("insert_ns", "remove_ns")],
                       *[ns(row) or NOTHING for row in times_of])
    return of_filters


def _few(churn):
    return min(row["num_keys"] for row in churn["churn"])


def _name(layout):
    return code(layout) if layout in (OURS, BLOCKED, "classic") else of_filter(layout)


def _families(rows, layout):
    """The kinds of targets that it has, best first."""
    return list(dict.fromkeys(choose.target_family(row["target"]) for row in where(rows, layout=layout)))


def _best(rows, family, **wanted):
    """Of one kind of targets, or of any but those with vectors of AVX."""
    found = where(rows, **wanted)
    if family == "others":
        return fastest([row for row in found if choose.target_family(row["target"]) not in VECTORS])
    return fastest([row for row in found if choose.target_family(row["target"]) == family])


def _cell(rows, family, **wanted):
    return ns(_best(rows, family, **wanted)) or NOTHING


def _groups(rows):
    """(bits, layout) with the densities in order; ours first."""
    found = {(row["asked_bits_per_key"], row["layout"]) for row in rows if row["access"] == "batch"}
    return sorted(found, key=lambda group: (group[0], group[1] != OURS, group[1]))


def _lookups(rows):
    columns = [("single", SMALL, "call"), ("inlined", SMALL, "inlined"), ("batch", SMALL, "batch"), ("batch", MIDDLE, "batch"), ("batch", LARGE, "batch")]
    of_lookups = Table(("bits/key", "r"), ("filter", "l"), ("target", "l"), ("FPR %", "r"), *[(f"{words}, {size}", "r") for _, size, words in columns])
    for density, layout in _groups(rows):
        of_group = where(rows, layout=layout, bits=density, hits=50)
        for family in [family for family in _families(of_group, layout) if family in VECTORS] or _families(of_group, layout)[:1]:
            fpr = rate(_best(of_group, family, access="batch", size=MIDDLE))
            of_lookups.add(f"{density:g}", _name(layout), family, fpr,
                           *[_cell(of_group, family, access=access, size=size) for access, size, _ in columns])
    return of_lookups


def _batches(rows):
    hits = {0: "absent", 50: "mixed", 100: "members"}
    of_batches = Table(("bits/key", "r"), ("filter", "l"), ("target", "l"),
                       *[(f"{words}, {size}", "r") for size in (SMALL, MIDDLE) for words in hits.values()], (f"call, {SMALL}", "r"),
                       (f"inlined, {SMALL}", "r"))
    for density, layout in _groups(rows):
        for target in by(where(rows, layout=layout, bits=density, access="batch", size=SMALL), "target"):
            of_target = where(rows, layout=layout, bits=density, target=target)
            cells = [fastest(where(of_target, access="batch", size=size, hits=share)) for size in (SMALL, MIDDLE) for share in hits]
            cells += [fastest(where(of_target, access=access, size=SMALL)) for access in ("single", "inlined")]
            of_batches.add(f"{density:g}", _name(layout), target, *[ns(cell) or NOTHING for cell in cells])
    return of_batches


def _fills(rows):
    columns = [(access, size) for access in ("fill", "fill_batch", "build") for size in (SMALL, MILLION, MIDDLE)] + [("build", HUNDRED_MILLION)]
    of_fills = Table(("bits/key", "r"), ("filter", "l"), ("target", "l"), *[(f"{access.replace('_', ' ')}, {size}", "r") for access, size in columns])
    for (density, layout), _ in by(where(rows, access=("fill", "build")), "asked_bits_per_key", "layout").items():
        of_group = where(rows, layout=layout, bits=density, hits=-1)
        for family in _families(of_group, layout):
            of_fills.add(f"{density:g}", _name(layout), family, *[_cell(of_group, family, access=access, size=size) for access, size in columns])
    return of_fills


def _sets(churn):
    of_sets = Table(("bits/key", "r"), ("measured", "r"), ("by its blocks", "r"), ("model", "r"), ("measured / model", "r"), ("lost", "r"))
    for row in churn["sets"]:
        of_sets.add(f"{row['bits_per_key']:g}", percent(row["fpr"]), percent(row["own_fpr"]), percent(row["model_fpr"]),
                    ratio(row["fpr"], row["model_fpr"], 3), _lost(row))
    return of_sets


def _lost(row):
    return f"{row['lost_keys']} {MISSED}" if row["lost_keys"] else "0"


def _churned(churn):
    rows = churn["churn"]
    turnovers = sorted({row["turnovers"] for row in rows})
    of_churn = Table(("filter", "l"), ("bits/key", "r"), ("removed", "l"), *[(str(number_), "r") for number_ in turnovers],
                     ("in", "r"), ("out", "r"), ("refused", "r"), ("lost", "r"))
    few = _few(churn)
    for (layout, density, order), line in by(rows, "filter", "asked_bits_per_key", "order").items():
        large, small = [row for row in line if row["num_keys"] != few], where(line, num_keys=few)
        rates = {row["turnovers"]: percent(row["fpr"]) for row in large}
        worst = max(line, key=lambda row: row["lost_keys"])
        of_churn.add(_name(layout), bits(large[0]["bits_per_key"]), order, *[rates.get(number_, "") for number_ in turnovers],
                     *[number(small[0][field]) if small else "" for field in ("insert_ns", "remove_ns")],
                     max(row["refused_keys"] for row in line), _lost(worst))
    return of_churn


def _of_rows(rows):
    """What was asked of times, and what was got."""
    mixed = where(rows, hits=50)
    for family, most in MOST_BATCH.items():
        found = [_best(mixed, family, layout=OURS, access="batch", size=SMALL, bits=density) for density in ASKED_BITS]
        words = "SSE4, SCALAR" if family == "others" else family
        worst = max(found, key=lambda row: row["ns"]) if all(found) else None
        yield asked.at_most_ns(f"batch, {SMALL}, {' / '.join(str(density) for density in ASKED_BITS)} bits, {words}", most, worst)
    for family, most in MOST_OF_BLOCKED.items():
        yield asked.at_most_times(f"batch, {LARGE}, {family}", f"{most} of `{BLOCKED}`", most,
                                  [tuple(_best(mixed, family, layout=layout, access="batch", size=LARGE, bits=10) for layout in (OURS, BLOCKED))])
    for family, sizes in MOST_OF_CUCKOO.items():
        for size, most in sizes.items():
            yield asked.at_most_times(f"batch, {size}, {family}", f"{most} of {of_filter(CUCKOO)}", most,
                                      [tuple(_best(mixed, family, layout=layout, access="batch", size=size, bits=CUCKOO_12_BITS)
                                             for layout in (OURS, CUCKOO))])
    for access, words, most in (("single", "one lookup, call", MOST_CALL), ("inlined", "one lookup, inlined", MOST_INLINED)):
        yield asked.at_most_ns(f"{words}, {SMALL}", most, fastest(where(mixed, layout=OURS, access=access, size=SMALL, bits=10)))
    yield asked.at_most_ns(f"insertion, filling from empty, {SMALL}", MOST_FILL, fastest(where(rows, layout=OURS, access="fill", size=SMALL, bits=10)))
    for size, most in MOST_BULK.items():
        keys = "1e6" if size == MILLION else "1e8"
        yield asked.at_most_ns(f"build, {keys} keys", most, fastest(where(rows, layout=OURS, access="build", size=size, bits=10)))


def _of_churn(churn):
    """What was asked of rates and of changing keys."""
    sets = {row["bits_per_key"]: row for row in churn["sets"]}
    for density, most in MOST_FPR.items():
        row = sets.get(density)
        yield asked.at_most(f"rate of a set, {density} bits", f"{percent(most)} %", most, row and row["fpr"], row and f"{percent(row['fpr'])} %")
    for words, field in (("model", "model_fpr"), ("`ExpectedFpr()`", "own_fpr")):
        error = max((abs(row[field] / row["fpr"] - 1) for row in churn["sets"]), default=None)
        yield asked.at_most(f"{words} against measured, at worst", f"{100 * MOST_MODEL_ERROR:g} %", MOST_MODEL_ERROR, error, f"{number(100 * (error or 0))} %")
    ours, few = where(churn["churn"], filter=OURS), _few(churn)
    row = next(iter(row for row in where(ours, bits=CHURNED_BITS, turnovers=CHURNED_TURNOVERS, order="random") if row["num_keys"] != few), None)
    yield asked.at_most(f"rate after {CHURNED_TURNOVERS} turnovers, {CHURNED_BITS} bits", f"{percent(CHURNED_FPR)} %", CHURNED_FPR,
                        row and row["fpr"], row and f"{percent(row['fpr'])} %")
    for order, most in MOST_DRIFT_ERROR.items():
        found = [row for row in where(ours, order=order) if row["turnovers"] > 0 and row["num_keys"] != few]
        error = max((abs(row["fpr"] / row["model_fpr"] - 1) for row in found), default=None) if all(row["model_fpr"] for row in found) else None
        yield asked.at_most(f"rate after turnovers against the model, {order}", f"{100 * most:g} %", most, error, f"{number(100 * (error or 0))} %")
    lost = sum(row["lost_keys"] for row in ours + where(churn["sets"], filter=OURS))
    yield asked.at_most("members lost", "0", 0, lost if ours else None, str(lost))
    steady = [row for row in where(ours, num_keys=few) if row["asked_bits_per_key"] in ASKED_BITS]
    for words, field, most in (("insertion", "insert_ns", MOST_INSERT), ("removal", "remove_ns", MOST_REMOVE)):
        worst = max((row[field] for row in steady), default=None)
        yield asked.at_most(f"{words} at a steady state, in cache", f"{most} ns", most, worst, f"{number(worst or 0)} ns")


def _losses(rows):
    """Each kind of row in which a filter of another kind is faster, at worst."""
    of_losses = Table(("theirs is faster", "l"), ("access", "l"), ("target", "l"), ("at worst in", "r"), ("ours to theirs", "r"))
    for layout in choose.layouts(rows):
        for access, of_access in by(where(rows, layout=layout), "access").items():
            for family in _families(of_access, layout) if layout != OURS else ():
                pairs = []
                for size, density in by(of_access, "size", "asked_bits_per_key"):
                    same = {"access": access, "size": size, "bits": density, "hits": (50, -1)}
                    pairs.append((_best(rows, family, layout=OURS, **same), _best(rows, family, layout=layout, **same)))
                found = [(times(*pair), pair[1]) for pair in pairs if all(pair)]
                factor, row = max(found, key=lambda one: one[0], default=(0, None))
                if factor >= asked.LEAST_LOSS:
                    at = f"{row['size']}, {row['asked_bits_per_key']:g} bits"
                    of_losses.add(_name(layout), access.replace("_", " "), family, at, ratio(factor, 1))
    return of_losses
