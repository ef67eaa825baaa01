// The variables of a call before and after, or at two times of it: red was written, yellow holds something that was.

import { type JSX, Show, createEffect, createMemo, createSignal, on, untrack } from "solid-js";
import { ask } from "../api/ask.ts";
import { history } from "../api/clients.ts";
import { useFacts } from "../facts.ts";
import { type StateRow, RowKind } from "../gen/jhyde/v1/history_pb.ts";
import type { Value } from "../gen/jhyde/v1/common_pb.ts";
import { createModel } from "../list/create.ts";
import { List } from "../list/list.tsx";
import type { Page, Source } from "../list/model.ts";
import { whoWrote } from "../moves.ts";
import { jump, selection, step } from "../selection.ts";
import { clean, shellWord, shorten, simpleClass } from "../text/clean.ts";
import { count, rowName } from "../text/words.ts";
import { Panel } from "../ui/panel.tsx";
import { Val } from "../ui/value.tsx";

const PAGE = 100;

/** A row of the view: a variable, one of its two objects, or the static fields. */
interface Shown {
  readonly key: string;
  readonly place: bigint;
  readonly row?: StateRow;
  readonly title?: string;
  /** The object that is inside. */
  readonly object?: bigint;
  readonly statics?: "changed" | "all";
  /** Rows that are here already. */
  readonly inside?: readonly Shown[];
}

const objectOf = (value: Value | undefined): bigint | undefined => {
  const kind = value?.kind;
  if (kind?.case !== "object") return undefined;
  // Strings, boxes and constants are shown whole.
  const { text, content, shown, id } = kind.value;
  const boxed = content !== undefined && content.kind.case !== "object";
  return text !== undefined || boxed || shown ? undefined : id;
};

function shownRow(row: StateRow, place: bigint, above: string): Shown {
  const key = `${above}/${row.variable || row.name}`;
  const start = objectOf(row.start);
  const end = objectOf(row.end);
  if (start !== undefined && end !== undefined && start !== end) {
    return {
      key,
      place,
      row,
      inside: [
        { key: `${key}/start`, place, title: "<start value>", object: start },
        { key: `${key}/end`, place, title: "<end value>", object: end },
      ],
    };
  }
  const object = start ?? end;
  return object === undefined ? { key, place, row } : { key, place, row, object };
}

export function State(): JSX.Element {
  const facts = useFacts();
  const [more, setMore] = createSignal<readonly string[]>([]);
  const interval = createMemo(() => ({ from: selection().t1, to: selection().t2 }), undefined, { equals: (a, b) => a.from === b.from && a.to === b.to });

  const state = ask(
    () => {
      const call = facts.call();
      const { recording } = selection();
      return call && recording ? ([recording, call.id, interval().from, interval().to, facts.grown()] as const) : undefined;
    },
    ([recording, call, from, to], signal) =>
      history.getState({ recording, call, withoutStatics: true, ...(from === undefined ? {} : { from: BigInt(from) }), ...(to === undefined ? {} : { to: BigInt(to) }) }, { signal }),
  );

  const top = (): Shown[] => {
    const told = state();
    const rows: Shown[] = (told?.rows ?? []).map((row, at) => shownRow(row, BigInt(at), ""));
    if (told && told.statics > 0n) {
      const at = BigInt(rows.length);
      rows.push({ key: "/changed", place: at, statics: "changed", title: "static fields that changed" });
      rows.push({ key: "/statics", place: at + 1n, statics: "all", title: `all static fields (${count(told.statics)})` });
    }
    return rows;
  };
  const about = createMemo(() => ({ recording: selection().recording, call: state()?.call?.id }), undefined, { equals: (a, b) => a.recording === b.recording && a.call === b.call });
  const list = createModel<Shown>(() => {
    const { recording } = about();
    const source: Source<Shown> = {
      key: (row) => row.key,
      place: (row) => row.place,
      holds: (row) => row.object !== undefined || row.statics !== undefined || row.inside !== undefined,
      opened: (row) => row.statics === "changed" || remembered.get(row.key) === true || (row.row !== undefined && row.object !== undefined && isSmall(row.row, row.key)),
      async page(inside, at, signal): Promise<Page<Shown>> {
        const told = untrack(state);
        if (!inside) return { rows: untrack(top), previous: "", next: "" };
        if (inside.inside) return { rows: inside.inside, previous: "", next: "" };
        if (!told?.call || !recording) return { rows: [], previous: "", next: "" };
        const { from, to } = told;
        const token = at.at === "token" ? at.token : "";
        if (inside.statics) {
          const changed = inside.statics === "changed";
          const answer = await history.listStatics({ recording, call: told.call.id, from, to, changed, pageSize: PAGE, pageToken: token }, { signal });
          const inner = answer.rows.map((row) => shownRow(row, inside.place, inside.key));
          return { rows: inner, previous: answer.previousPageToken, next: answer.nextPageToken };
        }
        const answer = await history.expandObject({ recording, object: inside.object!, from, to, pageSize: PAGE, pageToken: token }, { signal });
        if (answer.notes.length > 0) setMore(answer.notes);
        return { rows: answer.rows.map((row) => shownRow(row, inside.place, inside.key)), previous: answer.previousPageToken, next: answer.nextPageToken };
      },
    };
    return source;
  });

  // Another time of the same call: the rows stay where they are.
  createEffect(
    on(state, () => {
      setMore([]);
      void list.model().refresh();
    }, { defer: true }),
  );

  // What was opened stays so in the state of another time or call; the chosen variable stays the active row.
  createEffect(() => {
    list.version();
    const model = list.model();
    for (const item of model.items) if ("row" in item && item.holds) {
      const toggled = model.isToggled(item.key);
      if (toggled !== undefined) remembered.set(item.key, toggled);
    }
    const chosen = selection().variable;
    if (model.active === undefined && chosen !== undefined) {
      const item = model.items.find((each) => "row" in each && (each.row as Shown).row?.variable === chosen);
      if (item && "row" in item) model.active = item.key;
    }
  });

  const command = (): string | undefined => {
    const { recording, t1, t2 } = selection();
    const call = facts.call();
    if (!recording || !call) return undefined;
    const words = ["jhyde state", shellWord(facts.recording()?.name || recording), call.id];
    if (t1 !== undefined) words.push("--from", t1);
    if (t2 !== undefined) words.push("--at", t2);
    return words.join(" ");
  };
  const choose = (shown: Shown, move: typeof step): void => {
    if (shown.row?.variable) move({ variable: shown.row.variable, tab: selection().tab === "why" ? "why" : "history" });
  };

  return (
    <Panel
      id="state"
      title="State"
      command={command()}
      notes={[...(state()?.notes ?? []), ...more()]}
      problem={state.problem() ?? list.problem()}
      pending={state.pending()}
      about={<Times from={state()?.from} to={state()?.to} />}
    >
      <Show when={facts.call()} fallback={<p class="empty">Choose a call to see its variables, before and after.</p>}>
        <List
          label="State"
          kind="state-rows"
          list={list}
          indent
          head
          columns={[{ name: "Variable" }, { name: selection().t1 ? `@${selection().t1}` : "before" }, { name: selection().t2 ? `@${selection().t2}` : "after" }]}
          rowCount={-1}
          span={{ first: 0n, last: BigInt(Math.max(1, (state()?.rows.length ?? 0) + (state()?.statics ? 2 : 0) - 1)) }}
          selected={(row) => row.row !== undefined && row.row.variable !== "" && row.row.variable === selection().variable}
          look={(row) => (row.row?.changed ? "changed" : row.row?.changedBelow ? "below" : "")}
          choose={(row) => choose(row, jump)}
          follow={(row) => choose(row, step)}
          key={(event, row) => {
            if (event.key !== "w" || !row?.row?.variable || state()?.to === undefined) return false;
            void whoWrote(row.row.variable, state()!.to);
            return true;
          }}
          cells={(row) => <StateCells shown={row} from={state()?.from} to={state()?.to} />}
        />
      </Show>
    </Panel>
  );
}

