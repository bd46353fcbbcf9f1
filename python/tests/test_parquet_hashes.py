"""linefilter.parquet: hashes of values of every physical type are those of their plain encoding, which is packed by hand here."""

import array
import struct
import uuid

import numpy as np
import pytest

import linefilter
from linefilter import parquet

BOTH_ENDS = {"INT32": [0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1], "INT64": [0, 1, -1, 2**63 - 1, -(2**63), 2**64 - 1]}


def packed(form, values):
    return [linefilter.parquet_hash(struct.pack(form, value)) for value in values]


@pytest.mark.parametrize("physical, bits, form", [("INT32", 32, "<I"), ("INT64", 64, "<Q")])
def test_integers(physical, bits, form):
    values = BOTH_ENDS[physical]
    hashes = packed(form, [value % 2**bits for value in values])
    assert parquet.hash_values(values, physical).tolist() == hashes == [parquet.hash_value(value, physical) for value in values]
    assert parquet.hash_values((np.int8(-3), np.uint8(253)), physical).tolist() == packed(form, [2**bits - 3, 253])
    small = np.arange(-100, 100).reshape(10, 20)
    expected = packed(form, [value % 2**bits for value in small.ravel().tolist()])
    for kind in ("i1", "i2", "<i4", ">i4", "<i8", ">i8", "O"):
        hashes = parquet.hash_values(small.astype(kind), physical)
        assert hashes.shape == (10, 20) and hashes.ravel().tolist() == expected, kind
    twice = np.repeat(np.arange(200, dtype=f"u{bits // 8}"), 2)
    assert parquet.hash_values(twice[::2], physical).tolist() == packed(form, range(200))
    assert parquet.hash_values(np.asfortranarray(small), physical).ravel().tolist() == expected
    assert parquet.hash_values([], physical).shape == (0,) == parquet.hash_values(np.array([], int), physical).shape


def test_what_the_type_does_not_hold():
    for physical, values in (("INT32", [2**32, -(2**31) - 1]), ("INT64", [2**64, -(2**63) - 1])):
        for value in values:
            with pytest.raises(linefilter.InvalidArgumentError, match=f"{physical} does not hold {value}"):
                parquet.hash_value(value, physical)
    for wrong in (np.array([1, 2**32]), np.array([-(2**31) - 1]), np.array([2**63], np.uint64)):
        with pytest.raises(linefilter.InvalidArgumentError, match="INT32 does not hold"):
            parquet.hash_values(wrong, "INT32")
    for wrong in (0.1, 16777217, 1e300, 10**400, np.float64(0.1)):
        with pytest.raises(linefilter.InvalidArgumentError, match="FLOAT does not hold"):
            parquet.hash_value(wrong, "FLOAT")
    with pytest.raises(linefilter.InvalidArgumentError, match="DOUBLE does not hold 9007199254740993"):
        parquet.hash_value(2**53 + 1, "DOUBLE")


def test_reals():
    values = [0.0, -0.0, 1.5, -1.5, float("inf"), -float("inf"), 2.0**-149]
    assert parquet.hash_values(values, "FLOAT").tolist() == packed("<f", values)
    assert parquet.hash_values(values, "DOUBLE").tolist() == packed("<d", values)
    assert parquet.hash_values(np.array(values, np.float32), "FLOAT").tolist() == packed("<f", values)
    assert parquet.hash_values(np.array(values, ">f8"), "DOUBLE").tolist() == packed("<d", values)
    assert parquet.hash_value(0.0, "DOUBLE") != parquet.hash_value(-0.0, "DOUBLE")
    assert parquet.hash_value(np.float32(0.1), "FLOAT") == packed("<f", [0.1])[0]
    assert parquet.hash_value(np.float16(0.5), "FLOAT") == packed("<f", [0.5])[0]
    assert parquet.hash_value(2, "FLOAT") == packed("<f", [2])[0]
    nans = np.array([0x7FC00000, 0x7F800001, 0xFFFFFFFF], np.uint32)
    assert parquet.hash_values(nans.view(np.float32), "FLOAT").tolist() == packed("<I", nans.tolist())
    many = np.random.default_rng(34).normal(size=1000)
    assert parquet.hash_values(many, "DOUBLE").tolist() == packed("<d", many.tolist())


def test_bytes_and_texts():
    values = [b"", b"a", b"\0", b"a\0", "ä".encode(), b"x" * 1000]
    hashes = [linefilter.parquet_hash(value) for value in values]
    for as_one in (list, tuple, iter, lambda v: map(bytearray, v), lambda v: [memoryview(each) for each in v],
                   lambda v: np.array(v, object)):  # fmt: skip
        assert parquet.hash_values(as_one(values), "BYTE_ARRAY").tolist() == hashes
    assert parquet.hash_values(["ä", b"a"], "BYTE_ARRAY").tolist() == [hashes[4], hashes[1]]
    assert parquet.hash_values(np.array(["ä", "a"]), "BYTE_ARRAY").tolist() == [hashes[4], hashes[1]]
    assert parquet.hash_values(np.array([b"a\0"], "S2").view("V2"), "BYTE_ARRAY").tolist() == [hashes[3]]
    assert parquet.hash_value(b"a\0", "BYTE_ARRAY") == hashes[3] and parquet.hash_values([], "BYTE_ARRAY").shape == (0,)


