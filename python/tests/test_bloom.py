"""Bloom, and what every filter that takes keys has of a set."""

import copy
import inspect
import os
import pickle

import numpy as np
import pytest

import linefilter
from conftest import KEY_FILTERS
from forked import WORKS, fork
from linefilter import Bloom

KEYS = [f"key-{i}" for i in range(1000)]
MAKERS = {"of a size": lambda: Bloom(10_000, 0.001), "growing": lambda: Bloom(fpr=0.001)}
of_both = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@of_both
def test_in_the_manner_of_a_set(make, tmp_path):
    seen = make()
    assert not seen and len(seen) == 0
    assert seen.add("alice") is True and seen.add("alice") is False
    seen.update(KEYS, (b"x", 3), np.arange(10))
    assert seen and "alice" in seen and "key-7" in seen and 9 in seen and "bob" not in seen
    assert abs(len(seen) - 1012) < 15
    other = seen.copy()
    assert other == seen and other is not seen and copy.copy(seen) == seen == pickle.loads(pickle.dumps(seen))
    assert repr(other) == repr(seen) and other.capacity == seen.capacity > 0, "a copy knows for how many keys it was made"
    other.add("bob")
    assert other != seen and "bob" not in seen and seen != set(KEYS)
    other.clear()
    assert not other and "alice" not in other and other == make()
    with pytest.raises(TypeError, match="hash"):
        {seen}
    seen.save(tmp_path / "seen.filter")
    for again in (Bloom.load(tmp_path / "seen.filter"), Bloom.from_bytes(seen.to_bytes())):
        assert again == seen and again.add("carol") and "alice" in again
    assert 0 < seen.expected_fpr() < 0.002
    told = repr(seen)
    assert told.startswith(f"<Bloom: about {len(seen)} of {seen.capacity} keys, expected_fpr ") and " bytes, xxh3 hashes" in told


def test_united():
    a, b = Bloom(10_000), Bloom(10_000)
    a.update(KEYS[:500])
    b.update(KEYS[500:])
    both = a | b
    assert both.contains_many(KEYS).all() and not a.contains_many(KEYS).all()
    a |= b
    assert a == both and type(both) is Bloom
    a.update(linefilter.FilterView(b.to_bytes(), verify="whole"), ["more"])
    assert "more" in a
    with pytest.raises(linefilter.IncompatibleError, match="Those of one class, num_keys, fpr"):
        a | Bloom(20_000)
    with pytest.raises(TypeError, match="unsupported operand"):
        a | {"key"}


def test_what_grows_is_not_united_or_folded():
    grown, sized = Bloom(fpr=0.01), Bloom(1000)
    for refused in (lambda: grown | sized, lambda: grown.update(sized), lambda: grown.fold(2), lambda: grown.fold_to_fpr(0.1),
                    lambda: linefilter.ScalableFilter(fpr=0.1) | sized):  # fmt: skip
        with pytest.raises(linefilter.UnsupportedError, match=r"make one for a number of keys, as Bloom\(num_keys, fpr\)"):
            refused()
    with pytest.raises(linefilter.UnsupportedError, match="add its keys"):
        sized.update(grown)


def test_a_growing_one_keeps_its_rate():
    grown = Bloom(fpr=0.01)
    grown.update(np.arange(100_000))
    assert grown.expected_fpr() < 0.011 and abs(len(grown) - 100_000) < 2000 and "grows" in repr(grown)
    assert "grows" in repr(Bloom.from_bytes(Bloom().to_bytes())), "an empty one goes on growing"


def test_copies_of_a_growing_one_keep_its_memory_limit():
    limited = Bloom(fpr=0.01, memory_limit=20_000)
    for copied in (limited.copy(), pickle.loads(pickle.dumps(limited))):
        copied.update(range(20_000))
        assert copied.memory_use <= 20_000 and copied.over_capacity()


