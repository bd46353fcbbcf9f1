"""The benchmarks of bench/, with less: they run, and the C++ batch and Python give the same answers. How fast is printed, not judged.

LINEFILTER_PYTHON_BATCH, in the environment: liblinefilter_python_batch.so, which is built with the tests.
"""

import os
import re
import subprocess
import sys

import pytest

import linefilter
from conftest import ROOT
from redis_server import Server


def test_the_benchmark_runs_and_answers_agree(capsys):
    command = [sys.executable, ROOT / "python" / "bench" / "contains_many.py", os.environ["LINEFILTER_PYTHON_BATCH"],
               "--keys", "1000000", "--rounds", "5", "--cpu-time"]  # fmt: skip
    run = subprocess.run([*command, "--most", "inf"], capture_output=True, text=True)
    with capsys.disabled():
        print("\n" + run.stdout, end="")
    assert run.returncode == 0, run.stderr
    assert re.findall(r"^(\w+) .* of neighbours \d\.\d+$", run.stdout, re.MULTILINE) == ["blocked"] * 2 + ["retrieval"] * 2


def test_a_ratio_above_the_limit_is_told():
    command = [sys.executable, ROOT / "python" / "bench" / "contains_many.py", os.environ["LINEFILTER_PYTHON_BATCH"]]
    run = subprocess.run([*command, "--keys", "1000", "--rounds", "1", "--most", "0"], capture_output=True, text=True)
    assert run.returncode == 1, run.stderr


def test_the_benchmark_of_single_keys_runs_and_tells_what_is_too_slow():
    command = [sys.executable, ROOT / "python" / "bench" / "single_keys.py", "--keys", "1000", "--rounds", "1"]
    for most, code in (("inf", 0), ("0", 1)):
        limits = [f"--most-{what}={most}" for what in ("single", "update", "contains")]
        run = subprocess.run([*command, *limits], capture_output=True, text=True)
        assert run.returncode == code and run.stdout.count("ns per key") == 12, run.stderr


def test_the_benchmark_of_tasks_runs_and_tells_what_is_too_slow(tmp_path):
    if not hasattr(linefilter._linefilter, "Redis"):
        pytest.skip("the module was built without Redis")
    server = Server(tmp_path)
    command = [sys.executable, ROOT / "python" / "bench" / "async_keys.py", server.address, "--tasks", "10", "--rounds", "1"]
    for least, code in (("0", 0), ("inf", 1)):
        run = subprocess.run([*command, "--least", least], capture_output=True, text=True)
        assert run.returncode == code, run.stderr
        assert re.findall(r"^(\w+) .* us per task", run.stdout, re.MULTILINE) == ["finished", "pending", "awaited", "gathered"]
    server.kill()
