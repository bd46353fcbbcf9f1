"""Hashes of the values of a column of a Parquet file: XXH64 of their plain encoding, which the physical type alone decides."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._errors import InvalidArgumentError
from ._keys import as_uint, refuse_one, split
from ._parquet_types import Physical, physical_number

Hashes64 = npt.NDArray[np.uint64]

_BOOLEAN, _INT32, _INT64, _INT96, _FLOAT, _DOUBLE, _BYTE_ARRAY, _FIXED = range(8)
_BITS = {_INT32: 32, _INT64: 64}
_REALS: dict[int, Any] = {_FLOAT: np.float32, _DOUBLE: np.float64}
_NAMES = {_INT32: "INT32", _INT64: "INT64", _INT96: "INT96", _FLOAT: "FLOAT", _DOUBLE: "DOUBLE", _FIXED: "FIXED_LEN_BYTE_ARRAY"}


def hash_value(value: Any, physical: Union[Physical, int], *, type_length: int = 0) -> int:
    """The hash of one value: hash_values([value], ...)[0]. Take Question to ask for a value of a query."""
    return int(hash_values([value], physical, type_length=type_length)[0])


def hash_values(values: Any, physical: Union[Physical, int], *, type_length: int = 0) -> Hashes64:
    """The hashes of the values of a column, as it stores them: one for each, in the shape of an array. Leave out nulls.

    For SplitBlockFilter.add_hashes and contains_hashes. What the physical type does not hold exactly is an InvalidArgumentError,
    and what is no such value a TypeError. Arrays are hashed without the GIL.

    INT32, INT64: an array of integers, or an iterable. Integers of 8 and 16 bits are widened by their sign, and those
        of 32 and 64 unsigned bits are cast: -1 and 2**32 - 1 have one hash.
    FLOAT, DOUBLE: an array of float32, or float64, or an iterable of numbers. -0.0 and 0.0 have different hashes, and so have NaNs.
    BYTE_ARRAY: an iterable of bytes or str (their UTF-8), an array of str, of objects, or of rows of bytes (V16).
    FIXED_LEN_BYTE_ARRAY, INT96 (12 bytes): an iterable of bytes of one length, an array of rows of bytes (V16), or an array of
        uint8 whose last dimension are the bytes.

    >>> int(hash_values([7], "INT64")[0]) == hash_value(7, "INT64") != hash_value(7, "INT32")
    True
    """
    number = physical_number(physical)
    if number == _BOOLEAN:
        raise InvalidArgumentError("BOOLEAN has no Bloom filter in Parquet")
    length = as_uint(type_length, "type_length", 2**31 - 1)
    refuse_one(values, "values")
    if not isinstance(values, np.ndarray) and hasattr(values, "__array__"):
        values = np.asarray(values)  # a column of a table, and the like
    if number == _BYTE_ARRAY:
        return _of_texts(values)
    if number in (_FIXED, _INT96):
        return _of_rows(values, 12 if number == _INT96 else length, _NAMES[number])
    shape = values.shape if isinstance(values, np.ndarray) else None
    if shape is not None and values.dtype.kind == "O":
        values = values.ravel().tolist()
    words = _integers(values, number) if number in _BITS else _reals(values, number)
    hashes = np.empty(words.shape, np.uint64)
    hash_words = _linefilter.parquet_hash_halves if words.itemsize == 4 else _linefilter.parquet_hash_words
    hash_words(words, hashes)
    return hashes if shape is None else hashes.reshape(shape)


def _integers(values: Any, number: int) -> npt.NDArray[Any]:
    """Integers as unsigned ones of the column's width. They are -2**(bits - 1) .. 2**bits - 1."""
    bits, name = _BITS[number], _NAMES[number]
    kind: Any = np.uint32 if bits == 32 else np.uint64
    if not isinstance(values, np.ndarray):
        return np.fromiter((_integer(value, bits, name) for value in values), kind)
    if values.dtype.kind not in "iu":
        raise TypeError(f'an array of {values.dtype} has no values of {name}: pass integers, as values.astype("int{bits}")')
    if values.itemsize * 8 > bits:
        if values.size != 0:
            _integer(values.min(), bits, name)
            _integer(values.max(), bits, name)
        narrow: npt.NDArray[Any] = values.astype(kind, order="C")
        return narrow
    wide: npt.NDArray[Any] = np.require(values, f"{values.dtype.kind}{bits // 8}", ["C", "A"])
    return wide.view(kind)


