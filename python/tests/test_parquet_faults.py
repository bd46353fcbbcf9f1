"""Faults by which engines lost rows in 2026: a constant was hashed in another form than the column stores.

Each case stores a value as a writer does, and asks for it as a query does. tests/parquet/parquet_faults_test.cc has them for C++.
"""

import datetime
import math
import struct
from decimal import Decimal

import numpy as np
import pytest

from linefilter import parquet
from linefilter.parquet import ColumnType, Time, Timestamp

DOUBLE, FLOAT, HALF = ColumnType("DOUBLE"), ColumnType("FLOAT"), ColumnType.of("FLOAT16")
BLOB, STRING, DATE = ColumnType("BYTE_ARRAY"), ColumnType.of("STRING"), ColumnType.of("DATE")
UTC = datetime.timezone.utc


def column(values, physical):
    """Asks a row group whose column has these values. Its rate is far below one false positive in this test."""
    made = parquet.create_of_bytes(1 << 16)
    made.add_hashes(parquet.hash_values(values, physical))
    return parquet.ParquetFilterView(parquet.to_bytes(made)).may_contain


@pytest.mark.parametrize("stored", [0.0, -0.0])
def test_zero_has_two_signs(stored):
    doubles, floats = column([stored], "DOUBLE"), column([stored], "FLOAT")
    halves = column([struct.pack("<e", stored)], "FIXED_LEN_BYTE_ARRAY")
    for zero in (0.0, -0.0, np.float32(0), np.float32(-0.0), np.float64(-0.0), np.float16(-0.0), 0, Decimal("0.00"),
                 Decimal("-0"), np.int8(0)):  # fmt: skip
        assert doubles(DOUBLE, zero) and floats(FLOAT, zero) and halves(HALF, zero)
    assert not doubles(DOUBLE, 1.0) and not floats(FLOAT, 1) and not halves(HALF, 1)


def test_nan_has_many_forms():
    bits = np.array([0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 2**64 - 1], np.uint64)
    doubles = column(bits.view(np.float64), "DOUBLE")
    for nan in (math.nan, -math.nan, np.float32("nan"), np.float16("nan"), np.longdouble("nan"), Decimal("nan"),
                Decimal("sNaN"), *bits.view(np.float64)):  # fmt: skip
        answer = doubles(DOUBLE, nan)
        assert answer and answer.reason == "nan"


def test_rounded_constants():
    """0.1 is rounded to FLOAT by one engine, and FLOAT is widened by another."""
    floats = column(np.array([0.1], np.float32), "FLOAT")
    for tenth in (0.1, Decimal("0.1"), np.float32(0.1)):
        assert floats(FLOAT, tenth)
    assert floats(FLOAT, np.float32(0.1)).reason == "asked" and floats(FLOAT, 0.1).reason == "inexact"
    assert column([0.1], "DOUBLE")(DOUBLE, Decimal("0.1")) and column([0.1], "DOUBLE")(DOUBLE, 0.1).reason == "asked"
    # The column is rounded to the number of the constant, or the constant to that of the column.
    assert column([2**53 + 1], "INT64")(ColumnType("INT64"), float(2**53))
    assert column([2**24 + 1], "INT32")(ColumnType("INT32"), np.float32(2**24))
    assert column([2**63 - 1], "INT64")(ColumnType("INT64"), float(2**63))
    assert column([float(2**53)], "DOUBLE")(DOUBLE, 2**53 + 1)
    half = column([(10**19 // 2 + 1).to_bytes(9, "big")], "FIXED_LEN_BYTE_ARRAY")
    assert half(ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 20, 19, 9), 0.5)


def test_neighbors_of_exact_numbers():
    """DuckDB 1.5 converts these in steps that round, and finds the rows of the neighbors."""
    doubles = column([float(np.nextafter(-0.75, -1)), -9821325365826160.0], "DOUBLE")
    assert doubles(DOUBLE, -9821325365826162)
    for zeros in (21, 40, 100, 10_000):  # the library is told the scale, too
        assert doubles(DOUBLE, Decimal("-0.75" + "0" * zeros)).reason == "inexact"


def test_blobs_are_bytes():
    blobs = column([b"\xff", b"plain"], "BYTE_ARRAY")
    assert blobs(BLOB, b"\xff") and not blobs(BLOB, b"\\xff") and blobs(BLOB, bytearray(b"\xff"))
    assert blobs(BLOB, memoryview(b"a\xff")[1:])
    printed = blobs(BLOB, "\\xff")
    assert printed and printed.reason == "other_kind" and "ask by the bytes that it stores" in printed.message
    assert blobs(BLOB, str(b"\xff"))


def test_decimals_have_a_width_and_an_order():
    for width in (2, 4, 8, 16):
        stored = (1234).to_bytes(width, "big")
        decimals = column([stored], "FIXED_LEN_BYTE_ARRAY")
        for type in (ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 4, 2, width), ColumnType.decimal("BYTE_ARRAY", 4, 2)):
            for value in (Decimal("12.34"), Decimal("12.3400"), Decimal("0012.34"), Decimal("1234E-2")):
                assert decimals(type, value).reason == "asked" and decimals(type, value), (width, value)
            assert not decimals(type, Decimal("12.35")) and not decimals(type, Decimal("123.4")) and not decimals(type, 1234)
        little = column([stored[::-1]], "FIXED_LEN_BYTE_ARRAY")
        assert not little(ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 4, 2, width), Decimal("12.34"))
    assert column([b"\xff" * 9], "FIXED_LEN_BYTE_ARRAY")(ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 20, 0, 9), -1)
    assert column([15], "INT32")(ColumnType.decimal("INT32", 4, 1), Decimal("1.50"))
    wide = column([200], "INT64")
    for two in (Decimal(2), 2, Decimal("2E0"), Decimal("0.2E1"), np.uint8(2)):
        assert wide(ColumnType.decimal("INT64", 4, 2), two)


