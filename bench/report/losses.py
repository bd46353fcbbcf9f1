"""Where we lose: found in the rows, never written by hand.

A peer's row is compared with the fastest row of ours in the same place: same access, keys, hits and size, bits per key
within 5 %. It is a loss of ours
  - in time, if the peer is faster at an equal or lower rate (equal: up to 1.02 times ours);
  - in rate, if the peer's rate is lower and it takes at most 1.05 times our time;
  - in space, if the peer needs 5 % fewer bits or less and its rate is not above ours, whatever its time.
In all three, another row of ours that is as fast (small, for space) and as accurate as the peer takes the loss back.
Besides: more than 1.25 times the floor, and targets of `blocked` slower than `classic`.
"""

import choose
from choose import MAIN_BITS, MAIN_HITS, SAME_BITS, SAME_FPR, SAME_TIME, by, fastest, filters, is_ours, where
from markdown import Section, Table, bits, ns, number, rate, ratio

MOST_LINES = 25
MOST_FLOOR = 1.25


class Loss:
    def __init__(self, kind, ours, theirs, factor, name=None):
        self.kind, self.ours, self.theirs, self.factor = kind, ours, theirs, factor
        self.group = (kind, name or theirs["layout"], theirs["access"], theirs["keys"])


def places(rows):
    """Rows that may be compared: the same access, keys, hits and size."""
    groups = {}
    for row in rows:
        groups.setdefault((row["access"], row["keys"], row["hit_percent"], row["size"]), []).append(row)
    return groups.values()


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
    equal = not has_rates or theirs["fpr"] <= SAME_FPR * best["fpr"]
    matched = has_rates and any(row["ns"] <= theirs["ns"] and row["fpr"] <= SAME_FPR * theirs["fpr"] for row in near)
    note(theirs["ns"] < best["ns"] and equal and not matched, "time", best, theirs, best["ns"] / theirs["ns"])
    if has_rates:
        lower = SAME_FPR * theirs["fpr"] < best["fpr"]
        note(lower and best["ns"] <= theirs["ns"] <= SAME_TIME * best["ns"] and not matched, "rate", best, theirs,
             best["fpr"] / max(theirs["fpr"], 1e-300))


def against_floor(cpu):
    losses, compared = [], {}
    rows = where(cpu.rows, layout="blocked", keys="hash", hits=MAIN_HITS, bits=MAIN_BITS)
    for access in ("single", "inlined", "batch"):
        for size in choose.sizes(where(rows, access=access)):
            ours, floor = fastest(where(rows, access=access, size=size)), choose.line_floor(cpu.rows, access, size)
            if not floor or not floor["ns"]:
                continue
            loss = Loss("floor", ours, floor, ours["ns"] / floor["ns"], "the floor")
            loss.group = ("floor", "the floor", access, "hash")
            compared[loss.group] = compared.get(loss.group, 0) + 1
            if ours["ns"] > MOST_FLOOR * floor["ns"]:
                losses.append(loss)
    return losses, compared


def against_classic(cpu):
    """Targets of `blocked` that our own scalar layout beats."""
    losses, compared = [], {}
    for place in places(where(cpu.rows, layout=("blocked", "classic"))):
        for density in by(place, "asked_bits_per_key").values():
            classic = fastest(where(density, layout="classic"))
            for ours in where(density, layout="blocked") if classic else []:
                loss = Loss("target", ours, classic, ours["ns"] / classic["ns"])
                loss.group = ("target", f"classic, by {ours['target']}", "", "")
                compared[loss.group] = compared.get(loss.group, 0) + 1
                if ours["ns"] > classic["ns"]:
                    losses.append(loss)
    return losses, compared


WORDS = {"time": "faster at no higher FPR", "rate": "lower FPR in the same time", "space": "smaller at no higher FPR",
         "floor": f"floor: above {MOST_FLOOR}x", "target": "slower than `classic`"}


def section(cpu):
    out = Section("### Where we lose")
    losses, compared = [], {}
    for find in (against_peers, against_floor, against_classic):
        found, number_of = find(cpu)
        losses += found
        compared.update(number_of)
    if not compared:
        return out
    out.say("Every comparison of this CPU's rows in which a peer beats the best of ours (same access, keys, hits and "
            "size; bits "
            f"per key within 5 %), each size at which `blocked` takes more than {MOST_FLOOR} times the floor, and "
            "each target "
            "slower than `classic`. One line for each kind, peer, access and keys: its worst case, and how many of the "
            "comparisons are lost. The factor is ours / theirs: of ns, of FPR, or of bits per key.")
    groups = {}
    for loss in losses:
        groups.setdefault(loss.group, []).append(loss)
    worst = sorted((sorted(found, key=lambda loss: (-loss.factor, loss.ours["row"])) for found in groups.values()),
                   key=lambda found: (-found[0].factor, found[0].group))
    if not worst:
        out.say(f"Nowhere in {sum(compared.values())} comparisons.")
        return out
    table = Table(("kind", "l"), ("against", "l"), ("access", "l"), ("keys", "l"), ("lost", "r"), ("factor", "r"),
                  ("worst at", "l"), ("our bits per key", "r"), ("our FPR %", "r"), ("our ns", "r"),
                  ("their bits per key", "r"), ("their FPR %", "r"), ("their ns", "r"))
    shown = []
    for found in worst[:MOST_LINES]:
        loss = found[0]
        ours, theirs = loss.ours, loss.theirs
        shown += [ours, theirs]
        values = {"time": "ns", "floor": "ns", "target": "ns", "rate": "fpr", "space": "bits_per_key"}[loss.kind]
        place = f"{ours['layout']} {ours['target']}, {ours['size']}"
        if loss.kind == "target":
            place = f"{ours['access']} of {ours['keys']}, {ours['size']}"
        if ours["hit_percent"] >= 0:
            place += f", {ours['hit_percent']} % hits"
        if loss.kind == "floor" and len(found) > 1:
            place += "; also " + ", ".join(other.ours["size"] for other in found[1:])
        table.add(WORDS[loss.kind], loss.group[1] if loss.kind in ("floor", "target") else f"`{loss.group[1]}`",
                  loss.group[2] or "all", loss.group[3] or "all", f"{len(found)} of {compared[loss.group]}",
                  ratio(ours[values], theirs[values]) if theirs[values] else "", place,
                  bits(ours["bits_per_key"]), rate(ours), ns(ours),
                  bits(theirs["bits_per_key"]) if not theirs["floor"] else "", rate(theirs), ns(theirs))
    out.table(table, shown, "tools/bench.sh")
    if len(worst) > MOST_LINES:
        out.say(f"{len(worst) - MOST_LINES} more such lines are left out: the factors there are at most "
                f"{number(worst[MOST_LINES][0].factor)}x.")
    return out
