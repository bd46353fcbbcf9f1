"""What services want of RedisFilter: growth, the verbs of RedisBloom, metrics, notices."""

import contextlib
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import linefilter
from linefilter import Deadlines, RedisCachedFilter, RedisFilter, RedisMetrics
from test_redis import KEYS, LONG, at, other, patient, pytestmark, server  # noqa: F401


def test_one_that_grows(at):
    keys = np.arange(20000)
    with RedisFilter.create(at, "seen", 5000, fpr=0.01, grow=True) as filter:
        assert filter.info().num_stages == 1 and filter.info().capacity == 5000
        assert 19800 < filter.add_many(keys) <= 20000 and filter.contains_many(keys).all()
        assert filter.info().num_stages == 3 and filter.info().expected_fpr < 0.01 and filter.growth_error is None
        filter.begin_generation(5000, fpr=0.01, grow=True, max_growth=3)
        filter.add_many_to_next(keys)
        filter.switch_generation()
        assert filter.info().num_stages == 2 and filter.contains_many(keys).all()
        filter.add_many(keys + 10**6)
        assert isinstance(filter.growth_error, linefilter.OverLimitError) and "max_growth" in str(filter.growth_error)
    with pytest.raises(linefilter.InvalidArgumentError, match="bound"):
        RedisFilter.create(at, "other", 500, bits_per_key=10, grow=True)


def test_the_verbs_of_redisbloom(at):
    with RedisFilter.reserve(at, "users", 1000, fpr=0.01) as users:
        assert users.add("alice") and not users.add("alice")
        assert users.madd("alice", "bob", 17) == [False, True, True]
        assert users.exists("bob") and not users.exists("carol")
        assert users.mexists("alice", "carol", 17, b"bob") == [True, False, True, True]
        assert users.madd() == [] == users.mexists() and users.card() == 3


def test_metrics_count_and_time_calls(at):
    metrics = RedisMetrics(slow=0)
    with RedisFilter.create(replace(at, metrics=metrics), "seen", 1000, fpr=0.01) as filter:
        filter.add_many(KEYS)
        assert filter.contains_many(KEYS).all() and "bob" not in filter
    text = metrics.prometheus()
    assert f'linefilter_redis_calls_total{{verb="may_contain",node="{at.addresses}",code="ok"}} 2\n' in text
    assert f'linefilter_redis_keys_total{{verb="insert",node="{at.addresses}"}} 3000\n' in text
    assert metrics.num_calls == metrics.num_slow == 3
    last, first = metrics.slow_calls()[0], metrics.slow_calls()[-1]
    assert last["verb"] == "may_contain" and last["num_keys"] == 1 and last["ok"] and last["filter"] == b"seen"
    assert first["verb"] == "insert" and first["num_keys"] == 3000 and 0 < first["seconds"] < 60
    with pytest.raises(TypeError, match="metrics"):
        RedisFilter.open(replace(at, metrics=7), "seen")


def until_told(told, call, what):
    """Repeats the call, which may raise UnavailableError, until a sentence says `what`."""
    end = time.monotonic() + LONG
    while not any(what in sentence for sentence in told):
        assert time.monotonic() < end
        with contextlib.suppress(linefilter.UnavailableError):
            call()


def hurried(server, notice):
    return replace(patient(server.address), deadlines=Deadlines(request=1, admin=1, reply=0.5, pause=0.01), notice=notice)


def test_a_notice_tells_when_a_server_is_asked_no_more_and_when_again(other):
    told = []

    def notice(sentence):
        with contextlib.suppress(linefilter.UnavailableError):
            assert "carol" not in filter  # it may use the filter, whose call has ended
        told.append(sentence)

    RedisFilter.create(patient(other.address), "seen", 1000, fpr=0.01).close()
    with RedisFilter.open(hurried(other, notice), "seen") as filter:
        assert filter.add("alice") and told == []
        other.stop()
        until_told(told, lambda: filter.contains_many(["alice", "bob"]), "OPENED")
        other.go_on()
        until_told(told, lambda: filter.add("bob"), "CLOSED")
        assert len(told) == 2 and all(other.address in sentence for sentence in told)


def test_what_a_notice_raises_changes_no_call(other, monkeypatch):
    raised = []
    monkeypatch.setattr(sys, "unraisablehook", lambda error: raised.append(error.exc_type))

    def notice(sentence):
        raise KeyError(sentence)

    RedisFilter.create(patient(other.address), "seen", 1000, fpr=0.01).close()
    with RedisFilter.open(hurried(other, notice), "seen") as filter:
        other.stop()
        for _ in range(10):
            with pytest.raises(linefilter.UnavailableError):
                filter.add("alice")
    assert raised == [KeyError]


def test_a_cached_filter_tells_with_its_next_call(other):
    told = []
    RedisFilter.create(patient(other.address), "seen", 1000, fpr=0.01, followed_keys=1000).close()
    with RedisCachedFilter.open(hurried(other, told.append), "seen", within=0.05) as seen:
        other.stop()
        time.sleep(1)
        assert told == []
        until_told(told, lambda: "alice" in seen, "OPENED")
