"""States: whatever a class makes or takes is saved, loaded and pickled with the same answers, and goes on the same way; what it
refuses leaves nothing behind. tests/filters/states_test.cc has the ten thousand, extremes included; these go through Python."""

import copy
import pickle
import random

import numpy as np
import pytest

import linefilter
from conftest import KEY_FILTERS, ROOT, SECRET
from linefilter import BlockedFilter, ClassicFilter, QuotientFilter, RotatingFilter, ScalableFilter, SplitBlockFilter

HASHES = [{}, {"seed": 2**64 - 1}, {"secret": SECRET}, {"caller_hashes": True}]
COUNTS = [0, 1, 2, 500, 3000]
EXTREMES = [2**40, 2**64 - 1]
LIMIT = 2**20


def sizes(pick):
    return pick.choice([{"fpr": 0.999999}, {"fpr": 0.01}, {"fpr": 1e-6}, {"bits_per_key": 1}, {"bits_per_key": 64}])


def some(kind, pick):
    """A filter of the class, and how it is opened again; None if there can be none of that."""
    hashes = pick.choice(HASHES)
    count = pick.choice(COUNTS + EXTREMES)
    try:
        if kind is ScalableFilter:
            growth = pick.choice([0, 1, 100, 2**64 - 1])
            made = kind(count, fpr=pick.choice([0.999999, 0.01, 1e-7]), max_growth=growth, memory_limit=LIMIT, **hashes)
        elif kind is RotatingFilter:
            generations, by_count = pick.choice([2, 3, 64]), pick.random() < 0.5
            made = kind(count, generations=generations, by_count=by_count, memory_limit=LIMIT, **sizes(pick), **hashes)
        elif kind is QuotientFilter:
            made = kind(count, removable=pick.random() < 0.5, memory_limit=LIMIT, **sizes(pick), **hashes)
        else:
            made = kind(count, memory_limit=LIMIT, **sizes(pick), **hashes)
    except linefilter.LinefilterError:
        return None
    return made, {"secret": hashes.get("secret"), "memory_limit": LIMIT}


def go_on(filter, seed):
    """What it answers meanwhile."""
    pick = random.Random(seed)
    answers = []
    for _ in range(pick.randrange(1, 4)):
        hashes = np.array([pick.getrandbits(64) for _ in range(pick.randrange(60))] + [0, 2**64 - 1], np.uint64)
        answers.append(filter.add_hashes(hashes))
        assert filter.contains_hash(int(hashes[-1]))
        if isinstance(filter, QuotientFilter) and filter.removable:
            answers.append(filter.remove_hashes(hashes[:3]))
        if isinstance(filter, RotatingFilter):
            answers.append([filter.rotate() for _ in range(pick.randrange(3))] + [filter.generation])
        elif pick.random() < 0.1:
            filter.clear()
    return answers


def copies(filter, opened, path):
    """Each way to have it again. (A secret is in no pickle; a filter that others change is not copied.)"""
    image = filter.to_bytes()
    yield type(filter).from_bytes(image, **opened)
    filter.save(path)
    yield type(filter).from_bytes(path.read_bytes(), **opened)
    if not isinstance(filter, RotatingFilter):
        yield copy.copy(filter)
        if opened["secret"] is None:
            yield pickle.loads(pickle.dumps(filter))


@pytest.mark.parametrize("kind", KEY_FILTERS)
def test_every_state_comes_back_and_goes_on(kind, tmp_path):
    pick = random.Random(26)
    asked = np.array([pick.getrandbits(64) for _ in range(100)], np.uint64)
    states = 0
    while states < 60:
        made = some(kind, pick)
        if made is None:
            continue
        states += 1
        filter, opened = made
        if pick.random() < 0.7:
            go_on(filter, pick.random())
        expected, seed = filter.contains_hashes(asked), pick.random()
        image, again = filter.to_bytes(), list(copies(filter, opened, tmp_path / "image"))
        answers = go_on(filter, seed)
        for other in again:
            assert other.to_bytes() == image
            assert (other.contains_hashes(asked) == expected).all()
            assert go_on(other, seed) == answers
            assert other.to_bytes() == filter.to_bytes()


@pytest.mark.parametrize("kind, layout, least", [(BlockedFilter, "blocked", 64), (SplitBlockFilter, "split_block", 32),
                                                 (ClassicFilter, "classic", 8), (QuotientFilter, "quotient", 64)])  # fmt: skip
def test_an_image_of_no_keys_becomes_an_empty_filter(kind, layout, least):
    image = linefilter.build([], bits_per_key=10, layout=layout).to_bytes()
    filter = kind.from_bytes(image)
    assert filter.body_bytes == least
    assert not filter.contains_many(range(100)).any()
    filter.add_many(range(20))
    assert filter.contains_many(range(20)).all()
    assert pickle.loads(pickle.dumps(filter)).to_bytes() == filter.to_bytes()


class Pickled:
    """What the pickle of a filter holds: how it is made again."""

    def __init__(self, call, image):
        self.made = call, (image,)

    def __reduce__(self):
        return self.made


def test_pickles_of_an_earlier_state_are_refused():
    paths = sorted((ROOT / "tests" / "image" / "earlier").glob("*.filter"))
    assert len(paths) == 13
    for path in paths:
        for kind in (BlockedFilter, SplitBlockFilter, ClassicFilter, QuotientFilter, ScalableFilter, linefilter.FilterView):
            with pytest.raises(linefilter.CorruptError):
                pickle.loads(pickle.dumps(Pickled(kind.from_bytes, path.read_bytes())))


def test_a_filter_that_is_not_made_leaves_the_old_one():
    filter = BlockedFilter(100, fpr=0.01)
    filter.add("alice")
    image = filter.to_bytes()
    with pytest.raises(linefilter.LinefilterError):
        filter.__init__(100, fpr=2)
    assert "alice" in filter and filter.to_bytes() == image
