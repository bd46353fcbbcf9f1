"""linefilter.testing: the verdicts of the judge, for filters of anybody."""

from __future__ import annotations

import doctest
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterable

import numpy as np
import pytest

import linefilter
from conftest import KEY_FILTERS, ROOT
from linefilter import testing

MEMBERS = list(range(5000))
ABSENT = range(5000, 5000 + testing.queries_for(0.01))


class Textbook:
    """A Bloom filter of somebody else, who knows nothing of us."""

    def __init__(self, keys: Iterable[Any], bits_per_key: float, num_probes: int = 7) -> None:
        keys = list(keys)
        self.size = int(bits_per_key * len(keys))
        self.num_probes = num_probes
        self.bits = bytearray(self.size)
        for key in keys:
            for at in self._places(key):
                self.bits[at] = 1

    def _places(self, key: Any) -> list[int]:
        digest = hashlib.blake2b(repr(key).encode(), digest_size=4 * self.num_probes).digest()
        return [int.from_bytes(digest[i : i + 4], "little") % self.size for i in range(0, len(digest), 4)]

    def __contains__(self, key: Any) -> bool:
        return all(self.bits[at] for at in self._places(key))


def test_every_filter_of_ours_keeps_its_rate() -> None:
    for make in KEY_FILTERS[:5]:  # a rotating one takes its window in several generations
        filter = make(len(MEMBERS), fpr=0.01)
        filter.add_many(MEMBERS)
        result = testing.assert_fpr(filter, MEMBERS, ABSENT, at_most=0.01)
        assert result.ok and result.fpr_low < result.fpr < result.fpr_high <= 0.015
        assert result.counts[:3] == (5000, 0, len(ABSENT)) and result.counts.bits_per_key > 5
    view = linefilter.build(np.arange(5000), fpr=0.01, layout="retrieval")
    assert testing.assert_fpr(view, np.arange(5000), np.arange(5000, 25000), at_most=0.01).counts.num_queries == 20000


def test_filters_of_others() -> None:
    for filter in (set(MEMBERS), frozenset(MEMBERS), Textbook(MEMBERS, 10), {i: None for i in MEMBERS}):
        result = testing.assert_fpr(filter, MEMBERS, ABSENT, at_most=0.01)
        assert result.counts.bits_per_key == 0
    assert testing.check_fpr(lambda key: key < 5000, MEMBERS, ABSENT, at_most=0.01).ok


@pytest.mark.parametrize(("module", "kind"), [("pybloom_live", "BloomFilter"), ("rbloom", "Bloom")])
def test_packages_of_others(module: str, kind: str) -> None:
    filter = getattr(pytest.importorskip(module), kind)(5000, 0.01)
    for key in MEMBERS:
        filter.add(key)
    testing.assert_fpr(filter, MEMBERS, ABSENT, at_most=0.01, resolution=2)


def test_a_weakened_filter_is_above() -> None:
    weak = linefilter.BlockedFilter(5000, bits_per_key=8)
    weak.add_many(MEMBERS)
    small = Textbook(MEMBERS, 7)
    for filter in (weak, small):
        result = testing.check_fpr(filter, MEMBERS, ABSENT, at_most=0.01)
        assert result.verdict == "above" and not result.ok and result.fpr_low > 0.01
        with pytest.raises(AssertionError) as raised:
            testing.assert_fpr(filter, MEMBERS, ABSENT, at_most=0.01)
        assert str(raised.value) == result.sentence


def test_lost_members_are_named_and_outrank_all() -> None:
    filter = set(MEMBERS) - {7, 4999, *range(100, 120)}
    result = testing.check_fpr(filter, MEMBERS, ABSENT[:10], at_most=0.01)
    assert result.verdict == "above" and result.counts.num_lost == 22 and len(result.lost) == 10
    assert result.lost[:2] == ((7, 7), (100, 100)) and "22 of 5000 members" in result.sentence
    text = testing.check_fpr({"a"}, ["a", "b'\n"], ["c"], at_most=0.01)
    assert text.lost == ((1, "b'\n"),) and "\n" not in text.sentence and "(position 1)" in text.sentence


