"""QuotientFilter: sets, and multisets whose keys can be removed. What it shares with the others is in test_key_filters.py."""

import numpy as np
import pytest

import linefilter
from conftest import KEY_FILTERS, SECRET


def removable(num_keys=1000, **more):
    return linefilter.QuotientFilter(num_keys, fpr=0.01, removable=True, **more)


def test_removed_keys_are_absent_and_the_others_stay():
    online, keys = removable(), [f"key-{i}" for i in range(900)]
    online.add_many(keys)
    assert online.remove_many(keys[:450]).all()
    assert online.contains_many(keys[450:]).all()
    assert online.contains_many(keys[:450]).mean() < 0.02
    assert online.approximate_size().keys == 450 and online.approximate_size().error == 0
    assert online.layout == "quotient" and online.removable and "removable" in repr(online) and "probes" not in repr(online)


def test_every_way_to_remove_is_the_same():
    online = removable()
    make = lambda: linefilter.QuotientFilter.from_bytes(online.to_bytes())  # noqa: E731
    online.add_many(range(1000))
    one, words, iterable, hashes = make(), make(), make(), make()
    keys = np.arange(-100, 500).reshape(10, 60)
    told = [one.remove(key) for key in keys.ravel().tolist()]
    assert words.remove_many(keys).tolist() == np.array(told).reshape(10, 60).tolist()
    assert iterable.remove_many(keys.ravel().tolist()).tolist() == told
    assert hashes.remove_hashes(linefilter.hash_keys(keys)) == sum(told)
    assert {f.to_bytes() for f in (one, words, iterable, hashes)} == {one.to_bytes()}
    assert one.remove_hash(linefilter.hash_key(700)) is True and 700 not in one


def test_a_key_goes_as_often_as_it_came():
    online = removable()
    assert online.remove("a") is False
    online.add_many(["a"] * 20)
    assert online.remove_many(["a"] * 21).tolist() == [True] * 20 + [False]
    assert "a" not in online and online.fill_ratio() == 0
    assert online.remove_many([]).shape == (0,)


def test_a_full_block_keeps_what_it_has():
    online = removable(10)
    online.add_many(["a"] * 436)
    assert online.remove_many(["a"] * 500).all() and "a" in online and "b" in online
    online.clear()
    assert "a" not in online


def test_of_a_set_nothing_is_removed():
    seen = linefilter.QuotientFilter(1000, fpr=0.01)
    seen.add_many(["a"] * 500)
    assert not seen.removable and "removable" not in repr(seen) and seen.approximate_size().keys == pytest.approx(1, abs=0.01)
    for remove in (lambda: seen.remove("a"), lambda: seen.remove_many(["a"]), lambda: seen.remove_hash(1), lambda: seen.remove_hashes([1])):
        with pytest.raises(linefilter.IncompatibleError, match="make it with removable=True"):
            remove()
    assert "a" in seen
    for other in KEY_FILTERS:
        assert hasattr(other, "remove") == (other is linefilter.QuotientFilter)


def test_the_rate_is_that_of_the_turnovers():
    new, old = removable(100_000), removable(100_000, turnovers=20)
    assert old.body_bytes > 1.2 * new.body_bytes
    with pytest.raises(linefilter.InvalidArgumentError, match="set removable"):
        linefilter.QuotientFilter(1000, fpr=0.01, turnovers=5)


def test_unites_and_folds_like_the_others():
    one, two = removable(2000, foldable=True), removable(2000, foldable=True)
    one.add_many(range(1000))
    two.add_many(range(500, 1500))
    one.update(two)
    assert one.remove_many(range(500, 1000)).all() and one.contains_many(range(1500)).all(), "those of both are in twice"
    one.fold(2)
    assert one.contains_many(range(1500)).all() and one.approximate_size().keys == 1500
    with pytest.raises(linefilter.IncompatibleError, match="choice of removable"):
        one.update(linefilter.QuotientFilter(2000, fpr=0.01))
    like = linefilter.QuotientFilter(1, like=two)
    assert like.removable and like.body_bytes == two.body_bytes
    for wrong in {"turnovers": 5}, {"removable": True}:
        with pytest.raises(linefilter.InvalidArgumentError, match="like is the whole size"):
            linefilter.QuotientFilter(1, like=two, **wrong)


def test_of_a_builder():
    view = linefilter.build([1, 1, 2], fpr=0.01, removable=True)
    assert view.layout == "quotient" and view.num_probes == 1
    mine = linefilter.QuotientFilter.from_bytes(view.to_bytes())
    assert mine.removable and mine.remove_many([1, 1, 2]).all() and mine.fill_ratio() == 0
    of_set = linefilter.QuotientFilter.from_bytes(linefilter.build([1, 1, 2], fpr=0.01, layout="quotient").to_bytes())
    assert not of_set.removable
    with pytest.raises(linefilter.InvalidArgumentError, match="no key can be removed from a filter of layout blocked"):
        linefilter.build([1], fpr=0.01, layout="blocked", removable=True)
    with pytest.raises(linefilter.IncompatibleError, match="layout"):
        linefilter.BlockedFilter.from_bytes(view.to_bytes())


def test_secrets_and_hashes_of_the_caller():
    keyed = removable(10, secret=SECRET)
    assert keyed.add("a") and keyed.remove("a") and "a" not in keyed
    own = removable(10, caller_hashes=True)
    assert own.add_hash(5)
    for remove in (lambda: own.remove("a"), lambda: own.remove_many(["a"]), lambda: own.remove_many(np.arange(3))):
        with pytest.raises(linefilter.IncompatibleError, match="hash"):
            remove()
    assert own.remove_hash(5) and not own.contains_hash(5)
