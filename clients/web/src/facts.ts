// What several views need of the selection, asked once: the recording, its threads, the call and the way to it, where t2 is, and
// the session.

import { createContext, createEffect, createMemo, createSignal, on, onCleanup, useContext } from "solid-js";
import { ask } from "./api/ask.ts";
import { debugging, history, recordings } from "./api/clients.ts";
import { key } from "./api/key.ts";
import { isCancelled } from "./api/problem.ts";
import type { Call } from "./gen/jhyde/v1/common_pb.ts";
import { RecordingState } from "./gen/jhyde/v1/recordings_pb.ts";
import { selection, step } from "./selection.ts";

const POLL_MS = 1000;

export type Facts = ReturnType<typeof createFacts>;

const Context = createContext<Facts>();
export const FactsProvider = Context.Provider;

export function useFacts(): Facts {
  const facts = useContext(Context);
  if (!facts) throw new Error("facts are asked for outside of the page");
  return facts;
}

export function createFacts() {
  const [tick, setTick] = createSignal(0);
  // Polls, which share the few connections that a browser has; nobody looks on at a hidden tab.
  const timer = setInterval(() => document.visibilityState === "visible" && setTick((n) => n + 1), POLL_MS);
  onCleanup(() => clearInterval(timer));

  const name = (): string | undefined => selection().recording;

  const recording = ask(
    () => (name() && key() ? ([name()!, key()] as const) : undefined),
    ([recording], signal) => recordings.get({ recording }, { signal }),
  );
  const running = createMemo(() => {
    const state = recording()?.state;
    return state === RecordingState.RUNNING || state === RecordingState.WAITING;
  });
  createEffect(on(tick, () => running() && recording.again()));
  /** Changes when a recording that runs has more; lists then read their end anew. */
  const grown = createMemo(() => (running() ? recording()?.events : undefined));

  const threads = ask(
    // Anew when there are more threads, or calls in them.
    () => (name() && key() ? ([name()!, key(), recording()?.threads, recording()?.calls] as const) : undefined),
    ([recording], signal) => history.listThreads({ recording }, { signal }),
  );

  const session = ask(
    () => (name() && selection().session && key() ? ([name()!, selection().session!, key()] as const) : undefined),
    ([recording, session], signal) => debugging.getSession({ recording, session }, { signal }),
  );
  // Answers that are given in a terminal meanwhile.
  let looking = false;
  const look = (): void => {
    const now = session();
    if (!now || looking || session.pending()) return;
    looking = true;
    debugging
      .getRevision({ recording: now.recording, session: now.id })
      .then(
        (told) => told.revision !== session()?.revision && session()?.id === now.id && session.again(),
        (error: unknown) => !isCancelled(error) && session.again(),
      )
      .finally(() => (looking = false));
  };
  createEffect(on(tick, look));
  const revision = createMemo(() => session()?.revision);

  const askedAs = new WeakMap<Call, string>();
  const call = ask(
    () => (name() && selection().call && key() ? ([name()!, selection().call!, selection().session, revision(), grown(), key()] as const) : undefined),
    async ([recording, call, session], signal) => {
      const found = await history.getCall({ recording, call, session: session ?? "" }, { signal });
      askedAs.set(found, call);
      return found;
    },
  );
  // A link may name a call as people do (`merge#2`): from then on it is its id.
  createEffect(() => {
    const found = call();
    if (found && askedAs.get(found) === selection().call && selection().call !== found.id) step({ call: found.id });
  });

  /** The call that is selected, as soon as anything says what it is: never another one. */
  const looked = createMemo(() => {
    const id = selection().call;
    return [call(), session()?.question, session()?.buggy].find((each) => each !== undefined && each.id === id);
  });

  const path = ask(
    () => (name() && call() ? ([name()!, call()!.id] as const) : undefined),
    ([recording, call], signal) => history.getPath({ recording, call }, { signal }),
  );

  const location = ask(
    () => (name() && call() && selection().t2 ? ([name()!, call()!.id, selection().t2!] as const) : undefined),
    ([recording, call, at], signal) => history.locate({ recording, call, timestamp: BigInt(at) }, { signal }),
  );

  const thread = createMemo(() => selection().call?.match(/^(\d+)\.\d+$/)?.[1] ?? selection().thread ?? threads()?.threads[0]?.id.toString());

  return { tick, recording, running, grown, threads, thread, session, revision, call, looked, path, location };
}
