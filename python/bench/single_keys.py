#!/usr/bin/env python3
r"""Keys one by one, and many at once, beside a set in the same process: ns per key of 10 characters, loop included.

    cmake --build build/release --target _linefilter
    PYTHONPATH=build/release/python/package taskset -c 1 python3 python/bench/single_keys.py

Each figure is the least of some rounds. Exit code 1 if a single call takes more than --most-single of a Bloom of a size, a call for
many more than --most-update or --most-contains per key.
"""

import argparse
import sys
import time

import linefilter


def least(rounds, make, work):
    took = []
    for _ in range(rounds):
        filter = make()
        start = time.perf_counter()
        work(filter)
        took.append(time.perf_counter() - start)
    return min(took)


def works(keys):
    """Every way to add or ask that is measured."""

    def add(filter):
        add = filter.add
        for key in keys:
            add(key)

    def contains(filter):
        for key in keys:
            key in filter  # noqa: B015

    def update(filter):
        filter.update(keys)

    def contains_many(filter):
        [key in filter for key in keys] if isinstance(filter, set) else filter.contains_many(keys)

    return {"add": add, "in": contains, "update": update, "contains_many": contains_many}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--most-single", type=float, default=260)
    parser.add_argument("--most-update", type=float, default=35)
    parser.add_argument("--most-contains", type=float, default=30)
    arguments = parser.parse_args()

    keys = [f"{i:010}" for i in range(arguments.keys)]
    most = {"add": arguments.most_single, "in": arguments.most_single, "update": arguments.most_update,
            "contains_many": arguments.most_contains}  # fmt: skip
    makers = {"set": set, "Bloom(n)": lambda: linefilter.Bloom(len(keys)), "Bloom()": linefilter.Bloom}
    good = True
    for name, make in makers.items():
        filled = make()
        filled.update(keys)
        for what, work in works(keys).items():
            adds = what in ("add", "update")
            ns = 1e9 * least(arguments.rounds, make if adds else lambda filled=filled: filled, work) / len(keys)
            print(f"{name:9} {what:14} {ns:7.1f} ns per key", flush=True)
            good = good and (name != "Bloom(n)" or ns <= most[what])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
