"""What an error of the daemon says for programs: the `google.rpc` messages that come behind its text."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

# These have no types that a checker finds; nothing of them leaves this file.
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

_HEADER = "grpc-status-details-bin"


@dataclass(frozen=True)
class Details:
    """Of `ErrorInfo` the reason, of `BadRequest` the first field, of `RetryInfo` the pause in seconds."""

    reason: str = ""
    field: str = ""
    retry_after: float | None = None


class _Header(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str | bytes: ...


def of_metadata(metadata: Iterable[_Header] | None) -> Details:
    """The details in a call's trailing metadata; empty ones where there are none, or where something on the way has damaged them: what the
    daemon said in words is worth more than that.
    """
    packed = next((header.value for header in metadata or () if header.key == _HEADER), None)
    if not isinstance(packed, bytes):
        return Details()
    try:
        return _unpacked(packed)
    except (DecodeError, ValueError, OverflowError):
        return Details()


def _unpacked(packed: bytes) -> Details:
    info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    found: list[Any] = [
        message
        for detail in status_pb2.Status.FromString(packed).details
        for message in (info, bad, retry)
        if detail.Unpack(message)
    ]
    fields = [str(violation.field) for violation in bad.field_violations]
    pause: timedelta | None = retry.retry_delay.ToTimedelta() if retry in found else None
    return Details(str(info.reason), fields[0] if fields else "", pause.total_seconds() if pause else None)
