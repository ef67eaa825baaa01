"""A connection to a daemon: its recordings, and how more of them are made."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Self

import grpc

from jhyde import _address, _credentials
from jhyde._address import Transport
from jhyde._caller import A, Answers, Caller, Q
from jhyde._credentials import AnyPath
from jhyde.errors import CredentialError, IncompleteAnswer
from jhyde.listing import Listing
from jhyde.recording import Recording
from jhyde.v1 import daemon_pb2, daemon_pb2_grpc, recordings_pb2_grpc
from jhyde.v1 import recordings_pb2 as messages


def connect(
    address: str | None = None,
    *,
    data: AnyPath | None = None,
    ca: AnyPath | None = None,
    token_file: AnyPath | None = None,
    identity: AnyPath | None = None,
    timeout: float = 5.0,
    deadline: float | None = 300.0,
) -> "Daemon":
    """Connects to a daemon, as the command `jhyde` would: to the one at `address` (`https://HOST:PORT`, `HOST:PORT`,
    `unix:/path`; else `JHYDE_DAEMON`), else to the one that serves the data folder `data` (else `JHYDED_DATA`, a configuration's, the
    default). An address wins over a data folder, also `JHYDE_DAEMON` over `data`, as over `--data` of `jhyde`. None is started.

    `ca`: over TLS, trust this authority (PEM) and no other; else `JHYDE_CA`, else those that the system trusts. `token_file`: who asks;
    else `JHYDE_TOKEN_FILE`, else the token in `JHYDE_TOKEN`. `identity`: a client certificate and its key in one file; else
    `JHYDE_IDENTITY`. `timeout`: seconds until the daemon must have answered for the first time; `deadline`: seconds that a question with
    one answer may take from then on (DeadlineExceeded), None: as long as it takes. Streams have none, but a `timeout` of their own.

    Raises AddressError, CredentialError (a file that others can read, a token that would go to another machine in the clear),
    FolderError, NotRunning, Unreachable.
    """
    named = address or os.environ.get("JHYDE_DAEMON")
    if named:
        found = _address.parsed(named)
        token = _credentials.token(token_file)
        if token and found.is_open_to_others:
            raise CredentialError(
                f"the token would go to {found} in the clear, and is not sent", "write https://HOST:PORT, or tunnel (ssh -L)"
            )
        trust = _credentials.trust(ca, identity) if found.transport is Transport.TLS else None
    else:
        # At its socket the kernel tells the daemon who asks.
        found, token, trust = _address.of_data_folder(data, timeout), None, None
    caller = Caller(found, trust, token, deadline)
    try:
        caller.check(timeout)
    except BaseException:
        caller.close()
        raise
    return Daemon(caller)


class Output(NamedTuple):
    """Something that a program wrote."""

    # `stdout` or `stderr`.
    stream: str
    data: bytes


@dataclass(frozen=True)
class Ended:
    """How a launched program ended: 128 + number if a signal ended it. And all that it wrote which was not read before, which is held
    in memory: programs that write much are read by iterating.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes


