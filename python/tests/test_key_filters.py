"""BlockedFilter, SplitBlockFilter, ClassicFilter and QuotientFilter, and what all that take keys have in common."""

import copy
import decimal
import fractions
import pickle

import numpy as np
import pytest

import linefilter
from conftest import KEY_FILTERS, SECRET


def test_no_key_is_lost_and_few_strangers_pass(filter):
    keys = [f"key-{i}" for i in range(900)]
    assert not filter.contains_many(keys).any()
    assert filter.add_many(keys) > 890
    assert all(key in filter for key in keys)
    assert filter.contains_many(keys).all()
    assert filter.contains_many(f"other-{i}" for i in range(20000)).mean() < 0.006
    assert filter.approximate_size().keys == pytest.approx(900, rel=0.06)
    assert 0 < filter.expected_fpr() < 0.003
    assert 0.05 < filter.fill_ratio() < 0.6


@pytest.mark.parametrize("kind", KEY_FILTERS)
def test_every_way_to_add_and_ask_is_the_same(kind):
    filters = [kind(1000, fpr=0.01, seed=5) for _ in range(6)]
    one, words, iterable, hashes, flags, flags_of_iterable = filters
    keys = list(range(-500, 500))
    new = sum(one.add(key) for key in keys)
    assert words.add_many(np.array(keys)) == new == iterable.add_many(iter(keys))
    assert hashes.add_hashes(linefilter.hash_keys(keys, seed=5)) == new
    were_new = flags.add_new(np.array(keys).reshape(10, 100))
    assert were_new.shape == (10, 100) and were_new.sum() == new == flags_of_iterable.add_new(keys).sum()
    assert all(each == one for each in filters if each is not hashes) and hashes != one, "hashes have no kind of key"
    assert hashes.to_bytes()[: one.body_bytes] == one.to_bytes()[: one.body_bytes]
    assert one.seed == 5 and one.hash_id == "xxh3"
    asked = np.array(keys + [1000, 1001])
    told = one.contains_many(asked)
    assert told[:1000].all() and one.contains_many(asked.tolist()).tolist() == told.tolist()
    assert one.contains_hashes(linefilter.hash_keys(asked, seed=5)).tolist() == told.tolist()
    assert [key in one for key in asked] == told.tolist()
    assert one.contains_hash(linefilter.hash_key(-500, seed=5))
    assert one.add_hash(linefilter.hash_key("x", seed=5)) is True and "x" in one


def test_each_question_and_insertion_is_declared_once():
    """FilterBase and KeyFilter have them, or a part of these that RedisFilter and FilterBuilder share; no kind repeats one."""
    kinds = [*KEY_FILTERS, linefilter.FilterView, linefilter.FilterFile, linefilter.SwappableFilter, linefilter.RedisFilter,
             linefilter.FilterBuilder]  # fmt: skip
    assert all(issubclass(kind, linefilter.KeyFilter) for kind in KEY_FILTERS)
    assert all(issubclass(kind, linefilter.FilterBase) for kind in kinds[:-2])
    classes = {part for kind in kinds for part in kind.__mro__}
    for name in (
        "__contains__", "contains_many", "contains_hash", "contains_hashes", "add", "add_many", "add_new", "add_hash", "add_hashes",
        "to_bytes", "save", "memory_use", "layout", "seed", "body_bytes", "fill_ratio", "approximate_size", "expected_fpr",
    ):  # fmt: skip
        assert sum(name in vars(part) for part in classes) == 1, name


def test_add_new_finds_duplicates(filter):
    assert filter.add("a") is True and filter.add("a") is False
    assert filter.add_new(["a", "b", "b", "c"]).tolist() == [False, True, False, True]
    array = np.array([5, 5, 6], np.uint64)
    assert array[filter.add_new(array)].tolist() == [5, 6]
    assert filter.add_new([]).shape == (0,) and filter.contains_many([]).dtype == np.bool_
    assert filter.add_many(np.empty(0, np.int64)) == 0


def test_more_keys_than_a_group(filter):
    numbers = np.arange(200_000, dtype=np.uint64)
    many, one_by_one = type(filter)(200_000, fpr=0.01), type(filter)(200_000, fpr=0.01)
    were_new = many.add_new(numbers)
    assert were_new.sum() == one_by_one.add_many(numbers.tolist())
    assert many.to_bytes() == one_by_one.to_bytes()
    assert many.contains_many(numbers).all() and many.contains_many(iter(range(200_000))).all()


def test_answers_have_the_shape_of_the_array(filter):
    filter.add_many(range(6))
    keys = np.arange(12).reshape(3, 4)
    told = [[True] * 4, [True, True, False, False], [False] * 4]
    assert filter.contains_many(keys).tolist() == told
    assert filter.contains_many(keys.T).tolist() == np.array(told).T.tolist()
    assert filter.contains_many(keys.astype(object)).tolist() == told
    assert filter.contains_hashes(linefilter.hash_keys(keys)).tolist() == told
    assert filter.contains_many(np.array(3)).shape == ()


