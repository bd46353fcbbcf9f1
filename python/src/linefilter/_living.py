"""RotatingFilter and SwappableFilter: sets that change while they are asked."""

from __future__ import annotations

from typing import NoReturn, Optional, SupportsIndex, Union, final

from . import _linefilter
from ._filter import Filter
from ._filter_base import FilterBase, SizeEstimate, closed_error
from ._key_filter import KeyFilter
from ._keys import Number, as_count, as_uint
from ._options import make_options
from ._scalable import ScalableFilter
from ._view import FilterView


def _not_copied(living: FilterBase) -> NoReturn:
    raise TypeError(f"a {type(living).__name__} is not copied or pickled: other threads may be changing it")


@final
class RotatingFilter(KeyFilter):
    """The keys of a sliding window: what is too old is forgotten, in steps.

    Keys go into the newest of some generations, questions ask all of them, and a rotation drops the oldest. A key is True
    ("maybe") until as many rotations as there are generations have come since it was added; adding it again begins its
    window anew. From any thread, without a lock: adding, asking and rotating. A process that is forked may add and ask. If another
    thread rotated or saved at that moment (by count: or added), rotating and saving (by count: and adding) raise InvalidArgumentError
    there, for they would wait for that thread.

    The image is a snapshot, made while others add. A rotation waits for it; by count, the newest generation takes more keys than it
    is made for meanwhile, so that the rate rises with the time it takes. There is memory for all generations and a spare one.

    >>> seen = RotatingFilter(1000, generations=3, fpr=0.01)
    >>> seen.add("a"), seen.add("a")
    (True, False)
    >>> seen.rotate(), "a" in seen, seen.rotate(), "a" in seen, seen.rotate(), "a" in seen
    (1, True, 2, True, 3, False)
    """

    __slots__ = ()
    _core: _linefilter.Rotating
    _open = _linefilter.Rotating.from_image

    def __init__(
        self,
        window_keys: Number,
        *,
        generations: SupportsIndex = 4,
        by_count: bool = False,
        bits_per_key: Optional[float] = None,
        fpr: Optional[float] = None,
        num_probes: SupportsIndex = 0,
        seed: SupportsIndex = 0,
        secret: Optional[bytes] = None,
        caller_hashes: bool = False,
        parquet_hash: bool = False,
        memory_limit: Optional[Number] = None,
    ) -> None:
        """Room for window_keys different keys within a window, which is generations - 1 rotations long.

        Args:
            window_keys: how many different keys come within a window.
            generations: 2 to 64; more of them forget in finer steps and take longer to ask.
            by_count: rotate by itself, when window_keys / (generations - 1) keys went into the newest generation; else call
                rotate(), by the clock.
            fpr: the highest acceptable rate of false positives, of all generations together.
            bits_per_key: in place of fpr, for each generation; their rates add up.
            num_probes, seed, secret, caller_hashes, parquet_hash, memory_limit: as of BlockedFilter.
        """
        options = make_options(
            bits_per_key,
            fpr,
            "blocked",
            num_probes,
            seed,
            secret,
            caller_hashes,
            memory_limit,
            parquet_hash=parquet_hash,
        )
        self._core = _linefilter.Rotating.create(
            as_count(window_keys, "window_keys"), as_uint(generations, "generations", 2**32 - 1), bool(by_count), options
        )

    def rotate(self) -> int:
        """Drops the oldest generation and begins a new one, whose number is returned."""
        return self._core.rotate()

    @property
    def generation(self) -> int:
        """Rotations so far."""
        return self._core.generation()

    @property
    def generations(self) -> int:
        """How many generations are asked."""
        return self._core.num_generations()

    @property
    def keys_per_generation(self) -> int:
        """How many keys each generation is made for."""
        return self._core.keys_per_generation()

    @property
    def by_count(self) -> bool:
        """Does it rotate by itself?"""
        return self._core.by_count()

    def fill_ratio_of_age(self, age: SupportsIndex) -> float:
        """Share of one bits of the generation that began `age` rotations ago; 0 is the newest."""
        return self._core.fill_ratio_of_age(as_uint(age, "age", 2**32 - 1))

    def approximate_size_of_age(self, age: SupportsIndex) -> SizeEstimate:
        """Different keys of that generation, estimated from its bits, with the standard error."""
        return SizeEstimate(*self._core.approximate_size_of_age(as_uint(age, "age", 2**32 - 1)))

    __reduce__ = __copy__ = _not_copied

    def _facts(self) -> list[str]:
        return [*super()._facts(), f"{self.generations} generations"]


@final
class SwappableFilter(FilterBase):
    """A filter that is replaced while it is asked: made anew from the source of truth, the old one serving meanwhile.

    Until something serves, every answer is True ("maybe"). A question, or an array of them, is answered by one filter as a
    whole; an iterable group by group. What it tells of itself, such as layout or expected_fpr(), is told by what serves then.
    From any thread, without a lock. A process that is forked may ask. If another thread asked or swapped at that moment, swapping
    raises InvalidArgumentError there, for it would wait for that thread.

    >>> users = SwappableFilter()
    >>> "anybody" in users
    True
    >>> from linefilter import BlockedFilter
    >>> rebuilt = BlockedFilter(100, fpr=0.01)
    >>> users.swap(rebuilt)
    >>> "anybody" in users
    False
    """

    __slots__ = ()
    _core: _linefilter.Swappable

    def __init__(self) -> None:
        self._core = _linefilter.Swappable()

    def swap(self, filter: Union[FilterView, Filter, ScalableFilter]) -> None:
        """`filter` serves from now on: a FilterView, a FilterFile, or a copy of a Filter or ScalableFilter as it is now. A file
        that is verified lazily is verified to its end before; only what was opened as "trusted" is believed. It returns when
        nobody asks the old one any more.

        CorruptError, and the old one stays, if the new one is damaged or broken. IncompatibleError if its hash, seed or secret is
        another, for whoever hashes by himself would lose keys. InvalidArgumentError for the view that serves already."""
        if isinstance(filter, FilterView):
            if filter.closed:
                raise closed_error()
            self._core.swap(filter._core)
        elif isinstance(filter, (Filter, ScalableFilter)):
            self._core.swap(filter._core.copy())
        else:
            raise TypeError(f"a FilterView, Filter or ScalableFilter is expected, not {type(filter).__name__}")

    def clear(self) -> None:
        """Nothing serves until the next swap, which may bring another hash or seed."""
        self._core.clear()

    @property
    def serves(self) -> bool:
        """Does anything serve?"""
        return self.layout != "auto"

    @property
    def num_swaps(self) -> int:
        """How often what serves was switched, clear() included."""
        return self._core.num_swaps()

    __reduce__ = _not_copied

    def __repr__(self) -> str:
        return f"<SwappableFilter: {self.num_swaps} swaps{'' if self.serves else ', nothing serves'}>"
