"""How full a filter is: the keys it was made for, those in it, how many more, and whether there are too many."""

from __future__ import annotations

import numpy as np
import pytest

import linefilter
from conftest import KEY_FILTERS

NUMBERS = np.arange(20000, dtype=np.uint64)


@pytest.mark.parametrize("make", KEY_FILTERS[:4])
def test_a_filter_that_takes_keys(make: type) -> None:
    filter = make(10000, fpr=0.01)
    assert filter.capacity == 10000 and len(filter) == 0 and filter.approximate_size() == (0, 0)
    assert not filter, "it has no keys"
    room = filter.room_for(0.01)
    assert 9900 < room < 11000
    filter.add_many(NUMBERS[:10000])
    size = filter.approximate_size()
    assert isinstance(size, linefilter.SizeEstimate)
    assert abs(size.keys - 10000) < 5 * size.error and 1 < size.error < 120
    assert len(filter) == round(size.keys) and not filter.over_capacity()
    assert filter.room_for(0.02) > 500 and filter.room_for(0.001) == 0
    filter.add_many(NUMBERS)
    assert filter.over_capacity() and filter.room_for(0.02) == 0
    copied = make.from_bytes(filter.to_bytes())
    assert copied.capacity is None and not copied.over_capacity() and len(copied) == len(filter)
    for in_memory in (filter.copy(), filter | make(10000, fpr=0.01)):
        assert in_memory.capacity == 10000 and in_memory.over_capacity()


def test_images_tell_what_their_makers_counted() -> None:
    built = linefilter.build(NUMBERS, fpr=0.01)
    assert built.capacity == 20000 and not built.over_capacity() and built.room_for(0.02) > 1000
    solved = linefilter.build(NUMBERS, fpr=0.01, layout="retrieval")
    assert solved.capacity == 20000 and solved.room_for(0.5) == 0 and solved.approximate_size().error < 1000
    nothing = linefilter.build([], fpr=0.01)
    assert nothing.capacity is None and len(nothing) == 0 and nothing.room_for(0.5) == 0 and not nothing


def test_what_grows_forgets_or_is_swapped() -> None:
    growing = linefilter.ScalableFilter(1000, fpr=0.01)
    growing.add_many(NUMBERS)
    assert growing.capacity == 31000 and not growing.over_capacity() and growing.room_for(0.01) > 10000
    assert linefilter.FilterView(growing.to_bytes(), verify="whole").capacity == 31000
    window = linefilter.RotatingFilter(3000, generations=4, fpr=0.01)
    assert window.capacity == 4000 and len(window) == 0
    window.add_many(NUMBERS[:10000])
    assert window.over_capacity() and window.approximate_size_of_age(0).error > 1
    swappable = linefilter.SwappableFilter()
    assert swappable.capacity is None and len(swappable) == 0 and not swappable.over_capacity()
    swappable.swap(linefilter.build(NUMBERS, fpr=0.01))
    assert swappable.capacity == 20000 and 19000 < len(swappable) < 21000


def test_a_full_one_has_no_length() -> None:
    full = linefilter.BlockedFilter(1, fpr=0.01)
    full.add_many(NUMBERS)
    assert full.approximate_size().keys == float("inf") and full.over_capacity()
    with pytest.raises(OverflowError, match="tell no number"):
        len(full)


def test_wrong_rates() -> None:
    filter = linefilter.BlockedFilter(1000, fpr=0.01)
    assert [filter.room_for(fpr) for fpr in (0, -1, float("nan"))] == [0, 0, 0]
    assert filter.room_for(1) == 2**64 - 1
    with pytest.raises(TypeError):
        filter.room_for("0.01")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        list(filter)  # type: ignore[call-overload]
