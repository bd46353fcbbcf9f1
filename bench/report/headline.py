"""How much faster and smaller than what, in five lines: the same in BENCHMARKS.md and README.md."""

import engines
import goals
from choose import MAIN_BITS, times, where
from markdown import Table, bits, number, percent
from names import of_cpu, of_filter

BEGIN, END = "<!-- figures: tools/report writes these lines -->\n\n", "\n<!-- end of figures -->\n"
PEER, SMALLEST_PEER = "rocksdb_bloom", "rocksdb_ribbon"
PEER_WORDS = "RocksDB's filters are those of its package, called through its interface"


def best_cpu(results):
    """The CPU on which the peer was measured, too; of these the one with most cells."""
    cpus = goals.best_cpus(results)
    return next((cpu for cpu in cpus if goals.way(cpu, PEER, goals.GOALS[0])), cpus[0])


def table(results):
    """Without a line where the results have none of it."""
    cpu = best_cpu(results)
    out = Table(("what", "l"), ("linefilter", "l"), ("RocksDB's filters", "l"), ("gain", "l"))
    for line in (_rate(results.accuracy), _time(cpu, goals.SMALL), _time(cpu, goals.LARGE), _bits(cpu), _engine(results.engines)):
        if line:
            out.add(*line)
    return out


def text(results):
    out = table(results)
    if not out.lines:
        return ""
    said = out.text() + "\n"
    if any(" ns" in line[1] for line in out.lines):
        said += f"Times are per 64-bit key, hash included, by calls of the libraries on {of_cpu(best_cpu(results).name)}, one thread.\n"
    if any("Get" in line[3] for line in out.lines):
        said += f"The last line was measured inside the engine on {of_cpu(results.engines['context']['cpu'])}.\n"
    return said + f"{PEER_WORDS}.\n"


def in_readme(text_of_readme, results):
    """The README with the lines as the results have them; None if it has no place for them."""
    before, begin, rest = text_of_readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    return before + begin + text(results) + end + after if begin and end else None


def _time(cpu, size):
    """A call for one key, and the library's call for many."""
    ours, theirs = (goals.way(cpu, layout, 0.01) for layout in ("blocked", PEER))
    pairs = [(ours.cell(access, size), theirs.cell(access, size)) for access in ("single", "batch")] if ours and theirs else []
    pairs = [pair for pair in pairs if all(pair)]
    if len(pairs) < 2:
        return None
    ns = [" / ".join(number(row["ns"]) for row in rows) + " ns" for rows in zip(*pairs)]
    factors = " / ".join(f"{theirs['ns'] / ours['ns']:.1f}" for ours, theirs in pairs)
    return (f"one lookup / batched, 1 % FPR, {size.replace('MB', ' MB')}", f"`blocked`: {ns[0]}",
            f"Bloom: {ns[1]}", f"{factors} times as fast")


def _rate(accuracy):
    measured = where(accuracy["measured"], keys=("u64", "hash")) if accuracy else []
    measured = [row for row in measured if abs(row["bits_per_key"] / MAIN_BITS - 1) < 0.005]
    ours, theirs = (max(where(measured, layout=layout), key=lambda row: row["num_queries"], default=None)
                    for layout in ("retrieval", PEER))
    if not ours or not theirs or not ours["fpr"]:
        return None
    return (f"FPR, {MAIN_BITS} bits per key", f"`retrieval`: {percent(ours['fpr'])} %",
            f"Bloom: {percent(theirs['fpr'])} %", f"{_times(theirs['fpr'] / ours['fpr'])} fewer")


def _bits(cpu):
    """Against the usual filter; the smallest of the engine's own is told, too."""
    ours, theirs, smallest = (goals.way(cpu, layout, 0.001) for layout in ("retrieval", PEER, SMALLEST_PEER))
    if not ours or not theirs:
        return None
    ours, theirs, least = (way and way.row["bits_per_key"] for way in (ours, theirs, smallest))
    ribbon = f", Ribbon: {bits(least)}" if least else ""
    gain = f"; {100 * (ours / least - 1):.0f} % larger" if least and ours > least else ""
    return ("bits per key for 0.1 % FPR", f"`retrieval`: {bits(ours)}", f"Bloom: {bits(theirs)}{ribbon}",
            f"{100 * (1 - ours / theirs):.0f} % smaller{gain}")


def _engine(measured):
    """Rate and time of the same filter inside RocksDB, against RocksDB's own of as many bytes."""
    for row in where(measured["rows"], engine="rocksdb", filter="retrieval") if measured else []:
        theirs, timed = engines.of_same_bytes(measured["rows"], row), engines.own(measured["rows"], row)
        if theirs and timed and row["fpr"]:
            return ("RocksDB: reads, 1,000 absent keys", f"`retrieval`: {number(1000 * row['fpr'])}",
                    f"Bloom, same bytes: {number(1000 * theirs['fpr'])}",
                    f"{_times(theirs['fpr'] / row['fpr'])} fewer; Get: {times(row, timed):.2f} of the time")
    return None


def _times(factor):
    return f"{factor:.1f} times"
