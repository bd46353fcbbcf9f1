"""Columns in, rows out: every type and null of them against the keys one by one, and what is refused."""

import threading

import numpy as np
import pytest

import arrow_data
import linefilter
from conftest import KEY_FILTERS

N = 500


def new(kind=linefilter.BlockedFilter, **options):
    return kind(5000, fpr=1e-5, **options)


def filled(column, **how):
    filter = new()
    filter.add_column(column, **how)
    return filter


def expect(filter, column, rows, **how):
    """These rows are selected, by both calls."""
    selected, mask = filter.select(column, **how), filter.mask(column, **how)
    assert selected.dtype == np.uint32 and mask.dtype == np.bool_ and mask.shape == (mask.size,)
    assert selected.tolist() == list(rows) == np.flatnonzero(mask).tolist()


INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


@pytest.mark.parametrize("kind", KEY_FILTERS)
@pytest.mark.parametrize("type", INTEGERS)
def test_integers_of_any_width_are_the_keys_of_add_many(kind, type):
    filter = kind(5000, fpr=1e-5)
    filter.add_column(np.arange(0, 120, 2, dtype=type))
    assert all(key in filter for key in range(0, 120, 2)) and filter.key_kind == "integer"
    for other in INTEGERS:
        values = np.arange(120, dtype=other)
        expect(filter, values, range(0, 120, 2))
        expect(filter, values.astype(values.dtype.newbyteorder()), range(0, 120, 2))  # of another machine
        expect(filter, values[::-3], [i for i, value in enumerate(values[::-3]) if value % 2 == 0])
    by_keys = kind(5000, fpr=1e-5)
    by_keys.add_many(range(0, 120, 2))
    assert by_keys == filter


def test_texts_are_the_keys_of_add_many():
    names = ["", "a", "Käse", "a name that is longer than a view"] * 3
    filter = new()
    filter.add_many(names)
    for column in (np.array(names), np.array(names, object), np.array([name.encode() for name in names], object)):
        expect(filter, column, range(len(names)))
        assert filled(column) == filter
    expect(filter, np.array(["a", "b", None, "Käse"], object), [0, 3])
    padded = filled(np.array(["ab  ", "cd"]), form="padded text")
    expect(padded, np.array(["ab", "cd   ", " ab"]), [0, 1], form="padded text")


def test_rows_of_bytes():
    digests = np.array([b"ab\0", b"cd\1"]).view("V3")
    filter = filled(digests)
    expect(filter, np.array([b"ab\0", b"ab\1", b"cd\1"]).view("V3"), [0, 2])
    assert b"ab\0" in filter


def test_reals():
    values = np.array([0.0, 1.5, np.nan, 3.0])
    filter = filled(values)
    expect(filter, np.array([-0.0, 1.5, 2.0, -np.nan, 3.0], np.float32), [0, 1, 3, 4])
    expect(filter, np.array([0.0, 1.5, 2.0], np.float16), [0, 1])
    expect(filter, np.arange(5), [0, 3], form="real")


def test_instants_of_any_unit_are_one_key():
    days = np.array(["2026-01-01", "NaT", "2026-01-03"], "M8[D]")
    filter = filled(days)
    for unit in ("D", "h", "m", "s", "ms", "us", "ns", "10s"):
        expect(filter, days.astype(f"M8[{unit}]"), [0, 2])
    expect(filter, days.astype(">M8[us]"), [0, 2])
    expect(filter, days.astype("M8[s]"), [0, 1, 2], nulls="always")
    expect(filled(np.array([90], "m8[s]")), np.array([1, 90000], "m8[ms]"), [1])
    with pytest.raises(TypeError, match="M8"):
        filter.select(np.array(["2026-01"], "M8[M]"))


def test_decimals_are_compared_at_the_common_scale():
    filter = filled(np.array([150, 275]), scale=2, common_scale=3)  # 1.50 and 2.75
    expect(filter, np.array([1500, 1501, 2750], np.int32), [0, 2], scale=3)
    expect(filled(np.array([3]), common_scale=2), np.array([300, 301]), [0], scale=2)
    expect(filled(np.array([5])), np.array([5, 50], np.int32), [0], scale=0)
    with pytest.raises(linefilter.IncompatibleError, match="larger"):
        filter.select(np.array([1]), scale=3, common_scale=2)


@pytest.mark.parametrize("nulls, rows", [("never", [0, 2]), ("always", [0, 1, 2]), ("value", [0, 2])])
def test_nulls(nulls, rows):
    column = np.ma.masked_array([2, 2, 4, 5], mask=[False, True, False, False])
    filter = new()
    filter.add_column(np.array([2, 4]), nulls=nulls)
    if nulls == "value":
        with pytest.raises(linefilter.IncompatibleError, match='nulls="value"'):
            new_filter = new()
            new_filter.add_column(np.array([2, 4]))
            new_filter.select(column, nulls=nulls)
        expect(filter, column, rows, nulls=nulls)
        filter.add_column(column, nulls=nulls)
        rows = [0, 1, 2, 3]
    expect(filter, column, rows, nulls=nulls)
    missing = np.array([2, None, 4, float("nan")], object)
    expect(filter, missing, {"never": [0, 2], "always": range(4), "value": range(4)}[nulls], nulls=nulls)
    assert filter.select(np.array([None, None], object), nulls=nulls).size == (0 if nulls == "never" else 2)


