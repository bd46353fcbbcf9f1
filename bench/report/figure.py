"""Figures: panels with axes, lines and labels, drawn by gnuplot as SVG.

Everything is laid out here in pixels, so that labels can stand beside what they name without covering each other;
gnuplot gets fixed margins and ranges, and draws. The same input gives the same bytes with the same gnuplot.
"""

import hashlib
import math
import re
import shutil
import subprocess

INK, FAINT = "#333333", "#dddddd"
FONT = "sans-serif"
# Distinct for the colour-blind (Okabe and Ito; Tol), dark enough on white. A layout has one colour everywhere.
COLORS = {"blocked": "#0072b2", "classic": "#d55e00", "retrieval": "#b2182b", "binary_fuse_8_own": "#5e8c9c",
          "k_independent": "#009e73", "k_independent_permute": "#66a61e", "split_block_256": "#cc4c94",
          "split_block_8x64": "#7b4fa3", "leveldb_bloom": "#a6761d", "libbloom": "#882255", "rocksdb_bloom": "#111111",
          "rocksdb_ribbon": "#7f7f7f"}
MARKS = {"blocked": 7, "classic": 5, "retrieval": 15, "binary_fuse_8_own": 14, "k_independent": 9,
         "k_independent_permute": 8, "split_block_256": 13, "split_block_8x64": 12, "leveldb_bloom": 4, "libbloom": 10,
         "rocksdb_bloom": 11, "rocksdb_ribbon": 6}
SHADES = ["#0072b2", "#d55e00", "#009e73", "#cc4c94", "#111111", "#a6761d"]  # of lines that are of no layout
OTHERS = ["#44aa99", "#999933", "#332288", "#aa4466", "#6699cc"]


def color(layout):
    return COLORS.get(layout) or OTHERS[hashlib.sha256(layout.encode()).digest()[0] % len(OTHERS)]


def mark(layout):
    return MARKS.get(layout, 2)


