"""FilterView: any buffer, read where it lies, held as long as it is needed; what is broken."""

import array
import copy
import gc
import mmap
import pickle
import weakref
from multiprocessing import shared_memory

import numpy as np
import pytest

import linefilter
from conftest import SECRET


def expect_keys(view):
    assert view.contains_many(range(20000)).all() and view.contains_many(np.arange(20000, dtype=np.uint16)).all()
    assert "key-3" in view and -3 not in view
    strangers = view.contains_many(np.arange(10**6, 10**6 + 1000)).mean()
    assert strangers == 0


def address(buffer):
    return np.frombuffer(buffer, np.uint8).ctypes.data


def test_what_a_view_tells(view):
    expect_keys(view)
    assert view.num_keys == 20010 and view.stages == [] and view.error is None
    assert view.image_bytes == len(view.to_bytes()) == len(view.image)
    assert 0 < view.expected_fpr() < 1e-4
    # Above 20 bits per key, "retrieval" counts too many.
    assert view.approximate_size().keys == pytest.approx(20010, rel=0.35)
    assert view.layout in repr(view)
    view.verify()


def test_buffers_are_read_where_they_lie(view):
    image = view.to_bytes()
    words = np.frombuffer(image.ljust(-(-len(image) // 8) * 8), np.uint64)
    buffers = [image, bytearray(image), memoryview(b"-" + image)[1:], np.frombuffer(image, np.uint8),
               array.array("B", image), memoryview(words).cast("B")[: len(image)]]  # fmt: skip
    for buffer in buffers:
        opened = linefilter.FilterView(buffer, verify="whole")
        assert address(opened.image) == address(buffer), type(buffer)
        assert opened.image.readonly and opened.image == image
        expect_keys(opened)


def test_buffers_of_more_dimensions_and_steps(view):
    image = np.frombuffer(view.to_bytes(), np.uint8)
    expect_keys(linefilter.FilterView(image.reshape(1, -1), verify="whole"))
    twice = np.repeat(image, 2)
    for gaps in (twice[::2], memoryview(twice)[::2], memoryview(view.to_bytes())[::-1]):
        with pytest.raises((BufferError, ValueError), match="contiguous"):
            linefilter.FilterView(gaps, verify="whole")
    for wrong in ("image", None, 5, [1]):
        with pytest.raises(TypeError):
            linefilter.FilterView(wrong, verify="whole")


def test_the_buffer_lives_as_long_as_the_view(view):
    class Owned(bytearray):  # takes weak references
        pass

    buffer = Owned(view.to_bytes())
    alive = weakref.ref(buffer)
    opened = linefilter.FilterView(buffer, verify="whole")
    held = opened.image
    del buffer
    gc.collect()
    expect_keys(opened)
    with pytest.raises(BufferError):
        alive().extend(b"more")
    opened.close()
    assert alive() is not None and bytes(held) == view.to_bytes()  # the memoryview has it still
    held.release()
    gc.collect()
    assert alive() is None


def test_a_memoryview_cannot_be_released_meanwhile(view):
    lent = memoryview(bytearray(view.to_bytes()))
    opened = linefilter.FilterView(lent, verify="whole")
    with pytest.raises(BufferError):
        lent.release()
    opened.close()
    lent.release()


def test_mmap(view, tmp_path):
    path = tmp_path / "image"
    view.save(path)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        with linefilter.FilterView(mapped, verify="whole") as opened:
            expect_keys(opened)
            with pytest.raises(BufferError):
                mapped.close()
        assert opened.closed


def test_shared_memory(view):
    image = view.to_bytes()
    memory = shared_memory.SharedMemory(create=True, size=len(image))
    try:
        memory.buf[: len(image)] = image
        other = shared_memory.SharedMemory(memory.name)
        exact = other.buf[: len(image)]  # shared memory is rounded up to pages on some systems
        with linefilter.FilterView(exact, verify="whole") as opened:
            expect_keys(opened)
            with pytest.raises(BufferError):
                other.close()
        exact.release()
        other.close()
    finally:
        memory.close()
        memory.unlink()


def test_closed(view):
    kept, view = view, copy.copy(view)
    view.close()
    view.close()
    assert view.closed and "closed" in repr(view)
    for call in (lambda: "key" in view, view.to_bytes, view.verify, lambda: view.layout, lambda: view.contains_many([1]),
                 lambda: view.num_keys, lambda: pickle.dumps(view), view.__enter__):  # fmt: skip
        with pytest.raises(ValueError, match="closed"):
            call()
    expect_keys(kept)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(view, protocol):
    again = pickle.loads(pickle.dumps(view, protocol))
    assert type(again) is linefilter.FilterView and again.to_bytes() == view.to_bytes()
    expect_keys(again)


def test_pickle_out_of_band(view):
    buffers = []
    small = pickle.dumps(view, 5, buffer_callback=buffers.append)
    assert len(small) < 200 and len(buffers) == 1
    assert address(buffers[0].raw()) == address(view.image)
    expect_keys(pickle.loads(small, buffers=buffers))


def test_a_secret_is_never_in_a_pickle():
    keyed = linefilter.build(range(100), fpr=0.01, secret=SECRET)
    assert 5 in keyed and 5 in copy.deepcopy(keyed) and keyed.seed is None
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="secret"):
            pickle.dumps(keyed, protocol)
    image = keyed.to_bytes()
    assert 5 in linefilter.FilterView.from_bytes(image, secret=SECRET)
    linefilter.verify_image(image)
    for options in ({}, {"secret": SECRET[::-1]}, {"broken": "maybe"}):
        with pytest.raises(linefilter.IncompatibleError, match="secret"):
            linefilter.FilterView(image, verify="whole", **options)
    with pytest.raises(linefilter.IncompatibleError, match="secret"):
        linefilter.FilterView(linefilter.build([1], fpr=0.01).to_bytes(), secret=SECRET, verify="whole")


def test_from_bytes_is_a_copy_on_cache_lines(view):
    image = bytearray(view.to_bytes())
    opened = linefilter.FilterView.from_bytes(image)
    image[:] = bytes(len(image))
    assert address(opened.image) % 64 == 0 == address(view.image) % 64
    expect_keys(opened)


def test_broken_images_raise(view):
    image = view.to_bytes()
    for broken in (b"", b"\0", image[:-1], image[1:], image + b"\0", bytes(1000)):
        with pytest.raises(linefilter.CorruptError):
            linefilter.FilterView(broken, verify="whole")
        with pytest.raises(linefilter.CorruptError):
            linefilter.verify_image(broken)
        with pytest.raises(ValueError):
            linefilter.FilterView.from_bytes(broken)
    with pytest.raises(linefilter.UnsupportedError):
        linefilter.FilterView(image[:-1] + b"\xaf", verify="whole")
    with pytest.raises(ValueError, match="broken"):
        linefilter.FilterView(image, broken="no", verify="whole")


def test_broken_images_answer_maybe_if_asked_to(view):
    opened = linefilter.FilterView(view.to_bytes()[:-1], broken="maybe", verify="whole")
    assert "anything" in opened and opened.contains_many(np.arange(100)).all() and opened.contains_many("abc".split()).all()
    assert opened.contains_hash(1) and opened.contains_hashes([1, 2]).all()
    assert isinstance(opened.error, linefilter.CorruptError) and str(opened.error) and opened.error.code == "corrupt"
    assert opened.layout == "auto" and opened.expected_fpr() == 1 and opened.num_keys is None and "broken" in repr(opened)
    for call in (opened.verify, opened.to_bytes, lambda: opened.image, lambda: opened.save("never"), lambda: pickle.dumps(opened),
                 lambda: linefilter.verify_image(opened)):  # fmt: skip
        with pytest.raises(linefilter.CorruptError):
            call()
    with pytest.raises(TypeError):
        1.5 in opened


def test_damage_in_a_large_body_is_found_by_verify(view):
    image = bytearray(view.to_bytes())
    image[1000] ^= 1
    opened = linefilter.FilterView(image, verify="trusted")
    for call in (opened.verify, lambda: linefilter.FilterView(image, verify="whole"),
                 lambda: linefilter.FilterView.from_bytes(image), lambda: linefilter.verify_image(opened)):  # fmt: skip
        with pytest.raises(linefilter.CorruptError):
            call()
    maybe = linefilter.FilterView(image, verify="whole", broken="maybe")
    assert isinstance(maybe.error, linefilter.CorruptError) and maybe.contains_many(np.arange(10**6, 10**6 + 100)).all()


def test_nobody_trusts_bytes_unaware(view):
    image = view.to_bytes()
    with pytest.raises(TypeError, match="verify"):
        linefilter.FilterView(image)
    for mode in ("auto", "lazy", "no", True, None):
        with pytest.raises(linefilter.InvalidArgumentError, match="whole|kWhole"):
            linefilter.FilterView(image, verify=mode)


def grown():
    filter = linefilter.ScalableFilter(1000, fpr=0.001, max_growth=100)
    filter.add_many(range(20000))
    return filter


def forgetting():
    filter = linefilter.RotatingFilter(20000, generations=5, bits_per_key=24)
    for begin in range(0, 20000, 4000):
        if begin != 0:
            filter.rotate()
        filter.add_many(range(begin, begin + 4000))
    return filter


@pytest.mark.parametrize("make", [grown, forgetting])
def test_a_container_is_a_view_like_any_other(make, tmp_path):
    filter = make()
    image = filter.to_bytes()
    strangers = np.arange(10**6, 10**6 + 100_000)
    (tmp_path / "image").write_bytes(image)
    file = linefilter.FilterFile(tmp_path / "image")
    view = linefilter.FilterView(image, verify="whole")
    for each in (view, file, copy.copy(view), pickle.loads(pickle.dumps(view))):
        assert each.layout == "container" and "container" in repr(each) and each.num_probes == 0
        assert each.error is None and each.image_bytes == len(image) and each.to_bytes() == image
        assert each.body_bytes == filter.body_bytes == 64 * each.num_blocks
        assert each.contains_many(range(20000)).all() and 7 in each and each.contains_hash(linefilter.hash_key(7))
        assert 0 < each.contains_many(strangers).mean() < 0.002
        assert not all(key in each for key in strangers[:20].tolist())
        assert (each.contains_many(strangers) == filter.contains_many(strangers)).all()
        assert 0 < each.expected_fpr() < 0.0011 and each.fill_ratio() < 0.6
        assert each.approximate_size().keys == pytest.approx(20000, rel=0.02)
        each.verify()
    file.close()
    damaged = bytearray(image)
    damaged[70] ^= 1
    with pytest.raises(linefilter.CorruptError):
        linefilter.FilterView(damaged, verify="whole")
    with pytest.raises(linefilter.CorruptError):
        linefilter.FilterView(image[:-1], verify="whole")
    assert all(key in linefilter.FilterView(image[:-1], broken="maybe", verify="whole") for key in strangers[:20].tolist())


def test_huge_pages(tmp_path):
    keys = np.arange(3_000_000, dtype=np.uint64)
    own = linefilter.BlockedFilter(3_000_000, bits_per_key=16)
    own.add_many(keys)
    own.save(tmp_path / "image")
    image = own.to_bytes()
    views = [linefilter.FilterView(image, verify="whole"), linefilter.FilterFile(tmp_path / "image"),
             linefilter.FilterFile(tmp_path / "image", load=True), linefilter.FilterView.from_bytes(image)]  # fmt: skip
    for view in views:
        try:
            view.advise_huge_pages()
        except linefilter.IoError as error:  # it depends on the system
            assert error.errno and "copy the image" in str(error)
        except linefilter.OutOfMemoryError:
            pass
        assert view.contains_many(keys).all() and view.image == image
        view.verify()
    small = linefilter.FilterView(linefilter.BlockedFilter(10, fpr=0.01).to_bytes(), verify="whole")
    assert small.advise_huge_pages() is None  # gains nothing
    with pytest.raises(linefilter.CorruptError):
        linefilter.FilterView(b"broken", verify="whole", broken="maybe").advise_huge_pages()
