#!/usr/bin/env python3
r"""contains_many of 1e7 NumPy keys beside the C++ batch: the same image and keys, in one process, in turns.

    cmake --build build/release --target linefilter_python_batch _linefilter
    PYTHONPATH=build/release/python/package python3 python/bench/contains_many.py \
        build/release/python/liblinefilter_python_batch.so

Prints the medians of both and their ratio, and beside it the median of the ratios of neighbours, which bears a busy machine
better, as --cpu-time does. C++ writes to the same answers each time, Python to new ones, as users of each do. Exit code 1 if
that of neighbours is above --most (1.3) for one of the filters.
"""

import argparse
import ctypes
import statistics
import sys
import time

import numpy as np

import linefilter


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="linefilter_python_batch, the C++ side")
    parser.add_argument("--keys", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--most", type=float, default=1.3)
    parser.add_argument("--cpu-time", action="store_true", help="of this thread, instead of the clock on the wall")
    arguments = parser.parse_args()
    clock = time.thread_time if arguments.cpu_time else time.perf_counter

    batch = ctypes.CDLL(arguments.library).may_contain_keys
    batch.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    n = arguments.keys
    keys = np.random.default_rng(1).integers(0, 2**64, n, np.uint64)
    answers = np.empty(n, np.uint8)
    good = True
    for layout in ("blocked", "retrieval"):
        for members in (n // 1000, n):
            view = linefilter.build(keys[:members], bits_per_key=10, layout=layout)
            image = np.frombuffer(view.image, np.uint8)
            in_cpp, in_python = [], []
            for _ in range(arguments.rounds):
                start = clock()
                opened = batch(image.ctypes.data, image.size, keys.ctypes.data, n, answers.ctypes.data)
                in_cpp.append(clock() - start)
                start = clock()
                found = view.contains_many(keys)
                in_python.append(clock() - start)
            assert opened and (found == answers).all() and found[:members].all()
            cpp, python = statistics.median(in_cpp), statistics.median(in_python)
            pairs = statistics.median(p / c for p, c in zip(in_python, in_cpp))
            print(f"{layout:9} {view.image_bytes:>10} bytes  C++ {1e9 * cpp / n:6.2f} ns per key  "
                  f"Python {1e9 * python / n:6.2f}  ratio {python / cpp:.3f}  of neighbours {pairs:.3f}", flush=True)
            good = good and pairs <= arguments.most
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
