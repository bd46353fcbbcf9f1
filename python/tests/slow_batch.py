"""bench/contains_many.py, with less: it runs, and the C++ batch and Python give the same answers. How fast is printed, not judged.

LINEFILTER_PYTHON_BATCH, in the environment: liblinefilter_python_batch.so, which is built with the tests.
"""

import os
import re
import subprocess
import sys

from conftest import ROOT


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
