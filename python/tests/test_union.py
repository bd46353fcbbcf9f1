"""Filters that are united, made like another one, and folded."""

import copy

import numpy as np
import pytest

import linefilter


def test_union(filter):
    other = type(filter)(1000, fpr=0.003)
    filter.add("mine")
    other.add("theirs")
    filter |= other
    assert "mine" in filter and "theirs" in filter and "mine" not in other
    other.update(linefilter.FilterView(filter.to_bytes(), verify="whole"))
    assert "mine" in other
    filter.update(filter)
    if filter.layout == "classic":
        with pytest.raises(linefilter.IncompatibleError, match="size"):
            filter.update(type(filter)(5000, fpr=0.003))
    with pytest.raises(linefilter.IncompatibleError, match="seed"):
        filter.update(type(filter)(1000, fpr=0.003, seed=1))
    with pytest.raises(TypeError):
        filter |= ["key"]
    closed = linefilter.FilterView(other.to_bytes(), verify="whole")
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        filter.update(closed)


def test_unions_keep_their_rate():
    """Of n and n + d keys they have at most twice the rate of all in the larger size, or are refused."""
    united = 0
    for n, d in [(n, d) for n in (10_000, 30_000) for d in (0, 1, 65, 1000, 10_000)]:
        one = linefilter.BlockedFilter(n, fpr=0.01)
        two = linefilter.BlockedFilter(n + d, fpr=0.01)
        one.add_many(np.arange(n))
        two.add_many(np.arange(n, 2 * n + d))
        of_all = linefilter.BlockedFilter(2 * n + d, like=two)
        of_all.add_many(np.arange(2 * n + d))
        most = 2.04 * of_all.expected_fpr()  # the keys were estimated
        for other, unite in (two, "update"), (two, "ior"), (linefilter.FilterView(two.to_bytes(), verify="whole"), "update"):
            filter = copy.copy(one)
            try:
                if unite == "update":
                    filter.update(other)
                else:
                    filter |= other
            except linefilter.IncompatibleError:
                assert filter.to_bytes() == one.to_bytes()
                continue
            united += 1
            assert filter.expected_fpr() <= most and filter.contains_many(np.arange(2 * n + d)).all()
    assert 0 < united < 30


def test_a_union_of_the_same_keys_keeps_their_rate():
    """What is in both counts once: halved, the rate of the same keys would be ten times as high."""
    keys = np.arange(100_000)
    large, half = (linefilter.BlockedFilter(n, bits_per_key=10, num_probes=7) for n in (100_044, 50_022))
    assert large.num_blocks == 1954 and half.num_blocks == 977
    large.add_many(keys)
    half.add_many(keys)
    for other in half, linefilter.FilterView(half.to_bytes(), verify="whole"):
        with pytest.raises(linefilter.IncompatibleError, match="977|62528"):
            large.update(other)
    for nonsense in -0.1, 1.1, float("nan"):
        with pytest.raises(linefilter.InvalidArgumentError, match="max_fpr"):
            large.update(large, max_fpr=nonsense)


def test_filters_like_another_are_united():
    first = linefilter.BlockedFilter(100_000, fpr=0.01, seed=7)
    keys = np.arange(110_000)
    other_size = linefilter.BlockedFilter(110_000, fpr=0.01, seed=7)
    first.add_many(keys[:1000])
    with pytest.raises(linefilter.IncompatibleError):
        first |= other_size
    next_day = linefilter.BlockedFilter(110_000, like=first)
    next_day.add_many(keys)
    view = linefilter.FilterView(first.to_bytes(), verify="whole")
    for filter in next_day, linefilter.build(keys, like=view), linefilter.build(keys, like=first, threads=2):
        assert filter.body_bytes == first.body_bytes and filter.seed == 7
        united = copy.copy(first)
        united |= filter
        assert united.contains_many(keys).all() and united.to_bytes()
    for wrong in {"fpr": 0.1}, {"bits_per_key": 9}, {"seed": 1}, {"num_probes": 3}, {"foldable": True}, {"secret": b"s" * 16}:
        with pytest.raises(linefilter.InvalidArgumentError, match="like is the whole size"):
            linefilter.BlockedFilter(10, like=first, **wrong)
    with pytest.raises(linefilter.InvalidArgumentError, match="like is a filter of layout blocked"):
        linefilter.ClassicFilter(10, like=first)
    for wrong in 5, "first", first.to_bytes():
        for make in lambda: linefilter.BlockedFilter(10, like=wrong), lambda: linefilter.build([1], like=wrong):
            with pytest.raises(TypeError, match="like is a filter or a view of one"):
                make()
    with pytest.raises(linefilter.InvalidArgumentError, match="no filter of layout retrieval"):
        linefilter.build(keys, like=linefilter.build(keys, fpr=0.01, layout="retrieval"))
    view.close()
    with pytest.raises(ValueError, match="closed"):
        linefilter.build(keys, like=view)


