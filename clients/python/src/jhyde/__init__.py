"""Client of jhyded, an omniscient, declarative debugger for Java.

    import jhyde

    with jhyde.connect() as daemon:
        with_defect = daemon.recording("shop")
        session = with_defect.debug()
        print(session.question)

`connect` finds a daemon as the command `jhyde` does. A `Daemon` has recordings, a `Recording` has calls, states, events, histories, rows
of SQL and `Session`s. Their answers are the messages of the API (`jhyde.v1`), whose fields docs and types tell; lists fetch page after
page by themselves. What goes wrong is raised as one of `jhyde.errors`.
"""

from jhyde import errors
from jhyde._caller import Answers
from jhyde.daemon import Daemon, Ended, Launched, Output, connect
from jhyde.errors import CallError, JhydeError
from jhyde.listing import Listing
from jhyde.recording import Recording
from jhyde.rows import ArrowBytes, QueryRows, SqlRows
from jhyde.session import Given, Known, Question, Session
from jhyde.v1.debugging_pb2 import Evidence
from jhyde.v1.recordings_pb2 import RecordingOptions as Options
from jhyde.words import Answer, KnownFrom, Progress, State, clean, name_of, shown

__all__ = [
    "Answer",
    "Answers",
    "ArrowBytes",
    "CallError",
    "Daemon",
    "Ended",
    "Evidence",
    "Given",
    "JhydeError",
    "Known",
    "KnownFrom",
    "Launched",
    "Listing",
    "Options",
    "Output",
    "Progress",
    "QueryRows",
    "Question",
    "Recording",
    "Session",
    "SqlRows",
    "State",
    "clean",
    "connect",
    "errors",
    "name_of",
    "shown",
]
