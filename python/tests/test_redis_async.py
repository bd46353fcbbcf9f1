"""AsyncRedisFilter: calls of asyncio, all that waits in one pipeline."""

import asyncio
import gc
import os
import re
import time
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


def test_calls_of_all_verbs_keep_their_order(at):
    RedisFilter.create(at, "ids", 20000, bits_per_key=16, removable=True).close()
    keys = range(3000)

    async def main():
        async with await AsyncRedisFilter.open(at, "ids") as ids:
            added = [ids.add(key) for key in keys]
            removed = [ids.remove(key) for key in keys[::2]]
            back = [ids.add(key) for key in keys[::4]]
            found = [ids.exists(key) for key in keys]
            mixed = [(ids.add(key), ids.exists(key)) for key in range(5000, 5100)]
            assert sum(await asyncio.gather(*added)) > 2990 and all(await asyncio.gather(*removed, *back))
            answers = await asyncio.gather(*found)
            assert all(answer for key, answer in zip(keys, answers) if key % 2 == 1 or key % 4 == 0)
            assert sum(answer for key, answer in zip(keys, answers) if key % 4 == 2) < 20
            for was_new, is_in in mixed:
                await was_new
                assert await is_in

    asyncio.run(main())


def test_a_filter_that_is_not_closed_goes_with_its_loop(at):
    RedisFilter.create(at, "seen", 1000, fpr=0.01).close()
    left = []

    async def main():
        seen = await AsyncRedisFilter.open(at, "seen")
        left.extend([seen, asyncio.ensure_future(seen.exists("a"))])
        assert not await seen.exists("b")
        left.append(seen.add("called"))  # and the loop ends before its answer

    asyncio.run(main())
    seen = left[0]
    with pytest.raises(RuntimeError, match="closed"):  # the loop
        seen.exists("c")
    before = len(os.listdir("/proc/self/fd"))
    del seen, left[:]
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) < before
    with RedisFilter.open(at, "seen") as direct:
        assert "called" in direct


def test_a_forked_child_is_told_to_open_its_own(at):
    RedisFilter.create(at, "seen", 1000, fpr=0.01).close()

    async def main():
        async with await AsyncRedisFilter.open(at, "seen") as seen:
            child = os.fork()
            if child == 0:
                told = seen.exists("a")
                seen._core.end_turn()
                seen._core.tell()
                try:
                    seen.close().send(None)
                except StopIteration:  # it does not wait
                    os._exit(0 if isinstance(told.exception(), linefilter.UnavailableError) else 1)
                os._exit(2)
            assert os.waitpid(child, 0)[1] == 0
            assert not await seen.exists("a")

    asyncio.run(main())


def test_what_a_signals_handler_raises_is_raised_and_all_are_told(at, monkeypatch):
    RedisFilter.create(at, "seen", 1000, fpr=0.01).close()

    class Interrupted(BaseException):
        pass

    async def main():
        async with await AsyncRedisFilter.open(at, "seen") as seen:
            asked = [seen.exists(i) for i in range(100)]
            asked[0].add_done_callback(lambda _: None)
            seen._core.end_turn()

            def interrupt(*_, **__):
                raise Interrupted

            with monkeypatch.context() as patch:
                patch.setattr(asyncio.get_running_loop(), "call_soon", interrupt)  # as if it came within that
                with pytest.raises(Interrupted):
                    while not asked[0].done():
                        time.sleep(0.001)
                        seen._core.tell()
            assert await asyncio.wait_for(asyncio.gather(*asked[1:]), 60) == [False] * 99

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
        notices = []
        impatient = RedisServers(other.address, deadlines=Deadlines(request=0.05), notice=notices.append)
        seen = await AsyncRedisFilter.open(impatient, "seen", most_waiting=10)
        other.kill()
        calls = [seen.add(i) for i in range(10)]
        with pytest.raises(linefilter.OverLimitError, match="10 calls wait"):
            seen.add(10)
        told = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(each, linefilter.UnavailableError) for each in told)
        assert len(set(map(id, told))) == 10, "each task adds its own traceback"
        assert len(notices) == 1 and other.address in notices[0]
        with pytest.raises(linefilter.UnavailableError):
            await seen.exists("a")
        await seen.close()
        with pytest.raises(TypeError, match="open"):
            AsyncRedisFilter()
        with pytest.raises(TypeError, match="open"):
            AsyncRedisFilter.__new__(AsyncRedisFilter).exists("a")

    asyncio.run(main())
