"""FprMonitor: the counts and verdicts of C++, from Python."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import linefilter


def test_a_right_filter_and_one_that_is_overfilled() -> None:
    filter = linefilter.BlockedFilter(10_000, fpr=0.01)
    monitor = linefilter.FprMonitor(planned_fpr=0.01)
    report = monitor.read(filter.expected_fpr())
    assert report.verdict == "too early" and report.sentence.startswith("too early: ")
    filter.add_many(range(10_000))
    for key in range(10_000, 30_000):
        maybe = key in filter
        monitor.asked(maybe)
        if maybe:
            monitor.was_absent()
    report = monitor.read(filter.expected_fpr())
    assert report.verdict == "as expected" and report.fpr_low < 0.01 < report.fpr_high
    assert report.all.asked == report.all.absent_keys == 20_000 and report.all.maybes == report.all.false_positives
    filter.add_many(range(10_000, 20_000))
    answers = filter.contains_many(np.arange(20_000, 30_000))
    monitor.asked_many(answers)
    monitor.was_absent(np.count_nonzero(answers))
    report = monitor.read(filter.expected_fpr())
    assert report.verdict == "more than expected" and "make a larger one" in report.sentence
    assert report.expected_fpr == 0.01
    monitor.restart()
    report = monitor.read(filter.expected_fpr())
    assert report.verdict == "too early" and report.since_restart == (0, 0, 0, 0) and report.all.asked == 30_000


def test_a_lost_member() -> None:
    monitor = linefilter.FprMonitor()
    monitor.asked(False)
    monitor.was_lost()
    report = monitor.read(0.5)
    assert report.verdict == "members lost" and report.all == (1, 0, 0, 1) and report.all.absent_keys == 0


def test_threads_are_exact() -> None:
    monitor = linefilter.FprMonitor()

    def count() -> None:
        for i in range(2000):
            monitor.asked(i % 2 == 0)

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert monitor.read(1).all[:2] == (16_000, 8_000)


def test_prometheus() -> None:
    users, ids = linefilter.FprMonitor(), linefilter.FprMonitor()
    users.asked_many([True, False, True])
    text = linefilter.FprMonitor.prometheus([(users, 0.01, 'us"ers\n'), (ids, 0.001, "ids")])
    lines = text.splitlines()
    assert 'linefilter_lookups_total{filter="us\\"ers\\n"} 3' in lines
    assert 'linefilter_maybes_total{filter="ids"} 0' in lines
    assert lines.count("# TYPE linefilter_lookups_total counter") == 1 and text.endswith("\n")
    assert 'linefilter_fpr_verdict{filter="ids",verdict="too_early"} 1' in lines


def test_wrong_arguments() -> None:
    for options in ({"planned_fpr": 0}, {"planned_fpr": 1.1}, {"confidence": 1}, {"tolerance": -1}, {"tolerance": float("nan")}):
        with pytest.raises(linefilter.InvalidArgumentError, match=next(iter(options))):
            linefilter.FprMonitor(**options)
    monitor = linefilter.FprMonitor()
    for call in (lambda: monitor.was_absent("1"), lambda: monitor.was_absent(1.5), lambda: monitor.read("low"), lambda: monitor.was_lost(-1)):  # type: ignore[arg-type]
        with pytest.raises((TypeError, ValueError, OverflowError)):
            call()
    assert monitor.read(float("nan")).expected_fpr == 1, "as of a broken filter"


def test_prometheus_takes_monitors_and_any_names() -> None:
    class Other:
        _core = None

    for wrong in (Other(), None, linefilter.Bloom(100, 0.01)):
        with pytest.raises(TypeError, match="takes \\(FprMonitor, expected_fpr, name\\)"):
            linefilter.FprMonitor.prometheus([(wrong, 0.01, "x")])  # type: ignore[list-item]
    text = linefilter.FprMonitor.prometheus([(linefilter.FprMonitor(), 0.01, "\ud800")])
    assert 'linefilter_lookups_total{filter="?"} 0' in text.splitlines()


def test_nothing_is_as_expected_without_a_rate() -> None:
    monitor = linefilter.FprMonitor()
    monitor.asked_many([True] * 1000)
    monitor.was_absent(1000)
    report = monitor.read(1)
    assert report.verdict == "too early" and "no rate to hold it to" in report.sentence
