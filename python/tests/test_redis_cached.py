"""A RedisCachedFilter answers here what its filter in Redis has, at most `within` seconds late."""

import copy
import gc
import os
import time

import numpy as np
import pytest

import linefilter
from linefilter import RedisCachedFilter, RedisFilter
from test_redis import KEYS, at, pytestmark, server  # noqa: F401


def followed(at, num_keys=10000, **more):
    return RedisFilter.create(at, "seen", num_keys, fpr=0.01, followed_keys=100000, **more)


def test_it_has_what_others_added_by_the_next_refresh_and_its_own_at_once(at):
    with followed(at) as filter, RedisCachedFilter.open(at, "seen", within=600) as seen:
        assert filter.info().followed_keys == 100000
        filter.add_many(KEYS[:1000])
        assert seen.contains_many(KEYS[:1000]).mean() < 0.03 and seen.info().num_downloads == 1
        seen.refresh()
        assert seen.contains_many(KEYS[:1000]).all() and seen.info().num_refreshes == 2
        assert seen.add("alice") is True and "alice" in seen and seen.add("alice") is False and "alice" in filter
        assert seen.add_many(KEYS[1000:]) > 1900 and seen.contains_many([int(key) for key in KEYS]).all()
        hashes = np.array([linefilter.hash_key(f"key {i}") for i in range(100)], np.uint64)
        assert seen.add_hashes(hashes) > 90 and seen.contains_hashes(hashes).all() and seen.contains_hash(int(hashes[0]))
        assert seen.layout == "blocked" and seen.body_bytes == filter.body_bytes and seen.hash_id == "xxh3"
        assert 0 <= seen.info().age < 600 and seen.info().num_bytes > seen.body_bytes


def test_it_is_young_by_itself(at):
    with followed(at) as filter, RedisCachedFilter.open(at, "seen", within=0.3) as seen:
        filter.add("bob")
        time.sleep(0.3)
        assert "bob" in seen
        RedisFilter.delete(at, "seen")
        for _ in range(1000):
            if "nobody" in seen:
                break
            time.sleep(0.01)
        assert "nobody" in seen and seen.info().age is None, "the filter is gone, so all is maybe"


def test_what_cannot_be_followed_is_refused(at):
    with pytest.raises(linefilter.NotFoundError):
        RedisCachedFilter.open(at, "seen", within=1)
    RedisFilter.create(at, "plain", 100, fpr=0.01)
    with pytest.raises(linefilter.IncompatibleError, match="followed_keys"):
        RedisCachedFilter.open(at, "plain", within=1)
    with pytest.raises(linefilter.IncompatibleError, match="split_block"):
        followed(at, layout="classic")
    followed(at)
    with pytest.raises(linefilter.InvalidArgumentError, match="50 ms or more"):
        RedisCachedFilter.open(at, "seen", within=0.01)
    with pytest.raises(TypeError):
        RedisCachedFilter()
    seen = RedisCachedFilter.open(at, "seen", within=1)
    with pytest.raises(TypeError):
        copy.copy(seen)
    seen.close()
    assert seen.closed and "closed" in repr(seen)
    with pytest.raises(ValueError):
        seen.refresh()


def test_a_child_is_told_to_open_its_own(at):
    followed(at)
    seen = RedisCachedFilter.open(at, "seen", within=1)
    child = os.fork()
    if child == 0:
        try:
            seen.add("a")
        except linefilter.InvalidArgumentError:
            del seen
            gc.collect()
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert seen.add("a")


def test_reserve_opens_or_creates(at):
    with RedisFilter.reserve(at, "r", 1000, fpr=0.01) as made, RedisFilter.reserve(at, "r", 5, fpr=0.5, layout="classic") as opened:
        made.add("a")
        assert "a" in opened and opened.layout == "blocked"
    with pytest.raises(linefilter.IncompatibleError):
        RedisFilter.reserve(at, "r", 1000, fpr=0.01, secret=bytes(range(16)))
