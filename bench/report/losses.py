"""Where we lose: found in the rows, never written by hand.

A peer's row is compared with the fastest row of ours in the same place: same access, keys, hits and size, bits per key
within 5 %. It is a loss of ours
  - in time, if the peer is faster; at an equal or lower rate (equal: up to 1.02 times ours), at a higher one, or at one
    that is not measured, which are told apart;
  - in rate, if the peer's rate is lower and it takes at most 1.05 times our time;
  - in space, if the peer needs 5 % fewer bits or less and its rate is not above ours, whatever its time.
Another row of ours that is as fast (small, for space) and as accurate as the peer takes the loss back. Besides: more
than 1.25 times the floor, and targets of `blocked` slower than `classic`.
"""

import choose
from choose import MAIN_BITS, MAIN_HITS, SAME_BITS, SAME_FPR, SAME_TIME, by, fastest, filters, is_ours, where
from markdown import Section, Table, bits, code, ns, number, rate, ratio

MOST_LINES = 25
MOST_FLOOR = 1.25


class Loss:
    def __init__(self, kind, ours, theirs, factor, name=None):
        self.kind, self.ours, self.theirs, self.factor = kind, ours, theirs, factor
        self.group = (kind, name or theirs["layout"], theirs["access"])


def places(rows):
    """Rows that may be compared: the same access, keys, hits and size."""
    return by(rows, "access", "keys", "hit_percent", "size").values()


def against_peers(cpu):
    """(losses, number of comparisons by group)"""
    losses, compared = [], {}

    def note(loss_if, kind, ours, theirs, factor):
        loss = Loss(kind, ours, theirs, factor)
        compared[loss.group] = compared.get(loss.group, 0) + 1
        if loss_if:
            losses.append(loss)

    for place in places(filters(cpu.rows)):
        ours = [row for row in place if is_ours(row)]
        for peers in by([row for row in place if not is_ours(row)], "layout").values():
            for theirs in by(peers, "asked_bits_per_key").values():
                theirs = fastest(theirs)
                near = [row for row in ours
                        if 1 / SAME_BITS <= row["bits_per_key"] / theirs["bits_per_key"] <= SAME_BITS]
                if near:
                    _compare(note, fastest(near), near, theirs)
                larger = [row for row in ours if row["asked_bits_per_key"] == theirs["asked_bits_per_key"] and
                          row["bits_per_key"] > SAME_BITS * theirs["bits_per_key"]]
                if larger and theirs.get("fpr_queries", 0) > 0 and theirs["access"] == "single":
                    best = fastest(larger)
                    matched = any(row["bits_per_key"] <= SAME_BITS * theirs["bits_per_key"] and
                                  row["fpr"] <= SAME_FPR * theirs["fpr"] for row in ours)
                    note(theirs["fpr"] <= SAME_FPR * best["fpr"] and not matched, "space", best, theirs,
                         best["bits_per_key"] / theirs["bits_per_key"])
    return losses, compared


def _compare(note, best, near, theirs):
    has_rates = theirs.get("fpr_queries", 0) > 0 and best.get("fpr_queries", 0) > 0
    factor = choose.times(best, theirs)
    faster = factor > 1
    if not has_rates:
        note(faster, "unrated", best, theirs, factor)
        return
    higher = theirs["fpr"] > SAME_FPR * best["fpr"]
    note(faster and not higher, "time", best, theirs, factor)
    note(faster and higher, "higher", best, theirs, factor)
    lower = SAME_FPR * theirs["fpr"] < best["fpr"]
    matched = any(choose.times(row, theirs) <= 1 and row["fpr"] <= SAME_FPR * theirs["fpr"] for row in near)
    note(lower and not faster and SAME_TIME * factor >= 1 and not matched, "rate", best, theirs,
         best["fpr"] / max(theirs["fpr"], 1e-300))


def against_floor(cpu):
    losses, compared = [], {}
    rows = where(cpu.rows, layout="blocked", keys="hash", hits=MAIN_HITS, bits=MAIN_BITS)
    for access in ("single", "inlined", "batch", "dependent", "inlined_dependent"):
        for size in choose.sizes(where(rows, access=access)):
            ours, floor = fastest(where(rows, access=access, size=size)), choose.line_floor(cpu.rows, access, size)
            if not floor or not floor["ns"]:
                continue
            loss = Loss("floor", ours, floor, choose.times(ours, floor), "the floor")
            loss.group = ("floor", "the floor", access)
            compared[loss.group] = compared.get(loss.group, 0) + 1
            if loss.factor > MOST_FLOOR:
                losses.append(loss)
    return losses, compared


