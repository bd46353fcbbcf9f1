"""What Python says of Redis without a server: RedisServers are plain values, and what is missing is told."""

import pickle

import pytest

import linefilter
from linefilter import RedisFilter, RedisServers


def test_without_hiredis_it_says_what_is_missing(monkeypatch):
    monkeypatch.delattr(linefilter._linefilter, "Redis", raising=False)
    for call in (lambda: RedisFilter.open("localhost:6379", "seen"), lambda: RedisFilter.delete("localhost:6379", "seen"),
                 lambda: RedisFilter.create("localhost:6379", "seen", 5, fpr=0.1),
                 lambda: RedisFilter.from_image("localhost:6379", "seen", b"")):  # fmt: skip
        with pytest.raises(linefilter.UnsupportedError, match="libhiredis-dev"):
            call()


def test_servers_are_plain_values():
    servers = RedisServers("a:1", password="hush", patience=0.5)
    assert servers == RedisServers("a:1", password="hush", patience=0.5) and "hush" not in repr(servers)
    assert pickle.loads(pickle.dumps(servers)) == servers
    with pytest.raises(TypeError, match="RedisFilter.create"):
        RedisFilter()


def test_no_text_is_taken_for_yes_or_no():
    for servers in (RedisServers(tls="no"), RedisServers(replica_reads="no"), RedisServers(tls=None), RedisServers(tls=1)):
        with pytest.raises(TypeError, match="(tls|replica_reads) must be True or False, not "):
            linefilter._redis_servers.make_servers(servers)
