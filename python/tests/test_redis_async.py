"""AsyncRedisFilter: calls of asyncio, all that waits in one pipeline."""

import asyncio
import re
from dataclasses import replace

import pytest

import linefilter
from linefilter import AsyncRedisFilter, Deadlines, RedisFilter, RedisMetrics, RedisServers
from test_redis import KEYS, OTHERS, at, other, pytestmark, server  # noqa: F401


def test_a_thousand_tasks_cost_a_few_pipelines(at):
    metrics = RedisMetrics()
    with RedisFilter.create(at, "seen", 3000, fpr=0.001) as filter:
        filter.add_many(KEYS)

    async def main():
        async with await AsyncRedisFilter.open(replace(at, metrics=metrics), "seen") as seen:
            found = await asyncio.gather(*(seen.exists(int(key)) for key in KEYS))
            absent = await asyncio.gather(*(seen.exists(int(key)) for key in OTHERS))
            return found, absent

    found, absent = asyncio.run(main())
    assert all(found) and sum(absent) < 30
    assert metrics.num_calls < 50


def test_answers_are_those_of_their_keys(at):
    RedisFilter.create(at, "ids", 1000, fpr=0.01, removable=True).close()

    async def main():
        ids = await AsyncRedisFilter.open(at, "ids")
        assert await asyncio.gather(ids.add("a"), ids.exists("a"), ids.exists("b"), ids.add(7)) == [True, True, False, True]
        assert await ids.remove("a") and not await ids.remove("a") and not await ids.exists("a")
        for wrong in (1.5, None, True, 2**64, -(2**63) - 1, "\ud800"):
            with pytest.raises((TypeError, ValueError, OverflowError)):
                ids.exists(wrong)
        name = bytearray(b"carol")
        added = ids.add(name)
        name[:] = b"xxxxx"  # which the caller may do: the key is what it was
        assert await added and await ids.exists("carol") and not await ids.exists("xxxxx")
        ids.remove("dave")  # what comes later is in
        ids.add("dave")
        assert await ids.exists("dave")
        gone = ids.exists("gone")
        gone.cancel()
        assert await ids.exists(7)
        await ids.close()
        await ids.close()
        with pytest.raises(linefilter.InvalidArgumentError, match="closed"):
            ids.exists("a")

    asyncio.run(main())


def test_keys_of_shards_that_are_there_are_answered(at, server):  # noqa: F811
    RedisFilter.create(at, "seen", 30000, fpr=0.01, shard_bytes=4096).close()
    shard = re.search(rb"\{seen:[0-9a-f]+:1\}", server.ask("KEYS *"))
    server.ask("DEL " + shard.group().decode())

    async def main():
        async with await AsyncRedisFilter.open(at, "seen") as seen:
            return await asyncio.gather(*(seen.exists(int(key)) for key in KEYS), return_exceptions=True)

    answers = asyncio.run(main())
    lost = sum(isinstance(answer, linefilter.CorruptError) for answer in answers)
    assert 0 < lost < len(KEYS) / 2 and answers.count(False) == len(KEYS) - lost


def test_what_cannot_be_answered_raises(other, at):
    RedisFilter.create(other.address, "seen", 1000, fpr=0.01).close()

    async def main():
        with pytest.raises(linefilter.NotFoundError):
            await AsyncRedisFilter.open(at, "nobody")
        impatient = RedisServers(other.address, deadlines=Deadlines(request=0.05))
        seen = await AsyncRedisFilter.open(impatient, "seen", most_waiting=10)
        other.kill()
        calls = [seen.add(i) for i in range(10)]
        with pytest.raises(linefilter.OverLimitError, match="10 calls wait"):
            seen.add(10)
        told = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(each, linefilter.UnavailableError) for each in told)
        with pytest.raises(linefilter.UnavailableError):
            await seen.exists("a")
        await seen.close()
        with pytest.raises(TypeError, match="open"):
            AsyncRedisFilter()

    asyncio.run(main())
