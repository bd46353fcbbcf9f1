"""The figures: rate against time, time against size, rate against density, CPU against CPU, joins."""

import choose
import choose_plot
import join_plot
from choose import GATHER, MAIN_BITS, MAIN_HITS, by, fastest, filters, where
from figure import SHADES, Axis, Panel, color, mark, script
from names import of_cpu

WIDTH, HEIGHT = 1320, 660
LEFT_BOX, RIGHT_BOX = (80, 80, 630, 590), (740, 80, 1290, 590)


def all_figures(results):
    """{file name: (title, script)} of what these results can show."""
    made = {f"{kind}_{cpu.slug}": make(cpu)
            for cpu in results.cpus for kind, make in (("pareto", pareto), ("size", size))}
    made["choose"] = choose_plot.choose_plot(results)
    made["cpus"] = cpus(results)
    made["join"] = join_plot.join(results.joins)
    made["fpr"] = fpr(results.accuracy) if results.accuracy else None
    return {f"{name}.svg": (figure[0], script(name, *figure)) for name, figure in made.items() if figure}


def percent_tick(value):
    return f"{value:.10g}"


# Rate against time.


def pareto(cpu):
    panels = []
    patterns = where(cpu.rows, access="inlined", keys="hash", hits=MAIN_HITS)
    libraries = where(cpu.rows, access="single", keys="u64", hits=MAIN_HITS)
    for what, rows in (("Pattern against pattern: inlined, hash given", filters(patterns)),
                       ("Library against library: 64-bit keys, hash included", filters(libraries))):
        sizes = {size: len(by(where(rows, size=size), "layout")) for size in choose.sizes(rows)}
        place = choose.main_size(rows)
        rows = [row for row in where(rows, size=place) if row["fpr"] > 0]
        if sizes and rows:
            box = (LEFT_BOX, RIGHT_BOX)[len(panels)]
            panels.append(_pareto_panel(f"{what}, {place}", box, cpu, rows))
    if not panels:
        return None
    width = WIDTH if len(panels) == 2 else 700
    return f"{cpu.name}: false positives against time, {MAIN_HITS} % hits", width, HEIGHT, panels


def _pareto_panel(title, box, cpu, rows):
    series = []
    for layout in choose.layouts(rows):
        of_layout = where(rows, layout=layout)
        targets = choose.best_targets(cpu, of_layout)
        families = [choose.target_family(target) for target in targets]
        if "AVX-512" in families or "AVX2" in families:  # what lies below is in the tables
            targets = [target for target, family in zip(targets, families) if family in ("AVX-512", "AVX2")]
        for number, target in enumerate(targets[:2]):
            points = sorted(where(of_layout, target=target), key=lambda row: row["asked_bits_per_key"])
            series.append((layout, target, number, points))
    num_flags = len(series)
    x = Axis("ns per lookup (less is better); the numbers are bits per key", [row["ns"] for row in rows_of(series)],
             margin=(0.06, 0.35))
    y = Axis("false-positive rate, % (less is better)", [100 * row["fpr"] for row in rows_of(series)],
             format_tick=percent_tick, margin=(0.05, 0.08 + 0.035 * num_flags))
    panel = Panel(title, box, x, y)
    for layout, _, number, points in series:
        panel.line([(row["ns"], 100 * row["fpr"]) for row in points], color(layout), mark(layout),
                   "dashed" if number else None)
    panel.flags([((points[0]["ns"], 100 * points[0]["fpr"]), f"{layout} {target}" if target != "packaged" else layout,
                  color(layout)) for layout, target, _, points in series])
    for layout, _, _, points in series:
        for row in points:
            panel.small_label((row["ns"], 100 * row["fpr"]), f"{row['bits_per_key']:.3g}", color(layout))
    return panel


def rows_of(series):
    return [row for entry in series for row in entry[-1]]


# Time against size.


def size_axis(rows):
    axis = Axis("filter size", [choose.size_bytes(row["size"]) for row in rows], margin=(0.04, 0.04), base=2)
    axis.ticks = [(choose.size_bytes(name), name) for name in choose.sizes(rows)]
    return axis


def size(cpu):
    panels = []
    rows = filters(where(cpu.rows, bits=MAIN_BITS, hits=MAIN_HITS))
    for what, access in (("One key at a time", ("single", "inlined")), ("Batches", ("batch",))):
        series = []
        of_access = where(rows, access=access)
        for layout in choose.layouts(of_access):
            of_layout = where(of_access, layout=layout)
            keys = "hash" if where(of_layout, keys="hash") else "u64"
            of_keys = where(of_layout, keys=keys)
            best = [fastest(where(of_keys, size=name)) for name in choose.sizes(of_keys)]
            series.append((layout, keys, best))
        # Where nothing was measured at more than one size there is no line to draw.
        series = [entry for entry in series if len(entry[-1]) > 1]
        if series:
            floors = [choose.line_floor(cpu.rows, access[0], name) for name in choose.sizes(of_access)]
            box = ((80, 80, 460, 590), (740, 80, 1120, 590))[len(panels)]
            panels.append(_size_panel(f"{what}, {MAIN_BITS} bits per key", box, series, [row for row in floors if row]))
    if not panels:
        return None
    width = WIDTH if len(panels) == 2 else 700
    title = f"{cpu.name}: time against size, {MAIN_HITS} % hits, each layout on its fastest target"
    return title, width, HEIGHT, panels


