"""Lists of any length, fetched page by page as they are read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Self, TypeVar

T = TypeVar("T")


P = TypeVar("P")


class Listing(Iterator[T], Generic[T]):
    """The rows of a list, in its order: iterate over it once. A page is asked for when its first row is. Where that fails, `next` raises
    what failed, and the next `next` asks for the same page again: a list never looks ended that is not.

    `notes` are what the daemon says the rows do not tell (damage, lower levels, an end that was not recorded), of the pages that were
    read so far.
    """

    def __init__(
        self, page: Callable[[str], P], rows: Callable[[P], Iterable[T]], notes: Callable[[P], Sequence[str]] = lambda _: ()
    ) -> None:
        self.notes: list[str] = []

        def fetched(token: str) -> tuple[Iterator[T], Sequence[str], str]:
            answer = page(token)
            # Short lists have no pages.
            return iter(rows(answer)), notes(answer), str(getattr(answer, "next_page_token", ""))

        self._fetched = fetched
        # What is still to come of the page that was read last.
        self._rest: Iterator[T] = iter(())
        # Of the page behind it; None: there is none.
        self._token: str | None = ""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        while True:
            for row in self._rest:
                return row
            if self._token is None:
                raise StopIteration
            self._rest, notes, token = self._fetched(self._token)
            self.notes += [note for note in notes if note not in self.notes]
            self._token = token or None