def test_a_split_block_has_half_the_bytes_and_no_probes_to_choose():
    made = linefilter.SplitBlockFilter(10_000, bits_per_key=12, foldable=True)
    keys = np.arange(1000)
    made.add_many(keys)
    assert made.layout == "split_block" and made.body_bytes == 32 * made.num_blocks and made.num_blocks % 64 == 0
    assert made.num_probes == 0 and "probes" not in repr(made) and "grows" not in repr(made)
    same = linefilter.build(keys, layout="split_block", like=made)
    assert same.to_bytes()[: made.body_bytes] == made.to_bytes()[: made.body_bytes]
    blocks = made.num_blocks
    made.fold_to_fpr(0.01)
    assert made.num_blocks < blocks / 4 and made.contains_many(keys).all() and made.expected_fpr() <= 0.01
    with pytest.raises(linefilter.InvalidArgumentError, match="leave it 0"):
        linefilter.SplitBlockFilter(1000, bits_per_key=12, num_probes=8)
    with pytest.raises(linefilter.IncompatibleError, match="layout"):
        linefilter.BlockedFilter.from_bytes(made.to_bytes())


def test_clear_and_sizes(filter):
    filter.add("a")
    filter.clear()
    assert "a" not in filter and filter.fill_ratio() == 0
    assert filter.image_bytes == len(filter.to_bytes()) > filter.body_bytes
    assert filter.memory_use > filter.body_bytes
    assert (filter.num_blocks == 0) == (filter.layout == "classic")
    assert filter.seed == 0 and filter.hash_id == "xxh3" and filter.secret_check is None and filter.target


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_copies_are_filters_of_their_own(filter, copied):
    filter.add("a")
    other = copied(filter)
    assert type(other) is type(filter) and other.to_bytes() == filter.to_bytes()
    other.add("b")
    assert "b" not in filter and "a" in other


@pytest.mark.parametrize("kind", KEY_FILTERS)
def test_from_bytes(kind):
    filter = kind(1000, fpr=0.01)
    filter.add("a")
    image = filter.to_bytes()
    again = kind.from_bytes(bytearray(image))
    assert again.add("b") and "a" in again and "b" in again
    for other in KEY_FILTERS:
        if other is not kind:
            with pytest.raises(linefilter.IncompatibleError, match="layout|kind|scalable|rotating"):
                other.from_bytes(image)
    with pytest.raises(linefilter.CorruptError):
        kind.from_bytes(image[:-1])
    with pytest.raises(linefilter.OverLimitError):
        kind.from_bytes(image, memory_limit=100)


@pytest.mark.parametrize("kind", KEY_FILTERS[:-1])  # a RotatingFilter is not pickled at all
def test_a_secret_is_never_in_a_pickle(kind):
    keyed = kind(1000, fpr=0.01, secret=SECRET)
    keyed.add_many(["a", 1])
    image = keyed.to_bytes()
    assert keyed.hash_id == "keyed" and keyed.seed is None and keyed.secret_check is not None
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="secret"):
            pickle.dumps(keyed, protocol)
    assert SECRET not in image and SECRET.hex() not in repr(keyed)
    assert "a" in copy.copy(keyed) and 1 in copy.deepcopy(keyed)
    assert "a" in kind.from_bytes(image, secret=SECRET)
    for wrong in ({}, {"secret": SECRET[::-1]}):
        with pytest.raises(linefilter.IncompatibleError, match="secret"):
            kind.from_bytes(image, **wrong)


@pytest.mark.parametrize("kind", KEY_FILTERS)
def test_the_parquet_hash_has_no_seed(kind):
    filter = kind(1000, fpr=0.01, parquet_hash=True)
    filter.add_many(["a", 1])
    assert filter.hash_id == "parquet" and filter.seed == 0 and filter.secret_check is None
    assert filter.contains_hashes(linefilter.parquet_hashes(["a", 1, "b"])).tolist() == [True, True, False]
    assert "a" in kind.from_bytes(filter.to_bytes()), "it is opened without saying so"
    with pytest.raises(linefilter.InvalidArgumentError, match="seed"):
        kind(1000, fpr=0.01, parquet_hash=True, seed=1)
    for other in ({"secret": SECRET}, {"caller_hashes": True}):
        with pytest.raises(linefilter.InvalidArgumentError, match="drop one"):
            kind(1000, fpr=0.01, parquet_hash=True, **other)


