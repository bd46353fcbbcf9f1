"""The speed-up of a join by the share of its rows that find a partner, a line for each size of the build side."""

from choose import by
from columns import of_join
from figure import INK, SHADES, Axis, Panel
from markdown import count
from names import of_cpu

BOX = (80, 80, 800, 560)
WIDTH, HEIGHT = 960, 640


def join(measured):
    """A figure of the target that has most joins, or None."""
    if not measured:
        return None
    rows = max(by(measured["rows"], "target").values(), key=len)
    speed_ups = [1 / of_join(row, way) for row in rows for way in ("columns", "one_by_one")]
    percents = [row["percent"] for row in rows]
    panel = Panel("Lines: columns. Dashes: the loop of engines with the same filter. Dots: the join without a filter", BOX,
                  Axis("% of the probe rows that find a partner", percents), Axis("speed-up, the making of the filter included", [1, *speed_ups]))
    panel.line([(panel.x.low, 1), (panel.x.high, 1)], INK, None, "dotted", 1.4)
    labels = []
    for number, (build_rows, of_build) in enumerate(sorted(by(rows, "build_rows").items())):
        shade = SHADES[number % len(SHADES)]
        of_build = sorted(of_build, key=lambda row: row["percent"])
        for way, dash, mark in (("columns", None, 7), ("one_by_one", "dashed", None)):
            points = [(row["percent"], 1 / of_join(row, way)) for row in of_build]
            panel.line(points, shade, mark, dash)
            if way == "columns":
                labels.append((points[-1], f"{count(build_rows)} build rows", shade))
    panel.end_labels(labels)
    return f"A hash join with a filter in front ({of_cpu(measured['context']['cpu'])}, {rows[0]['target']})", WIDTH, HEIGHT, [panel]
