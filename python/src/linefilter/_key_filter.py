"""KeyFilter: a filter that takes keys, however it lives."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Optional, SupportsIndex, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._columns import Column, EachForm, EachNulls, EachScale, ask, make_columns, with_arguments
from ._errors import IncompatibleError, UnsupportedError
from ._filter_base import Asked, FilterBase, Held, Imaged, open_core
from ._keys import Bytes, Hashes, Key, Keys, Number, Path, as_float, as_path, as_uint, hash_words, of_each, split
from ._options import NO_LIMIT, limit, verify_mode

Told = TypeVar("Told")  # of a key: whether it was new
Count = TypeVar("Count")  # of many: how many were
Self = TypeVar("Self", bound="KeyFilter")


class Taking(Held, _linefilter.TakingHolder, Generic[Told, Count]):
    """This takes keys. (A FilterBuilder tells nothing of them.)"""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.Taking[Told, Count]

        def add(self, key: Key, /) -> Told:  # the extension's, without a Python frame
            ...

    def add_many(self, keys: Keys) -> Count:
        """Adds keys, without the GIL where they are an array of integers. A filter returns how many were certainly new, each
        when its turn came. A key of the wrong type raises when it is met: those before it may have been added."""
        words, others, _ = split(keys)
        return self._core.add_iterable(others) if words is None else self._core.add_words(words)

    def add_hash(self, hash: SupportsIndex) -> Told:
        """Adds a hash: of hash_key with the seed or secret of this one, of parquet_hash, or your own, as it was made."""
        return self._core.add_hash(as_uint(hash, "a hash"))

    def add_hashes(self, hashes: Hashes) -> Count:
        """Adds many hashes: a uint64 array or an iterable of integers. A filter returns how many were certainly new."""
        return self._core.add_hashes(hash_words(hashes))


class TakingColumns(Held):
    """This takes columns."""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.TakingColumns

    @with_arguments
    def add_column(
        self,
        column: Column,
        *,
        nulls: EachNulls = "never",
        form: EachForm = None,
        scale: EachScale = None,
        common_scale: EachScale = None,
    ) -> None:
        """Adds the value of each row, without the GIL. A null is added if nulls is "value", and else left out.

        The filter is to be asked with the same form. The form is remembered, in the image, too: a column of another one is an
        IncompatibleError, and nothing is added. Values of a column of integers, or of texts, are the keys of add_many(); those
        of other columns are the keys of columns alone."""
        ask(self._core.add_column, make_columns(column, nulls, form, scale, common_scale))


class TakingFilter(Asked, Taking[bool, int], Imaged):
    """This is asked, takes keys and has an image, wherever its bits are."""

    __slots__ = ()
    _core: _linefilter.TakingFilter

    def add_new(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Adds keys, and tells of each whether it was certainly new: what remains of a stream without its duplicates
        is keys[filter.add_new(keys)]. (A few new ones, as many as there are false positives, are told to be old.)"""
        return of_each(keys, np.bool_, self._core.add_words, self._core.add_each)


