// The source of the chosen call's class: which lines the call ran and how often, and the line at t2.

import { type JSX, For, Show, createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import { ask } from "../api/ask.ts";
import { history } from "../api/clients.ts";
import { useFacts } from "../facts.ts";
import { type LineRun, type StateRow, RowKind, Step } from "../gen/jhyde/v1/history_pb.ts";
import { createModel } from "../list/create.ts";
import { List } from "../list/list.tsx";
import { local } from "../list/local.ts";
import { go } from "../moves.ts";
import { jump, selection } from "../selection.ts";
import { clean, shellWord } from "../text/clean.ts";
import { count, rowName, value } from "../text/words.ts";
import { Panel } from "../ui/panel.tsx";
import { say } from "../ui/say.ts";
import type { Coloured, Stretch } from "./highlight.worker.ts";

interface Line {
  readonly number: number;
  readonly text: string;
}

export function Source(): JSX.Element {
  const facts = useFacts();
  const [colours, setColours] = createSignal<Coloured["lines"]>([]);

  // At t2 the event's place says the class: code of a call may stand in one file only, yet a lambda's is its own class.
  const where = createMemo(
    () => {
      const call = facts.call();
      if (!call) return undefined;
      const at = selection().t2 === undefined ? undefined : facts.location()?.event?.place;
      return at?.class === call.class ? { class: call.class, line: at.line } : { class: call.class, line: call.line };
    },
    undefined,
    { equals: (a, b) => a?.class === b?.class && a?.line === b?.line },
  );

  const text = ask(
    () => (selection().recording && where() ? ([selection().recording!, where()!.class] as const) : undefined),
    async ([recording, class_], signal) => {
      const first = await history.getSource({ recording, class: class_ }, { signal });
      const lines = [...first.lines];
      let next = first.nextLine;
      while (next !== 0) {
        const more = await history.getSource({ recording, class: class_, from: next }, { signal });
        lines.push(...more.lines);
        next = more.nextLine;
      }
      return { ...first, lines };
    },
  );
  const runs = ask(
    () => (selection().recording && facts.call() ? ([selection().recording!, facts.call()!.id, facts.call()!.incomplete ? facts.grown() : undefined] as const) : undefined),
    async ([recording, call], signal) => {
      let told = await history.listLines({ recording, call }, { signal });
      while (told.countedTo !== undefined) told = await history.listLines({ recording, call }, { signal });
      return { ...told, byLine: new Map(told.lines.map((run) => [run.line, run])) };
    },
  );
  // What the names of a line stand for at t2.
  const state = ask(
    () => (selection().recording && facts.call() ? ([selection().recording!, facts.call()!.id, selection().t1, selection().t2] as const) : undefined),
    ([recording, call, from, to], signal) =>
      history.getState({ recording, call, withoutStatics: true, budget: 1, ...(from === undefined ? {} : { from: BigInt(from) }), ...(to === undefined ? {} : { to: BigInt(to) }) }, { signal }),
  );
  const locals = createMemo(() => new Map((state()?.rows ?? []).filter((row) => row.kind === RowKind.LOCAL).map((row) => [row.name, row])));

  // Without source: the lines that the line table has.
  const lines = createMemo<readonly Line[]>(() => {
    const found = text();
    if (found) return found.lines.map((line) => ({ number: line.number, text: line.text + (line.cut ? " …" : "") }));
    if (!text.problem()) return [];
    return (runs()?.lines ?? []).map((run) => ({ number: run.line, text: "" }));
  });

  // Files of a name are coloured as Java; what is not, looks like it anyway.
  const worker = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
  onCleanup(() => worker.terminate());
  let asked = 0;
  createEffect(() => {
    const found = text();
    setColours([]);
    if (found) worker.postMessage({ id: ++asked, lines: found.lines.map((line) => line.text) });
  });
  worker.addEventListener("message", (event: MessageEvent<Coloured>) => {
    if (event.data.id === asked) setColours(event.data.lines);
  });

  const list = createModel<Line>(() => {
    const all = lines();
    return local(all, { key: (line) => `${line.number}`, place: (line) => BigInt(line.number) });
  });

  createEffect(() => {
    const line = where()?.line;
    const model = list.model();
    if (line === undefined || lines().length === 0) return;
    void model.reveal([{ key: `${line}`, place: BigInt(line) }]);
  });

  const current = (): number | undefined => (selection().t2 === undefined ? undefined : where()?.line);
  /** To the next or the previous time that the line did something, after or before t2. */
  const timeOf = (line: number, back: boolean): void => {
    const call = facts.call();
    const class_ = where()?.class;
    if (!call || class_ === undefined) return;
    const run = runs()?.byLine.get(line);
    // From the whole call one goes to its first (or last) time in this call.
    if (selection().t2 === undefined && run?.first !== undefined) {
      jump({ t2: back ? run.last : run.first });
      return;
    }
    const from = selection().t2 === undefined ? call.enter : BigInt(selection().t2!);
    void go(back ? Step.PREVIOUS_AT_LINE : Step.NEXT_AT_LINE, from, { class: class_, line });
  };
  const name = (word: string, line: number): void => {
    const row = locals().get(word);
    if (row) {
      jump({ variable: row.variable, tab: "history" });
      say(`${word} = ${value(row.end)}`);
      return;
    }
    const this_ = state()?.rows.find((each) => each.kind === RowKind.THIS)?.end?.kind;
    if (this_?.case === "object" && /^[a-z_$]/i.test(word)) {
      jump({ variable: `object#${this_.value.id}.${word}`, tab: "history" });
      return;
    }
    say(`${word} is no variable of this call (line ${line}).`);
  };

  const command = (): string | undefined => {
    const call = facts.call();
    const { recording } = selection();
    return call && recording ? `jhyde call ${shellWord(facts.recording()?.name || recording)} ${call.id}` : undefined;
  };
  const notes = (): readonly string[] => [...(text()?.notes ?? []), ...(runs()?.notes ?? [])];
  const missing = () => {
    const wrong = text.problem();
    if (wrong?.kind !== "missing") return wrong;
    return { ...wrong, text: `${wrong.text}. From another machine: jhyde source add ${shellWord(facts.recording()?.name || selection().recording || "")} DIR` };
  };

  return (
    <Panel
      id="source"
      title="Source"
      command={command()}
      notes={notes()}
      problem={missing() ?? runs.problem()}
      about={<Show when={text()?.file}>{(file) => <span class="mono" title={clean(text()?.origin ?? "")}>{clean(file())}</span>}</Show>}
      tools={<Show when={current() !== undefined}><span class="faint">line {current()} at @{selection().t2}</span></Show>}
    >
      <Show when={facts.call()} fallback={<p class="empty">Choose a call to see its source.</p>}>
        <List
          label="Source"
          kind="source-lines"
          list={list}
          columns={[{ name: "Line" }, { name: "Times run" }, { name: "Text" }]}
          span={lines().length > 0 ? { first: BigInt(lines()[0]!.number), last: BigInt(lines().at(-1)!.number) } : undefined}
          rowCount={text()?.lineCount ?? lines().length}
          rowIndex={(line) => line.number}
          selected={(line) => line.number === current()}
          look={(line) => lookOf(line.number, runs()?.byLine)}
          key={(event, line) => {
            if (!line || (event.key !== "Enter" && event.key !== " ")) return false;
            timeOf(line.number, event.shiftKey);
            return true;
          }}
          cells={(line) => (
            <>
              <span
                role="gridcell"
                class="number"
                title="Next time that this line ran (with Shift: the time before)"
                onClick={(event) => {
                  event.preventDefault();
                  timeOf(line.number, event.shiftKey);
                }}
              >
                {line.number}
              </span>
              <span role="gridcell" class="runs" title={ranWords(runs()?.byLine.get(line.number))}>
                {ran(runs()?.byLine.get(line.number))}
              </span>
              <span role="gridcell" class="text">
                <Text line={line} stretches={colours()[line.number - (lines()[0]?.number ?? 1)]} name={(word) => name(word, line.number)} locals={locals()} />
                <Show when={line.number === current()}>
                  <Values line={line.text} locals={locals()} />
                </Show>
              </span>
            </>
          )}
        />
      </Show>
    </Panel>
  );
}

function lookOf(line: number, runs: ReadonlyMap<number, LineRun> | undefined): string {
  const run = runs?.get(line);
  return run === undefined ? "" : run.count > 0n ? "ran" : "idle";
}

const ran = (run: LineRun | undefined): string => (run === undefined ? "" : run.count > 0n ? `${count(run.count)}×` : "·");
const ranWords = (run: LineRun | undefined): string => (run === undefined ? "" : run.count > 0n ? `ran ${count(run.count)} times in this call` : "no event tells that it ran in this call");

function Text(props: {
  readonly line: Line;
  readonly stretches: readonly Stretch[] | undefined;
  readonly name: (word: string) => void;
  readonly locals: ReadonlyMap<string, StateRow>;
}): JSX.Element {
  const pieces = createMemo(() => {
    const { text } = props.line;
    const pieces: { text: string; look: string }[] = [];
    let at = 0;
    for (const [from, to, look] of props.stretches ?? []) {
      if (from > at) pieces.push({ text: text.slice(at, from), look: "" });
      pieces.push({ text: text.slice(from, to), look });
      at = to;
    }
    if (at < text.length) pieces.push({ text: text.slice(at), look: "" });
    return pieces;
  });
  return (
    <For each={pieces()}>
      {(piece) => (
        <Show when={piece.look === "s-name"} fallback={<span class={piece.look}>{tabs(piece.text)}</span>}>
          <span
            class="s-name asks"
            title={props.locals.has(piece.text) ? `${clean(piece.text)} = ${value(props.locals.get(piece.text)?.end)}` : undefined}
            onClick={(event) => {
              event.preventDefault();
              props.name(piece.text);
            }}
          >
            {clean(piece.text)}
          </span>
        </Show>
      )}
    </For>
  );
}

/** Tabs stay what they are in source; everything else that is no text is made visible. */
const tabs = (text: string): string => text.split("\t").map(clean).join("    ");

/** What the locals that a line names hold at t2, behind it. */
function Values(props: { readonly line: string; readonly locals: ReadonlyMap<string, StateRow> }): JSX.Element {
  const named = (): StateRow[] => {
    const words = new Set(props.line.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
    return [...words].flatMap((word) => props.locals.get(word) ?? []).filter((row) => row.end !== undefined);
  };
  return (
    <span class="inline-values">
      <For each={named().slice(0, 8)}>
        {(row) => (
          <span class="inline-value">
            {rowName(row)} = {value(row.end).slice(0, 40)}
          </span>
        )}
      </For>
    </span>
  );
}
