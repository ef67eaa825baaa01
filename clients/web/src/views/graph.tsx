// The state as a graph: the objects that the call's variables reach at t2, breadth first. Loaded when asked for.

import { Graph as Dagre, layout } from "@dagrejs/dagre";
import { type JSX, For, Show, createEffect, createMemo, createSignal, untrack } from "solid-js";
import { ask } from "../api/ask.ts";
import { history } from "../api/clients.ts";
import { useFacts } from "../facts.ts";
import type { Value } from "../gen/jhyde/v1/common_pb.ts";
import type { StateRow } from "../gen/jhyde/v1/history_pb.ts";
import { jump, selection } from "../selection.ts";
import { clean, shorten } from "../text/clean.ts";
import { rowName, value } from "../text/words.ts";
import { Notes, Trouble } from "../ui/panel.tsx";

/** More cannot be read as a picture. */
const MOST_OBJECTS = 200;
const MOST_FIELDS = 12;
const CHARACTER = 6.7;
const LINE = 16;

interface Box {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly { readonly name: string; readonly value: string; readonly variable: string; readonly look: string }[];
  readonly more: number;
}
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

const idOf = (shown: Value | undefined): bigint | undefined => {
  const kind = shown?.kind;
  if (kind?.case !== "object") return undefined;
  const { id, text, shown: constant, content } = kind.value;
  return text !== undefined || constant || (content && content.kind.case !== "object") ? undefined : id;
};
const look = (row: StateRow): string => (row.changed ? "changed-text" : row.changedBelow ? "below-text" : "");
const sign = (row: StateRow): string => (row.changed ? "● " : row.changedBelow ? "○ " : "");