class KeyFilter(FilterBase, TakingFilter, TakingColumns):
    """A filter that takes keys and has an image: a Bloom, BlockedFilter, QuotientFilter, SplitBlockFilter, ClassicFilter,
    ScalableFilter or RotatingFilter. Code that only fills filters, asks them and saves them works with each.

    Two are equal if their images are: layout, size, hash, key_kind and every bit. As they change, they are not hashable, as a set is
    not."""

    __slots__ = ()
    _core: _linefilter.KeyCore

    @classmethod
    def from_bytes(
        cls: type[Self], image: Bytes, *, secret: Optional[bytes] = None, memory_limit: Optional[Number] = None
    ) -> Self:
        """A filter of an image that one of this class wrote, verified and copied, which takes more keys and goes on as that would.
        (BlockedFilter, QuotientFilter, SplitBlockFilter and ClassicFilter take any image of their layout.)

        The image of no keys has no size: it becomes an empty filter of one block with the image's num_probes, which a few dozen
        keys fill. To add keys, make one for their number. Of an image from others set memory_limit: that of a ScalableFilter
        says how large the next stage will be, up to some hundred times its own bytes."""
        return cls._of(cls._open(image, secret, limit(memory_limit)))

    @classmethod
    def load(
        cls: type[Self], path: Path, *, secret: Optional[bytes] = None, memory_limit: Optional[Number] = None
    ) -> Self:
        """The same of a file, as save() writes it: a copy in memory, which takes more keys. The file is read whole before it is
        copied, and memory_limit counts each alone. To ask only, FilterFile maps the file."""
        most = limit(memory_limit)
        # It is not mapped, because a process that cuts the file short would end this one.
        file = _linefilter.Image.open(as_path(path), verify_mode("whole"), True, False, most, secret, False)
        return cls.from_bytes(file, secret=secret, memory_limit=memory_limit)

    @staticmethod
    def _open(image: Bytes, secret: Optional[bytes], memory_limit: int) -> _linefilter.KeyCore:
        raise TypeError("call from_bytes of the class that wrote the image")

    @property
    def memory_use(self) -> int:
        """Bytes of memory that the filter holds."""
        return self._core.memory_use()

    def update(self, *others: Union[Keys, FilterBase], max_fpr: Optional[float] = None) -> None:
        """Takes all keys of each: of an array or iterable, as by add_many, or of another filter in memory, also by filter |= other.

        IncompatibleError unless layout, num_probes, hash and seed (or secret) are the same, and of the layout "classic" the size; an
        image is verified first. Filters whose keys can be removed add up: a key that is in both must be removed twice.
        What grows or forgets is united with nothing (UnsupportedError).

        A union of unequal sizes shrinks this filter: both are folded to the greatest common divisor of their num_blocks,
        which may be a single block, where nearly everything would be "maybe". So a union whose expected rate would be above
        max_fpr is an IncompatibleError, and nothing changes; 1 permits any union. By default one of unequal sizes is refused
        if its rate would be above twice that of the same keys in the larger size, or its share of "absent" below half of
        theirs. A max_fpr that is not within 0 and 1 is an InvalidArgumentError."""
        most = 0.0 if max_fpr is None else as_float(max_fpr, "max_fpr")
        for other in others:
            if isinstance(other, FilterBase):
                self._unite(open_core(other), most)
            else:
                self.add_many(other)

    def _unite(self, other: _linefilter.Core, max_fpr: float) -> None:
        own = self._of_one_size("united with another")
        if isinstance(other, _linefilter.ParquetView):
            raise UnsupportedError("a filter in a Parquet file is united as a copy of it: pass view.to_filter()")
        if not isinstance(other, (_linefilter.Filter, _linefilter.Image)):
            raise UnsupportedError(
                "what grows, forgets or is replaced is united with no other: add its keys to this one, from where they came"
            )
        try:
            own.union(other, max_fpr) if isinstance(other, _linefilter.Filter) else own.union_image(other, max_fpr)
        except IncompatibleError as error:
            raise IncompatibleError(f"{error}. Those of one class, num_keys, fpr and seed or secret unite") from None

    def _of_one_size(self, done: str) -> _linefilter.Filter:
        if isinstance(self._core, _linefilter.Filter):
            return self._core
        raise UnsupportedError(
            f"a filter that grows or forgets is not {done}: make one for a number of keys, as Bloom(num_keys, fpr), which can be"
        )

    def __ior__(self: Self, other: FilterBase) -> Self:
        if not isinstance(other, FilterBase):
            return NotImplemented
        self.update(other)
        return self

    def __or__(self: Self, other: FilterBase) -> Self:
        if not isinstance(other, FilterBase):
            return NotImplemented
        self._of_one_size("united with another")  # before it is copied
        united = self.copy()
        united.update(other)
        return united

    def copy(self: Self) -> Self:
        """A filter of its own, of the same keys. A RotatingFilter has none (TypeError)."""
        return copy.copy(self)

    def __copy__(self: Self) -> Self:
        return self._of(self._core.copy())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KeyFilter):
            return NotImplemented
        return self is other or (self.image_bytes == other.image_bytes and self.to_bytes() == other.to_bytes())

    __hash__ = None  # type: ignore[assignment]

    def _shape(self) -> list[str]:
        """What repr() tells besides layout and size."""
        grows = ["grows"] if isinstance(self._core, _linefilter.Scalable) else []
        return [f"{self.num_probes} probes"] if self.num_probes else grows

    def _facts(self) -> list[str]:
        """What repr() tells."""
        keys, made_for = self.approximate_size().keys, "" if self.capacity is None else f" of {self.capacity}"
        return [
            f"about {keys:.0f}{made_for} keys",
            f"expected_fpr {self.expected_fpr():.2g}",
            self.layout,
            *self._shape(),
            f"{self.body_bytes} bytes",
            f"{self.hash_id} hashes",
            f"{self.key_kind} keys",
        ]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self._facts())}>"

    def __reduce__(self) -> Any:
        self._refuse_to_pickle_a_secret()
        made, most = type(self).from_bytes, NO_LIMIT
        if isinstance(self._core, _linefilter.Scalable):  # it grows over there, too
            most = self._core.memory_limit()
        return made if most == NO_LIMIT else partial(made, memory_limit=most), (self.to_bytes(),)