def test_it_loads_what_the_program_and_build_make(tmp_path):
    for layout in ("blocked", "classic", "quotient"):
        linefilter.build(KEYS, fpr=0.01, layout=layout).save(tmp_path / "image")
        loaded = Bloom.load(tmp_path / "image")
        assert loaded.contains_many(KEYS).all() and loaded.layout == layout and loaded.add("another") is not None
    linefilter.build(KEYS, fpr=0.01, layout="retrieval").save(tmp_path / "image")
    with pytest.raises(linefilter.LinefilterError, match="retrieval"):
        Bloom.load(tmp_path / "image")
    with pytest.raises(FileNotFoundError, match="missing"):
        Bloom.load(tmp_path / "missing")
    (tmp_path / "image").write_bytes(Bloom(10).to_bytes()[:-1])
    with pytest.raises(linefilter.CorruptError):
        Bloom.load(tmp_path / "image")


def test_a_file_may_be_cut_short_while_it_is_loaded(tmp_path, monkeypatch):
    """The file is read and not mapped, because a process that cuts a mapped file short ends all that read it."""
    path, opened = tmp_path / "image", Bloom._open
    Bloom(1e5).save(path)

    def cut_and_open(*arguments):
        os.truncate(path, 0)
        return opened(*arguments)

    monkeypatch.setattr(Bloom, "_open", staticmethod(cut_and_open))
    assert fork(lambda: Bloom.load(path)) == WORKS


@pytest.mark.parametrize("kind", KEY_FILTERS, ids=lambda kind: kind.__name__)
def test_every_filter_that_takes_keys_has_them(kind, tmp_path):
    filter = kind(1e4, fpr=0.01)
    filter.update(KEYS[:500], KEYS[500:])
    filter.save(tmp_path / "image")
    loaded = kind.load(tmp_path / "image", memory_limit=1e9)
    assert loaded.contains_many(KEYS).all() and loaded == filter and loaded != kind(1e4, fpr=0.01) and filter


def test_it_is_filter_with_defaults():
    public = {name for name in dir(Bloom) if not name.startswith("_")}
    assert public <= set(dir(linefilter.Filter)) and issubclass(Bloom, linefilter.Filter)
    assert len(inspect.getsource(inspect.getmodule(Bloom)).splitlines()) <= 60
    sized = linefilter.BlockedFilter(1000, fpr=0.01)
    assert Bloom(1000) == Bloom(1000, 0.01) == Bloom(num_keys=1000, fpr=0.01) == sized


def test_numbers_as_people_write_them():
    assert Bloom(1e6, 0.01) == Bloom(1_000_000, 0.01) == Bloom(np.int32(1_000_000)) and Bloom(1e6).capacity == 1_000_000
    assert linefilter.plan(1e6, fpr=0.01) == linefilter.plan(1_000_000, fpr=0.01)
    told = [linefilter.build([1], fpr=0.1, num_keys=n, memory_limit=1e9).to_bytes() for n in (1e3, 1000)]
    assert told[0] == told[1]
    for wrong in (1.5, float("nan"), float("inf"), -1.0, 1e30):
        with pytest.raises(linefilter.InvalidArgumentError, match="num_keys"):
            Bloom(wrong)
    for wrong in ("1e6", None, True, b"1"):
        with pytest.raises(TypeError, match="num_keys"):
            linefilter.BlockedFilter(wrong, fpr=0.01)
    with pytest.raises(TypeError, match="seed"):
        Bloom(10, seed=1e3)


def test_one_key_takes_no_python_frame():
    """So that add and in cost what a set's do."""
    for kind in (Bloom, linefilter.ScalableFilter):
        assert inspect.ismethoddescriptor(kind.add) and not inspect.isfunction(kind.add)
        assert type(kind.__contains__) is type(object.__init__), "the slot itself"
    asked = []

    class Interrupted:
        def __index__(self):
            asked.append(self)
            raise KeyboardInterrupt

    for call in (Bloom(1).add, Bloom(1).__contains__):
        with pytest.raises(KeyboardInterrupt):
            call(Interrupted())
    assert len(asked) == 2, "an error of the key's is raised at once"
    unmade = Bloom.__new__(Bloom)
    for call in (lambda: unmade.add("a"), lambda: "a" in unmade):
        with pytest.raises(AttributeError, match="_core"):
            call()
