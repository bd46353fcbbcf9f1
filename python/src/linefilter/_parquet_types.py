"""ColumnType: how a column of a Parquet file stores its values, and what they mean."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any, Literal, Union, get_args

from . import _linefilter
from ._errors import InvalidArgumentError
from ._keys import as_uint

# The place of a name is the number that Parquet's metadata has for it: Type, the field of LogicalType, and ConvertedType. INTERVAL
# has no LogicalType. UNKNOWN is the type of a column that is always null.
Physical = Literal["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"]
Logical = Literal[
    "NONE", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "INTERVAL", "INTEGER", "UNKNOWN", "JSON",
    "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY", "OTHER",
]  # fmt: skip
Converted = Literal[
    "UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS", "TIME_MICROS", "TIMESTAMP_MILLIS",
    "TIMESTAMP_MICROS", "UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32", "INT_64", "JSON", "BSON",
    "INTERVAL",
]  # fmt: skip
TimeUnit = Literal["ms", "us", "ns"]

_MOST = 2**31 - 1
_OTHER = 255  # of a logical type that this version does not know
_WITHOUT_PARAMETERS = ("STRING", "ENUM", "JSON", "BSON", "UUID", "FLOAT16", "INTERVAL", "DATE")


def number_of(name: Any, names: Any, what: str) -> int:
    """The number of a name; a number is itself."""
    if isinstance(name, str):
        if name in get_args(names):
            return get_args(names).index(name)
        raise InvalidArgumentError(f"{name!r} is no {what}: take one of {', '.join(get_args(names))}")
    try:
        number = operator.index(name)
    except TypeError:
        number = -1
    if isinstance(name, bool) or number < 0:
        raise TypeError(f"{what} is a name, such as {get_args(names)[1]!r}, or its number in Parquet's metadata, not {name!r}")
    return number


def physical_number(name: Any) -> int:
    number = number_of(name, Physical, "physical type")
    if number >= len(get_args(Physical)):
        raise InvalidArgumentError(f"{number} is no physical type: they are 0 .. {len(get_args(Physical)) - 1}")
    return number


def unit_number(unit: Any) -> int:
    if unit not in get_args(TimeUnit):
        raise InvalidArgumentError(f"{unit!r} is no unit of times: take \"ms\", \"us\" or \"ns\"")
    return get_args(TimeUnit).index(unit) + 1


def _logical_number(name: Any) -> int:
    number = number_of(name, Logical, "logical type")
    return number if number < len(get_args(Logical)) - 1 else _OTHER


@dataclass(frozen=True)
class ColumnType:
    """The type of a leaf column in this very file, which may be another one than that of the table.

    Fill it from the metadata of the file, or take one of the class methods. Names may be given as the numbers that the
    metadata has. A logical type that this version does not know is "OTHER": questions about it are answered "maybe". A column
    that has a ConvertedType alone is none of "NONE": see of_converted.

    >>> ColumnType("INT64") == ColumnType(2)
    True
    >>> ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", precision=9, scale=2, type_length=4).scale
    2

    physical: how values are stored.
    logical: what they mean; "NONE" is what the physical type says.
    type_length: of FIXED_LEN_BYTE_ARRAY.
    precision, scale: of DECIMAL. In BYTE_ARRAY the precision tells how long values may be.
    bit_width, is_signed: of INTEGER: 8, 16, 32 or 64 bits.
    is_utc: of TIME and TIMESTAMP: isAdjustedToUTC.
    unit: of TIME and TIMESTAMP.
    """

    physical: Union[Physical, int]
    logical: Union[Logical, int] = "NONE"
    type_length: int = 0
    precision: int = 0
    scale: int = 0
    bit_width: int = 0
    is_signed: bool = True
    is_utc: bool = False
    unit: TimeUnit = "us"
    _numbers: tuple[Any, ...] = field(init=False, repr=False, compare=False)  # as the library takes them

    def __post_init__(self) -> None:
        set_field = object.__setattr__  # the way of a frozen dataclass
        physical, logical = physical_number(self.physical), _logical_number(self.logical)
        set_field(self, "physical", get_args(Physical)[physical])
        set_field(self, "logical", "OTHER" if logical == _OTHER else get_args(Logical)[logical])
        for name in ("type_length", "precision", "scale", "bit_width"):
            set_field(self, name, as_uint(getattr(self, name), name, _MOST))
        for name in ("is_signed", "is_utc"):
            set_field(self, name, bool(getattr(self, name)))
        counts = self.type_length, self.precision, self.scale, self.bit_width
        set_field(self, "_numbers", (physical, logical, *counts, self.is_signed, self.is_utc, unit_number(self.unit)))

    @staticmethod
    def of(logical: Logical) -> ColumnType:
        """The type of a column whose logical type has no parameters: STRING, ENUM, JSON, BSON, UUID, FLOAT16, INTERVAL or DATE."""
        number = _logical_number(logical)
        if number == _OTHER or get_args(Logical)[number] not in _WITHOUT_PARAMETERS:
            raise InvalidArgumentError(
                f"{logical!r} is not one of {', '.join(_WITHOUT_PARAMETERS)}: take integer, decimal, time or timestamp, or "
                "ColumnType(physical) itself"
            )
        return _column_type_of(_linefilter.ParquetColumnType.of(number))

    @staticmethod
    def integer(bit_width: int, is_signed: bool = True) -> ColumnType:
        """INTEGER of 8, 16, 32 (INT32) or 64 bits (INT64)."""
        if bit_width not in (8, 16, 32, 64):
            raise InvalidArgumentError(f"an INTEGER has 8, 16, 32 or 64 bits, not {bit_width}")
        return _column_type_of(_linefilter.ParquetColumnType.integer(int(bit_width), bool(is_signed)))

    @staticmethod
    def decimal(physical: Union[Physical, int], precision: int, scale: int, type_length: int = 0) -> ColumnType:
        """DECIMAL in INT32, INT64, BYTE_ARRAY, or FIXED_LEN_BYTE_ARRAY of type_length bytes."""
        return ColumnType(physical, "DECIMAL", type_length, precision, scale)

    @staticmethod
    def time(unit: TimeUnit, is_utc: bool) -> ColumnType:
        """TIME in "ms" (INT32), "us" or "ns" (INT64)."""
        return _column_type_of(_linefilter.ParquetColumnType.time(unit_number(unit), bool(is_utc)))

    @staticmethod
    def timestamp(unit: TimeUnit, is_utc: bool) -> ColumnType:
        """TIMESTAMP in "ms", "us" or "ns" (INT64)."""
        return _column_type_of(_linefilter.ParquetColumnType.timestamp(unit_number(unit), bool(is_utc)))

    @staticmethod
    def of_converted(
        converted: Union[Converted, int], physical: Union[Physical, int], type_length: int = 0, precision: int = 0, scale: int = 0
    ) -> ColumnType:
        """The type of a column of an old writer, which has a ConvertedType and no LogicalType. Its times are instants, as the
        specification reads them: replace is_utc, by dataclasses.replace, if your reader takes them for local ones."""
        number = min(number_of(converted, Converted, "converted type"), _MOST)
        length = as_uint(type_length, "type_length", _MOST)
        digits = as_uint(precision, "precision", _MOST), as_uint(scale, "scale", _MOST)
        return _column_type_of(_linefilter.ParquetColumnType.of_converted(number, physical_number(physical), length, *digits))

    def _core(self) -> _linefilter.ParquetColumnType:
        return _linefilter.ParquetColumnType(*self._numbers)


def _column_type_of(core: _linefilter.ParquetColumnType) -> ColumnType:
    physical, logical, type_length, precision, scale, bit_width, is_signed, is_utc, unit = core.fields()
    return ColumnType(physical, logical, type_length, precision, scale, bit_width, is_signed, is_utc, get_args(TimeUnit)[unit - 1])
