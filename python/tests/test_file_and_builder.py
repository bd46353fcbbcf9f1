"""FilterFile, FilterBuilder, build, plan."""

import copy
import errno
import itertools
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linefilter
from conftest import LAYOUTS, SECRET
from linefilter._errors import error_of


@pytest.mark.parametrize("options", [{}, {"random": True}, {"load": True}])
@pytest.mark.parametrize("kind", [str, os.fsencode, Path])
def test_files(view, tmp_path, options, kind):
    path = tmp_path / "Käse.filter"
    view.save(kind(path))
    with linefilter.FilterFile(kind(path), **options) as opened:
        assert opened.contains_many(range(20000)).all() and 10**9 not in opened
        assert opened.to_bytes() == view.to_bytes() == path.read_bytes()
        assert opened.path == kind(path) and "Käse" in repr(opened).replace("\\xc3\\xa4", "ä")
        kept, image = copy.copy(opened), opened.image
        with pytest.raises(TypeError, match="path"):
            pickle.dumps(opened)
    assert opened.closed and 5 in kept and bytes(image) == view.to_bytes() and kept.path == kind(path)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("load", [False, True])
def test_the_empty_set_comes_back(tmp_path, layout, load):
    path = tmp_path / "empty"
    view = linefilter.build([], fpr=0.01, layout=layout)
    view.save(path)
    for each in (linefilter.FilterFile(path, load=load), pickle.loads(pickle.dumps(view))):
        assert each.num_keys == each.body_bytes == 0 and 1 not in each and each.to_bytes() == path.read_bytes()


def test_what_would_be_ignored_of_files_is_refused(view, tmp_path):
    path = tmp_path / "image"
    view.save(path)
    for options in ({"memory_limit": 10**9}, {"load": False, "memory_limit": 0}, {"load": True, "random": True}):
        with pytest.raises(linefilter.InvalidArgumentError, match="load"):
            linefilter.FilterFile(path, **options)
    assert 5 in linefilter.FilterFile(path, load=True, memory_limit=10**9)


def test_errors_of_files(view, tmp_path):
    with pytest.raises(FileNotFoundError, match="missing") as caught:
        linefilter.FilterFile(tmp_path / "missing")
    assert isinstance(caught.value, linefilter.IoError) and caught.value.errno == errno.ENOENT
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and str(again) == str(caught.value) and again.errno == errno.ENOENT
    for call in (lambda: linefilter.FilterFile(tmp_path), lambda: view.save(tmp_path / "no" / "folder"),
                 lambda: linefilter.BlockedFilter(1, fpr=0.1).save(tmp_path), lambda: view.save("/dev/full"),
                 lambda: linefilter.FilterBuilder(fpr=0.1).finish_to_file(tmp_path)):  # fmt: skip
        with pytest.raises(OSError) as caught:
            call()
        assert isinstance(caught.value, linefilter.LinefilterError) and caught.value.code == "io_error"
    for call in (linefilter.FilterFile, view.save):
        with pytest.raises(ValueError, match="zero"):
            call("a\0b")
        with pytest.raises(TypeError):
            call(5)


@pytest.mark.parametrize("kind, plain", [(linefilter.NotFoundError, LookupError), (linefilter.UnavailableError, ConnectionError)])
def test_errors_of_servers(kind, plain):
    error = error_of(kind.code, "no such thing")
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert type(each) is kind and isinstance(each, plain) and each.code == kind.code and str(each) == "no such thing"


@pytest.mark.parametrize("load", [False, True])
def test_damaged_files(view, tmp_path, load):
    path = tmp_path / "damaged"
    path.write_bytes(view.to_bytes()[:-1])
    with pytest.raises(linefilter.CorruptError):
        linefilter.FilterFile(path, load=load)
    opened = linefilter.FilterFile(path, load=load, broken="maybe")
    assert "anything" in opened and opened.error is not None
    for call in (opened.to_bytes, lambda: opened.image, lambda: opened.save(path)):
        with pytest.raises(linefilter.CorruptError):
            call()
    damaged = bytearray(view.to_bytes())
    damaged[1000] ^= 1
    path.write_bytes(damaged)
    if load:
        with pytest.raises(linefilter.CorruptError):
            linefilter.FilterFile(path, load=True)
        with pytest.raises(linefilter.OverLimitError):
            linefilter.FilterFile(path, load=True, memory_limit=1000)
    else:
        with pytest.raises(linefilter.CorruptError):
            linefilter.FilterFile(path, verify="trusted").verify()


