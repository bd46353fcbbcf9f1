"""mypy finds nothing in the package, takes every right call and refuses every wrong one."""

import os
import subprocess
import sys
from pathlib import Path

import linefilter

RIGHT = """
import array, mmap
import numpy as np, numpy.typing as npt
from typing import Any, assert_type
import linefilter
from linefilter import parquet, testing
view = linefilter.build(["a", b"b", 3, np.int32(4)], fpr=0.01, layout="retrieval", secret=bytes(16), threads=2)
assert_type("a" in view, bool)
assert_type(view.contains_many(np.arange(3)), npt.NDArray[np.bool_])
assert_type(view.num_keys, int | None)
blocked = linefilter.BlockedFilter(5, bits_per_key=10.5)
assert_type(blocked.add_many(str(i) for i in range(3)), int)
blocked |= view
bloom = linefilter.Bloom(1e6, 0.01)
bloom.update(["a", 3], np.arange(3), blocked)
assert_type(bloom | blocked, linefilter.Bloom)
assert_type(bloom.copy(), linefilter.Bloom)
assert_type(linefilter.Bloom.load("path", memory_limit=1e9), linefilter.Bloom)
assert_type("a" in bloom and bloom.add("a") and bool(bloom) and bloom == blocked, bool)
assert_type(linefilter.Bloom(fpr=0.001).key_kind, str)
assert_type(mmap.mmap(-1, 5) in view or array.array("B", b"key") in view or np.int8(5) in view, bool)
assert_type(blocked.add(array.array("B", b"key")), bool)
assert_type(blocked.add_hashes([np.uint64(1), 2]), int)
assert_type(blocked.contains_hash(np.uint64(1)), bool)
assert_type(view.select(np.arange(3), nulls="value", form="real"), npt.NDArray[np.uint32])
assert_type(view.mask(np.arange(3), nulls="always", scale=np.int64(2), common_scale=3), npt.NDArray[np.bool_])
assert_type(view.select((np.arange(3), np.arange(3)), nulls=["value", "never"], form=(None, "real")), npt.NDArray[np.uint32])
scan = linefilter.ScanFilter(view, max_passed=0.8)
assert_type(scan.select([np.arange(3)], scale=[np.int64(2)]), npt.NDArray[np.uint32])
assert_type(scan.num_rows + scan.num_asked + scan.num_maybes + scan.asks, int)
assert_type(linefilter.may_contain_any([view, blocked], np.arange(3), common_scale=2), npt.NDArray[np.bool_])
assert_type(view.key_forms, tuple[str, ...] | None)
bloom.add_column(np.arange(3), nulls="value")
linefilter.FilterBuilder(fpr=0.1).add_column(np.array(["a"]), form="padded text")
linefilter.BlockedFilter(np.int64(5), fpr=0.1, seed=np.uint8(1), memory_limit=np.int64(10**6))
linefilter.FilterBuilder(fpr=0.1, threads=np.int64(2)).add_hash(np.uint64(1))
linefilter.max_keys(linefilter.plan(np.int64(5), fpr=0.1).body_bytes, fpr=0.1)
assert_type(linefilter.each_contains([view, blocked], "a"), npt.NDArray[np.bool_])
assert_type(linefilter.each_contains_many((view, blocked), np.arange(3)), npt.NDArray[np.bool_])
assert_type(linefilter.each_contains_hashes([blocked], linefilter.hash_keys([1], seed=2), seed=2), npt.NDArray[np.bool_])
assert_type(linefilter.parquet_hash("a"), int)
assert_type(linefilter.parquet_hashes(["a", 1]), npt.NDArray[np.uint64])
assert_type(blocked.capacity, int | None)
assert_type(blocked.approximate_size().error + len(blocked) + view.room_for(0.1), float)
assert_type(blocked.over_capacity(), bool)
grown = linefilter.ScalableFilter(np.int64(5), fpr=0.1, max_growth=1000)
assert_type(grown.stages[0].capacity, int)
assert_type(grown.memory_limit, int | None)
assert_type(view.stages, list[linefilter.ViewStage])
assert_type(grown.growth_error, linefilter.LinefilterError | None)
assert_type(linefilter.ScalableFilter.from_bytes(grown.to_bytes()), linefilter.ScalableFilter)
assert_type(linefilter.ClassicFilter.from_bytes(blocked.to_bytes()), linefilter.ClassicFilter)
assert_type(linefilter.SplitBlockFilter(5, fpr=0.1, parquet_hash=True).copy(), linefilter.SplitBlockFilter)
with linefilter.FilterFile(b"path", load=True) as file:
    assert_type(file, linefilter.FilterFile)
assert_type(linefilter.plan(5, fpr=0.1).body_bytes, int)
window = linefilter.RotatingFilter(np.int64(5), generations=3, by_count=True, fpr=0.1)
assert_type(window.add("a") and 5 in window, bool)
assert_type(window.add_new(np.arange(3)), npt.NDArray[np.bool_])
assert_type(linefilter.RotatingFilter.from_bytes(window.to_bytes()).rotate(), int)
users = linefilter.SwappableFilter()
users.swap(blocked)
users.swap(view)
users.swap(linefilter.ScalableFilter(5, fpr=0.1))
assert_type(users.contains_many(["a"]), npt.NDArray[np.bool_])
servers = linefilter.RedisServers(["a:6379", "b:6379"], password="p", deadlines=linefilter.Deadlines(request=5))
with linefilter.RedisFilter.create(servers, "seen", np.int64(5), fpr=0.1) as seen:
    assert_type(seen, linefilter.RedisFilter)
    assert_type(seen.add("a"), bool)
    assert_type(seen.add_new(["a", b"b", 3]), npt.NDArray[np.bool_])
    assert_type(seen.add_many(np.arange(3)) + seen.add_hashes([1]), int)
    assert_type(seen.info().expires_in, float | None)
    seen.load(view)
    seen.load_next(view.to_bytes())
    seen.add_many_to_next(["a"])
assert_type(linefilter.RedisFilter.open("a:6379", b"seen", secret=b""), linefilter.RedisFilter)
linefilter.RedisFilter.delete("unix:/run/redis.sock", "seen")
linefilter.BlockedFilter(5, fpr=0.1, foldable=True).fold(np.int64(2))
monitor = linefilter.FprMonitor(planned_fpr=0.01)
monitor.asked("a" in users)
monitor.asked_many(users.contains_many(["a"]))
monitor.was_absent(np.int64(2))
assert_type(monitor.read(0.01).since_restart.absent_keys, int)
assert_type(linefilter.FprMonitor.prometheus([(monitor, 0.01, "users")]), str)
assert_type(testing.assert_fpr(view, np.arange(3), range(3, 9), at_most=0.01).fpr, float)
assert_type(testing.check_fpr({"a"}, ["a"], ["b"], baseline=testing.FprBaseline(100, 1)).lost, tuple[tuple[int, Any], ...])
assert_type(testing.queries_for(0.01, resolution=1.1), int)
column = parquet.ColumnType("FIXED_LEN_BYTE_ARRAY", "DECIMAL", 5, precision=9, scale=2)
assert_type(parquet.create(1e6, 0.01, power_of_two=True), linefilter.SplitBlockFilter)
assert_type(parquet.create_of_bytes(2**20, "foldable").body_bytes + parquet.bitset_bytes(5, 0.1) + parquet.bytes_needed(b""), int)
assert_type(parquet.hash_values(np.arange(3), "INT32"), npt.NDArray[np.uint64])
assert_type(parquet.hash_value(b"a", 7, type_length=1), int)
with parquet.ParquetFilterView(parquet.to_bytes(parquet.create(5, 0.1)), offset=np.int64(0), broken="maybe") as opened:
    assert_type(opened, parquet.ParquetFilterView)
    assert_type(opened.may_contain(column, 1.5), parquet.Answer)
    assert_type(opened.to_filter(memory_limit=1e9), linefilter.SplitBlockFilter)
    assert_type(bool(parquet.Question(column, None).ask(opened)), bool)
    assert_type(opened.error, linefilter.LinefilterError | None)
assert_type(parquet.may_contain(blocked, parquet.ColumnType.timestamp("ns", True), parquet.Timestamp(5, "ns", True)).message, str)
try: view.verify()
except linefilter.LinefilterError as error: assert_type(error.code, str)
"""

