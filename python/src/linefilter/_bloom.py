"""Bloom: a filter in the manner of a set, with defaults."""

from __future__ import annotations

from typing import Any, Optional, SupportsIndex, final

from . import _linefilter
from ._filter import Filter
from ._keys import Bytes, Number, as_count
from ._options import make_options
from ._view import FilterView


@final
class Bloom(Filter):
    """A Bloom filter as a set: Bloom(num_keys, fpr), or Bloom(fpr=fpr), which grows with its keys.

    >>> seen = Bloom(1e6, 0.01)
    >>> seen.update(["alice", "bob"])
    >>> "alice" in seen, "carol" in seen, len(seen)
    (True, False, 2)

    For a number of keys it is a BlockedFilter: `a | b` unites what was made for the same number. Without, it is a ScalableFilter: a
    quarter larger and more, and refused by `|` and fold(). load() and from_bytes() take any image that takes keys.
    """

    __slots__ = ()
    _layout = "blocked"

    def __init__(
        self,
        num_keys: Optional[Number] = None,
        fpr: float = 0.01,
        *,
        seed: SupportsIndex = 0,
        secret: Optional[bytes] = None,
        memory_limit: Optional[Number] = None,
    ) -> None:
        """Room for num_keys keys; None: it grows. fpr is the highest acceptable rate of false positives; the rest as of BlockedFilter."""
        options = make_options(None, fpr, self._layout, 0, seed, secret, False, memory_limit)
        core: Any
        if num_keys is None:
            core = _linefilter.Scalable.create(1000, options, 0)
        else:
            core = _linefilter.Filter.create(as_count(num_keys, "num_keys"), options)
        self._core = core

    @staticmethod
    def _open(image: Bytes, secret: Optional[bytes], memory_limit: int) -> Any:
        if FilterView(image, verify="trusted", secret=secret).layout == "container":
            return _linefilter.Scalable.from_image(image, secret, memory_limit)
        return _linefilter.Filter.from_image("auto", image, secret, memory_limit)
