"""Columns: arrays of values as tables have them, made what the extension asks filters for and adds."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Literal, Optional, Sequence, SupportsIndex, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._errors import IncompatibleError, InvalidArgumentError
from ._keys import _conversion, as_uint

# A one-dimensional array of NumPy, or masked; what becomes one (a column of pandas); data of Arrow.
Column = Any
Nulls = Literal["never", "always", "value"]
Form = Literal["text", "integer", "real", "instant", "padded text"]
# One for all columns of a key, or one of each.
EachNulls = Union[Nulls, Sequence[Nulls]]
EachForm = Union[None, Form, Sequence[Optional[Form]]]
EachScale = Union[None, SupportsIndex, Sequence[Optional[SupportsIndex]]]

Method = TypeVar("Method", bound=Callable[..., Any])

NULLS = {"never": 0, "always": 1, "value": 2}
FORMS = {"text": 1, "integer": 2, "real": 3, "instant": 4, "padded text": 5}
DECIMAL = 0x20  # the form of scale s is DECIMAL + s
CANONICAL = 6  # the form of texts that a function made, of C++ and C alone
NULL_BIT = 0x80  # of a form, if nulls are keys
UNKNOWN_FORMS = 2**64 - 1
MOST_SCALE = 38
# NumPy's units, the exact one that each is counted in, and the library's number of that.
UNITS = {"W": ("D", 0), "D": ("D", 0), "h": ("s", 1), "m": ("s", 1), "s": ("s", 1), "ms": ("ms", 2)}
UNITS.update({"us": ("us", 3), "ns": ("ns", 4)})
# What a sentence of the library says for C++.
WORDS = {
    "SetForm says": "form= says",
    "as kReal": 'as form="real"',
    "make it by OfInstants": "make it an array of datetime64",
    "(Nulls::kAsValue)": '(nulls="value")',
    "Nulls::kNever or kAlways": 'nulls="never" or "always"',
    "hash id kXxh3": "its own hash, without caller_hashes",
    "hash id kCaller (FilterOptions::hash_id)": "your own hashes, made with caller_hashes=True",
    "by AddColumn, or say NoteKeyForms": "by add_column()",
}


def ask(call: Any, *arguments: Any) -> Any:
    """What call(*arguments) returns. Its errors speak of Python."""
    try:
        return call(*arguments)
    except IncompatibleError as error:
        message = str(error)
        for said, word in WORDS.items():
            message = message.replace(said, word)
        raise IncompatibleError(message) from None


def with_arguments(method: Method) -> Method:
    """Ends the words of what takes columns with those of its arguments."""
    method.__doc__ = inspect.cleandoc(method.__doc__ or "") + ARGUMENTS
    return method


ARGUMENTS = """

Args:
    column: an array of NumPy of one dimension: integers, floats, datetime64, timedelta64, str, rows of bytes (V16), objects
        that are texts or numbers. What a masked array masks, NaT, and None in objects are nulls; NaN in floats is a value.
        Or a column of pandas, or data of Arrow (__arrow_c_array__, __arrow_c_stream__), which are not copied.
        Or a tuple or list of up to 8 of these, which are one key. The filter is then made with caller_hashes=True.
    nulls: "never": a null is not in the set, as SQL's `=` has it. "always": its row stays. "value": it is a key that
        equals itself alone.
    form: how values are compared, if not by their type: "real" for integers that are joined with floats, "integer" for
        instants as their numbers, "padded text" for texts whose spaces at the end do not count. Both sides take the same.
    scale: an array of integers has decimals, times 10**scale.
    common_scale: decimals are compared at this scale: the larger of both sides.