class Launched:
    """A program that the daemon started, and records. It runs on, and is recorded to its end, whoever goes away.

    What it writes must be read, by iterating or by `wait`, or not be wanted: `close` it, or use it in a `with`, and the daemon reads it and
    drops it. The daemon holds some hundred kB; a program whose output nobody reads then stands still, and `recording.wait()` with it.
    """

    def __init__(self, caller: Caller, answers: Answers[messages.LaunchEvent]) -> None:
        self._answers = answers
        self._ended: messages.LaunchEnded | None = None
        first = next(answers, None)
        if first is None or not first.HasField("started"):
            answers.close()
            raise IncompleteAnswer("the daemon does not say that the program started", "is the daemon newer than this client?")
        self.recording = Recording(caller, first.started)

    def __iter__(self) -> Iterator[Output]:
        """What it writes, as it comes, until it has ended."""
        for event in self._answers:
            match event.WhichOneof("event"):
                case "stdout":
                    yield Output("stdout", event.stdout)
                case "stderr":
                    yield Output("stderr", event.stderr)
                case "ended":
                    self._ended = event.ended
                    self.recording.told = event.ended.recording
                    return

    def wait(self) -> Ended:
        """Waits until it has ended and its recording is closed. Raises IncompleteAnswer where the daemon does not say how it ended,
        DeadlineExceeded after the `timeout` of `launch`, Cancelled where it was closed.
        """
        written = list(self)
        if self._ended is None:
            raise IncompleteAnswer("the daemon does not say how the program ended", "look at the recording: refresh it")

        def of(stream: str) -> bytes:
            return b"".join(output.data for output in written if output.stream == stream)

        return Ended(self._ended.exit_code, of("stdout"), of("stderr"))

    def close(self) -> None:
        """Reads no more. The program does not notice; `recording.wait()` waits for its end."""
        self._answers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Daemon:
    """A connection to a daemon; made by `connect`. Close it, or use it in a `with`. Threads may share it.

    Whatever has no method here is called with `ask` or `stream` and the stubs of `jhyde.v1`:
    `daemon.ask(HistoryStub(daemon.channel).ListLines, ListLinesRequest(recording="shop", call="merge#2"))`.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._recordings = recordings_pb2_grpc.RecordingsStub(caller.channel)

    @property
    def channel(self) -> grpc.Channel:
        """For stubs. Calls that are made past `ask` and `stream` have no token, and raise gRPC's own errors."""
        return self._caller.channel

    @property
    def address(self) -> str:
        return str(self._caller.address)

    def __repr__(self) -> str:
        return f"Daemon({self.address!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Whoever asks from then on gets Closed."""
        self._caller.close()

    def ask(self, method: "grpc.UnaryUnaryMultiCallable[Q, A]", request: Q, timeout: float | None = None) -> A:
        """Calls any method of the API that has one answer, within `timeout` seconds, or the `deadline` of `connect`."""
        return self._caller.one(method, request, timeout)

    def stream(self, method: "grpc.UnaryStreamMultiCallable[Q, A]", request: Q, timeout: float | None = None) -> Answers[A]:
        """Calls any method of the API that has many answers; `timeout` in seconds until the last, None: as long as it takes."""
        return self._caller.stream(method, request, timeout)

    def status(self) -> daemon_pb2.DaemonStatus:
        """What the daemon does just now. Needs the right `manage`."""
        return self.ask(daemon_pb2_grpc.DaemonStub(self.channel).GetStatus, daemon_pb2.GetStatusRequest())

    def recordings(self, page_size: int = 0) -> Listing[Recording]:
        """All recordings, newest first. `page_size`: rows in a page; 0: 100, at most 1000."""

        def page(token: str) -> messages.ListRecordingsResponse:
            request = messages.ListRecordingsRequest(page_size=page_size, page_token=token)
            return self.ask(self._recordings.List, request)

        def rows(answer: messages.ListRecordingsResponse) -> list[Recording]:
            return [Recording(self._caller, told) for told in answer.recordings]

        return Listing(page, rows)

    def recording(self, name: str) -> Recording:
        """The one of this id or name. Raises NotFound."""
        told = self.ask(self._recordings.Get, messages.GetRecordingRequest(recording=name))
        return Recording(self._caller, told)

    def launch(
        self,
        command: Sequence[str],
        *,
        name: str = "",
        options: messages.RecordingOptions | None = None,
        directory: str = "",
        input: bytes = b"",
        environment: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Launched:
        """Starts a program under the daemon, on its machine and as its user, and records it; returns once it runs.

        `command` begins with a `java` program; `name`: of the recording, made if empty; `directory`: to run in, else the daemon's own;
        `input`: its standard input, which then ends; `environment`: set besides the daemon's own. Needs the right `launch`.

        `timeout`: after so many seconds its output is read no more, and who reads it or waits gets DeadlineExceeded; it runs on. The
        answer must be read, or closed: see Launched.
        """
        request = messages.LaunchRequest(
            command=command, name=name, options=options, directory=directory, input=input, environment=dict(environment or {})
        )
        return Launched(self._caller, self.stream(self._recordings.Launch, request, timeout))

    def attach(self, address: str, *, name: str = "", options: messages.RecordingOptions | None = None) -> Recording:
        """Records a JVM that listens at HOST:PORT (`-agentlib:jdwp=transport=dt_socket,server=y,…`), as the daemon's machine reaches it.

        Raises Unavailable where none answers, PermissionDenied where the daemon may not go.
        """
        request = messages.AttachRequest(address=address, name=name, options=options)
        return Recording(self._caller, self.ask(self._recordings.Attach, request))

    def listen(
        self, port: int = 0, *, name: str = "", options: messages.RecordingOptions | None = None, timeout: float = 0
    ) -> Recording:
        """Waits for one JVM to connect by itself (`server=n`) to a loopback port of the daemon's machine, 0: any. Returns at once:
        `told.listen_port` is the port. `timeout`: seconds until it gives up, 0: never.
        """
        request = messages.ListenRequest(port=port, name=name, options=options, timeout_ms=round(timeout * 1000))
        return Recording(self._caller, self.ask(self._recordings.Listen, request))
