"""ScalableFilter: grows, keeps its bound, loses nothing, and its images are those of C++."""

import copy
import pickle

import numpy as np
import pytest

import linefilter
from linefilter import ScalableFilter


def test_grows_a_thousandfold_within_its_bound():
    seen = ScalableFilter(200, fpr=0.01, max_growth=1000)
    members = np.arange(200_000, dtype=np.uint64)
    assert seen.add_many(members) == seen.num_keys > 197_500
    assert seen.contains_many(members).all()
    assert len(seen.stages) == 10 and seen.growth_error is None
    assert [stage.capacity for stage in seen.stages] == [200 << i for i in range(10)]
    assert all(stage.num_keys == stage.capacity for stage in seen.stages[:-1])
    assert sum(64 * stage.num_blocks for stage in seen.stages) == seen.body_bytes
    assert sum(stage.fpr for stage in seen.stages) == pytest.approx(0.01)
    absent = np.arange(1 << 40, (1 << 40) + 400_000, dtype=np.uint64)
    # Over 24 seeds 0.0092 with a deviation of 0.0008: the first stages have few keys.
    assert seen.contains_many(absent).mean() < 0.0125
    assert (seen.fpr, seen.max_growth, seen.layout) == (0.01, 1000, "container")
    assert repr(seen).startswith("<ScalableFilter: about ") and ", 10 stages>" in repr(seen)
    seen.clear()
    assert len(seen.stages) == 1 and not seen.contains_many(members).any()


def test_stops_growing_and_loses_nothing():
    limited = ScalableFilter(100, fpr=0.01, max_growth=3)
    small = ScalableFilter(100, fpr=0.01, memory_limit=limited.memory_use)
    for seen in (limited, small):
        seen.add_many(range(310))
        error = seen.growth_error
        assert isinstance(error, linefilter.OverLimitError) and "rate" in str(error)
        assert seen.contains_many(range(310)).all()
        assert seen.stages[-1].num_keys > seen.stages[-1].capacity
    assert small.memory_use == limited.memory_use - 64 * limited.stages[1].num_blocks


def test_a_bound_that_becomes_too_fine_is_told_as_any_other_end():
    seen = ScalableFilter(1, fpr=3e-6)
    seen.add_many(np.arange(1_200_000, dtype=np.uint64))
    assert isinstance(seen.growth_error, linefilter.InvalidArgumentError) and "too fine" in str(seen.growth_error)


def test_copies_grow_no_further_than_their_memory_limit():
    free = ScalableFilter(100, fpr=0.01)
    assert free.memory_limit is None and copy.copy(free).memory_limit is None
    assert pickle.loads(pickle.dumps(free)).memory_limit is None
    seen = ScalableFilter(100, fpr=0.01, memory_limit=10_000)
    seen.add_many(range(100))
    made_of_image = ScalableFilter.from_bytes(seen.to_bytes(), memory_limit=10_000)
    for made in (seen, copy.copy(seen), pickle.loads(pickle.dumps(seen)), made_of_image):
        assert made.memory_limit == 10_000
        made.add_many(range(20_000))
        assert made.memory_use <= 10_000 and isinstance(made.growth_error, linefilter.OverLimitError)
        again = copy.copy(made).growth_error
        assert isinstance(again, linefilter.OverLimitError) and "stage" in str(again)


def test_a_view_tells_its_stages():
    seen = ScalableFilter(100, fpr=0.01)
    seen.add_many(range(1000))
    view = linefilter.FilterView(seen.to_bytes(), verify="whole")
    assert len(view.stages) == len(seen.stages) == 4
    for told, stage in zip(view.stages, seen.stages):
        assert told == (stage.num_blocks, stage.num_keys, "blocked", stage.num_probes)
    window = linefilter.RotatingFilter(1000, generations=4, fpr=0.01)
    assert [stage.num_keys for stage in linefilter.FilterView(window.to_bytes(), verify="whole").stages] == [None] * 4
    assert linefilter.FilterView(linefilter.BlockedFilter(100, fpr=0.01).to_bytes(), verify="whole").stages == []


def test_refuses_what_is_no_bound():
    for fpr in (0, 1, -1, 1e-12):
        with pytest.raises(linefilter.InvalidArgumentError):
            ScalableFilter(10, fpr=fpr)
    with pytest.raises(linefilter.InvalidArgumentError, match="set max_growth"):
        ScalableFilter(10, fpr=1e-6)
    with pytest.raises(linefilter.OverLimitError):
        ScalableFilter(10, fpr=0.01, memory_limit=100)
    with pytest.raises(TypeError):
        ScalableFilter(10)
