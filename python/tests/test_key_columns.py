"""Several columns are one key, several filters are asked at once, and filters tell the forms of their columns."""

import threading

import numpy as np
import pytest

import arrow_data
import linefilter

IDS = np.array([1, 2, 3, 4], np.int32)
NAMES = np.array(["a", "b", "c", "d"])


def new(**options):
    return linefilter.BlockedFilter(5000, fpr=1e-5, caller_hashes=True, **options)


def filled(*columns, **how):
    filter = new()
    filter.add_column(columns, **how)
    return filter


def expect(filter, columns, rows, **how):
    assert filter.select(columns, **how).tolist() == list(rows) == np.flatnonzero(filter.mask(columns, **how)).tolist()


@pytest.mark.parametrize("kind", [tuple, list])
def test_two_columns_are_one_key(kind):
    filter = filled(IDS, NAMES)
    expect(filter, kind([IDS.astype(np.int64), NAMES.astype(object)]), range(4))
    expect(filter, kind([IDS, NAMES[::-1]]), [])
    expect(filter, kind([np.array([4, 1, 2]), np.array(["d", "b", "b"])]), [0, 2])
    expect(filter, kind([IDS[:0], NAMES[:0]]), [])
    assert filter.key_forms == ("integer", "text")


def test_combined_hashes_are_those_of_the_format():
    """doc/FORMAT.md, section 13."""
    first, second = linefilter.hash_keys(IDS), linefilter.hash_keys(NAMES)
    combined = linefilter.hash_keys(first * np.uint64(0x9E3779B97F4A7C15) + second)
    assert filled(IDS, NAMES).contains_hashes(combined).all()
    assert not filled(NAMES, IDS).contains_hashes(combined).any()


def test_one_column_in_a_tuple_is_that_column():
    filter = linefilter.BlockedFilter(100, fpr=1e-5)
    filter.add_column((IDS,), nulls=("never",))
    assert filter.select([np.arange(5)]).tolist() == [1, 2, 3, 4] and filter.key_forms == ("integer",) and 3 in filter


def test_each_column_has_its_own_nulls_form_and_scale():
    prices = np.array([150, 250, 350, 450])
    filter = filled(IDS, prices, form=["real", None], scale=[None, 2], common_scale=[None, 3])
    assert filter.key_forms == ("real", "decimal(3)")
    how = {"form": ("real", None), "scale": (None, 3), "common_scale": (None, 3)}
    expect(filter, (IDS.astype(float), prices * 10), range(4), **how)
    expect(filter, (IDS, prices), [], **how)
    some = np.ma.masked_array(IDS, mask=[False, True, False, False])
    filter = filled(some, NAMES, nulls=["value", "never"])
    assert filter.key_forms == ("integer or null", "text")
    expect(filter, (some, NAMES), range(4), nulls=("value", "never"))
    expect(filled(IDS, NAMES), (some, NAMES), [0, 2, 3])
    expect(filled(IDS, NAMES), (some, NAMES), range(4), nulls="always")


def test_chunks_of_arrow_need_not_end_at_the_same_rows():
    values = np.arange(20)

    def stream(*ends):
        parts = [values[start:stop] for start, stop in zip((0, *ends), (*ends, 20))]
        return arrow_data.ArrowStream([arrow_data.numbers(part, "l") for part in parts])

    filter = filled(values[::2], values[::2], values[::2])
    assert filter.select((stream(3, 3, 11), values, stream(0, 5, 12, 20))).tolist() == list(range(0, 20, 2))
    assert np.flatnonzero(filter.mask((stream(), stream(1, 2), stream(19)))).tolist() == list(range(0, 20, 2))
    other = new()
    other.add_column([stream(7), stream(3, 9), values])
    assert other.select((values, values, stream(5))).size == 20
    builder = linefilter.FilterBuilder(fpr=1e-5, caller_hashes=True)
    builder.add_column((stream(7), values, stream(3, 9)))
    image = builder.finish()
    assert image.select((values, stream(3), values)).size == 20 and image.key_forms == ("integer",) * 3


