"""What can go wrong: each error says what happened and, where that is known, what to do."""

from typing import ClassVar

import grpc

from jhyde import _details


class JhydeError(Exception):
    """Anything that jhyde says. `what` happened, and the `advice` what to do; the text of the error has both."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}; {advice}" if advice else what)
        self.what = what
        self.advice = advice


class AddressError(JhydeError):
    """What was named is no address of a daemon."""


class CredentialError(JhydeError):
    """A token, a key or a certificate is not to be used: nothing was sent."""


class FolderError(JhydeError):
    """A data folder, or a configuration that would name it, is not to be used."""


class NotRunning(JhydeError):
    """No daemon serves this user's data folder."""


class Unreachable(JhydeError):
    """Nobody answers at the address, or who answers is not trusted."""


class Closed(JhydeError):
    """The connection was closed from this side."""


class IncompleteAnswer(JhydeError):
    """A stream ended before its last message: what came until then is not the whole answer."""


class NoQuestion(JhydeError):
    """An answer without a question."""


class CallError(JhydeError):
    """The daemon refused a call, or was not reached. Its subclasses are the codes of gRPC that it uses."""

    ADVICE: ClassVar[str] = ""

    def __init__(self, rpc: grpc.RpcError) -> None:
        code = rpc.code()
        super().__init__(rpc.details() or code.name, self.ADVICE)
        details = _details.of_metadata(rpc.trailing_metadata())
        self.code = code
        # What gRPC raised: this error is told in its place.
        self.rpc = rpc
        # The reason of google.rpc.ErrorInfo, for programs: docs/service.md lists those of refusals. Empty: none was given.
        self.reason = details.reason
        # The field of the request that is not written right; empty: none was named.
        self.field = details.field
        # After so many seconds it may go well; None: the daemon does not say.
        self.retry_after = details.retry_after


class InvalidArgument(CallError):
    """Something is not written right. The same call never goes well."""


class NotFound(CallError):
    """There is no such recording, call, variable, session …"""


class AlreadyExists(CallError):
    """The name is taken."""


class FailedPrecondition(CallError):
    """Not in this state, or not at this recording's level."""


class Unauthenticated(CallError):
    """The daemon does not know who asks."""

    ADVICE = "in Python: connect(token_file=…), or JHYDE_TOKEN_FILE"


class PermissionDenied(CallError):
    """The token has no right for that, or is for other recordings."""


class ResourceExhausted(CallError):
    """Too many calls at once or in a second: again after `retry_after`."""


class DeadlineExceeded(CallError):
    """It took longer than it may."""


class DataLoss(CallError):
    """A damaged part of the recording would have been needed: `jhyded check` tells what is damaged."""


class Cancelled(CallError):
    """The call was ended from this side."""


class Unimplemented(CallError):
    """The daemon does not have that."""

    ADVICE = "is it older than this client?"


class Internal(CallError):
    """A bug of the daemon's, or of what lies between."""

    ADVICE = "the daemon's log says more"


class Unavailable(CallError):
    """The daemon, or a JVM, is not reached. Again when it is up."""


_BY_CODE: dict[grpc.StatusCode, type[CallError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExists,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPrecondition,
    grpc.StatusCode.UNAUTHENTICATED: Unauthenticated,
    grpc.StatusCode.PERMISSION_DENIED: PermissionDenied,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhausted,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    grpc.StatusCode.DATA_LOSS: DataLoss,
    grpc.StatusCode.CANCELLED: Cancelled,
    grpc.StatusCode.INTERNAL: Internal,
    grpc.StatusCode.UNIMPLEMENTED: Unimplemented,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
}


def of_rpc(error: grpc.RpcError) -> CallError:
    """The typed error for what gRPC raised. Its traceback goes: the frames in it have the token as a variable."""
    error.__traceback__ = None
    return _BY_CODE.get(error.code(), CallError)(error)
