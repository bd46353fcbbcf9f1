"""The tables of the accuracy file: false-positive rate against density, and by family of keys."""

import collections

import choose
from choose import MAIN_BITS, by, where
from markdown import Section, Table, bits, code, count, number, percent, probes, ratio

COMMAND = "build/release/linefilter_bench --accuracy --out bench/results/accuracy.json"

HASH_FAMILY = " Keys of `hash` are hashes, given as strings of 8 bytes: every filter hashes them again, unlike " \
    "`linefilter fpr --keys hash`."


def usual(measured):
    """The keys and their number of the main series: those with the most measurements."""
    series = collections.Counter((entry["keys"], entry["num_keys"]) for entry in measured)
    return min(series, key=lambda key: (-series[key], key))


def asked(row):
    """What the peer was asked for; Ribbon's real bits per key are lower."""
    return row.get("asked_bits_per_key", row["bits_per_key"])


def densities(accuracy):
    measured = accuracy["measured"]
    keys, num_keys = usual(measured)
    rows = where(measured, keys=keys, num_keys=num_keys)
    confidence = ", ".join(sorted({number(100 * row["confidence"]) for row in rows}))
    section = Section("### False-positive rate by bits per key")
    section.say(f"{count(num_keys)} keys of the family `{keys}`. The interval is the Clopper-Pearson one of "
                f"{confidence} % "
                "confidence; expected is the model's rate, empty for code that has no model here. A ratio that leaves "
                "1 by more than the interval is chance of the keys, or a fault of the model or of the filter.")
    table = Table(("layout", "l"), ("bits per key", "r"), ("k", "r"), ("FPR %", "r"), ("from", "r"), ("to", "r"),
                  ("expected %", "r"), ("FPR / expected", "r"), ("false negatives", "r"))
    for layout in choose.layouts(rows):
        for row in sorted(where(rows, layout=layout), key=lambda row: row["bits_per_key"]):
            expected = row["expected_fpr"]
            table.add(code(layout), bits(row["bits_per_key"]), probes(row), percent(row["fpr"]),
                      percent(row["fpr_low"]), percent(row["fpr_high"]), percent(expected) if expected else "",
                      ratio(row["fpr"], expected, 3) if expected else "", row["false_negatives"])
    section.table(table, command=COMMAND)
    return section


def families(accuracy):
    section = Section(f"### False-positive rate by family of keys: {MAIN_BITS} bits per key")
    rows = [row for row in accuracy["measured"] if abs(asked(row) / MAIN_BITS - 1) <= 0.05]
    groups = by(rows, "keys", "num_keys")
    if len(groups) < 2:
        return section
    section.say("In percent. Families that have broken real libraries. Empty: not measured." + (HASH_FAMILY if any(
        keys == "hash" for keys, _ in groups) else ""))
    names = choose.layouts(rows)
    table = Table(("keys", "l"), ("number of keys", "r"), *[(code(name), "r") for name in names])
    for keys, num_keys in sorted(groups):
        line = by(groups[keys, num_keys], "layout")
        cells = [min(line[name], key=lambda row: abs(asked(row) - MAIN_BITS)) if name in line else None
                 for name in names]
        table.add(f"`{keys}`", count(num_keys), *[percent(row["fpr"]) if row else "" for row in cells])
    section.table(table, command=COMMAND)
    return section
