"""FprMonitor: watches the false-positive rate of a filter in production."""

from __future__ import annotations

from typing import Any, Iterable, Literal, NamedTuple, SupportsIndex, Tuple, final

import numpy as np

from . import _linefilter
from ._errors import InvalidArgumentError
from ._keys import as_count, as_float

Verdict = Literal["as expected", "too early", "more than expected", "members lost"]


class FprMonitorCounts(NamedTuple):
    """What was counted.

    asked: lookups in the filter. maybes: those that it answered True. false_positives: those of which the store did not
    have the key. lost: lookups that it answered False, of keys that the store had.
    """

    asked: int
    maybes: int
    false_positives: int
    lost: int

    @property
    def absent_keys(self) -> int:
        """The lookups of absent keys: those the rate is a share of."""
        return max(0, self.asked - self.maybes + self.false_positives - self.lost)


class FprMonitorReport(NamedTuple):
    """What a monitor found.

    verdict: "as expected", "too early" to tell, "more than expected" or "members lost". sentence: the same, for people.
    fpr: the observed rate of the recent lookups, from fpr_low to fpr_high by its exact interval. expected_fpr: the lower
    one of what was handed in and what was planned. recent: the last 100 to 200 expected false positives. since_restart:
    since the monitor was made or restarted. all: since it was made.
    """

    verdict: Verdict
    sentence: str
    fpr: float
    fpr_low: float
    fpr_high: float
    expected_fpr: float
    recent: FprMonitorCounts
    since_restart: FprMonitorCounts
    all: FprMonitorCounts


def _share(value: Any, name: str, most_is_one: bool) -> float:
    number = as_float(value, name)
    if 0 < number < 1 or (number == 1 and most_is_one):
        return number
    raise InvalidArgumentError(f"{name} is a share above 0 and {'at most' if most_is_one else 'below'} 1, not {value!r}")


@final
class FprMonitor(_linefilter.MonitorHolder):
    """Counts what a filter answered and what the store then said, and tells whether there are too many false positives.

    Any number of threads may count. read may be called as often as you like: a filter whose rate is at most 1.1 times
    (tolerance) the expected one is called "more than expected" with a probability of at most 1 % (confidence) over the
    whole life of the monitor.

    >>> import linefilter
    >>> users = linefilter.Bloom(1000, 0.01)
    >>> monitor = FprMonitor(planned_fpr=0.01)
    >>> for name in map(str, range(5000)):
    ...     maybe = name in users
    ...     monitor.asked(maybe)
    ...     if maybe: monitor.was_absent()  # where the store does not have the name
    >>> monitor.read(0.01).verdict
    'as expected'
    """

    __slots__ = ()

    def __init__(self, *, planned_fpr: float = 1, confidence: float = 0.99, tolerance: float = 0.1) -> None:
        spare = as_float(tolerance, "tolerance")
        if not 0 <= spare < float("inf"):
            raise InvalidArgumentError(f"tolerance is a share, 0 or more, not {tolerance!r}")
        self._core = _linefilter.Monitor(
            _share(planned_fpr, "planned_fpr", True), _share(confidence, "confidence", False), spare
        )

    def asked_many(self, answers: Any) -> None:
        """The filter was asked for many keys, and these were its answers: an array of contains_many, or other booleans."""
        array = np.asarray(answers, np.bool_)
        self._core.asked_many(array.size, int(np.count_nonzero(array)))

    def was_absent(self, count: SupportsIndex = 1) -> None:
        """The store did not have a key (`count` keys) that the filter answered True for."""
        self._core.was_absent(as_count(count, "count"))

    def was_lost(self, count: SupportsIndex = 1) -> None:
        """The store had a key that the filter answered False for, and had it already when the filter was asked."""
        self._core.was_lost(as_count(count, "count"))

    def read(self, expected_fpr: float) -> FprMonitorReport:
        """Judges. expected_fpr is filter.expected_fpr() of now, which looks at the whole filter: once a minute is enough."""
        told = self._core.read(as_float(expected_fpr, "expected_fpr"))
        return FprMonitorReport(*told[:-3], *(FprMonitorCounts(*counts) for counts in told[-3:]))

    def restart(self) -> None:
        """Begins a new judgement, for instance after SwappableFilter.swap. What was counted before is in `all` only."""
        self._core.restart()

    @staticmethod
    def prometheus(monitors: Iterable[Tuple[FprMonitor, float, str]]) -> str:
        """A text in the exposition format of Prometheus, of (monitor, expected_fpr, name of the filter) each."""
        series = []
        for one, rate, name in monitors:
            if not isinstance(one, FprMonitor):
                raise TypeError(f"prometheus takes (FprMonitor, expected_fpr, name) each, not {type(one).__name__}")
            text = str(name).encode("utf-8", "replace").decode()  # half a surrogate is no UTF-8
            series.append((one._core, as_float(rate, "expected_fpr"), text))
        return _linefilter.prometheus(series)
