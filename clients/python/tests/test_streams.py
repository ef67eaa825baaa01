"""Answers that take long, against a daemon that runs: see test_client.py. JHYDE_TEST_LOUD has the classes of java/Loud.java, …_JHYDED is
the program jhyded.
"""

import os
import subprocess
import time
from typing import Any
from unittest import mock

from fake import LIMIT, Limited

import jhyde
from jhyde import _caller, errors

# Of 64 KiB: together 10 MB, far more than the daemon and all pipes hold.
BLOCKS = 160


def given(what: str) -> str:
    return os.environ[f"JHYDE_TEST_{what}"]


class Streams(Limited):
    def setUp(self) -> None:
        super().setUp()
        self.daemon = jhyde.connect()
        self.addCleanup(self.daemon.close)

    def loud(self, blocks: int, milliseconds: int = 0, daemon: jhyde.Daemon | None = None, **how: Any) -> jhyde.Launched:
        command = [given("JAVA"), "-cp", given("LOUD"), "Loud", str(blocks), str(milliseconds)]
        options = jhyde.Options(level="calls", include=["nothing.of.it"])
        launched = (daemon or self.daemon).launch(command, options=options, **how)
        self.addCleanup(self.end, launched)
        return launched

    def end(self, launched: jhyde.Launched) -> None:
        launched.close()
        recording = self.daemon.recording(launched.recording.id)
        if not recording.state.has_ended:
            recording.stop().wait(LIMIT)

    def test_a_program_that_writes_much_is_not_held_up_once_its_output_is_closed(self) -> None:
        launched = self.loud(BLOCKS)
        # The daemon holds some of it. It never ends so, however long one waits.
        with self.assertRaises(errors.DeadlineExceeded):
            launched.recording.wait(timeout=2)
        self.assertIs(self.daemon.recording(launched.recording.id).state, jhyde.State.RUNNING)
        launched.close()
        self.assertIs(launched.recording.wait(LIMIT).state, jhyde.State.COMPLETE)
        self.assertEqual(launched.recording.told.exit_code, 0)
        with self.assertRaises(errors.Cancelled):
            launched.wait()

    def test_whoever_goes_away_leaves_the_program_to_its_end(self) -> None:
        with self.loud(BLOCKS) as launched:
            self.assertEqual(next(iter(launched)).data[:2], b"aa")
        self.assertIs(launched.recording.wait(LIMIT).state, jhyde.State.COMPLETE)
        with self.assertRaises(errors.DeadlineExceeded):
            self.loud(0, 1000 * LIMIT, timeout=1).wait()

    def test_all_that_it_writes_comes(self) -> None:
        launched = self.loud(BLOCKS)
        self.assertEqual(sum(len(output.data) for output in launched), BLOCKS << 16)
        self.assertEqual(launched.wait(), jhyde.Ended(0, b"", b""))
        launched.close()
        self.assertIs(launched.recording.state, jhyde.State.COMPLETE)

    def test_the_daemon_minds_nobody_who_asks_often_whether_it_is_there(self) -> None:
        with mock.patch.object(_caller, "_KEEPALIVE", (50, 20_000)):
            daemon = jhyde.connect()
        self.addCleanup(daemon.close)
        # Some sixty pings, with nothing in between.
        self.assertEqual(self.loud(0, 3000, daemon).wait().exit_code, 0)

    def test_a_token_that_is_revoked_ends_what_its_bearer_has_under_way(self) -> None:
        jhyded = [given("JHYDED"), "--data", given("DATA"), "token"]
        token = subprocess.run([*jhyded, "create", "passing", "--rights", "read"], check=True, capture_output=True).stdout
        file = self.folder / "passing.token"
        file.touch(0o600)
        file.write_bytes(token)
        launched = self.loud(0, 1000 * LIMIT)
        with jhyde.connect(token_file=file) as daemon:
            watching = daemon.recording(launched.recording.id).watch()
            next(watching)
            subprocess.run([*jhyded, "revoke", "passing"], check=True, capture_output=True)
            with self.assertRaises(errors.Unauthenticated) as raised:
                list(watching)
            self.assertEqual(raised.exception.reason, "TOKEN_REVOKED")

    def test_a_statement_that_is_closed_ends_in_the_daemon(self) -> None:
        command = [given("JAVA"), "-cp", given("CLASSES"), "MergeSort"]
        launched = self.daemon.launch(command, options=jhyde.Options(level="full", include=["MergeSort"]))
        launched.wait()
        recording = launched.recording
        rows = recording.sql("SELECT a.timestamp FROM events a, events b, events c, events d, events e", timeout=0)
        next(rows)
        # What is read is not deleted.
        with self.assertRaises(errors.FailedPrecondition):
            recording.delete()
        rows.close()
        with self.assertRaises(errors.Cancelled):
            list(rows)
        # It is told that nobody reads, and not that it has ended: the limit of the test is how long that may take.
        while True:
            try:
                recording.delete()
                break
            except errors.FailedPrecondition:
                time.sleep(0.05)

    def test_what_was_not_recorded_is_said(self) -> None:
        command = [given("JAVA"), "-cp", given("CLASSES"), "MergeSort"]
        options = jhyde.Options(level="calls", include=["MergeSort"])
        launched = self.daemon.launch(command, options=options)
        launched.wait()
        changed = next(row for row in launched.recording.state_of("merge#2").rows if row.name == "lc")
        self.assertEqual((changed.start.int, changed.end.WhichOneof("kind")), (0, "not_recorded"))
        self.assertIn("level", changed.end.not_recorded)