def test_a_builder_hashes_as_parquet():
    for image in (
        linefilter.build(["a", 1], fpr=0.01, parquet_hash=True),
        linefilter.FilterBuilder(fpr=0.01, parquet_hash=True).finish(),
    ):
        assert image.hash_id == "parquet"
    with pytest.raises(linefilter.InvalidArgumentError, match="like"):
        linefilter.build(["a"], like=linefilter.BlockedFilter(10, fpr=0.01), parquet_hash=True)


def test_callers_hashes_have_no_keys(filter):
    own = type(filter)(1000, fpr=0.01, caller_hashes=True)
    own.add_hash(2**63 + 5)
    assert own.contains_hash(2**63 + 5) and own.hash_id == "caller"
    view = linefilter.FilterView(own.to_bytes(), verify="whole")
    assert view.contains_hashes([2**63 + 5, 1]).tolist() == [True, False]
    for call in (own.__contains__, own.add, view.__contains__):
        with pytest.raises(linefilter.IncompatibleError, match="hash"):
            call("key")
    for call in (own.contains_many, own.add_many, own.add_new, view.contains_many):
        for keys in (["key"], np.arange(3), []):
            with pytest.raises(linefilter.IncompatibleError, match="hash"):
                call(keys)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({}, linefilter.InvalidArgumentError),
        ({}, ValueError),
        ({"fpr": 0.01, "bits_per_key": 10}, linefilter.InvalidArgumentError),
        ({"fpr": 2}, linefilter.InvalidArgumentError),
        ({"fpr": float("nan")}, linefilter.InvalidArgumentError),
        ({"fpr": "0.01"}, TypeError),
        ({"fpr": np.str_("0.01")}, TypeError),
        ({"fpr": b"0.01"}, TypeError),
        ({"fpr": 0, "bits_per_key": 10}, linefilter.InvalidArgumentError),
        ({"fpr": 0.01, "bits_per_key": 0}, linefilter.InvalidArgumentError),
        ({"fpr": 0}, linefilter.InvalidArgumentError),
        ({"bits_per_key": 100}, linefilter.InvalidArgumentError),
        ({"bits_per_key": "ten"}, TypeError),
        ({"bits_per_key": 10, "num_probes": 31}, linefilter.InvalidArgumentError),
        ({"fpr": 0.01, "num_probes": 5}, linefilter.InvalidArgumentError),
        ({"fpr": 0.01, "seed": -1}, linefilter.InvalidArgumentError),
        ({"fpr": 0.01, "seed": "x"}, TypeError),
        ({"fpr": 0.01, "secret": b"short"}, linefilter.InvalidArgumentError),
        ({"fpr": 0.01, "secret": bytes(16)}, linefilter.InvalidArgumentError),
        ({"fpr": 0.01, "secret": "0123456789abcdef"}, TypeError),
        ({"fpr": 0.01, "secret": SECRET, "seed": 1}, linefilter.InvalidArgumentError),
        ({"fpr": 0.01, "secret": SECRET, "caller_hashes": True}, linefilter.InvalidArgumentError),
        ({"fpr": 0.01, "memory_limit": 100}, linefilter.OverLimitError),
        ({"fpr": 0.01, "memory_limit": 100}, MemoryError),
    ],
)
def test_requests_that_make_no_sense(filter, arguments, error):
    with pytest.raises(error):
        type(filter)(1000, **arguments)


def test_numbers_of_other_kinds_are_numbers(filter):
    image = type(filter)(1000, fpr=0.25, seed=3).to_bytes()
    for fpr in (np.float32(0.25), np.float64(0.25), fractions.Fraction(1, 4), decimal.Decimal("0.25")):
        assert type(filter)(np.int64(1000), fpr=fpr, seed=np.uint8(3)).to_bytes() == image
    assert type(filter)(1000, bits_per_key=np.int32(10)).body_bytes == type(filter)(1000, bits_per_key=10).body_bytes


def test_no_class_is_derived():
    """Its copies and pickles would be without what it adds."""
    for base in (linefilter.BlockedFilter, linefilter.SplitBlockFilter, linefilter.ClassicFilter, linefilter.Filter, linefilter.KeyFilter,
                 linefilter.FilterView, linefilter.FilterFile, linefilter.FilterBase):  # fmt: skip
        with pytest.raises(TypeError, match="attribute"):
            type("Derived", (base,), {"__module__": __name__})


def test_what_cannot_be_done(filter):
    with pytest.raises(TypeError):
        iter(filter)
    for wrong in (-1, 2**64, 1.5, "many"):
        with pytest.raises((TypeError, ValueError), match="num_keys"):
            type(filter)(wrong, fpr=0.01)
    for base in (linefilter.FilterBase, linefilter.KeyFilter, lambda: linefilter.Filter(1, fpr=0.1)):
        with pytest.raises(TypeError, match="make a"):
            base()
