"""What a plan was asked for and what it got, as lines of a table: (what, at most, verdict, got, our row)."""

from choose import times
from markdown import Table, ns, ratio
from promises import UNKNOWN, verdict

LEAST_LOSS = 1.05  # times as long as theirs: less is noise


def table(lines):
    of_asked = Table(("what", "l"), ("at most", "l"), ("got", "l"), ("", "l"), ("target", "l"))
    for what, most, kept, got, row in lines:
        of_asked.add(what, most, got, kept, row["target"] if row else "")
    return of_asked


def at_most_ns(what, most, row):
    asked = f"{most} ns"
    return (what, asked, verdict(row["ns"] <= most), f"{ns(row)} ns", row) if row else (what, asked, UNKNOWN, "", None)


def at_most_times(what, asked, most, pairs):
    """The worst of the pairs (ours, theirs); all of them have to be there, for a part is not the whole."""
    if not pairs or not all(ours and theirs for ours, theirs in pairs):
        return what, asked, UNKNOWN, "", None
    ours, theirs = max(pairs, key=lambda pair: times(*pair))
    factor = times(ours, theirs)
    return what, asked, verdict(factor <= most), f"{ratio(factor, 1)}: {ns(ours)} to {ns(theirs)} ns", ours


def at_most(what, asked, most, value, text):
    """A number that is no time of a row; None: not measured."""
    return (what, asked, UNKNOWN, "", None) if value is None else (what, asked, verdict(value <= most), text, None)