def test_many_rows_in_pieces(hurried):
    """Others add meanwhile: what was there before is not lost."""
    values = np.arange(300_000)
    filter = linefilter.BlockedFilter(700_000, fpr=1e-5)
    filter.add_column(values[::7])
    column, answers = np.repeat(values, 2), []
    reader = threading.Thread(target=lambda: answers.append(filter.select(column)))
    reader.start()
    filter.add_column(values + 1_000_000)
    reader.join()
    assert set(np.flatnonzero(column % 7 == 0).tolist()) <= set(answers[0].tolist())
    assert np.array_equal(np.flatnonzero(filter.mask(column)), filter.select(column))


def test_whatever_is_asked():
    values = np.arange(N)
    filter = filled(values[:250])
    swappable = linefilter.SwappableFilter()
    expect(swappable, values, range(N))  # nothing serves: maybe
    swappable.swap(filter)
    broken = linefilter.FilterView(b"no image", verify="whole", broken="maybe")
    expect(broken, values, range(N))
    for asked in (swappable, linefilter.FilterView(filter.to_bytes(), verify="whole")):
        expect(asked, values, range(250))
        with pytest.raises(linefilter.IncompatibleError, match="form= says"):
            asked.select(values, form="real")
    expect(filter, values[:0], [])


def test_builders_remember_the_form():
    def image(*steps, layout="retrieval"):
        builder = linefilter.FilterBuilder(fpr=1e-6, layout=layout)
        for step in steps:
            step(builder)
        return builder.finish()

    column, reals = np.arange(N), np.arange(N) / 2
    expect(image(lambda b: b.add_column(reals)), column, range(250), form="real")
    with pytest.raises(linefilter.IncompatibleError):
        image(lambda b: b.add_column(reals)).select(column)
    assert image(lambda b: b.add_column(column)).key_kind == "integer"
    for other in (lambda b: b.add_many(["a"]), lambda b: b.add_column(reals)):
        with pytest.raises(linefilter.IncompatibleError, match="form= says"):
            image(other, lambda b: b.add_column(column))
    assert image(lambda b: b.add_hash(5), lambda b: b.add_column(column)).key_kind == "unknown"
    assert image(lambda b: b.add_column(column), lambda b: b.add_hash(5)).key_kind == "unknown"
    assert image(lambda b: b.add_column(column), lambda b: b.add_many(["a"])).key_kind != "integer"
    assert image(lambda b: b.add_column(column), lambda b: b.reset(), lambda b: b.add_many(["a"])).key_kind == "text"


def test_arrow():
    filter = filled(np.arange(0, 100, 2))
    array = arrow_data.numbers(np.arange(10, dtype=np.int32), "i", missing=[4])
    expect_once = filter.select(array)
    assert expect_once.tolist() == [0, 2, 6, 8] and array.released == 1
    array = arrow_data.numbers(np.arange(10, dtype=np.int32), "i", missing=[4])
    assert filter.mask(array, nulls="always").tolist() == [i % 2 == 0 for i in range(10)]
    names = filled(arrow_data.texts(["a", "Käse"]))
    assert "Käse" in names and names.select(arrow_data.texts(["b", "a"])).tolist() == [1]
    days = filled(np.array(["2026-01-01"], "M8[D]"))
    assert days.select(arrow_data.numbers(np.array([0, 1767225600000]), "tsm:")).tolist() == [1]
    indices = np.array([1, 0, 1], np.int8)
    column = arrow_data.ArrowArray("c", [None, indices], 3, dictionary=arrow_data.texts(["x", "a"]))
    assert names.select(column).tolist() == [0, 2]
    decimals = filled(arrow_data.numbers(np.array([15, 20]), "d:4,1,64"), common_scale=2)
    expect(decimals, np.array([150, 20]), [0], scale=2)


def test_arrow_in_chunks():
    filter = filled(np.arange(0, 100, 2))
    chunks = [arrow_data.numbers(np.arange(start, stop), "l") for start, stop in ((0, 3), (3, 3), (3, 10))]
    assert filter.select(arrow_data.ArrowStream(chunks)).tolist() == [0, 2, 4, 6, 8]
    assert [chunk.released for chunk in chunks] == [1, 1, 1]
    with pytest.raises(linefilter.IoError, match="out of order"):
        filter.select(arrow_data.ArrowStream(chunks, error=5))
    one = arrow_data.numbers(np.arange(4), "l")
    assert filter.mask(arrow_data.ArrowStream([one]), form="integer").tolist() == [True, False, True, False]


def test_arrow_that_is_refused():
    filter = new()
    for format, length, error in (("tiM", 3, linefilter.UnsupportedError), ("l", -1, linefilter.CorruptError)):
        for call in (filter.select, filter.add_column):
            data = arrow_data.ArrowArray(format, [None, np.arange(3)], length)
            with pytest.raises(error):
                call(data)
            assert data.released == 1
    read = arrow_data.numbers(np.arange(3), "l")
    filter.add_column(read)
    with pytest.raises(linefilter.InvalidArgumentError):  # its array was released
        filter.add_column(read)
    with pytest.raises(linefilter.InvalidArgumentError, match="scale"):
        filter.add_column(arrow_data.numbers(np.arange(3), "l"), scale=2)


