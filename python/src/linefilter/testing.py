"""Holds a filter to its false-positive rate in a unit test, whoever made the filter and whatever the test framework is.

    from linefilter.testing import assert_fpr, queries_for

    def test_users_filter():
        members = [f"user{i}@example.org" for i in range(10_000)]
        absent = [f"nobody{i}@example.org" for i in range(queries_for(at_most=0.01))]
        assert_fpr(make_filter(members), members, absent, at_most=0.01)

The filter is any object with `in`: one of linefilter, pybloom_live, rbloom, a set, or a class of your own; or a function that
takes a key. The verdict is that of C++ (linefilter/fpr_judge.h has the rules), so that all languages judge alike.
"""

from __future__ import annotations

import itertools
import operator
from typing import Any, Callable, Iterable, Iterator, List, Literal, NamedTuple, Optional, Tuple

import numpy as np

from . import _linefilter
from ._filter_base import FilterBase
from ._keys import as_count, as_float
from ._redis import RedisFilter

__all__ = ["FprBaseline", "FprCounts", "FprResult", "assert_fpr", "check_fpr", "queries_for"]

_BATCH = 8192  # keys that are asked at once
_NAMED = 10  # keys that a result names
_TEXT = 47  # bytes of each that its sentence has
_NO_LIMIT = "give at_most, the rate that is allowed, such as at_most=0.01, or a baseline"


class FprCounts(NamedTuple):
    """What was counted.

    num_members: members that were asked. num_lost: those that the filter answered False for. num_queries: absent keys that
    were asked. false_positives: those that it answered True for. num_absent_members: keys among the absent ones that are
    members, which num_queries leaves out. bits_per_key: of a filter of linefilter; 0 of others.
    """

    num_members: int
    num_lost: int
    num_queries: int
    false_positives: int
    num_absent_members: int = 0
    bits_per_key: float = 0


class FprBaseline(NamedTuple):
    """What the same check counted earlier: its rate is the limit then, and its bits per key may grow by 1 %.

    With bits_per_key the members that are given must be all of the filter's, for its bytes are divided by their number.
    """

    num_queries: int
    false_positives: int
    bits_per_key: float = 0


class FprResult(NamedTuple):
    """The verdict and what it stands on.

    verdict: "within" the limit, "above" it (or a member was lost), or "undecided": the counts do not tell, or the request
    makes no sense. sentence: what was found, and what to do. fpr: the rate that was counted, from fpr_low to fpr_high by
    its exact interval. limit: the rate that is allowed. ratio, ratio_low, ratio_high: the rate as a multiple of the limit.
    num_queries_needed: the number of absent keys that would decide, or 0. lost, absent_members: the first ten, each as
    (position, key).
    """

    verdict: Literal["within", "above", "undecided"]
    sentence: str
    fpr: float
    fpr_low: float
    fpr_high: float
    limit: float
    ratio: float
    ratio_low: float
    ratio_high: float
    num_queries_needed: int
    counts: FprCounts
    lost: Tuple[Tuple[int, Any], ...]
    absent_members: Tuple[Tuple[int, Any], ...]

    @property
    def ok(self) -> bool:
        """Whether the filter keeps to its limit."""
        return self.verdict == "within"


def _batches(keys: Iterable[Any]) -> Iterator[Any]:
    """An array stays one, of one dimension, which contains_many reads faster."""
    if isinstance(keys, np.ndarray):
        keys = keys.reshape(-1)
        for begin in range(0, keys.size, _BATCH):
            yield keys[begin : begin + _BATCH]
        return
    if isinstance(keys, (str, bytes)):
        raise TypeError(f"keys are an iterable of them, and this is one ({type(keys).__name__}): put it into a list")
    rest = iter(keys)
    while batch := list(itertools.islice(rest, _BATCH)):
        yield batch


def _asker(filter: Any) -> Callable[[Any], List[bool]]:
    if isinstance(filter, (FilterBase, RedisFilter)):
        return lambda batch: list(filter.contains_many(batch).tolist())
    if hasattr(type(filter), "__contains__"):
        return lambda batch: [key in filter for key in batch]
    if callable(filter):
        return lambda batch: [bool(filter(key)) for key in batch]
    raise TypeError(f"a filter has `in`, or is a function that takes a key; this is a {type(filter).__name__}")


def _items(batch: Any) -> List[Any]:
    """The keys as they are compared and named: Python's own."""
    return list(batch.tolist() if isinstance(batch, np.ndarray) else batch)


def _same_keys(key: Any, of_linefilter: bool) -> Tuple[Any, ...]:
    """All that is the same key to the filter: for ours a text is its UTF-8, and a negative number has 64 bits."""
    if isinstance(key, (bytearray, memoryview)):
        key = bytes(key)
    try:
        hash(key)
    except TypeError:
        key = repr(key)
    if not of_linefilter:
        return (key,)
    if isinstance(key, str):
        return key, key.encode("utf-8", "surrogatepass")
    if isinstance(key, bytes):
        return key, key.decode("utf-8", "surrogateescape")
    if hasattr(key, "__index__"):
        number = operator.index(key)
        return number, number + 2**64 if number < 0 else number - 2**64
    return (key,)


