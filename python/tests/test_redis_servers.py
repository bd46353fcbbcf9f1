"""What Python says of Redis without a server: RedisServers are plain values, and what is missing is told."""

import pickle
from dataclasses import asdict

import pytest

import linefilter
from linefilter import Deadlines, RedisFilter, RedisServers
from linefilter._redis_servers import make_servers


def test_without_hiredis_it_says_what_is_missing(monkeypatch):
    monkeypatch.delattr(linefilter._linefilter, "Redis", raising=False)
    for call in (lambda: RedisFilter.open("localhost:6379", "seen"), lambda: RedisFilter.delete("localhost:6379", "seen"),
                 lambda: RedisFilter.create("localhost:6379", "seen", 5, fpr=0.1),
                 lambda: RedisFilter.from_image("localhost:6379", "seen", b"")):  # fmt: skip
        with pytest.raises(linefilter.UnsupportedError, match="libhiredis-dev"):
            call()


def test_servers_are_plain_values():
    servers = RedisServers("a:1", password="hush", database=1)
    assert servers == RedisServers("a:1", password="hush", database=1) and "hush" not in repr(servers)
    assert pickle.loads(pickle.dumps(servers)) == servers
    with pytest.raises(TypeError, match="RedisFilter.create"):
        RedisFilter()


def test_no_text_is_taken_for_yes_or_no():
    for servers in (RedisServers(tls="no"), RedisServers(replica_reads="no"), RedisServers(tls=None), RedisServers(tls=1)):
        with pytest.raises(TypeError, match="(tls|replica_reads) must be True or False, not "):
            make_servers(servers)


@pytest.mark.skipif(not hasattr(linefilter._linefilter, "Redis"), reason="linefilter was built without Redis (libhiredis-dev)")
def test_every_field_reaches_the_library():
    deadlines = Deadlines(0.5, 1.5, 2.5, 3.5, 4.5, 5.5)
    given = RedisServers("a:1", "user", "hush", 3, True, "ca", "certificate", "key", "name", deadlines, "maybe", 7.5, True, 4, 3.5)
    made = make_servers(given)
    fields = asdict(given)
    times = {**fields.pop("deadlines"), "wait": fields.pop("wait")}
    assert made.answers_maybe == (fields.pop("on_unavailable") == "maybe")
    fields.pop("metrics")  # test_redis_service.py
    for field, value in fields.items():
        assert getattr(made, field) == value, field
    for field, value in times.items():
        assert getattr(made, f"{field}_ms") == 1000 * value, field
    assert not make_servers(RedisServers()).answers_maybe


def test_deadlines_are_a_value_of_their_own():
    for bad in (0.5, None, {"request": 1}):
        with pytest.raises(TypeError, match="deadlines are Deadlines, not "):
            make_servers(RedisServers(deadlines=bad))
    with pytest.raises(TypeError, match="notice is called with a str, which int cannot be"):
        make_servers(RedisServers(notice=7))
    with pytest.raises(linefilter.InvalidArgumentError, match="on_unavailable must be 'error' or 'maybe', not 'no'"):
        make_servers(RedisServers(on_unavailable="no"))


@pytest.mark.skipif(not hasattr(linefilter._linefilter, "Redis"), reason="linefilter was built without Redis (libhiredis-dev)")
def test_a_url_says_where_and_who():
    servers = RedisServers.from_url("rediss://bob:h%40sh@a:1,b:2/3?cluster", wait_replicas=2)
    assert servers == RedisServers("a:1,b:2", "bob", "h@sh", 3, True, wait_replicas=2) and "h@sh" not in repr(servers)
    made = make_servers("redis://:hush@a/7")
    assert (made.addresses, made.password, made.database, made.tls) == ("a", "hush", 7, False)
    for url in ("redis://:hush@a:b", "redis://:hush@a/x", "redis://:hush@a?timeout=1", "redis://:hush%@a"):
        with pytest.raises(linefilter.InvalidArgumentError) as error:
            RedisFilter.open(url, "seen")
        assert "hush" not in str(error.value)
    with pytest.raises(linefilter.InvalidArgumentError, match="redis://"):
        RedisServers.from_url("a:6379")