def test_fold():
    keys = np.arange(1000)
    large = linefilter.BlockedFilter(10_000, bits_per_key=12, foldable=True)
    assert large.num_blocks % 64 == 0
    large.add_many(keys)
    image, blocks, memory = large.to_bytes(), large.num_blocks, large.memory_use
    with pytest.raises(linefilter.InvalidArgumentError, match=f"{blocks} blocks cannot be folded by {blocks + 1}"):
        large.fold(blocks + 1)
    large.fold(4)
    assert large.num_blocks == blocks // 4 and large.memory_use < memory / 3
    assert large.contains_many(keys).all() and 1_000_000 not in large
    assert len(large.to_bytes()) == large.image_bytes < len(image) / 3
    again = linefilter.BlockedFilter.from_bytes(image)
    again.fold_to_fpr(0.02)
    assert again.expected_fpr() <= 0.02 and again.contains_many(keys).all()
    smaller = linefilter.BlockedFilter.from_bytes(again.to_bytes())
    smaller.fold(2)
    assert smaller.expected_fpr() > 0.02
    assert again.num_blocks < large.num_blocks
    with pytest.raises(linefilter.InvalidArgumentError, match="before any folding"):
        again.fold_to_fpr(1e-9)
    with pytest.raises(linefilter.InvalidArgumentError, match="fpr is 1"):
        again.fold_to_fpr(1)
    with pytest.raises(TypeError):
        again.fold("2")
    classic = linefilter.ClassicFilter(10, fpr=0.1)
    with pytest.raises(linefilter.InvalidArgumentError, match="classic cannot be folded"):
        classic.fold(2)
    with pytest.raises(linefilter.InvalidArgumentError, match="classic cannot be folded"):
        linefilter.ClassicFilter(10, fpr=0.1, foldable=True)
    assert linefilter.build([1, 2], bits_per_key=10, foldable=True).num_blocks == 64


def test_multisets_are_folded_and_united():
    one = linefilter.QuotientFilter(5_000, fpr=0.01, removable=True, foldable=True)
    two = linefilter.QuotientFilter(5_000, fpr=0.01, removable=True, foldable=True)
    keys = np.arange(500)
    one.add_many(keys)
    two.add_many(keys)
    one.fold(2)
    one.update(two, max_fpr=0.01)
    assert one.num_blocks == two.num_blocks // 2 and two.contains_many(keys).all()
    assert one.remove_many(keys).all() and one.contains_many(keys).all()  # each was in both
    assert one.remove_many(keys).all() and one.fill_ratio() == 0


def test_union_of_unequal_sizes_shrinks():
    large = linefilter.BlockedFilter(10_000, bits_per_key=12, foldable=True)
    small = linefilter.BlockedFilter(10_000, bits_per_key=12, foldable=True)
    small.fold(4)
    large.add("mine")
    small.add("theirs")
    before = large.to_bytes()
    for other in small, linefilter.FilterView(small.to_bytes(), verify="whole"):
        with pytest.raises(linefilter.IncompatibleError, match="permit the rate"):
            large |= other
        with pytest.raises(linefilter.IncompatibleError, match="above 1e-300"):
            large.update(other, max_fpr=1e-300)
        with pytest.raises(linefilter.InvalidArgumentError, match="max_fpr is 2"):
            large.update(other, max_fpr=2)
    assert large.to_bytes() == before
    large.update(small, max_fpr=0.01)
    assert large.num_blocks == small.num_blocks and "mine" in large and "theirs" in large and "mine" not in small
