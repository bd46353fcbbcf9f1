"""AsyncRedisFilter: a filter in Redis for asyncio."""

from __future__ import annotations

import asyncio
import copy
import operator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Optional, Union, final

from ._errors import InvalidArgumentError, LinefilterError, OverLimitError
from ._hash import hash_key
from ._keys import Key, as_count
from ._redis import RedisFilter
from ._redis_servers import Servers

# What each call gets: its value, or an exception.
_Outcomes = list[Any]
# Rounds: by verb the keys, and whom to tell. In each what is added comes first, then what is removed, then questions.
_Waiting = list[dict[str, tuple[list[Key], "list[asyncio.Future[bool]]"]]]


@final
class AsyncRedisFilter:
    """A filter in Redis for asyncio: await filter.exists(key). A thread of the object asks Redis for all that was asked for since it
    asked the last time, in one pipeline. So a thousand tasks that ask for a key each cost about what a call of a thousand keys costs.

        seen = await linefilter.AsyncRedisFilter.open("127.0.0.1:6379", "seen")
        if await seen.add(url):  # certainly new
            ...
        await seen.close()

    exists(), add() and remove() return a future at once, which has the answer or the exception of RedisFilter later. They are for the
    loop in which it was opened. Keys are added and removed in the order of the calls, and a question comes behind all that was called for
    before it. Questions alone are answered within twice the deadline of requests (Deadlines). Where more than most_waiting calls wait
    they raise OverLimitError: shed load then."""

    __slots__ = (
        "_filter",
        "_loop",
        "_executor",
        "_most_waiting",
        "_waiting",
        "_num_waiting",
        "_is_due",
        "_is_busy",
        "_is_closing",
        "_idle",
    )
    _filter: Optional[RedisFilter]  # None: closed
    _loop: asyncio.AbstractEventLoop
    _executor: ThreadPoolExecutor
    _most_waiting: int
    _waiting: _Waiting
    _num_waiting: int
    _is_due: bool  # _flush comes in this turn of the loop
    _is_busy: bool  # the thread has something
    _is_closing: bool
    _idle: asyncio.Event

    def __init__(self) -> None:
        raise TypeError("an AsyncRedisFilter is made by open()")

    @classmethod
    async def open(
        cls, servers: Servers, name: Union[str, bytes], *, secret: Optional[bytes] = None, most_waiting: int = 65536
    ) -> AsyncRedisFilter:
        """Opens a filter, as RedisFilter.open does."""
        self = object.__new__(cls)
        self._loop = asyncio.get_running_loop()
        self._most_waiting = as_count(most_waiting, "most_waiting")
        self._executor = ThreadPoolExecutor(1, "linefilter-redis")
        self._waiting = []
        self._num_waiting = 0
        self._is_due = self._is_busy = self._is_closing = False
        self._idle = asyncio.Event()
        self._idle.set()
        try:
            self._filter = await self._in_thread(lambda: RedisFilter.open(servers, name, secret=secret))
        except BaseException:
            self._executor.shutdown(wait=False)
            raise
        return self

    def exists(self, key: Key) -> asyncio.Future[bool]:
        """May the key be in the set?"""
        return self._call("exists", key)

    def add(self, key: Key) -> asyncio.Future[bool]:
        """Adds a key. True: certainly nobody had it."""
        return self._call("add", key)

    def remove(self, key: Key) -> asyncio.Future[bool]:
        """Takes a key out once, of a removable filter, as RedisFilter.remove does. False: it was certainly absent."""
        return self._call("remove", key)

    async def close(self) -> None:
        """Takes no further calls, waits until all are answered, then closes. Closing twice is no error."""
        self._is_closing = True
        while self._num_waiting != 0 or self._is_busy:
            self._idle.clear()
            await self._idle.wait()
        filter, self._filter = self._filter, None
        if filter is not None:
            try:
                await self._in_thread(filter.close)
            finally:
                self._executor.shutdown(wait=False)

    async def __aenter__(self) -> AsyncRedisFilter:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _in_thread(self, work: Callable[[], Any]) -> asyncio.Future[Any]:
        return self._loop.run_in_executor(self._executor, work)

    def _call(self, verb: str, key: Key) -> asyncio.Future[bool]:
        if self._is_closing:
            raise InvalidArgumentError("the filter is closed")
        key = _plain(key)
        if self._num_waiting >= self._most_waiting:
            raise OverLimitError(f"{self._num_waiting} calls wait for Redis already: call again later, or do without")
        future: asyncio.Future[bool] = self._loop.create_future()
        rounds = self._waiting
        if not rounds or (verb == "add" and "remove" in rounds[-1]):  # what was removed before must not go after that
            rounds.append({})
        waiting = rounds[-1].get(verb)
        if waiting is None:
            waiting = rounds[-1][verb] = ([], [])
        waiting[0].append(key)
        waiting[1].append(future)
        self._num_waiting += 1
        if not self._is_due:
            self._is_due = True
            self._loop.call_soon(self._flush)
        return future

    def _flush(self) -> None:
        """Hands all that waits to the thread, unless that is busy: then it is handed over when the thread has answered."""
        self._is_due = False
        if self._is_busy:
            return
        if self._num_waiting == 0:
            self._idle.set()
            return
        taken, self._waiting, self._num_waiting, self._is_busy = self._waiting, [], 0, True
        assert self._filter is not None  # close() waits
        self._executor.submit(self._work, self._filter, taken)

    def _work(self, filter: RedisFilter, taken: _Waiting) -> None:
        """In the thread."""
        answered = []
        for each in taken:
            for verb in ("add", "remove", "exists"):
                if verb in each:
                    keys, futures = each[verb]
                    answered.append((futures, _outcomes(filter, verb, keys)))
        try:
            self._loop.call_soon_threadsafe(self._tell, answered)
        except RuntimeError:  # the loop was closed meanwhile: nobody waits any more
            self._is_busy = False

    def _tell(self, answered: list[tuple[list[asyncio.Future[bool]], _Outcomes]]) -> None:
        self._is_busy = False
        for futures, outcomes in answered:
            for future, outcome in zip(futures, outcomes):
                if future.done():  # its task was cancelled
                    continue
                if outcome is True or outcome is False:
                    future.set_result(outcome)
                else:
                    future.set_exception(copy.copy(outcome))  # each task adds its own traceback
        if not self._is_due:
            self._flush()


