"""linefilter.parquet: types of columns, and Python's objects as values of a query. The forms are packed by hand here."""

import dataclasses
import datetime
import decimal
import pickle
import struct
import sys
import typing
import uuid
import zoneinfo
from decimal import Decimal
from enum import IntEnum

import numpy as np
import pytest

import linefilter
from linefilter import parquet
from linefilter.parquet import Answer, ColumnType, Question, Time, Timestamp

UTC = datetime.timezone.utc
UUID = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
INT64, DOUBLE = ColumnType("INT64"), ColumnType("DOUBLE")
STRING, BLOB = ColumnType.of("STRING"), ColumnType("BYTE_ARRAY")
STAMP, INSTANT = ColumnType.timestamp("us", False), ColumnType.timestamp("us", True)


def asks(type, value, *forms):
    """These forms and no other are asked for."""
    question = Question(type, value)
    assert question.decided == Answer(True, "asked", "the filter was asked for every form of the value"), (value, question.decided)
    assert question.hashes.tolist() == [linefilter.parquet_hash(form) for form in forms], value
    assert len(forms) == 1 or repr(question) == f"<Question: asked, {len(forms)} hashes>"


def decides(type, value, reason):
    question = Question(type, value)
    answer = question.ask(parquet.create(10, 0.01))
    assert answer == question.decided and answer.reason == reason and len(answer.message) > 20, (value, answer)
    assert answer.may_contain is bool(answer) is (reason != "out_of_range") and len(question.hashes) == 0


class Level(IntEnum):
    HIGH = 7


class Stamp(datetime.datetime):
    """As one of pandas."""

    nanosecond = 7


class FarStamp(datetime.datetime):
    """As one of pandas beyond the years of a datetime: what that inherits tells 1970."""

    year = 20_000


class NaTType(datetime.datetime):
    """As that of pandas, which is a datetime."""


def test_numbers():
    for seven in (7, np.int8(7), np.uint64(7), Level.HIGH, Decimal(7), Decimal("7.000"), Decimal("70E-1"), 7.0, np.float32(7),
                  np.float16(7), np.longdouble(7)):  # fmt: skip
        asks(INT64, seven, struct.pack("<q", 7))
        asks(ColumnType.integer(16, False), seven, struct.pack("<i", 7))
        asks(ColumnType.decimal("INT32", 9, 2), seven, struct.pack("<i", 700))
        asks(ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 20, 2, 9), seven, (700).to_bytes(9, "big"))
        asks(ColumnType("FLOAT"), seven, struct.pack("<f", 7))
        asks(DOUBLE, seven, struct.pack("<d", 7))
        asks(ColumnType.of("FLOAT16"), seven, struct.pack("<e", 7))
    asks(DOUBLE, 0, struct.pack("<d", 0.0), struct.pack("<d", -0.0))
    asks(DOUBLE, float("-inf"), struct.pack("<d", float("-inf")))
    asks(DOUBLE, Decimal("-Infinity"), struct.pack("<d", float("-inf")))
    asks(ColumnType.decimal("BYTE_ARRAY", 9, 0), -1, *(b"\xff" * size for size in range(1, 17)))
    asks(ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 76, 0, 32), -(2**255), b"\x80" + bytes(31))
    asks(ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 76, 1, 32), Decimal(-(2**255)).scaleb(-1, decimal.Context(prec=100)), b"\x80" + bytes(31))


def test_numbers_beyond_256_bits():
    digits = "123456789" * 20
    fixed, free = ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 76, 2, 32), ColumnType.decimal("BYTE_ARRAY", 200, 2)
    for huge in (2**255, -(2**255) - 1, 10**5000, -(2**20000), Decimal(digits), Decimal("-1e999999"), Decimal("0." + digits),
                 Decimal((0, (1,) * 6000, -3))):  # fmt: skip
        decides(INT64, huge, "out_of_range")
        decides(fixed, huge, "out_of_range")
        decides(DOUBLE, huge, "inexact")
        if not isinstance(huge, int) or abs(huge) > 2**256:
            decides(free, huge, "inexact")
    for zeros in (1, 74, 75, 76, 77, 78, 5000):
        asks(INT64, Decimal("5." + "0" * zeros), struct.pack("<q", 5))
    for most in (2**255 - 1, -(2**255), 10**76 - 1, 10**76, -(10**76)):
        for text in (str(most), f"{most}.0", f"{most}." + "0" * 500):
            asks(dataclasses.replace(fixed, scale=0), Decimal(text), most.to_bytes(32, "big", signed=True))
    for huge in (2**255, -(2**255) - 1):
        decides(dataclasses.replace(fixed, scale=0), Decimal(huge), "out_of_range")
    asks(INT64, Decimal((1, (0, 0, 5), 0)), struct.pack("<q", -5))
    decides(INT64, Decimal("1e-999999"), "out_of_range")
    decides(DOUBLE, Decimal("1e-999999"), "inexact")
    if sys.maxsize > 2**32:
        for huge in (Decimal((0, (1,), 10**15)), Decimal((0, (1,), -(10**15)))):
            decides(INT64, huge, "out_of_range")
            decides(DOUBLE, huge, "inexact")
    asks(INT64, Decimal("0E+999999"), struct.pack("<q", 0))