/** Which rows are open, whatever state is shown: by their keys. */
const remembered = new Map<string, boolean>();

/** Few elements, right below a variable of the call: shown opened. */
function isSmall(row: StateRow, key: string): boolean {
  if (remembered.has(key)) return false;
  const object = (row.end ?? row.start)?.kind;
  const depth = key.split("/").length;
  return depth <= 2 && object?.case === "object" && object.value.length !== undefined && object.value.length <= 8 && row.kind !== RowKind.STATIC && (row.changed || row.changedBelow);
}

function Times(props: { readonly from: bigint | undefined; readonly to: bigint | undefined }): JSX.Element {
  const facts = useFacts();
  const life = (): { first: bigint; last: bigint } | undefined => {
    const call = facts.call();
    if (!call) return undefined;
    return { first: call.enter, last: call.exit ?? facts.recording()?.events ?? call.enter };
  };
  return (
    <Show when={props.from !== undefined && props.to !== undefined && life()}>
      {(life) => (
        <>
          <input
            type="range"
            aria-label="Time of the state after"
            aria-valuetext={`@${props.to}`}
            min={0}
            max={Number(life().last - life().first)}
            value={Number((selection().t2 === undefined ? life().last : BigInt(selection().t2!)) - life().first)}
            onInput={(event) => step({ t2: life().first + BigInt(event.currentTarget.value) })}
          />
          <span class="mono">
            @{props.from!.toString()}–{props.to!.toString()}
          </span>
          <Show when={selection().t1 !== undefined || selection().t2 !== undefined}>
            <button type="button" class="chip" title="The state of the whole call again" onClick={() => jump({ t1: undefined, t2: undefined })}>
              whole call
            </button>
          </Show>
        </>
      )}
    </Show>
  );
}

function StateCells(props: { readonly shown: Shown; readonly from: bigint | undefined; readonly to: bigint | undefined }): JSX.Element {
  const mark = (): { sign: string; word: string } => {
    const row = props.shown.row;
    if (row?.changed) return { sign: "●", word: "written" };
    if (row?.changedBelow) return { sign: "○", word: "something below was written" };
    if (row?.notRecorded) return { sign: "?", word: "it is not recorded whether it was written" };
    if (row?.budgetEnded) return { sign: "…", word: "not all below it was looked at" };
    return { sign: "", word: "" };
  };
  return (
    <Show
      when={props.shown.row}
      fallback={
        <span role="gridcell" aria-colspan={3} class="name whole faint">{props.shown.title}</span>
      }
    >
      {(row) => (
        <>
          <span role="gridcell" class="name" title={`${clean(row().variable)}${row().type ? `: ${clean(row().type)}` : ""}`}>
            <span class="mark" title={mark().word}>
              <span aria-hidden="true">{mark().sign}</span>
              <span class="unseen">{mark().word}</span>
            </span>
            <span class="own">{shorten(rowName(row()), 200)}</span>
            <span class="type">{shorten(clean(simpleClass(row().type)), 60)}</span>
          </span>
          <span role="gridcell" class="before"><Val value={row().start} beside={row().end} variable={row().variable} at={props.from} /></span>
          <span role="gridcell" class="after"><Val value={row().end} beside={row().start} variable={row().variable} at={props.to} /></span>
        </>
      )}
    </Show>
  );
}
