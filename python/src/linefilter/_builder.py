"""FilterBuilder and build(): keys in, one image out, sized by the keys that really came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, SupportsIndex

from . import _linefilter
from ._filter_base import FilterBase
from ._key_filter import Taking, TakingColumns
from ._keys import Keys, Number, Path, as_path
from ._options import Layout, make_options
from ._view import FilterView


class FilterBuilder(Taking[None, None], TakingColumns):
    """Takes keys, and makes an image of them, of any layout: also "retrieval", which has a sixth of the false positives of
    "blocked" and cannot be added to.

    Memory: 8 bytes per key, and the image while it is made. Adjacent duplicates take none, but in what gives keys back
    (removable), which keeps them: a key is to be removed as often as it was added. Safe from any thread, one at a time; arrays
    of integers are added, and images made, without the GIL. Cannot be copied or pickled. In a process forked while
    another thread uses it, every use raises InvalidArgumentError (see Filter).
    """

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.Builder

    def __init__(
        self,
        *,
        bits_per_key: Optional[float] = None,
        fpr: Optional[float] = None,
        layout: Layout = "auto",
        num_probes: SupportsIndex = 0,
        seed: SupportsIndex = 0,
        secret: Optional[bytes] = None,
        caller_hashes: bool = False,
        parquet_hash: bool = False,
        memory_limit: Optional[Number] = None,
        threads: SupportsIndex = 1,
        foldable: bool = False,
        like: Optional[FilterBase] = None,
        num_keys: Optional[Number] = None,
        removable: bool = False,
        turnovers: SupportsIndex = 0,
    ) -> None:
        """Arguments as of BlockedFilter, and:

        Args:
            like: a filter with which the image is to be united: its layout, size, num_probes and hash.
            layout: "auto" is "blocked", or "classic" for a tiny set; the others have to be asked for.
            removable: keys can be removed from a filter of this image, each as often as it was added; "auto" is then "quotient".
            turnovers: fpr is the rate after so many turnovers, in each of which all keys were replaced. Goes with removable.
            memory_limit: the most bytes that the builder may hold, with the image.
            threads: how many threads may make an image of millions of keys, and take the hashes of add_hashes where those
                are millions. Keys are hashed by the thread that adds them. The bytes are the same with any.
            num_keys: how many keys to size for, whatever comes. Without it, up to 4096 keys are counted without repeats.
                More are, too, where a sample shows that all are more than 1.05 times the distinct ones. Else the size is
                for all that came. The order does not matter. What gives keys back counts each key each time.
        """
        options = make_options(
            bits_per_key,
            fpr,
            layout,
            num_probes,
            seed,
            secret,
            caller_hashes,
            memory_limit,
            threads,
            foldable,
            like,
            num_keys,
            parquet_hash,
            removable,
            turnovers,
        )
        self._core = _linefilter.Builder(options)

    @property
    def num_keys(self) -> int:
        """Keys that were added so far, each time that they came. The image's num_keys is what its size is for."""
        return self._core.num_keys()

    @property
    def image_bytes(self) -> int:
        """Bytes of the image that finish() would make now. It may count all distinct keys: ask once they are in."""
        return self._core.image_bytes()

    def finish(self) -> FilterView:
        """The filter of the keys so far. The builder is then empty again; after an error it keeps its keys."""
        return FilterView._of(self._core.finish())

    def finish_to_file(self, path: Path) -> None:
        """The same as a file: complete and synced before it gets its name; an old file of that name stays until then."""
        self._core.finish_to_file(as_path(path))

    def reset(self) -> None:
        """Forgets all keys."""
        self._core.reset()

    def __reduce__(self) -> Any:
        raise TypeError("a builder is not copied or pickled: send the image that it makes")

    def __repr__(self) -> str:
        return f"<FilterBuilder: {self.num_keys} keys>"


def build(
    keys: Keys,
    *,
    bits_per_key: Optional[float] = None,
    fpr: Optional[float] = None,
    layout: Layout = "auto",
    num_probes: SupportsIndex = 0,
    seed: SupportsIndex = 0,
    secret: Optional[bytes] = None,
    memory_limit: Optional[Number] = None,
    threads: SupportsIndex = 1,
    foldable: bool = False,
    like: Optional[FilterBase] = None,
    num_keys: Optional[Number] = None,
    parquet_hash: bool = False,
    removable: bool = False,
    turnovers: SupportsIndex = 0,
) -> FilterView:
    """The filter of these keys: an array of integers or any iterable. Arguments as of FilterBuilder.

    >>> primes = build([2, 3, 5, 7], fpr=0.001)
    >>> 5 in primes, 6 in primes
    (True, False)
    """
    options = make_options(
        bits_per_key,
        fpr,
        layout,
        num_probes,
        seed,
        secret,
        False,
        memory_limit,
        threads,
        foldable,
        like,
        num_keys,
        parquet_hash,
        removable,
        turnovers,
    )
    builder = FilterBuilder._of(_linefilter.Builder(options))
    builder.add_many(keys)
    return builder.finish()
