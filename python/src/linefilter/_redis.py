"""RedisFilter: a filter in Redis or Redis Cluster, shared by many machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Optional, SupportsIndex, Union, final

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._errors import IncompatibleError, InvalidArgumentError, LinefilterError, NotFoundError, UnsupportedError
from ._filter_base import Closable, SizeEstimate
from ._key_filter import TakingFilter
from ._keys import Bytes, Hashes, Key, Keys, Number, as_count, as_float, as_uint, hash_words, of_each, split
from ._options import make_options
from ._redis_servers import Servers, make_servers, milliseconds, utf8
from ._view import FilterView

# The layouts that take single keys. (A filter in Redis may also hold an image of "retrieval", or of what grows or forgets.)
MutableLayout = Literal["auto", "blocked", "classic", "split_block", "quotient"]


@final
@dataclass(frozen=True)
class RedisInfo:
    """What RedisFilter.info() tells. The last four are estimated from sampled_bytes of the body, spread over all of it."""

    layout: str
    hash_id: str
    seed: Optional[int]  # None where a secret takes its place
    num_probes: int
    num_stages: int
    capacity: Optional[int]  # keys that it was made for, of an image those that it has; None: unknown
    num_blocks: int
    body_bytes: int
    shard_bytes: int
    num_shards: int
    followed_keys: int  # 0: it cannot be followed
    generation: int
    next_generation: Optional[int]  # None: none was begun
    previous_generation: Optional[int]  # None: none is being left
    version: int
    expires_in: Optional[float]  # seconds; None: never
    num_masters: int
    cluster: bool
    num_lost_shards: int
    sampled_bytes: int
    fill_ratio: float
    approximate_size: SizeEstimate  # keys, and the error of the estimate and of the sample
    expected_fpr: float
    over_capacity: bool  # as FilterBase.over_capacity()

    def room_for(self, fpr: float) -> int:
        """How many more different keys it takes until its expected rate is `fpr`, as FilterBase.room_for, by approximate_size."""
        filled = self.approximate_size.keys, self.expected_fpr
        return _redis().room_for(self.layout, self.num_probes, self.body_bytes, *filled, as_float(fpr, "fpr"))


def require_redis() -> None:
    """The extension's classes are there where hiredis was when it was built."""
    if not hasattr(_linefilter, "Redis"):
        raise UnsupportedError(
            "this linefilter was built without Redis: install hiredis (Debian and Ubuntu: libhiredis-dev), and build it again"
        )


def _redis() -> type[_linefilter.Redis]:
    require_redis()
    return _linefilter.Redis


def filter_name(name: Union[str, bytes]) -> bytes:
    if isinstance(name, bytes):
        return name
    if isinstance(name, str):
        return utf8(name, "the name of a filter")
    raise TypeError(f"the name of a filter is a str or bytes, not {type(name).__name__}")


def _image(image: Union[Bytes, FilterView]) -> Any:
    return image.image if isinstance(image, FilterView) else image


def _from(generation: Optional[int]) -> int:
    """The library's 0: the one that serves, as far as is known."""
    return 0 if generation is None else as_uint(generation, "generation")


