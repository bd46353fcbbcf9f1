"""Which rows a table or a plot is made of: selections, orders, the best target of a layout, the floor of a size."""

import functools
import statistics

from results import size_bytes

EIGHT_FILTERS = ("blocked_8_filters", "blocked_8_filters_1_seed", "blocked_8_filters_3_seeds")
MISALIGNED = "blocked_misaligned"
IN_MEMORY = ("blocked_loaded", "blocked_mapped", "blocked_string", "blocked_string_huge", "blocked_string_lines")
GATHER, PERMUTE = "k_independent", "k_independent_permute"
LINE_FLOOR, HASH_FLOOR, EMPTY_FLOOR = "floor_line", "floor_hash", "floor_empty"
CONCURRENT, SEALED, LOCKED = "blocked_concurrent", "blocked_sealed", ("classic_locked", "classic_sharded")
SPECIAL = EIGHT_FILTERS + IN_MEMORY + (MISALIGNED, CONCURRENT, SEALED) + LOCKED
MAIN_BITS, MAIN_HITS = 10, 50
# The same size and the same rate, as far as a comparison goes.
SAME_BITS, SAME_FPR, SAME_TIME = 1.05, 1.02, 1.05


def where(rows, **wanted):
    """Rows whose fields are as wanted; a tuple means any of these. `bits` is asked_bits_per_key, `hits` hit_percent."""
    found = list(rows)
    for name, value in wanted.items():  # one condition at a time: a fifth of the time of all conditions for each row
        field = {"bits": "asked_bits_per_key", "hits": "hit_percent"}.get(name, name)
        values = value if isinstance(value, tuple) else (value,)
        found = [row for row in found if row.get(field) in values]
    return found


def filters(rows):
    """Rows of filters, without floors and without the special arrangements of `blocked`."""
    return [row for row in rows if not row["floor"] and row["layout"] not in SPECIAL]


def fastest(rows):
    return min(rows, key=lambda row: (row["ns"], row["row"]), default=None)


def times(a, b):
    """How many times as long as b does a take? Of rows of one group, measured in the same rounds, the median over
    rounds: what slowed the machine for a while slowed both."""
    each, others = a.get("ns_each", []), b.get("ns_each", [])
    together = a.get("group_began_ms") == b.get("group_began_ms")
    if together and each and len(each) == len(others) and min(others) > 0:
        return statistics.median(x / y for x, y in zip(each, others))
    return a["ns"] / b["ns"]


def is_ours(row):
    return row["origin"].split(",")[0] == "linefilter"


def is_own_code(row):
    """Another's scheme, written here."""
    return row["origin"].startswith("own ")


def kind_order(row):
    return 0 if is_ours(row) else 1 if is_own_code(row) else 2


def layouts(rows):
    """Names in the order of tables: ours, schemes written here, packaged; each by name."""
    return [name for _, name in sorted({(kind_order(row), row["layout"]) for row in rows})]


def sizes(rows):
    return sorted({row["size"] for row in rows}, key=size_bytes)


def main_size(rows):
    """1 MB, or what a smaller run has nearest to it."""
    return min(sizes(rows), key=lambda size: abs(size_bytes(size).bit_length() - 21), default=None)


def by(rows, *fields):
    """Groups in the order of first appearance, by the value of a field, or by the values of several."""
    groups = {}
    for row in rows:
        key = tuple(row[field] for field in fields)
        groups.setdefault(key if len(fields) > 1 else key[0], []).append(row)
    return groups


def target_family(target):
    return "AVX-512" if target.startswith("AVX3") or target.startswith("AVX10") else target


def target_order(cpu):
    """Best first, as the program lists them; then those that only peers have."""
    known = {name: i for i, name in enumerate(cpu.context["targets"])}
    return lambda target: (known.get(target, len(known)), target)


def no_better(cpu, target, than):
    """Whether `target` needs no better instructions than `than`: of its family, or further down the program's list."""
    families = [target_family(name) for name in cpu.context["targets"]]
    ours, theirs = target_family(than), target_family(target)
    if theirs in (ours, "SCALAR"):
        return True
    return ours in families and theirs in families and families.index(theirs) > families.index(ours)


def best_targets(cpu, rows):
    """The fastest target of each family ("AVX-512", "AVX2", ...) among rows of one layout, best family first."""
    best = {}
    for target, of_target in by(rows, "target").items():
        family = target_family(target)
        ns = fastest(of_target)["ns"]
        if family not in best or ns < best[family][0]:
            best[family] = (ns, target)
    return sorted((target for _, target in best.values()), key=target_order(cpu))


def line_floor(rows, access, size):
    """Reading one line of so much memory and nothing else, or None; if there is one, of the group whose rows are shown
    beside it. A batch may also be a plain loop over its keys."""
    floors = ("single", "batch") if access == "batch" else ("single",)
    if access.endswith("dependent"):
        floors = ("dependent",)
    floors = [row for row in where(rows, layout=LINE_FLOOR, access=floors, size=size) if row["floor"]]
    return fastest(where(floors, keys="hash", bits=MAIN_BITS) or floors)


@functools.lru_cache(maxsize=None)
def cache_bytes(caches, level):
    """Bytes of "L2" in ("L1d 32 KiB", "L2 1 MiB"), or 0."""
    for text in caches:
        words = text.split()
        if len(words) >= 3 and words[0] == level and words[1].replace(".", "", 1).isdigit():
            return int(float(words[1]) * {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}.get(words[2], 0))
    return 0


def in_cache(cpu, size):
    """Whether the body fits the L2 cache (1 MB where the file does not tell the cache)."""
    return size_bytes(size) <= (cache_bytes(tuple(cpu.context["caches"]), "L2") or 1 << 20)