def test_small_integers_are_widened_by_their_sign():
    signed = column(np.array([-56, -2], np.int8), "INT32")
    assert signed(ColumnType.integer(8), -56) and signed(ColumnType.integer(8), np.int8(-56))
    assert signed(ColumnType.integer(16), np.int16(-2))
    assert signed(ColumnType.integer(8), 200).reason == "out_of_range", "its 8 bits are those of -56"
    unsigned = column(np.array([200, 65534, 2**32 - 1], np.uint32), "INT32")
    assert unsigned(ColumnType.integer(8, is_signed=False), np.uint8(200)) and unsigned(ColumnType.integer(16, False), 65534)
    assert unsigned(ColumnType.integer(32, False), np.uint32(2**32 - 1)) and not unsigned(ColumnType.integer(8, False), 201)
    large = column(np.array([2**64 - 1], np.uint64), "INT64")
    assert large(ColumnType.integer(64, False), 2**64 - 1) and large(ColumnType.integer(64, False), -1).reason == "out_of_range"


@pytest.mark.parametrize("type, value", [
    (ColumnType("INT32"), 5_000_000_000),  # its lower half is 705032704
    (ColumnType.integer(8, False), 300),  # 44
    (ColumnType.integer(32, False), -1),
    (ColumnType.integer(32, True), 2**32 - 1),
    (ColumnType.decimal("INT32", 9, 0), 5_000_000_000),
    (ColumnType.decimal("INT32", 9, 2), Decimal("0.445")),
    (ColumnType("INT32"), Decimal("44.5")),
    (ColumnType("INT32"), 44.5),
    (ColumnType("INT64"), 10**100),
    (ColumnType("INT64"), Decimal("1e999999")),
    (ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 9, 0, 4), -(10**100)),
])  # fmt: skip
def test_constants_outside_of_the_type_are_absent(type, value):
    answer = column([705032704, 44, -1, 0], "INT32")(type, value)
    assert not answer and answer.reason == "out_of_range" and answer.may_contain is False


def test_dates_and_times_have_a_unit():
    dates = column([19_000], "INT32")
    assert dates(DATE, datetime.date(2022, 1, 8)).reason == "asked" and dates(DATE, np.datetime64("2022-01-08"))
    assert not dates(DATE, datetime.date(2022, 1, 9))
    for other in (19_001, "2022-01-08", datetime.datetime(2022, 1, 9)):
        assert dates(DATE, other).reason == "other_kind", "it is no date"
    stamps = column([1_700_000_000_000], "INT64")
    instant = datetime.datetime.fromtimestamp(1_700_000_000, UTC)
    in_millis = ColumnType.timestamp("ms", True)
    for same in (instant, instant.astimezone(datetime.timezone(datetime.timedelta(hours=-7, minutes=-30))),
                 Timestamp(1_700_000_000_000_000_000, "ns", True)):  # fmt: skip
        assert stamps(in_millis, same).reason == "asked" and stamps(in_millis, same)
    assert not stamps(in_millis, instant + datetime.timedelta(microseconds=1))
    assert not stamps(in_millis, Timestamp(1_700_000_000_000, "us", True))
    local = instant.replace(tzinfo=None)
    for other in (local, np.datetime64(local)):
        assert stamps(in_millis, other).reason == "other_kind", "a zone is needed to compare"
        assert stamps(ColumnType.timestamp("ms", False), other).reason == "asked"
        assert stamps(ColumnType.timestamp("ms", False), other)
    times = column([86_399_999], "INT32")
    for same in (datetime.time(23, 59, 59, 999_000), Time(86_399_999_000_000, "ns", False)):
        assert times(ColumnType.time("ms", False), same).reason == "asked" and times(ColumnType.time("ms", False), same)
    assert not times(ColumnType.time("ms", False), datetime.time(23, 59, 59, 999_001))


def test_infinite_times():
    """DuckDB stores them as the ends of INT64, whatever the unit, and finds them by each other."""
    stamps = column([2**63 - 1, 1 - 2**63], "INT64")
    for stored in ("ms", "us", "ns"):
        for asked in ("ms", "us", "ns"):
            for end in (2**63 - 1, 1 - 2**63, 2**63, -(2**64)):
                assert stamps(ColumnType.timestamp(stored, False), Timestamp(end, asked, False))


def test_texts_and_bytes_of_another_length():
    fixed = column([b"abc"], "FIXED_LEN_BYTE_ARRAY")
    type = ColumnType("FIXED_LEN_BYTE_ARRAY", type_length=3)
    assert fixed(type, b"abc") and fixed(type, np.void(b"abc"))
    assert fixed(type, b"abc ").reason == fixed(type, b"ab").reason == "out_of_range"
    ended = column([b"a\0"], "BYTE_ARRAY")
    assert ended(BLOB, np.array([b"a\0"], "S2").view("V2")[0]) and ended(STRING, "a\0")
    with pytest.raises(TypeError, match="forgets zero bytes"):
        ended(BLOB, np.array([b"a\0"], "S2")[0])  # b"a" by now
    texts = column(["abc "], "BYTE_ARRAY")
    assert texts(STRING, "abc ") and not texts(STRING, "abc  ") and not texts(STRING, "abc")
