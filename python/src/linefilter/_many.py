"""Many filters asked at once, as a read of a log-structured store asks those of all its levels."""

from __future__ import annotations

from typing import Iterable, Optional, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._columns import Column, EachForm, EachNulls, EachScale, ask, make_columns, with_arguments
from ._errors import InvalidArgumentError
from ._filter_base import FilterBase, open_core
from ._hash import seed_of
from ._keys import Hashes, Key, Keys, as_uint, hash_words, split


def _cores(filters: Iterable[FilterBase]) -> tuple[_linefilter.Core, ...]:
    asked = tuple(filters)
    for filter in asked:
        if not isinstance(filter, FilterBase):
            raise TypeError(f"filters in memory are asked together, and this is a {type(filter).__name__}: ask it by itself")
    return tuple(open_core(filter) for filter in asked)


def _seed_of(seed: SupportsIndex, secret: Optional[bytes], caller_hashes: bool, parquet_hash: bool) -> int:
    if caller_hashes and secret is not None:
        raise InvalidArgumentError("your own hashes have no secret: drop one")
    number = seed_of(seed, secret)
    if parquet_hash and (caller_hashes or secret is not None or number != 0):
        raise InvalidArgumentError("the hash of Parquet has no seed or secret, and is not your own: drop one")
    return number


def each_contains(filters: Iterable[FilterBase], key: Key) -> npt.NDArray[np.bool_]:
    """May the key be in the set of each filter? One True (maybe) or False (absent) for each, in their order.

    The filters may be of any class, seed, secret and layout. The key is hashed once for all that hash alike. A filter of the
    caller's own hashes answers True.
    """
    return np.frombuffer(_linefilter.each_contains(_cores(filters), key), np.bool_)


def each_contains_many(filters: Iterable[FilterBase], keys: Keys) -> npt.NDArray[np.bool_]:
    """The same of many keys: an array of shape (filters, keys), or (filters, *keys.shape) of an array.

    answers[i, j] is that of filter i for key j, so answers.any(axis=0) tells which keys one of them may have.
    """
    cores = _cores(filters)
    words, others, shape = split(keys)
    if words is None:
        n, answers = _linefilter.each_contains_iterable(cores, others)
        return np.frombuffer(answers, np.bool_).reshape(len(cores), *((n,) if shape is None else shape))
    filled = np.empty((len(cores), *words.shape), np.bool_)
    _linefilter.each_contains_words(cores, words, filled)
    return filled


def each_contains_hash(
    filters: Iterable[FilterBase],
    hash: SupportsIndex,
    *,
    seed: SupportsIndex = 0,
    secret: Optional[bytes] = None,
    caller_hashes: bool = False,
    parquet_hash: bool = False,
) -> npt.NDArray[np.bool_]:
    """The same of a hash that hash_key made with this seed or secret, or parquet_hash, or that is your own (caller_hashes).

    A filter of another seed or secret answers True, for there it would be the hash of another key.
    """
    cores, number = _cores(filters), _seed_of(seed, secret, caller_hashes, parquet_hash)
    return np.frombuffer(
        _linefilter.each_contains_hash(
            cores, as_uint(hash, "a hash"), number, secret, bool(caller_hashes), bool(parquet_hash)
        ),
        np.bool_,
    )


def each_contains_hashes(
    filters: Iterable[FilterBase],
    hashes: Hashes,
    *,
    seed: SupportsIndex = 0,
    secret: Optional[bytes] = None,
    caller_hashes: bool = False,
    parquet_hash: bool = False,
) -> npt.NDArray[np.bool_]:
    """The same of many hashes that hash_keys made with this seed or secret, or parquet_hashes: an array of shape
    (filters, *hashes.shape)."""
    cores, number = _cores(filters), _seed_of(seed, secret, caller_hashes, parquet_hash)
    words = hash_words(hashes)
    answers = np.empty((len(cores), *words.shape), np.bool_)
    _linefilter.each_contains_hashes(cores, words, answers, number, secret, bool(caller_hashes), bool(parquet_hash))
    return answers


@with_arguments
def may_contain_any(
    filters: Iterable[FilterBase],
    column: Column,
    *,
    nulls: EachNulls = "never",
    form: EachForm = None,
    scale: EachScale = None,
    common_scale: EachScale = None,
) -> npt.NDArray[np.bool_]:
    """May the key of any row be in the set of each filter? One True (maybe) or False (absent) for each filter, without the GIL.

    A scan asks the filters of all row groups for the values of its query, and reads the groups that are True."""
    cores, columns = _cores(filters), make_columns(column, nulls, form, scale, common_scale)
    answers = np.empty(len(cores), np.bool_)
    ask(_linefilter.each_contains_any, cores, columns, answers)
    return answers
