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
# Many keys: a NumPy array of integers (uint64 is read where it lies, without a copy), of str, of objects, or of void (rows of
# bytes); what becomes such an array (a column of pandas or Arrow); or any iterable of keys.
Keys = Union["npt.NDArray[Any]", Iterable[Key]]
# How many: an integer, or a float that is a whole number, as 1e6.
Number = Union[SupportsIndex, float]
# Many hashes: a NumPy array of uint64, or any iterable of integers 0 .. 2**64 - 1.
Hashes = Union["npt.NDArray[np.uint64]", Iterable[SupportsIndex]]
# Any contiguous buffer: bytes, bytearray, memoryview, mmap, the buf of shared memory, NumPy arrays, array.array.
Bytes = Any
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

Words = npt.NDArray[np.uint64]


def refuse_one(values: Any, what: str) -> None:
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


def _items(keys: npt.NDArray[Any]) -> Iterable[Any]:
    """Those of an array of str, or of bytes of one size, as Python's: a piece at a time."""
    flat = keys.reshape(-1)
    for begin in range(0, flat.size, 4096):
        yield from flat[begin : begin + 4096].tolist()


def _conversion(kind: np.dtype[Any]) -> str:
    """What to type for an array that has none."""
    if kind.kind == "S":
        return (
            f'it forgets zero bytes at the ends of its items. Pass keys.view("V{kind.itemsize}") for keys of {kind.itemsize} bytes '
            "each, or keys.tolist() if none ends with a zero byte"
        )
    if kind.kind in "mM":
        unit = f"{kind.name[:-1].partition('[')[0]}[us]"
        return f'pass np.asarray(keys).astype("{unit}").astype("int64"), and the same unit wherever it is asked'
    if kind.kind == "f":
        return (
            'pass keys.astype("int64") if they are whole numbers. A column of integers becomes floats if a value is missing: '
            "drop those before, by .dropna() of pandas or .drop_null() of Arrow"
        )
    if kind.kind == "b":
        return 'pass keys.astype("uint8") if you mean 0 and 1'
    if kind.names is not None:
        return f"pass one of its fields, as keys[{kind.names[0]!r}]"
    return "pass keys.tolist() of an array of str, or of the integers that are keys"


def split(keys: Keys) -> tuple[Optional[Words], Iterable[Any], Optional[tuple[int, ...]]]:
    """(integers as contiguous uint64, widened as C++ widens; else what is to be iterated; the shape of an array)."""
    refuse_one(keys, "keys")
    if not isinstance(keys, np.ndarray):
        if not hasattr(keys, "__array__"):
            if hasattr(keys, "__arrow_c_array__") or hasattr(keys, "__arrow_c_stream__"):
                raise TypeError(f"a {type(keys).__name__} is Arrow's data, and no array of keys: pass pyarrow.chunked_array(keys)")
            return None, keys, None
        keys = np.asarray(keys)  # a column of a table, and the like
    if keys.dtype.kind == "O":
        return None, keys.flat, keys.shape
    if keys.dtype.kind == "U" or (keys.dtype.kind == "V" and keys.dtype.names is None):
        return None, _items(keys), keys.shape
    if keys.dtype.kind not in "iu":
        raise TypeError(f"an array of {keys.dtype} has no keys: {_conversion(keys.dtype)}")
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
    refuse_one(hashes, "hashes")
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


def as_count(value: Any, what: str, most: int = 2**64 - 1) -> int:
    """The same of how many, where a float that is a whole number will do: 1e6."""
    if isinstance(value, (float, np.floating)):
        if not float(value).is_integer():
            raise InvalidArgumentError(f"{what} must be a whole number, not {value}")
        value = int(value)
    return as_uint(value, what, most)


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
