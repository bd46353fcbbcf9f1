"""Threads: what runs without the GIL, and what is kept apart by a filter's mutex."""

import copy
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import linefilter
from conftest import start_folding
from linefilter import parquet

NUMBERS = np.arange(2_000_000, dtype=np.uint64)
PIECE = 65536  # keys for which a filter's mutex is held at once: kPiece of src/core.h


def longest_wait_during(work):
    """How long a thread that only wants the GIL has to wait for it while `work` runs, as a share of the whole."""
    begun, done, gaps = threading.Event(), threading.Event(), []

    def want():
        begun.set()
        last = time.perf_counter()
        while not done.is_set():
            now = time.perf_counter()
            gaps.append(now - last)
            last = now
        gaps.append(time.perf_counter() - last)  # it may have been kept away until after the end

    other = threading.Thread(target=want)
    other.start()
    begun.wait()  # else it might begin when all is over
    start = time.perf_counter()
    work()
    took = time.perf_counter() - start
    done.set()
    other.join()
    return max(gaps, default=took) / took


def many(numbers):
    return np.tile(numbers, 5)


# What each needs is made when its turn comes: it is much.
WORK = {
    "ask a view": lambda: partial(linefilter.build(NUMBERS, fpr=0.01).contains_many, many(NUMBERS)),
    "ask": lambda: partial(linefilter.BlockedFilter(len(NUMBERS), fpr=0.01).contains_many, many(NUMBERS)),
    "ask hashes": lambda: partial(linefilter.build(NUMBERS, fpr=0.01).contains_hashes, many(linefilter.hash_keys(NUMBERS))),
    "add": lambda: partial(linefilter.BlockedFilter(len(NUMBERS), fpr=0.01).add_many, many(NUMBERS)),
    "build": lambda: partial(linefilter.build, NUMBERS, bits_per_key=12, layout="retrieval"),
    "hash": lambda: partial(linefilter.hash_keys, many(NUMBERS)),
    "hash values of 4 bytes": lambda: partial(parquet.hash_values, many(many(NUMBERS)).astype(np.uint32), "INT32"),
    "hash rows": lambda: partial(parquet.hash_values, many(NUMBERS).view("V8"), "FIXED_LEN_BYTE_ARRAY"),
}


@pytest.mark.parametrize("name", WORK)
def test_the_gil_is_released(name):
    work = WORK[name]()
    # Held all the time, the wait is about the whole; a busy machine may interrupt once, hence several tries.
    shares = []
    for _ in range(8):
        shares.append(longest_wait_during(work))
        if shares[-1] < 0.6:
            return
    pytest.fail(f"{name}: another thread waited for {min(shares):.0%} of the time at least")


@pytest.mark.parametrize("add", ["add_many", "add_hashes", "add_new"])
@pytest.mark.parametrize("kind", [linefilter.BlockedFilter, linefilter.SplitBlockFilter, linefilter.ClassicFilter])
def test_adding_from_threads_loses_nothing(kind, add):
    """Without the mutex, two threads that change the same word at once lose bits of one of them: some in every round."""
    threads = 4
    added = NUMBERS[: threads * PIECE]
    if add == "add_hashes":
        added = linefilter.hash_keys(added)
    parts = np.array_split(added, threads)
    alone = kind(threads * PIECE, fpr=0.01)
    getattr(alone, add)(added)
    image = alone.to_bytes()
    start = threading.Barrier(threads, timeout=60)

    def fill(filled, part):
        start.wait()
        getattr(filled, add)(part)
        assert filled.contains_many(NUMBERS[:1000]).shape == (1000,)  # and asked meanwhile

    with ThreadPoolExecutor(threads) as pool:
        for _ in range(20):
            filled = kind(threads * PIECE, fpr=0.01)
            for done in [pool.submit(fill, filled, part) for part in parts]:
                done.result(timeout=60)
            assert filled.to_bytes() == image


@pytest.mark.parametrize("ask", ["contains_many", "contains_hashes"])
def test_readers_that_overlap_let_a_writer_in(ask):
    """Counted in what the readers do meanwhile. Without a turn for the writer it is hundreds of calls each time."""
    filled = linefilter.BlockedFilter(len(NUMBERS), fpr=0.01)
    stop, calls = threading.Event(), [0, 0, 0]

    def read(number):
        while not stop.is_set():
            getattr(filled, ask)(NUMBERS)
            calls[number] += 1

    with ThreadPoolExecutor(len(calls)) as pool:
        running = [pool.submit(read, number) for number in range(len(calls))]
        try:
            while min(calls) == 0:
                time.sleep(0.001)
            before = sum(calls)
            for number in range(10):
                filled.add(number)
            during = sum(calls) - before
        finally:
            stop.set()
        for thread in running:
            thread.result(timeout=60)
    assert during <= 100


