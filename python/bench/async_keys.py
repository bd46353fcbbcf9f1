#!/usr/bin/env python3
r"""Single lookups of many tasks by AsyncRedisFilter, beside as many coroutines that await a finished future.

    redis-server --port 7801 --save "" &
    PYTHONPATH=build/release/python/package taskset -c 1 python3 python/bench/async_keys.py 127.0.0.1:7801

Each ratio is the median of some rounds, in each of which all is measured by turns: 1 is as fast as the coroutines. `pending` awaits
futures that one callback of the loop fills, which is what asyncio itself takes. Exit code 1 if `awaited` is below --least.
"""

import argparse
import asyncio
import statistics
import sys
import time

import linefilter

NAME = "linefilter-bench-async"


async def seconds_of(make, tasks):
    start = time.perf_counter()
    await asyncio.gather(*[make(key) for key in range(tasks)])
    return time.perf_counter() - start


def ways(filter):
    """What a task may await."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    done.set_result(True)
    waiting = []

    def fill():
        for future in waiting:
            future.set_result(True)
        waiting.clear()

    async def finished(_):
        return await done

    async def pending(_):
        future = loop.create_future()
        if not waiting:
            loop.call_soon(fill)
        waiting.append(future)
        return await future

    async def awaited(key):
        return await filter.exists(key)

    return {"finished": finished, "pending": pending, "awaited": awaited, "gathered": filter.exists}


async def measure(arguments):
    made = linefilter.RedisFilter.reserve(arguments.server, NAME, 1_000_000, fpr=0.01)
    made.close()
    took = {}
    async with await linefilter.AsyncRedisFilter.open(arguments.server, NAME) as filter:
        for _ in range(arguments.rounds):
            for name, make in ways(filter).items():
                took.setdefault(name, []).append(await seconds_of(make, arguments.tasks))
    linefilter.RedisFilter.delete(arguments.server, NAME)
    ratios = {}
    for name, seconds in took.items():
        ratios[name] = statistics.median(a / b for a, b in zip(took["finished"], seconds))
        print(f"{name:9} {1e6 * statistics.median(seconds) / arguments.tasks:7.2f} us per task {ratios[name]:6.2f}", flush=True)
    return ratios["awaited"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server", help="HOST:PORT")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--least", type=float, default=0.6)
    arguments = parser.parse_args()
    return 0 if asyncio.run(measure(arguments)) >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
