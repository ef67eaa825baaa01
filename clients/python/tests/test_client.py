"""The client against a daemon that runs, with TLS. integration/tests/scripting.rs starts it, and says where all is.

JHYDE_DAEMON, JHYDE_CA, JHYDE_TOKEN_FILE are those of the client. JHYDE_TEST_JAVA is a `java`; …_CLASSES and …_FIXTURES what it runs;
…_READER a token that may only read; …_IDENTITY a client certificate that may; …_STRANGER an authority that the daemon's is not from;
…_DATA the daemon's data folder.
"""

import os
import re
import shutil
import subprocess
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from fake import Limited

import pyarrow  # type: ignore[import-untyped]

import jhyde
from jhyde import errors
from jhyde.v1.common_pb2 import Call, Value
from jhyde.v1.debugging_pb2 import AnswerKind, KnownFrom, Progress
from jhyde.v1.history_pb2 import ListLinesRequest
from jhyde.v1.history_pb2_grpc import HistoryStub
from jhyde.v1.recordings_pb2 import RecordingState


T = TypeVar("T")


def given(what: str) -> str:
    return os.environ[f"JHYDE_TEST_{what}"]


class Sorted(Limited):
    """Whatever is asked of one recording: the merge sort with its defect."""

    daemon: jhyde.Daemon
    recording: jhyde.Recording

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.daemon = jhyde.connect()
        cls.addClassCleanup(cls.daemon.close)
        options = jhyde.Options(level="full", include=["MergeSort"])
        command = [given("JAVA"), "-cp", given("CLASSES"), "MergeSort"]
        launched = cls.daemon.launch(command, name="client", options=options)
        ended = launched.wait()
        assert (ended.exit_code, ended.stdout) == (0, b"[1, 4, 9, 7]\n"), ended
        assert launched.recording.state is jhyde.State.COMPLETE
        cls.recording = cls.daemon.recording("client")

    def test_lists_fetch_page_after_page(self) -> None:
        whole = [call.id for call in self.recording.calls()]
        self.assertEqual(len(whole), 9)
        pages = self.recording.calls(page_size=2)
        self.assertEqual([call.id for call in pages], whole)
        self.assertEqual(pages.notes, [])
        newest = [write.value.int for write in self.recording.writes("merge#2:c[2]", newest_first=True, page_size=1)]
        self.assertEqual(newest, [9, 7, 1, 1])
        rows = list(self.recording.events("merge#2", flat=True, page_size=7))
        first, last = rows[1].event.timestamp, rows[-1].event.timestamp
        within = self.recording.events("merge#2", first, last, flat=True)
        self.assertEqual([row.event.timestamp for row in within], [row.event.timestamp for row in rows[1:-1]])
        self.assertIn(self.recording.id, [each.id for each in self.daemon.recordings(page_size=1)])

    def test_a_page_that_is_too_long_is_refused_with_its_field(self) -> None:
        with self.assertRaises(errors.InvalidArgument) as raised:
            next(self.recording.calls(page_size=1_000_000))
        self.assertEqual((raised.exception.reason, raised.exception.field), ("PAGE_SIZE", "page_size"))

    def test_what_is_not_there_is_said_with_its_reason(self) -> None:
        with self.assertRaises(errors.NotFound) as raised:
            self.daemon.recording("none")
        self.assertEqual(raised.exception.reason, "NO_RECORDING")
        self.assertIn("none", str(raised.exception))

    def test_a_name_that_is_taken_is_refused(self) -> None:
        with self.assertRaises(errors.AlreadyExists):
            self.daemon.launch([given("JAVA"), "-version"], name="client")

    def test_sessions_go_forth_and_back(self) -> None:
        session = self.recording.debug("top-down")
        self.addCleanup(session.delete)
        asked = []
        for question in session:
            asked.append(jhyde.name_of(question.call))
            wrong = question.call.method in ("main", "sort") or question.call.id == "1.7"
            session.answer(jhyde.Answer.INVALID if wrong else jhyde.Answer.VALID)
        self.assertIs(session.progress, jhyde.Progress.FOUND)
        self.assertEqual(jhyde.name_of(found(session.buggy)), "MergeSort.merge #2 (1.7)")
        with self.assertRaises(errors.NoQuestion):
            session.answer(jhyde.Answer.VALID)
        self.assertEqual(len(session.answers), len(asked))
        session.undo()
        self.assertEqual(found(session.question).call.id, "1.7")
        self.assertIsNone(session.buggy)
        with self.assertRaises(errors.NoQuestion):
            session.answer(jhyde.Answer.RIGHT)
        session.redo()
        self.assertEqual(session.answers[-1].answer, jhyde.Answer.INVALID)
        with self.assertRaises(errors.FailedPrecondition):
            session.redo()
        # Somebody else looks on.
        again = self.recording.session(session.id)
        again.undo()
        self.assertIs(session.progress, jhyde.Progress.FOUND)
        self.assertIs(session.refresh().progress, jhyde.Progress.ASKING)
        self.assertIn(session.id, [each.id for each in self.recording.sessions()])

    def test_answers_point_and_are_taken_back(self) -> None:
        session = self.recording.debug(restrict_to="sort#0")
        self.addCleanup(session.delete)
        session.answer(jhyde.Answer.INVALID, "merge#2", wrong=["c[2]"])
        self.assertEqual(session.answers[0].wrong, ("array#3[2]",))
        with self.assertRaises(errors.InvalidArgument):
            session.answer(jhyde.Answer.INVALID, "sort#0", wrong=["i"])
        session.answer(jhyde.Answer.VALID, "merge#0", by="a model")
        known = session.known
        self.assertEqual([(each.origin, each.told) for each in known], [(jhyde.KnownFrom.PROGRAM, "a model")])
        session.doubt(known[0].call)
        self.assertEqual(session.known, [])
        session.restrict(None).choose("top-down")
        self.assertEqual((session.told.restricted_to, session.told.strategy), ("", "top-down"))
        self.assertEqual(session.statistics().answered, 1)

    def test_rows_are_python_values(self) -> None:
        rows = self.recording.sql("SELECT 1 AS one, 1.5 AS half, 'x' AS text, NULL AS none, x'00ff' AS raw")
        self.assertEqual(rows.columns, ["one", "half", "text", "none", "raw"])
        self.assertEqual(list(rows), [(1, 1.5, "x", None, b"\x00\xff")])
        self.assertEqual((list(rows), rows.notes, rows.more), ([], [], False))
        some = self.recording.sql("SELECT id FROM calls", max_rows=2)
        self.assertEqual(len(list(some)), 2)
        self.assertTrue(some.more)
        with self.recording.sql("SELECT timestamp FROM events") as events:
            self.assertEqual(len(list(islice(events, 3))), 3)
        with self.assertRaises(errors.InvalidArgument):
            self.recording.sql("SELECT x FROM nothing")

    def test_rows_come_as_arrow(self) -> None:
        statement = "SELECT id, depth, exit, size * 0.5 AS half, x'00ff' AS raw, NULL AS none FROM calls ORDER BY enter"
        with self.recording.sql_arrow(statement) as pieces:
            table = pyarrow.ipc.open_stream(b"".join(pieces)).read_all()
        rows = self.recording.sql(statement)
        self.assertEqual((table.column_names, pieces.columns, pieces.notes), (rows.columns, rows.columns, []))
        self.assertEqual([str(of) for of in table.schema.types], ["string", "int64", "int64", "double", "binary", "null"])
        self.assertEqual([tuple(row.values()) for row in table.to_pylist()], list(rows))
        self.assertEqual(table.schema.metadata[b"jhyde.recording"], self.recording.id.encode())
        with self.assertRaises(errors.InvalidArgument) as raised:
            list(self.recording.sql_arrow("SELECT 1 AS x UNION ALL SELECT 'one'"))
        self.assertIn("x holds whole numbers", str(raised.exception))

    def test_queries_have_typed_cells(self) -> None:
        rows = self.recording.query("executed", {"line": "MergeSort:53"})
        cells = dict(zip(rows.columns, next(rows)))
        self.assertEqual((cells["answer"], cells["count"]), ("yes", 1))
        self.assertIsInstance(cells["first"], int)
        before = self.recording.query("pre-calls", {"event": "merge#2"})
        types = {type(cell) for row in before for cell in row}
        self.assertTrue(types & {Call, list}, types)

    def test_what_a_call_was_given_and_yielded(self) -> None:
        given_to = self.recording.input("merge#2")
        self.assertIn("a", [row.name for row in given_to.rows])
        changed = [row.name for each in self.recording.result("merge#2").objects for row in each.rows if row.changed]
        self.assertIn("[2]", changed)
        self.assertEqual(jhyde.name_of(self.recording.path("merge#2")[-1]), "MergeSort.merge #2 (1.7)")
        call = self.recording.call("merge#2")
        array = next(row for row in self.recording.state_of("merge#2").rows if row.name == "c").end.object.id
        elements = self.recording.expand(array, call.enter, call.exit, page_size=3)
        self.assertIn(("[2]", 1, 9), [(row.name, row.start.int, row.end.int) for row in elements])
        self.assertIn("la = 0", jhyde.shown(call))
        with self.recording.why("merge#2:c[2]") as steps:
            step = next(steps)
        self.assertEqual(step.event.write.value, Value(int=9, display="9", compact="9", type="int"))

    def test_any_method_of_the_api_can_be_called(self) -> None:
        request = ListLinesRequest(recording="client", call="merge#2")
        lines = self.daemon.ask(HistoryStub(self.daemon.channel).ListLines, request)
        self.assertEqual([line.count for line in lines.lines if line.line == 53], [1])

    def test_enumerations_are_those_of_the_api(self) -> None:
        for ours, theirs in [
            (jhyde.State, RecordingState),
            (jhyde.Answer, AnswerKind),
            (jhyde.Progress, Progress),
            (jhyde.KnownFrom, KnownFrom),
        ]:
            names = {re.sub(r"^(RECORDING_STATE|ANSWER_KIND|PROGRESS|KNOWN_FROM)_", "", name) for name in theirs.keys()}
            self.assertEqual({each.name for each in ours}, names)
        self.assertIs(jhyde.State(99), jhyde.State.UNSPECIFIED)


