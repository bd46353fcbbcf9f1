"""Where things are, and fixtures for all."""

import sys
import threading
import typing
from pathlib import Path

import pytest

import linefilter

ROOT = Path(__file__).resolve().parents[2]
SECRET = bytes(range(16))
LAYOUTS = [name for name in typing.get_args(linefilter._options.Layout) if name != "auto"]


KEY_FILTERS = [linefilter.BlockedFilter, linefilter.SplitBlockFilter, linefilter.ClassicFilter, linefilter.QuotientFilter,
               linefilter.ScalableFilter, linefilter.RotatingFilter]  # fmt: skip


@pytest.fixture(scope="session", params=LAYOUTS)
def view(request):
    """A filter of the integers 0 .. 19999 and the strings key-0 .. key-9, of each layout: chunks have checks."""
    builder = linefilter.FilterBuilder(bits_per_key=40, layout=request.param)
    builder.add_many(range(20000))
    builder.add_many(f"key-{i}" for i in range(10))
    return builder.finish()


@pytest.fixture(params=KEY_FILTERS[:4], ids=lambda kind: kind.__name__)
def filter(request):
    """Of each class that Filter is the base of."""
    return request.param(1000, fpr=0.003)


@pytest.fixture
def hurried():
    """Threads take turns as often as can be."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def pytest_report_header():
    return f"linefilter {linefilter.__version__} from {linefilter.__file__}, Python {sys.version}"


def start_folding(filter, num_threads):
    """Threads that halve a filter, all at once, until it is one block."""

    def fold():
        try:
            while True:
                filter.fold(2)
        except linefilter.InvalidArgumentError:  # it is one block
            pass

    threads = [threading.Thread(target=fold) for _ in range(num_threads)]
    for thread in threads:
        thread.start()
    return threads
