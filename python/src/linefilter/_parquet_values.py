"""A Python object as a value of a query, for a column of a Parquet file. What cannot be converted exactly is answered "maybe"."""

from __future__ import annotations

import datetime
import decimal
import math
import operator
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Union

import numpy as np

from . import _linefilter
from ._parquet_types import TimeUnit, unit_number

# A question, or the reason why there is none: the answer is "maybe".
Made = Union[_linefilter.ParquetQuestion, str]

_ask = _linefilter.ParquetQuestion
_Column = _linefilter.ParquetColumnType
_DAY = 86_400_000_000  # microseconds
_FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
_TOO_LONG = "the count does not fit into 64 bits, and no column stores a longer one"


@dataclass(frozen=True)
class Timestamp:
    """A count of units since 1970-01-01 00:00, for what a datetime cannot hold. is_utc tells an instant from a local time."""

    count: int
    unit: TimeUnit
    is_utc: bool


@dataclass(frozen=True)
class Time:
    """A count of units since midnight, for what a datetime.time cannot hold. is_utc must be that of the column."""

    count: int
    unit: TimeUnit
    is_utc: bool


def _bytes_of(number: int) -> bytes:
    return number.to_bytes(32, "big", signed=True)


def _fits(number: int) -> bool:
    """Has it at most 32 bytes?"""
    return -(2**255) <= number < 2**255


def _decimal(column: _Column, unscaled: int, exponent: int) -> Made:
    """unscaled * 10**exponent, where more than 32 bytes mean that no number of fewer is the same with another exponent."""
    if not _fits(unscaled):
        # Such a number is in no column but perhaps in one of long decimals in BYTE_ARRAY. That holds for 10**78, too.
        return _ask.decimal(column, _bytes_of(-1 if unscaled < 0 else 1), -78)
    most = 2**31 - 1  # beyond, a number is an integer that is too large, or has a fraction that no column has
    return _ask.decimal(column, _bytes_of(unscaled), min(max(-exponent, -most), most))


def _of_int(column: _Column, value: int) -> Made:
    number = int(value)
    return _ask.integer(column, _bytes_of(number)) if _fits(number) else _decimal(column, number, 0)


def _of_float(column: _Column, value: float) -> Made:
    return _ask.float64(column, float(value))


def _of_decimal(column: _Column, value: decimal.Decimal) -> Made:
    if not value.is_finite():  # float() refuses a signaling NaN
        return _ask.float64(column, math.nan if value.is_nan() else math.inf * (-1 if value.is_signed() else 1))
    sign, digits, exponent = value.as_tuple()
    text = bytes(digits).translate(_DIGITS).lstrip(b"0")
    # A number of 76 digits fits into 32 bytes, one of 78 does not. Zeros at the end stay as far as they fit, because an engine that
    # divides by the power of ten may round. Longer texts are not converted: that may be slow, or refused
    # (sys.set_int_max_str_digits).
    end = min(len(text), 77)
    if not _fits(-int(text[:end] or b"0")):
        end = 76
    unscaled = int(text[:end] or b"0") if text[end:].strip(b"0") == b"" else 10**78
    return _decimal(column, -unscaled if sign else unscaled, int(exponent) + len(text[end:]))


_DIGITS = bytes(range(ord("0"), ord("9") + 1)) + bytes(246)  # those of as_tuple are numbers


def _of_str(column: _Column, value: str) -> Made:
    try:
        return _ask.text(column, value.encode())
    except UnicodeEncodeError:
        return "the text has a lone surrogate, which has no UTF-8: pass the bytes that the column stores"


def _of_bytes(column: _Column, value: Union[bytes, bytearray]) -> Made:
    return _ask.bytes(column, value)


def _of_memoryview(column: _Column, value: memoryview) -> Made:
    if value.itemsize != 1 or value.format not in ("B", "b", "c"):
        raise TypeError('the items of the memoryview are no bytes: pass value.cast("B")')
    return _ask.bytes(column, value.tobytes())


def _of_uuid(column: _Column, value: uuid.UUID) -> Made:
    return _ask.uuid(column, value.bytes)


def _timestamp(column: _Column, count: int, unit: TimeUnit, is_utc: bool) -> Made:
    return _ask.timestamp(column, count, unit_number(unit), is_utc) if -(2**63) <= count < 2**63 else _TOO_LONG


def _of_timestamp(column: _Column, value: Timestamp) -> Made:
    return _timestamp(column, operator.index(value.count), value.unit, bool(value.is_utc))


def _of_time_count(column: _Column, value: Time) -> Made:
    count = operator.index(value.count)
    return _ask.time(column, count, unit_number(value.unit), bool(value.is_utc)) if -(2**63) <= count < 2**63 else _TOO_LONG