def test_a_file_says_how_it_is_verified(tmp_path):
    """Members of a damaged part are never absent, unless somebody else vouches for the file."""
    keys = np.arange(100_000)
    path = tmp_path / "image"
    image = bytearray(linefilter.build(keys, fpr=0.01, layout="blocked").to_bytes())
    path.write_bytes(image)
    for mode in ("auto", "whole", "lazy", "trusted"):
        with linefilter.FilterFile(path, verify=mode) as file:
            assert file.contains_many(keys).all() and not file.contains_many(keys + 10**9).all() and file.error is None
    image[65536:100_000] = bytes(100_000 - 65536)
    path.write_bytes(image)
    for mode in ("auto", "whole"):
        with pytest.raises(linefilter.CorruptError, match="65536"):
            linefilter.FilterFile(path, verify=mode)
        maybe = linefilter.FilterFile(path, verify=mode, broken="maybe")
        assert maybe.contains_many(keys).all() and maybe.error is not None
    assert not linefilter.FilterFile(path, verify="trusted").contains_many(keys).all()
    lazy = linefilter.FilterFile(path, verify="lazy")
    assert lazy.error is None and lazy.contains_many(keys).all() and not lazy.contains_many(keys + 10**9).all()
    assert isinstance(lazy.error, linefilter.CorruptError)
    assert "blocked" in repr(lazy) and ", a part is damaged" in repr(lazy) and "broken" in repr(maybe)
    for call in (lazy.verify, lazy.to_bytes, lambda: linefilter.SwappableFilter().swap(lazy)):
        with pytest.raises(linefilter.CorruptError):
            call()
    with pytest.raises(linefilter.InvalidArgumentError, match='take one of "auto", "whole", "lazy", "trusted"$'):
        linefilter.FilterFile(path, verify="no")
    for mode in ("auto", "lazy", "no", 77):
        with pytest.raises(linefilter.InvalidArgumentError, match='no way to verify: take one of "whole", "trusted"$'):
            linefilter.FilterView(bytes(image), verify=mode)
    with pytest.raises(linefilter.InvalidArgumentError, match="load verifies"):
        linefilter.FilterFile(path, verify="lazy", load=True)


@pytest.mark.parametrize("layout, options", [*itertools.product(["auto", *LAYOUTS], [{}, {"seed": 5}, {"secret": SECRET}, {"threads": 4}]),
                                             ("quotient", {"removable": True}), ("auto", {"removable": True, "threads": 4})])  # fmt: skip
def test_every_way_to_build_is_the_same(layout, options, tmp_path):
    numbers = np.arange(-5000, 5000, dtype=np.int32)
    built = linefilter.build(numbers, bits_per_key=12, layout=layout, **options)
    secret = options.get("secret")
    hashes = linefilter.hash_keys(numbers, seed=options.get("seed", 0), secret=secret)
    builder = linefilter.FilterBuilder(bits_per_key=12, layout=layout, **options)
    by_hashes = linefilter.FilterBuilder(bits_per_key=12, layout=layout, **options)
    by_hashes.add_hashes(hashes)
    hashed = by_hashes.finish()  # which tells no kind of keys
    assert hashed.to_bytes()[: hashed.body_bytes] == built.to_bytes()[: built.body_bytes]
    for add, same in ((lambda: builder.add_many(numbers.tolist()), built), (lambda: builder.add_hashes(hashes), hashed),
                      (lambda: [builder.add(i) for i in numbers], built), (lambda: [builder.add_hash(h) for h in hashes], hashed)):  # fmt: skip
        add()
        assert builder.num_keys == 10000 and builder.image_bytes == same.image_bytes and "10000" in repr(builder)
        assert builder.finish().to_bytes() == same.to_bytes()
        assert builder.num_keys == 0
    builder.add_many(numbers)
    builder.finish_to_file(tmp_path / "file")
    assert linefilter.FilterFile(tmp_path / "file", secret=secret).to_bytes() == built.to_bytes()
    assert built.contains_many(numbers).all() and built.contains_many(np.arange(10**6, 2 * 10**6)).mean() < 0.006


