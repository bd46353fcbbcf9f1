"""RedisServers and Deadlines: where the servers of a RedisFilter are, and how long to wait for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Sequence, Union

from . import _linefilter
from ._errors import InvalidArgumentError, UnsupportedError
from ._keys import as_float, as_uint


@dataclass(frozen=True)
class Deadlines:
    """How long calls may take, in seconds. Then UnavailableError.

    request: of questions, add and remove, whose deadline is hard: it holds connecting and all that is tried again. It is for up
        to 1 MB of requests and replies, and each further MB has request_per_mb. RedisFilter.within gives one call its own.
    admin: of what is tried again in each batch of commands of all other calls, of which they may have many.
    connect, reply: of one connection, of one reply, within the others.
    pause: after a connection was refused, or a server was silent three times, requests fail at once for so long; then one is
        let through. The pause doubles, up to eight times. 0: each request waits.
    """

    request: float = 0.1
    request_per_mb: float = 0.02
    admin: float = 10.0
    connect: float = 1.0
    reply: float = 2.0
    pause: float = 0.08


class RedisMetrics:
    """Counts and times the calls of any number of filters in Redis, for Prometheus: RedisServers(address, metrics=RedisMetrics()).

    Calls of `slow` seconds and more are slow ones. One object is for all filters of a process: what it counts is kept until that ends.
    Threads may share it."""

    __slots__ = ("_core",)

    def __init__(self, slow: float = 0.05) -> None:
        if not hasattr(_linefilter, "RedisMetrics"):
            raise UnsupportedError("this linefilter was built without Redis: install libhiredis-dev, and build it again")
        self._core = _linefilter.RedisMetrics(milliseconds(slow, "slow"))

    def prometheus(self) -> str:
        """The text for Prometheus: calls by verb, node and code; keys, times (a histogram) and slow calls by verb and node."""
        return self._core.prometheus()

    @property
    def num_calls(self) -> int:
        """How many calls there were."""
        return self._core.num_calls()

    @property
    def num_slow(self) -> int:
        """How many of them were slow."""
        return self._core.num_slow()

    def slow_calls(self) -> list[dict[str, Any]]:
        """The last slow calls, at most 32, the latest first: verb, node, filter, num_keys, seconds, ok."""
        calls = (self._core.slow_call(i) for i in range(32))
        return [call for call in calls if call is not None]


@dataclass(frozen=True)
class RedisServers:
    """Where the servers are, and how long to wait for them. Times are in seconds.

    addresses: "host:port", several with commas between (or a sequence of them), or "unix:/path". Of a cluster any one is
        enough; the first that answers is asked. Of a URL: RedisServers.from_url.
    user, password, database: as of Redis; a user of its ACL may have no password (nopass); a cluster has only database 0.
    tls: needs OpenSSL when the module is built, else UnsupportedError. tls_ca (empty: the system's authorities),
        tls_certificate and tls_key are files. The servers' certificates must have tls_server_name, or else the host. These are
        refused without tls (InvalidArgumentError).
    on_unavailable: what a question does that cannot be answered in time: "error" raises UnavailableError, "maybe" answers
        True. Of the latter there are at most maybes_per_second, each of which goes to what is behind the filter; more raise.
    replica_reads: for questions, without a cluster: ask the first of addresses that answers, be it a replica, which may be
        late: a key that was acknowledged may be "absent" there. Else a replica is refused; the replicas of a cluster are never
        asked. What changes something needs the master among the addresses.
    wait_replicas, wait: after insertions and the keys of an image wait until so many replicas have them, but no longer: else
        UnavailableError. What brings no keys (create, steps of generations, expire, delete) does not wait.
    metrics: RedisMetrics that count and time each call.
    notice: called with a sentence when requests to a server begin to fail at once (Deadlines.pause) and when it is asked again, once
        each: logging.getLogger("linefilter").warning is one. The thread of the call that finds it tells it at the end of the call; of a
        RedisCachedFilter that of its next call. Threads may tell out of order. What it raises goes to sys.unraisablehook. If it refers
        to the filter's owner, only close() frees the filter.
    """

    addresses: Union[str, Sequence[str]] = "127.0.0.1:6379"
    user: str = ""
    password: str = field(default="", repr=False)
    database: int = 0
    tls: bool = False
    tls_ca: str = ""
    tls_certificate: str = ""
    tls_key: str = ""
    tls_server_name: str = ""
    deadlines: Deadlines = Deadlines()
    on_unavailable: str = "error"
    maybes_per_second: float = 100.0
    replica_reads: bool = False
    wait_replicas: int = 0
    wait: float = 1.0
    metrics: Optional[RedisMetrics] = None
    notice: Optional[Callable[[str], Any]] = None

    @classmethod
    def from_url(cls, url: str, **others: Any) -> RedisServers:
        """The servers of "redis://user:password@host:port/database", or "rediss://..." for TLS; the others by name, as above.

        What has a meaning in a URL is written as %XX in user and password. InvalidArgumentError, which does not show the URL, if it
        is none."""
        parsed = _linefilter.RedisServers()
        parsed.set_url(utf8(url, "the URL of Redis"))
        told = {name: getattr(parsed, name) for name in ("addresses", "user", "password", "database", "tls")}
        return cls(**told, **others)


# "host:port,...", "redis://...", "unix:/path" or RedisServers.
Servers = Union[str, RedisServers]


def milliseconds(seconds: Any, what: str, most: int = 2**32 - 1) -> int:
    number = as_float(seconds, what) * 1000
    if not 0 <= number <= most:
        raise InvalidArgumentError(f"{what} must be 0 .. {most // 1000} seconds, not {seconds}")
    return round(number)


def utf8(text: Any, what: str) -> bytes:
    """Here, because the extension's errors would show all arguments, and one is the password."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError:  # which would show the text, as well
        raise InvalidArgumentError(f"{what} has a lone surrogate, which UTF-8 has no bytes for") from None


def _flag(value: Any, what: str) -> bool:
    """Of a configuration file "no" is a str, and would be true."""
    if not isinstance(value, bool):
        raise TypeError(f"{what} must be True or False, not {type(value).__name__}")
    return value


def make_servers(servers: Servers) -> _linefilter.RedisServers:
    if isinstance(servers, str):
        is_url = servers.startswith(("redis://", "rediss://"))
        servers = RedisServers.from_url(servers) if is_url else RedisServers(servers)
    if not isinstance(servers, RedisServers):
        raise TypeError(f"servers are a str (host:port,... or unix:/path) or RedisServers, not {type(servers).__name__}")
    made = _linefilter.RedisServers()
    made.addresses = utf8(servers.addresses if isinstance(servers.addresses, str) else ",".join(servers.addresses), "addresses")
    for name in ("user", "password", "tls_ca", "tls_certificate", "tls_key", "tls_server_name"):
        setattr(made, name, utf8(getattr(servers, name), name))
    for name in ("tls", "replica_reads"):
        setattr(made, name, _flag(getattr(servers, name), name))
    for name in ("database", "wait_replicas"):
        setattr(made, name, as_uint(getattr(servers, name), name, 2**31 - 1))
    if not isinstance(servers.deadlines, Deadlines):
        raise TypeError(f"deadlines are Deadlines, not {type(servers.deadlines).__name__}")
    made.wait_ms = milliseconds(servers.wait, "wait")
    for name, value in vars(servers.deadlines).items():
        setattr(made, f"{name}_ms", milliseconds(value, f"Deadlines.{name}"))
    if servers.on_unavailable not in ("error", "maybe"):
        raise InvalidArgumentError(f"on_unavailable must be 'error' or 'maybe', not {servers.on_unavailable!r}")
    made.answers_maybe = servers.on_unavailable == "maybe"
    made.maybes_per_second = as_float(servers.maybes_per_second, "maybes_per_second")
    if not made.maybes_per_second >= 0:
        raise InvalidArgumentError(f"maybes_per_second must be at least 0, not {servers.maybes_per_second}")
    if servers.metrics is not None:
        if not isinstance(servers.metrics, RedisMetrics):
            raise TypeError(f"metrics are RedisMetrics, not {type(servers.metrics).__name__}")
        made.watch(servers.metrics._core)
    if servers.notice is not None and not callable(servers.notice):
        raise TypeError(f"notice is called with a str, which {type(servers.notice).__name__} cannot be")
    made.notice = servers.notice
    return made
