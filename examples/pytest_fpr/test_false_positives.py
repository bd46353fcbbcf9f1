"""A test to copy: the filter of your service loses no member, and keeps its false-positive rate.

    pip install linefilter pytest    # or the Debian package python3-linefilter
    pytest test_false_positives.py
"""

from zlib import crc32

import pytest

import linefilter
from linefilter.testing import FprBaseline, assert_fpr, queries_for

MEMBERS = [f"user{i}@example.org" for i in range(10_000)]
# There are as many as decide at 1 %, in 99 of 100 runs. They look like the members, as those of your service do.
ABSENT = [f"user{i}@example.org" for i in range(10_000, 10_000 + queries_for(at_most=0.01))]


def make_filter():
    """Yours: any object with `in`, for instance of pybloom_live or rbloom."""
    return linefilter.build(MEMBERS, fpr=0.01)


def test_the_rate_is_at_most_one_percent():
    assert_fpr(make_filter(), MEMBERS, ABSENT, at_most=0.01)


def test_the_rate_is_what_it_was():
    """What was counted with an earlier version: the rate and the bits per key must not grow."""
    assert_fpr(make_filter(), MEMBERS, ABSENT, baseline=FprBaseline(1_000_000, 9_952, bits_per_key=9.93))


def test_a_set_of_hashes_passes_and_half_a_set_does_not():
    """A class of your own. Half of its members are lost, which the sentence tells by name."""

    class Hashes:
        def __init__(self, keys):
            self.hashes = {crc32(key.encode()) for key in keys}

        def __contains__(self, key):
            return crc32(key.encode()) in self.hashes

    assert_fpr(Hashes(MEMBERS), MEMBERS, ABSENT, at_most=0.01)
    with pytest.raises(AssertionError, match="5000 of 10000 members answered"):
        assert_fpr(Hashes(MEMBERS[::2]), MEMBERS, ABSENT, at_most=0.01)
