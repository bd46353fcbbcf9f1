"""BlockedFilter, QuotientFilter and the others of one layout each: filters that take keys for as long as they live."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Optional, SupportsIndex, final

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._errors import IncompatibleError
from ._filter_base import FilterBase
from ._key_filter import KeyFilter
from ._keys import Hashes, Key, Keys, Number, as_count, as_float, as_uint, hash_words, of_each
from ._options import make_options


class Filter(KeyFilter):
    """What Bloom, BlockedFilter, QuotientFilter, SplitBlockFilter and ClassicFilter share.

    Safe from any thread: one adds, or any number ask; whoever comes meanwhile waits (arrays let others in after every 65,536
    keys). A forked child waits for no thread of its parent: if one was changing the filter at that moment, every use of it in
    the child raises InvalidArgumentError. Fork before, or let multiprocessing start its processes by "spawn" or "forkserver".

    Copies (copy.copy and copy.deepcopy) are filters of their own. Pickles hold the image; a filter with a secret refuses,
    because the pickle would have to hold the secret: send to_bytes(), and give the secret to from_bytes() over there.
    """

    __slots__ = ()
    _core: _linefilter.Filter
    _layout: ClassVar[str]

    def __init__(
        self,
        num_keys: Number,
        *,
        bits_per_key: Optional[float] = None,
        fpr: Optional[float] = None,
        num_probes: SupportsIndex = 0,
        seed: SupportsIndex = 0,
        secret: Optional[bytes] = None,
        caller_hashes: bool = False,
        parquet_hash: bool = False,
        memory_limit: Optional[Number] = None,
        foldable: bool = False,
        like: Optional[FilterBase] = None,
    ) -> None:
        """Room for num_keys keys; more of them raise the rate of false positives.

        Args:
            num_keys: how many different keys will be added, as 1_000_000 or 1e6.
            bits_per_key: 1 to 64. Give this or fpr; 10 makes a rate of about 1 %.
            fpr: the highest acceptable rate of false positives, between 0 and 1.
            num_probes: 0 is the best for the density; goes with bits_per_key only.
            seed: filters whose false positives should differ need different ones. No defence against an adversary.
            secret: 16 random bytes (secrets.token_bytes(16)) that you keep, for keys from an adversary; in place of a seed.
            caller_hashes: you hash, and use the ..._hash and ..._hashes calls only. (Poor hashes: mix_hashes.)
            parquet_hash: keys are hashed as Parquet files have them (see linefilter.parquet_hash); in place of a seed.
            memory_limit: the most bytes that the filter may take; beyond, OverLimitError.
            foldable: a multiple of 64 blocks, so that fold() has many factors; num_probes then follows from bits_per_key or
                fpr alone. To unite filters, make each for the keys of all. Not of ClassicFilter.
            like: another filter of this layout, or a view of one, with which this one is to be united: its size, num_probes
                and hash count, in place of the others.
        """
        if type(self) is Filter:
            raise TypeError("make a Bloom, a BlockedFilter, a QuotientFilter, or another filter of one layout")
        options = make_options(
            bits_per_key,
            fpr,
            self._layout,
            num_probes,
            seed,
            secret,
            caller_hashes,
            memory_limit,
            foldable=foldable,
            like=like,
            parquet_hash=parquet_hash,
        )
        self._core = _linefilter.Filter.create(as_count(num_keys, "num_keys"), options)

    def fold(self, factor: SupportsIndex) -> None:
        """Makes the filter `factor` times smaller: to the bit what it would be if it had been made of that size with the same
        num_probes. No key is lost, more keys can come, and the memory is given back. InvalidArgumentError unless factor
        divides num_blocks (foldable=True makes many that do); a ClassicFilter cannot be folded."""
        self._of_one_size("folded").fold(as_uint(factor, "factor"))

    def fold_to_fpr(self, fpr: float) -> None:
        """Folds to the least size whose expected_fpr(), of these very bits, is still at most fpr. Do it when all keys are in.
        InvalidArgumentError if even now it is above."""
        self._of_one_size("folded").fold_to_fpr(as_float(fpr, "fpr"))

    def clear(self) -> None:
        """Removes all keys; size and memory stay."""
        self._core.clear()


@final
class BlockedFilter(Filter):
    """A filter that takes keys, one cache line per lookup and per insertion: the layout "blocked".

    >>> users = BlockedFilter(1_000_000, fpr=0.01)
    >>> users.add("alice@example.org")
    True
    >>> "alice@example.org" in users, "bob@example.org" in users
    (True, False)
    """

    __slots__ = ()
    _layout = "blocked"
    _open = partial(_linefilter.Filter.from_image, _layout)


@final
class SplitBlockFilter(Filter):
    """The filter of Parquet files, in blocks of 32 bytes: the layout "split_block". With parquet_hash=True its bits are
    Parquet's, and linefilter.parquet writes it into a file.

    In cache it has the fastest single lookups. Its rate is 1.3 times that of a BlockedFilter of the same size, at 10 bits per
    key. Each key has 8 bits, one in each word of a block, so there is no num_probes to choose.

    >>> cities = SplitBlockFilter(1_000_000, fpr=0.01, parquet_hash=True)
    >>> cities.add("berlin")
    True
    >>> "berlin" in cities, "paris" in cities
    (True, False)
    """

    __slots__ = ()
    _layout = "split_block"
    _open = partial(_linefilter.Filter.from_image, _layout)


@final
class QuotientFilter(Filter):
    """The filter with the fewest false positives of those that keys are added to: the layout "quotient". At 10 bits per key it
    has three fifths of those of a BlockedFilter, and at 12 less than half. It reads one cache line, and takes longer to ask and to fill.

    With removable=True its keys can be removed. THE RATE THEN RISES as keys come and go; turnovers sizes the filter for that
    (doc/guide/delete.md). Remove a key as often as it was added, and only then. The filter cannot see that a key was never
    added if it answers "maybe" (a false positive): removing it loses another key, so ask the exact store first. A key that was
    added twice is there until it is removed twice.

    >>> online = QuotientFilter(1_000_000, fpr=0.01, removable=True)
    >>> online.add("alice")
    True
    >>> online.remove("alice"), "alice" in online, online.remove("alice")
    (True, False, False)
    """

    __slots__ = ()
    _layout = "quotient"
    _open = partial(_linefilter.Filter.from_image, _layout)

    def __init__(
        self,
        num_keys: Number,
        *,
        bits_per_key: Optional[float] = None,
        fpr: Optional[float] = None,
        num_probes: SupportsIndex = 0,
        removable: bool = False,
        turnovers: SupportsIndex = 0,
        seed: SupportsIndex = 0,
        secret: Optional[bytes] = None,
        caller_hashes: bool = False,
        parquet_hash: bool = False,
        memory_limit: Optional[Number] = None,
        foldable: bool = False,
        like: Optional[FilterBase] = None,
    ) -> None:
        """Room for num_keys keys at the same time; more of them raise the rate of false positives.

        Args:
            removable: keys can be removed, each as often as it was added.
            turnovers: fpr is the rate after so many turnovers, in each of which as many keys came and went as are in. It goes
                with removable. 100 are for ever.
            num_keys, bits_per_key, fpr, seed, secret, caller_hashes, parquet_hash, memory_limit, foldable, like: as of
                BlockedFilter.
            num_probes: 0, for there is none to choose.
        """
        options = make_options(
            bits_per_key,
            fpr,
            self._layout,
            num_probes,
            seed,
            secret,
            caller_hashes,
            memory_limit,
            foldable=foldable,
            like=like,
            parquet_hash=parquet_hash,
            removable=removable,
            turnovers=turnovers,
        )
        self._core = _linefilter.Filter.create(as_count(num_keys, "num_keys"), options)

    @property
    def removable(self) -> bool:
        """Whether keys can be removed: what it was made for."""
        return self.num_probes == 1

    def remove(self, key: Key) -> bool:
        """Takes a key out once. False: refused, it was certainly absent, and nothing changed."""
        return self._giving.remove(key)

    def remove_many(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Takes keys out, one after the other, without the GIL where they are an array of integers. Tells of each whether
        it was removed. A key of the wrong type raises when it is met: those before it may have been removed."""
        return of_each(keys, np.bool_, self._giving.remove_words, self._giving.remove_each)

    def remove_hash(self, hash: SupportsIndex) -> bool:
        """Takes out a hash: of hash_key with this filter's seed or secret, or your own in a filter of such."""
        return self._giving.remove_hash(as_uint(hash, "a hash"))

    def remove_hashes(self, hashes: Hashes) -> int:
        """Takes out many hashes: a uint64 array or an iterable of integers. Returns how many were removed."""
        return self._giving.remove_hashes(hash_words(hashes))

    def _shape(self) -> list[str]:
        return ["removable"] if self.removable else []

    @property
    def _giving(self) -> _linefilter.Filter:
        """The core, if keys can be removed."""
        if not self.removable:
            raise IncompatibleError("keys cannot be removed from this filter: make it with removable=True")
        return self._core


@final
class ClassicFilter(Filter):
    """Bloom's filter of 1970: the layout "classic", a baseline, and the smallest for tiny sets."""

    __slots__ = ()
    _layout = "classic"
    _open = partial(_linefilter.Filter.from_image, _layout)
