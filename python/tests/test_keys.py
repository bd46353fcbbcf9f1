"""What is a key, what is none, and that the same key is the same in one and in many, in every type that holds it."""

import array
import ctypes
import enum
import itertools
import mmap
import operator
import signal
import sys

import numpy as np
import pytest

import linefilter
from conftest import SECRET

ONE = linefilter.hash_key(b"\1" + bytes(7))  # the integer 1


class Number(enum.IntEnum):
    ONE = 1


class Index:
    def __index__(self):
        return 1


INTEGER_TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("one", [1, Number.ONE, Index(), *(kind(1) for kind in INTEGER_TYPES)])
def test_an_integer_is_its_eight_bytes(one):
    assert linefilter.hash_key(one) == ONE
    assert linefilter.hash_keys([one])[0] == ONE


def test_the_hash_is_that_of_the_document():
    number = int.from_bytes(bytes((151 * i + i // 7 + 29) % 256 for i in range(8)), "little")
    told = 0xB652047976EA00B8  # doc/FORMAT.md, section 1: the hash of these 8 bytes with seed 0
    assert linefilter.hash_key(number) == linefilter.hash_key(number.to_bytes(8, "little")) == told


def test_the_parquet_hash_is_xxh64():
    told = {b"": 0xEF46DB3751D8E999, "abc": 0x44BC2CF5AD770999, 0: 0x34C96ACDCADB1BBB, -1: 0x85D136ADB773C6C9}
    for key, value in told.items():
        assert linefilter.parquet_hash(key) == value
    assert linefilter.parquet_hashes(told).tolist() == list(told.values())
    for dtype in (np.int8, np.int32, np.int64):  # widened, as a column of INT64 has them
        assert linefilter.parquet_hashes(np.array([0, -1], dtype)).tolist() == [told[0], told[-1]]
    assert linefilter.parquet_hash(1) == linefilter.parquet_hash(b"\1" + bytes(7)) != ONE
    with pytest.raises(TypeError):
        linefilter.parquet_hash(1.5)


@pytest.mark.parametrize("number", [0, 1, -1, 2**31, -(2**31), 2**32 - 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1])
@pytest.mark.parametrize("options", [{}, {"seed": 7}, {"seed": 2**64 - 1}, {"secret": SECRET}])
def test_integers_are_widened_by_their_sign(number, options):
    assert linefilter.hash_key(number, **options) == linefilter.hash_key((number % 2**64).to_bytes(8, "little"), **options)


@pytest.mark.parametrize("kind", INTEGER_TYPES)
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("options", [{}, {"seed": 7}, {"secret": SECRET}])
def test_arrays_hash_as_their_items(kind, order, options):
    limits = np.iinfo(kind)
    items = [limits.min, limits.max, 0, 1, 100, -1 if limits.min < 0 else 101]
    told = [linefilter.hash_key(item, **options) for item in items]
    array = np.array(items, kind).astype(np.dtype(kind).newbyteorder(order))
    assert linefilter.hash_keys(array, **options).tolist() == told
    assert linefilter.hash_keys(array[::-1], **options).tolist() == told[::-1]  # not contiguous
    assert linefilter.hash_keys(array.reshape(-1, 2), **options).reshape(-1).tolist() == told
    assert linefilter.hash_keys(list(array), **options).tolist() == told


def test_arrays_at_odd_addresses():
    words = np.arange(100, dtype=np.uint64)
    odd = np.frombuffer(b"x" + words.tobytes(), np.uint8)[1:].view(np.uint64)
    assert not odd.flags.aligned
    assert (linefilter.hash_keys(odd) == linefilter.hash_keys(words)).all()


def test_bytes_like_keys_are_their_bytes():
    key = b"key\0\xff"
    with mmap.mmap(-1, len(key)) as mapped:
        mapped[:] = key
        view = memoryview(b"-" + key)[1:]
        for same in (bytearray(key), memoryview(key), view, mapped, np.bytes_(key), array.array("B", key),
                     (ctypes.c_ubyte * len(key))(*key)):  # fmt: skip
            assert linefilter.hash_key(same) == linefilter.hash_key(key), type(same)


def test_a_str_is_its_utf8():
    for text in ("", "key", "k\0y", "Käse", "鍵", "🔑"):
        assert linefilter.hash_key(text) == linefilter.hash_key(text.encode()) == linefilter.hash_key(np.str_(text))
        assert linefilter.hash_keys(np.array([text], object))[0] == linefilter.hash_key(text)
    told = linefilter.hash_keys(np.array(["a", "Käse"], object)).tolist()
    assert told == [linefilter.hash_key("a"), linefilter.hash_key("Käse")]
    with pytest.raises(UnicodeEncodeError):
        linefilter.hash_key("\ud800")


def test_a_str_stays_as_large_as_it_was():
    """Asking for its UTF-8, Python would keep that in the str."""
    text = "Käse" * 1000
    size = sys.getsizeof(text)
    assert linefilter.hash_key(text) and linefilter.hash_keys([text]).size == 1
    assert sys.getsizeof(text) == size


class OneByte(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("byte", ctypes.c_ubyte)]


class Either(ctypes.Union):
    _fields_ = [("byte", ctypes.c_ubyte), ("char", ctypes.c_char)]


NO_KEYS = [
    1.0, float("nan"), True, False, None, np.bool_(True), np.float32(1), np.float64(1), 1j, np.datetime64("2020"),
    np.timedelta64(1), np.array(1), np.array([1]), np.array([1], np.uint8), [1], (1,), {1}, object(), int,
    memoryview(b"abcd").cast("H"), (ctypes.c_uint16 * 2)(), (ctypes.c_bool * 2)(), (ctypes.c_ubyte * 2 * 2)(),
    ctypes.create_string_buffer(b"abc"), (ctypes.c_char * 2)(), memoryview(b"abcd").cast("c"),
    memoryview(b"abcd").cast("b"), array.array("b", [1]), (ctypes.c_byte * 2)(),
    *(kind(1) for kind in (ctypes.c_ubyte, ctypes.c_byte, ctypes.c_uint16, ctypes.c_int, ctypes.c_uint64, ctypes.c_bool)),
    ctypes.c_char(b"a"), memoryview(ctypes.c_ubyte(1)), memoryview(np.array(1, np.uint8)), OneByte(), Either(),
]  # fmt: skip


@pytest.mark.parametrize("wrong", [True, np.bool_(False), 1.0, "1", b"1", None], ids=repr)
def test_a_seed_is_an_integer(wrong):
    for call in (lambda: linefilter.hash_key("a", seed=wrong), lambda: linefilter.BlockedFilter(10, fpr=0.1, seed=wrong)):
        with pytest.raises(TypeError, match="seed"):
            call()


@pytest.mark.parametrize("wrong", NO_KEYS, ids=repr)
def test_what_is_no_key_is_refused(wrong, filter):
    builder = linefilter.FilterBuilder(fpr=0.01)
    for call in (filter.__contains__, filter.add, builder.add, linefilter.hash_key):
        with pytest.raises(TypeError, match="a key is a str, bytes-like or an int, not .*: ."):
            call(wrong)
    for call in (filter.contains_many, filter.add_many, filter.add_new, builder.add_many, linefilter.hash_keys):
        with pytest.raises(TypeError, match=r"keys\[1\]: a key is"):
            call(["key", wrong])


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**30, -(10**30)])
def test_integers_that_do_not_fit_are_refused(number):
    with pytest.raises(OverflowError, match="-2\\*\\*63"):
        linefilter.hash_key(number)


@pytest.mark.parametrize(
    "wrong",
    ["key", b"key", bytearray(b"key"), memoryview(b"key"), np.uint64(1), 1, None, np.array([1.0]), np.array([True]),
     np.array(["2020"], "M8[Y]"), np.array([1j])],
    ids=repr,
)  # fmt: skip
def test_one_key_is_not_many(wrong, filter):
    for call in all_of_many(filter)[0]:
        with pytest.raises(TypeError):
            call(wrong)


def all_of_many(filter):
    """Every call for many, of keys and of hashes."""
    builder = linefilter.FilterBuilder(fpr=0.01)
    keys = (filter.add_many, filter.add_new, filter.contains_many, builder.add_many, linefilter.hash_keys)
    return keys, (filter.add_hashes, filter.contains_hashes, builder.add_hashes, linefilter.mix_hashes)


def test_bytes_are_not_iterated(filter):
    numbers = np.arange(2, dtype=np.uint64)
    with mmap.mmap(-1, 16) as mapped:
        for wrong in (numbers.tobytes(), bytearray(16), memoryview(numbers), mapped, (ctypes.c_char * 16)(),
                      array.array("B", bytes(16)), "0123456789abcdef"):  # fmt: skip
            for calls in all_of_many(filter):
                for call in calls:
                    with pytest.raises(TypeError, match="put it into a list"):
                        call(wrong)
    assert filter.fill_ratio() == 0
    hashes = linefilter.hash_keys(array.array("Q", numbers.tolist()))  # larger items are many
    assert (hashes == linefilter.hash_keys(numbers)).all()
    assert filter.add_hashes(array.array("Q", hashes.tolist())) == 2


def test_masked_arrays_are_refused(filter):
    masked = np.ma.masked_array(np.arange(3, dtype=np.uint64), [False, True, False])
    for calls in all_of_many(filter):
        for call in calls:
            with pytest.raises(TypeError, match="compressed"):
                call(masked)
            call(masked.compressed())


class Alarm(Exception):
    pass


@pytest.mark.parametrize("number", range(5))
def test_a_signal_ends_a_long_iterator_in_c(filter, number):
    """As Ctrl-C: the handler runs while the call does, not at the end of the keys."""
    call = all_of_many(filter)[0][number]
    keys = itertools.repeat("key", 20_000_000)  # no Python between them

    def ring(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(Alarm):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            call(keys)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert operator.length_hint(keys) > 0


def test_an_error_of_the_iterable_comes_through(filter):
    def keys():
        yield "a"
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        filter.contains_many(keys())
    with pytest.raises(KeyError, match="gone"):
        filter.add_many(keys())


class Column:
    """Of a table, as pandas has them. Iterated, it would answer other numbers."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return self.array

    def __iter__(self):
        return iter(self.array.ravel().tolist()[::-1])


def test_a_column_of_a_table_is_an_array(filter):
    numbers = np.arange(6, dtype=np.uint64).reshape(2, 3)
    assert (linefilter.hash_keys(Column(numbers)) == linefilter.hash_keys(numbers)).all()
    assert (linefilter.mix_hashes(Column(numbers)) == linefilter.mix_hashes(numbers)).all()
    assert filter.add_hashes(Column(numbers)) == 6
    assert filter.contains_hashes(Column(numbers)).shape == (2, 3)
    with pytest.raises(TypeError, match="uint64"):
        filter.add_hashes(Column(np.arange(3)))


def test_hashes_are_checked(filter):
    for wrong in (np.arange(3), np.arange(3, dtype=np.uint32), np.array([1.0]), "abc", [1.5], [None]):
        with pytest.raises(TypeError):
            filter.contains_hashes(wrong)
    for wrong in ([-1], [2**64]):
        with pytest.raises(linefilter.InvalidArgumentError):
            filter.add_hashes(wrong)
    with pytest.raises(linefilter.InvalidArgumentError):
        linefilter.hash_key("a", seed=1, secret=SECRET)
    with pytest.raises(linefilter.InvalidArgumentError):
        linefilter.hash_key("a", seed=-1)


def test_mix_hashes_is_splitmix():
    # The first outputs of SplitMix64 from the state 0: its finalizer on multiples of the golden ratio.
    golden = 0x9E3779B97F4A7C15
    assert linefilter.mix_hashes([0, golden]).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]


def test_keys_of_an_iterable_keep_their_places():
    """Texts of all lengths and other keys, from a list and from a generator, whose keys live no longer than they are looked at."""
    kinds = ["a" * (i % 40) if i % 5 else ["Käse", b"bytes", i, bytearray(b"buffer"), "x" * 300][i // 5 % 5] for i in range(10000)]
    told = [linefilter.hash_key(key) for key in kinds]
    assert linefilter.hash_keys(kinds).tolist() == told
    assert linefilter.hash_keys(key if isinstance(key, int) else key[:] for key in kinds).tolist() == told
    secret = bytes(range(16))
    told = [linefilter.hash_key(key, secret=secret) for key in kinds]
    assert linefilter.hash_keys(kinds, secret=secret).tolist() == told
    filter = linefilter.BlockedFilter(20000, fpr=0.01)
    filter.add_many(str(i) for i in range(10000))
    assert all(str(i) in filter for i in range(10000))
    assert filter.contains_many(str(i) for i in range(10000)).all()
