"""Answers with columns: of statements in SQL, and of queries."""

from abc import abstractmethod
from collections.abc import Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

from jhyde._caller import Answers
from jhyde.errors import IncompleteAnswer
from jhyde.v1 import common_pb2 as common
from jhyde.v1 import queries_pb2 as queries

# A cell of an answer to SQL; None is SQL's null.
SqlCell = int | float | str | bytes | None
# A cell of an answer to a query: which of these, its column's type says. None: the column's description says what that means.
QueryCell = int | str | common.Value | common.Call | list[common.Call] | common.Place | dict[str, common.Value | None] | None

A = TypeVar("A", queries.SqlAnswer, queries.QueryAnswer)
R = TypeVar("R")


class Rows(Iterator[R], Generic[A, R]):
    """Rows as they are found: iterate over it once. What is not taken is not looked for; `close` it, or use it in a `with`, to stop.

    `columns` are the columns' names, and only events before the timestamp `until` count; both are there from the start. `notes` (what
    the answer does not tell, and why) and `more` (`max_rows` left rows out) are there once the last row was read.

    Reading raises IncompleteAnswer where the answer breaks off.
    """

    # The part of an answer that is a row.
    _part = "row"

    def __init__(self, answers: Answers[A]) -> None:
        self._answers: Answers[A] = answers
        self._is_over = False
        self.notes: list[str] = []
        self.more = False
        first = next(answers, None)
        if first is None or first.WhichOneof("part") != "header":
            answers.close()
            raise IncompleteAnswer("the answer does not begin with its columns", "is the daemon newer than this client?")
        self.columns = self._columns(first)
        self.until = first.header.until

    @abstractmethod
    def _columns(self, answer: A) -> list[str]: ...

    @abstractmethod
    def _row(self, answer: A) -> R: ...

    def __next__(self) -> R:
        if self._is_over:
            raise StopIteration
        answer = next(self._answers, None)
        if answer is None:
            raise IncompleteAnswer("the answer broke off before its end", "ask again")
        if answer.WhichOneof("part") == self._part:
            return self._row(answer)
        if answer.WhichOneof("part") != "footer":
            raise IncompleteAnswer("the answer has other parts than were asked for", "is the daemon older than this client?")
        self._is_over = True
        self.notes = list(answer.footer.notes)
        self.more = isinstance(answer, queries.SqlAnswer) and answer.footer.more
        raise StopIteration

    def close(self) -> None:
        """Ends the statement or query, if it is not over."""
        self._answers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class SqlRows(Rows[queries.SqlAnswer, tuple[SqlCell, ...]]):
    """Of a statement in SQL."""

    def _columns(self, answer: queries.SqlAnswer) -> list[str]:
        return list(answer.header.columns)

    def _row(self, answer: queries.SqlAnswer) -> tuple[SqlCell, ...]:
        return tuple(_sql_cell(cell) for cell in answer.row.cells)


class ArrowBytes(Rows[queries.SqlAnswer, bytes]):
    """Of a statement in SQL, as pieces of a stream of Apache Arrow's: all of them, in their order, are the stream."""

    _part = "arrow"

    def _columns(self, answer: queries.SqlAnswer) -> list[str]:
        return list(answer.header.columns)

    def _row(self, answer: queries.SqlAnswer) -> bytes:
        return answer.arrow


class QueryRows(Rows[queries.QueryAnswer, tuple[QueryCell, ...]]):
    """Of a query."""

    def _columns(self, answer: queries.QueryAnswer) -> list[str]:
        return [column.name for column in answer.header.columns]

    def _row(self, answer: queries.QueryAnswer) -> tuple[QueryCell, ...]:
        return tuple(_query_cell(cell) for cell in answer.row.cells)


def _sql_cell(cell: queries.SqlCell) -> SqlCell:
    match cell.WhichOneof("kind"):
        case "int":
            return cell.int
        case "real":
            return cell.real
        case "text":
            return cell.text
        case "bytes":
            return cell.bytes
        case None:
            return None


def _query_cell(cell: queries.QueryCell) -> QueryCell:
    match cell.WhichOneof("kind"):
        case "int":
            return cell.int
        case "text":
            return cell.text
        case "event":
            return cell.event
        case "value":
            return cell.value
        case "call":
            return cell.call
        case "calls":
            return list(cell.calls.calls)
        case "place":
            return cell.place
        case "fields":
            return {field.name: field.value if field.HasField("value") else None for field in cell.fields.fields}
        case None:
            return None
