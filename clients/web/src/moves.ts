// Moves through time that ask the daemon where they lead: who wrote a value, the next event, the next time of a line.

import { history } from "./api/clients.ts";
import { isCancelled, problem } from "./api/problem.ts";
import { Step } from "./gen/jhyde/v1/history_pb.ts";
import { jump, ofEvent, selection, step } from "./selection.ts";
import { clean } from "./text/clean.ts";
import { say } from "./ui/say.ts";
import { fine } from "./ui/settings.ts";

const MOST_STEPS = 100;

let moving: AbortController | undefined;

/** One move at a time: a newer one takes the place of one that is on its way. */
async function move(asked: (signal: AbortSignal) => Promise<void>): Promise<void> {
  moving?.abort();
  const mine = (moving = new AbortController());
  try {
    await asked(mine.signal);
  } catch (error) {
    if (!mine.signal.aborted && !isCancelled(error)) say(problem(error).text);
  }
}

/** Goes to the last write of a variable at or before a time. */
export function whoWrote(variable: string, at: bigint): Promise<void> {
  const recording = selection().recording;
  if (!recording) return Promise.resolve();
  return move(async (signal) => {
    const told = await history.listWrites({ recording, variable, pageSize: 1, start: { at: { case: "timestamp", value: at + 1n }, backward: true } }, { signal });
    if (signal.aborted) return;
    const write = told.writes.at(-1);
    if (write?.call) {
      jump({ ...ofEvent(write.call.id, write.timestamp), variable: told.variable || variable, tab: "history" });
      return;
    }
    jump({ variable: told.variable || variable, tab: "history" });
    say([`No write of ${clean(variable)} at or before @${at} is recorded.`, ...told.notes].join(" "));
  });
}

/** Goes to the event that a step leads to. */
export function go(how: Step, from: bigint, line?: { class: string; line: number }): Promise<void> {
  const now = selection();
  if (!now.recording) return Promise.resolve();
  return move(async (signal) => {
    const request = { recording: now.recording!, from, step: how, variable: now.variable ?? "", class: line?.class ?? "", line: line?.line ?? 0 };
    let event = await history.navigate(request, { signal });
    // Reads and branches are not stepped to where they are not shown: over some of them, and then it is enough.
    const single = how === Step.FORWARD_OVER || how === Step.BACKWARD_OVER || how === Step.FORWARD_INTO || how === Step.BACKWARD_INTO;
    for (let steps = 0; single && fine() === "off" && steps < MOST_STEPS && (event.kind.case === "use" || event.kind.case === "edge"); steps++) {
      event = await history.navigate({ ...request, from: event.timestamp }, { signal });
    }
    if (signal.aborted) return;
    const change = ofEvent(event.call, event.timestamp);
    if (event.call === now.call && !line) step({ t2: event.timestamp });
    else jump(change);
    if (event.notes.length > 0) say(event.notes.join(" "));
  });
}