@pytest.mark.parametrize("column, how, error, word", [
    ([1, 2], {}, TypeError, "numpy.array"), (5, {}, TypeError, "array"), (np.int64(5), {}, TypeError, "array"),
    ("ab", {}, TypeError, "array"), (np.zeros((2, 2), int), {}, TypeError, "dimension"),
    (np.array([b"ab\0"]), {}, TypeError, 'view("V3")'), (np.array([True]), {}, TypeError, "uint8"),
    (np.array([1j]), {}, TypeError, "complex"), (np.array([{}], object), {}, TypeError, "dict"),
    (np.array([1, "a"], object), {}, TypeError, "one type"), (np.array(["a", 1], object), {}, TypeError, "int"),
    (np.array([-1, 2**63], object), {}, TypeError, "signed"),
    (np.array([1]), {"nulls": "none"}, linefilter.InvalidArgumentError, "never"),
    (np.array([1]), {"form": "round"}, linefilter.InvalidArgumentError, "real"),
    (np.array([1]), {"scale": 39}, linefilter.InvalidArgumentError, "38"), (np.array([1]), {"scale": 1.5}, TypeError, "int"),
    (np.array([1.5]), {"scale": 2}, linefilter.InvalidArgumentError, "integers"),
    (np.array(["a"]), {"scale": 2}, linefilter.InvalidArgumentError, "integers"),
    (np.array([1]), {"form": "real", "common_scale": 2}, linefilter.InvalidArgumentError, "common_scale"),
    (np.array([1.5]), {"form": "integer"}, linefilter.IncompatibleError, 'form="real"'),
    (np.array([1]), {"form": "instant"}, linefilter.IncompatibleError, "datetime64"),
    (np.array(["a"]), {"form": "real"}, linefilter.IncompatibleError, "texts"),
])  # fmt: skip
def test_what_is_no_column_says_why(column, how, error, word):
    filter, builder = new(), linefilter.FilterBuilder(fpr=0.01)
    for call in (filter.select, filter.mask, filter.add_column, builder.add_column):
        with pytest.raises(error) as told:
            call(column, **how)
        assert word in str(told.value)
    assert not filter and builder.num_keys == 0


def test_filters_of_the_callers_hashes_and_of_parquet():
    with pytest.raises(linefilter.IncompatibleError, match="caller"):
        new(caller_hashes=True).select(np.arange(3))
    filter = new(linefilter.SplitBlockFilter, parquet_hash=True)
    filter.add_column(np.arange(3))
    expect(filter, np.arange(5), range(3))
    assert filter.contains_hashes(linefilter.parquet_hashes(np.arange(3))).all()
    with pytest.raises(linefilter.IncompatibleError, match="Parquet"):
        filter.add_column(np.arange(3), nulls="value")


def test_pandas():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"id": [1, 2, 3, 4], "name": ["a", "b", None, "d"]})
    assert frame[filled(np.array([2, 4])).mask(frame.id)].id.tolist() == [2, 4]
    assert filled(np.array(["b", "d"])).select(frame.name).tolist() == [1, 3]
    assert filled(np.array([2])).select(pandas.Series([1, None, 2], dtype="Int64")).tolist() == [2]
    times = pandas.Series(pandas.to_datetime(["2026-01-01 01:00", None, "2026-01-02 01:00"]).tz_localize("Europe/Berlin"))
    for series in (times, times.dt.tz_convert("Asia/Tokyo")):
        expect(filled(np.array(["2026-01-01"], "M8[D]")), series, [0])


def test_an_error_in_a_later_piece_tells_from_which_row_it_counts():
    """A filter with a lock is asked and filled by pieces of 65,536 rows, a ScanFilter asks by 4,096, and a stream has its own."""
    indices = np.zeros(100000, np.int8)
    indices[70000] = 5

    def column(rows=indices):
        return arrow_data.ArrowArray("c", [None, rows], len(rows), dictionary=arrow_data.texts(["x", "a"]))

    filter = linefilter.BlockedFilter(10, bits_per_key=20)
    view = linefilter.FilterView(filter.to_bytes(), verify="whole")
    for call, first in ((filter.select, 65536), (filter.mask, 65536), (filter.add_column, 65536), (view.mask, 65536),
                        (linefilter.ScanFilter(filter, 1).select, 69632), (linefilter.ScanFilter(view, 1).select, 69632)):
        with pytest.raises(linefilter.CorruptError, match=f"^[^0-9]*counted from row {first} on: .* outside of the dictionary"):
            call(column())
    builder = linefilter.FilterBuilder(bits_per_key=20)
    with pytest.raises(linefilter.CorruptError, match="counted from row 50000 on: only the first 19456 rows were added"):
        builder.add_column(arrow_data.ArrowStream([column(indices[:50000]), column(indices[50000:])]))