class Axis:
    def __init__(self, title, values, log=True, format_tick=None, margin=(0.06, 0.06), base=None):
        """Room for all values, margins as parts of the axis; ticks at 1, 2 and 5 (or at powers of `base`)."""
        self.title, self.log = title, log
        low, high = min(values), max(values)
        scale = math.log if log else float
        a, b = scale(low), scale(high)
        span = max(b - a, 0.7 if log else 1.0)
        a, b = (a + b - span) / 2 - margin[0] * span, (a + b + span) / 2 + margin[1] * span
        self.low, self.high = (math.exp(a), math.exp(b)) if log else (a, b)
        self.a, self.b = a, b
        self.ticks = []
        if log and base is None:
            factors = (1, 2, 5) if b - a < math.log(3000) else (1,)
            if b - a < math.log(12):
                factors = (1, 1.5, 2, 3, 4, 5, 6, 8)
            for exponent in range(-9, 13):
                for factor in factors:
                    self._tick(factor * 10.0 ** exponent, format_tick)
        elif base is None:
            step = 2 if b - a < 30 else 10
            for i in range(int(self.low // step), int(self.high // step) + 1):
                self._tick(i * step, format_tick)

    def _tick(self, value, format_tick):
        if self.low <= value <= self.high:
            self.ticks.append((value, (format_tick or (lambda v: f"{v:.10g}"))(value)))

    def part(self, value):
        return ((math.log(value) if self.log else value) - self.a) / (self.b - self.a)


class Panel:
    """box: left, top, right, bottom of the plotting area in pixels."""

    def __init__(self, title, box, x, y):
        self.title, self.box, self.x, self.y = title, box, x, y
        self.series, self.texts, self.taken = [], [], []

    def at(self, x, y):
        left, top, right, bottom = self.box
        return left + self.x.part(x) * (right - left), bottom - self.y.part(y) * (bottom - top)

    def line(self, points, color_, mark_=None, dash=None, width=1.8, size=0.8):
        """points: (x, y) or (x, y, low, high)."""
        self.series.append((points, color_, mark_, dash, width, size))
        if mark_:
            for point in points:
                px, py = self.at(*point[:2])
                self.taken.append((px - 4, py - 4, px + 4, py + 4))

    def text(self, px, py, words, color_=INK, size=11, align="left"):
        self.texts.append((px, py, words, color_, size, align))

    def small_label(self, point, words, color_, size=9):
        """Beside a point where nothing else is; nowhere if there is no room."""
        px, py = self.at(*point[:2])
        width, height = text_width(words, size), size
        for dx, dy in ((7, 0), (-7 - width, 0), (5, -10), (5, 10), (-5 - width, -10), (-5 - width, 10)):
            box = (px + dx, py + dy - height / 2, px + dx + width, py + dy + height / 2)
            if not any(overlap(box, other) for other in self.taken):
                self.taken.append(box)
                self.text(px + dx, py + dy, words, color_, size)
                return

    def end_labels(self, entries, distance=14):
        """entries: (point, words, color). Right of the plotting area, as near to their points as they fit."""
        left, top, right, bottom = self.box
        wanted = sorted((*reversed(self.at(*point[:2])), words, color_) for point, words, color_ in entries)
        heights = spread([entry[0] for entry in wanted], distance, top - 8, bottom + 8)
        for (y, x, words, color_), height in zip(wanted, heights):
            corners = [self.back(x + 5, y), self.back(right + 2, y), self.back(right + 10, height)]
            self.series.append((corners, color_, None, "thin", 0.7, 0))
            self.text(right + 13, height, words, color_)

    def flags(self, entries, row_height=15):
        """entries: (point, words, color). In rows along the top, each on a thin pole over its point. Words stand right
        of their pole, and below every earlier flag that reaches as far as it: so no pole crosses words."""
        _, top, right, _ = self.box
        ends = []  # of each row
        for px, py, words, color_ in sorted((*self.at(*point[:2]), words, color_) for point, words, color_ in entries):
            width = text_width(words, 11)
            row = max((i + 1 for i, end in enumerate(ends) if end >= px - 4), default=0)
            ends = ends[:row] + [px + 4 + width]
            y = top + 10 + row * row_height
            self.text(px + 4, y, words, color_)
            self.taken.append((px, y - 7, px + 4 + width, y + 7))
            self.series.append(([self.back(px, y - 6), self.back(px, py - 5)], color_, None, "thin", 0.7, 0))

    def back(self, px, py):
        """From pixels to values."""
        left, top, right, bottom = self.box
        x = self.x.a + (px - left) / (right - left) * (self.x.b - self.x.a)
        y = self.y.a + (bottom - py) / (bottom - top) * (self.y.b - self.y.a)
        return (math.exp(x) if self.x.log else x), (math.exp(y) if self.y.log else y)


def text_width(words, size):
    return 0.6 * size * len(words)


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def spread(heights, distance, low, high):
    """Sorted heights, moved apart to at least `distance` and kept between low and high where they fit."""
    placed = []
    for height in heights:
        placed.append(max(height, placed[-1] + distance if placed else low))
    if placed and placed[-1] > high:
        placed[-1] = high
        for i in range(len(placed) - 2, -1, -1):
            placed[i] = min(placed[i], placed[i + 1] - distance)
    return placed


def script(name, title, width, height, panels):
    """The gnuplot script of a figure."""
    def quoted(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    identifier = re.sub(r"\W", "_", name)  # of the elements inside; all that gnuplot takes
    out = ["set encoding utf8",
           f'set terminal svg size {width},{height} noenhanced background "#ffffff" dynamic font "{FONT},12" '
           f'name "{identifier}"', f"set border 3 lc rgb '{INK}'",
           f"set tics nomirror textcolor rgb '{INK}'", f"set grid lc rgb '{FAINT}' lt 1 lw 0.5", "unset key",
           "set multiplot",
           f"set label 1 {quoted(title)} at screen {20 / width:.5f},{1 - 18 / height:.5f} left font '{FONT} Bold,15' "
           f"textcolor rgb '{INK}'"]
    for panel in panels:
        left, top, right, bottom = panel.box
        out += [f"set {side}margin at screen {value:.5f}" for side, value in
                (("l", left / width), ("r", right / width), ("t", 1 - top / height), ("b", 1 - bottom / height))]
        out.append(f"set title {quoted(panel.title)} font '{FONT},13' textcolor rgb '{INK}'")
        for letter, axis in (("x", panel.x), ("y", panel.y)):
            out.append(f"set {letter}label {quoted(axis.title)} textcolor rgb '{INK}'")
            out.append(f"{'set' if axis.log else 'unset'} logscale {letter}")
            out.append(f"set {letter}range [{axis.low:.8g}:{axis.high:.8g}]")
            ticks = ", ".join(f"{quoted(text)} {value:.10g}" for value, text in axis.ticks)
            out.append(f"set {letter}tics ({ticks})")
            out.append(f"set m{letter}tics 1")
        for number, (px, py, words, color_, size, align) in enumerate(panel.texts):
            out.append(f"set label {number + 2} {quoted(words)} at screen {px / width:.5f},{1 - py / height:.5f} "
                       f"{align} font '{FONT},{size:g}' textcolor rgb '{color_}' front")
        plots = []
        for number, (points, color_, mark_, dash, line_width, size) in enumerate(panel.series):
            out.append(f"$data{number} << END")
            out += [" ".join(f"{value:.7g}" for value in point) for point in points]
            out.append("END")
            if dash != "points":
                pattern = {"dashed": " dt (7,5)", "dotted": " dt (2,4)"}.get(dash, "")
                plots.append(f"$data{number} using 1:2 with lines lw {line_width}{pattern} lc rgb '{color_}'")
            if mark_ and points and len(points[0]) == 4:
                plots.append(f"$data{number} using 1:2:3:4 with yerrorbars pt {mark_} ps {size} lw 1.2 lc rgb "
                             f"'{color_}'")
            elif mark_:
                plots.append(f"$data{number} using 1:2 with points pt {mark_} ps {size} lc rgb '{color_}'")
        out.append("plot " + ", \\\n     ".join(plots))
        out.append("unset label")
    out.append("unset multiplot")
    return "\n".join(out) + "\n"


def have_gnuplot():
    return shutil.which("gnuplot") is not None


def draw(scripts):
    """SVGs of scripts, each marked with the script's digest: by it --check knows a figure of another gnuplot version.
    One gnuplot draws them all, since its start takes longer than a figure."""
    if not scripts:
        return []
    text = "".join("reset session\n" + one for one in scripts)
    done = subprocess.run(["gnuplot"], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    *svgs, rest = done.stdout.decode(errors="replace").split("</svg>\n\n")
    if done.returncode != 0 or rest or len(svgs) != len(scripts):
        raise RuntimeError("gnuplot failed: " + done.stderr.decode(errors="replace").strip())
    return [svg.replace("<svg", f"<!-- tools/report {digest(one)} -->\n<svg", 1) + "</svg>\n"
            for svg, one in zip(svgs, scripts)]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def is_fresh(committed, fresh):
    """Whether two SVGs show the same: equal, or drawn from the same script by different versions of gnuplot."""
    if committed == fresh:
        return True
    facts = [(re.search(r"<!-- tools/report (\w+)", svg), re.search(r"Produced by GNUPLOT ([^<\n]*)", svg))
             for svg in (committed, fresh)]
    return all(a and b for a, b in facts) and facts[0][0][1] == facts[1][0][1] and facts[0][1][1] != facts[1][1][1]