def test_everything_at_once_does_not_stop(hurried):
    a, b = linefilter.BlockedFilter(10**5, fpr=0.01), linefilter.BlockedFilter(10**5, fpr=0.01)
    builder = linefilter.FilterBuilder(fpr=0.01)
    jobs = [
        lambda: a.add_many(NUMBERS[:100_000]), lambda: a.contains_many(NUMBERS[:100_000]), lambda: a.update(b),
        lambda: b.update(a), lambda: a | b, lambda: a == b, lambda: [a.add(i) for i in range(2000)], lambda: [i in a for i in range(2000)], a.to_bytes,
        lambda: a.__copy__(), lambda: a.expected_fpr(), lambda: builder.add_many(NUMBERS[:50_000]),
        lambda: [builder.add(i) for i in range(2000)], builder.finish, lambda: a.update(a),
        lambda: a.add_many(i for i in range(5000) if i in a or True),
    ]  # fmt: skip
    with ThreadPoolExecutor(4) as pool:
        for result in [pool.submit(job) for _ in range(5) for job in jobs]:
            result.result(timeout=60)
    assert a.contains_many(NUMBERS[:100_000]).all()


def test_a_view_closed_meanwhile_ends_its_calls_first():
    image = bytearray(linefilter.build(NUMBERS, fpr=0.01).to_bytes())
    for _ in range(3):
        view = linefilter.FilterView(image, verify="whole")
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(view.contains_many, NUMBERS)
            view.close()
            try:
                assert running.result().all()
            except ValueError as error:  # it was closed before it began
                assert "closed" in str(error)
    image.extend(b"more")  # nobody holds it


def test_single_keys_from_threads_lose_nothing(hurried):
    """Beside arrays, which are added without the GIL: then a single key waits for the mutex, and lets others have the GIL."""
    for kind in (linefilter.Bloom, linefilter.ScalableFilter):
        filled = kind(10**5, fpr=0.01)
        words = [f"key-{i}" for i in range(4000)]

        def add(part):
            for key in part:
                filled.add(key)
                assert key in filled

        with ThreadPoolExecutor(4) as pool:
            running = [pool.submit(add, words[begin::3]) for begin in range(3)]
            running += [pool.submit(filled.add_many, NUMBERS[:100_000]) for _ in range(20)]
            for done in running:
                done.result(timeout=60)
        assert filled.contains_many(words).all() and filled.contains_many(NUMBERS[:100_000]).all() and filled.key_kind == "mixed"


@pytest.mark.parametrize("work", ["filter.add_many(numbers)", "Slow() in filter"])
def test_a_daemon_thread_does_not_abort_the_program_at_its_end(work):
    """Python ends such a thread where it asks for the GIL, which unwinds the stack of C++."""
    program = f"""
import threading, time, numpy, linefilter
filter, numbers = linefilter.Bloom(1e6), numpy.arange(300_000)
class Slow:
    def __index__(self):
        return sum(i for i in range(300))
def run():
    while True:
        {work}
for _ in range(2):
    threading.Thread(target=run, daemon=True).start()
time.sleep(0.1)
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env=environment)


def test_an_iterable_may_use_the_filter_it_is_added_to():
    own = linefilter.BlockedFilter(10**5, fpr=0.01)
    own.add_many(key for key in range(10_000) if key not in own)
    assert own.contains_many(range(10_000)).all()


# Several threads fold, so that one waits for the filter whenever its size was asked.
@pytest.mark.parametrize("image_of", [lambda f: f.to_bytes(), lambda f: copy.copy(f).to_bytes()])
def test_images_are_whole_while_a_filter_is_folded(image_of):
    keys = NUMBERS[:10_000]
    for _ in range(5):
        folded = linefilter.BlockedFilter(2**14 * 32, bits_per_key=16, foldable=True)
        assert folded.num_blocks == 2**14
        folded.add_many(keys)
        others = start_folding(folded, 4)
        while folded.num_blocks > 1:
            view = linefilter.FilterView(image_of(folded), verify="whole")  # verified
            assert view.contains_many(keys).all()
        for other in others:
            other.join()
        assert linefilter.FilterView(image_of(folded), verify="whole").num_blocks == 1