def _of_datetime(column: _Column, value: datetime.datetime) -> Made:
    if not datetime.MINYEAR <= value.year <= datetime.MAXYEAR:  # a Timestamp of pandas, which else counts as one of 1970 or 1972
        return "the year is beyond those of a datetime: pass value.to_datetime64(), or linefilter.parquet.Timestamp of an instant"
    count = (value.toordinal() - _FIRST_DAY) * _DAY + _microseconds(value.timetz())
    offset = value.utcoffset()
    if offset is not None:
        count -= offset // datetime.timedelta(microseconds=1)
    elif value.tzinfo is not None:
        return "the time zone of the datetime does not tell its offset"
    nanoseconds = int(getattr(value, "nanosecond", 0))  # a Timestamp of pandas is a datetime that has these, too
    if nanoseconds:
        return _timestamp(column, 1000 * count + nanoseconds, "ns", offset is not None)
    return _timestamp(column, count, "us", offset is not None)


def _microseconds(time: datetime.time) -> int:
    return ((time.hour * 60 + time.minute) * 60 + time.second) * 1_000_000 + time.microsecond


def _of_date(column: _Column, value: datetime.date) -> Made:
    return _ask.date(column, value.toordinal() - _FIRST_DAY)


def _of_time(column: _Column, value: datetime.time) -> Made:
    if value.tzinfo is not None and value.utcoffset() != datetime.timedelta(0):
        return "the time of day has an offset, and which day it is in UTC is not known: convert it to UTC or to local time first"
    return _ask.time(column, _microseconds(value), unit_number("us"), value.tzinfo is not None)


# How many of which unit make one of numpy.datetime64.
_UNITS: dict[str, tuple[int, TimeUnit]] = {
    "h": (3_600_000, "ms"), "m": (60_000, "ms"), "s": (1000, "ms"), "ms": (1, "ms"), "us": (1, "us"), "ns": (1, "ns"),
}  # fmt: skip
# And how many make a nanosecond.
_PARTS = {"ps": 10**3, "fs": 10**6, "as": 10**9}
_DAYS = {"D": 1, "W": 7}


def _of_datetime64(column: _Column, value: np.datetime64) -> Made:
    if np.isnat(value):
        return _ask.null(column)
    unit, step = np.datetime_data(value.dtype)
    count = int(value.astype(np.int64)) * step
    if unit in _DAYS:
        days = count * _DAYS[unit]
        return _ask.date(column, days) if -(2**63) <= days < 2**63 else _TOO_LONG
    if unit in _UNITS:
        factor, known = _UNITS[unit]
        return _timestamp(column, count * factor, known, False)
    if unit in _PARTS and count % _PARTS[unit] == 0:
        return _timestamp(column, count // _PARTS[unit], "ns", False)
    if unit in _PARTS:
        return "the datetime64 is no whole number of nanoseconds, and no column is finer"
    raise TypeError(f'a {value.dtype} is a month or a year, and no day: pass value.astype("datetime64[D]")')


def _of_longdouble(column: _Column, value: np.longdouble) -> Made:
    with np.errstate(over="ignore"):
        double = float(value)
    if math.isnan(double) or np.longdouble(double) == value:
        return _ask.float64(column, double)
    return "the longdouble is no DOUBLE: pass float(value) if it is compared as one"


def _of_float32(column: _Column, value: Union[np.float32, np.float16]) -> Made:
    return _ask.float32(column, float(value))


def _of_void(column: _Column, value: np.void) -> Made:
    if value.dtype.names is not None:
        raise TypeError(f"the value has fields: pass one, as value[{value.dtype.names[0]!r}]")
    return _ask.bytes(column, value.tobytes())


def _refuse(advice: str) -> Callable[[_Column, Any], Made]:
    def refuse(_: _Column, value: Any) -> Made:
        raise TypeError(f"a {type(value).__name__} is no value of a Parquet column: {advice}")

    return refuse


# The first that fits: NumPy's before those that they are derived from, datetime before date.
_CONVERSIONS: list[tuple[Any, Callable[[_Column, Any], Made]]] = [
    ((bool, np.bool_), _refuse("BOOLEAN has no Bloom filter; pass int(value) if it is a number")),
    (np.bytes_, _refuse("numpy.bytes_ forgets zero bytes at its end; pass the bytes that the column stores")),
    (np.timedelta64, _refuse("pass a datetime.time, or linefilter.parquet.Time")),
    (np.datetime64, _of_datetime64),
    ((np.float32, np.float16), _of_float32),
    ((float, np.float64), _of_float),
    (np.longdouble, _of_longdouble),
    ((int, np.integer), _of_int),
    (np.void, _of_void),
    (str, _of_str),
    ((bytes, bytearray), _of_bytes),
    (memoryview, _of_memoryview),
    (decimal.Decimal, _of_decimal),
    (uuid.UUID, _of_uuid),
    (Timestamp, _of_timestamp),
    (Time, _of_time_count),
    (datetime.datetime, _of_datetime),
    (datetime.date, _of_date),
    (datetime.time, _of_time),
]


def question_of(column: _Column, value: Any) -> Made:
    """A question about a value of a natural type. None, and what pandas has in place of it, is null."""
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return _ask.null(column)
    for kind, convert in _CONVERSIONS:
        if isinstance(value, kind):
            return convert(column, value)
    raise TypeError(
        f"a {type(value).__name__} is no value of a Parquet column: pass an int, float, Decimal, str, bytes, UUID, date, time or "
        "datetime"
    )
