"""A recording: its calls, states, events and histories, rows of SQL and queries, and debugging sessions."""

from collections.abc import Mapping

from jhyde._caller import Answers, Caller
from jhyde.errors import IncompleteAnswer
from jhyde.listing import Listing
from jhyde.rows import ArrowBytes, QueryRows, SqlRows
from jhyde.session import Session
from jhyde.v1 import common_pb2 as common
from jhyde.v1 import debugging_pb2 as debugging
from jhyde.v1 import debugging_pb2_grpc, history_pb2_grpc, queries_pb2_grpc, recordings_pb2_grpc
from jhyde.v1 import history_pb2 as history
from jhyde.v1 import queries_pb2 as queries
from jhyde.v1 import recordings_pb2 as recordings
from jhyde.words import State


class Recording:
    """One run of one JVM, complete or still running.

    A `call` is named by its id (`1.7`) or by method and invocation (`merge#2`, `MergeSort.merge#2`). A `variable` by its written form
    (`array#3[2]`, `object#12.field`, `pkg.Cls.FIELD`, `merge#2:return`) or a way as in source (`merge#2:this.rows[0]`). Timestamps are
    numbers of events in the recording, from 0, no times. Methods raise `CallError`s: NotFound for what is not there, InvalidArgument for
    what is not written right, DataLoss where a damaged part would have been needed.
    """

    def __init__(self, caller: Caller, told: recordings.Recording) -> None:
        self._caller = caller
        self._recordings = recordings_pb2_grpc.RecordingsStub(caller.channel)
        self._history = history_pb2_grpc.HistoryStub(caller.channel)
        self._debugging = debugging_pb2_grpc.DebuggingStub(caller.channel)
        self._queries = queries_pb2_grpc.QueriesStub(caller.channel)
        # As the daemon told it last: counts, options, notes, gaps.
        self.told = told

    @property
    def id(self) -> str:
        return self.told.id

    @property
    def name(self) -> str:
        return self.told.name

    @property
    def state(self) -> State:
        """As it was told last: `refresh` asks anew."""
        return State(self.told.state)

    def __repr__(self) -> str:
        return f"Recording({self.name!r}, {self.state.name})"

    # Making and keeping

    def refresh(self) -> "Recording":
        """Asks how it is now."""
        return self._now(self._caller.one(self._recordings.Get, self._request()))

    def watch(self, timeout: float | None = None) -> Answers[recordings.Recording]:
        """The recording now and after every change (at most ten a second), until it has ended; DeadlineExceeded after `timeout` seconds."""
        return self._caller.stream(self._recordings.Watch, self._request(), timeout)

    def wait(self, timeout: float | None = None) -> "Recording":
        """Waits until it has ended. A program that was launched here may not end while its output is not read, nor closed: see Launched.

        Raises DeadlineExceeded where that takes longer than `timeout` seconds, IncompleteAnswer where the daemon stops telling before.
        """
        for told in self.watch(timeout):
            self._now(told)
        if not self.state.has_ended:
            raise IncompleteAnswer(f"the daemon does not say how {self.name} ended: last it was {self.state.name}", "refresh it")
        return self

    def stop(self) -> "Recording":
        """Ends the recording. A program that the daemon launched is asked to end (SIGTERM), any other runs on."""
        return self._now(self._caller.one(self._recordings.Stop, self._request()))

    def detach(self) -> "Recording":
        """Ends the recording and leaves the JVM running as it was before."""
        return self._now(self._caller.one(self._recordings.Detach, self._request()))

    def delete(self) -> int:
        """Deletes it, with all that belongs to it; what is gone, in bytes on disk.

        Raises FailedPrecondition while it is being made or read; a stream that was closed just now may still count for a moment.
        """
        return self._caller.one(self._recordings.Delete, self._request()).bytes

    # What happened

    def threads(self) -> history.ListThreadsResponse:
        """The threads, by first appearance, and notes."""
        return self._caller.one(self._history.ListThreads, history.ListThreadsRequest(recording=self.id))

    def call(self, call: str) -> common.Call:
        return self._caller.one(self._history.GetCall, history.GetCallRequest(recording=self.id, call=call))

    def path(self, call: str) -> list[common.Call]:
        """The calls from the thread's root down to this one, itself last."""
        return list(self._caller.one(self._history.GetPath, history.GetCallRequest(recording=self.id, call=call)).calls)

    def calls(
        self,
        call: str = "",
        *,
        method: str = "",
        max_depth: int = 0,
        without_boundary: bool = False,
        session: Session | None = None,
        page_size: int = 0,
    ) -> Listing[common.Call]:
        """Calls in preorder: of a call's subtree, or of all threads; `max_depth` levels below, 0: all. Only those of one `method`, and
        without calls out of the recorded classes, if so said. With a `session` each says how it stands there.

        `page_size`: rows in a page; 0: 100, at most 10000.
        """

        def page(token: str) -> history.ListCallsResponse:
            request = history.ListCallsRequest(
                recording=self.id,
                call=call,
                method=method,
                max_depth=max_depth,
                without_boundary=without_boundary,
                session=session.id if session else "",
                page_size=page_size,
                page_token=token,
            )
            return self._caller.one(self._history.ListCalls, request)

        return Listing(page, lambda answer: answer.calls, lambda answer: answer.notes)

    def state_of(self, call: str, start: int | None = None, end: int | None = None) -> history.NodeState:
        """The variables of a call at two timestamps (absent: its beginning and its end): values, and what changed in between."""
        request = history.GetStateRequest(recording=self.id, call=call, to=end)
        if start is not None:
            _set_from(request, start)
        return self._caller.one(self._history.GetState, request)

    def expand(self, object: int, start: int, end: int, *, page_size: int = 0) -> Listing[history.StateRow]:
        """What is inside of an object (by its number, `array#3`: 3) at two timestamps: fields, elements, or what it holds."""

        def page(token: str) -> history.ExpandObjectResponse:
            request = history.ExpandObjectRequest(recording=self.id, object=object, to=end, page_size=page_size, page_token=token)
            _set_from(request, start)
            return self._caller.one(self._history.ExpandObject, request)

        return Listing(page, lambda answer: answer.rows, lambda answer: answer.notes)

    def input(self, call: str) -> history.CallInput:
        """What a call was given: arguments, static fields, and what they reach, as far as 10000 variables go."""
        return self._caller.one(self._history.GetInput, history.GetSideRequest(recording=self.id, call=call))

    def result(self, call: str) -> history.CallResult:
        """What a call yielded: result or exception, and what it changed in what it was given, as far as 10000 variables go."""
        return self._caller.one(self._history.GetResult, history.GetSideRequest(recording=self.id, call=call))

    def events(
        self, call: str, start: int | None = None, end: int | None = None, *, flat: bool = False, unfold: int = 0, page_size: int = 0
    ) -> Listing[history.EventRow]:
        """A call's own events in order, nested calls as one row each: those at or after `start` and before `end`. Loops are rows, of which
        `unfold` levels are opened; `flat`: no rows for loops.
        """

        def page(token: str) -> history.ListEventsResponse:
            request = history.ListEventsRequest(
                recording=self.id, call=call, to=end, flat=flat, unfold=unfold, page_size=page_size, page_token=token
            )
            if start is not None:
                _set_from(request, start)
            return self._caller.one(self._history.ListEvents, request)

        return Listing(page, lambda answer: answer.rows, lambda answer: answer.notes)

    def all_events(
        self,
        start: int | None = None,
        end: int | None = None,
        *,
        thread: int = 0,
        follow: bool = False,
        timeout: float | None = None,
    ) -> Answers[common.Event]:
        """All events at or after `start` and before `end`, of one thread or (0) of all; `follow`: also those to come, until the end, or
        DeadlineExceeded after `timeout` seconds.
        """
        request = history.StreamEventsRequest(recording=self.id, to=end, thread=thread, follow=follow)
        if start is not None:
            _set_from(request, start)
        return self._caller.stream(self._history.StreamEvents, request, timeout)

    def writes(
        self, variable: str, start: int | None = None, end: int | None = None, *, newest_first: bool = False, page_size: int = 0
    ) -> Listing[history.VariableWrite]:
        """Every write to a variable, at or after `start` and before `end`."""

        def page(token: str) -> history.ListWritesResponse:
            request = history.ListWritesRequest(
                recording=self.id, variable=variable, to=end, newest_first=newest_first, page_size=page_size, page_token=token
            )
            if start is not None:
                _set_from(request, start)
            return self._caller.one(self._history.ListWrites, request)

        return Listing(page, lambda answer: answer.writes, lambda answer: answer.notes)

    def why(self, variable: str, at: int | None = None) -> Answers[history.SliceStep]:
        """What a value came from, step by step, back to the beginning: `close` it when it is enough. Only at level `full`."""
        return self._caller.stream(self._history.Why, history.WhyRequest(recording=self.id, variable=variable, at=at))

    def uncaught(self) -> history.ListUncaughtResponse:
        """Exceptions that nobody caught, or whose catching one does not see, the tests that they failed, and what ended the program."""
        return self._caller.one(self._history.ListUncaught, history.ListThreadsRequest(recording=self.id))

    # Rows

    def sql(
        self, statement: str, *, end: int | None = None, timeout: float | None = None, max_rows: int | None = None
    ) -> SqlRows:
        """The rows of a statement in SQL (docs/sql.md), which can only read. `timeout` in seconds; None: five minutes, 0: never."""
        return SqlRows(self._sql(queries.SQL_FORMAT_UNSPECIFIED, statement, end, timeout, max_rows))

    def sql_arrow(
        self, statement: str, *, end: int | None = None, timeout: float | None = None, max_rows: int | None = None
    ) -> ArrowBytes:
        """The same as a stream of Apache Arrow's, in pieces: `pyarrow.ipc.open_stream(b"".join(demo.sql_arrow("SELECT …"))).to_pandas()`."""
        return ArrowBytes(self._sql(queries.SQL_FORMAT_ARROW, statement, end, timeout, max_rows))

    def _sql(
        self, form: queries.SqlFormat.ValueType, statement: str, end: int | None, timeout: float | None, max_rows: int | None
    ) -> Answers[queries.SqlAnswer]:
        request = queries.SqlRequest(
            recording=self.id,
            statement=statement,
            to=end,
            timeout_ms=None if timeout is None else round(timeout * 1000),
            max_rows=max_rows,
            format=form,
        )
        return self._caller.stream(self._queries.Sql, request)

    def query(
        self, name: str, parameters: Mapping[str, str] | None = None, *, start: int | None = None, end: int | None = None
    ) -> QueryRows:
        """The rows of a query (docs/queries.md), with its parameters by name; only what happened at or after `start` and before `end`."""
        request = queries.RunQueryRequest(recording=self.id, query=name, parameters=dict(parameters or {}), to=end)
        if start is not None:
            _set_from(request, start)
        return QueryRows(self._caller.stream(self._queries.Run, request))

    # Debugging

    def debug(
        self,
        strategy: str = "",
        *,
        restrict_to: str = "",
        against: str = "",
        values: bool = False,
        evidence: debugging.Evidence | None = None,
    ) -> Session:
        """Begins a session: by a strategy (`adaptive` if none is named), in one call's subtree, held against a recording of a right run.

        Raises InvalidArgument for an unknown strategy, FailedPrecondition for one that needs another level.
        """
        request = debugging.CreateSessionRequest(
            recording=self.id,
            strategy=strategy,
            restrict_to=restrict_to,
            against=against,
            values=values,
            evidence=evidence,
        )
        return Session(self._caller, self._caller.one(self._debugging.CreateSession, request))

    def session(self, id: str) -> Session:
        """One that was begun before."""
        request = debugging.SessionRequest(recording=self.id, session=id)
        return Session(self._caller, self._caller.one(self._debugging.GetSession, request))

    def sessions(self) -> Listing[Session]:
        """All that can be read; `notes` of the list say which cannot, and why."""

        def page(_: str) -> debugging.ListSessionsResponse:
            return self._caller.one(self._debugging.ListSessions, debugging.ListSessionsRequest(recording=self.id))

        def rows(answer: debugging.ListSessionsResponse) -> list[Session]:
            return [Session(self._caller, told) for told in answer.sessions]

        return Listing(page, rows, lambda answer: answer.notes)

    def _request(self) -> recordings.GetRecordingRequest:
        return recordings.GetRecordingRequest(recording=self.id)

    def _now(self, told: recordings.Recording) -> "Recording":
        self.told = told
        return self


def _set_from(
    request: history.GetStateRequest
    | history.ExpandObjectRequest
    | history.ListEventsRequest
    | history.StreamEventsRequest
    | history.ListWritesRequest
    | queries.RunQueryRequest,
    start: int,
) -> None:
    """The field's name is a word of Python's, which cannot be written as an argument."""
    setattr(request, "from", start)