def _integer(value: Any, bits: int, name: str) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or isinstance(value, np.timedelta64):
        raise TypeError(f"a value of {name} is an int, not {type(value).__name__}")
    integer = int(value)
    if not -(2 ** (bits - 1)) <= integer < 2**bits:
        raise InvalidArgumentError(f"{name} does not hold {integer}")
    return integer & int(2**bits - 1)


def _reals(values: Any, number: int) -> npt.NDArray[Any]:
    """Real numbers as the integers of their bits."""
    kind, name = _REALS[number], _NAMES[number]
    bits: Any = np.uint32 if number == _FLOAT else np.uint64
    if not isinstance(values, np.ndarray):
        values = np.array([_real(value, kind, name) for value in values], kind)
    if values.dtype.kind != "f" or values.itemsize != np.dtype(kind).itemsize:
        raise TypeError(f'an array of {values.dtype} has no values of {name}: pass values.astype("{np.dtype(kind).name}")')
    reals: npt.NDArray[Any] = np.require(values, kind, ["C", "A"])
    return reals.view(bits)


def _real(value: Any, kind: Any, name: str) -> Any:
    if isinstance(value, kind):
        return value
    is_no_number = isinstance(value, (bool, np.timedelta64, np.longdouble))
    if is_no_number or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"a value of {name} is a float, not {type(value).__name__}")
    number = value.item() if isinstance(value, np.generic) else value  # NumPy rounds what it compares; Python does not
    with np.errstate(over="ignore"):
        try:
            stored = kind(number)
        except OverflowError:  # an int that is too large
            stored = kind("inf")
    if number == number and float(stored) != number:
        raise InvalidArgumentError(f"{name} does not hold {number!r}: pass numpy.{kind.__name__}({number!r}) if it is rounded")
    return stored


def _of_texts(values: Any) -> Hashes64:
    _, others, shape = split(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        raise TypeError(f"an array of {values.dtype} has no values of BYTE_ARRAY: pass bytes or str")
    hashes = np.frombuffer(_linefilter.parquet_hash_texts(others), np.uint64)
    return hashes if shape is None else hashes.reshape(shape)


def _of_rows(values: Any, length: int, name: str) -> Hashes64:
    if isinstance(values, np.ndarray) and values.dtype.kind == "V" and values.dtype.names is None:
        rows, shape, has = np.ascontiguousarray(values), values.shape, values.itemsize
    elif isinstance(values, np.ndarray) and values.dtype == np.uint8 and values.ndim >= 2:
        rows, shape, has = np.ascontiguousarray(values), values.shape[:-1], values.shape[-1]
    elif isinstance(values, np.ndarray) and values.dtype.kind != "O":
        raise TypeError(
            f'an array of {values.dtype} has no values of {name}: pass rows of bytes, as an array of V16 for those of 16 bytes, or '
            "of uint8 with a last dimension of 16"
        )
    else:
        parts = [_bytes(value, name) for value in (values.ravel() if isinstance(values, np.ndarray) else values)]
        shape = values.shape if isinstance(values, np.ndarray) else (len(parts),)
        has = length or (len(parts[0]) if parts else 0)
        for part in parts:
            _require_length(len(part), has, name)
        rows = np.frombuffer(b"".join(parts), np.uint8)
    hashes = np.empty(shape, np.uint64)
    if hashes.size != 0:
        _require_length(has, length or has, name)
        _linefilter.parquet_hash_rows(rows.reshape(-1).view(np.uint8), has, hashes)
    return hashes


def _require_length(has: int, length: int, name: str) -> None:
    if has != length or length == 0:
        raise InvalidArgumentError(f"a value of {name} has {length or 'some'} bytes, and this has {has}")


def _bytes(value: Any, name: str) -> bytes:
    if isinstance(value, np.bytes_):
        raise TypeError("numpy.bytes_ forgets zero bytes at its end: pass bytes")
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if isinstance(value, memoryview) and value.itemsize == 1:
        return value.tobytes()
    if isinstance(value, np.void) and value.dtype.names is None:
        return value.tobytes()
    raise TypeError(f"a value of {name} is bytes, not {type(value).__name__}")
