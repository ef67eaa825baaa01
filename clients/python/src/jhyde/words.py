"""The API's enumerations as Python's, and calls in words."""

import unicodedata
from enum import Enum
from typing import Self

from jhyde.v1 import common_pb2 as common
from jhyde.v1 import debugging_pb2 as debugging
from jhyde.v1 import recordings_pb2 as recordings


class _Told(Enum):
    """A value that the daemon tells. One that this client is too old to know is UNSPECIFIED."""

    @classmethod
    def _missing_(cls, value: object) -> Self:
        return cls(0)


class State(_Told):
    """How far a recording is, and how it ended."""

    UNSPECIFIED = recordings.RECORDING_STATE_UNSPECIFIED
    # Waits for a JVM to connect.
    WAITING = recordings.RECORDING_STATE_WAITING
    RUNNING = recordings.RECORDING_STATE_RUNNING
    # The JVM ran to its end.
    COMPLETE = recordings.RECORDING_STATE_COMPLETE
    # Somebody detached, or a limit did; the JVM ran on.
    DETACHED = recordings.RECORDING_STATE_DETACHED
    STOPPED = recordings.RECORDING_STATE_STOPPED
    CONNECTION_LOST = recordings.RECORDING_STATE_CONNECTION_LOST
    # The daemon ended without closing it: its tail is lost.
    CUT = recordings.RECORDING_STATE_CUT
    # Recording became impossible; the JVM ran on.
    FAILED = recordings.RECORDING_STATE_FAILED
    # Its folder is there and cannot be used.
    UNREADABLE = recordings.RECORDING_STATE_UNREADABLE

    @property
    def has_ended(self) -> bool:
        """Nothing is recorded any more. Of a state that this client does not know, that is not known either: False."""
        return self in _ENDED


_ENDED = frozenset(
    {State.COMPLETE, State.DETACHED, State.STOPPED, State.CONNECTION_LOST, State.CUT, State.FAILED, State.UNREADABLE}
)


class Answer(_Told):
    """What is said of a call, or (RIGHT, WRONG) of one value of it."""

    UNSPECIFIED = debugging.ANSWER_KIND_UNSPECIFIED
    # It did what it should.
    VALID = debugging.ANSWER_KIND_VALID
    # It did not.
    INVALID = debugging.ANSWER_KIND_INVALID
    # Its method is right: never ask about it.
    TRUSTED = debugging.ANSWER_KIND_TRUSTED
    # Decide later.
    UNKNOWN = debugging.ANSWER_KIND_UNKNOWN
    # It should never have been called so.
    INADMISSIBLE = debugging.ANSWER_KIND_INADMISSIBLE
    # Of `Question.value`: given what the call was given, it was right, or not.
    RIGHT = debugging.ANSWER_KIND_RIGHT
    WRONG = debugging.ANSWER_KIND_WRONG


class Progress(_Told):
    """How far a search is."""

    UNSPECIFIED = debugging.PROGRESS_UNSPECIFIED
    # There is a question.
    ASKING = debugging.PROGRESS_ASKING
    # The buggy call is found.
    FOUND = debugging.PROGRESS_FOUND
    # Some answers were unknown: it is one of the candidates.
    UNDECIDED = debugging.PROGRESS_UNDECIDED
    # No buggy call.
    NONE = debugging.PROGRESS_NONE
    # The program still runs, and nothing can be asked now: refresh later.
    WAITING = debugging.PROGRESS_WAITING


class KnownFrom(_Told):
    """Where an answer is from that nobody was asked for."""

    UNSPECIFIED = debugging.KNOWN_FROM_UNSPECIFIED
    EQUAL_CALL = debugging.KNOWN_FROM_EQUAL_CALL
    RECORDING = debugging.KNOWN_FROM_RECORDING
    MEMORY = debugging.KNOWN_FROM_MEMORY
    PROPERTY = debugging.KNOWN_FROM_PROPERTY
    PROGRAM = debugging.KNOWN_FROM_PROGRAM


def clean(text: str) -> str:
    """The text without characters that steer terminals, or turn the direction of what stands around them: they are written as escapes,
    as by `jhyde`. Names and values are the recorded program's, which may be anybody's.
    """
    return "".join(_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if _is_unfit(c) else c) for c in text)


_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _is_unfit(c: str) -> bool:
    return unicodedata.category(c) == "Cc" or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069" or c in "\u2028\u2029"


def name_of(call: common.Call) -> str:
    """As jhyde writes it, with the class's simple name: `MergeSort.merge #2 (1.7)`. Clean."""
    simple = getattr(call, "class").rpartition(".")[2]
    return clean(f"{simple}.{call.method} #{call.invocation} ({call.id})")


def shown(call: common.Call) -> str:
    """The call with what it was given, and what came of it: `Cart.total #1 (1.9) on Cart object#3 returned 9`. Clean."""
    words = [name_of(call)]
    if call.HasField("receiver"):
        words.append(f"on {_short(call.receiver)}")
    given = ", ".join(f"{clean(argument.name)} = {_short(argument.value)}" for argument in call.arguments)
    if given:
        words.append(f"given {given}")
    if call.HasField("exception"):
        words.append(f"threw {clean(call.exception.display)}")
    elif call.HasField("result") and call.result.WhichOneof("kind") != "void":
        words.append(f"returned {_short(call.result)}")
    elif call.incomplete:
        words.append("did not end" if call.recording_ended else "still runs")
    return " ".join(words)


def _short(value: common.Value) -> str:
    return clean(value.compact or value.display)
