"""CountingBlockedFilter: keys that can be removed. What it shares with the others is in test_key_filters.py."""

import numpy as np
import pytest

import linefilter
from conftest import SECRET


@pytest.fixture
def counting():
    return linefilter.CountingBlockedFilter(1000, fpr=0.01)


def test_removed_keys_are_absent_and_the_others_stay(counting):
    keys = [f"key-{i}" for i in range(900)]
    counting.add_many(keys)
    assert counting.remove_many(keys[:450]).all()
    assert counting.contains_many(keys[450:]).all()
    assert counting.contains_many(keys[:450]).mean() < 0.02
    assert counting.approximate_size().keys == pytest.approx(450, rel=0.06)
    assert counting.layout == "counting" and counting.num_blocks > 0


def test_every_way_to_remove_is_the_same(counting):
    make = lambda: linefilter.CountingBlockedFilter.from_bytes(counting.to_bytes())  # noqa: E731
    counting.add_many(range(1000))
    one, words, iterable, hashes = make(), make(), make(), make()
    keys = np.arange(-100, 500).reshape(10, 60)
    told = [one.remove(key) for key in keys.ravel().tolist()]
    assert words.remove_many(keys).tolist() == np.array(told).reshape(10, 60).tolist()
    assert iterable.remove_many(keys.ravel().tolist()).tolist() == told
    assert hashes.remove_hashes(linefilter.hash_keys(keys)) == sum(told)
    assert {f.to_bytes() for f in (one, words, iterable, hashes)} == {one.to_bytes()}
    assert one.remove_hash(linefilter.hash_key(700)) is True and 700 not in one


def test_a_key_goes_as_often_as_it_came(counting):
    assert counting.remove("a") is False
    counting.add("a")
    counting.add("a")
    assert counting.remove("a") is True and "a" in counting
    assert counting.remove("a") is True and "a" not in counting
    assert counting.remove("a") is False
    assert counting.remove_many([]).shape == (0,)


def test_fifteen_is_the_most_that_it_counts(counting):
    counting.add_many(["a"] * 15)
    assert counting.remove_many(["a"] * 20).all() and "a" in counting
    counting.clear()
    assert "a" not in counting


def test_of_a_builder(counting):
    view = linefilter.build(range(1000), fpr=0.01, layout="counting")
    mine = linefilter.CountingBlockedFilter.from_bytes(view.to_bytes())
    assert mine.remove_many(np.arange(1000)).all() and mine.fill_ratio() == 0
    with pytest.raises(linefilter.IncompatibleError, match="layout"):
        linefilter.BlockedFilter.from_bytes(view.to_bytes())


def test_secrets_and_hashes_of_the_caller():
    keyed = linefilter.CountingBlockedFilter(10, fpr=0.01, secret=SECRET)
    assert keyed.add("a") and keyed.remove("a") and "a" not in keyed
    own = linefilter.CountingBlockedFilter(10, fpr=0.01, caller_hashes=True)
    own.add_hash(5)
    for call in (lambda: own.remove("a"), lambda: own.remove_many(["a"]), lambda: own.remove_many(np.arange(3))):
        with pytest.raises(linefilter.IncompatibleError, match="hash"):
            call()
    assert own.remove_hash(5) and not own.contains_hash(5)


def test_what_it_cannot_reach_is_refused():
    with pytest.raises(linefilter.InvalidArgumentError, match="layout counting reaches 0.0022"):
        linefilter.CountingBlockedFilter(1000, fpr=0.001)
    with pytest.raises(AttributeError):
        linefilter.BlockedFilter(10, fpr=0.01).remove("a")