class Running(Limited):
    """JVMs that run on."""

    def test_a_jvm_is_attached_to_watched_and_left(self) -> None:
        agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0"
        command = [given("JAVA"), agent, "-cp", given("FIXTURES"), "fx.Ticker", "1"]
        program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(ended, program)
        assert program.stdout
        port = found(re.search(r"(\d+)$", program.stdout.readline().strip())).group(1)
        with jhyde.connect() as daemon:
            recording = daemon.attach(f"localhost:{port}", name="ticker", options=jhyde.Options(include=["fx"]))
            with self.assertRaises(errors.FailedPrecondition):
                recording.delete()
            # Until something was recorded: the daemon tells when it has.
            told, events = recording.watch(), recording.all_events(follow=True)
            self.assertTrue(any(each.calls > 5 for each in told))
            self.assertEqual(len(list(islice(events, 50))), 50)
            self.assertIs(daemon.recording("ticker").stop().state, jhyde.State.STOPPED)
            self.assertIs(recording.state, jhyde.State.RUNNING, "as it was told last")
            self.assertIs(recording.wait().state, jhyde.State.STOPPED)
            # Both streams end with the recording; read to their ends they are nobody's any more.
            self.assertEqual(list(told)[-1].state, jhyde.State.STOPPED.value)
            self.assertGreater(len(list(events)), 0)
            self.assertIsNone(program.poll(), "it runs on")
            with self.assertRaises(errors.FailedPrecondition):
                recording.stop()
            self.assertGreater(recording.delete(), 0)

    def test_nobody_is_there_to_be_attached_to(self) -> None:
        with jhyde.connect() as daemon:
            with self.assertRaises(errors.Unavailable):
                daemon.attach("localhost:1")
            waiting = daemon.listen()
            self.assertIs(waiting.state, jhyde.State.WAITING)
            self.assertGreater(waiting.told.listen_port, 0)
            waiting.stop()


