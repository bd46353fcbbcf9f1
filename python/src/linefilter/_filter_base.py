"""FilterBase: what every filter answers, and tells of itself."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._columns import Column, EachForm, EachNulls, EachScale, form_names, make_columns, masked, selected, with_arguments
from ._keys import Hashes, Key, Keys, Path, as_float, as_path, as_uint, hash_words, of_each

Self = TypeVar("Self", bound="Held")
ClosableSelf = TypeVar("ClosableSelf", bound="Closable")


class SizeEstimate(NamedTuple):
    """A number of keys, estimated from bits, and its standard error. Two of three estimates are off by less than that."""

    keys: float
    error: float


class Held(_linefilter.Holder):
    """This holds an object of the extension, its core, which does the work."""

    __slots__ = ("__weakref__",)
    _core: Any

    @classmethod
    def _of(cls: type[Self], core: Any) -> Self:
        made = cls.__new__(cls)
        made._core = core
        return made


class _Closed:
    """In place of the core of what was closed."""

    def __getattr__(self, name: str) -> Any:
        raise closed_error()


def closed_error() -> ValueError:
    return ValueError("the filter is closed")


def open_core(held: Held) -> Any:
    """Its core; raises ValueError if it is closed."""
    if isinstance(held._core, _Closed):
        raise closed_error()
    return held._core


class Closable(Held):
    """This holds something that can be given back before the object goes."""

    __slots__ = ()

    def close(self) -> None:
        """Gives back what this holds. Every later call raises ValueError; closing again does nothing."""
        self._core = _Closed()

    @property
    def closed(self) -> bool:
        """Was close() called?"""
        return isinstance(self._core, _Closed)

    def __enter__(self: ClosableSelf) -> ClosableSelf:
        if self.closed:
            raise closed_error()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Asked(Held, _linefilter.AskedHolder):
    """This answers questions, wherever its bits are."""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.Asked

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

    @property
    def layout(self) -> str:
        """"blocked", "quotient", "split_block", "classic", "retrieval", "container" (of what grew or forgets); "auto" of
        a broken image."""
        return self._core.layout()

    @property
    def hash_id(self) -> str:
        """How keys become hashes: "xxh3", "keyed" (with a secret), "parquet" or "caller" (by yourself: there are no keys)."""
        return self._core.hash_id()

    @property
    def seed(self) -> Optional[int]:
        """The seed of the hash; None where a secret takes its place."""
        seed = self._core.seed()
        return None if self.hash_id == "keyed" else seed

    @property
    def num_probes(self) -> int:
        """Bits that are set and tested for each key. It is 0 in the layout "retrieval", which has none, in "split_block", where
        nobody chooses it, and in a ScalableFilter, whose stages have their own. In "quotient" it is 1 if keys can be removed, else 0."""
        return self._core.num_probes()

    @property
    def num_blocks(self) -> int:
        """Blocks of 64 bytes, in the layout "split_block" of 32; 0 in the layout "classic", which has none."""
        return self._core.num_blocks()

    @property
    def body_bytes(self) -> int:
        """Bytes of the filter without the trailer of its image."""
        return self._core.body_bytes()


class FilterBase(Asked):
    """What may be in the set? Every filter in memory is one; make a Bloom, BlockedFilter, FilterView or FilterFile, or
    call build().

    True means "maybe", False means "absent", which is always right for what was added. A key is a str (its UTF-8), bytes,
    bytearray, a memoryview or another object of bytes, or an integer from -2**63 to 2**64 - 1 (its 8 bytes, NumPy's integers
    too; -1 and 2**64 - 1 are the same key, as in C++). Anything else is a TypeError: floats, bools and None have bytes that
    differ from language to language. Keys are hashed by XXH3 or, with a secret, SipHash, never by Python's hash(), so the
    answers are those of C++, of C and of the next process.

    len() is an estimate of how many different keys it has: it reads all of the filter, and approximate_size() tells the error,
    too (num_keys of a FilterView is what the maker counted). A filter without keys is false, as an empty set is. There is no
    iteration, for the keys themselves are not kept.

    Classes of your own hold a filter, and are not derived from one (TypeError): copies and pickles would lose what they add.

    All calls are safe from any thread. Those for many keys, and those that read the whole filter, let other threads run
    meanwhile (they release the GIL); arrays that are passed must not be changed by another thread until the call returns.
    """

    __slots__ = ()
    _core: _linefilter.Core

    def __init_subclass__(cls) -> None:
        if cls.__module__.partition(".")[0] != __package__:
            raise TypeError("no class is derived from a filter's: give yours an attribute that is a filter")

    def __init__(self) -> None:
        raise TypeError(
            "make a Bloom, BlockedFilter, QuotientFilter or another filter of one layout, FilterView or FilterFile, or call build()"
        )

    @property
    def secret_check(self) -> Optional[int]:
        """Of a keyed filter 64 bits that tell its secret from others and nothing about it; None of the others."""
        return self._core.seed() if self._core.hash_id() == "keyed" else None

    @property
    def key_kind(self) -> str:
        """What its keys are: "text" (str and bytes), "integer", "mixed", or "unknown", where hashes came or a maker that told nothing.

        Text "1" and the integer 1 are different keys. So calls for many keys of another kind than the filter has raise TypeError;
        `in`, for a single one, answers False. What is mixed or unknown is asked for both."""
        return self._core.key_kind()

    @property
    def key_forms(self) -> Optional[tuple[str, ...]]:
        """The forms of the columns that were added, in which it is to be asked: ("integer",), or ("text", "decimal(2)") of two
        columns that are one key. A form ends with " or null" if nulls of its column are keys. It is () if nothing was told yet,
        and None if columns of several forms came, or keys that nobody knows. Keys of key_kind "text" or "integer" have that form."""
        return form_names(self._core.key_forms())

    @property
    def target(self) -> str:
        """Which instructions answer: "AVX3", "AVX2", "NEON", ... The answers are the same with all."""
        return self._core.target()

    @property
    def capacity(self) -> Optional[int]:
        """The keys that it was made for; None if nobody said, as an image that has no num_keys.

        A ScalableFilter tells those of the stages opened so far, a RotatingFilter those of all its generations."""
        return self._core.capacity() or None

    @with_arguments
    def select(
        self,
        column: Column,
        *,
        nulls: EachNulls = "never",
        form: EachForm = None,
        scale: EachScale = None,
        common_scale: EachScale = None,
    ) -> npt.NDArray[np.uint32]:
        """The numbers of the rows whose values may be in the set, in their order, without the GIL: values[filter.select(values)]
        are those that are worth a look in a table. All others are certainly absent. It is made for filters of add_column().

        IncompatibleError says that the filter has keys of another form, or hashes of the caller."""
        return selected(self._core.select, make_columns(column, nulls, form, scale, common_scale))

    @with_arguments
    def mask(
        self,
        column: Column,
        *,
        nulls: EachNulls = "never",
        form: EachForm = None,
        scale: EachScale = None,
        common_scale: EachScale = None,
    ) -> npt.NDArray[np.bool_]:
        """The same as select(), as True or False for each row. frame[filter.mask(frame["name"])] of pandas are the rows that stay."""
        return masked(self._core.mask, make_columns(column, nulls, form, scale, common_scale))

    def fill_ratio(self) -> float:
        """Share of one bits, 0 to 1. Reads all of the filter, about 0.1 s per GB, as all calls from here on do."""
        return self._core.fill_ratio()

    def approximate_size(self) -> SizeEstimate:
        """Different keys, estimated from the bits, with the standard error of that; infinite if they tell no number."""
        return SizeEstimate(*self._core.approximate_size())

    def __len__(self) -> int:
        """The whole number next to approximate_size().keys. OverflowError if the bits tell no number."""
        keys = self._core.approximate_size()[0]
        if keys == float("inf"):
            raise OverflowError("the filter is so full that its bits tell no number of keys: see approximate_size()")
        return round(keys)

    def __bool__(self) -> bool:
        """Has it keys? As of a set. It reads the filter, as len() does: `filter is not None` asks whether there is one."""
        return self._core.expected_fpr() > 0

    def room_for(self, fpr: float) -> int:
        """How many more different keys it takes until its expected rate is `fpr`.

        0 if the rate is above that already, for what takes no keys (layout "retrieval"), and for an fpr that is not above 0.
        For an fpr of 1 or more it is 2**64 - 1. A ScalableFilter counts the stages that it would open, a RotatingFilter counts
        as if it did not rotate."""
        return self._core.room_for(as_float(fpr, "fpr"))

    def over_capacity(self) -> bool:
        """Are more different keys in it than it was made for, beyond four standard errors of the estimate? False if nobody said
        how many they are."""
        return self._core.over_capacity()

    def expected_fpr(self) -> float:
        """The rate at which absent keys answer True, from the very bits: 1 of a broken image, 0 of the empty set.

        Keys whose hashes agree with a member's are in it: 2**-32 for each key of a block, 2**-64 for each key of
        layout "classic"."""
        return self._core.expected_fpr()

    def _refuse_to_pickle_a_secret(self) -> None:
        if self.secret_check is not None:
            raise TypeError(
                "a filter with a secret is not pickled, for the secret would be in the pickle: send to_bytes(), and give the "
                "secret to from_bytes()"
            )

    def __deepcopy__(self, memo: Any) -> Any:
        return copy.copy(self)


class Imaged(Held):
    """This has an image."""

    __slots__ = ()
    if TYPE_CHECKING:
        _core: _linefilter.Imaged

    @property
    def image_bytes(self) -> int:
        """Bytes of the image that to_bytes() makes."""
        return self._core.image_bytes()

    def to_bytes(self) -> bytes:
        """The image (doc/FORMAT.md), of all keys so far: for FilterView, from_bytes, and every other language."""
        return self._core.to_bytes()

    def save(self, path: Path) -> None:
        """The image as a file: complete and synced before it gets its name; an old file of that name stays until then."""
        self._core.save(as_path(path))