def test_rows_of_one_length():
    values = [bytes([i]) * 15 + b"\0" for i in range(50)]
    hashes = [linefilter.parquet_hash(value) for value in values]
    words = np.frombuffer(b"".join(values), np.uint8).reshape(50, 16)
    many = [values, iter(values), map(bytearray, values), np.array(values, object), words, np.asfortranarray(words),
            words.copy().view("V16").ravel(),
            np.frombuffer(b"".join(values), "V16")]  # fmt: skip
    for each in many:
        assert parquet.hash_values(each, "FIXED_LEN_BYTE_ARRAY", type_length=16).tolist() == hashes
    assert parquet.hash_values(words.reshape(5, 10, 16), "FIXED_LEN_BYTE_ARRAY").shape == (5, 10)
    stamps = [value[:12] for value in values]
    assert parquet.hash_values(stamps, "INT96").tolist() == packed("12s", stamps)
    assert parquet.hash_value(values[1], "FIXED_LEN_BYTE_ARRAY") == hashes[1]
    assert parquet.hash_value(np.void(values[1]), "FIXED_LEN_BYTE_ARRAY") == hashes[1]
    assert parquet.hash_values([], "INT96").shape == (0,)
    assert parquet.hash_values(np.empty((0, 4), np.uint8), "FIXED_LEN_BYTE_ARRAY").shape == (0,)
    for wrong, options in (([b"a", b"ab"], {}), ([b"abc"], {"type_length": 4}), (words, {"type_length": 15}), ([b""], {}),
                           (np.empty((3, 0), np.uint8), {})):  # fmt: skip
        with pytest.raises(linefilter.InvalidArgumentError, match="bytes, and this has"):
            parquet.hash_values(wrong, "FIXED_LEN_BYTE_ARRAY", **options)
    with pytest.raises(linefilter.InvalidArgumentError, match="INT96 has 12 bytes, and this has 16"):
        parquet.hash_values(words, "INT96")


@pytest.mark.parametrize("physical", ["INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"])
def test_what_is_no_value_of_the_type(physical):
    right = {"INT32": int, "INT64": int, "FLOAT": float, "DOUBLE": float, "BYTE_ARRAY": (bytes, str)}.get(physical, bytes)
    for value in (True, np.bool_(True), None, 1j, object(), uuid.UUID(int=1), [1], np.timedelta64(1), 1, 1.5, "a", b"a",
                  np.bytes_(b"a")):  # fmt: skip
        is_a_number = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))
        is_right = isinstance(value, right) and not isinstance(value, (bool, np.bytes_))
        if (is_right and physical != "INT96") or (right is float and is_a_number):
            assert parquet.hash_value(value, physical) == int(parquet.hash_values([value], physical)[0])
        elif not (physical in ("INT96", "BYTE_ARRAY") and isinstance(value, bytes)):
            with pytest.raises(TypeError):
                parquet.hash_value(value, physical)
    for many in ("text", b"bytes", memoryview(b"a"), np.ma.array([1], mask=[True]), np.array([True]), np.array([1j]),
                 np.array(["2026"], "M8[D]")):  # fmt: skip
        with pytest.raises(TypeError):
            parquet.hash_values(many, physical)
    with pytest.raises(TypeError, match="astype|no value|no keys|bytes"):
        parquet.hash_values(np.array([1.5]) if right is int else np.array([1]), physical)
    if right is bytes:
        with pytest.raises(TypeError, match="V16"):
            parquet.hash_values(np.array([b"a"]), physical)


def test_physical_types():
    assert parquet.hash_values([7], 1).tolist() == parquet.hash_values([7], "INT32").tolist()
    with pytest.raises(linefilter.InvalidArgumentError, match="BOOLEAN has no Bloom filter"):
        parquet.hash_value(1, "BOOLEAN")
    for wrong in ("int32", "STRING", "", 8, 2**70):
        with pytest.raises(linefilter.InvalidArgumentError, match="physical type"):
            parquet.hash_value(1, wrong)
    for wrong in (None, True, -1, 1.0):
        with pytest.raises(TypeError, match="physical type"):
            parquet.hash_value(1, wrong)


def test_other_columns_of_numbers():
    assert parquet.hash_values(array.array("i", [1, 2]), "INT32").tolist() == packed("<i", [1, 2])

    class Column:  # of pandas, of Arrow
        def __array__(self, dtype=None, copy=None):
            return np.array([1, 2], np.int32)

    assert parquet.hash_values(Column(), "INT32").tolist() == packed("<i", [1, 2])
