"""What the client does by itself: where it looks for a daemon, what it does not print, what it says in words."""

import os
import shutil
import traceback
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import grpc
from fake import Fake, Limited

import jhyde
from jhyde import errors
from jhyde.v1 import common_pb2 as common
from jhyde.v1 import debugging_pb2 as debugging
from jhyde.v1 import recordings_pb2 as recordings

TOKEN = "jhyde_0123456789abcdefghijkl"


class Looking(Limited):
    """Where no daemon was named."""

    def setUp(self) -> None:
        super().setUp()
        self.environment()

    def refused(self, kind: type[errors.JhydeError], *parts: str, **how: Any) -> None:
        with self.assertRaises(kind) as raised:
            jhyde.connect(**how)
        for part in parts:
            self.assertIn(part, str(raised.exception))

    def test_the_default_is_in_the_home_folder_where_there_is_one(self) -> None:
        self.refused(errors.NotRunning, f"{self.folder}/home/.local/share/jhyde")
        self.environment(XDG_DATA_HOME="/data")
        self.refused(errors.NotRunning, "/data/jhyde")
        del os.environ["XDG_DATA_HOME"], os.environ["HOME"]
        self.refused(errors.NotRunning, "serves /.local/share/jhyde")

    def test_only_a_tilde_of_its_own_is_the_home_folder(self) -> None:
        self.refused(errors.NotRunning, f"{self.folder}/home/x", data="~/x")
        self.refused(errors.NotRunning, f"{self.folder}/home;", data="~")
        for name in ("~nobody/x", "~no-such-user/x"):
            self.refused(errors.NotRunning, f"{os.getcwd()}/{name}", data=name)

    def test_paths_that_are_none(self) -> None:
        self.refused(errors.FolderError, "null", data="a\0b")
        self.refused(errors.FolderError, "too long", data="/" + "x" * 300)
        circle = self.folder / "circle"
        circle.symlink_to(circle)
        self.refused(errors.FolderError, "circle", data=circle)

    def test_a_runtime_folder_that_cannot_be_looked_at(self) -> None:
        self.environment(XDG_RUNTIME_DIR="/" + "x" * 300)
        self.refused(errors.NotRunning, "no daemon serves", data=self.folder)

    def test_a_socket_of_the_machines_that_cannot_be_one(self) -> None:
        self.environment(JHYDE_SYSTEM_SOCKET="/" + "x" * 300)
        self.refused(errors.FolderError, "AF_UNIX path too long")
        self.environment(JHYDE_SYSTEM_SOCKET=__file__ + "/socket")
        self.refused(errors.FolderError, "Not a directory")

    def test_configurations(self) -> None:
        configuration = self.folder / "home/.config/jhyde/jhyded.toml"
        configuration.parent.mkdir(parents=True)
        for text, part in (("data = 3", "data = 3 is no path"), ("data = [", "cannot be used"), ("data = ['a']", "no path")):
            configuration.write_text(text)
            self.refused(errors.FolderError, str(configuration), part, "connect(data=…)")
        for text, part in (("data = 'there'", f"{configuration.parent}/there"), ("data = '~/there'", f"{self.folder}/home/there")):
            configuration.write_text(text)
            self.refused(errors.NotRunning, part)

    def test_a_token_that_is_no_text(self) -> None:
        self.environment(JHYDE_DAEMON="127.0.0.1:1")
        os.environb[b"JHYDE_TOKEN"] = b"caf\xe9"
        report = reported(jhyde.connect, errors.CredentialError)
        self.assertIn("JHYDE_TOKEN is no token", report)
        self.assertNotIn("caf", report)


class Naming(Fake):
    """Which of two that were named."""

    def test_an_address_wins_over_a_data_folder(self) -> None:
        with jhyde.connect(f"unix:{self.socket}", data="/none") as daemon:
            self.assertEqual(daemon.address, f"unix:{self.socket}")
        self.environment(JHYDE_DAEMON=f"unix:{self.socket}")
        with jhyde.connect(data="/none") as daemon:
            self.assertEqual(daemon.address, f"unix:{self.socket}")
        self.environment(JHYDED_DATA=str(self.folder))
        with jhyde.connect() as daemon:
            self.assertEqual(daemon.address, f"unix:{self.socket}")

    def test_folders_of_any_name(self) -> None:
        for name in ("a#b", "a?b=c", "a%41", "a b", "ü:[x]", "a\udcff"):
            with self.subTest(name):
                folder = self.folder / name
                folder.mkdir(0o700)
                os.link(self.socket, folder / "jhyded.sock")
                with jhyde.connect(data=folder) as daemon:
                    self.assertEqual(daemon.address, f"unix:{folder}/jhyded.sock")
                with jhyde.connect(f"unix:{folder}/jhyded.sock"):
                    pass
                shutil.rmtree(folder)


def reported(act: Callable[[], object], kind: type[BaseException]) -> str:
    """The error as those have it who report what variables were (assertRaises would clear them), with all that led to it."""
    try:
        act()
    except kind as error:
        return "\n".join(parts(error))
    raise AssertionError(f"{kind.__name__} was not raised")


def parts(error: BaseException | None) -> Iterator[str]:
    """Also of contexts that are not printed, which are there for whoever looks."""
    while error is not None:
        yield from traceback.TracebackException.from_exception(error, capture_locals=True).format()
        if isinstance(error, errors.CallError):
            yield from parts(error.rpc)
        error = error.__context__


