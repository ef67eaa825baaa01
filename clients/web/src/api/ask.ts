// A question to the daemon that is asked anew whenever what it is about changes. One that is out of date is cancelled; the answer
// before stays until the next is there, so that views do not blink; while the daemon is away it is asked again by itself.

import { createEffect, createMemo, createSignal, on, onCleanup, untrack } from "solid-js";
import { type Problem, isCancelled, problem } from "./problem.ts";

export interface Answer<T> {
  /** What was answered last; undefined before, and where nothing is asked. */
  (): T | undefined;
  problem(): Problem | undefined;
  /** What is shown is not yet the answer to what is asked. */
  pending(): boolean;
  again(): void;
  /** Puts an answer in the place of the last, which another question gave. */
  put(value: T): void;
}

type About = readonly unknown[];

const RETRY_MS = 1000;

/** `about` says what the question depends on: equal parts, equal question. Undefined: nothing is asked. */
export function ask<K extends About, T>(
  about: () => K | undefined,
  question: (about: K, signal: AbortSignal) => Promise<T>,
): Answer<T> {
  const [value, setValue] = createSignal<T>();
  const [wrong, setWrong] = createSignal<Problem>();
  const [pending, setPending] = createSignal(false);
  const [turn, setTurn] = createSignal(0);
  const key = createMemo(about, undefined, { equals: same });

  let running: AbortController | undefined;
  createEffect(
    on([key, turn], ([now]) => {
      running?.abort();
      running = undefined;
      if (!now) {
        setValue(undefined);
        setWrong(undefined);
        setPending(false);
        return;
      }
      const mine = (running = new AbortController());
      let retry: ReturnType<typeof setTimeout> | undefined;
      setPending(true);
      untrack(() => question(now, mine.signal)).then(
        (answer) => {
          if (mine.signal.aborted) return;
          setValue(() => answer);
          setWrong(undefined);
          setPending(false);
        },
        (error: unknown) => {
          if (mine.signal.aborted || isCancelled(error)) return;
          const told = problem(error);
          setWrong(told);
          if (told.kind !== "away") setValue(undefined);
          setPending(false);
          if (told.kind === "away") retry = setTimeout(() => setTurn((n) => n + 1), RETRY_MS);
        },
      );
      onCleanup(() => clearTimeout(retry));
    }),
  );
  onCleanup(() => running?.abort());

  const answer = value as Answer<T>;
  answer.problem = wrong;
  answer.pending = pending;
  answer.again = () => setTurn((n) => n + 1);
  answer.put = (put) => {
    running?.abort();
    setPending(false);
    setWrong(undefined);
    setValue(() => put);
  };
  return answer;
}

function same(before: About | undefined, now: About | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return before.length === now.length && before.every((part, at) => part === now[at]);
}
