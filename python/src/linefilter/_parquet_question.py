"""Question and may_contain: a value of a query, asked of filters of Parquet files in every form that a column may store."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple, Union, final, get_args

import numpy as np
import numpy.typing as npt

from . import _linefilter
from ._errors import in_python
from ._filter_base import FilterBase, open_core
from ._parquet_types import ColumnType
from ._parquet_values import question_of

# The place of a name is the number of the library's ParquetReason.
Reason = Literal["asked", "null", "nan", "inexact", "other_kind", "unsupported_type", "no_filter", "other_hash", "out_of_range"]


class Answer(NamedTuple):
    """An answer, and why. It is true if the value may be there: then read the row group. False is certain.

    may_contain: False: no row has the value.
    reason: "asked": the filter was asked for every form of the value.
        True without asking: "null" (null is in no filter), "nan" (NaN has many forms), "inexact" (the value is rounded where it is
        compared with the column, or the column is), "other_kind" (a value of this kind is not compared with such a column),
        "unsupported_type" (the type has no filter, or is not known), "no_filter" (the filter is broken), "other_hash" (it has
        another hash than Parquet's).
        False without asking: "out_of_range" (the type of the column cannot hold the value).
    message: the reason in a sentence.
    """

    may_contain: bool
    reason: Reason
    message: str

    def __bool__(self) -> bool:
        return self.may_contain


_REASONS = get_args(Reason)
_sentence = lru_cache(in_python)  # there are few


def _answer_of(told: tuple[bool, int, str]) -> Answer:
    may_contain, reason, message = told
    return Answer(may_contain, _REASONS[reason], _sentence(message))


@final
class Question:
    """A value for a column of some type, to be asked of any number of filters, for example those of all row groups.

    It makes the forms in which the column may store what equals the value: the same number, text, bytes, UUID, date or time. An
    engine that compares in another way (a collation, padded text, a column that it casts, rounds or moves to another calendar
    first) must not ask. Give the constant as it is compared, after all casts.

    | Python | a value of |
    |---|---|
    | int, NumPy's integers | INTEGER, DECIMAL, real numbers |
    | decimal.Decimal | the same |
    | float, numpy.float64 | the same, compared as DOUBLE |
    | numpy.float32, numpy.float16 | the same, compared as FLOAT |
    | str | text: STRING, ENUM, JSON; the text of a UUID |
    | bytes, bytearray, memoryview, numpy.void | the bytes that the column stores |
    | uuid.UUID | UUID |
    | datetime.date, numpy.datetime64 of days | DATE |
    | datetime.time, linefilter.parquet.Time | TIME; is_utc with an offset of 0, local without |
    | datetime.datetime, linefilter.parquet.Timestamp | TIMESTAMP; an instant with a tzinfo, a local time without |
    | numpy.datetime64 of a time | TIMESTAMP, a local time |
    | None, NaT | null |

    A bool is a TypeError, for BOOLEAN has no filter; so is every object that is not in the table.

    >>> question = Question(ColumnType.integer(8), 200)
    >>> question.decided
    Answer(may_contain=False, reason='out_of_range', message='the type of the column cannot hold the value')
    """

    __slots__ = ("_made",)

    def __init__(self, column_type: ColumnType, value: Any) -> None:
        if not isinstance(column_type, ColumnType):
            raise TypeError(f"the type of a column is a ColumnType, not {type(column_type).__name__}")
        self._made: Union[_linefilter.ParquetQuestion, Answer]
        made = question_of(column_type._core(), value)
        self._made = Answer(True, "inexact", made) if isinstance(made, str) else made

    def ask(self, filter: FilterBase) -> Answer:
        """Whether a filter of Parquet's hash, of any layout, may have the value. All others answer "maybe"."""
        if not isinstance(filter, FilterBase):
            raise TypeError(f"a filter is asked, as a ParquetFilterView, not {type(filter).__name__}")
        core = open_core(filter)
        return self._made if isinstance(self._made, Answer) else _answer_of(self._made.ask(core))

    @property
    def decided(self) -> Answer:
        """The answer without a filter: reason "asked", and true, if a filter is to be asked; else what ask() will say."""
        return self._made if isinstance(self._made, Answer) else _answer_of(self._made.decided())

    @property
    def hashes(self) -> npt.NDArray[np.uint64]:
        """The hashes of the forms of the value, of which one in a filter suffices: for readers of other filters. None if it is
        decided, mostly one, two for zero in floating point."""
        return np.array([] if isinstance(self._made, Answer) else self._made.hashes(), np.uint64)

    def __reduce__(self) -> Any:
        raise TypeError("a question is not copied or pickled: send the type and the value")

    def __repr__(self) -> str:
        return f"<Question: {self.decided.reason}, {len(self.hashes)} hashes>"


def may_contain(filter: FilterBase, column_type: ColumnType, value: Any) -> Answer:
    """Asks one filter for one value: Question(column_type, value).ask(filter)."""
    return Question(column_type, value).ask(filter)
