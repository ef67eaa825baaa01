// What a call did, event by event: loops hold their iterations, nested calls are rows. The event that is chosen is t2.

import { type JSX, Match, Show, Switch, createEffect, createMemo, createSignal, on } from "solid-js";
import { history } from "../api/clients.ts";
import { useFacts } from "../facts.ts";
import { type EventRow, Mark, Step } from "../gen/jhyde/v1/history_pb.ts";
import { createModel } from "../list/create.ts";
import { List } from "../list/list.tsx";
import type { At, Source } from "../list/model.ts";
import { go } from "../moves.ts";
import { jump, ofCall, selection, step } from "../selection.ts";
import { shellWord, shorten } from "../text/clean.ts";
import { callArguments, callName, count, ended, happened, place } from "../text/words.ts";
import { Panel } from "../ui/panel.tsx";
import { fine, setFine } from "../ui/settings.ts";
import { Val } from "../ui/value.tsx";

const PAGE = 100;
/** Loops of so few rounds are shown opened. */
const FEW_ROUNDS = 8n;
/** Rounds of so few events, too. */
const FEW_EVENTS = 30n;

const begins = (row: EventRow): bigint => row.event?.timestamp ?? row.loop?.from ?? row.iteration?.from ?? 0n;
const ends = (row: EventRow): bigint => row.loop?.to ?? row.iteration?.to ?? begins(row);
export const eventKey = (row: EventRow): string => row.loop?.row ?? row.iteration?.row ?? `@${begins(row)}`;

/** The time at which a row has happened: of a nested call, when it had ended. */
const done = (row: EventRow): bigint => begins(row);

/** Reads and branches, which tell what the line says anyway. */
const isFine = (row: EventRow): boolean => row.event?.kind.case === "use" || row.event?.kind.case === "edge";

export function Events(): JSX.Element {
  const facts = useFacts();
  const [notes, setNotes] = createSignal<readonly string[]>([]);
  const about = createMemo(
    () => ({ recording: selection().recording, call: facts.call()?.id, mark: selection().variable, fine: fine() }),
    undefined,
    { equals: (a, b) => a.recording === b.recording && a.call === b.call && a.mark === b.mark && a.fine === b.fine },
  );

  const list = createModel<EventRow>(() => {
    const { recording, call, mark, fine } = about();
    setNotes([]);
    const source: Source<EventRow> = {
      key: eventKey,
      place: begins,
      holds: (row) => row.loop !== undefined || row.iteration !== undefined,
      opened: (row) => (row.loop ? row.loop.iterations <= FEW_ROUNDS : ends(row) - begins(row) <= FEW_EVENTS),
      async page(inside, at, signal) {
        if (!recording || !call) return { rows: [], previous: "", next: "" };
        const request = { recording, call, mark: mark ?? "", inside: inside ? eventKey(inside) : "", pageSize: PAGE, ...begin(at, inside ? ends(inside) : undefined) };
        const answer = await history.listEvents(request, { signal });
        if (answer.notes.length > 0) setNotes(answer.notes);
        return { rows: fine === "on" ? answer.rows : answer.rows.filter((row) => !isFine(row)), previous: answer.previousPageToken, next: answer.nextPageToken };
      },
    };
    return source;
  });

  createEffect(on(facts.grown, () => facts.call()?.incomplete && void list.model().refresh(), { defer: true }));

  // The event at t2 is in sight, with the iteration that it is in opened.
  createEffect(() => {
    const found = facts.location();
    const model = list.model();
    const at = selection().t2;
    if (!found?.event || at === undefined || found.event.timestamp.toString() !== at) return;
    const key = `@${at}`;
    if (model.index(key) >= 0) {
      model.activate(key);
      return;
    }
    void model.reveal([...found.rows.map((row) => ({ key: eventKey(row), place: begins(row) })), { key, place: BigInt(at) }]);
  });

  const span = (): { first: bigint; last: bigint } | undefined => {
    const call = facts.call();
    if (!call) return undefined;
    return { first: call.enter, last: call.exit ?? facts.recording()?.events ?? call.enter };
  };
  const now = (): bigint | undefined => (selection().t2 === undefined ? facts.call()?.exit : BigInt(selection().t2!));
  const walk = (how: Step): void => {
    const at = now();
    if (at !== undefined) void go(how, at);
  };

  const command = (): string | undefined => {
    const { recording, variable } = selection();
    const call = facts.call();
    if (!recording || !call) return undefined;
    const words = ["jhyde events", shellWord(facts.recording()?.name || recording), call.id];
    if (variable) words.push("--mark", shellWord(variable));
    return words.join(" ");
  };

  return (
    <Panel
      id="events"
      title="Events"
      command={command()}
      notes={notes()}
      problem={list.problem() ?? facts.location.problem()}
      about={<Show when={facts.call()}>{(call) => <span class="mono">{callName(call())}</span>}</Show>}
      tools={
        <div class="steps" role="group" aria-label="Step through time">
          <button type="button" class="quiet" aria-pressed={fine() === "on"} title="Show reads and branches, too" onClick={() => setFine(fine() === "on" ? "off" : "on")}>
            reads
          </button>
          <button type="button" class="quiet" title="Back to the event before (,)" aria-label="Back to the event before" disabled={now() === undefined} onClick={() => walk(Step.BACKWARD_OVER)}>
            ◂
          </button>
          <button type="button" class="quiet" title="On to the next event (.)" aria-label="On to the next event" disabled={now() === undefined} onClick={() => walk(Step.FORWARD_OVER)}>
            ▸
          </button>
        </div>
      }
    >
      <Show when={facts.call()} fallback={<p class="empty">Choose a call to see what it did.</p>}>
        <List
          label="Events"
          kind="event-rows"
          list={list}
          indent
          columns={[{ name: "Event" }, { name: "Line" }, { name: "Time" }]}
          span={span()}
          placeName={(at) => `@${at}`}
          selected={(row) => row.event !== undefined && row.event.timestamp === now()}
          look={(row) => (row.mark === Mark.DIRECT ? "changed" : row.mark === Mark.INSIDE ? "below" : "")}
          follow={(row) => row.event && step({ t2: done(row) })}
          choose={(row) => {
            if (row.event) jump({ t2: done(row) });
            else list.model().toggle(eventKey(row), !list.model().row(eventKey(row))?.open);
          }}
          key={(event, row) => {
            const nested = row?.event?.kind.case === "enter" ? row.event.kind.value : undefined;
            if (event.key === "ArrowRight" && nested && !nested.boundary && nested.id !== facts.call()?.id) {
              jump(ofCall(nested.id));
              return true;
            }
            return false;
          }}
          cells={(row) => <EventCells row={row} call={facts.call()?.id} />}
        />
      </Show>
    </Panel>
  );
}