def check_fpr(
    filter: Any,
    members: Iterable[Any],
    absent: Iterable[Any],
    *,
    at_most: Optional[float] = None,
    confidence: float = 0.99,
    resolution: float = 1.5,
    baseline: Optional[FprBaseline] = None,
) -> FprResult:
    """Asks the filter for all keys of both, once, and judges what was counted.

    The rate may be at_most; or, with a baseline, what was counted earlier. Absent keys are distinct, and like those that the
    filter will meet; queries_for tells how many. Those that are members are found and named. Both are iterables of keys, or
    arrays of NumPy.

    >>> check_fpr({1, 2, 3}, [1, 2, 3], range(4, 20_000), at_most=0.01).verdict
    'within'
    """
    if at_most is None and baseline is None:
        raise TypeError(_NO_LIMIT)
    ask, ours = _asker(filter), isinstance(filter, (FilterBase, RedisFilter))
    num_queries = num_members = num_lost = 0
    maybes: dict[Any, List[Tuple[int, Any]]] = {}  # absent keys that the filter answered True for
    false_positives = 0
    for batch in _batches(absent):
        answers = ask(batch)
        if any(answers):
            for i, key in enumerate(_items(batch)):
                if answers[i]:
                    false_positives += 1
                    first, *others = _same_keys(key, ours)
                    at = maybes.setdefault(first, [])
                    at.append((num_queries + i, key))
                    for same in others:
                        maybes[same] = at
        num_queries += len(answers)
    lost: List[Tuple[int, Any]] = []
    mistaken: List[Tuple[int, Any]] = []
    for batch in _batches(members):
        answers = ask(batch)
        keys = _items(batch) if maybes or not all(answers) else []
        for i, key in enumerate(keys):
            if not answers[i]:
                num_lost += 1
                if len(lost) < _NAMED:
                    lost.append((num_members + i, key))
            found = maybes.get(_same_keys(key, ours)[0]) if maybes else None
            if found:
                mistaken += found
                found.clear()  # a member may come again
        num_members += len(answers)
    mistaken.sort(key=lambda named: named[0])
    bits_per_key = 8 * filter.body_bytes / num_members if isinstance(filter, FilterBase) and num_members else 0.0
    counts = FprCounts(
        num_members, num_lost, num_queries - len(mistaken), false_positives - len(mistaken), len(mistaken), bits_per_key
    )
    return _judge(counts, at_most, confidence, resolution, baseline, lost, mistaken[:_NAMED])


def _text(key: Any) -> str:
    """The key as the sentence names it: on one line, and at most as long as the judge takes."""
    text = " ".join(repr(key).splitlines()).encode("utf-8", "backslashreplace")
    if len(text) <= _TEXT:
        return text.decode("utf-8")
    return text[: _TEXT - 3].decode("utf-8", "ignore") + "..."


def _counted(baseline: Any) -> Optional[FprBaseline]:
    """Numbers may be floats that are whole, as 1e6."""
    if baseline is None:
        return None
    if not isinstance(baseline, tuple) or not 2 <= len(baseline) <= 3:
        raise TypeError(f"a baseline is FprBaseline(num_queries, false_positives, bits_per_key), not {type(baseline).__name__}")
    num_queries, false_positives, bits_per_key = FprBaseline(*baseline)
    return FprBaseline(
        as_count(num_queries, "num_queries"),
        as_count(false_positives, "false_positives"),
        as_float(bits_per_key, "bits_per_key"),
    )


def _judge(
    counts: FprCounts,
    at_most: Optional[float],
    confidence: float,
    resolution: float,
    baseline: Optional[FprBaseline],
    lost: List[Tuple[int, Any]],
    absent_members: List[Tuple[int, Any]],
) -> FprResult:
    told = _linefilter.judge_fpr(
        counts,
        as_float(at_most if at_most is not None else 0, "at_most"),
        as_float(confidence, "confidence"),
        as_float(resolution, "resolution"),
        _counted(baseline),
        [(position, _text(key)) for position, key in lost],
        [(position, _text(key)) for position, key in absent_members],
    )
    return FprResult(*told, counts, tuple(lost), tuple(absent_members))


def assert_fpr(
    filter: Any,
    members: Iterable[Any],
    absent: Iterable[Any],
    *,
    at_most: Optional[float] = None,
    confidence: float = 0.99,
    resolution: float = 1.5,
    baseline: Optional[FprBaseline] = None,
) -> FprResult:
    """check_fpr, as an assertion: AssertionError with the sentence, unless the filter keeps to its limit."""
    __tracebackhide__ = True  # pytest shows the line of the test
    result = check_fpr(
        filter, members, absent, at_most=at_most, confidence=confidence, resolution=resolution, baseline=baseline
    )
    if not result.ok:
        raise AssertionError(result.sentence)
    return result


def queries_for(
    at_most: Optional[float] = None,
    *,
    confidence: float = 0.99,
    resolution: float = 1.5,
    baseline: Optional[FprBaseline] = None,
) -> int:
    """The number of absent keys with which a filter that is exactly at the limit passes in 99 % of the runs.

    With a confidence below 99 % it is that share of the runs. The number is 0 if the request makes no sense, and if no
    number is enough.

    >>> 12_000 < queries_for(0.01) < 12_600
    True
    """
    if at_most is None and baseline is None:
        raise TypeError(_NO_LIMIT)
    return _linefilter.queries_for_limit(
        as_float(at_most if at_most is not None else 0, "at_most"),
        as_float(confidence, "confidence"),
        as_float(resolution, "resolution"),
        _counted(baseline),
    )
