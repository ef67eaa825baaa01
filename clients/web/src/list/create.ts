// A model that follows what it is about: another source, another model. What is wrong with reading is told beside it.

import { type Accessor, createMemo, createSignal, onCleanup } from "solid-js";
import { type Problem, isCancelled, problem } from "../api/problem.ts";
import { Model, type Source } from "./model.ts";

export interface ListModel<R> {
  readonly model: Accessor<Model<R>>;
  /** Counts what is drawn. */
  readonly version: Accessor<number>;
  readonly problem: Accessor<Problem | undefined>;
}

/** `source` says what the list is about: whenever that changes, another model begins. */
export function createModel<R>(source: () => Source<R>): ListModel<R> {
  const [version, setVersion] = createSignal(0);
  const [wrong, setWrong] = createSignal<Problem>();
  const model = createMemo<Model<R>>(() => {
    const made: Model<R> = new Model(
      source(),
      () => {
        setVersion((n) => n + 1);
      },
      (error) => {
        if (!isCancelled(error)) setWrong(problem(error));
      },
    );
    setWrong(undefined);
    onCleanup(() => made.close());
    return made;
  });
  return { model, version, problem: wrong };
}
