"""linefilter.parquet.ParquetFilterView: bytes of a filter are read where they lie, at any address, and held. Hostile ones raise."""

import copy
import gc
import mmap
import pickle
import random
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linefilter
from conftest import ROOT, start_folding
from linefilter import parquet
from linefilter.parquet import ColumnType, ParquetFilterView

OF_PARQUET_MR = (ROOT / "tests" / "data" / "parquet" / "bloom_filter.xxhash.bin").read_bytes()
MEMBERS = ["hello", "parquet", "bloom", "filter"]
STRING = ColumnType.of("STRING")
NUMBERS = np.arange(20_000)


def written(fpr=0.001):
    made = parquet.create(len(NUMBERS), fpr)
    made.add_hashes(parquet.hash_values(NUMBERS, "INT64"))
    return parquet.to_bytes(made)


def expect_numbers(view):
    hashes = parquet.hash_values(NUMBERS, "INT64")
    assert view.contains_hashes(hashes).all() and view.contains_hash(int(hashes[7])) and view.contains_many(NUMBERS).all()
    assert 7 in view
    strangers = parquet.hash_values(NUMBERS + 10**6, "INT64")
    assert 0 < view.contains_hashes(strangers).sum() < 60
    assert view.may_contain(ColumnType("INT64"), 19_999) and not view.may_contain(ColumnType("INT64"), 10**9 + 7)


def test_the_file_of_parquet_mr():
    view = ParquetFilterView(OF_PARQUET_MR)
    assert all(view.may_contain(STRING, member) for member in MEMBERS) and view.contains_many(MEMBERS).all()
    assert not any(view.may_contain(STRING, f"other-{i}") for i in range(1000))
    assert (view.header_bytes, view.body_bytes, view.filter_bytes, view.num_blocks) == (16, 1024, 1040, 32)
    assert view.layout == "split_block" and view.hash_id == "parquet" and view.key_kind == "unknown" and view.error is None
    assert len(view) == 4 and 0 < view.expected_fpr() < 1e-9 and view.fill_ratio() == pytest.approx(4 * 8 / 8192)
    made = parquet.create_of_bytes(1024)
    made.add_hashes(parquet.hash_values(MEMBERS, "BYTE_ARRAY"))
    assert parquet.to_bytes(made) == OF_PARQUET_MR == parquet.to_bytes(view)
    assert linefilter.each_contains([view, made], "bloom").tolist() == [True, True]


def test_any_address_and_what_follows():
    file = written()
    for offset in range(1, 66, 7):
        expect_numbers(ParquetFilterView(bytes(offset) + file + b"the footer", offset=np.int64(offset)))
        expect_numbers(ParquetFilterView(memoryview(bytes(offset) + file)[offset:]))
    header = ParquetFilterView(file).header_bytes
    bitset = ParquetFilterView.of_bitset(memoryview(file)[header:])
    expect_numbers(bitset)
    assert (bitset.header_bytes, bitset.filter_bytes) == (0, bitset.body_bytes) and len(file) == header + bitset.body_bytes
    for buffer in (bytearray(file), np.frombuffer(file, np.uint8)):
        expect_numbers(ParquetFilterView(buffer))
    for gaps in (np.repeat(np.frombuffer(file, np.uint8), 2)[::2], memoryview(file)[::-1]):
        with pytest.raises((BufferError, ValueError), match="contiguous"):
            ParquetFilterView(gaps)
    for wrong in ("text", None, 5, [1]):
        with pytest.raises(TypeError):
            ParquetFilterView(wrong)
    for wrong in (-1, 2**64):
        with pytest.raises(linefilter.InvalidArgumentError, match="offset"):
            ParquetFilterView(file, offset=wrong)


