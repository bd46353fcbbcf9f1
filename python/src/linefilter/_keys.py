"""Arguments, made what the extension takes: keys, hashes, numbers, file names. Types are checked here."""

from __future__ import annotations

import array
import mmap
import operator
import os
from typing import Any, Callable, Iterable, Optional, SupportsIndex, Union

import numpy as np
import numpy.typing as npt

from ._errors import InvalidArgumentError

# A str is its UTF-8; an int is its 8 bytes, as C++ widens it: -2**63 .. 2**64 - 1. (bool is an int to the type checker,
# but no key, and so is an array of items larger than a byte, signed, or characters.) SupportsIndex: NumPy's integers too.
Key = Union[str, bytes, bytearray, memoryview, mmap.mmap, "array.array[Any]", int, SupportsIndex]
# Many keys: a NumPy array of integers (uint64 is read where it lies, without a copy) or of objects, or any iterable of keys.
Keys = Union["npt.NDArray[Any]", Iterable[Key]]
# Many hashes: a NumPy array of uint64, or any iterable of integers 0 .. 2**64 - 1.
Hashes = Union["npt.NDArray[np.uint64]", Iterable[SupportsIndex]]
# Any contiguous buffer: bytes, bytearray, memoryview, mmap, the buf of shared memory, NumPy arrays, array.array.
Bytes = Any
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

Words = npt.NDArray[np.uint64]


def _refuse_one(values: Any, what: str) -> None:
    """What would be iterated byte by byte, or entry by hidden entry."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"a masked array has entries that are no {what}: take those that are, by .compressed()")
    if isinstance(values, (str, np.generic)) or _is_bytes(values):
        raise TypeError(
            f"{what} are an array of integers or an iterable, and this is one ({type(values).__name__}): put it into a list; "
            "bytes of an array become it again by numpy.frombuffer"
        )


def _is_bytes(values: Any) -> bool:
    """bytes, an mmap and whatever else lends a buffer of bytes. An array of larger items, or of NumPy, is many."""
    if isinstance(values, (bytes, bytearray, memoryview)):
        return True
    if isinstance(values, np.ndarray):
        return False
    try:
        view = memoryview(values)
    except TypeError:  # no buffer
        return False
    with view:
        return view.itemsize == 1


def split(keys: Keys) -> tuple[Optional[Words], Iterable[Any], Optional[tuple[int, ...]]]:
    """(integers as contiguous uint64, widened as C++ widens; else what is to be iterated; the shape of an array)."""
    _refuse_one(keys, "keys")
    if not isinstance(keys, np.ndarray):
        if not hasattr(keys, "__array__"):
            return None, keys, None
        keys = np.asarray(keys)  # a column of a table, and the like
    if keys.dtype.kind == "O":
        return None, keys.flat, keys.shape
    if keys.dtype.kind in "SU":
        raise TypeError(
            f"an array of {keys.dtype} does not know which zero bytes at the ends of its items are theirs: keep such keys in a "
            "list or an array of dtype object (or make it one, by .tolist(), if none ends with a zero byte)"
        )
    if keys.dtype.kind not in "iu":
        raise TypeError(f"an array of {keys.dtype} has no integers: make it the integers (astype) or bytes that are keys")
    wide = np.require(keys, np.int64 if keys.dtype.kind == "i" else np.uint64, ["C", "A"])
    return wide.view(np.uint64), (), keys.shape


def of_each(
    keys: Keys, kind: Any, fill: Callable[[Words, Any], Any], of_iterable: Callable[[Iterable[Any]], bytearray]
) -> npt.NDArray[Any]:
    """An item for each key, in the shape of an array: fill(words, items) makes those of integers, of_iterable all others."""
    words, others, shape = split(keys)
    if words is None:
        items = np.frombuffer(of_iterable(others), kind)
        return items if shape is None else items.reshape(shape)
    items = np.empty(words.shape, kind)
    fill(words, items)
    return items


def hash_words(hashes: Hashes) -> Words:
    """Hashes as contiguous uint64."""
    _refuse_one(hashes, "hashes")
    if not isinstance(hashes, np.ndarray):
        if not hasattr(hashes, "__array__"):
            return np.fromiter((as_uint(value, "a hash") for value in hashes), np.uint64)
        hashes = np.asarray(hashes)  # a column of a table, and the like
    if hashes.dtype.kind != "u" or hashes.dtype.itemsize != 8:
        raise TypeError(f"hashes are an array of uint64, not of {hashes.dtype}: signed ones become it by .view(np.uint64)")
    return np.require(hashes, np.uint64, ["C", "A"])


def as_uint(value: Any, what: str, most: int = 2**64 - 1) -> int:
    """An integer 0 .. most, and no bool."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be an int, not {type(value).__name__}") from None
    if not 0 <= number <= most:
        raise InvalidArgumentError(f"{what} must be 0 .. {most}, not {number}")
    return number


def as_float(value: Any, what: str) -> float:
    """A number. float() by itself would read text too."""
    if isinstance(value, (str, bytes)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"{what} must be a number, not {type(value).__name__}")
    return float(value)


def as_path(path: Path) -> bytes:
    """A file name as the system takes it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise InvalidArgumentError("a file name has no zero byte")
    return name
