"""AsyncRedisFilter: a filter in Redis for asyncio."""

from __future__ import annotations

import asyncio
import os
from typing import Optional, Union, final

from . import _linefilter
from ._keys import as_count
from ._redis import filter_name, require_redis
from ._redis_servers import Servers, make_servers


@final
class AsyncRedisFilter(_linefilter.AsyncHolder):
    """A filter in Redis for asyncio: await filter.exists(key). A thread of the object asks Redis for all that was asked for since it
    asked the last time, in one pipeline. So a thousand tasks that ask for a key each cost about what a call of a thousand keys costs.

        seen = await linefilter.AsyncRedisFilter.open("127.0.0.1:6379", "seen")
        if await seen.add(url):  # certainly new
            ...
        await seen.close()

    exists(), add() and remove() return a future at once, which has the answer or the exception of RedisFilter later. They are for the
    loop in which it was opened, and its thread. Keys are added and removed in the order of the calls, and a question comes behind all that
    was called for before it. Questions alone are answered within twice the deadline of requests (Deadlines). Where more than most_waiting
    calls have no answer they raise OverLimitError: shed load then. A filter that nobody closes stays until its loop
    is closed and no task waits for it. After a fork it is the parent's: a child opens its own, and may close this one."""

    __slots__ = ("_loop", "_process", "_told")
    _core: _linefilter.AsyncRedis
    _loop: asyncio.AbstractEventLoop
    _process: int
    _told: asyncio.Event  # somebody was

    def __init__(self) -> None:
        raise TypeError("an AsyncRedisFilter is made by open()")

    @classmethod
    async def open(
        cls, servers: Servers, name: Union[str, bytes], *, secret: Optional[bytes] = None, most_waiting: int = 65536
    ) -> AsyncRedisFilter:
        """Opens a filter, as RedisFilter.open does."""
        require_redis()
        known, called, most = make_servers(servers), filter_name(name), as_count(most_waiting, "most_waiting")
        self = cls.__new__(cls)
        self._loop = asyncio.get_running_loop()
        self._core = await self._loop.run_in_executor(
            None, lambda: _linefilter.AsyncRedis.open(known, called, secret, most)
        )
        self._core.set_loop(self._loop)
        self._told = asyncio.Event()
        self._process = os.getpid()
        self._loop.add_reader(self._core.descriptor(), self._tell)
        return self

    async def close(self) -> None:
        """Takes no further calls, waits until all are answered, then closes. Closing twice is no error."""
        if os.getpid() == self._process:  # else the loop's epoll is the parent's, too, and so are the answers
            while self._core.refuse() != 0:
                self._told.clear()
                await self._told.wait()
            self._loop.remove_reader(self._core.descriptor())
        self._core.close()

    async def __aenter__(self) -> AsyncRedisFilter:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _tell(self) -> None:
        try:
            self._core.tell()
        finally:
            self._told.set()
