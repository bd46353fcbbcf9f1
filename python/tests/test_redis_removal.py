"""Keys leave a RedisFilter, with a server that is started here: out of one generation, and nobody else's with them."""

import signal
import threading

import numpy as np
import pytest

import linefilter
from linefilter import RedisFilter
from test_redis import KEYS, at, pytestmark, server  # noqa: F401


def test_keys_are_removed(at):
    with RedisFilter.create(at, "seen", 3000, fpr=0.01, layout="quotient", removable=True) as seen:
        assert seen.add("a") and seen.remove("a") is True and "a" not in seen and seen.remove(b"a") is False
        seen.add_many(KEYS)
        assert seen.remove_many(KEYS[:1000]).all() and seen.contains_many(KEYS[1000:]).all()
        assert seen.contains_many(KEYS[:1000]).mean() < 0.03
        hashes = [linefilter.hash_key(int(key)) for key in KEYS[1000:2000]]
        assert seen.remove_hash(hashes[0]) and seen.remove_hashes(np.array(hashes[1:], np.uint64)) == 999
        assert seen.remove_many([int(key) for key in KEYS[2000:]]).all()
        assert not any(seen.to_bytes()[: seen.body_bytes])


def test_what_is_not_removed_says_why(at):
    seen = RedisFilter.create(at, "seen", 3000, fpr=0.01, layout="quotient")
    seen.add_many(KEYS)
    for remove in (lambda: seen.remove(7), lambda: seen.remove_many(KEYS.reshape(3, 1000))):
        with pytest.raises(linefilter.IncompatibleError, match="gives no key back") as error:
            remove()
    assert error.value.failed.all() and error.value.failed.shape == (3, 1000)
    assert not error.value.were_removed.any() and not error.value.unknown.any()
    assert seen.contains_many(KEYS).all()
    seen.begin_generation(3000, fpr=0.01, layout="quotient", removable=True, turnovers=5)
    seen.add_many_to_next(KEYS)
    seen.switch_generation()
    assert seen.num_probes == 1 and seen.remove_many(KEYS[:2000], generation=seen.generation).all()
    for remove in (seen.remove, seen.remove_hash):
        with pytest.raises(linefilter.IncompatibleError, match="another generation"):
            remove(2000, generation=seen.generation ^ 1)
    with pytest.raises(linefilter.IncompatibleError) as error:
        seen.remove_many(KEYS[2000:], generation=seen.generation ^ 1)
    assert error.value.unknown.all() and seen.contains_many(KEYS[2000:]).all() and seen.remove_many(KEYS[2000:]).all()


def test_auto_is_what_can_be_removed(at):
    assert RedisFilter.create(at, "bits", 3000, fpr=0.01).layout == "blocked"
    with RedisFilter.create(at, "seen", 3000, fpr=0.01, removable=True) as seen:
        assert seen.layout == "quotient" and seen.add("a") and seen.remove("a")
        seen.begin_generation(3000, fpr=0.01, removable=True)
        seen.switch_generation()
        assert seen.layout == "quotient" and seen.num_probes == 1
        seen.begin_generation(3000, fpr=0.01)
        seen.switch_generation()
        assert seen.layout == "blocked"


@pytest.mark.parametrize("is_same_object", [True, False])
def test_many_removals_are_of_one_generation(at, is_same_object):
    """They go in pieces of 65,536. A signal's handler runs between two of them, and lets another generation serve."""
    keys, piece = np.arange(200_000), 65_536
    seen = RedisFilter.create(at, "seen", len(keys), fpr=1e-5, removable=True)
    switching, asking = (seen if is_same_object else RedisFilter.open(at, "seen")), RedisFilter.open(at, "seen")
    seen.add_many(keys)
    first, pieces_out, is_busy = seen.generation, [], threading.Lock()

    def switch(*_):
        if not is_busy.acquire(blocking=False):
            return
        if pieces_out or int(keys[0]) in asking:
            is_busy.release()
            return  # nothing was removed yet
        pieces_out.append((~asking.contains_many(keys)).sum() // (piece - 10))
        switching.begin_generation(len(keys), fpr=1e-5, removable=True)
        switching.add_many_to_next(keys[::2])
        switching.switch_generation()

    before = signal.signal(signal.SIGALRM, switch)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        with pytest.raises(linefilter.IncompatibleError, match="another generation") as error:
            seen.remove_many(keys)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    out = piece * int(pieces_out[0])
    assert 0 < out < len(keys) and error.value.were_removed[:out].all() and error.value.unknown[out:].all()
    assert asking.generation != first or seen.generation != first
    assert seen.contains_many(keys[::2]).all()