def test_many_rows_in_pieces_while_others_add(hurried):
    values = np.arange(200_000)
    filter = linefilter.BlockedFilter(300_000, fpr=1e-5, caller_hashes=True)
    filter.add_column((values[::7], values[::7]))
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(filter.select((values, values)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    filter.add_column((values[::11], values[::11]))
    for thread in threads:
        thread.join()
    members, now = set(values[::7].tolist()), filter.select((values, values))
    assert all(members <= set(answer.tolist()) <= set(now.tolist()) for answer in answers)
    assert np.array_equal(np.flatnonzero(filter.mask((values, values))), now)


@pytest.mark.parametrize("columns, how, error, word", [
    ((), {}, linefilter.InvalidArgumentError, "1 to 8"), ((IDS,) * 9, {}, linefilter.InvalidArgumentError, "1 to 8"),
    ((IDS, NAMES[:3]), {}, linefilter.InvalidArgumentError, "4 and 3"), ([1, 2], {}, TypeError, "numpy.array"),
    ((IDS, (IDS, IDS)), {}, TypeError, "tuple"), ((IDS, NAMES), {"nulls": ["never"]}, linefilter.InvalidArgumentError, "1 items"),
    ((IDS, NAMES), {"form": [None, "round"]}, linefilter.InvalidArgumentError, "round"),
    ((IDS, NAMES), {"form": "real"}, linefilter.IncompatibleError, "texts"), (IDS, {"nulls": ["never"]}, linefilter.InvalidArgumentError, "nulls"),
    (IDS, {"form": ["real"]}, linefilter.InvalidArgumentError, "form"), (IDS, {"scale": [2]}, TypeError, "int"),
    (IDS, {}, linefilter.IncompatibleError, "caller"),
])  # fmt: skip
def test_what_is_no_key_says_why(columns, how, error, word):
    filter, builder = new(), linefilter.FilterBuilder(fpr=0.01, caller_hashes=True)
    for call in (filter.select, filter.mask, filter.add_column, builder.add_column, linefilter.ScanFilter(filter).select,
                 lambda column, **how: linefilter.may_contain_any([filter], column, **how)):  # fmt: skip
        with pytest.raises(error) as told:
            call(columns, **how)
        assert word in str(told.value)
    assert not filter and builder.num_keys == 0


def test_filters_of_other_keys_say_why():
    with pytest.raises(linefilter.IncompatibleError, match="caller_hashes=True"):
        linefilter.BlockedFilter(100, fpr=0.01).select((IDS, NAMES))
    with pytest.raises(linefilter.IncompatibleError, match="form= says"):
        filled(IDS, NAMES).select((NAMES, IDS))
    with pytest.raises(linefilter.IncompatibleError, match="another number"):
        filled(IDS, NAMES).select((IDS, NAMES, IDS))
    unknown = new()
    unknown.add_hash(5)
    with pytest.raises(linefilter.IncompatibleError, match=r"add_column\(\)"):
        unknown.select((IDS, NAMES))


def test_key_forms():
    def forms(column, **how):
        filter = linefilter.BlockedFilter(100, fpr=0.01)
        assert filter.key_forms == ()
        filter.add_column(column, **how)
        assert linefilter.FilterView(filter.to_bytes(), verify="whole").key_forms == filter.key_forms
        return filter.key_forms

    assert forms(IDS) == ("integer",) and forms(NAMES) == ("text",) and forms(IDS * 0.5) == ("real",)
    assert forms(IDS, scale=0) == ("integer",) and forms(IDS.astype(int), common_scale=38) == ("decimal(38)",)
    assert forms(np.array(["2026-01-01"], "M8[D]")) == ("instant",) and forms(NAMES, form="padded text") == ("padded text",)
    filter = linefilter.BlockedFilter(100, fpr=0.01)
    filter.add_many(["a"])
    assert filter.key_forms == ("text",)
    filter.add_many([1])
    assert filter.key_forms is None
    swappable = linefilter.SwappableFilter()
    assert swappable.key_forms == ()
    swappable.swap(filled(IDS, NAMES))
    assert swappable.key_forms == ("integer", "text")


def test_many_filters_are_asked_for_any_row():
    values = np.arange(0, 4000)
    groups = [linefilter.BlockedFilter(1000, fpr=1e-6, seed=seed) for seed in range(4)]
    for filter, part in zip(groups, np.split(values, 4)):
        filter.add_column(part)
    groups[3] = linefilter.FilterView(groups[3].to_bytes(), verify="whole")
    answers = linefilter.may_contain_any(groups, np.array([1500, 99999, 3999], np.int32))
    assert answers.dtype == np.bool_ and answers.tolist() == [False, True, False, True]
    assert linefilter.may_contain_any(iter(groups), values[:0]).tolist() == [False] * 4
    assert linefilter.may_contain_any([], values).shape == (0,)
    nulls = np.ma.masked_array([5], mask=[True])
    assert linefilter.may_contain_any(groups, nulls).tolist() == [False] * 4
    assert linefilter.may_contain_any(groups, nulls, nulls="always").all()
    broken = linefilter.FilterView(b"no image", verify="whole", broken="maybe")
    assert linefilter.may_contain_any([groups[0], broken], np.array([-1])).tolist() == [False, True]
    assert linefilter.may_contain_any([filled(IDS, NAMES), filled(NAMES, NAMES)][:1], (IDS, NAMES)).all()
    with pytest.raises(linefilter.IncompatibleError):
        linefilter.may_contain_any(groups, values, form="real")
    with pytest.raises(TypeError, match="in memory"):
        linefilter.may_contain_any([groups[0], "filter"], values)
