// Every write to the chosen variable, in the whole recording. Choosing one leads all views to it.

import { type JSX, Show, createEffect, createMemo, createSignal } from "solid-js";
import { history } from "../api/clients.ts";
import { useFacts } from "../facts.ts";
import type { VariableWrite } from "../gen/jhyde/v1/history_pb.ts";
import { createModel } from "../list/create.ts";
import { List } from "../list/list.tsx";
import type { At, Source } from "../list/model.ts";
import { jump, ofEvent, selection, step } from "../selection.ts";
import { callName, place } from "../text/words.ts";
import { Notes, Trouble } from "../ui/panel.tsx";
import { Val } from "../ui/value.tsx";

const PAGE = 100;

export function History(): JSX.Element {
  const facts = useFacts();
  const [notes, setNotes] = createSignal<readonly string[]>([]);
  const [span, setSpan] = createSignal<{ first: bigint; last: bigint }>();
  const about = createMemo(
    () => ({ recording: selection().recording, variable: selection().variable, grown: facts.grown() }),
    undefined,
    { equals: (a, b) => a.recording === b.recording && a.variable === b.variable && a.grown === b.grown },
  );
  const list = createModel<VariableWrite>(() => {
    const { recording, variable } = about();
    setNotes([]);
    const source: Source<VariableWrite> = {
      key: (write) => `@${write.timestamp}`,
      place: (write) => write.timestamp,
      holds: () => false,
      opened: () => false,
      async page(_, at, signal) {
        if (!recording || !variable) return { rows: [], previous: "", next: "" };
        const answer = await history.listWrites({ recording, variable, pageSize: PAGE, ...begin(at) }, { signal });
        setNotes(answer.notes);
        if (answer.first !== undefined && answer.last !== undefined) setSpan({ first: answer.first, last: answer.last });
        return { rows: answer.writes, previous: answer.previousPageToken, next: answer.nextPageToken };
      },
    };
    return source;
  });

  // The write at t2, if one is there, is in sight.
  createEffect(() => {
    const at = selection().t2;
    const model = list.model();
    if (at === undefined || !about().variable) return;
    const key = `@${at}`;
    if (model.index(key) >= 0) model.activate(key);
    else void model.reveal([{ key, place: BigInt(at) }]);
  });

  return (
    <Show when={selection().variable} fallback={<p class="empty">Choose a variable to see every write to it.</p>}>
      <Trouble problem={list.problem()} />
      <List
        label="History"
        kind="writes"
        list={list}
        columns={[{ name: "Value" }, { name: "Call" }, { name: "Line" }, { name: "Time" }]}
        span={span()}
        placeName={(at) => `@${at}`}
        selected={(write) => write.timestamp.toString() === selection().t2}
        choose={(write) => write.call && jump({ ...ofEvent(write.call.id, write.timestamp), tab: "history" })}
        follow={(write) => write.call && step({ ...ofEvent(write.call.id, write.timestamp), tab: "history" })}
        cells={(write) => (
          <>
            <span role="gridcell"><Val value={write.value} /></span>
            <span role="gridcell" class="faint">{write.call ? callName(write.call) : ""}</span>
            <span role="gridcell" class="line">{place(write.place)}</span>
            <span role="gridcell" class="time">@{write.timestamp.toString()}</span>
          </>
        )}
      />
      <Notes notes={notes()} />
    </Show>
  );
}

function begin(at: At) {
  switch (at.at) {
    case "first":
      return {};
    case "last":
      return { start: { at: { case: "timestamp" as const, value: 2n ** 62n }, backward: true } };
    case "place":
      return { start: { at: { case: "timestamp" as const, value: at.place }, backward: at.backward === true } };
    case "token":
      return { pageToken: at.token };
  }
}
