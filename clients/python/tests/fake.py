"""A daemon that answers what a test says, also what no real one does; and a limit for each test, so that none waits for ever."""

import faulthandler
import os
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import grpc
from google.protobuf.message import Message

import jhyde
from jhyde.v1.common_pb2 import Value

# Seconds that a test, or what its class does before, may take: as much as a slow machine needs to start a JVM many times.
LIMIT = 120

# What a method answers to a request, as bytes. On the wire one answer is a stream of one.
Method = Callable[[bytes, grpc.ServicerContext], Iterator[Message]]


class Limited(unittest.TestCase):
    """Where one takes too long, the stacks of all threads are printed and the run has failed."""

    @classmethod
    def setUpClass(cls) -> None:
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        cls.addClassCleanup(faulthandler.cancel_dump_traceback_later)

    def setUp(self) -> None:
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        folder = tempfile.TemporaryDirectory(prefix="jhyde-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def environment(self, **variables: str) -> None:
        """No variable that `connect` reads, but these; homes that nothing lies in."""
        none = {name: text for name, text in os.environ.items() if not name.startswith(("JHYDE_", "JHYDED_", "XDG_"))}
        home = {"HOME": str(self.folder / "home"), "JHYDE_SYSTEM_SOCKET": ""}
        changed = mock.patch.dict(os.environ, {**none, **home, **variables}, clear=True)
        changed.start()
        self.addCleanup(changed.stop)


class Fake(Limited):
    """A daemon at a unix socket, in a folder that is used as a data folder."""

    def setUp(self) -> None:
        super().setUp()
        self.methods: dict[str, Method] = {}
        # Those whose call was ended by the client.
        self.ended: dict[str, threading.Event] = {}
        self._is_over = threading.Event()
        self.environment()
        server = grpc.server(ThreadPoolExecutor(8), handlers=[_Handler(self)])
        server.add_insecure_port(f"unix:{self.socket}")
        server.start()
        self.addCleanup(lambda: server.stop(None).wait())
        self.addCleanup(self._is_over.set)

    @property
    def socket(self) -> Path:
        return self.folder / "jhyded.sock"

    def connected(self, **how: Any) -> jhyde.Daemon:
        daemon = jhyde.connect(data=self.folder, **how)
        self.addCleanup(daemon.close)
        return daemon

    def answers(self, method: str, *messages: Message) -> None:
        """That one, `Recordings/Get`, answers so."""
        self.methods[method] = lambda request, context: iter(messages)

    def stands_still(self, method: str, *messages: Message) -> None:
        """That one answers so, and then nothing, nor that it has ended."""
        ended = self.ended[method] = threading.Event()

        def answer(request: bytes, context: grpc.ServicerContext) -> Iterator[Message]:
            if not context.add_callback(ended.set):
                ended.set()
            yield from messages
            self._is_over.wait(LIMIT)

        self.methods[method] = answer

    def refuses(self, method: str, code: grpc.StatusCode, details: bytes) -> None:
        """That one is refused, with these details for programs."""

        def answer(request: bytes, context: grpc.ServicerContext) -> Iterator[Message]:
            context.set_trailing_metadata((("grpc-status-details-bin", details),))
            context.abort(code, "what it says")
            yield Value()

        self.methods[method] = answer


class _Handler(grpc.GenericRpcHandler):
    def __init__(self, fake: Fake) -> None:
        self.fake = fake

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, Message] | None":
        name = handler_call_details.method.removeprefix("/jhyde.v1.")
        method = self.fake.methods.get(name)
        if name == "/grpc.health.v1.Health/Check":
            method = lambda request, context: iter([Value()])
        return method and grpc.unary_stream_rpc_method_handler(method, response_serializer=lambda message: message.SerializeToString())