def test_a_mapped_file(tmp_path):
    pages = b"pages" * 1001
    (tmp_path / "file").write_bytes(pages + written() + b"footer")
    with open(tmp_path / "file", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        with ParquetFilterView(mapped, offset=len(pages)) as view:
            expect_numbers(view)
            with pytest.raises(BufferError):
                mapped.close()
        assert view.closed and "closed" in repr(view)
        for call in (lambda: 5 in view, lambda: view.contains_hashes([1]), lambda: view.error,
                     lambda: view.may_contain(STRING, "a"), view.to_filter,
                     lambda: parquet.to_bytes(view), lambda: pickle.dumps(view), view.__enter__):  # fmt: skip
            with pytest.raises(ValueError, match="closed"):
                call()


def test_the_buffer_lives_as_long_as_the_view():
    class Owned(bytearray):  # takes weak references
        pass

    buffer = Owned(written())
    alive = weakref.ref(buffer)
    view = ParquetFilterView(buffer)
    kept = copy.copy(view)
    question = parquet.Question(ColumnType("INT64"), 7)
    del buffer
    view.close()
    gc.collect()
    expect_numbers(kept)
    assert question.ask(kept)
    with pytest.raises(BufferError):
        alive().extend(b"more")
    del kept
    gc.collect()
    assert alive() is None


def test_copies_and_pickles():
    view = ParquetFilterView(written())
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        expect_numbers(pickle.loads(pickle.dumps(view, protocol)))
    expect_numbers(copy.deepcopy(view))
    assert repr(view).startswith("<ParquetFilterView: 17 + 42240 bytes, ") and "expected_fpr 0.00" in repr(view)


def test_offset_alone():
    file = written()
    first = file[: parquet.FIRST_READ]
    assert parquet.bytes_needed(first) == len(file) == ParquetFilterView(file).filter_bytes
    assert parquet.bytes_needed(file[:5]) == 64 and parquet.bytes_needed(b"\x15" + b"\0" * 50) == 0
    expect_numbers(ParquetFilterView((file + b"footer")[: parquet.bytes_needed(first)]))


def test_every_truncation_is_an_error():
    for size in range(len(OF_PARQUET_MR)):
        cut = OF_PARQUET_MR[:size]
        with pytest.raises(linefilter.CorruptError):
            ParquetFilterView(cut)
        view = ParquetFilterView(cut, broken="maybe")
        assert view.contains_hash(5) and "anything" in view and isinstance(view.error, linefilter.CorruptError)
    assert view.contains_many(NUMBERS).all() and view.expected_fpr() == 1 and view.filter_bytes == 0 and "broken" in repr(view)
    answer = view.may_contain(STRING, "hello")
    assert answer and answer.reason == "no_filter"
    for call in (view.to_filter, lambda: parquet.to_bytes(view), lambda: pickle.dumps(view)):
        with pytest.raises(linefilter.LinefilterError):
            call()
    with pytest.raises(linefilter.CorruptError):
        ParquetFilterView(OF_PARQUET_MR, offset=10**9)
    for size in (0, 1, 31, 33):
        with pytest.raises(linefilter.CorruptError, match="multiple"):
            ParquetFilterView.of_bitset(bytes(size))
    with pytest.raises(linefilter.InvalidArgumentError, match="broken is"):
        ParquetFilterView(OF_PARQUET_MR, broken="no")


def varint(value):
    most = b""
    while value >= 0x80:
        most, value = most + bytes([value & 0x7F | 0x80]), value >> 7
    return most + bytes([value])


def test_hostile_headers():
    unions = b"\x1c\x1c\0\0" * 3 + b"\0"
    for size in (0, -32, 31, 33, 2**31 - 1, -(2**31), 2**40, 2**62):
        with pytest.raises(linefilter.CorruptError):
            ParquetFilterView(b"\x15" + varint(size * 2 if size >= 0 else -size * 2 - 1) + unions + bytes(64))
    for hostile in (b"\x1c" * 10**6, b"\x15\x40" + b"\x1c\x1c" * 1000, b"\x19\xfc\xff\xff\xff\xff\x0f" * 200,
                    b"\x18\xff\xff\xff\xff\x0f" + bytes(1000)):  # fmt: skip
        with pytest.raises((linefilter.CorruptError, linefilter.UnsupportedError)):
            ParquetFilterView(hostile)
    sound = b"\x15\x40" + unions + bytes(32)
    assert ParquetFilterView(sound).body_bytes == 32
    with pytest.raises(linefilter.UnsupportedError, match="algorithm"):
        ParquetFilterView(sound.replace(b"\x1c\x1c", b"\x1c\x2c", 1))
    unknown = ParquetFilterView(sound.replace(b"\x1c\x1c", b"\x1c\x2c", 1), broken="maybe")
    assert isinstance(unknown.error, linefilter.UnsupportedError) and unknown.may_contain(STRING, "a").reason == "no_filter"


def test_single_bits_and_random_bytes():
    """A view, or an error; nothing else."""
    pick = random.Random(34)
    opened = 0
    changed = [bytearray(OF_PARQUET_MR) for _ in range(16 * 8)]
    for bit, header in enumerate(changed):
        header[bit // 8] ^= 1 << bit % 8
    for hostile in [*changed, *(pick.randbytes(pick.randrange(200)) for _ in range(3000))]:
        try:
            view = ParquetFilterView(hostile)
        except (linefilter.CorruptError, linefilter.UnsupportedError):
            view = ParquetFilterView(hostile, broken="maybe")
            assert view.contains_many(MEMBERS).all() and view.may_contain(STRING, "hello")
            continue
        opened += 1
        assert view.filter_bytes <= len(hostile) and view.contains_many(MEMBERS).shape == (4,)
    assert 0 < opened < len(changed)


def test_filters_to_and_from_images():
    view = ParquetFilterView(written())
    made = view.to_filter()
    assert type(made) is linefilter.SplitBlockFilter and made.hash_id == "parquet"
    image = linefilter.FilterView(made.to_bytes(), verify="whole")
    assert image.contains_many(NUMBERS).all() and parquet.to_bytes(image) == parquet.to_bytes(view) == parquet.to_bytes(made)
    assert made.add_hash(parquet.hash_value("more", "BYTE_ARRAY")) and not view.may_contain(STRING, "more")
    assert parquet.may_contain(made, STRING, "more")
    other = parquet.create(len(NUMBERS), 0.001)
    other.update(made)
    assert parquet.to_bytes(other) == parquet.to_bytes(made)
    with pytest.raises(linefilter.UnsupportedError, match="to_filter"):
        other.update(view)
    with pytest.raises(linefilter.OverLimitError):
        view.to_filter(memory_limit=100)
    same = linefilter.SplitBlockFilter(10, like=view)
    assert same.body_bytes == view.body_bytes and same.hash_id == "parquet"
    serving = linefilter.SwappableFilter()
    assert parquet.may_contain(serving, STRING, "a").reason == "no_filter"
    with pytest.raises(linefilter.InvalidArgumentError, match="nothing to write$"):
        parquet.to_bytes(serving)
    serving.swap(made)
    assert parquet.may_contain(serving, STRING, "more").reason == "asked" and parquet.to_bytes(serving) == parquet.to_bytes(made)


def test_what_is_written_is_whole_while_a_filter_is_folded():
    """Of a filter whose size changed since it was asked, another one is written: that happens in some of the rounds."""
    hashes = parquet.hash_values(NUMBERS[:100], "INT64")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(100):
            folded = parquet.create_of_bytes(32 * 2**20)
            folded.add_hashes(hashes)
            others = start_folding(folded, 2)
            while folded.num_blocks > 1:
                assert ParquetFilterView(parquet.to_bytes(folded)).contains_hashes(hashes).all()
            for other in others:
                other.join()
    finally:
        sys.setswitchinterval(interval)


def test_threads(hurried):
    """Writers add, others write the filter, and ask views that somebody closes."""
    shared = parquet.create(len(NUMBERS), 0.001)
    hashes = parquet.hash_values(NUMBERS, "INT64")
    shared.add_hashes(hashes)
    closes = ParquetFilterView(parquet.to_bytes(shared))
    begun, question = threading.Barrier(6, timeout=60), parquet.Question(ColumnType("INT64"), 7)

    def add():
        begun.wait()
        for number in range(200):
            shared.add_hashes(hashes + np.uint64(number))

    def write():
        begun.wait()
        for _ in range(50):
            view = ParquetFilterView(parquet.to_bytes(shared))
            assert view.contains_hashes(hashes).all() and question.ask(view)

    def ask():
        begun.wait()
        try:
            while True:
                assert closes.contains_hashes(hashes).all() and closes.may_contain(ColumnType("INT64"), 19_999)
        except ValueError as error:
            assert "closed" in str(error)

    def close():
        begun.wait()
        time.sleep(0.01)
        closes.close()

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(work) for work in (add, write, write, ask, ask, close)]:
            done.result(timeout=100)
