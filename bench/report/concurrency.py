"""Filters that threads fill and ask at once: what was asked, what it got, and what simple programs do instead."""

import choose
from choose import CONCURRENT, LOCKED, SEALED, where
from markdown import Section, Table, bits, code, ns, rate
from promises import best, gained, most_times, pairs_of, table

LEAST_THREADS, MOST_TIMES = 0.75, 1.3
FILLS = ("fill", "fill_batch", "fill_2_threads", "fill_batch_2_threads")
LOOKUPS = ("single", "batch")
DURING = tuple(f"{access}_during_inserts" for access in LOOKUPS)


def section(cpu):
    out = Section("### Threads that insert and ask at once")
    rows = where(cpu.rows, layout=(CONCURRENT, SEALED) + LOCKED)
    if not rows:
        return out
    out.say(f"In `{CONCURRENT}` threads insert by atomic OR, and nobody waits. `{SEALED}` is the sequential filter. Simple programs "
            "use a classic filter behind a readers-writer lock (`classic_locked`), or 64 of them (`classic_sharded`). In `fill` an "
            "emptied filter takes all members, one call per key; in `_2_threads` each thread takes half of them, timed by the "
            "clock. In `_during_inserts` the other thread inserts new keys as fast as it can. Beside "
            f"`{SEALED}` it inserts into another filter, so that the machine is as busy.")
    table(out, lines(cpu))
    _against_one_thread(cpu, out)
    _all_rows(cpu, out, rows)
    return out


def lines(cpu):
    ours = where(cpu.rows, layout=CONCURRENT)
    for access, words in (("fill_2_threads", "one call per key"), ("fill_batch_2_threads", "in batches")):
        yield gained(cpu, f"insertion on two threads, {words}", LEAST_THREADS, best(where(ours, access=access)))
    for access in DURING:
        yield most_times(f"`{access}`", f"at most {MOST_TIMES} times the ns of `{SEALED}`", MOST_TIMES,
                         pairs_of(cpu, best(where(ours, access=access)), SEALED))


def _against_one_thread(cpu, out):
    """What the promise of two threads does not tell: an atomic OR costs more than a plain one."""
    for access in FILLS[:2]:
        pairs = []
        for two in best(where(cpu.rows, layout=CONCURRENT, access=f"{access}_2_threads")):
            one = choose.fastest(where(cpu.rows, layout=SEALED, access=access, keys=two["keys"], size=two["size"],
                                       bits=two["asked_bits_per_key"]))
            pairs += [(two, one)] if one else []
        if pairs:
            two, one = max(pairs, key=lambda pair: choose.times(*pair))
            out.say(f"Two threads that fill `{CONCURRENT}` (`{access}`, {two['size']}, clock time per key) take "
                    f"{choose.times(two, one):.2f} times what one thread takes for `{SEALED}`.")


def _all_rows(cpu, out, rows):
    shown = []
    for accesses in (FILLS, LOOKUPS + DURING):
        of_accesses = where(rows, access=accesses)
        if not of_accesses:
            continue
        of_kind = Table(("layout", "l"), ("target", "l"), ("size", "l"), ("bits per key", "r"), ("FPR %", "r"),
                        *[(access, "r") for access in accesses])
        for layout in (CONCURRENT, SEALED) + LOCKED:
            of_layout = where(of_accesses, layout=layout)
            for size in choose.sizes(of_layout):
                of_size = where(of_layout, size=size)
                for target in choose.best_targets(cpu, of_size)[:2]:
                    line = where(of_size, target=target)
                    by_access = {row["access"]: row for row in line}
                    shown += line
                    of_kind.add(code(layout), target, size, bits(line[0]["bits_per_key"]), rate(line[0]),
                                *[ns(by_access.get(access)) for access in accesses])
        out.table(of_kind, shown)
