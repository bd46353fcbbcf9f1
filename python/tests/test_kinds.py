"""The kinds of keys: text "1" and the integer 1 are different keys, so a filter tells which it has, and batches are held to it."""

import numpy as np
import pytest

import linefilter
from conftest import KEY_FILTERS
from linefilter import Bloom

TEXT, NUMBERS = [str(i) for i in range(5000)], np.arange(5000)
of_each_kind = pytest.mark.parametrize("make", [*KEY_FILTERS, Bloom], ids=lambda kind: kind.__name__)


def filled(keys, make=Bloom):
    filter = make(10_000, fpr=0.01)
    filter.update(keys)
    return filter


def batches(filter):
    """Every call that asks for many."""
    yield filter.contains_many
    yield lambda keys: linefilter.each_contains_many([Bloom(), filter], keys)


@of_each_kind
def test_another_kind_is_refused(make, tmp_path):
    for keys, kind, others, advice in (
        (TEXT, "text", [NUMBERS, list(NUMBERS), ["1", 2]], r"text keys.*\[str\(key\) for key in keys\].*astype\(str\)"),
        (NUMBERS, "integer", [TEXT, np.array(TEXT), [b"1"], [1, "2"]], r"integer keys.*\[int\(key\) for key in keys\].*int64"),
    ):
        filter = filled(keys, make)
        filter.save(tmp_path / "image")
        with linefilter.FilterFile(tmp_path / "image") as file:
            for asked in (filter, file, linefilter.FilterView(filter.to_bytes(), verify="whole"), make.from_bytes(filter.to_bytes())):
                assert asked.key_kind == kind and asked.contains_many(keys).all()
                for other in others:
                    for batch in batches(asked):
                        with pytest.raises(TypeError, match=advice):
                            batch(other)
    converted = [str(key) for key in NUMBERS], NUMBERS.astype(str)
    assert all(filled(TEXT, make).contains_many(keys).all() for keys in converted)
    assert filled(NUMBERS, make).contains_many(np.array(TEXT).astype("int64")).all()


def test_removals_of_another_kind_are_refused():
    for keys, kind, other in ((TEXT, "text", NUMBERS), (NUMBERS, "integer", TEXT)):
        online = linefilter.QuotientFilter(10_000, fpr=0.01, removable=True)
        online.update(keys)
        with pytest.raises(TypeError, match=f"{kind} keys"):
            online.remove_many(other)
        assert online.remove_many(keys).all() and online.fill_ratio() == 0


@of_each_kind
def test_kinds_are_those_of_all_keys(make):
    filter = make(1000, fpr=0.01)
    assert filter.key_kind == "unknown" and not filter.contains_many(["a", 1]).any()
    for key, kind in (("a", "text"), (b"b", "text"), (3, "mixed"), (np.int8(4), "mixed")):
        filter.add(key)
        assert filter.key_kind == kind
    assert filter.contains_many(["a", 3]).all() and filter.contains_many(np.array([3, 4])).all()
    filter.add_hashes([5])
    assert filter.key_kind == "unknown" and filter.contains_many(["a", 3]).all()
    assert make.from_bytes(filter.to_bytes()) == filter, "it says so, too"
    if hasattr(filter, "clear"):
        filter.clear()
        assert filter.add(7) and filter.key_kind == "integer"
        assert "7" not in filter, "a single one is not refused"
    hashed = make(1000, fpr=0.01, caller_hashes=True) if make is not Bloom else make(1000)
    hashed.add_hash(5)
    assert hashed.key_kind == "unknown"


def test_what_nothing_was_put_into_has_none():
    filter = filled([])
    filter.add_many(np.array([], np.uint64))
    filter.add_hashes([])
    assert filter.key_kind == "unknown"
    filter.update(TEXT)
    assert filter.key_kind == "text" == (filter | filled([])).key_kind and (filter | filled(NUMBERS)).key_kind == "mixed"


def test_a_builder_tells_the_kinds_of_what_came():
    builder = linefilter.FilterBuilder(fpr=0.01)

    def made(*adds):
        for name, keys in adds:
            getattr(builder, name)(keys)
        assert builder.image_bytes == len(image := builder.finish().to_bytes())
        return linefilter.FilterView(image, verify="whole").key_kind

    assert made(("add_many", TEXT)) == made(("add", "a")) == "text"
    assert made(("add_many", NUMBERS)) == made(("add", 1)) == "integer", "it forgot the ones before"
    assert made(("add", "a"), ("add", 1)) == made(("add_many", ["a", 1])) == "mixed"
    assert made(("add", "a"), ("add_hash", 1)) == made(("add_hashes", [1])) == made() == "unknown"
    builder.add("a")
    builder.reset()
    assert made(("add", 1)) == "integer" == linefilter.build([1], fpr=0.1).key_kind


def test_what_serves_tells_its_kind():
    users = linefilter.SwappableFilter()
    assert users.contains_many(TEXT).all() and users.contains_many(NUMBERS).all()
    users.swap(filled(TEXT))
    with pytest.raises(TypeError, match="text keys"):
        users.contains_many(NUMBERS)
    users.swap(filled(NUMBERS))
    assert users.key_kind == "integer" and users.contains_many(NUMBERS).all()