class Odd:
    """Its text is of two lines, and no UTF-8."""

    def __repr__(self) -> str:
        return "first\n\udc80"


def test_names_of_keys_of_any_text_are_told() -> None:
    for key, named in [
        ("é" * 60, "'" + "é" * 21 + "..."),
        ("a" + "é" * 60, "'a" + "é" * 21 + "..."),  # cut between letters
        ("x" * 45, "'" + "x" * 45 + "'"),
        ("x" * 46, "'" + "x" * 43 + "..."),
        (Odd(), "first \\udc80"),
    ]:
        result = testing.check_fpr(set(), [key], ["a"], at_most=0.01)
        assert f": {named} (position 0)." in result.sentence
        assert result.lost == ((0, key),)


def test_an_array_of_two_dimensions_is_asked_for_all_its_keys() -> None:
    filter = linefilter.build(np.arange(1000), bits_per_key=32)
    absent = np.arange(1000, 41000).reshape(-1, 8)
    for asked in (filter, set(range(1000))):
        result = testing.check_fpr(asked, np.arange(1000).reshape(8, -1), absent, at_most=0.01)
        assert result.ok and result.counts[:3] == (1000, 0, 40000)
    everything = testing.check_fpr(lambda key: True, [1], absent, at_most=0.01)
    ours = testing.check_fpr(linefilter.build(np.arange(41000), fpr=0.01), [1], absent, at_most=0.01)
    assert everything.fpr == ours.fpr == 1
    mixed = testing.check_fpr(filter, np.arange(1000).reshape(8, -1), np.arange(990, 1010).reshape(2, -1), at_most=0.01)
    assert [position for position, _ in mixed.absent_members] == list(range(10))


@pytest.mark.parametrize(
    ("member", "absent"),
    [(1, 1), ("ä", "ä"), ("ä", "ä".encode()), (b"\xff", b"\xff"), (-1, 2**64 - 1), (2**64 - 1, np.int64(-1)), (b"k", bytearray(b"k"))],
)
def test_absent_keys_that_are_members_are_named(member: Any, absent: Any) -> None:
    filter = linefilter.build([member, "other"], bits_per_key=32)
    result = testing.check_fpr(filter, ["other", member, member], [*(f"absent {i}" for i in range(2000)), absent, absent], at_most=0.1)
    assert result.verdict == "undecided" and "absent keys are members" in result.sentence
    assert result.counts.num_absent_members == 2 and result.counts.num_queries == 2000
    assert [position for position, _ in result.absent_members] == [2000, 2001]
    if member == absent and type(member) is type(absent):
        assert testing.check_fpr({member}, [member], [absent], at_most=0.1).counts.num_absent_members == 1


def test_too_few_queries_are_undecided() -> None:
    result = testing.check_fpr(set(MEMBERS), MEMBERS, ABSENT[:100], at_most=0.01)
    assert result.verdict == "undecided" and result.num_queries_needed >= 1000
    assert str(result.num_queries_needed) in result.sentence


def test_a_baseline() -> None:
    filter = linefilter.build(MEMBERS, fpr=0.01)
    bits = 8 * filter.body_bytes / 5000
    same = testing.FprBaseline(1_000_000, 10_000, bits)
    assert testing.assert_fpr(filter, MEMBERS, ABSENT, baseline=same).limit == 0.01
    assert testing.check_fpr(filter, MEMBERS, ABSENT, baseline=testing.FprBaseline(1_000_000, 5_000)).verdict == "above"
    smaller = testing.FprBaseline(1_000_000, 10_000, bits / 1.02)
    assert testing.check_fpr(filter, MEMBERS, ABSENT, baseline=smaller).verdict == "above"
    assert testing.queries_for(baseline=same) > testing.queries_for(0.01) > 12000


