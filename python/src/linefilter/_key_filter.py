"""KeyFilter: a filter that takes keys, however it lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Optional, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._filter_base import Asked, FilterBase, Held, Imaged
from ._keys import Bytes, Hashes, Key, Keys, as_uint, hash_words, of_each, split
from ._options import limit

Told = TypeVar("Told")  # of a key: whether it was new
Count = TypeVar("Count")  # of many: how many were
Self = TypeVar("Self", bound="KeyFilter")


class Taking(Held, _linefilter.TakingHolder, Generic[Told, Count]):
    """This takes keys. (A FilterBuilder tells nothing of them.)"""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.Taking[Told, Count]

        def add(self, key: Key) -> Told:  # the extension's, without a Python frame
            ...

    def add_many(self, keys: Keys) -> Count:
        """Adds keys, without the GIL where they are an array of integers. A filter returns how many were certainly new, each
        when its turn came. A key of the wrong type raises when it is met: those before it may have been added."""
        words, others, _ = split(keys)
        return self._core.add_iterable(others) if words is None else self._core.add_words(words)

    def add_hash(self, hash: SupportsIndex) -> Told:
        """Adds a hash: of hash_key with the seed or secret of this one, or your own where caller_hashes is set."""
        return self._core.add_hash(as_uint(hash, "a hash"))

    def add_hashes(self, hashes: Hashes) -> Count:
        """Adds many hashes: a uint64 array or an iterable of integers. A filter returns how many were certainly new."""
        return self._core.add_hashes(hash_words(hashes))


class TakingFilter(Asked, Taking[bool, int], Imaged):
    """This is asked, takes keys and has an image, wherever its bits are."""

    __slots__ = ()
    _core: _linefilter.TakingFilter

    def add_new(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Adds keys, and tells of each whether it was certainly new: what remains of a stream without its duplicates
        is keys[filter.add_new(keys)]. (A few new ones, as many as there are false positives, are told to be old.)"""
        return of_each(keys, np.bool_, self._core.add_words, self._core.add_each)


class KeyFilter(FilterBase, TakingFilter):
    """A filter that takes keys and has an image: a BlockedFilter, ClassicFilter, CountingBlockedFilter, ScalableFilter or
    RotatingFilter. Code that only fills filters, asks them and saves them works with each."""

    __slots__ = ()
    _core: _linefilter.KeyCore

    @classmethod
    def from_bytes(
        cls: type[Self], image: Bytes, *, secret: Optional[bytes] = None, memory_limit: Optional[SupportsIndex] = None
    ) -> Self:
        """A filter of an image that one of this class wrote, verified and copied, which takes more keys and goes on as that would.
        (BlockedFilter, ClassicFilter and CountingBlockedFilter take any image of their layout.)

        The image of no keys has no size: it becomes an empty filter of one block with the image's num_probes, which a few dozen
        keys fill. To add keys, make one for their number. Of an image from others set memory_limit: that of a ScalableFilter
        says how large the next stage will be, up to some hundred times its own bytes."""
        return cls._of(cls._open(image, secret, limit(memory_limit)))

    @staticmethod
    def _open(image: Bytes, secret: Optional[bytes], memory_limit: int) -> _linefilter.KeyCore:
        raise TypeError("call from_bytes of the class that wrote the image")

    @property
    def memory_use(self) -> int:
        """Bytes of memory that the filter holds."""
        return self._core.memory_use()

    def __copy__(self: Self) -> Self:
        return self._of(self._core.copy())

    def __reduce__(self) -> Any:
        self._refuse_to_pickle_a_secret()
        return type(self).from_bytes, (self.to_bytes(),)
