"""How methods of the API are called: the connection, the token behind every call, errors as this package has them.

An error is raised where what gRPC raised is no longer being handled: it would stay the new one's context, whose frames have the token.
"""

import os
from collections.abc import Iterator
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar
from urllib.parse import quote

import grpc

from jhyde import errors
from jhyde._address import Address, Transport
from jhyde._credentials import Trust
from jhyde._secret import Secret

Q = TypeVar("Q")
A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)

# Pages may have up to 10000 rows, whatever is in them. Proxies of the environment are for the web, not for daemons.
_OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.enable_http_proxy", 0)]

# While a call is under way the daemon is asked this often, in milliseconds, whether it is still there, as it asks its clients, and has so
# long to say so: streams have no end that would be missed. It counts nobody's pings.
_KEEPALIVE = (30_000, 20_000)


class _Stream(Protocol[A_co]):
    """What gRPC has of a streaming call."""

    def __next__(self) -> A_co: ...
    def cancel(self) -> bool: ...


class Answers(Iterator[A], Generic[A]):
    """What a streaming method answers, as it comes: iterate over it once. The call has begun already.

    Who does not read to the end ends the call with `close`, or uses it in a `with`.
    """

    def __init__(self, call: _Stream[A]) -> None:
        self._call = call

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> A:
        try:
            return next(self._call)
        except grpc.RpcError as error:
            failed = errors.of_rpc(error)
        raise failed

    def close(self) -> None:
        """Ends the call, if it is not over."""
        self._call.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Caller:
    """A connection, and who asks."""

    def __init__(self, address: Address, trust: Trust | None, token: Secret | None, deadline: float | None) -> None:
        self.address = address
        self.channel = _channel(address, trust)
        self._metadata = (("authorization", token.bearer),) if token else ()
        self._deadline = deadline
        self._is_closed = False

    def close(self) -> None:
        self._is_closed = True
        self.channel.close()

    def one(self, method: "grpc.UnaryUnaryMultiCallable[Q, A]", request: Q, timeout: float | None = None) -> A:
        """The answer of a method that has one; `timeout` in seconds, None: that of the connection."""
        failed: errors.JhydeError
        try:
            answer = method(request, timeout=self._deadline if timeout is None else timeout, metadata=self._metadata)
            if answer is not None:
                return answer
            failed = errors.IncompleteAnswer("the call ended well, and without an answer", "is what answers there a jhyded?")
        except grpc.RpcError as error:
            failed = errors.of_rpc(error)
        except ValueError:
            if not self._is_closed:
                raise
            failed = self._closed()
        raise failed

    def stream(self, method: "grpc.UnaryStreamMultiCallable[Q, A]", request: Q, timeout: float | None = None) -> Answers[A]:
        """The answers of a method that has many; `timeout` in seconds, until the last one, None: as long as it takes."""
        try:
            return Answers(method(request, timeout=timeout, metadata=self._metadata))
        except ValueError:
            if not self._is_closed:
                raise
        raise self._closed()

    def _closed(self) -> errors.Closed:
        return errors.Closed(f"the connection to {self.address} was closed", "connect() anew")

    def check(self, timeout: float) -> None:
        """Asks for the daemon's health, which is open to all: what hinders a connection is said now, not by the first question.

        Raises Unreachable where nobody answers within `timeout` seconds, or is not trusted.
        """
        health = self.channel.unary_unary(
            "/grpc.health.v1.Health/Check", request_serializer=_bytes, response_deserializer=_bytes
        )
        try:
            self.one(health, b"", timeout)
        except (errors.Unavailable, errors.DeadlineExceeded) as error:
            advice = {
                Transport.UNIX: "does it run?",
                Transport.TCP: "does it run? One with TLS is https://HOST:PORT",
                Transport.TLS: "does it run? If its CA is not one that this system trusts: connect(ca=…)",
            }
            raise errors.Unreachable(f"no daemon answers at {self.address}: {error.what}", advice[self.address.transport]) from error


def _bytes(message: bytes) -> bytes:
    return message


def _channel(address: Address, trust: Trust | None) -> grpc.Channel:
    time, limit = _KEEPALIVE
    options: list[tuple[str, int | str]] = [
        *_OPTIONS,
        ("grpc.keepalive_time_ms", time),
        ("grpc.keepalive_timeout_ms", limit),
        # Pings that gRPC sends for reasons of its own have another limit, a minute, and one under way is taken for the daemon's being there.
        ("grpc.http2.ping_timeout_ms", limit),
        # Who waits for a program to end has nothing to send.
        ("grpc.http2.max_pings_without_data", 0),
    ]
    match address.transport:
        case Transport.UNIX:
            # The name stands for nothing there; a path as HTTP's authority would be refused.
            options.append(("grpc.default_authority", "localhost"))
            # It is read as a URI: what has a meaning there must not have it.
            return grpc.insecure_channel(f"unix:{quote(os.fsencode(address.target))}", options)
        case Transport.TCP:
            return grpc.insecure_channel(address.target, options)
        case Transport.TLS:
            assert trust is not None, "TLS needs somebody to be trusted"
            identity = trust.identity
            # One file has both, the key and the certificate.
            credentials = (
                grpc.ssl_channel_credentials(trust.authorities, identity.content, identity.content)
                if identity
                else grpc.ssl_channel_credentials(trust.authorities)
            )
            return grpc.secure_channel(address.target, credentials, options)