def test_texts_bytes_and_uuids():
    asks(STRING, "ä", "ä".encode())
    asks(STRING, np.str_("ä"), "ä".encode())
    asks(ColumnType.of("JSON"), "{}", b"{}")
    for plain in (b"\0a\0", bytearray(b"\0a\0"), memoryview(b"\0a\0"), memoryview(b"\0-a-\0")[::2], np.void(b"\0a\0")):
        asks(BLOB, plain, b"\0a\0")
        asks(STRING, plain, b"\0a\0")
    for same in (UUID, str(UUID), str(UUID).upper(), UUID.hex, UUID.bytes):
        asks(ColumnType.of("UUID"), same, UUID.bytes)
    decides(ColumnType("FIXED_LEN_BYTE_ARRAY", type_length=16), UUID, "other_kind")
    decides(STRING, "\udc80", "inexact")
    decides(ColumnType.of("UUID"), "no uuid", "other_kind")
    with pytest.raises(TypeError, match="cast"):
        Question(BLOB, memoryview(np.arange(3)))
    for wrong in (Timestamp(1.5, "us", True), Time(1.5, "us", True)):
        with pytest.raises(TypeError, match="integer"):
            Question(STAMP, wrong)


def test_dates_and_times():
    days = lambda count: struct.pack("<i", count)  # noqa: E731
    long = lambda count: struct.pack("<q", count)  # noqa: E731
    date = ColumnType.of("DATE")
    for value, count in ((datetime.date(1970, 1, 1), 0), (datetime.date.min, -719162), (datetime.date.max, 2932896),
                         (np.datetime64("1969-12-31"), -1),
                         (np.datetime64(2, "W"), 14), (np.datetime64(3, ("D", 5)), 15)):  # fmt: skip
        asks(date, value, days(count))
    for value, count in (
        (datetime.datetime(1970, 1, 1), 0), (datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), -1),
        (datetime.datetime.min, -62135596800000000), (datetime.datetime.max, 253402300799999999),
        (np.datetime64("2000-01-01T00:00"), 946684800000000), (np.datetime64(5, "h"), 18000000000), (np.datetime64(5, "s"), 5000000),
        (np.datetime64(5, "ms"), 5000), (np.datetime64(5, "us"), 5), (np.datetime64(5000, "ns"), 5), (np.datetime64(5000000, "ps"), 5),
        (np.datetime64(2, ("us", 25)), 50), (Timestamp(5, "ms", False), 5000),
    ):  # fmt: skip
        asks(STAMP, value, long(count))
        decides(INSTANT, value, "other_kind")
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    for value, count in ((datetime.datetime(1970, 1, 1, tzinfo=UTC), 0),
                         (datetime.datetime(1970, 7, 1, 1, tzinfo=berlin), 15638400000000),
                         (datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.timezone(datetime.timedelta(microseconds=1))),
                          999999),
                         (datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=23))),
                          -62135679600000000),
                         (Timestamp(-5, "ms", True), -5000)):  # fmt: skip
        asks(INSTANT, value, long(count))
        decides(STAMP, value, "other_kind")
    asks(ColumnType.timestamp("ns", False), Stamp(1970, 1, 1, 0, 0, 1), long(1000000007))
    decides(STAMP, Stamp(1970, 1, 1, 0, 0, 1), "out_of_range")  # it has nanoseconds
    asks(ColumnType.time("us", False), datetime.time(1, 2, 3, 4), long(3723000004))
    asks(ColumnType.time("ns", True), datetime.time(1, tzinfo=UTC), long(3600000000000))
    asks(ColumnType.time("ms", False), Time(5000, "us", False), days(5))
    decides(ColumnType.time("us", True), datetime.time(1), "other_kind")
    decides(ColumnType.time("us", True), Time(1, "us", False), "other_kind")


