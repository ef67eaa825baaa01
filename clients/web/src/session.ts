// What is done in a debugging session, from whichever view.

import { debugging } from "./api/clients.ts";
import { isCancelled, problem } from "./api/problem.ts";
import type { Facts } from "./facts.ts";
import type { Call } from "./gen/jhyde/v1/common_pb.ts";
import { type Session, AnswerKind } from "./gen/jhyde/v1/debugging_pb.ts";
import { jump, ofCall, selection } from "./selection.ts";
import { ANSWERS, callName, plural } from "./text/words.ts";
import { say } from "./ui/say.ts";

let facts: Facts | undefined;
/** The page's facts, which a new state of the session is put into. */
export function follow(of: Facts): void {
  facts = of;
}

/** The keys of answers, as in `jhyde debug`. */
export const KEYS: Readonly<Record<string, AnswerKind>> = {
  v: AnswerKind.VALID,
  i: AnswerKind.INVALID,
  t: AnswerKind.TRUSTED,
  u: AnswerKind.UNKNOWN,
  x: AnswerKind.INADMISSIBLE,
};

/** Answers for a call by a key; false if the key is no answer, or there is no session. */
export function answer(key: string, call: Call, wrong: readonly string[] = []): boolean {
  const kind = KEYS[key];
  if (kind === undefined || !selection().session) return false;
  void give(call, kind, wrong);
  return true;
}

let busy = false;

/** One change at a time, in the order in which they were made; where it leads, all views follow. */
async function change(asked: (at: { recording: string; session: string }) => Promise<Session>, done: (session: Session) => string): Promise<void> {
  const { recording, session } = selection();
  if (!recording || !session || busy) return;
  busy = true;
  try {
    const now = await asked({ recording, session });
    facts?.session.put(now);
    say(done(now));
    const next = now.question ?? now.buggy;
    if (next) jump(ofCall(next.id));
  } catch (error) {
    if (!isCancelled(error)) say(problem(error).text);
  } finally {
    busy = false;
  }
}

const left = (session: Session): string => (session.suspicious === 1n ? "1 call is suspicious" : `${plural(session.suspicious, "call")} are suspicious`);

export function give(call: Call, kind: AnswerKind, wrong: readonly string[] = [], value = ""): Promise<void> {
  return change(
    (at) => debugging.answer({ ...at, call: call.id, answer: kind, wrong: [...wrong], value }),
    (session) => {
      const uncut = session.answers.at(-1)?.uncut;
      return `${callName(call)} is ${ANSWERS[kind]}; ${left(session)}.${uncut ? ` ${uncut}` : ""}`;
    },
  );
}

export const undo = (): Promise<void> => change((at) => debugging.undo(at), (session) => `Undone; ${left(session)}.`);
export const redo = (): Promise<void> => change((at) => debugging.redo(at), (session) => `Redone; ${left(session)}.`);
export const doubt = (call: string): Promise<void> =>
  change((at) => debugging.doubt({ ...at, call }), (session) => `${call} is asked again should it come to that; ${left(session)}.`);
export const order = (strategy: string): Promise<void> =>
  change((at) => debugging.setStrategy({ ...at, strategy }), (session) => `Asked in another order: ${session.strategy}.`);
export const restrict = (call: string): Promise<void> =>
  change((at) => debugging.restrict({ ...at, call }), (session) => (call ? `Searched only below ${call}; ${left(session)}.` : `Searched everywhere; ${left(session)}.`));

/** The strategies, as the proto file lists them. */
export const STRATEGIES = [
  "adaptive",
  "top-down",
  "divide-and-query",
  "coverage-halving:edges",
  "coverage-halving:du-chains",
  "coverage-expected:edges",
  "coverage-expected:du-chains",
] as const;

export async function begin(strategy: string): Promise<void> {
  const { recording } = selection();
  if (!recording) return;
  try {
    const session = await debugging.createSession({ recording, strategy });
    const next = session.question ?? session.buggy;
    jump({ session: session.id, ...(next ? ofCall(next.id) : {}) });
    facts?.session.put(session);
  } catch (error) {
    if (!isCancelled(error)) say(problem(error).text);
  }
}
