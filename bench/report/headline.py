"""How much faster and smaller than what, in five lines: the same in BENCHMARKS.md and README.md."""

import engines
import goals
from choose import MAIN_BITS, times, where
from markdown import Table, bits, number, percent
from names import of_cpu, of_filter

BEGIN, END = "<!-- figures: tools/report writes these lines -->\n\n", "\n<!-- end of figures -->\n"
PEER = "rocksdb_bloom"
PEER_WORDS = "RocksDB Bloom is RocksDB's own filter"


def best_cpu(results):
    """The CPU on which the peer was measured, too; of these the one with most cells."""
    cpus = goals.best_cpus(results)
    return next((cpu for cpu in cpus if goals.way(cpu, PEER, goals.GOALS[0])), cpus[0])


def table(results):
    """Without a line where the results have none of it."""
    cpu = best_cpu(results)
    out = Table(("what", "l"), ("linefilter", "l"), ("compared with", "l"), ("gain", "l"))
    for line in (_rate(results.accuracy), _time(cpu, "one lookup", "single", goals.SMALL),
                 _time(cpu, "lookup in a batch", "batch", goals.LARGE), _bits(cpu), _engine(results.engines)):
        if line:
            out.add(*line)
    return out


def text(results):
    out = table(results)
    if not out.lines:
        return ""
    return out.text() + f"\nMeasured on {of_cpu(best_cpu(results).name)}, one thread, 64-bit keys; {PEER_WORDS}.\n"


def in_readme(text_of_readme, results):
    """The README with the lines as the results have them; None if it has no place for them."""
    before, begin, rest = text_of_readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    return before + begin + text(results) + end + after if begin and end else None


def _time(cpu, what, access, size):
    ours, theirs = (goals.way(cpu, layout, 0.01) for layout in ("blocked", PEER))
    ours, theirs = ours and ours.cell(access, size), theirs and theirs.cell(access, size)
    if not ours or not theirs:
        return None
    return (f"{what}, 1 % FPR, {_place(size)}", f"`blocked`: {number(ours['ns'])} ns",
            f"{of_filter(PEER)}: {number(theirs['ns'])} ns", f"{_times(theirs['ns'] / ours['ns'])} as fast")


def _place(size):
    return f"{size.replace('MB', ' MB')} filter"


def _rate(accuracy):
    measured = where(accuracy["measured"], keys=("u64", "hash")) if accuracy else []
    measured = [row for row in measured if abs(row["bits_per_key"] / MAIN_BITS - 1) < 0.005]
    ours, theirs = (max(where(measured, layout=layout), key=lambda row: row["num_queries"], default=None)
                    for layout in ("retrieval", PEER))
    if not ours or not theirs or not ours["fpr"]:
        return None
    return (f"false positives (FPR), {MAIN_BITS} bits per key", f"`retrieval`: {percent(ours['fpr'])} %",
            f"{of_filter(PEER)}: {percent(theirs['fpr'])} %", f"{_times(theirs['fpr'] / ours['fpr'])} fewer")


def _bits(cpu):
    ours, theirs = (goals.way(cpu, layout, 0.001) for layout in ("retrieval", PEER))
    if not ours or not theirs:
        return None
    ours, theirs = ours.row["bits_per_key"], theirs.row["bits_per_key"]
    return ("bits per key for at most 0.1 %", f"`retrieval`: {bits(ours)}", f"{of_filter(PEER)}: {bits(theirs)}",
            f"{100 * (1 - ours / theirs):.0f} % smaller")


def _engine(measured):
    """Rate and time of the same filter inside RocksDB, against RocksDB's own of as many bytes."""
    for row in where(measured["rows"], engine="rocksdb", filter="retrieval") if measured else []:
        theirs, timed = engines.of_same_bytes(measured["rows"], row), engines.own(measured["rows"], row)
        if theirs and timed and row["fpr"]:
            return ("RocksDB, reads for absent keys", f"`retrieval`: {percent(row['fpr'])} %",
                    f"its Bloom, same bytes: {percent(theirs['fpr'])} %",
                    f"{_times(theirs['fpr'] / row['fpr'])} fewer; Get time: {times(row, timed):.2f}x")
    return None


def _times(factor):
    return f"{factor:.1f} times"
