"""Many filters asked at once: each answers as by itself, and a hash that is not its own is "maybe"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linefilter

SECRET = bytes(range(16))
NUMBERS = np.arange(100000, dtype=np.uint64)
WAYS: list[dict[str, Any]] = [{}, {"seed": 7}, {"secret": SECRET}, {"parquet_hash": True}, {"caller_hashes": True}]


def filters() -> list[linefilter.FilterBase]:
    """Of every kind, and hashed in every way, in turns; with the numbers below 1000."""
    made: list[Any] = []
    for way in WAYS:
        made.append(linefilter.BlockedFilter(1000, fpr=0.01, **way))
        made.append(linefilter.QuotientFilter(1000, fpr=0.01, **way))
        made.append(linefilter.ScalableFilter(100, fpr=0.01, **way))
        made.append(linefilter.RotatingFilter(2000, generations=3, fpr=0.01, **way))
    for filter in made:
        if filter.hash_id != "caller":
            filter.add_many(NUMBERS[:1000])
    swappable = linefilter.SwappableFilter()
    swappable.swap(linefilter.build(NUMBERS[:1000], fpr=0.01, seed=7))
    made += [linefilter.FilterView(made[0].to_bytes(), verify="whole"), swappable, linefilter.SwappableFilter()]
    return made[::3] + made[1::3] + made[2::3]


def test_each_answers_as_by_itself() -> None:
    asked = filters()
    for key in [0, 999, 1000, 5000, "alice", b"", np.int32(3)]:
        answers = linefilter.each_contains(asked, key)
        assert answers.dtype == np.bool_ and answers.shape == (len(asked),)
        for filter, answer in zip(asked, answers):
            own = True if filter.hash_id == "caller" and not _serves(filter) else key in filter
            assert answer == own


def _serves(filter: linefilter.FilterBase) -> bool:
    return isinstance(filter, linefilter.SwappableFilter) and filter.num_swaps > 0


@pytest.mark.parametrize("n", [0, 1, 4095, 4096, 4097, 9000])
def test_many_keys_make_a_matrix(n: int) -> None:
    asked = filters()
    keys = NUMBERS[500 : 500 + n]
    matrix = linefilter.each_contains_many(asked, keys)
    assert matrix.shape == (len(asked), n) and matrix.dtype == np.bool_
    for filter, row in zip(asked, matrix):
        callers = filter.hash_id == "caller" and not _serves(filter)
        assert (row == (True if callers else filter.contains_many(keys))).all()
    assert (linefilter.each_contains_many(asked, iter(keys.tolist())) == matrix).all()
    if n == 9000:
        grid = linefilter.each_contains_many(asked, keys.reshape(90, -1)[:, ::2])
        assert (grid == matrix.reshape(len(asked), 90, -1)[:, :, ::2]).all()
        assert linefilter.each_contains_many(asked, keys.astype(object).reshape(90, 100)).shape == (len(asked), 90, 100)


def test_three_identities_lose_no_member() -> None:
    levels = []
    for i in range(8):
        levels.append(linefilter.BlockedFilter(12500, fpr=0.01, **WAYS[i % 3]))
        levels[i].add_many(NUMBERS[i::8])
    matrix = linefilter.each_contains_many(levels, NUMBERS)
    by_hash = linefilter.each_contains_hashes(levels, linefilter.hash_keys(NUMBERS))
    for i in range(8):
        assert matrix[i, i::8].all() and by_hash[i, i::8].all()
        assert by_hash[i].all() == (i % 3 != 0)
    assert matrix.sum() < 1.2 * NUMBERS.size


@pytest.mark.parametrize("way", WAYS)
def test_a_hash_is_maybe_where_it_is_not_the_filters_own(way: dict[str, Any]) -> None:
    asked = [linefilter.BlockedFilter(100, fpr=0.01, **other) for other in WAYS]
    answers = linefilter.each_contains_hash(asked, 12345, **way)
    assert answers.tolist() == [other != way for other in WAYS]
    matrix = linefilter.each_contains_hashes(asked, [1, 2, 3], **way)
    assert matrix.tolist() == [[other != way] * 3 for other in WAYS]


def test_wrong_arguments() -> None:
    filter = linefilter.BlockedFilter(100, fpr=0.01)
    assert linefilter.each_contains([], 1).shape == (0,)
    assert linefilter.each_contains_many([], [1, 2]).shape == (0, 2)
    assert linefilter.each_contains_many([filter], np.zeros((0, 3), np.uint64)).shape == (1, 0, 3)
    assert linefilter.each_contains_hashes([], [1, 2]).shape == (0, 2)
    with pytest.raises(TypeError, match="this is a int"):
        linefilter.each_contains([filter, 5], 1)  # type: ignore[list-item]
    with pytest.raises(TypeError):
        linefilter.each_contains(filter, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        linefilter.each_contains([filter], 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"keys\[1\]"):
        linefilter.each_contains_many([filter], [1, 1.5])  # type: ignore[list-item]
    with pytest.raises(linefilter.InvalidArgumentError, match="drop one"):
        linefilter.each_contains_hash([filter], 1, seed=1, secret=SECRET)
    with pytest.raises(linefilter.InvalidArgumentError, match="drop one"):
        linefilter.each_contains_hashes([filter], [1], secret=SECRET, caller_hashes=True)
    for other in ({"seed": 1}, {"secret": SECRET}, {"caller_hashes": True}):
        with pytest.raises(linefilter.InvalidArgumentError, match="drop one"):
            linefilter.each_contains_hash([filter], 1, parquet_hash=True, **other)  # type: ignore[arg-type]
    with pytest.raises(linefilter.InvalidArgumentError):
        linefilter.each_contains_hash([filter], 2**64)


def test_a_closed_file_says_so(tmp_path: Any) -> None:
    linefilter.build([1], fpr=0.01).save(tmp_path / "a")
    file = linefilter.FilterFile(tmp_path / "a")
    assert linefilter.each_contains([file], 1).tolist() == [True]
    file.close()
    with pytest.raises(ValueError, match="closed"):
        linefilter.each_contains([file], 1)
