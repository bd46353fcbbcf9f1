"""The one plot of BENCHMARKS.md and README.md: what a filter costs and gives at 10 bits per key."""

import choose
from choose import MAIN_BITS, MAIN_HITS, fastest, filters, where
from figure import Axis, Panel, color, mark, overlap, text_width
from goals import KEYS, LARGE, SMALL
from names import of_cpu, of_filter

# Enough to choose by: ours, and one of each kind of peer.
SHOWN = ("blocked", "retrieval", "classic", "rocksdb_bloom", "rocksdb_ribbon", "leveldb_bloom", "libbloom", "boost_bloom",
         "arrow_split_block", "split_block_256", "binary_fuse_8_own")
ONE = ("single", "inlined")
BOXES = ((80, 96, 600, 560), (730, 96, 1250, 560))
# Full marks alone: hollow ones are too faint here.
MARKS = {"rocksdb_ribbon": 13, "leveldb_bloom": 5, "libbloom": 11, "binary_fuse_8_own": 15, "rocksdb_bloom": 9,
         "classic": 7, "retrieval": 7}


def choose_plot(results):
    cpu = max(results.cpus, key=lambda cpu: (sum(len(points(cpu, size)) for size in (SMALL, LARGE)), cpu.slug))
    shown = {size: points(cpu, size) for size in (SMALL, LARGE)}
    rows = [row for of_size in shown.values() for pair in of_size for row in pair if row and row["fpr"] > 0]
    if not rows:
        return None
    panels = []
    for size, where_it_is in ((SMALL, "in the CPU's cache"), (LARGE, "in main memory")):
        if shown[size]:
            panels.append(_panel(f"Filter of {size.replace('MB', ' MB')}, {where_it_is}", BOXES[len(panels)], shown[size], rows))
    width = 1300 if len(panels) == 2 else 720
    return (f"About {MAIN_BITS} bits per key: lower is more accurate, further left is faster ({of_cpu(cpu.name)}, one thread)", width, 640,
            panels)


def points(cpu, size):
    """(one key at a time, batch) of each filter: its fastest rows, of which one may be missing. A call of the library counts
    before an inlined lookup, for the other libraries offer nothing else."""
    rows = filters(where(cpu.rows + cpu.by_rate, keys=KEYS, hits=MAIN_HITS, bits=MAIN_BITS, size=size))
    pairs = []
    for layout in SHOWN:
        of_layout = [row for row in where(rows, layout=layout) if row["fpr"] > 0]
        one = next((fastest(of_access) for of_access in (where(of_layout, access=access) for access in ONE) if of_access), None)
        batch = fastest(where(of_layout, access="batch"))
        if one or batch:
            pairs.append((one, batch))
    return pairs


def _panel(title, box, pairs, everything):
    panel = Panel(title, box,
                  Axis("ns per lookup of a 64-bit key; from the mark (in a batch) to the end of its line (one at a time)",
                       [row["ns"] for row in everything], margin=(0.05, 0.05)),
                  Axis("false-positive rate, %", [100 * row["fpr"] for row in everything],
                       format_tick=lambda value: f"{value:.10g}", margin=(0.12, 0.1)))
    for rows in pairs:
        for x, y in (panel.at(row["ns"], 100 * row["fpr"]) for row in rows if row):
            panel.taken.append((x - 12, y - 12, x + 8, y + 12))  # a label this near would seem to be of this mark
    ends = []
    for one, batch in pairs:
        rows = [row for row in (batch, one) if row]
        layout, ours = rows[0]["layout"], choose.is_ours(rows[0])
        points_ = sorted((row["ns"], 100 * row["fpr"]) for row in rows)
        if len(points_) == 2:
            panel.line(points_, color(layout), None, None, 4.0 if ours else 1.8)
            left, right = (panel.at(*point) for point in points_)
            panel.taken.append((left[0], left[1] - 3, right[0], right[1] + 3))
        panel.line([(rows[0]["ns"], 100 * rows[0]["fpr"])], color(layout), MARKS.get(layout, mark(layout)), "points", 1.0,
                   1.9 if ours else 1.3)
        ends.append((not ours, points_, _label(rows[0]), color(layout)))
    for _, points_, words, shade in sorted(ends, key=lambda end: end[:2]):
        _place(panel, points_, words, shade)
    return panel


def _label(row):
    bits = row["bits_per_key"]
    name = of_filter(row["layout"]) + ("" if abs(bits / MAIN_BITS - 1) < 0.02 else f", {bits:.1f} bits")
    return f"linefilter {name}" if choose.is_ours(row) else name


def _place(panel, points_, words, shade, size=12):
    """Beside its line, where nothing else is: above, below, or behind its end."""
    (left, y), (right, _) = panel.at(*points_[0]), panel.at(*points_[-1])
    width = text_width(words, size)
    top, bottom = panel.box[1], panel.box[3]
    shifts = [(right + 12, 0)] + [(start, down) for down in (-18, 18, -34, 34, -50, 50)
                                  for start in (left - 6, left - width / 2, right - width)]
    for start, down in shifts:
        start = min(max(start, panel.box[0] + 6), panel.box[2] + 60 - width)
        box = (start, y + down - size / 2, start + width, y + down + size / 2)
        if top < box[1] and box[3] < bottom and not any(overlap(box, other) for other in panel.taken):
            break
    panel.taken.append(box)
    panel.text(start, y + down, words, shade, size)