@final
class RedisFilter(TakingFilter, Closable):
    """A filter in Redis or Redis Cluster, which many processes and machines fill and ask.

    RedisFilter.create makes it once, RedisFilter.open opens it everywhere else (C++ and the program `linefilter redis` too).
    Insertions are atomic: of several writers of one new key exactly one is told True. Many keys at once are pipelined: ten
    times as fast as one by one, and more.

    What cannot be answered raises, and may then be taken for "maybe": UnavailableError while the servers are away or busy;
    CorruptError if they lost a part of the filter (evicted, flushed, restarted without persistence), which is never taken for
    an empty one; OverLimitError if Redis is full; NotFoundError if there is no filter of that name. An insertion that raises may
    have been done or not: do it again, any number of times. What add_many, add_new and add_hashes raise has two arrays of one item
    for each key: `were_new`, and `failed`, which were not acknowledged. What contains_many raises has `were_absent`, which certainly are,
    and `failed`, for which nobody answered. doc/REDIS.md tells what Redis itself can lose.

    close(), or the end of a `with`, closes the connections; the filter stays in Redis.

    From any thread, which wait for each other: open one in each for speed. Open one in each process, too, for a connection is
    not shared with one that was forked. Waiting for the server lets other threads run (without the GIL).

        with linefilter.RedisFilter.open("127.0.0.1:6379", "seen") as seen:
            if seen.add(url):
                fetch(url)
    """

    __slots__ = ("_name",)
    _core: _linefilter.Redis
    _name: Union[str, bytes]

    def __init__(self) -> None:
        raise TypeError("call RedisFilter.create, RedisFilter.from_image or RedisFilter.open")

    @staticmethod
    def _named(core: _linefilter.Redis, name: Union[str, bytes]) -> RedisFilter:
        made = RedisFilter._of(core)
        made._name = name
        return made

    @staticmethod
    def create(
        servers: Servers,
        name: Union[str, bytes],
        num_keys: Number,
        *,
        bits_per_key: Optional[float] = None,
        fpr: Optional[float] = None,
        layout: MutableLayout = "auto",
        num_probes: SupportsIndex = 0,
        seed: SupportsIndex = 0,
        secret: Optional[bytes] = None,
        caller_hashes: bool = False,
        parquet_hash: bool = False,
        foldable: bool = False,
        removable: bool = False,
        turnovers: SupportsIndex = 0,
        shard_bytes: SupportsIndex = 0,
        followed_keys: Number = 0,
        grow: bool = False,
        max_growth: Number = 0,
    ) -> RedisFilter:
        """Makes an empty filter for num_keys keys. IncompatibleError if the name is taken, by a filter or something else.

        Args:
            servers: "host:port", several with commas between, "unix:/path", or RedisServers.
            name: 1 to 200 bytes; with a hash tag of its own ("{users}seen") it lies in one slot of a cluster.
            layout: "blocked", "split_block", "classic" (one shard, at most 512 MiB) or "quotient"; "auto" is "quotient" with
                removable, else "blocked".
            removable, turnovers: as of QuotientFilter: keys can be removed.
            shard_bytes: the most bytes of one string of Redis; 0: at most 64 MiB.
            followed_keys: above 0 a RedisCachedFilter can follow it: Redis keeps about so many of the last additions. It is "blocked"
                or "split_block" then.
            grow, max_growth: a filter that grows, as ScalableFilter: num_keys is for how many it has room at first, and fpr bounds
                its rate at every moment. It gives nothing back, and cannot be followed.
            bits_per_key, fpr, num_probes, seed, secret, caller_hashes, parquet_hash, foldable: as of BlockedFilter. Redis
                has no secret, but a check of it: whoever opens the filter must bring it.
        """
        redis = _redis()
        options = make_options(
            bits_per_key,
            fpr,
            layout,
            num_probes,
            seed,
            secret,
            caller_hashes,
            foldable=foldable,
            parquet_hash=parquet_hash,
            removable=removable,
            turnovers=turnovers,
        )
        most, shard = as_count(num_keys, "num_keys"), as_uint(shard_bytes, "shard_bytes")
        followed = as_count(followed_keys, "followed_keys")
        growth = as_count(max_growth, "max_growth")
        core = redis.create(make_servers(servers), filter_name(name), most, options, shard, followed, bool(grow), growth)
        return RedisFilter._named(core, name)

    @staticmethod
    def from_image(
        servers: Servers,
        name: Union[str, bytes],
        image: Union[Bytes, FilterView],
        *,
        secret: Optional[bytes] = None,
        shard_bytes: SupportsIndex = 0,
        followed_keys: Number = 0,
    ) -> RedisFilter:
        """Makes a filter of an image of any layout, which is verified first. Nobody opens half of it. The image of no keys has no
        size: it becomes an empty filter of one block with the image's num_probes. To add keys, create one for their number."""
        redis, shard, followed = _redis(), as_uint(shard_bytes, "shard_bytes"), as_count(followed_keys, "followed_keys")
        core = redis.from_image(make_servers(servers), filter_name(name), _image(image), secret, shard, followed)
        return RedisFilter._named(core, name)

    @staticmethod
    def open(servers: Servers, name: Union[str, bytes], *, secret: Optional[bytes] = None) -> RedisFilter:
        """Opens a filter. NotFoundError if there is none; IncompatibleError if the secret is not its."""
        redis = _redis()
        return RedisFilter._named(redis.open(make_servers(servers), filter_name(name), secret), name)

    @staticmethod
    def reserve(
        servers: Servers, name: Union[str, bytes], num_keys: Number, *, secret: Optional[bytes] = None, **options: Any
    ) -> RedisFilter:
        """Opens the filter if it is there, else creates it, with the options of create(). For programs that begin at the same time.

        A filter that is there stays as it is, whatever its size and layout. One that was lost comes back empty: what takes its "absent"
        for certain must fill it from the exact source."""
        for _ in range(3):
            try:
                return RedisFilter.open(servers, name, secret=secret)
            except NotFoundError:
                pass
            try:
                return RedisFilter.create(servers, name, num_keys, secret=secret, **options)
            except IncompatibleError as error:  # somebody else was faster, or has the name for something else
                taken = error
        raise taken

    @staticmethod
    def delete(servers: Servers, name: Union[str, bytes]) -> None:
        """Removes a filter. NotFoundError if there is none (what was left of one that lost its record stays: doc/REDIS.md, 7);
        what is no filter is left alone (IncompatibleError)."""
        redis = _redis()
        redis.delete(make_servers(servers), filter_name(name))

    def remove(self, key: Key, *, generation: Optional[int] = None) -> bool:
        """Takes a key out once, of a removable "quotient". False: refused, it was certainly absent, and nothing
        changed. Only what was added may be removed: a key that is a false positive takes another one's entry with it.

        A rebuild may leave the key out, where your store did not have it any more. If generations are ever begun, give
        `generation` as it was before the key left the store: nothing is removed from another one. IncompatibleError then,
        while a generation is begun, and where the filter gives nothing back. After a failover, or a restart from an older state,
        remove nothing until the filter is rebuilt, for Redis may have lost what it acknowledged.

        After another error nobody knows whether it was removed: leave it so. What the calls for many keys raise has three
        arrays of one item for each key: `were_removed`; `failed`, which may be removed again from this generation; `unknown`,
        which may not, since one that is removed twice may take another's entry."""
        return self._core.remove(key, _from(generation))

    def remove_many(self, keys: Keys, *, generation: Optional[int] = None) -> npt.NDArray[np.bool_]:
        """Takes keys out, and tells of each whether it was removed."""
        core, of = self._core, _from(generation)
        return of_each(
            keys,
            np.bool_,
            lambda words, answers: core.remove_words(words, answers, of),
            lambda others: core.remove_each(others, of),
        )

    def remove_hash(self, hash: SupportsIndex, *, generation: Optional[int] = None) -> bool:
        """Takes out a hash: of hash_key with this filter's seed or secret, or your own in a filter of such."""
        return self._core.remove_hash(as_uint(hash, "a hash"), _from(generation))

    def remove_hashes(self, hashes: Hashes, *, generation: Optional[int] = None) -> int:
        """Takes out many hashes: a uint64 array or an iterable of integers. Returns how many were removed."""
        return self._core.remove_hashes(hash_words(hashes), _from(generation))

    def exists(self, key: Key) -> bool:
        """BF.EXISTS: key in filter. Like madd, mexists and card a verb of RedisBloom; BF.ADD is add(), CF.DEL remove()."""
        return key in self

    def madd(self, *keys: Key) -> list[bool]:
        """BF.MADD: adds keys, and tells of each whether it was certainly new, as add_new()."""
        return list(map(bool, self.add_new(keys)))

    def mexists(self, *keys: Key) -> list[bool]:
        """BF.MEXISTS: contains_many() of these keys."""
        return list(map(bool, self.contains_many(keys)))

    def card(self) -> int:
        """BF.CARD: about how many keys are in, as info() tells."""
        return round(self.info().approximate_size.keys)

    def within(self, seconds: float) -> RedisFilter:
        """Gives the next call a deadline of its own: key in filter.within(0.02). It holds all that the call does.

        The next call of any thread takes it. Each 65,536 keys of a call of many are a call of their own."""
        self._core.within(max(milliseconds(seconds, "a deadline"), 1))
        return self

    @property
    def growth_error(self) -> Optional[LinefilterError]:
        """Of a filter that grows: None, or why no further stage could be opened when this object added last. Keys then go on into the
        newest stage: none is lost, and the rate rises above fpr."""
        try:
            self._core.check_growth()
        except LinefilterError as error:
            return error
        return None

    def nodes(self) -> list[dict[str, Any]]:
        """What is known of each server that was asked: address, and of its breaker open, seconds_to_trial, failures, opened, rejected.

        While it is open questions and insertions fail at once (Deadlines.pause)."""
        return self._core.nodes()

    def info(self) -> RedisInfo:
        """Parameters, shards, generations, and how full it is, from a sample of at most 1 MiB."""
        facts = self._core.info()
        expires_in_ms = facts.pop("expires_in_ms")
        facts["expires_in"] = None if expires_in_ms < 0 else expires_in_ms / 1000
        if facts["hash_id"] == "keyed":
            facts["seed"] = None
        for fact in ("capacity", "next_generation", "previous_generation"):
            facts[fact] = facts[fact] or None
        facts["approximate_size"] = SizeEstimate(*facts["approximate_size"])
        return RedisInfo(**facts)

    def expire(self, seconds: Optional[float]) -> None:
        """The whole filter goes after so many seconds; None: never."""
        ms = 0 if seconds is None else milliseconds(seconds, "seconds", 2**53)
        if seconds is not None and ms == 0:
            raise InvalidArgumentError("seconds must be at least 0.001; delete() removes a filter, None lets it stay")
        self._core.expire(ms)

    def load(self, image: Union[Bytes, FilterView]) -> None:
        """Adds all keys of an image of the same layout, size, probes and hash, while others add and ask. Of "blocked" and
        "classic"."""
        self._core.load(_image(image))

    def begin_generation(
        self,
        num_keys: Number,
        *,
        bits_per_key: Optional[float] = None,
        fpr: Optional[float] = None,
        layout: MutableLayout = "auto",
        num_probes: SupportsIndex = 0,
        foldable: bool = False,
        removable: bool = False,
        turnovers: SupportsIndex = 0,
        shard_bytes: SupportsIndex = 0,
        grow: bool = False,
        max_growth: Number = 0,
    ) -> None:
        """Begins the next generation of the filter, empty, for num_keys keys; hash and seed stay, and nothing else: say
        removable and grow again. From now on all insertions,
        by anybody, go into both. Then bring the keys of your exact source, by load_next() or add_many_to_next(), and call
        switch_generation()."""
        options = make_options(
            bits_per_key, fpr, layout, num_probes, foldable=foldable, removable=removable, turnovers=turnovers
        )
        shard, growth = as_uint(shard_bytes, "shard_bytes"), as_count(max_growth, "max_growth")
        self._core.begin_generation(as_count(num_keys, "num_keys"), options, shard, bool(grow), growth)

    def begin_generation_from_image(self, image: Union[Bytes, FilterView], *, shard_bytes: SupportsIndex = 0) -> None:
        """The same with size, layout and keys of an image."""
        self._core.begin_generation_from_image(_image(image), as_uint(shard_bytes, "shard_bytes"))

    def load_next(self, image: Union[Bytes, FilterView]) -> None:
        """Adds all keys of an image to the next generation."""
        self._core.load_next(_image(image))

    def add_many_to_next(self, keys: Keys) -> None:
        """Adds keys to the next generation alone."""
        words, others, _ = split(keys)
        self._core.add_iterable_to_next(others) if words is None else self._core.add_words_to_next(words)

    def switch_generation(self) -> None:
        """The next generation serves, everywhere; the old one goes. After an error call it again."""
        self._core.switch_generation()

    def abandon_generation(self) -> None:
        """The next generation goes."""
        self._core.abandon_generation()

    @property
    def name(self) -> Union[str, bytes]:
        """As it was given."""
        return self._name

    @property
    def generation(self) -> int:
        """The number of the generation that serves: random, another for each."""
        return self._core.generation()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a RedisFilter is not copied or pickled: open it again, by its name")

    def __repr__(self) -> str:
        if self.closed:
            return f"<RedisFilter {self._name!r}: closed>"
        try:
            return f"<RedisFilter {self._name!r}: {self.layout}, {self.body_bytes} bytes, {self.hash_id} hashes>"
        except InvalidArgumentError:
            return f"<RedisFilter {self._name!r}: opened by another process>"