# Each must be refused.
WRONG = [
    "linefilter.build(5, fpr=0.01)",
    'linefilter.build([1], fpr="low")',
    'linefilter.build([1], fpr=0.1, layout="round")',
    "linefilter.build([1.5], fpr=0.1)",
    "linefilter.build([1], 0.1)",
    "linefilter.BlockedFilter(1, fpr=0.1).add(None)",
    "linefilter.BlockedFilter(1, fpr=0.1).update(5)",
    "linefilter.Bloom('1e6')",
    "linefilter.Bloom(1, 0.1) | {1}",
    "linefilter.Bloom(1, 0.1, 3)",
    "linefilter.Bloom(1, seed=1.0)",
    "linefilter.Bloom.load(5)",
    "linefilter.BlockedFilter(1, fpr=0.1).fold(1.5)",
    "linefilter.FilterView(b'', verify='whole').add(1)",
    "linefilter.FilterView(b'')",
    "linefilter.FilterView(b'', verify='lazy')",
    "linefilter.FilterFile(5)",
    "linefilter.ScalableFilter(5, bits_per_key=10)",
    "linefilter.hash_key(1, 2)",
    "linefilter.hash_key(1.5)",
    "linefilter.BlockedFilter('1', fpr=0.1)",
    "blocked.add_hashes([1.5])",
    "blocked.select(np.arange(3), nulls='none')",
    "blocked.mask(np.arange(3), form='round')",
    "blocked.select((np.arange(3), np.arange(3)), nulls=['none', 'never'])",
    "linefilter.ScanFilter(5)",
    "linefilter.may_contain_any(5, np.arange(3))",
    "blocked.add_column(np.arange(3), scale=1.5)",
    "view.add_column(np.arange(3))",
    "class Derived(linefilter.BlockedFilter): pass",
    "users.swap(window)",
    "linefilter.RotatingFilter(5, 3, fpr=0.1)",
    'linefilter.RedisFilter.create("a:6379", "seen", 5, fpr=0.1, layout="retrieval")',
    'linefilter.RedisFilter.open("a:6379")',
    'linefilter.RedisFilter.open(6379, "seen")',
    "linefilter.Deadlines(reply='1')",
    "linefilter.FprMonitor(0.01)",
    'parquet.ColumnType("int32")',
    'parquet.ColumnType.timestamp("s", True)',
    'parquet.create(5)',
    'parquet.create_of_bytes(5, "large")',
    'parquet.to_bytes(b"")',
    'parquet.may_contain(blocked, "INT64", 5)',
    'parquet.hash_values([1], "int")',
    "monitor.read('low')",
    "testing.assert_fpr({1}, [1], [2], at_most='low')",
]


def test_type_hints(tmp_path):
    package = Path(linefilter.__file__).parent
    source = tmp_path / "uses.py"
    source.write_text(RIGHT + "\n".join(WRONG) + "\n", encoding="utf-8")
    first = RIGHT.count("\n") + 1
    environment = dict(os.environ, MYPYPATH=str(package.parent), MYPY_CACHE_DIR=str(tmp_path / "cache"))
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11", str(package), str(source)]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "No module named mypy" not in run.stderr, "mypy is missing (Debian and Ubuntu: mypy)"
    errors = [line for line in run.stdout.splitlines() if ": error: " in line]
    ours = [line for line in errors if not line.startswith("uses.py:")]
    assert ours == [] and run.stderr == "", run.stdout + run.stderr
    lines = {int(line.split(":")[1]) for line in errors}
    assert lines == set(range(first, first + len(WRONG))), run.stdout
