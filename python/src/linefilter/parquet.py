"""Bloom filters of Parquet files: read where they lie, written, and asked for values of every type of column.

    from linefilter import parquet

    cities = parquet.create(20_000, 0.01)                      # for so many distinct values
    cities.add_hashes(parquet.hash_values(column, "BYTE_ARRAY"))
    file.write(parquet.to_bytes(cities))                       # at bloom_filter_offset

    view = parquet.ParquetFilterView(mapped, offset=bloom_filter_offset)
    answer = view.may_contain(parquet.ColumnType("BYTE_ARRAY", "STRING"), "berlin")
    if answer: ...                                             # maybe: read the row group; answer.message says why

A Bloom filter compares bytes, and a query compares values. If a constant is hashed in another form than the column stores, the
answer is "absent" for rows that are there. So may_contain and Question take the type of the column and the value, and ask for all forms
that equal it. They answer "maybe" for what they cannot be sure of.

The footer of a file, which tells offset, length and type of a column, is read by you. doc/guide/parquet.md has a table of all types.
"""

from ._parquet_filters import FIRST_READ, bitset_bytes, bytes_needed, create, create_of_bytes, filter_bytes, to_bytes
from ._parquet_hashes import hash_value, hash_values
from ._parquet_question import Answer, Question, may_contain
from ._parquet_types import ColumnType
from ._parquet_values import Time, Timestamp
from ._parquet_view import ParquetFilterView

__all__ = [
    "FIRST_READ",
    "Answer",
    "ColumnType",
    "ParquetFilterView",
    "Question",
    "Time",
    "Timestamp",
    "bitset_bytes",
    "bytes_needed",
    "create",
    "create_of_bytes",
    "filter_bytes",
    "hash_value",
    "hash_values",
    "may_contain",
    "to_bytes",
]