Each of these four is one for all columns, or a tuple or list of one for each."""


def form_names(forms: int) -> Optional[tuple[str, ...]]:
    """The names of forms as the library tells them, a byte for each column; None if they are unknown."""
    if forms == UNKNOWN_FORMS:
        return None
    names = []
    for number in forms.to_bytes(8, "little").rstrip(b"\0"):
        form, end = number & ~NULL_BIT, " or null" if number & NULL_BIT else ""
        by_number = {number: name for name, number in FORMS.items()} | {CANONICAL: "canonical text"}
        names.append((f"decimal({form - DECIMAL})" if form > DECIMAL else by_number.get(form, "unknown")) + end)
    return tuple(names)


def make_columns(
    column: Column, nulls: EachNulls, form: EachForm, scale: EachScale, common_scale: EachScale
) -> tuple[_linefilter.Column, ...]:
    """The columns of a key as the extension takes them."""
    if not isinstance(column, (tuple, list)):
        return (_make_column(column, nulls, form, scale, common_scale),)
    each = [
        _of_each(value, len(column), name)
        for value, name in ((nulls, "nulls"), (form, "form"), (scale, "scale"), (common_scale, "common_scale"))
    ]
    return tuple(map(_make_column, column, *each))


def _of_each(value: Any, num_columns: int, name: str) -> Sequence[Any]:
    if not isinstance(value, (tuple, list)):
        return [value] * num_columns
    if len(value) != num_columns:
        raise InvalidArgumentError(f"{name} has {len(value)} items for {num_columns} columns: give one for all, or one of each")
    return value


def _make_column(column: Column, nulls: Any, form: Any, scale: Any, common_scale: Any) -> _linefilter.Column:
    """Arrays are borrowed where they lie in a row and in the order of this machine."""
    if not isinstance(nulls, str) or nulls not in NULLS:
        raise InvalidArgumentError(f"nulls must be one of {', '.join(map(repr, NULLS))}, not {nulls!r}")
    number = _form_number(form, common_scale)
    made = _of_any(column, None if scale is None else as_uint(scale, "scale", MOST_SCALE))
    made.set_nulls(NULLS[nulls])
    if number is not None:
        ask(made.set_form, number)
    return made


def _form_number(form: Any, common_scale: Optional[SupportsIndex]) -> Optional[int]:
    if common_scale is not None:
        if form is not None:
            raise InvalidArgumentError("common_scale is the form of decimals: give no other one")
        digits = as_uint(common_scale, "common_scale", MOST_SCALE)
        return FORMS["integer"] if digits == 0 else DECIMAL + digits
    if form is not None and (not isinstance(form, str) or form not in FORMS):
        raise InvalidArgumentError(
            f"form must be one of {', '.join(map(repr, FORMS))}, not {form!r}: decimals have a common_scale in its place"
        )
    return None if form is None else FORMS[form]


def _of_any(column: Column, scale: Optional[int]) -> _linefilter.Column:
    is_array = isinstance(column, np.ndarray)
    if not is_array and hasattr(column, "__arrow_c_array__"):
        _refuse_scale(scale)
        return _linefilter.Column.of_arrow(*column.__arrow_c_array__())
    if not is_array and hasattr(column, "__arrow_c_stream__") and not _is_of_pandas(column):
        _refuse_scale(scale)
        return _linefilter.Column.of_arrow_stream(column.__arrow_c_stream__())
    if not is_array:
        if not hasattr(column, "__array__") or isinstance(column, np.generic):
            raise TypeError(
                f"a column is an array of NumPy, a column of pandas or data of Arrow, not {type(column).__name__}: "
                "make a list an array by numpy.array"
            )
        has_zone = getattr(getattr(column, "dtype", None), "tz", None) is not None  # of pandas; it would become objects
        column = np.asarray(column, "M8[ns]" if has_zone else None)  # in UTC
    if column.ndim != 1:
        raise TypeError(f"a column has one dimension, and this array has {column.ndim}: pass its columns one by one")
    missing = np.broadcast_to(column.mask, column.shape) if isinstance(column, np.ma.MaskedArray) else None
    return _of_array(np.asarray(column), missing, scale)


def _is_of_pandas(column: Column) -> bool:
    """Its stream takes pyarrow, which may not be there; its array is as good."""
    return type(column).__module__.partition(".")[0] == "pandas"


def _refuse_scale(scale: Optional[int]) -> None:
    if scale is not None:
        raise InvalidArgumentError("a scale goes with an array of integers: other columns have their own")


def _of_array(column: npt.NDArray[Any], missing: Optional[npt.NDArray[np.bool_]], scale: Optional[int]) -> _linefilter.Column:
    kind = column.dtype.kind
    if kind == "O":
        return _of_objects(column, missing, scale)
    if kind == "U":
        _refuse_scale(scale)
        return _with_missing(_of_texts([text.encode() for text in column.tolist()]), missing)
    if scale is not None and kind != "i":
        raise InvalidArgumentError(f"a scale goes with an array of signed integers, not of {column.dtype}")
    if scale is not None:
        return _with_missing(_linefilter.Column.of_decimals(_contiguous(column, np.int64), scale), missing)
    if kind in "mM":
        return _of_instants(column, missing)
    if kind == "V" and column.dtype.names is None and column.dtype.itemsize > 0:
        rows = np.ascontiguousarray(column).view(np.uint8)
        return _with_missing(_linefilter.Column.of_fixed_bytes(rows, column.dtype.itemsize, column.size), missing)
    if kind == "f" and column.dtype.itemsize == 2:
        column = column.astype(np.float32)
    if kind not in "iuf" or column.dtype.itemsize > 8:
        raise TypeError(f"no column is made of an array of {column.dtype}: {_conversion(column.dtype)}")
    native = _contiguous(column, column.dtype.newbyteorder("="))
    return _with_missing(_linefilter.Column.of_numbers(native.dtype.str[1:], native), missing)


def _contiguous(column: npt.NDArray[Any], kind: Any) -> npt.NDArray[Any]:
    return np.require(column, kind, ["C"])


def _of_instants(column: npt.NDArray[Any], missing: Optional[npt.NDArray[np.bool_]]) -> _linefilter.Column:
    """NaT is a null."""
    unit, count = np.datetime_data(column.dtype)
    if unit not in UNITS:
        raise TypeError(
            f"an array of {column.dtype} counts no days, seconds or parts of them down to nanoseconds: "
            f'pass it as .astype("{column.dtype.kind}8[us]")'
        )
    exact, number = UNITS[unit]
    if exact != unit or count != 1:
        column = column.astype(f"{column.dtype.kind}8[{exact}]")
    nat = np.isnat(column)
    if nat.any():
        missing = nat if missing is None else nat | missing
    counts = _contiguous(column, column.dtype.newbyteorder("=")).view(np.int64)
    return _with_missing(_linefilter.Column.of_instants(counts, number), missing)


def _of_texts(texts: list[bytes]) -> _linefilter.Column:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return _linefilter.Column.of_texts(offsets, b"".join(texts))


def _is_missing(item: Any) -> bool:
    """None, NaN, NaT, and the NA of pandas, which is not even comparable."""
    return item is None or type(item).__name__ in ("NAType", "NaTType") or (isinstance(item, float) and item != item)


def _of_objects(column: npt.NDArray[Any], masked: Optional[npt.NDArray[np.bool_]], scale: Optional[int]) -> _linefilter.Column:
    """Texts, or integers, or floats, and what is missing, as pandas has them. The first that is not missing says which."""
    items = column.tolist()
    missing = np.fromiter((_is_missing(item) for item in items), np.bool_, len(items))
    if masked is not None:
        missing |= masked
    there = [item for item, is_missing in zip(items, missing.tolist()) if not is_missing]
    if not there:
        return _linefilter.Column.of_nulls(len(items))
    if isinstance(there[0], (str, bytes)):
        _refuse_scale(scale)
        return _with_missing(_of_texts([b"" if is_missing else _text(item) for item, is_missing in zip(items, missing)]), missing)
    try:
        numbers = np.array(there)
    except (ValueError, OverflowError):
        numbers = np.array(there, object)
    if numbers.dtype.kind == "f" and all(isinstance(item, int) for item in there):
        raise TypeError("integers of a column are all signed, or all 0 .. 2**64 - 1")
    if numbers.dtype.kind not in "iufmM" or numbers.ndim != 1:
        raise TypeError(
            "a column has values of one type, texts or numbers, and this one begins with a "
            f"{type(there[0]).__name__} and is of {numbers.dtype}"
        )
    values = np.zeros(len(items), numbers.dtype)
    values[~missing] = numbers
    return _of_array(values, missing, scale)


def _text(item: Any) -> bytes:
    if isinstance(item, str):
        return item.encode()
    if isinstance(item, bytes):
        return item
    raise TypeError(f"a column of texts has str and bytes, and this one has a {type(item).__name__}, too")


def _with_missing(column: _linefilter.Column, missing: Optional[npt.NDArray[np.bool_]]) -> _linefilter.Column:
    if missing is not None and missing.any():
        column.set_validity(np.packbits(~missing, bitorder="little"))
    return column


def selected(select: Callable[..., int], columns: tuple[_linefilter.Column, ...]) -> npt.NDArray[np.uint32]:
    """The rows that select(columns, rows) has stay."""
    num_rows = columns[0].size() if columns else 0
    if num_rows > 2**32:
        raise InvalidArgumentError(f"row numbers have 32 bits, and the column has {num_rows} rows: pass it in parts, or ask mask()")
    rows = np.empty(num_rows, np.uint32)
    rows.resize(ask(select, columns, rows), refcheck=False)
    return rows


def masked(mask: Callable[..., None], columns: tuple[_linefilter.Column, ...]) -> npt.NDArray[np.bool_]:
    """The same as True and False."""
    answers = np.empty(columns[0].size() if columns else 0, np.bool_)
    ask(mask, columns, answers)
    return answers
