"""Daemons that stand still, break off, or say what a client cannot read; none of them is a real one."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import grpc
from fake import Fake
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

import jhyde
from jhyde import _caller, errors
from jhyde.v1 import queries_pb2 as queries
from jhyde.v1 import recordings_pb2 as recordings
from jhyde.v1.recordings_pb2 import RecordingState
from jhyde.v1.recordings_pb2_grpc import RecordingsStub

RUNNING = recordings.Recording(id="1", name="shop", state=RecordingState.RECORDING_STATE_RUNNING)
COMPLETE = recordings.Recording(id="1", name="shop", state=RecordingState.RECORDING_STATE_COMPLETE)


class Standing(Fake):
    """No call waits for ever."""

    def test_a_question_has_a_deadline(self) -> None:
        self.stands_still("Recordings/Get")
        with self.assertRaises(errors.DeadlineExceeded):
            self.connected(deadline=0.2).recording("shop")
        self.assertTrue(self.ended["Recordings/Get"].wait(60), "the daemon is told")
        request = recordings.GetRecordingRequest(recording="shop")
        daemon = self.connected(deadline=None)
        method = RecordingsStub(daemon.channel).Get
        with self.assertRaises(errors.DeadlineExceeded):
            daemon.ask(method, request, timeout=0.2)

    def test_who_waits_for_a_recording_says_how_long(self) -> None:
        self.answers("Recordings/Get", RUNNING)
        self.stands_still("Recordings/Watch", RUNNING)
        recording = self.connected().recording("shop")
        with self.assertRaises(errors.DeadlineExceeded):
            recording.wait(timeout=0.2)
        with self.assertRaises(errors.DeadlineExceeded):
            list(recording.watch(timeout=0.2))

    def test_who_waits_for_a_program_says_how_long(self) -> None:
        self.stands_still("Recordings/Launch", recordings.LaunchEvent(started=RUNNING))
        with self.assertRaises(errors.DeadlineExceeded):
            self.connected().launch(["java"], timeout=1).wait()

    def test_a_socket_that_takes_nobody(self) -> None:
        folder = self.folder / "still"
        folder.mkdir(0o700)
        listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(listening.close)
        listening.bind(str(folder / "jhyded.sock"))
        listening.listen(0)
        self.fill(folder)
        with self.assertRaises(errors.Unreachable) as raised:
            jhyde.connect(data=folder, timeout=0.2)
        self.assertIn("takes no connection within 0.2 s", str(raised.exception))

    def fill(self, folder: Path) -> None:
        """Connects until the queue is full."""
        while True:
            waiting = socket.socket(socket.AF_UNIX)
            self.addCleanup(waiting.close)
            waiting.setblocking(False)
            try:
                waiting.connect(str(folder / "jhyded.sock"))
            except BlockingIOError:
                return

    def test_a_connection_that_died_is_noticed_while_a_stream_is_silent(self) -> None:
        self.answers("Recordings/Get", RUNNING)
        self.stands_still("Recordings/Watch", RUNNING)
        # gRPC measures how fast a connection is by pings of its own, behind data that came: one of those may be under way then, or none.
        for measures in (0, 1):
            with self.subTest(measures=measures):
                self.notices([*_caller._OPTIONS, ("grpc.http2.bdp_probe", measures)])

    def notices(self, options: list[tuple[str, int]]) -> None:
        between = Between(str(self.folder / f"between-{options[-1][1]}.sock"), str(self.socket))
        self.addCleanup(between.close)
        with mock.patch.object(_caller, "_KEEPALIVE", (200, 200)), mock.patch.object(_caller, "_OPTIONS", options):
            daemon = jhyde.connect(f"unix:{between.path}")
        self.addCleanup(daemon.close)
        watching = daemon.recording("shop").watch()
        next(watching)
        began = time.monotonic()
        between.is_dead.set()
        with self.assertRaises(errors.Unavailable):
            next(watching)
        self.assertLess(time.monotonic() - began, 30, "gRPC's own limit is a minute")


class Between:
    """Passes on what two sides say, until it is dead: then it takes what they say, and neither hears anything any more."""

    def __init__(self, path: str, daemon: str) -> None:
        self.path = path
        self.is_dead = threading.Event()
        self._daemon = daemon
        self._listening = socket.create_server(path, family=socket.AF_UNIX)
        self._sockets = [self._listening]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(self._daemon)
            self._sockets += [client, daemon]
            for source, target in ((client, daemon), (daemon, client)):
                threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                if not self.is_dead.is_set():
                    target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self) -> None:
        for each in self._sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()


class Breaking(Fake):
    """What breaks off is not taken for a whole answer."""

    def test_a_recording_whose_end_was_not_told(self) -> None:
        self.answers("Recordings/Get", RUNNING)
        self.answers("Recordings/Watch", RUNNING)
        recording = self.connected().recording("shop")
        with self.assertRaises(errors.IncompleteAnswer) as raised:
            recording.wait()
        self.assertIn("RUNNING", str(raised.exception))
        self.answers("Recordings/Watch", RUNNING, COMPLETE)
        self.assertIs(recording.wait().state, jhyde.State.COMPLETE)

    def test_no_answer_at_all(self) -> None:
        self.answers("Recordings/Get")
        with self.assertRaises(errors.IncompleteAnswer):
            self.connected().recording("shop")

    def test_a_program_that_did_not_start_or_whose_end_was_not_told(self) -> None:
        daemon = self.connected()
        self.stands_still("Recordings/Launch", recordings.LaunchEvent(stdout=b"early"))
        self.refused_and_closed("Recordings/Launch", lambda: daemon.launch(["java"]))
        self.answers("Recordings/Launch", recordings.LaunchEvent(started=RUNNING), recordings.LaunchEvent(stdout=b"some"))
        with self.assertRaises(errors.IncompleteAnswer):
            daemon.launch(["java"]).wait()

    def test_rows_without_their_end_or_their_beginning(self) -> None:
        header = queries.SqlAnswer(header=queries.SqlHeader(columns=["x"]))
        row = queries.SqlAnswer(row=queries.SqlRow(cells=[queries.SqlCell(int=7)]))
        self.answers("Recordings/Get", COMPLETE)
        recording = self.connected().recording("shop")
        self.answers("Queries/Sql", header, row)
        rows = recording.sql("SELECT x")
        self.assertEqual(next(rows), (7,))
        with self.assertRaises(errors.IncompleteAnswer):
            next(rows)
        self.stands_still("Queries/Sql", row)
        self.refused_and_closed("Queries/Sql", lambda: recording.sql("SELECT x"))

    def refused_and_closed(self, method: str, act: Callable[[], object]) -> None:
        """The stream is ended at once, also where somebody keeps the error, and with it whatever was a variable then."""
        try:
            act()
        except errors.IncompleteAnswer as error:
            self.assertTrue(self.ended[method].wait(30), f"nobody reads that stream: {error}")
        else:
            self.fail("it was taken for an answer")

    def test_a_page_that_fails_is_asked_for_again(self) -> None:
        asked: list[str] = []

        def page(request: bytes, context: grpc.ServicerContext) -> Iterator[recordings.ListRecordingsResponse]:
            token = recordings.ListRecordingsRequest.FromString(request).page_token
            asked.append(token)
            if len(asked) in (1, 3, 4):
                context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
            yield recordings.ListRecordingsResponse(recordings=[COMPLETE], next_page_token="" if token else "second")

        self.methods["Recordings/List"] = page
        listed = self.connected().recordings()
        met = []
        for _ in range(5):
            try:
                met.append(next(listed).name)
            except errors.Unavailable as error:
                met.append(error.what)
        self.assertEqual(met, ["not now", "shop", "not now", "not now", "shop"])
        self.assertEqual(asked, ["", "", "second", "second", "second"])
        self.assertEqual(list(listed), [])


class Telling(Fake):
    """What a refusal says besides its words."""

    def met(self, code: grpc.StatusCode, details: bytes) -> errors.CallError:
        self.refuses("Recordings/Get", code, details)
        with self.assertRaises(errors.CallError) as raised:
            self.connected().recording("shop")
        self.assertEqual(raised.exception.what, "what it says")
        return raised.exception

    def test_details(self) -> None:
        status = status_pb2.Status(code=8)
        for message in (
            error_details_pb2.ErrorInfo(reason="TOO_MANY_CALLS"),
            error_details_pb2.RetryInfo(retry_delay=Duration(seconds=1, nanos=500_000_000)),
        ):
            packed = Any()
            packed.Pack(message)
            status.details.append(packed)
        error = self.met(grpc.StatusCode.RESOURCE_EXHAUSTED, status.SerializeToString())
        self.assertIsInstance(error, errors.ResourceExhausted)
        self.assertEqual((error.reason, error.retry_after, error.field), ("TOO_MANY_CALLS", 1.5, ""))

    def test_details_that_are_damaged_hide_nothing(self) -> None:
        endless = Any()
        endless.Pack(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=1 << 60)))
        damaged = Any(type_url="type.googleapis.com/google.rpc.ErrorInfo", value=b"\xff")
        for details in (
            b"\xff\xff",
            status_pb2.Status(details=[damaged]).SerializeToString(),
            status_pb2.Status(details=[endless]).SerializeToString(),
        ):
            error = self.met(grpc.StatusCode.NOT_FOUND, details)
            self.assertIsInstance(error, errors.NotFound)
            self.assertEqual((error.reason, error.retry_after), ("", None))

    def test_bugs(self) -> None:
        error = self.met(grpc.StatusCode.INTERNAL, b"")
        self.assertIsInstance(error, errors.Internal)
        self.assertIn("log", str(error))

    def test_a_connection_that_was_closed(self) -> None:
        self.answers("Recordings/Get", RUNNING)
        self.stands_still("Recordings/Watch", RUNNING)
        daemon = self.connected()
        recording = daemon.recording("shop")
        watching = recording.watch()
        daemon.close()
        for use in (recording.refresh, recording.watch, lambda: next(daemon.recordings())):
            with self.assertRaises(errors.Closed) as raised:
                use()
            self.assertIn("connect()", str(raised.exception))
        with self.assertRaises(errors.Cancelled):
            list(watching)
