"""A debugging session: the daemon proposes calls, somebody says whether they did what they should, and the buggy call is found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from jhyde._caller import Caller
from jhyde.errors import NoQuestion
from jhyde.v1 import common_pb2 as common
from jhyde.v1 import debugging_pb2 as debugging
from jhyde.v1 import debugging_pb2_grpc as stubs
from jhyde.words import Answer, KnownFrom, Progress, shown


@dataclass(frozen=True)
class Question:
    """Did this call do what it should?"""

    # What is asked about: arguments, receiver, result. `Recording.input` and `result` have all that it was shown, and left behind.
    call: common.Call
    # Why it is asked, for people; empty with strategies that do not tell.
    why: str
    # So many questions are to be expected until the end, this one counted; None with strategies that do not tell.
    expected: float | None
    # This value may be answered for in the place of the call: RIGHT, WRONG, or UNKNOWN with `of_value`. None: only the call.
    value: debugging.ValueQuestion | None

    def __str__(self) -> str:
        return f"{shown(self.call)}: is that right?"


@dataclass(frozen=True)
class Given:
    """An answer that was given."""

    # The call's id.
    call: str
    answer: Answer
    # What was pointed at as wrong, in its written form.
    wrong: tuple[str, ...]
    # So many suspicious calls cannot be to blame for that.
    cut: int
    # Why none is, although something was pointed at; else empty.
    uncut: str
    # The answer was about this value of the call alone, in its written form; with INVALID it was wrong. Empty: about the call.
    value: str
    # Nobody was asked: an earlier session said so, in words for people; else empty.
    remembered: str


@dataclass(frozen=True)
class Known:
    """An answer that nobody was asked for."""

    call: str
    answer: Answer
    origin: KnownFrom
    # In words for people, where there are any.
    told: str


class Session:
    """One search in a recording. It is kept with the recording, and survives the daemon: nothing needs to be closed.

    What is read here is the session as it was after the last call that this object made: `refresh` asks anew, as somebody else may have
    answered meanwhile, and a program that is recorded runs on.
    """

    def __init__(self, caller: Caller, told: debugging.Session) -> None:
        self._caller = caller
        self._stub = stubs.DebuggingStub(caller.channel)
        # The message as the daemon sent it last: it has all that there is.
        self.told = told

    @property
    def id(self) -> str:
        return self.told.id

    @property
    def progress(self) -> Progress:
        return Progress(self.told.progress)

    @property
    def question(self) -> Question | None:
        """The next one; None where there is none (`progress` says why)."""
        told = self.told
        if not told.HasField("question"):
            return None
        expected = told.expected if told.HasField("expected") else None
        return Question(told.question, told.why, expected, told.value if told.HasField("value") else None)

    @property
    def buggy(self) -> common.Call | None:
        """The buggy call, once it is found."""
        return self.told.buggy if self.told.HasField("buggy") else None

    @property
    def candidates(self) -> list[common.Call]:
        """One of these it is, where some answers were unknown: at most 1000."""
        return list(self.told.candidates)

    @property
    def suspicious(self) -> int:
        """Number of calls that may be to blame."""
        return self.told.suspicious

    @property
    def answers(self) -> list[Given]:
        """In the order in which they were given; without those that were undone."""
        return [
            Given(each.call, Answer(each.answer), tuple(each.wrong), each.cut, each.uncut, each.value, each.remembered)
            for each in self.told.answers
        ]

    @property
    def known(self) -> list[Known]:
        """What was answered without asking, and is in force."""
        return [Known(each.call, Answer(each.answer), KnownFrom(getattr(each, "from")), each.told) for each in self.told.known]

    @property
    def notes(self) -> list[str]:
        """What people must know of the search: calls that nobody can be asked about, and why."""
        return list(self.told.notes)

    def __iter__(self) -> Iterator[Question]:
        """The questions, one after the other, until there is none; one that was not answered comes again."""
        while (question := self.question) is not None:
            yield question

    def answer(
        self, answer: Answer, call: str | None = None, *, wrong: Sequence[str] = (), of_value: bool = False, by: str = ""
    ) -> Self:
        """Answers the question, or for any other `call`.

        `wrong` points at what is wrong of an INVALID call, at level `full`: `result`, `this.size`, `a[2]`. RIGHT and WRONG are about
        `Question.value`, and so is UNKNOWN with `of_value`, after which the call is asked about as a whole. `by` names a program that says
        so and may be wrong, such as a language model.

        Raises FailedPrecondition where the call cannot be asked about, InvalidArgument where what is pointed at is not of the call's
        result or the answer is none for a value, NoQuestion where no `call` is named and there is no question, or no value of the call
        is asked about.
        """
        question = self.question
        if call is None:
            if question is None:
                raise NoQuestion(f"there is no question: {self.progress.name}", "say which call the answer is about")
            call = question.call.id
        value = ""
        if of_value or answer in (Answer.RIGHT, Answer.WRONG):
            if question is None or question.value is None:
                raise NoQuestion(f"no value is asked about, and {answer.name} is about one", "answer VALID or INVALID")
            if call != question.call.id:
                raise NoQuestion(f"the value that is asked about is one of call {question.call.id}, not of {call}", "name no call")
            value = question.value.variable
        request = debugging.AnswerRequest(
            recording=self.told.recording,
            session=self.id,
            call=call,
            answer=answer.value,
            wrong=wrong,
            value=value,
            by=by,
        )
        return self._now(self._caller.one(self._stub.Answer, request))

    def undo(self) -> Self:
        """Takes the last answer back. Raises FailedPrecondition where there is none."""
        return self._now(self._caller.one(self._stub.Undo, self._request()))

    def redo(self) -> Self:
        """Gives the answer again that was undone last. Raises FailedPrecondition where there is none."""
        return self._now(self._caller.one(self._stub.Redo, self._request()))

    def doubt(self, call: str) -> Self:
        """Takes a known answer back: the call counts as not answered. Raises FailedPrecondition if nothing is known of it."""
        request = debugging.DoubtRequest(recording=self.told.recording, session=self.id, call=call)
        return self._now(self._caller.one(self._stub.Doubt, request))

    def choose(self, strategy: str) -> Self:
        """Another strategy for the questions to come: `adaptive`, `top-down`, `divide-and-query`, …"""
        request = debugging.SetStrategyRequest(recording=self.told.recording, session=self.id, strategy=strategy)
        return self._now(self._caller.one(self._stub.SetStrategy, request))

    def restrict(self, call: str | None) -> Self:
        """Searches in this call's subtree alone; None: everywhere again."""
        request = debugging.RestrictRequest(recording=self.told.recording, session=self.id, call=call or "")
        return self._now(self._caller.one(self._stub.Restrict, request))

    def say(self, evidence: debugging.Evidence) -> Self:
        """Replaces what is said of many calls at once: what is trusted, properties, a change, runs that passed."""
        request = debugging.SetEvidenceRequest(recording=self.told.recording, session=self.id, evidence=evidence)
        return self._now(self._caller.one(self._stub.SetEvidence, request))

    def refresh(self) -> Self:
        """The session as it is now."""
        return self._now(self._caller.one(self._stub.GetSession, self._request()))

    def statistics(self) -> debugging.SessionStatistics:
        """Calls per class, and how they stand."""
        return self._caller.one(self._stub.GetStatistics, self._request())

    def delete(self) -> None:
        """Deletes it, for everybody."""
        self._caller.one(self._stub.DeleteSession, self._request())

    def _request(self) -> debugging.SessionRequest:
        return debugging.SessionRequest(recording=self.told.recording, session=self.id)

    def _now(self, told: debugging.Session) -> Self:
        self.told = told
        return self