function begin(at: At, last: bigint | undefined) {
  switch (at.at) {
    case "first":
      return {};
    case "last":
      return { start: { at: { case: "timestamp" as const, value: last === undefined ? 2n ** 62n : last + 1n }, backward: true } };
    case "place":
      return { start: { at: { case: "timestamp" as const, value: at.place }, backward: at.backward === true } };
    case "token":
      return { pageToken: at.token };
  }
}

const KINDS: Record<string, string> = { thrown: "bad", uncaught: "bad", gap: "gap", caught: "below-text", use: "faint", edge: "faint", monitor: "faint" };

/** Whose variable it is, goes without saying. */
const ofThisCall = (text: string, call: string | undefined): string => text.replace(`reads ${call}:`, "reads ");

function EventCells(props: { readonly row: EventRow; readonly call: string | undefined }): JSX.Element {
  const at = () => props.row.event?.place ?? props.row.loop?.place ?? props.row.iteration?.place;
  const mark = (): string => (props.row.mark === Mark.DIRECT ? "●" : props.row.mark === Mark.INSIDE ? "○" : "");
  const word = (): string => (props.row.mark === Mark.DIRECT ? "writes the variable" : props.row.mark === Mark.INSIDE ? "holds a write of the variable" : "");
  return (
    <>
      <span role="gridcell" class="what">
        <span class="mark" title={word()}>
          <span aria-hidden="true">{mark()}</span>
          <span class="unseen">{word()}</span>
        </span>
        <Switch fallback={<span class={KINDS[props.row.event?.kind.case ?? ""] ?? ""}>{props.row.event && shorten(ofThisCall(happened(props.row.event, true), props.call), 400)}</span>}>
          <Match when={props.row.loop}>{(loop) => <b>loop ({count(loop().iterations)}){loop().running ? " so far" : ""}</b>}</Match>
          <Match when={props.row.iteration}>{(round) => <span class="round">iteration {count(round().number)}</span>}</Match>
          <Match when={props.row.event?.kind.case === "write" && props.row.event.kind.value}>
            {(write) => (
              <>
                <span class="name">{shorten(write().name || write().variable, 120)}</span> <span class="faint">=</span> <Val value={write().value} />
              </>
            )}
          </Match>
          <Match when={props.row.event?.kind.case === "enter" && props.row.event.kind.value}>
            {(call) => (
              <span classList={{ boundary: call().boundary }} title={happened(props.row.event!, true)}>
                <Show when={call().id === props.call} fallback={<span class="nested">{callName(call())}</span>}>
                  → <span class="nested">{callName(call())}</span>
                </Show>
                <span class="arguments"> ({callArguments(call())}) </span>
                <Show when={call().id !== props.call}>{ended(call())}</Show>
              </span>
            )}
          </Match>
        </Switch>
      </span>
      <span role="gridcell" class="line">{at()?.line === undefined ? place(at()) : `:${at()!.line}`}</span>
      <span role="gridcell" class="time">@{begins(props.row).toString()}</span>
    </>
  );
}