class Entering(Limited):
    """Who is let in, and what is not used to get in: the rules of docs/service.md."""

    def copied(self, file: str, mode: int) -> Path:
        copy = self.folder / "copy"
        shutil.copyfile(file, copy)
        copy.chmod(mode)
        return copy

    def refused(self, kind: type[errors.JhydeError], part: str, **how: Any) -> None:
        with self.assertRaises(kind) as raised:
            jhyde.connect(**how)
        self.assertIn(part, str(raised.exception))

    def test_a_token_that_others_can_read_is_not_used(self) -> None:
        for mode in (0o640, 0o604, 0o602):
            self.refused(errors.CredentialError, "chmod 600", token_file=self.copied(os.environ["JHYDE_TOKEN_FILE"], mode))
        text = self.folder / "text"
        for words in ("", "two words", "é"):
            text.write_text(words, encoding="utf-8")
            text.chmod(0o600)
            self.refused(errors.CredentialError, "no token", token_file=text)
        self.refused(errors.CredentialError, "/none", token_file="/none")

    def test_a_token_is_not_sent_to_other_machines_in_the_clear(self) -> None:
        self.refused(errors.CredentialError, "in the clear", address="192.0.2.1:7707")

    def test_keys_and_authorities_are_looked_at_before_they_are_used(self) -> None:
        self.refused(errors.CredentialError, "chmod 600", identity=self.copied(given("IDENTITY"), 0o644))
        self.refused(errors.CredentialError, "private key", identity=self.copied(os.environ["JHYDE_CA"], 0o600))
        self.refused(errors.CredentialError, "no certificate", ca=os.environ["JHYDE_TOKEN_FILE"])
        self.refused(errors.Unreachable, "CERTIFICATE_VERIFY_FAILED", ca=given("STRANGER"))

    def test_addresses_are_read(self) -> None:
        for bad in ("localhost", "https://localhost", "https://:80", ":80", "localhost:99999", "localhost:x"):
            self.refused(errors.AddressError, "https://HOST:PORT", address=bad)
        plain = os.environ["JHYDE_DAEMON"].removeprefix("https://")
        self.refused(errors.Unreachable, "https://HOST:PORT", address=plain)
        self.refused(errors.Unreachable, "refused", address="https://127.0.0.1:1")

    def test_rights_are_told_with_their_reason(self) -> None:
        with jhyde.connect(token_file=given("READER")) as daemon:
            list(daemon.recordings())
            with self.assertRaises(errors.PermissionDenied) as raised:
                daemon.launch(["java"])
            self.assertEqual(raised.exception.reason, "RIGHT_MISSING")

    def test_a_certificate_stands_for_a_token(self) -> None:
        token = os.environ.pop("JHYDE_TOKEN_FILE")
        self.addCleanup(os.environ.__setitem__, "JHYDE_TOKEN_FILE", token)
        with jhyde.connect(identity=given("IDENTITY")) as daemon:
            list(daemon.recordings())
        with jhyde.connect() as daemon, self.assertRaises(errors.Unauthenticated) as raised:
            next(daemon.recordings())
        self.assertEqual(raised.exception.reason, "NO_TOKEN")

    def test_the_socket_of_a_data_folder_is_found_and_needs_no_token(self) -> None:
        data = given("DATA")
        self.environment()
        with jhyde.connect(data=data) as daemon:
            self.assertTrue(daemon.address.startswith("unix:"))
            self.assertEqual(daemon.status().data, data)
        self.refused(errors.NotRunning, "jhyded serve", data=self.folder / "none")
        open_to_others = self.folder / "open"
        open_to_others.mkdir()
        open_to_others.chmod(0o777)
        self.refused(errors.FolderError, "chmod go-w", data=open_to_others)


def found(thing: T | None) -> T:
    assert thing is not None
    return thing


def ended(program: subprocess.Popen[str]) -> None:
    """Ends the ticker: its input does."""
    with program:
        pass