export default function Graph(): JSX.Element {
  const facts = useFacts();
  const [zoom, setZoom] = createSignal(1);
  const told = ask(
    () => (selection().recording && facts.call() ? ([selection().recording!, facts.call()!.id, selection().t1, selection().t2] as const) : undefined),
    async ([recording, call, from, to], signal) => {
      const state = await history.getState({ recording, call, withoutStatics: true, ...(from === undefined ? {} : { from: BigInt(from) }), ...(to === undefined ? {} : { to: BigInt(to) }) }, { signal });
      const boxes: Box[] = [];
      const arrows: Arrow[] = [];
      const notes = [...state.notes];
      const queue: bigint[] = [];
      const met = new Set<bigint>();
      const fields = (id: string, rows: readonly StateRow[]): Box["fields"] => {
        for (const row of rows) {
          const object = idOf(row.end);
          if (object === undefined) continue;
          if (!met.has(object)) {
            if (met.size >= MOST_OBJECTS) continue;
            met.add(object);
            queue.push(object);
          }
          arrows.push({ from: id, to: `${object}`, name: rowName(row) });
        }
        return rows.slice(0, MOST_FIELDS).map((row) => ({ name: `${sign(row)}${rowName(row)}`, value: value(row.end), variable: row.variable, look: look(row) }));
      };
      const rows = state.rows.filter((row) => row.end !== undefined);
      boxes.push({ id: "call", title: "variables", fields: fields("call", rows), more: Math.max(0, rows.length - MOST_FIELDS) });
      const titles = new Map<bigint, string>();
      for (const row of rows) if (idOf(row.end) !== undefined) titles.set(idOf(row.end)!, value(row.end));
      let left = 0;
      while (queue.length > 0) {
        const object = queue.shift()!;
        const answer = await history.expandObject({ recording, object, from: state.from, to: state.to, pageSize: 100 }, { signal });
        for (const row of answer.rows) if (idOf(row.end) !== undefined) titles.set(idOf(row.end)!, titles.get(idOf(row.end)!) ?? value(row.end));
        boxes.push({ id: `${object}`, title: titles.get(object) ?? `#${object}`, fields: fields(`${object}`, answer.rows), more: Math.max(0, answer.rows.length - MOST_FIELDS) + (answer.nextPageToken ? 1 : 0) });
        if (answer.nextPageToken) left++;
      }
      if (met.size >= MOST_OBJECTS) notes.push(`Only the nearest ${MOST_OBJECTS} objects are drawn.`);
      if (left > 0) notes.push(`Of ${left} objects only the first 100 fields or elements were followed.`);
      return { boxes, arrows: arrows.filter((arrow) => arrow.to === "call" || met.has(BigInt(arrow.to))), notes };
    },
  );
  const drawn = createMemo(() => {
    const now = told();
    if (!now) return undefined;
    const graph = new Dagre({ multigraph: true });
    graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 44, marginx: 8, marginy: 8 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const box of now.boxes) {
      const longest = Math.max(box.title.length, ...box.fields.map((field) => Math.min(44, field.name.length + field.value.length + 3)));
      graph.setNode(box.id, { width: Math.min(320, longest * CHARACTER + 20), height: (box.fields.length + 1 + (box.more > 0 ? 1 : 0)) * LINE + 10 });
    }
    now.arrows.forEach((arrow, at) => graph.setEdge(arrow.from, arrow.to, {}, `${at}`));
    layout(graph);
    const size = graph.graph() as { width?: number; height?: number };
    return {
      width: size.width ?? 100,
      height: size.height ?? 100,
      boxes: now.boxes.map((box) => ({ box, at: graph.node(box.id) as { x: number; y: number; width: number; height: number } })),
      arrows: graph.edges().map((edge) => ({ points: (graph.edge(edge) as unknown as { points: { x: number; y: number }[] }).points, name: now.arrows[Number(edge.name)]?.name ?? "" })),
    };
  });
  return (
    <>
      <Trouble problem={told.problem()} />
      <Show when={drawn()} fallback={<p class="empty">{facts.call() ? "One moment…" : "Choose a call to see what its variables hold."}</p>}>
        {(now) => (
          <div class="graph" tabindex="0" role="region" aria-label="Objects of the state" ref={(pane) => createEffect(() => toVariables(pane, now().boxes, untrack(zoom)))}>
            <div class="zoom">
              <button type="button" class="quiet" aria-label="Smaller" onClick={() => setZoom((z) => Math.max(0.3, z / 1.25))}>−</button>
              <button type="button" class="quiet" aria-label="Larger" onClick={() => setZoom((z) => Math.min(3, z * 1.25))}>+</button>
            </div>
            <svg
              width={now().width * zoom()}
              height={now().height * zoom()}
              viewBox={`0 0 ${now().width} ${now().height}`}
              role="img"
              aria-label={`${now().boxes.length - 1} objects. The state view lists the same as a tree.`}
            >
              <defs>
                <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" class="tip" /></marker>
              </defs>
              <For each={now().arrows}>{(arrow) => <path class="arrow" marker-end="url(#tip)" d={`M${arrow.points.map((point) => `${point.x} ${point.y}`).join("L")}`}><title>{clean(arrow.name)}</title></path>}</For>
              <For each={now().boxes}>
                {({ box, at }) => (
                  <g transform={`translate(${at.x - at.width / 2} ${at.y - at.height / 2})`}>
                    <rect class="box" width={at.width} height={at.height} rx="5" />
                    <text x="9" y={LINE} class="title">{shorten(box.title, Math.floor((at.width - 16) / CHARACTER))}</text>
                    <For each={box.fields}>
                      {(field, index) => (
                        <text x="9" y={LINE * (index() + 2)} class={`field ${field.look}`} onClick={() => field.variable && jump({ variable: field.variable, tab: "history" })}>
                          {shorten(`${field.name} = ${field.value}`, Math.floor((at.width - 16) / CHARACTER))}
                        </text>
                      )}
                    </For>
                    <Show when={box.more > 0}><text x="9" y={LINE * (box.fields.length + 2)} class="field faint">… more</text></Show>
                  </g>
                )}
              </For>
            </svg>
          </div>
        )}
      </Show>
      <Notes notes={told()?.notes} />
    </>
  );
}

/** Where arrows come from stands in the middle of what is drawn: it is shown first, and the rest by scrolling. */
function toVariables(pane: HTMLElement, boxes: readonly { box: Box; at: { y: number; height: number } }[], zoom: number): void {
  const first = boxes.find(({ box }) => box.id === "call")?.at;
  if (!first) return;
  // The pane has its size once it stands in the page.
  requestAnimationFrame(() => {
    const room = Math.max(0, pane.clientHeight - first.height * zoom) / 2;
    pane.scrollTo({ left: 0, top: (first.y - first.height / 2) * zoom - Math.max(8, room) });
  });
}
