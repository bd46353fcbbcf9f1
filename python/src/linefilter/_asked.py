"""Questions, alike for all that answer them; and images, for all that have one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._keys import Hashes, Key, Keys, Path, as_path, as_uint, hash_words, of_each

Self = TypeVar("Self", bound="Held")


class Held:
    """This holds an object of the extension, its core, which does the work."""

    __slots__ = ("_core", "__weakref__")
    _core: Any

    @classmethod
    def _of(cls: type[Self], core: Any) -> Self:
        made = cls.__new__(cls)
        made._core = core
        return made


class Asked(Held):
    """This answers questions."""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.Asked

    def __contains__(self, key: Key) -> bool:
        """May the key be in the set? Raises IncompatibleError for a filter of the caller's own hashes."""
        return self._core.contains(key)

    def contains_many(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """May each key be in the set? One True or False for each, several times faster than one by one.

        An array of integers is answered by an array of the same shape, without the GIL; uint64 is read where it lies, other
        integers (and arrays that are not contiguous or not in this machine's order) are made it in a copy. Any other
        iterable is answered in its order, by an array of one dimension (arrays of objects by one of their shape).
        """
        return of_each(keys, np.bool_, self._core.contains_words, self._core.contains_iterable)

    def contains_hash(self, hash: SupportsIndex) -> bool:
        """The same of a hash: of hash_key with this filter's seed or secret, or of your own in a filter of such."""
        return self._core.contains_hash(as_uint(hash, "a hash"))

    def contains_hashes(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """The same of many hashes: a uint64 array (answered in its shape) or an iterable of integers."""
        words = hash_words(hashes)
        answers = np.empty(words.shape, np.bool_)
        self._core.contains_hashes(words, answers)
        return answers


class AskedByHash(Asked):
    """This tells how its keys are hashed, too."""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.AskedByHash

    @property
    def hash_id(self) -> str:
        """How keys become hashes: "xxh3", "keyed" (with a secret) or "caller" (by yourself: there are no keys)."""
        return self._core.hash_id()

    @property
    def seed(self) -> Optional[int]:
        """The seed of the hash; None where a secret takes its place."""
        seed = self._core.seed()
        return None if self.hash_id == "keyed" else seed


class Imaged(Held):
    """This has an image."""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.Imaged

    @property
    def image_bytes(self) -> int:
        """Bytes of the image that to_bytes() makes."""
        return self._core.image_bytes()

    def save(self, path: Path) -> None:
        """The image as a file: complete and synced before it gets its name; an old file of that name stays until then."""
        self._core.save(as_path(path))