def test_keys_that_come_again_do_not_count():
    alone = linefilter.build(range(1000), bits_per_key=10)
    rows = [i * 7 % 1000 for i in range(100_000)]
    for lines in (rows, sorted(rows), np.array(rows, dtype=np.uint64)):
        assert linefilter.build(lines, bits_per_key=10).to_bytes() == alone.to_bytes()
    limited = linefilter.FilterBuilder(bits_per_key=10, memory_limit=1_100_000)
    limited.add_many(rows)
    assert limited.num_keys == 100_000 and limited.image_bytes == len(alone.to_bytes())
    assert limited.finish().to_bytes() == alone.to_bytes()
    many = linefilter.build(np.repeat(np.arange(20_000, dtype=np.uint64), 2), fpr=0.01)
    assert many.num_keys == 20_000


def test_num_keys_is_what_the_size_is_for():
    options = {"bits_per_key": 12, "num_keys": 30_000}
    view = linefilter.build(range(10), **options)
    assert view.num_keys == 30_000 and view.body_bytes == linefilter.build(range(30_000), bits_per_key=12).body_bytes
    builder = linefilter.FilterBuilder(**options)
    builder.add_many(list(range(10)) * 9)
    assert builder.finish().to_bytes() == view.to_bytes()
    with pytest.raises(linefilter.InvalidArgumentError, match="num_keys must be above 0"):
        linefilter.build([1], bits_per_key=10, num_keys=0)


def test_threads_build_the_same_large_image():
    numbers = np.arange(3_000_000, dtype=np.uint64)
    images = {linefilter.build(numbers, bits_per_key=50, threads=n).to_bytes() for n in (1, 3)}
    assert len(images) == 1 and len(images.pop()) > 16 << 20  # from there on in bulk


def test_builder_and_limits():
    with pytest.raises(linefilter.InvalidArgumentError, match="no layout 'round'"):
        linefilter.build([], fpr=0.1, layout="round")
    with pytest.raises(linefilter.InvalidArgumentError, match="layout split_block reaches .* with its most, 64 bits per key"):
        linefilter.build([], fpr=1e-9, layout="split_block")
    builder = linefilter.FilterBuilder(fpr=0.01, memory_limit=100_000)
    for add in (lambda: builder.add_many(np.arange(10**6)), lambda: builder.add_many(range(10**6)),
                lambda: builder.add_hashes(np.arange(10**6, dtype=np.uint64)),
                lambda: [builder.add(i) for i in range(10**6)]):  # fmt: skip
        with pytest.raises(linefilter.OverLimitError):
            add()
        builder.reset()
    assert builder.num_keys == 0
    caller = linefilter.FilterBuilder(fpr=0.01, caller_hashes=True)
    for call in (lambda: caller.add("a"), lambda: caller.add_many(["a"]), lambda: caller.add_many(np.arange(1))):
        with pytest.raises(linefilter.IncompatibleError):
            call()
    for call in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError):
            call(caller)


def test_repeats_in_a_row_take_no_memory():
    builder = linefilter.FilterBuilder(fpr=0.01, memory_limit=200_000)
    builder.add_many(np.repeat(np.arange(1000), 1000))
    assert builder.num_keys == 10**6
    assert builder.finish().to_bytes() == linefilter.build(np.arange(1000), fpr=0.01).to_bytes()


