"""ScalableFilter: a filter that grows, for sets whose size nobody knows when the filter is made."""

from __future__ import annotations

from typing import NamedTuple, Optional, SupportsIndex, final

from . import _linefilter
from ._errors import LinefilterError
from ._key_filter import KeyFilter
from ._keys import Number, as_count
from ._options import NO_LIMIT, make_options


class Stage(NamedTuple):
    """One of the filters of which a ScalableFilter consists.

    capacity: the keys that it was made for. num_keys: those that were certainly new and went into it; more than capacity if the
    filter could not grow. num_blocks: of 64 bytes. num_probes: bits per key. fpr: its share of the bound.
    """

    capacity: int
    num_keys: int
    num_blocks: int
    num_probes: int
    fpr: float


@final
class ScalableFilter(KeyFilter):
    """A filter that grows: a row of "blocked" filters, its stages, each with room for twice the keys of the one before.

    fpr is the bound on the rate of false positives of all stages together, and holds at every moment, however many keys come.
    A lookup reads one cache line per stage. Adding a key that may have been there changes nothing. Who knows how many keys will
    come makes a BlockedFilter, which is smaller (at 1 % by a quarter to three quarters) and faster.

    >>> seen = ScalableFilter(1000, fpr=0.01)
    >>> seen.add_many(range(100_000)) > 99_000
    True
    >>> 5 in seen, len(seen.stages), seen.expected_fpr() < 0.011
    (True, 7, True)

    Threads, copies and pickles are as of a BlockedFilter.
    """

    __slots__ = ()
    _core: _linefilter.Scalable
    _open = _linefilter.Scalable.from_image

    def __init__(
        self,
        first_capacity: Number = 1000,
        *,
        fpr: float,
        max_growth: Number = 0,
        seed: SupportsIndex = 0,
        secret: Optional[bytes] = None,
        caller_hashes: bool = False,
        parquet_hash: bool = False,
        memory_limit: Optional[Number] = None,
    ) -> None:
        """Room for first_capacity keys at first.

        Args:
            first_capacity: the keys that the first stage is made for.
            fpr: the bound on the rate of false positives, between 0 and 1.
            max_growth: 0 grows without end if fpr is 2e-5 or more, and a millionfold if it is 3e-6 or more; a lower fpr needs
                max_growth (InvalidArgumentError). Else there is room for at least so many times first_capacity, and the filter is
                smaller for it.
            seed, secret, caller_hashes, parquet_hash: as of BlockedFilter.
            memory_limit: the most bytes that the filter may take: it grows no further then (growth_error).
        """
        options = make_options(
            None, fpr, "blocked", 0, seed, secret, caller_hashes, memory_limit, parquet_hash=parquet_hash
        )
        self._core = _linefilter.Scalable.create(
            as_count(first_capacity, "first_capacity"), options, as_count(max_growth, "max_growth")
        )

    @property
    def growth_error(self) -> Optional[LinefilterError]:
        """None: no stage holds more keys than it was made for, so fpr holds. Else why no further stage could be added
        (max_growth, memory_limit, no memory, a share of fpr that is too fine): keys then go on into the newest stage, none is
        lost, and the rate rises above fpr. A stage that took too many is told of still if the filter could grow later, and in
        copies, until clear()."""
        self._core.stages()  # raises in a child that was forked in the middle of a change
        try:
            self._core.check_growth()
        except LinefilterError as error:
            return error
        return None

    @property
    def stages(self) -> list[Stage]:
        """What each stage is, and how full; the oldest first."""
        return [Stage(*facts) for facts in self._core.stages()]

    @property
    def fpr(self) -> float:
        """The bound."""
        return self._core.fpr()

    @property
    def max_growth(self) -> int:
        """As it was given; 0 grows without end."""
        return self._core.max_growth()

    @property
    def memory_limit(self) -> Optional[int]:
        """As it was given; copies and pickles have the same."""
        most = self._core.memory_limit()
        return None if most == NO_LIMIT else most

    @property
    def num_keys(self) -> int:
        """How many keys were certainly new; a key that was a false positive when it came is not counted."""
        return self._core.num_keys()

    def clear(self) -> None:
        """Removes all keys, and all stages but the first."""
        self._core.clear()

    def _facts(self) -> list[str]:
        return [*super()._facts(), f"{len(self.stages)} stages"]