def test_what_cannot_be_converted_exactly_is_maybe():
    far = datetime.timezone(datetime.timedelta(hours=1))
    decides(ColumnType.time("us", True), datetime.time(1, tzinfo=far), "inexact")
    decides(ColumnType.time("us", True), datetime.time(1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")), "inexact")
    decides(STAMP, np.datetime64(1, "ps"), "inexact")
    decides(STAMP, np.datetime64(2**62, "h"), "inexact")
    decides(STAMP, np.datetime64(2**62, ("us", 4)), "inexact")
    decides(ColumnType.of("DATE"), np.datetime64(2**62, "W"), "inexact")
    decides(ColumnType.time("us", True), Time(2**63, "us", True), "inexact")
    if np.longdouble(1) / 3 != np.longdouble(1 / 3):
        decides(DOUBLE, np.longdouble(1) / 3, "inexact")
    decides(ColumnType("FLOAT"), 0.1, "inexact")

    class NoOffset(datetime.tzinfo):
        def utcoffset(self, when):
            return None

    decides(STAMP, datetime.datetime(1970, 1, 1, tzinfo=NoOffset()), "inexact")
    for far in (FarStamp(1970, 1, 1), FarStamp(1970, 1, 1, tzinfo=UTC)):
        decides(STAMP, far, "inexact")


def test_what_is_missing_is_null():
    for missing in (None, np.datetime64("NaT"), np.datetime64("NaT", "us"), NaTType(1970, 1, 1)):
        decides(STAMP, missing, "null")


def test_what_is_no_value():
    for wrong in (
        True, np.bool_(False), np.timedelta64(1, "s"), datetime.timedelta(1), np.bytes_(b"a"), np.datetime64("2022-01"),
        np.datetime64("2022"), 1j, np.complex64(1), object(), [1], (1,), {}, np.arange(3), np.array(1), np.zeros(1, "i4,i4")[0], int,
    ):  # fmt: skip
        for type in (INT64, STRING, STAMP):
            with pytest.raises(TypeError, match="value|pass"):
                Question(type, wrong)


def test_types_without_a_filter():
    for type in (ColumnType("BOOLEAN"), ColumnType.of("INTERVAL"), ColumnType("INT32", "OTHER"), ColumnType("BYTE_ARRAY", "VARIANT"),
                 ColumnType("INT32", "STRING"), ColumnType("INT32", 200), ColumnType("FIXED_LEN_BYTE_ARRAY"),
                 ColumnType("BYTE_ARRAY", "INTEGER"), ColumnType("INT32", "UNKNOWN")):  # fmt: skip
        for value in (1, "a", b"a", 0.5):
            decides(type, value, "unsupported_type")


def test_types():
    in_cents = ColumnType("INT32", "DECIMAL", precision=9, scale=np.int8(2))
    assert in_cents == ColumnType.decimal("INT32", 9, 2) == ColumnType(1, 5, 0, 9, 2)
    assert ColumnType.of("UUID") == ColumnType("FIXED_LEN_BYTE_ARRAY", "UUID", 16) and ColumnType.of("STRING") == ColumnType(6, 1)
    assert ColumnType.integer(8, False) == ColumnType("INT32", "INTEGER", bit_width=8, is_signed=False)
    assert ColumnType.time("ms", True) == ColumnType("INT32", "TIME", is_utc=True, unit="ms")
    assert ColumnType.time("ns", False).physical == "INT64"
    assert pickle.loads(pickle.dumps(STAMP)) == STAMP and len({STAMP, INSTANT, ColumnType.timestamp("us", True)}) == 2
    assert dataclasses.replace(INSTANT, is_utc=False) == STAMP
    for name, physical, type in (
        ("UTF8", "BYTE_ARRAY", STRING), ("DATE", "INT32", ColumnType.of("DATE")), (9, "INT64", ColumnType.timestamp("ms", True)),
        ("TIMESTAMP_MICROS", "INT64", INSTANT), (17, "INT32", ColumnType.integer(32)),
        ("JSON", "BYTE_ARRAY", ColumnType.of("JSON")),
    ):  # fmt: skip
        assert ColumnType.of_converted(name, physical) == type
    converted = ColumnType.of_converted("DECIMAL", "FIXED_LEN_BYTE_ARRAY", 5, 9, 2)
    assert converted == ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 9, 2, 5)
    assert ColumnType.of_converted(99, "INT32").logical == "OTHER" == ColumnType.of_converted(2**40, "INT32").logical
    assert typing.get_args(linefilter._parquet_types.Converted)[18] == "INT_64"
    for wrong in (
        lambda: ColumnType("int32"), lambda: ColumnType("INT32", "TEXT"), lambda: ColumnType(8), lambda: ColumnType.of("DECIMAL"),
        lambda: ColumnType.of(99), lambda: ColumnType.integer(7), lambda: ColumnType("INT32", scale=-1),
        lambda: ColumnType("INT32", scale=2**31), lambda: ColumnType.time("s", True), lambda: ColumnType("INT32", unit=1),
        lambda: ColumnType.of_converted("TEXT", "INT32"), lambda: Question(STAMP, Timestamp(1, "s", True)),
    ):  # fmt: skip
        with pytest.raises(linefilter.InvalidArgumentError):
            wrong()
    for wrong in (lambda: ColumnType(None), lambda: ColumnType("INT32", True), lambda: ColumnType("INT32", scale="2"),
                  lambda: ColumnType("INT32", -1)):  # fmt: skip
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(dataclasses.FrozenInstanceError):
        STAMP.unit = "ns"


def test_answers_and_their_reasons():
    made = parquet.create(10, 0.001)
    made.add_hashes(parquet.hash_values([7], "INT64"))
    assert parquet.may_contain(made, INT64, 7) and not parquet.may_contain(made, INT64, 8)
    answer = parquet.may_contain(made, INT64, 8)
    assert answer == (False, "asked", "the filter was asked for every form of the value") and answer.may_contain is False
    assert not Question(INT64, 8).ask(linefilter.FilterView(made.to_bytes(), verify="whole"))
    for other in (linefilter.Bloom(10), linefilter.ScalableFilter(10, fpr=0.1), linefilter.RotatingFilter(10, fpr=0.1)):
        answer = parquet.may_contain(other, INT64, 8)
        assert answer and answer.reason == "other_hash"
    answer = Question(INT64, 8).ask(linefilter.FilterView(b"", broken="maybe", verify="whole"))
    assert answer and answer.reason == "no_filter"
    blocked = linefilter.BlockedFilter(10, fpr=0.001, parquet_hash=True)
    assert not parquet.may_contain(blocked, INT64, 8), "any layout"
    blocked.add(8)
    assert parquet.may_contain(blocked, INT64, 8)
    for wrong in (None, b"filter", {7}):
        with pytest.raises(TypeError, match="a filter is asked"):
            parquet.may_contain(wrong, INT64, 7)
    with pytest.raises(TypeError, match="ColumnType"):
        parquet.may_contain(made, "INT64", 7)
    with pytest.raises(TypeError, match="not copied"):
        pickle.dumps(Question(INT64, 7))


def test_random_values_that_are_stored_are_found():
    """Of each type: what a writer stores, asked as Python's object."""
    pick = np.random.default_rng(34)
    days = pick.integers(-10**5, 10**5, 500)
    micros = pick.integers(-(10**16), 10**16, 500)
    cents = pick.integers(-(10**9), 10**9, 500).tolist()
    doubles = pick.normal(size=500) * 10.0 ** pick.integers(-200, 200, 500)
    epoch = datetime.datetime(1970, 1, 1)
    columns = [
        (INT64, "INT64", micros, micros.tolist()),
        (ColumnType.of("DATE"), "INT32", days, [datetime.date(1970, 1, 1) + datetime.timedelta(days=int(each)) for each in days]),
        (STAMP, "INT64", micros, [epoch + datetime.timedelta(microseconds=int(each)) for each in micros]),
        (INSTANT, "INT64", micros, [(epoch.replace(tzinfo=UTC) + datetime.timedelta(microseconds=int(each))) for each in micros]),
        (STAMP, "INT64", micros, micros.astype("M8[us]")),
        (DOUBLE, "DOUBLE", doubles, doubles.tolist()),
        (ColumnType("FLOAT"), "FLOAT", pick.normal(size=500).astype(np.float32), None),
        (ColumnType.decimal("FIXED_LEN_BYTE_ARRAY", 10, 2, 5), "FIXED_LEN_BYTE_ARRAY",
         [each.to_bytes(5, "big", signed=True) for each in cents], [Decimal(each) / 100 for each in cents]),
        (ColumnType.decimal("INT64", 10, 2), "INT64", cents, [Decimal(each).scaleb(-2) for each in cents]),
        (ColumnType.of("UUID"), "FIXED_LEN_BYTE_ARRAY", [pick.bytes(16) for _ in range(500)], uuid.UUID),
        (BLOB, "BYTE_ARRAY", [pick.bytes(int(size)) for size in pick.integers(0, 40, 500)], None),
    ]  # fmt: skip
    for type, physical, stored, asked in columns:
        made = parquet.create(len(stored), 1e-4)
        made.add_hashes(parquet.hash_values(stored, physical))
        view = parquet.ParquetFilterView(parquet.to_bytes(made))
        values = stored if asked is None else [uuid.UUID(bytes=each) for each in stored] if asked is uuid.UUID else asked
        answers = [view.may_contain(type, value) for value in values]
        assert len(answers) == 500 and all(answers) and {answer.reason for answer in answers} == {"asked"}, type
        assert not view.may_contain(type, values[0]) or len(view) > 400