def test_keys_of_any_kind() -> None:
    rows = np.frombuffer(hashlib.shake_128(b"").digest(16 * 14000), np.uint8).reshape(-1, 16).view("V16").reshape(-1)
    testing.assert_fpr(linefilter.build(rows[:1000], fpr=0.01), rows[:1000], rows[1000:], at_most=0.01)
    texts = np.array([str(i) for i in range(14000)])
    testing.assert_fpr(linefilter.build(texts[:1000], fpr=0.01), texts[:1000], texts[1000:], at_most=0.01)
    testing.assert_fpr(set(map(str, range(1000))), texts[:1000], texts[1000:], at_most=0.01)
    lists = [[i] for i in range(1000)]  # which have no hash
    assert testing.check_fpr(lists, lists, [[-1]] * 3 + [[5]], at_most=0.5).counts.num_absent_members == 1
    generated = testing.check_fpr(set(MEMBERS), iter(MEMBERS), (i for i in ABSENT), at_most=0.01)
    assert generated.ok and generated.counts.num_queries == len(ABSENT)


def test_what_makes_no_sense_is_undecided_or_refused() -> None:
    for at_most in (0, 1, -0.1, float("nan")):
        result = testing.check_fpr({1}, [1], [2], at_most=at_most)
        assert result.verdict == "undecided" and "at_most" in result.sentence, at_most
        assert testing.queries_for(at_most) == 0
    assert testing.check_fpr({1}, [1], [], at_most=0.1).verdict == "undecided"
    assert testing.check_fpr({1}, [1], [2], at_most=0.1, resolution=1).verdict == "undecided"
    assert testing.check_fpr({1}, [1], [2], at_most=0.1, confidence=1).verdict == "undecided"
    for arguments, options, words in [
        (({1}, [1], [2]), {}, "give at_most"),
        (({1}, [1], [2]), {"at_most": "low"}, "at_most must be a number"),
        ((5, [1], [2]), {"at_most": 0.1}, "a filter has `in`"),
        (({1}, [1], "absent"), {"at_most": 0.1}, "put it into a list"),
    ]:
        with pytest.raises(TypeError, match=words):
            testing.check_fpr(*arguments, **options)
    with pytest.raises(TypeError, match="give at_most"):
        testing.queries_for()


def test_a_baseline_is_three_numbers() -> None:
    same = testing.FprBaseline(1_000_000, 10_000)
    assert testing.queries_for(baseline=same) == testing.queries_for(baseline=(1e6, 1e4))  # type: ignore[arg-type]
    for baseline, words in [
        ({"num_queries": 5, "false_positives": 1}, "a baseline is FprBaseline"),
        ((1,), "a baseline is FprBaseline"),
        (testing.FprBaseline(-1, 1), "num_queries must be 0"),
        (testing.FprBaseline(10, "many"), "false_positives must be"),  # type: ignore[arg-type]
    ]:
        with pytest.raises((TypeError, ValueError), match=words):
            testing.check_fpr({1}, [1], [2], baseline=baseline)
        with pytest.raises((TypeError, ValueError), match=words):
            testing.queries_for(baseline=baseline)


def test_the_judge_raises_few_false_alarms() -> None:
    """A filter exactly at its limit: at most half a percent is above, and most pass."""
    random = np.random.default_rng(1)
    verdicts = [
        testing._judge(testing.FprCounts(0, 0, 12300, int(hits)), 0.01, 0.99, 1.5, None, [], []).verdict
        for hits in random.binomial(12300, 0.01, 2000)
    ]
    assert verdicts.count("above") <= 20 and verdicts.count("within") >= 1960


def test_the_example_and_the_docstrings_run(tmp_path: Any) -> None:
    assert doctest.testmod(testing).attempted == 2 and doctest.testmod(testing).failed == 0
    shutil.copy(ROOT / "examples" / "pytest_fpr" / "test_false_positives.py", tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_false_positives.py"]
    environment = dict(os.environ, PYTHONPATH=str(Path(linefilter.__file__).parents[1]))
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0 and "3 passed" in run.stdout, run.stdout + run.stderr
