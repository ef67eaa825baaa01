#!/usr/bin/env python3
"""Answers `jhyde debug` from a reference implementation in Python.

    python3 reference_oracle.py RECORDING REFERENCE.py [options of jhyde debug]

REFERENCE.py has a dictionary METHODS: for `Class.method` (without package) a function that takes what the call was given, by
name (`this` as `self`), and does what the method should do: it returns the result, and changes the lists and dictionaries that it
was given as the method should change its arrays, collections and objects. A call is right if the result is the same, and all that it
was given became the same; else what differs is pointed at. A method with None in METHODS is trusted. For one that is not there, and
where something was not recorded, the answer is `unknown`: nothing is guessed. A function that raises Inadmissible says that the
method should never have been called so.

The last line says what was found; the exit code is 0 if the search came to an end with it.
"""

import copy
import importlib.util
import inspect
import sys

from jhyde_debug import Refused, Session, Unknown


class Inadmissible(Exception):
    """The method should never have been called so."""


def same(one, other):
    """Equal, and of one kind: 1 is not True, and a list is not a map; NaN is NaN."""
    if isinstance(one, float) or isinstance(other, float):
        numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (one, other))
        return numbers and (one == other or (one != one and other != other))
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


def differing(name, expected, found):
    """The parts of what a name holds that are not as they should be, in jhyde's written forms."""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found))
        return [form for at, (e, f) in pairs for form in differing(f"{name}[{at}]", e, f)]
    if isinstance(expected, dict) and isinstance(found, dict) and "class" in expected:
        if expected.keys() == found.keys():
            keys = expected.keys()
            return [w for key in keys for w in differing(f"{name}.{key}", expected[key], found[key])]
    return [] if same(expected, found) else [name]


def judge(question, methods):
    """The answer for a question, and what is wrong."""
    if question.method not in methods:
        return "unknown", []
    reference = methods[question.method]
    if reference is None:
        return "trusted", []
    try:
        given, became = question.given(), question.became()
        result = None if question.exception else question.result()
    except Unknown:
        return "unknown", []
    # One copy for all: what was one object stays one object.
    working = copy.deepcopy(given)
    words = {("self" if name == "this" else name): value for name, value in working.items()}
    wanted = inspect.signature(reference).parameters
    thrown = None
    expected = None
    try:
        expected = reference(**{name: words[name] for name in wanted})
    except Inadmissible:
        return "inadmissible", []
    except Exception as error:  # what the reference throws the method should throw
        thrown = error
    if (thrown is None) != (question.exception is None):
        return "invalid", []
    wrong = [] if thrown else differing("result", expected, result)
    for name in given:
        wrong += differing(name, working[name], became[name])
    return ("invalid", wrong) if wrong else ("valid", [])


def load(path):
    """METHODS of a file."""
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    module.Inadmissible = Inadmissible
    spec.loader.exec_module(module)
    return module.METHODS


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    recording, reference, *options = arguments
    methods = load(reference)
    pointing = "--no-pointing" not in options
    with Session(recording, options) as session:
        for question in session:
            answer, wrong = judge(question, methods)
            # Only what jhyde can point at at level full, and one thing is enough to go on.
            pointed = wrong if pointing and question.said.get("strategy") else []
            print(f"{question.method} #{question.call['invocation']}: {answer} {' '.join(wrong)}".rstrip())
            session.answer(answer, pointed)
        end = session.end
    if end and end["type"] == "found":
        call = end["call"]
        print(f"found: {call['class']}.{call['method']} #{call['invocation']} ({call['id']})")
        return 0
    print(f"not found: {end['type'] if end else 'jhyde ended'}")
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refused as refused:
        sys.exit(f"jhyde refused: {refused}")
