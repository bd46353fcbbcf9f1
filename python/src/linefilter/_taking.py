"""Insertions, alike for all filters that take keys by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._asked import AskedByHash, Imaged
from ._filter import Filter
from ._keys import Hashes, Key, Keys, as_uint, hash_words, of_each, split

Self = TypeVar("Self", bound="TakingFilter")


class Taking(AskedByHash, Imaged):
    """This takes keys."""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.Taking

    def add(self, key: Key) -> bool:
        """Adds a key. True if it was certainly new, False if it may have been there."""
        return self._core.add(key)

    def add_many(self, keys: Keys) -> int:
        """Adds keys, without the GIL where they are an array of integers. Returns how many were certainly new, each when
        its turn came. A key of the wrong type raises when it is met: those before it may have been added."""
        words, others, _ = split(keys)
        return self._core.add_iterable(others) if words is None else self._core.add_words(words, None)

    def add_new(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """The same, and tells of each key whether it was certainly new: what remains of a stream without its duplicates
        is keys[filter.add_new(keys)]. (A few new ones, as many as there are false positives, are told to be old.)"""
        return of_each(keys, np.bool_, self._core.add_words, self._core.add_each)

    def add_hash(self, hash: SupportsIndex) -> bool:
        """Adds a hash: of hash_key with this filter's seed or secret, or your own in a filter of such."""
        return self._core.add_hash(as_uint(hash, "a hash"))

    def add_hashes(self, hashes: Hashes) -> int:
        """Adds many hashes: a uint64 array or an iterable of integers. Returns how many were certainly new."""
        return self._core.add_hashes(hash_words(hashes))


class TakingFilter(Filter, Taking):
    """MutableFilter and ScalableFilter share this."""

    __slots__ = ()
    _core: Union[_linefilter.Mutable, _linefilter.Scalable]

    @property
    def memory_use(self) -> int:
        """Bytes of memory that the filter holds."""
        return self._core.memory_use()

    def to_bytes(self) -> bytes:
        """The image of the keys so far (doc/FORMAT.md): for FilterView, from_bytes, and every other language."""
        return self._core.to_bytes()

    def __copy__(self: Self) -> Self:
        return self._of(self._core.copy())