def _plain(key: Key) -> Union[bytes, int]:
    """The key as it is now, as text or a number: a wrong one is an error of its caller, and nobody changes it later."""
    if isinstance(key, bytes):
        return bytes(key)
    if isinstance(key, str):
        try:
            return key.encode()
        except UnicodeEncodeError:
            hash_key(key)  # which says what is wrong
            raise
    if isinstance(key, bool):
        hash_key(key)  # which refuses it
    try:
        number = operator.index(key)  # type: ignore[arg-type]
    except TypeError:
        hash_key(key)
        return memoryview(key).tobytes()  # type: ignore[arg-type]
    if not -(2**63) <= number < 2**64:
        hash_key(number)
    return number


def _outcomes(filter: RedisFilter, verb: str, keys: list[Key]) -> _Outcomes:
    """The answer of each key, or its exception."""
    try:
        if verb == "exists":
            answers = filter.contains_many(keys)
        else:
            answers = filter.add_new(keys) if verb == "add" else filter.remove_many(keys)
        return list(answers.tolist())
    except LinefilterError as error:
        done = getattr(error, {"exists": "were_absent", "add": "were_new", "remove": "were_removed"}[verb], None)
        if done is None:
            return [error] * len(keys)
        failed = error.failed | error.unknown if verb == "remove" else error.failed  # type: ignore[attr-defined]
        return [error if bad else bool(was) != (verb == "exists") for was, bad in zip(done, failed)]
    except Exception as error:
        return [error] * len(keys)
