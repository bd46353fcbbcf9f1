"""RedisFilter that grows, and the verbs of RedisBloom, with a server that is started here."""

import pytest

import linefilter
from linefilter import RedisFilter
from test_redis import KEYS, OTHERS, at, pytestmark, server  # noqa: F401


def test_one_that_grows(at):
    with RedisFilter.create(at, "seen", 500, fpr=0.01, grow=True) as filter:
        assert filter.info().num_stages == 1 and filter.info().capacity == 500
        assert 2950 < filter.add_many(KEYS) <= 3000 and filter.contains_many(KEYS).all()
        assert filter.info().num_stages == 3 and filter.info().expected_fpr < 0.01 and filter.growth_error is None
        filter.begin_generation(500, fpr=0.01, grow=True, max_growth=3)
        filter.add_many_to_next(KEYS)
        filter.switch_generation()
        assert filter.info().num_stages == 2 and filter.contains_many(KEYS).all()
        assert filter.growth_error is None  # nobody added to what serves now
        filter.add_many(OTHERS)
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
