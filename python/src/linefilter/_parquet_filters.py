"""Bloom filters for Parquet files: made for a number of values or for a budget, and written."""

from __future__ import annotations

from typing import Literal, Optional, get_args

from . import _linefilter
from ._errors import InvalidArgumentError
from ._filter import SplitBlockFilter
from ._filter_base import FilterBase, open_core
from ._keys import Bytes, Number, as_count, as_float
from ._options import limit

# The place of a name is the value of the library's ParquetSize.
Size = Literal["exact", "foldable", "power_of_two"]

FIRST_READ = 64  # kParquetFirstRead


def create(
    distinct_values: Number, fpr: float, *, power_of_two: bool = False, memory_limit: Optional[Number] = None
) -> SplitBlockFilter:
    """The smallest filter for so many distinct values of a column chunk: a multiple of 32 bytes.

    Add hash_values of the column, and write to_bytes(filter) into the file.

    Args:
        distinct_values: how many will come, as 1_000_000 or 1e6.
        fpr: the highest acceptable rate of false positives, between 0 and 1.
        power_of_two: for readers that take no other size. The rate is then lower.
        memory_limit: the most bytes that the filter may take; beyond, OverLimitError.

    >>> cities = create(1000, 0.01)
    >>> cities.body_bytes, create(1000, 0.01, power_of_two=True).body_bytes
    (1344, 2048)
    """
    number, most = as_count(distinct_values, "distinct_values"), limit(memory_limit)
    size = bitset_bytes(number, fpr, power_of_two=power_of_two)  # for all rates that make no sense, 0 too
    if power_of_two:
        options = _linefilter.parquet_options_of_bytes(size, get_args(Size).index("exact"), most)
    else:
        options = _linefilter.parquet_options(as_float(fpr, "fpr"), most)
    return SplitBlockFilter._of(_linefilter.Filter.create(number, options))


def create_of_bytes(max_bytes: Number, size: Size = "exact", *, memory_limit: Optional[Number] = None) -> SplitBlockFilter:
    """A filter of a budget of bytes, at least 32 and at most 512 MiB, whatever the number of values.

    Args:
        max_bytes: the most bytes that the bitset may have.
        size: "exact": the largest multiple of 32 bytes. "foldable": a little less, by at most a tenth, for a number of values that
            nobody knows: call fold_to_fpr when all are in. "power_of_two": for readers that take no other size.
        memory_limit: as of create.
    """
    if size not in get_args(Size):
        raise InvalidArgumentError(f"{size!r} is no size: take one of {', '.join(get_args(Size))}")
    options = _linefilter.parquet_options_of_bytes(
        as_count(max_bytes, "max_bytes"), get_args(Size).index(size), limit(memory_limit)
    )
    return SplitBlockFilter._of(_linefilter.Filter.create(0, options))


def bitset_bytes(distinct_values: Number, fpr: float, *, power_of_two: bool = False) -> int:
    """The least bytes of a bitset for so many distinct values at that rate. InvalidArgumentError if there is no such filter.

    >>> bitset_bytes(1e6, 0.01), bitset_bytes(1e6, 0.01, power_of_two=True)
    (1316160, 2097152)
    """
    return _linefilter.parquet_bitset_bytes(as_count(distinct_values, "distinct_values"), as_float(fpr, "fpr"), bool(power_of_two))


def filter_bytes(filter: FilterBase) -> int:
    """How many bytes to_bytes(filter) has: bloom_filter_length."""
    return _linefilter.parquet_filter_bytes(_core_of(filter))


def to_bytes(filter: FilterBase) -> bytes:
    """Header and bitset, for a Parquet file. Others may add to the filter meanwhile.

    The filter has layout "split_block" and Parquet's hash, as those of create, a SplitBlockFilter of parquet_hash=True, what build
    made with both, or a view of one. Another one is an IncompatibleError.
    """
    return _linefilter.parquet_to_bytes(_core_of(filter))


def bytes_needed(first: Bytes) -> int:
    """How many bytes the filter has that begins with these, header included, for files that tell the offset alone.

    Read FIRST_READ bytes at bloom_filter_offset first. If the header does not end within them, the answer is more than was given:
    read so many, and ask again. It is 0 if they are no header, and ParquetFilterView says why.
    """
    return _linefilter.parquet_bytes_needed(first)


def _core_of(filter: FilterBase) -> _linefilter.Core:
    if not isinstance(filter, FilterBase):
        raise TypeError(f"a filter is written, as a SplitBlockFilter, not {type(filter).__name__}")
    core: _linefilter.Core = open_core(filter)
    return core