def test_plan():
    planned = linefilter.plan(10**6, fpr=0.01, layout="blocked")
    assert planned.expected_fpr <= 0.01 and planned.layout == "blocked" and planned.num_keys == 10**6
    assert linefilter.BlockedFilter(10**6, fpr=0.01).body_bytes == planned.body_bytes
    assert planned.bits_per_key == pytest.approx(8 * planned.body_bytes / 10**6)
    assert linefilter.plan(10**6, bits_per_key=10, layout="retrieval").expected_fpr < 0.002
    assert linefilter.max_keys(planned.body_bytes, fpr=0.01) >= 10**6
    assert linefilter.plan(5, fpr=0.01).layout == "classic"
    removable = linefilter.plan(10**6, fpr=0.01, removable=True)
    turned = linefilter.plan(10**6, fpr=0.01, removable=True, turnovers=20)
    assert removable.layout == turned.layout == "quotient" and removable.num_probes == 1
    assert removable.bits_per_key < 9.3 and 11 < turned.bits_per_key < 12.1 and turned.expected_fpr <= 0.01
    for wrong in ({"fpr": 0.1, "turnovers": 1}, {"fpr": 0.1, "removable": True, "layout": "blocked"}):
        with pytest.raises(linefilter.InvalidArgumentError, match="removable"):
            linefilter.plan(5, **wrong)
    for wrong in ({}, {"fpr": 0.1, "bits_per_key": 3}, {"fpr": 3}, {"fpr": 0.1, "layout": "x"}, {"bits_per_key": 0}):
        with pytest.raises(linefilter.InvalidArgumentError):
            linefilter.plan(5, **wrong)
    with pytest.raises(linefilter.InvalidArgumentError, match="the same 64-bit hash"):  # in 1e12 / 2^64 of all questions
        linefilter.plan(10**12, fpr=1e-12, layout="classic")
    assert linefilter.plan(10**12, bits_per_key=64, layout="classic").expected_fpr >= 5.42e-8
    for call in (lambda: linefilter.plan(5, fpr="0.1"), lambda: linefilter.plan(5, bits_per_key=b"10"),
                 lambda: linefilter.max_keys(10**6, fpr="0.1")):  # fmt: skip
        with pytest.raises(TypeError, match="must be a number"):
            call()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_max_keys(layout):
    for fpr in (0.3, 0.01, 0.001):
        for body_bytes in (64, 1000, 10**6, 10**6 + 1):
            most = linefilter.max_keys(body_bytes, fpr=fpr, layout=layout)
            assert linefilter.plan(most, fpr=fpr, layout=layout).body_bytes <= body_bytes
            assert linefilter.plan(most + 1, fpr=fpr, layout=layout).body_bytes > body_bytes - 64
            assert most > body_bytes // 4
    assert linefilter.max_keys(7, fpr=0.01, layout=layout) == 0
    for wrong in (0, 1, -0.5, float("nan"), 1e-300):
        with pytest.raises(linefilter.InvalidArgumentError, match="fpr"):
            linefilter.max_keys(10**6, fpr=wrong, layout=layout)
    with pytest.raises(linefilter.InvalidArgumentError, match="address"):
        linefilter.max_keys(2**60, fpr=0.01, layout=layout)
    with pytest.raises(linefilter.InvalidArgumentError, match="auto"):
        linefilter.max_keys(10**6, fpr=0.01, layout="auto")


WITHOUT_MEMORY = """
import resource, sys
import linefilter
image = linefilter.BlockedFilter(2**26, bits_per_key=16).to_bytes()
builder = linefilter.FilterBuilder(bits_per_key=64)
limited = linefilter.FilterBuilder(bits_per_key=64, memory_limit=48 * 2**20)
for one in (builder, limited):
    one.add_many(range(2**22))  # 32 MiB, and as much of an image
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**24, resource.RLIM_INFINITY))
for call in (lambda: linefilter.FilterView.from_bytes(image), lambda: linefilter.BlockedFilter.from_bytes(image), builder.finish):
    try:
        call()
    except linefilter.OutOfMemoryError as error:
        assert error.code == "out_of_memory" and str(error)
        print("told")
try:
    limited.finish()
except linefilter.OverLimitError:  # which is looked at before memory is asked for
    print("limited")
"""


def test_memory_that_runs_out_is_an_error_of_the_family(tmp_path):
    environment = dict(os.environ, PYTHONPATH=str(Path(linefilter.__file__).parents[1]), PYTHONDONTWRITEBYTECODE="1")
    run = subprocess.run([sys.executable, "-c", WITHOUT_MEMORY], env=environment, capture_output=True, text=True)
    assert run.stdout == "told\n" * 3 + "limited\n", run.stderr
