"""Keys to hashes. One hash is for all filters of its seed or secret: each_contains_hash asks many of them."""

from __future__ import annotations

from typing import Optional, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._errors import InvalidArgumentError
from ._keys import Hashes, Key, Keys, as_uint, hash_words, of_each


def seed_of(seed: SupportsIndex, secret: Optional[bytes]) -> int:
    """The seed that goes with a secret, which is none, or without."""
    number = as_uint(seed, "seed")
    if secret is not None and number != 0:
        raise InvalidArgumentError("a keyed hash has its secret in place of a seed: drop one")
    return number


def hash_key(key: Key, *, seed: SupportsIndex = 0, secret: Optional[bytes] = None) -> int:
    """The hash of a key: XXH3 with the seed xor a constant of the library, or SipHash-1-3 with the secret.

    The same as HashKey and KeyedHash in C++.
    """
    return _linefilter.hash_key(key, seed_of(seed, secret), secret)


def hash_keys(keys: Keys, *, seed: SupportsIndex = 0, secret: Optional[bytes] = None) -> npt.NDArray[np.uint64]:
    """The hashes of many keys: an array of integers (hashed without the GIL, in its shape) or any iterable."""
    return of_each(
        keys,
        np.uint64,
        lambda words, hashes: _linefilter.hash_words(words, hashes, seed_of(seed, secret), secret),
        lambda others: _linefilter.hash_iterable(others, seed_of(seed, secret), secret),
    )


def parquet_hash(key: Key) -> int:
    """The hash that the Parquet format demands: XXH64 with seed 0, of the UTF-8 of a str, of bytes, or of the 8 bytes of an int.

    A filter made with parquet_hash=True has it. The same as ParquetHash in C++.
    """
    return _linefilter.parquet_hash(key)


def parquet_hashes(keys: Keys) -> npt.NDArray[np.uint64]:
    """The same of many keys: an array of integers (hashed without the GIL, in its shape) or any iterable.

    Integers are 8 bytes here whatever their dtype, as a column of INT64 has them. A column of INT32 has 4 for each.
    """
    return of_each(keys, np.uint64, _linefilter.parquet_hash_words, _linefilter.parquet_hash_iterable)


def mix_hashes(hashes: Hashes) -> npt.NDArray[np.uint64]:
    """Good hashes of poor ones (numbers in a row, a 32-bit crc): a bijection, so all but missing entropy is repaired. The
    same as MixHash in C++."""
    words = hash_words(hashes)
    mixed = np.empty(words.shape, np.uint64)
    _linefilter.mix_hashes(words, mixed)
    return mixed
