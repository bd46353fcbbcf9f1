"""A process that is forked while another thread is in a filter: in the child every call answers or raises, and none waits."""

import contextlib
import os
import threading
import time

import numpy as np
import pytest

import linefilter
from forked import RAISES, WORKS, fork

NUMBERS = np.arange(1_000_000, dtype=np.uint64)
FORKS = 10


@contextlib.contextmanager
def running(work, threads=1):
    """Other threads call work() again and again; each fork comes within a call, or between two."""
    stop, begun = threading.Event(), threading.Event()

    def run():
        while not stop.is_set():
            begun.set()
            work()

    others = [threading.Thread(target=run) for _ in range(threads)]
    for other in others:
        other.start()
    begun.wait()
    try:
        yield
    finally:
        stop.set()
        for other in others:
            other.join()


def outcomes(work, question, wanted=None, threads=1):
    """How children end, each forked a little later than the one before: FORKS of them, or more until one ends as `wanted`."""
    ends = []
    with running(work, threads):
        while len(ends) < FORKS or (wanted is not None and wanted not in ends and len(ends) < 20 * FORKS):
            time.sleep(0.001 * (len(ends) % FORKS))
            ends.append(fork(question))
    assert set(ends) <= {WORKS, RAISES}, ends
    assert wanted is None or wanted in ends, "no fork came within a call: the test shows nothing"
    return set(ends)


KINDS = {
    "blocked": lambda: linefilter.BlockedFilter(len(NUMBERS), fpr=0.01, foldable=True),
    "split_block": lambda: linefilter.SplitBlockFilter(len(NUMBERS), fpr=0.01),
    "classic": lambda: linefilter.ClassicFilter(len(NUMBERS), fpr=0.01),
    "quotient": lambda: linefilter.QuotientFilter(len(NUMBERS), fpr=0.01, removable=True),
    "scalable": lambda: linefilter.ScalableFilter(1000, fpr=0.01),
}
of_each_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def all_questions(filled):
    """All of these work, or all of them raise."""
    ends = set()
    of_its_kind = [lambda: filled.growth_error, lambda: filled.stages] if isinstance(filled, linefilter.ScalableFilter) else []
    for question in (
        lambda: 5 in filled, lambda: filled.contains_many(NUMBERS[:10]), lambda: filled.contains_many([5]), filled.to_bytes,
        lambda: filled.add(5), lambda: filled.add_many(NUMBERS[:10]), lambda: filled.add_many(["a"]), lambda: repr(filled),
        lambda: filled.__copy__(), *of_its_kind, filled.clear,
    ):  # fmt: skip
        try:
            question()
            ends.add(None)
        except linefilter.InvalidArgumentError as error:
            ends.add(str(error))
    assert len(ends) == 1
    if (message := ends.pop()) is not None:
        raise linefilter.InvalidArgumentError(message)


@of_each_kind
def test_a_filter_that_another_thread_adds_to(make):
    filled = make()
    outcomes(lambda: filled.add_many(NUMBERS), lambda: all_questions(filled), RAISES)


@of_each_kind
def test_in_place_of_what_was_cut_another_is_made(make):
    filled = make()

    def question():
        with contextlib.suppress(linefilter.InvalidArgumentError):
            filled.contains_many(NUMBERS[:10])
        another = make()
        another.add_many(NUMBERS[:1000])
        assert another.contains_many(NUMBERS[:1000]).all()

    for change in (lambda: filled.add_many(NUMBERS), filled.clear):
        assert outcomes(change, question) == {WORKS}
    filled.add_many(NUMBERS)
    assert filled.contains_many(NUMBERS).all(), "the parent's goes on"


@of_each_kind
def test_a_filter_that_others_only_read_is_whole(make):
    filled = make()
    filled.add_many(NUMBERS)
    for read in (lambda: filled.contains_many(NUMBERS), filled.to_bytes):
        assert outcomes(read, lambda: all_questions(filled)) == {WORKS}


