"""Arrays and columns of other packages: taken by a rule, which gives what one by one gives, or refused with what to type."""

import datetime
import decimal
import ipaddress
import pathlib
import uuid

import numpy as np
import pytest

import linefilter

TEXTS = ["", "key", "Käse", "鍵"] * 2000  # more than are made Python's at once


class Column:
    """As a column of pandas or Arrow (there since 2.0) is made an array."""

    def __init__(self, items, kind=object):
        self.items = np.array(items, kind)

    def __array__(self, dtype=None, copy=None):
        return self.items


class ArrowAlone:
    def __arrow_c_stream__(self, requested_schema=None):
        raise AssertionError("it is not asked for")


def calls(filter):
    builder = linefilter.FilterBuilder(fpr=0.01)
    return filter.add_many, filter.update, filter.add_new, filter.contains_many, builder.add_many, linefilter.hash_keys


def one_by_one(keys):
    return [linefilter.hash_key(key) for key in keys]


def test_text_in_arrays_and_columns_is_text():
    for column in (np.array(TEXTS), np.array(TEXTS)[::-1][::-1], Column(TEXTS), Column(TEXTS, str)):
        assert linefilter.hash_keys(column).tolist() == one_by_one(TEXTS)
    table = np.array(TEXTS).reshape(4, -1)
    assert linefilter.hash_keys(table).shape == linefilter.hash_keys(table.T).T.shape == table.shape
    assert (linefilter.hash_keys(table) == linefilter.hash_keys(table.T).T).all()


def test_rows_of_bytes_keep_their_zeros():
    digests = np.array([b"ab\0", b"cd\1"])
    assert digests.tolist()[0] == b"ab"  # which is why arrays of bytes are refused
    assert linefilter.hash_keys(digests.view("V3")).tolist() == one_by_one([b"ab\0", b"cd\1"])


@pytest.mark.parametrize("array, advice", [
    (np.array([b"ab\0", b"cd"]), 'keys.view("V3")'), (np.array([b"ab"]), "keys.tolist()"),
    (np.array([1.5]), 'keys.astype("int64")'), (Column([1.0, np.nan], float), ".dropna() of pandas"),
    (np.array(["2020-01-01"], "M8[ns]"), 'np.asarray(keys).astype("datetime64[us]").astype("int64")'),
    (np.array([5], "m8[s]"), 'np.asarray(keys).astype("timedelta64[us]").astype("int64")'),
    (np.array([True]), 'keys.astype("uint8")'), (np.zeros(2, [("a", "u8"), ("b", "f8")]), "keys['a']"),
    (np.array([1j]), "keys.tolist()"), (ArrowAlone(), "pyarrow.chunked_array(keys)"),
])  # fmt: skip
def test_other_arrays_are_refused_with_what_to_type(array, advice):
    for call in calls(linefilter.Bloom(100)):
        with pytest.raises(TypeError) as told:
            call(array)
        assert advice in str(told.value)


# What is refused, the conversion that it names, and that it is one.
OBJECTS = {
    "key.bytes": uuid.UUID(int=5),
    "str(key)": decimal.Decimal("1.5"),
    "key.isoformat()": datetime.datetime(2026, 1, 2, 3, 4, 5),
    "key.isoformat() ": datetime.date(2026, 1, 2),
    "key // datetime.timedelta(microseconds=1)": datetime.timedelta(1),
    "str(key) ": pathlib.Path("/etc"),
    "key.packed": ipaddress.ip_address("10.0.0.1"),
    'key.astype("datetime64[us]").astype("int64")': np.datetime64("2026-01-01"),
    '"\\0".join(key)': ("a", "b"),
}


@pytest.mark.parametrize("advice", OBJECTS)
def test_other_objects_are_refused_with_what_to_type(advice):
    key, advice = OBJECTS[advice], advice.strip()
    filter = linefilter.Bloom(100)
    for call in (filter.add, filter.__contains__, lambda key: filter.update([key])):
        with pytest.raises(TypeError) as told:
            call(key)
        assert advice in str(told.value)
    assert filter.add(eval(advice, {"key": key, "datetime": datetime}))


def test_missing_values_are_refused():
    for missing in (None, float("nan")):
        with pytest.raises(TypeError, match=r"keys\[1\].*(leave out|drop)"):
            linefilter.hash_keys(Column(["a", missing]))


def test_pandas_and_arrow():
    """With the packages themselves, where they are (Debian: python3-pandas)."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: Column stands for its columns")
    for kind in (object, "string", "category"):
        assert linefilter.hash_keys(pandas.Series(TEXTS, dtype=kind)).tolist() == one_by_one(TEXTS)
    with pytest.raises(TypeError, match="isoformat"):
        linefilter.Bloom().add(pandas.Timestamp("2026-01-01"))
