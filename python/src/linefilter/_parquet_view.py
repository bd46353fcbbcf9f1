"""ParquetFilterView: a Bloom filter in the bytes of a Parquet file."""

from __future__ import annotations

from typing import Any, Optional, SupportsIndex, TypeVar, final

from . import _linefilter
from ._errors import LinefilterError, error_of
from ._filter import SplitBlockFilter
from ._filter_base import Closable, FilterBase
from ._keys import Bytes, Number, as_uint
from ._options import limit
from ._parquet_filters import to_bytes
from ._parquet_question import Answer, may_contain
from ._parquet_types import ColumnType
from ._view import maybe_if

Self = TypeVar("Self", bound="ParquetFilterView")


@final
class ParquetFilterView(FilterBase, Closable):
    """A Bloom filter in the bytes of a Parquet file, header and bitset, read where they lie: nothing is copied, whatever the
    address.

    The buffer must be contiguous and must not change. It is held as long as the view or a copy of it lives: until then Python
    refuses to close the mmap, to resize the bytearray, to release the memoryview (BufferError). close(), or the end of a `with`,
    gives it back, when calls in other threads have returned.

    Opening takes well below a microsecond in the library: Parquet has no checksum that could be verified. What is no header raises
    CorruptError. UnsupportedError says that algorithm, hash or compression is none that this version knows. Where a filter must
    never stop a program, broken="maybe" makes a view that answers True to all instead, and `error` has the reason.

    Ask it by may_contain, which knows the type of the column. The calls for keys, such as `in`, take str and bytes for BYTE_ARRAY
    and integers for INT64, and no other column: members of a column of INT32 would be "absent". Those for hashes take hash_values.
    expected_fpr() tells what the rate of the filter really is, from its bits.

    Copies share the bytes. Pickles hold them, and are a view of bytes of their own when they are loaded.
    """

    __slots__ = ()
    _core: _linefilter.ParquetView

    def __init__(self, filter: Bytes, *, offset: SupportsIndex = 0, broken: str = "raise") -> None:
        """Opens header and bitset, which may be followed by other bytes.

        Args:
            filter: a buffer, as bytes, or an mmap of the file.
            offset: where the header begins in it: the column's bloom_filter_offset, if it is of the whole file.
            broken: "raise", or "maybe": answer True to all.
        """
        self._core = _linefilter.ParquetView.over(filter, as_uint(offset, "offset"), True, maybe_if(broken))

    @staticmethod
    def of_bitset(bitset: Bytes, *, broken: str = "raise") -> ParquetFilterView:
        """Opens a bitset without its header: a multiple of 32 bytes, and nothing behind it."""
        return ParquetFilterView._of(_linefilter.ParquetView.over(bitset, 0, False, maybe_if(broken)))

    def may_contain(self, column_type: ColumnType, value: Any) -> Answer:
        """May a row of the column have this value? See Question for the values, and take one to ask many filters."""
        return may_contain(self, column_type, value)

    @property
    def error(self) -> Optional[LinefilterError]:
        """None, or why the view, opened with broken="maybe", answers True to all."""
        error = self._core.error()
        return None if error is None else error_of(*error)

    @property
    def header_bytes(self) -> int:
        """The bytes of the header; 0 if there was none."""
        return self._core.header_bytes()

    @property
    def filter_bytes(self) -> int:
        """The bytes of header and bitset (bloom_filter_length); 0 if it is broken. body_bytes are those of the bitset."""
        return self._core.filter_bytes()

    def to_filter(self, *, memory_limit: Optional[Number] = None) -> SplitBlockFilter:
        """A filter of the same bits that takes keys, folds and unites; its to_bytes() is an image of ours. UnsupportedError for a
        bitset above 512 MiB."""
        return SplitBlockFilter._of(self._core.to_filter(limit(memory_limit)))

    def __copy__(self: Self) -> Self:
        return self._of(self._core)

    def __reduce__(self) -> Any:
        return ParquetFilterView, (to_bytes(self),)

    def __repr__(self) -> str:
        if self.closed:
            return "<ParquetFilterView: closed>"
        if self._core.error() is not None:
            return '<ParquetFilterView: broken, answers "maybe">'
        return f"<ParquetFilterView: {self.header_bytes} + {self.body_bytes} bytes, expected_fpr {self.expected_fpr():.2g}>"