class Hiding(Fake):
    """Whoever sees what variables were in a report of an error does not see the token."""

    def setUp(self) -> None:
        super().setUp()
        file = self.folder / "token"
        file.write_text(TOKEN + "\n")
        file.chmod(0o600)
        self.environment(JHYDE_TOKEN_FILE=str(file))

    def raised(self, act: Callable[[], object], kind: type[BaseException], frame: str) -> None:
        report = reported(act, kind)
        self.assertIn(frame, report, "the report has the variables")
        self.assertNotIn(TOKEN, report)

    def test_where_connecting_fails(self) -> None:
        self.raised(lambda: jhyde.connect("192.0.2.1:7707"), errors.CredentialError, "token = Secret()")
        self.raised(lambda: jhyde.connect("127.0.0.1:1"), errors.Unreachable, "token = Secret()")

    def test_where_calls_fail(self) -> None:
        met: list[object] = []

        def answer(request: bytes, context: grpc.ServicerContext) -> Iterator[recordings.Recording]:
            met.extend(value for key, value in context.invocation_metadata() if key == "authorization")
            yield recordings.Recording(id="1")
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "no")

        self.methods["Recordings/Get"] = self.methods["Recordings/Watch"] = answer
        with jhyde.connect(f"unix:{self.socket}") as daemon:
            self.raised(lambda: daemon.recording("x"), errors.PermissionDenied, "request = ")
            self.assertEqual(met, [f"Bearer {TOKEN}"], "it is sent all the same")
            watching = daemon.stream(recordings_stub(daemon), recordings.GetRecordingRequest())
            self.raised(lambda: list(watching), errors.PermissionDenied, "self = ")
            # Whatever ends a call, in gRPC's own frames.
            with mock.patch("grpc._channel._end_unary_response_blocking", side_effect=KeyboardInterrupt):
                self.raised(lambda: daemon.recording("x"), KeyboardInterrupt, "metadata = (('authorization', SecretText()),)")


def recordings_stub(daemon: jhyde.Daemon) -> "grpc.UnaryStreamMultiCallable[recordings.GetRecordingRequest, recordings.Recording]":
    from jhyde.v1.recordings_pb2_grpc import RecordingsStub

    return RecordingsStub(daemon.channel).Watch


class Speaking(Limited):
    """Words, for terminals and elsewhere."""

    def test_names_of_programs_do_not_steer_terminals(self) -> None:
        self.assertEqual(jhyde.clean("a\x1b[2Jb\n\r\t\x85\u202ec\u2066d\u2069\u2028e\\ü"), "a\\u001b[2Jb\\n\\r\\t\\u0085\\u202ec\\u2066d\\u2069\\u2028e\\ü")
        odd = "x\x1b]0;y\x07\u202e"
        value = common.Value(int=1, display=odd)
        call = common.Call(id="1.1", method=odd, invocation=1, receiver=value, result=value)
        setattr(call, "class", f"pkg.{odd}")
        call.arguments.add(name=odd, value=common.Value(compact=odd))
        thrown = common.Call(id="1.2", method="m", exception=value)
        question = jhyde.Question(call, "", None, None)
        for text in (jhyde.shown(call), jhyde.name_of(call), jhyde.shown(thrown), str(question)):
            self.assertIn("x\\u001b]0;y\\u0007\\u202e", text)
            self.assertFalse({"\x1b", "\x07", "\u202e"} & set(text), text)

    def test_ended_are_those_that_are_known_to_be(self) -> None:
        running = {state for state in jhyde.State if not state.has_ended}
        self.assertEqual(running, {jhyde.State.UNSPECIFIED, jhyde.State.WAITING, jhyde.State.RUNNING})


class Answering(Fake):
    """Values that are asked about in the place of a call."""

    def setUp(self) -> None:
        super().setUp()
        self.requests: list[debugging.AnswerRequest] = []
        asked = debugging.ValueQuestion(variable="array#3[2]")
        given = debugging.GivenAnswer(
            call="1.2", answer=debugging.ANSWER_KIND_INVALID, cut=4, uncut="why not", value="array#3[1]", remembered="once"
        )
        self.told = debugging.Session(id="s", recording="1", question=common.Call(id="1.7"), value=asked, answers=[given])

        def answer(request: bytes, context: grpc.ServicerContext) -> Iterator[debugging.Session]:
            self.requests.append(debugging.AnswerRequest.FromString(request))
            yield self.told

        self.methods["Debugging/Answer"] = answer
        self.methods["Debugging/CreateSession"] = lambda request, context: iter([self.told])
        self.answers("Recordings/Get", recordings.Recording(id="1"))
        self.session = self.connected().recording("x").debug()

    def test_right_wrong_and_unknown_are_about_the_value(self) -> None:
        self.session.answer(jhyde.Answer.RIGHT)
        self.session.answer(jhyde.Answer.WRONG, "1.7")
        self.session.answer(jhyde.Answer.UNKNOWN, of_value=True)
        self.session.answer(jhyde.Answer.UNKNOWN)
        self.session.answer(jhyde.Answer.VALID, "1.9")
        sent = [(request.call, request.value) for request in self.requests]
        self.assertEqual(sent, [("1.7", "array#3[2]")] * 3 + [("1.7", ""), ("1.9", "")])

    def test_of_another_call_no_value_is_asked_about(self) -> None:
        for answer in (jhyde.Answer.RIGHT, jhyde.Answer.WRONG, jhyde.Answer.UNKNOWN):
            with self.assertRaises(errors.NoQuestion) as raised:
                self.session.answer(answer, "1.2", of_value=True)
            self.assertIn("1.7", str(raised.exception))
        self.session.told.ClearField("value")
        with self.assertRaises(errors.NoQuestion):
            self.session.answer(jhyde.Answer.UNKNOWN, of_value=True)
        self.assertEqual(self.requests, [])

    def test_what_was_answered_is_told_whole(self) -> None:
        [given] = self.session.answers
        self.assertEqual(given, jhyde.Given("1.2", jhyde.Answer.INVALID, (), 4, "why not", "array#3[1]", "once"))
