"""RotatingFilter and SwappableFilter."""

import copy
import itertools
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linefilter
from conftest import SECRET

NUMBERS = np.arange(20_000, dtype=np.uint64)


def blocked(keys, **options):
    made = linefilter.BlockedFilter(max(1, len(keys)), fpr=0.001, **options)
    made.add_many(keys)
    return made


def test_a_window_slides():
    seen = linefilter.RotatingFilter(3000, generations=4, fpr=0.001)
    assert (seen.generations, seen.keys_per_generation, seen.by_count, seen.generation) == (4, 1000, False, 0)
    for number in range(12):
        part = NUMBERS[1000 * number : 1000 * (number + 1)]
        assert seen.add_many(part) > 990
        assert seen.contains_many(NUMBERS[1000 * max(0, number - 3) : 1000 * (number + 1)]).all()
        if number > 3:
            assert seen.contains_many(NUMBERS[: 1000 * (number - 3)]).mean() < 0.01
        assert seen.rotate() == number + 1 == seen.generation
    assert seen.approximate_size_of_age(1).keys == pytest.approx(1000, rel=0.05) and seen.fill_ratio_of_age(0) == 0
    assert seen.approximate_size().keys == pytest.approx(3000, rel=0.05) and 0.1 < seen.fill_ratio() < seen.fill_ratio_of_age(1)
    assert seen.layout == "container" and 64 * seen.num_blocks == seen.body_bytes
    assert 0 < seen.expected_fpr() < 0.001 and seen.num_probes > 5 and seen.target
    assert seen.memory_use > seen.body_bytes * 5 / 4 and "4 generations" in repr(seen)


def test_it_rotates_by_count():
    seen = linefilter.RotatingFilter(2000, generations=3, by_count=True, bits_per_key=20)
    for begin in range(0, 20_000, 500):
        seen.add_many(NUMBERS[begin : begin + 500])
        assert seen.contains_many(NUMBERS[max(0, begin + 500 - 2000) : begin + 500]).all()
    assert 19 <= seen.generation <= 20 and seen.by_count
    assert seen.contains_many(NUMBERS[:16_000]).mean() < 0.01


def test_what_makes_no_sense_is_refused():
    with pytest.raises(linefilter.InvalidArgumentError, match="generations"):
        linefilter.RotatingFilter(100, generations=1, fpr=0.01)
    with pytest.raises(linefilter.InvalidArgumentError):
        linefilter.RotatingFilter(100)
    with pytest.raises(linefilter.OverLimitError):
        linefilter.RotatingFilter(10**6, fpr=0.01, memory_limit=1000)
    with pytest.raises(linefilter.IncompatibleError):
        "a" in linefilter.RotatingFilter(100, fpr=0.01, caller_hashes=True)
    for each in (linefilter.RotatingFilter(100, fpr=0.01), linefilter.SwappableFilter()):
        for use in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                use(each)
        with pytest.raises(TypeError):
            1.5 in each


def test_what_serves_is_switched():
    users = linefilter.SwappableFilter()
    assert "anybody" in users and users.contains_many(NUMBERS).all() and users.contains_many(["a"]).tolist() == [True]
    assert not users.serves and "nothing serves" in repr(users)
    users.swap(blocked(["a", "b"]))
    assert "a" in users and "c" not in users and users.contains_many(["a", "c"]).tolist() == [True, False]
    assert users.contains_hash(linefilter.hash_key("a")) and users.num_swaps == 1 and users.serves
    source = blocked(NUMBERS[:100])
    users.swap(source)
    source.add(5000)  # what serves is a copy
    assert 5000 not in users and "a" not in users
    told = users.contains_many(NUMBERS)
    assert told[:100].all() and told[100:].mean() < 0.01
    assert users.contains_hashes(linefilter.hash_keys(NUMBERS)).tolist() == told.tolist()
    users.swap(linefilter.build(["x"], fpr=0.01, layout="retrieval"))
    assert "x" in users and "y" not in users
    grown = linefilter.ScalableFilter(10, fpr=0.001)
    grown.add_many(NUMBERS)
    users.swap(grown)
    grown.add(30_000)
    assert users.contains_many(NUMBERS).all() and 30_000 not in users
    users.clear()
    assert "y" in users and not users.serves and users.num_swaps == 5


def test_what_it_tells_is_that_of_what_serves():
    users, view = linefilter.SwappableFilter(), linefilter.build(NUMBERS, fpr=0.001, layout="retrieval", secret=SECRET)
    assert (users.layout, users.body_bytes, users.expected_fpr(), users.seed) == ("auto", 0, 1, 0)
    users.swap(view)
    for name in ("layout", "hash_id", "seed", "secret_check", "num_probes", "num_blocks", "body_bytes", "target"):
        assert getattr(users, name) == getattr(view, name)
    for name in ("fill_ratio", "approximate_size", "expected_fpr"):
        assert getattr(users, name)() == getattr(view, name)()


