"""How large for which rate of false positives, before anything is made."""

from __future__ import annotations

from typing import NamedTuple, Optional, SupportsIndex

from . import _linefilter
from ._errors import InvalidArgumentError
from ._keys import Number, as_count, as_float
from ._options import Layout, make_options


class Sizing(NamedTuple):
    """A filter that has not been made yet."""

    layout: str
    num_probes: int
    num_keys: int
    body_bytes: int
    bits_per_key: float
    expected_fpr: float


def plan(
    num_keys: Number,
    *,
    bits_per_key: Optional[float] = None,
    fpr: Optional[float] = None,
    layout: Layout = "auto",
    removable: bool = False,
    turnovers: SupportsIndex = 0,
) -> Sizing:
    """What a filter for num_keys keys will be, at (at least) bits_per_key or with (at most) a rate of fpr.

    InvalidArgumentError for an fpr below num_keys / 2**64, for so often an absent key has the 64-bit hash of a member, or
    below what the layout reaches. With removable, expected_fpr is that after so many turnovers of all keys.

    >>> plan(1_000_000, fpr=0.01, layout="blocked").num_probes
    6
    """
    if (bits_per_key is None) == (fpr is None):
        raise InvalidArgumentError("give bits_per_key or fpr: bits_per_key=10 makes a rate of about 1 %")
    number = as_count(num_keys, "num_keys")
    options = make_options(bits_per_key, fpr, layout, removable=removable, turnovers=turnovers)
    return Sizing(*_linefilter.plan(options, number))


def max_keys(body_bytes: Number, *, fpr: float, layout: Layout = "blocked") -> int:
    """The most keys that a filter of at most so many bytes holds with an expected rate of at most fpr. (Blocks have 64 bytes;
    what is left over counts for nothing.) InvalidArgumentError for an fpr that the layout does not reach, and for "auto",
    which chooses by the number of keys.

    >>> max_keys(1_000_000, fpr=0.01) == max_keys(1_000_000 // 64 * 64, fpr=0.01) > 700_000
    True
    """
    return _linefilter.max_keys_for_fpr(layout, as_count(body_bytes, "body_bytes"), as_float(fpr, "fpr"))
