#!/usr/bin/env python3
"""Lets a language model answer `jhyde debug`, under the eyes of a person. Standard library only.

    python3 model_oracle.py RECORDING --url http://127.0.0.1:8080/v1/chat/completions --model NAME [-- options of jhyde debug]

Nothing is sent anywhere unless --url is given: each question (the method's source, what the call was given and what came of it)
goes to that address as a chat completion (POST, JSON: model, messages), as most servers of models understand it, and the first
word of the reply counts: valid, invalid, or unknown. An API key is read from the environment variable that --key-from names.

What a model says is marked as such in the session (`jhyde sessions`, `known`), and can be taken back (`doubt CALL`). It is never the
last word: what the model found is shown with all that it said, and stands only if a person says yes to the buggy call on the
terminal. Without a person the exit code is 3, and the session is left for one: `jhyde debug RECORDING --session ID`.
"""

import argparse
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

from jhyde_debug import Refused, Session

ASK = """A Java program did something wrong. Judge one call of it: did it do what its method should do, given what it was given?
If something that it called did wrong, so that its own outcome is wrong, it is invalid, too.
Reply with one word first: valid, invalid or unknown. Say unknown whenever you are not certain."""

CONFIRMED, NOT_FOUND, USAGE, NOT_CONFIRMED = 0, 1, 2, 3


def described(question):
    """A question as a model is shown it."""
    said = question.said
    told = [f"{question.call['class']}.{question.call['method']} #{question.call['invocation']}"]
    for line in (said.get("source") or {}).get("lines", []):
        told.append(f"{line['line']:5} {line['code']}")
    told.append("It was given: " + json.dumps(said["input"], ensure_ascii=False))
    told.append("What came of it: " + json.dumps(said["outcome"], ensure_ascii=False))
    return "\n".join(told)


class Model:
    """A model behind an HTTP interface."""

    def __init__(self, url, name, key=None, timeout=60):
        self.url, self.name, self.key, self.timeout = url, name, key, timeout

    def judge(self, question):
        """valid, invalid or unknown. What is no clear answer is unknown; what is no reply at all raises OSError."""
        messages = [{"role": "system", "content": ASK}, {"role": "user", "content": described(question)}]
        body = json.dumps({"model": self.name, "messages": messages, "temperature": 0}).encode()
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url, body, headers)
        with urllib.request.urlopen(request, timeout=self.timeout) as reply:
            said = json.load(reply)
        try:
            text = said["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            return "unknown"
        word = (text.split() or [""])[0].strip(".,:;*\"'").lower() if isinstance(text, str) else ""
        return word if word in ("valid", "invalid") else "unknown"


def ask_person(text):
    """True if a person at the terminal says yes."""
    if not sys.stdin.isatty():
        return False
    return input(text + " [y/N] ").strip().lower() in ("y", "yes")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording")
    parser.add_argument("--url", help="where the model listens; without it nothing is sent, and nothing is done")
    parser.add_argument("--model", default="default", help="its name there")
    parser.add_argument("--key-from", metavar="VARIABLE", help="environment variable with the key for it")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait for a reply")
    at = arguments.index("--") if "--" in arguments else len(arguments)
    words, options = parser.parse_args(arguments[:at]), arguments[at + 1 :]
    if not words.url:
        print("no model is asked without --url; --help says what would be sent there", file=sys.stderr)
        return USAGE
    key = os.environ.get(words.key_from) if words.key_from else None
    model = Model(words.url, words.model, key, words.timeout)
    said, session_id = [], None
    with Session(words.recording, options) as session:
        for question in session:
            session_id = question.said["session"]
            try:
                answer = model.judge(question)
            except (OSError, ValueError) as error:
                print(f"the model cannot be asked: {error}", file=sys.stderr)
                break
            said.append((question, answer))
            print(f"{question.method} #{question.call['invocation']} ({question.id}): {answer}, says {words.model}")
            if answer == "unknown":
                session.answer("unknown")
            else:
                session.say(answer=answer, by=words.model)
        end = session.end
    if not end or end["type"] != "found":
        print(f"nothing was found ({end['type'] if end else 'the search did not end'})")
        return NOT_FOUND
    call = end["call"]
    name = f"{call['class']}.{call['method']} #{call['invocation']} ({call['id']})"
    print(f"{words.model} takes {name} for the buggy call, after {len(said)} answers, none of them by a person")
    if ask_person(f"Did {name} do wrong, and all that it called right?"):
        # A person's answer stands above a program's; the search has ended, so that nothing more is asked.
        command = ["jhyde", "debug", words.recording, "--session", session_id]
        done = subprocess.run(
            command, input=f"invalid {call['id']}\nquit\n", stdout=subprocess.DEVNULL, encoding="utf-8", check=False
        )
        if done.returncode != 0:
            raise Refused(f"{' '.join(command)} ended with {done.returncode}")
        print(f"found: {name}")
        return CONFIRMED
    print(f"not confirmed by anybody; go on with: jhyde debug {words.recording} --session {session_id}")
    return NOT_CONFIRMED


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refused as refused:
        sys.exit(f"jhyde refused: {refused}")
