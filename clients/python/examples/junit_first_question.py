"""Runs JUnit tests (4, by JUnitCore) under the debugger, as pytest runs Python's: a line for each that fails, and the first question of a
debugging session about it.

    python junit_first_question.py --class-path build/classes:build/test-classes:junit4.jar:hamcrest.jar --include shop shop.CartTest

The daemon is found as `jhyde.connect()` does, and needs the right to launch. Exit code 0: all tests passed. 1: one failed. 2: they did not
run.
"""

import argparse
import os
import sys

import jhyde
from jhyde.v1.common_pb2 import Call
from jhyde.v1.history_pb2 import UncaughtException


def main() -> int:
    words = arguments()
    with jhyde.connect() as daemon:
        command = [words.java, "-cp", words.class_path, "org.junit.runner.JUnitCore", *words.test]
        options = jhyde.Options(level="full", include=words.include)
        # The daemon has a folder of its own, which means nothing to who wrote the class path.
        launched = daemon.launch(command, name=words.name, options=options, directory=words.directory)
        ended = launched.wait()
        recording = launched.recording
        if ended.exit_code == 0:
            print(f"all tests passed; recorded as {recording.name}")
            return 0
        failed = [each for each in recording.uncaught().exceptions if each.HasField("test")]
        if not failed:
            sys.stderr.write((ended.stdout + ended.stderr).decode(errors="replace"))
            print(f"no test failed that was recorded (--include {' '.join(words.include)}), and yet: exit code {ended.exit_code}")
            return 2
        for exception in failed:
            print(f"FAILED {told(exception)}")
        print(f"recorded as {recording.name}")
        ask(recording, failed[0].test.test)
        return 1


def told(exception: UncaughtException) -> str:
    """The test, and why it failed."""
    return f"{jhyde.name_of(exception.test.test)}: {jhyde.clean(exception.exception.display)}"


def ask(recording: jhyde.Recording, test: Call) -> None:
    """Begins a session in the test's own subtree, says what is known already (the test is not as it should be), and prints what is asked."""
    session = recording.debug(restrict_to=test.id)
    if session.question and session.question.call.id == test.id:
        session.answer(jhyde.Answer.INVALID)
    if session.question is None:
        print(f"nothing is asked: {session.progress.name}", *map(jhyde.clean, session.notes), sep="\n  ")
        return
    print(f"\n{session.question}\n  {jhyde.clean(session.question.why)}")
    print(f"\nto go on: jhyde debug {recording.name} --session {session.id}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="JUnit tests under the debugger")
    parser.add_argument("test", nargs="+", help="test classes")
    parser.add_argument("--class-path", required=True, help="of the program, its tests, and JUnit 4 with Hamcrest")
    parser.add_argument("--directory", default=os.getcwd(), help="to run in, on the daemon's machine; else this one")
    parser.add_argument("--include", action="append", required=True, help="packages or classes to record")
    parser.add_argument("--java", default="java", help="the program java of the daemon's machine")
    parser.add_argument("--name", default="", help="of the recording; made if it is not said")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except jhyde.JhydeError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