def against_classic(cpu):
    """Targets of `blocked` that our own scalar layout beats."""
    losses, compared = [], {}
    for place in places(where(cpu.rows, layout=("blocked", "classic"))):
        for density in by(place, "asked_bits_per_key").values():
            classic = fastest(where(density, layout="classic"))
            for ours in where(density, layout="blocked") if classic else []:
                loss = Loss("target", ours, classic, choose.times(ours, classic))
                loss.group = ("target", f"classic, by {ours['target']}", "")
                compared[loss.group] = compared.get(loss.group, 0) + 1
                if loss.factor > 1:
                    losses.append(loss)
    return losses, compared


WORDS = {"time": "faster at no higher FPR", "higher": "faster at a higher FPR", "unrated": "faster, FPR not measured",
         "rate": "lower FPR in the same time", "space": "smaller at no higher FPR",
         "floor": f"floor: above {MOST_FLOOR}x", "target": "slower than `classic`"}
# What the factor of a kind is of; ns for the others.
VALUES = {"rate": "fpr", "space": "bits_per_key"}

INTRODUCTION = f"""Rows of the same access, keys, hits and size, bits per key within 5 %; a peer against our fastest:

- faster: in less time, however little; an FPR is higher if it is more than {SAME_FPR} times ours;
- lower FPR in the same time: in at most {SAME_TIME} times ours, and no row of ours is as good in both;
- smaller: `single` lookups, asked for the same bits per key, more than 5 % fewer of them used;
- floor: each access and size of `blocked`, hash given, {MAIN_BITS} bits per key, {MAIN_HITS} % hits;
- slower than `classic`: each target of `blocked`.

There is one line for each kind, peer and access, with the worst case and the number of lost comparisons. The factor is ours
by theirs. It compares times, the FPR where that is lower, or the bits per key where they are fewer.
"""


def section(cpu):
    out = Section("### Where we lose")
    losses, compared = [], {}
    for find in (against_peers, against_floor, against_classic):
        found, number_of = find(cpu)
        losses += found
        compared.update(number_of)
    if not compared:
        return out
    out.say(INTRODUCTION)
    groups = {}
    for loss in losses:
        groups.setdefault(loss.group, []).append(loss)
    worst = sorted((sorted(found, key=lambda loss: (-loss.factor, loss.ours["row"])) for found in groups.values()),
                   key=lambda found: (-found[0].factor, found[0].group))
    if not worst:
        out.say(f"Nowhere in {sum(compared.values())} comparisons.")
        return out
    table = Table(("kind", "l"), ("against", "l"), ("access", "l"), ("lost", "r"), ("factor", "r"),
                  ("FPR, theirs / ours", "r"), ("worst at", "l"), ("our bits per key", "r"), ("our FPR %", "r"),
                  ("our ns", "r"), ("their bits per key", "r"), ("their FPR %", "r"), ("their ns", "r"))
    for found in worst[:MOST_LINES]:
        table.add(*_cells(found, compared[found[0].group]))
    out.table(table, command="tools/bench.sh")
    if len(worst) > MOST_LINES:
        out.say(f"{len(worst) - MOST_LINES} more such lines are left out: the factors there are at most "
                f"{number(worst[MOST_LINES][0].factor)}x.")
    return out


def _cells(found, number_compared):
    """The line of one group; its worst loss comes first."""
    loss = found[0]
    ours, theirs, value = loss.ours, loss.theirs, VALUES.get(loss.kind, "ns")
    place = f"{ours['layout']} {ours['target']}, " if loss.kind != "target" else f"{ours['access']}, "
    place += f"{ours['keys']}, {ours['size']}" + (f", {ours['hit_percent']} % hits" if ours["hit_percent"] >= 0 else "")
    if loss.kind == "floor" and len(found) > 1:
        place += "; also " + ", ".join(other.ours["size"] for other in found[1:])
    against = loss.group[1] if loss.kind in ("floor", "target") else code(loss.group[1])
    return (WORDS[loss.kind], against,
            loss.group[2] or "all", f"{len(found)} of {number_compared}",
            ratio(loss.factor, 1) if theirs[value] else "",
            ratio(theirs["fpr"], ours["fpr"]) if loss.kind == "higher" and ours["fpr"] else "", place,
            bits(ours["bits_per_key"]), rate(ours), ns(ours),
            bits(theirs["bits_per_key"]) if not theirs["floor"] else "", rate(theirs), ns(theirs))
