"""Questions, alike for all that answer them."""

from __future__ import annotations

from typing import Any, Optional, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._keys import Hashes, Key, Keys, as_uint, hash_words, in_shape, split


class Asked:
    """What answers questions: a core of the extension has them."""

    __slots__ = ("_core", "__weakref__")
    _core: Any

    def __contains__(self, key: Key) -> bool:
        """May the key be in the set? Raises IncompatibleError for a filter of the caller's own hashes."""
        answer: bool = self._core.contains(key)
        return answer

    def contains_many(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """May each key be in the set? One True or False for each, several times faster than one by one.

        An array of integers is answered by an array of the same shape, without the GIL; uint64 is read where it lies, other
        integers (and arrays that are not contiguous or not in this machine's order) are made it in a copy. Any other
        iterable is answered in its order, by an array of one dimension (arrays of objects by one of their shape).
        """
        words, others, shape = split(keys)
        if words is None:
            return in_shape(self._core.contains_iterable(others), np.bool_, shape)
        answers = np.empty(words.shape, np.bool_)
        self._core.contains_words(words, answers)
        return answers

    def contains_hash(self, hash: SupportsIndex) -> bool:
        """The same of a hash: of hash_key with this filter's seed or secret, or of your own in a filter of such."""
        answer: bool = self._core.contains_hash(as_uint(hash, "a hash"))
        return answer

    def contains_hashes(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """The same of many hashes: a uint64 array (answered in its shape) or an iterable of integers."""
        words = hash_words(hashes)
        answers = np.empty(words.shape, np.bool_)
        self._core.contains_hashes(words, answers)
        return answers


class AskedByHash(Asked):
    """And tells how its keys are hashed."""

    __slots__ = ()

    @property
    def hash_id(self) -> str:
        """How keys become hashes: "xxh3", "keyed" (with a secret) or "caller" (by yourself: there are no keys)."""
        hash_id: str = self._core.hash_id()
        return hash_id

    @property
    def seed(self) -> Optional[int]:
        """The seed of the hash; None where a secret takes its place."""
        seed: int = self._core.seed()
        return None if self.hash_id == "keyed" else seed
