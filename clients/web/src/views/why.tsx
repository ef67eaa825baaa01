// What the value of the chosen variable came from: its slice as a tree, nearest first.

import { type JSX, Show, createMemo, createSignal } from "solid-js";
import { ask } from "../api/ask.ts";
import { history } from "../api/clients.ts";
import type { SliceStep } from "../gen/jhyde/v1/history_pb.ts";
import { createModel } from "../list/create.ts";
import { List } from "../list/list.tsx";
import { local } from "../list/local.ts";
import { jump, ofEvent, selection, step } from "../selection.ts";
import { count, place, sliceStep } from "../text/words.ts";
import { Notes, Trouble } from "../ui/panel.tsx";

/** A slice may be as long as the recording: so many steps are shown, the nearest. */
const MOST = 2000;

export function Why(): JSX.Element {
  const [at, setAt] = createSignal<string>();
  // Choosing a step moves t2, and the tree stays that of the value that was asked about.
  const about = createMemo<readonly [string, string] | undefined>((before) => {
    const { recording, variable } = selection();
    if (!recording || !variable) return undefined;
    if (before && before[0] === recording && before[1] === variable) return before;
    setAt(selection().t2);
    return [recording, variable];
  });
  const slice = ask(
    () => {
      const now = about();
      return now && ([...now, at()] as const);
    },
    async ([recording, variable, at], signal) => {
      const steps: SliceStep[] = [];
      let cut = false;
      for await (const step of history.why({ recording, variable, ...(at === undefined ? {} : { at: BigInt(at) }) }, { signal })) {
        if (steps.length === MOST) {
          cut = true;
          break;
        }
        steps.push(step);
      }
      return { steps, cut };
    },
  );
  const inside = createMemo(() => {
    const inside = new Map<bigint | undefined, SliceStep[]>();
    for (const step of slice()?.steps ?? []) {
      const below = inside.get(step.parent);
      if (below) below.push(step);
      else inside.set(step.parent, [step]);
    }
    return inside;
  });
  const list = createModel<SliceStep>(() => local(inside().get(undefined) ?? [], { key: (step) => step.number.toString(), inside: (step) => inside().get(step.number) ?? [], place: (step) => step.number }));
  const notes = (): string[] => {
    const steps = slice()?.steps ?? [];
    const told = new Set(steps.flatMap((step) => step.notes));
    if (slice()?.cut) told.add(`Only the nearest ${count(MOST)} steps are shown.`);
    return [...told];
  };
  return (
    <Show when={selection().variable} fallback={<p class="empty">Choose a variable to see what its value came from.</p>}>
      <Trouble problem={slice.problem()} />
      <List
        label="What it came from"
        kind="steps-of-why"
        list={list}
        indent
        columns={[{ name: "Step" }, { name: "Line" }, { name: "Time" }]}
        span={{ first: 0n, last: BigInt(Math.max(1, (slice()?.steps.length ?? 1) - 1)) }}
        rowCount={slice()?.steps.length ?? -1}
        rowIndex={(step) => Number(step.number) + 1}
        selected={(row) => row.event?.timestamp.toString() === selection().t2}
        choose={(row) => row.event?.call && jump({ ...ofEvent(row.event.call, row.event.timestamp), tab: "why" })}
        follow={(row) => row.event?.call && step({ ...ofEvent(row.event.call, row.event.timestamp), tab: "why" })}
        cells={(row) => (
          <>
            <span role="gridcell" class="what" title={sliceStep(row)}>{sliceStep(row)}</span>
            <span role="gridcell" class="line">{place(row.event?.place)}</span>
            <span role="gridcell" class="time">{row.event ? `@${row.event.timestamp}` : ""}</span>
          </>
        )}
      />
      <Notes notes={notes()} />
    </Show>
  );
}