def _size_panel(title, box, series, floors):
    rows = rows_of(series)
    panel = Panel(title, box, size_axis(rows),
                  Axis("ns per lookup (less is better)", [row["ns"] for row in rows + floors]))
    labels = []
    if len(floors) > 1:
        points = [(choose.size_bytes(row["size"]), row["ns"]) for row in floors]
        panel.line(points, "#777777", None, "dotted", 2.2)
        labels.append((points[-1], "floor: read the line", "#777777"))
    for layout, keys, best in series:
        points = [(choose.size_bytes(row["size"]), row["ns"]) for row in best]
        panel.line(points, color(layout), mark(layout), "dashed" if keys != "hash" else None)
        labels.append((points[-1], layout + (" (and hash)" if keys != "hash" else ""), color(layout)))
    panel.end_labels(labels)
    return panel


# CPU against CPU.


def cpus(results):
    if len(results.cpus) < 2:
        return None
    panels = []
    for what, access in (("One hash at a time", ("single", "inlined")), ("Batches of hashes", ("batch",))):
        series = []
        for number, cpu in enumerate(results.cpus):
            for layout in ("blocked", GATHER):
                rows = where(cpu.rows, layout=layout, access=access, keys="hash", hits=MAIN_HITS, bits=MAIN_BITS)
                best = [fastest(where(rows, size=name)) for name in choose.sizes(rows)]
                if best:
                    series.append((cpu, layout, SHADES[number % len(SHADES)], best))
        if not series:
            continue
        box = ((80, 80, 450, 590), (740, 80, 1110, 590))[len(panels)]
        rows = rows_of(series)
        panel = Panel(f"{what}, {MAIN_BITS} bits per key", box, size_axis(rows),
                      Axis("ns per lookup (less is better)", [row["ns"] for row in rows]))
        for _, layout, shade, best in series:
            panel.line([(choose.size_bytes(row["size"]), row["ns"]) for row in best], shade, mark(layout),
                       "dashed" if layout == GATHER else None)
        panel.end_labels([((choose.size_bytes(best[-1]["size"]), best[-1]["ns"]), of_cpu(cpu.name), shade)
                          for cpu, layout, shade, best in series if layout == "blocked"])
        panels.append(panel)
    title = f"CPU against CPU, {MAIN_HITS} % hits: blocked (solid), {GATHER} (dashed), each on its fastest target"
    return (title, WIDTH if len(panels) == 2 else 700, HEIGHT, panels) if panels else None


# Rate against density.


def fpr(accuracy):
    import accuracy as tables  # the tables' choice of the main series
    keys, num_keys = tables.usual(accuracy["measured"])
    rows = [row for row in where(accuracy["measured"], keys=keys, num_keys=num_keys) if row["fpr"] > 0]
    if not rows:
        return None
    least, most = (choose_one(row["bits_per_key"] for row in rows) for choose_one in (min, max))
    model = [entry for entry in accuracy["model"]
             if entry["expected_fpr"] > 0 and least - 1 <= entry["bits_per_key"] <= most + 1]
    box = (80, 80, 800, 640)
    panel = Panel(f"Lines: model. Points: measured, with their intervals ({tables.count(num_keys)} {keys} keys)", box,
                  Axis("bits per key", [row["bits_per_key"] for row in rows + model], log=False, margin=(0.03, 0.03)),
                  Axis("false-positive rate, % (less is better)",
                       [100 * rate for row in rows
                        for rate in (row["fpr"], row["fpr_high"], row["fpr_low"] or row["fpr"])] +
                       [100 * entry["expected_fpr"] for entry in model], format_tick=percent_tick))
    labels = []
    for layout, entries in by(sorted(model, key=lambda entry: entry["bits_per_key"]), "layout").items():
        panel.line([(entry["bits_per_key"], 100 * entry["expected_fpr"]) for entry in entries], color(layout))
    modelled = by(model, "layout")
    for layout in choose.layouts(rows):
        of_layout = sorted(where(rows, layout=layout), key=lambda row: row["bits_per_key"])
        points = [(row["bits_per_key"], 100 * row["fpr"], max(100 * row["fpr_low"], panel.y.low), 100 * row["fpr_high"])
                  for row in of_layout]
        panel.line(points, color(layout), mark(layout), "points" if layout in modelled else "dotted", 1.0, 0.9)
        labels.append((points[-1], layout, color(layout)))
    panel.end_labels(labels)
    return "False positives against bits per key", 1000, 710, [panel]
