"""ScanFilter: a filter in front of a scan."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._columns import Column, EachForm, EachNulls, EachScale, make_columns, selected, with_arguments
from ._errors import InvalidArgumentError
from ._filter_base import FilterBase, open_core
from ._keys import Number, as_float


class ScanFilter:
    """Asks a filter for the columns of a scan, as long as that leaves rows out.

    It sees how many rows stay. Where more than the share max_passed of 4,096 rows do, it lets rows through unasked for a while, and
    then looks again. So a filter that does not help costs little. It is never wrong: rows that are not asked stay.

    The default is right where a row that goes on costs a probe of a hash table. Give each thread one of its own: the counts of
    calls that run at once may be lost. It goes on with what a SwappableFilter serves next: the
    counts go on, and it judges anew."""

    __slots__ = ("_filter", "_scan")

    def __init__(self, filter: FilterBase, max_passed: Number = 0.9) -> None:
        if not isinstance(filter, FilterBase):
            raise TypeError(f"a scan asks a filter in memory, and this is a {type(filter).__name__}")
        open_core(filter)
        share = as_float(max_passed, "max_passed")
        if not 0 <= share <= 1:
            raise InvalidArgumentError(f"max_passed is a share of the rows, 0 to 1, not {share}")
        self._filter, self._scan = filter, _linefilter.ScanFilter(share)

    @with_arguments
    def select(
        self,
        column: Column,
        *,
        nulls: EachNulls = "never",
        form: EachForm = None,
        scale: EachScale = None,
        common_scale: EachScale = None,
    ) -> npt.NDArray[np.uint32]:
        """What select() of the filter returns, or the numbers of all rows."""
        core, columns = open_core(self._filter), make_columns(column, nulls, form, scale, common_scale)
        return selected(partial(self._scan.select, core), columns)

    @property
    def asks(self) -> bool:
        """Are the next rows asked?"""
        return self._scan.asks()

    @property
    def num_rows(self) -> int:
        """The rows that came."""
        return self._scan.num_rows()

    @property
    def num_asked(self) -> int:
        """Those of them that were asked."""
        return self._scan.num_asked()

    @property
    def num_maybes(self) -> int:
        """Those of the asked ones that stayed."""
        return self._scan.num_maybes()

    def __repr__(self) -> str:
        asks = "asks" if self.asks else "lets through"
        return f"<ScanFilter: {asks}, {self.num_rows} rows, {self.num_asked} asked, {self.num_maybes} of these stayed>"
