"""RedisCachedFilter: a copy of a filter in Redis in this process, which follows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, Optional, Union, final

from . import _linefilter
from ._filter_base import Asked, Closable
from ._key_filter import Taking
from ._redis import filter_name, require_redis
from ._redis_servers import Servers, make_servers, milliseconds


@final
@dataclass(frozen=True)
class RedisCacheInfo:
    """What RedisCachedFilter.info() tells."""

    age: Optional[float]  # seconds: what was acknowledged before that is in the copy; None: there is none
    num_refreshes: int  # that succeeded, downloads among them
    num_downloads: int  # of the whole filter
    num_failures: int  # refreshes that did not succeed
    num_bytes: int  # that all of them fetched


@final
class RedisCachedFilter(Asked, Taking[bool, int], Closable):
    """A copy of a filter in Redis in this process: questions ask no server.

    An "absent" may be old: a key that another program added within the last `within` seconds may still be absent here, and none
    that was added earlier. What this object added is seen at once. If the copy cannot be kept so young, because Redis does not
    answer, every answer is "maybe" (True) until it can.

    The filter is made with followed_keys: Redis then keeps about so many of the last additions, by which a thread of this object
    brings the copy up to date three times in `within`. It downloads the whole filter where another generation serves, or where
    more was added meanwhile. It adds as RedisFilter does, and raises what that raises.

    From any thread. A process that was forked opens its own.

        linefilter.RedisFilter.create(servers, "seen", 1e8, fpr=0.01, followed_keys=1000000).close()  # once
        with linefilter.RedisCachedFilter.open(servers, "seen", within=1) as seen:  # everywhere else
            if url not in seen:
                ...  # nobody had it a second ago
    """

    __slots__ = ("_name",)
    _core: _linefilter.CachedRedis
    _name: Union[str, bytes]

    def __init__(self) -> None:
        raise TypeError("call RedisCachedFilter.open")

    @staticmethod
    def open(
        servers: Servers, name: Union[str, bytes], *, within: float, secret: Optional[bytes] = None
    ) -> RedisCachedFilter:
        """Opens a filter that was made with followed_keys (else IncompatibleError), and downloads it. `within` is 0.05 s at least.
        NotFoundError if there is no such filter."""
        require_redis()
        most = milliseconds(within, "within")
        made = RedisCachedFilter._of(
            _linefilter.CachedRedis.open(make_servers(servers), filter_name(name), most, secret)
        )
        made._name = name
        return made

    def refresh(self) -> None:
        """Brings the copy up to date now: what was acknowledged anywhere before the call is in it then."""
        self._core.refresh()

    def info(self) -> RedisCacheInfo:
        """How old the copy is, and what it took so far."""
        facts = self._core.info()
        age_ms = facts.pop("age_ms")
        return RedisCacheInfo(age=None if age_ms < 0 else age_ms / 1000, **facts)

    @property
    def name(self) -> Union[str, bytes]:
        """As it was given."""
        return self._name

    def __reduce__(self) -> NoReturn:
        raise TypeError("a RedisCachedFilter is not copied or pickled: open it again, by its name")

    def __repr__(self) -> str:
        return f"<RedisCachedFilter {self._name!r}: {'closed' if self.closed else self.layout}>"
