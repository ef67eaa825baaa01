"""A session of `jhyde debug --json` as Python sees it. Standard library only.

The contract is told by `jhyde help json`: jhyde writes one JSON object per line, and reads one. `Session` starts jhyde and hands the
questions out; `Question` makes Python values of what a call was given and what came of it.
"""

import json
import subprocess


class Unknown(Exception):
    """Something of the call was not recorded, or cannot be a Python value: nobody can say whether it is right."""


class Refused(Exception):
    """jhyde did not take what it was told, or could not begin."""


class Session:
    """One search. Use it in a `with`; iterate over it for its questions, and answer each before the next one.

    `options` are those of `jhyde debug`: ["--strategy", "top-down"], ["--session", "last"].
    """

    def __init__(self, recording, options=(), jhyde="jhyde"):
        self.recording = recording
        self.command = [jhyde, "debug", recording, "--json", "--details", *options]
        self.end = None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        return self

    def __exit__(self, *_):
        # The end of its input makes jhyde leave; the session is kept.
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def __iter__(self):
        for line in self.process.stdout:
            said = json.loads(line)
            kind = said["type"]
            if kind == "question":
                yield Question(said)
            elif kind == "error":
                raise Refused(said["message"])
            elif kind != "waiting":
                self.end = said
                return
        if self.process.wait() != 0:
            raise Refused(f"{' '.join(self.command)} ended with {self.process.returncode}")

    def say(self, **what):
        """One line: say(answer="valid"), say(undo=True), say(trust="shop.util.*")."""
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def answer(self, answer, wrong=()):
        """valid, invalid (with what is wrong, if that is known), trusted, unknown or inadmissible."""
        self.say(answer=answer, **({"wrong": list(wrong)} if wrong else {}))


class Question:
    """A call that is asked about."""

    def __init__(self, said):
        self.said = said
        self.call = said["call"]
        self.id = self.call["id"]

    @property
    def method(self):
        """`Outer$Inner.method`, without the package."""
        return self.call["class"].rpartition(".")[2] + "." + self.call["method"]

    def given(self):
        """What the call was given: {name: value}, `this` among them, arrays and lists as lists, one list for one object."""
        return _State(self.said["input"]).of(_named(self.call))

    def became(self):
        """The same objects as they were when the call ended."""
        before, after = self.said["input"], self.said["outcome"]
        return _State(before, after).of(_named(self.call))

    def result(self):
        """What it returned; None for void. Raises `Unknown` if it threw, see `exception`."""
        if "result" not in self.call:
            raise Unknown("it returned nothing")
        return _State(self.said["input"], self.said["outcome"]).value(self.call["result"])

    @property
    def exception(self):
        """The class of the exception that it ended by, or None."""
        thrown = self.call.get("exception")
        return thrown and thrown["class"]


def _named(call):
    named = {argument["name"]: argument["value"] for argument in call["arguments"]}
    if "receiver" in call:
        named["this"] = call["receiver"]
    return named


class _State:
    """Objects with what they held: at the beginning of a call, and, where it changed, at its end."""

    def __init__(self, before, after=None):
        self.rows = {}
        self.held = {}
        self.made = {}
        for side in filter(None, (before, after)):
            if side.get("notes"):
                raise Unknown("; ".join(side["notes"]))
            for reached in side["objects"]:
                number = reached["object"]["object"]
                if "held" in reached["object"]:
                    self.held[number] = reached["object"]["held"]
                known = self.rows.setdefault(number, {})
                for row in reached["rows"]:
                    known[row["name"]] = row.get("end") if side is after else row.get("start")

    def of(self, named):
        return {name: self.value(value) for name, value in named.items()}

    def value(self, value):
        if not isinstance(value, dict):
            return value
        if "void" in value:
            return None
        if "not_recorded" in value:
            raise Unknown(value["not_recorded"])
        if "shown" in value:
            return value["shown"]
        if "content" in value:
            return value["content"]
        if "text" in value or "object" not in value:
            raise Unknown("a text was not recorded as a whole")
        number = value["object"]
        if number in self.made:
            return self.made[number]
        rows = self.rows.get(number, {})
        if "length" in value:
            made = self.made[number] = []
            for index in range(value["length"]):
                if f"[{index}]" not in rows:
                    raise Unknown(f"element {index} of {value['class']} was not recorded")
                made.append(self.value(rows[f"[{index}]"]))
            return made
        # An argument has what it held at the beginning beside it.
        if "held" in value:
            return self._held(number, self.held.get(number, value["held"]))
        made = self.made[number] = {"class": value["class"]}
        made.update({name: self.value(row) for name, row in rows.items()})
        return made

    def _held(self, number, held):
        if "not_recorded" in held:
            raise Unknown(held["not_recorded"])
        if "text" in held:
            return held["text"]
        items = held.get("items", [])
        if len(items) < held.get("length", len(items)):
            raise Unknown(f"of {held['length']} items only the first {len(items)} are told")
        if held["kind"] == "map":
            made = self.made[number] = {}
            for item in items:
                key = self.value(item["key"])
                if isinstance(key, (list, dict)):
                    raise Unknown("a key of a map is no plain value")
                made[key] = self.value(item["value"])
            return made
        if held["kind"] == "named":
            made = self.made[number] = {}
            made.update({item["name"]: self.value(item["value"]) for item in items})
            return made
        made = self.made[number] = []
        made.extend(self.value(item) for item in items)
        return made