def test_a_view_that_serves_is_refused():
    users, view = linefilter.SwappableFilter(), linefilter.build(["a"], fpr=0.001)
    users.swap(view)
    with pytest.raises(linefilter.InvalidArgumentError, match="serves already"):
        users.swap(view)
    users.swap(blocked(["b"]))
    users.swap(view)
    assert "a" in users and "b" not in users and users.num_swaps == 3


def test_files_are_verified_before_they_serve(tmp_path):
    users, path = linefilter.SwappableFilter(), tmp_path / "users"
    linefilter.build(NUMBERS, fpr=0.001).save(path)
    users.swap(linefilter.FilterFile(path, load=True))
    assert 19_999 in users and 20_001 not in users
    image = bytearray(path.read_bytes())
    image[len(image) // 2] ^= 1
    path.write_bytes(image)
    with pytest.raises(linefilter.CorruptError):
        users.swap(linefilter.FilterFile(path, load=True))
    assert 19_999 in users and 20_001 not in users and users.num_swaps == 1


def test_a_successor_that_would_lose_keys_is_refused():
    users = linefilter.SwappableFilter()
    users.swap(blocked(["a"]))
    broken = linefilter.FilterView(b"broken", verify="whole", broken="maybe")
    for other in (blocked(["a"], seed=1), blocked(["a"], secret=SECRET), broken):
        with pytest.raises(linefilter.IncompatibleError):
            users.swap(other)
    with pytest.raises(TypeError, match="str"):
        users.swap("a")
    closed = linefilter.FilterView(blocked(["a"]).to_bytes(), verify="whole")
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        users.swap(closed)
    assert "a" in users and "b" not in users and users.num_swaps == 1


def test_an_iterable_may_swap_and_loses_nothing():
    """What was hashed for one filter is not asked of one with another hash: maybe."""
    users = linefilter.SwappableFilter()
    users.swap(blocked(NUMBERS))

    def keys():
        yield from range(5000)
        users.clear()
        users.swap(blocked(NUMBERS, seed=1))
        yield from range(5000, 20_000)

    assert users.contains_many(keys()).all() and users.num_swaps == 3
    assert users.contains_many(range(20_000)).all() and users.contains_many(range(20_000, 30_000)).mean() < 0.01


def test_what_was_replaced_is_given_back():
    users = linefilter.SwappableFilter()
    images = [bytearray(blocked(["a"]).to_bytes()) for _ in range(3)]
    for image in images:
        users.swap(linefilter.FilterView(image, verify="whole"))
    for image in images[:2]:
        image.extend(b"nobody holds it")
    with pytest.raises(BufferError):
        images[2].extend(b"it serves")
    del users
    images[2].extend(b"nobody holds it")


def test_threads_add_rotate_and_ask():
    """It goes on until all generations were replaced several times, however long that takes on this machine."""
    seen = linefilter.RotatingFilter(40_000, generations=4, fpr=0.001)
    stop, rounds, rotations, end = threading.Event(), 200, 20, time.monotonic() + 100

    def rotate():
        while not stop.is_set():
            seen.rotate()
            time.sleep(0.001)

    def add_and_ask(number):
        judged = 0
        for done in itertools.count():
            if (done >= rounds and seen.generation >= rotations) or time.monotonic() > end:
                return judged
            begin = 10_000 * done
            part = np.arange(begin, begin + 1000, dtype=np.uint64) * 4 + number
            before = seen.generation
            seen.add_many(part)
            missing = not seen.contains_many(part).all() or int(part[0]) not in seen
            if seen.generation - before < 4:  # generations
                judged += 1
                assert not missing

    with ThreadPoolExecutor(4) as pool:
        rotating = pool.submit(rotate)
        try:
            for done in [pool.submit(add_and_ask, number) for number in range(3)]:
                assert done.result(timeout=200) > 0, "each time all generations went meanwhile: nothing was judged"
        finally:
            stop.set()
        rotating.result(timeout=60)
    assert seen.generation >= rotations


def test_threads_swap_and_ask(hurried):
    """Each filter has the common keys; a question of a freed one, or a swap that waits with the GIL, would show."""
    users, stop = linefilter.SwappableFilter(), threading.Event()
    users.swap(blocked(NUMBERS))
    asked = [0, 0]

    def ask(number):
        while not stop.is_set():
            assert users.contains_many(NUMBERS).all() and users.contains_many(range(5000)).all() and 77 in users
            asked[number] += 1

    def swap():
        for number in range(40):
            users.swap(blocked(NUMBERS) if number % 2 else linefilter.build(NUMBERS, fpr=0.001))

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(ask, number) for number in range(2)]
        try:
            for done in [pool.submit(swap) for _ in range(2)]:
                done.result(timeout=60)
        finally:
            stop.set()
        for reader in readers:
            reader.result(timeout=60)
    assert users.num_swaps == 81 and min(asked) > 0