@of_each_kind
def test_a_filter_that_nobody_is_in_works_on(make):
    """All that is done in the child stays there, also in a child of the child."""
    filled = make()
    filled.add_many(NUMBERS[:1000])

    def question():
        filled.add_many(NUMBERS)
        assert filled.contains_many(NUMBERS).all()
        assert fork(lambda: filled.contains_many(NUMBERS)) == WORKS
        workers = [threading.Thread(target=filled.add_many, args=(NUMBERS,)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    assert fork(question) == WORKS
    assert filled.contains_many(NUMBERS[500_000:]).mean() < 0.1


def test_a_child_of_a_child_knows_too():
    filled = KINDS["blocked"]()

    def question():
        filled.contains_many(NUMBERS[:10])  # or it raises, and so did its parent
        raise AssertionError

    ends = set()
    with running(lambda: filled.add_many(NUMBERS)):
        for _ in range(FORKS):
            ends.add(fork(lambda: os._exit(fork(question))))
    assert RAISES in ends


def test_a_builder():
    builder = linefilter.FilterBuilder(fpr=0.01)

    def add():
        builder.add_many(NUMBERS)
        builder.reset()

    for question in (lambda: builder.add(5), builder.finish):
        outcomes(add, question, RAISES)
    builder.reset()
    builder.add_many(NUMBERS[:10])
    assert fork(builder.finish) == WORKS


def rotating(by_count):
    # By the caller it is so large that a rotation takes long enough for a fork to come within one, on a busy machine too.
    return linefilter.RotatingFilter(len(NUMBERS) if by_count else 8 * len(NUMBERS), generations=3, by_count=by_count, fpr=0.01)


@pytest.mark.parametrize("change", ["rotate", "to_bytes"])
def test_a_rotating_filter(change):
    """A child may ask and add, whatever others did; it may rotate and save if none of them was at that."""
    seen = rotating(False)
    seen.add_many(NUMBERS)

    def lock_free():
        assert seen.contains_many(NUMBERS[:10]).shape == (10,)
        assert 5 in seen or seen.add(5)
        seen.add_many(NUMBERS[:1000])

    work = getattr(seen, change)
    assert outcomes(work, lock_free) == {WORKS}
    for question in (seen.rotate, seen.to_bytes):
        # A rotation is short, and the fork tends to come between two. Of three threads one is within nearly always.
        outcomes(work, question, RAISES, threads=3)
        assert fork(question) == WORKS
    assert outcomes(lambda: seen.add_many(NUMBERS), lambda: (seen.rotate(), seen.to_bytes())) == {WORKS}


def test_a_rotating_filter_by_count():
    """Insertions rotate it, so that in a child they might never."""
    seen = rotating(True)
    add = lambda: seen.add_many(NUMBERS)  # noqa: E731
    for question in (seen.rotate, lambda: seen.add(5), lambda: seen.add_many(NUMBERS[:10])):
        outcomes(add, question, RAISES)
    assert outcomes(add, lambda: seen.contains_many(NUMBERS[:10])) == {WORKS}
    assert fork(lambda: (seen.add_many(NUMBERS), seen.rotate(), seen.to_bytes())) == WORKS


def test_a_swappable_filter():
    """A child may ask; it may swap if nobody else asked or swapped at that moment, for a swap waits for them."""
    first, second = linefilter.build(NUMBERS, fpr=0.01), linefilter.build(NUMBERS, fpr=0.01)
    users = linefilter.SwappableFilter()
    users.swap(first)

    def swap():
        users.swap(second)
        users.swap(first)

    def ask(numbers=NUMBERS[:10]):
        assert users.contains_many(numbers).all()

    assert outcomes(swap, ask) == {WORKS}
    assert outcomes(lambda: ask(NUMBERS), ask) == {WORKS}
    for question in (lambda: users.swap(linefilter.build(NUMBERS[:10], fpr=0.01)), users.clear):
        outcomes(lambda: ask(NUMBERS), question, RAISES)
        outcomes(swap, question)
        assert fork(question) == WORKS
