// The computation tree of a thread: what called what, folded, with what a session says of each call.

import { type JSX, For, Show, createEffect, createMemo, createSignal, on } from "solid-js";
import { history } from "../api/clients.ts";
import { useFacts } from "../facts.ts";
import { type Call, Classification } from "../gen/jhyde/v1/common_pb.ts";
import { createModel } from "../list/create.ts";
import { List } from "../list/list.tsx";
import type { At, Page, Source } from "../list/model.ts";
import { answer } from "../session.ts";
import { jump, ofCall, selection, step } from "../selection.ts";
import { clean, shellWord, simpleClass } from "../text/clean.ts";
import { STANDINGS, callArguments, callLine, count, ended } from "../text/words.ts";
import { Panel } from "../ui/panel.tsx";
import { pointedAt } from "./session.tsx";

const PAGE = 100;
/** A call that lies deeper is shown below one of the calls around it: each level that is opened is a question of its own. */
const DEEP = 200;
/** So many of the calls around it are shown then. */
const AROUND = 50;
/** Recordings of so few calls are shown opened. */
const FEW = 300n;

export const callNumber = (id: string): bigint => BigInt(id.slice(id.indexOf(".") + 1));
const threadOf = (id: string): string => id.slice(0, id.indexOf("."));

export function Tree(): JSX.Element {
  const facts = useFacts();
  const [notes, setNotes] = createSignal<readonly string[]>([]);
  /** What all that is suspicious weighs, where the session's strategy weighs calls. */
  const [weight, setWeight] = createSignal<number>();

  // What the tree is of; how the session stands does not make it another one.
  const about = createMemo(
    () => {
      const { recording, root, method, boundary } = selection();
      const thread = root ? threadOf(root) : facts.thread();
      const few = (facts.recording()?.calls ?? FEW + 1n) <= FEW;
      return { recording, thread, root, method, boundary, few };
    },
    undefined,
    { equals: (a, b) => JSON.stringify(a) === JSON.stringify(b) },
  );

  const list = createModel<Call>(() => {
    const { recording, thread, root, method, boundary, few } = about();
    const nothing: Page<Call> = { rows: [], previous: "", next: "" };
    const source: Source<Call> = {
      key: (call) => call.id,
      place: (call) => callNumber(call.id),
      holds: (call) => call.descendants > 0n && !method,
      opened: (call) => few || call.id === root,
      async page(inside, at, signal) {
        if (!recording || !thread) return nothing;
        const session = selection().session ?? "";
        if (root && !inside && !method) {
          return { ...nothing, rows: [await history.getCall({ recording, call: root, session }, { signal })] };
        }
        const above = inside?.id ?? root ?? `${thread}.0`;
        const answer = await history.listCalls(
          {
            recording,
            call: above,
            maxDepth: method ? 0 : 1,
            withoutRoot: !method || !root,
            withoutBoundary: boundary === "off",
            method: method ?? "",
            session,
            pageSize: PAGE,
            ...begin(at, thread, inside ? callNumber(inside.id) + inside.descendants : undefined),
          },
          { signal },
        );
        if (!inside) setNotes(answer.notes);
        setWeight(answer.weight);
        return { rows: answer.calls, previous: answer.previousPageToken, next: answer.nextPageToken };
      },
    };
    return source;
  });

  // The session says something new of calls, or the program made more of them.
  createEffect(on([facts.revision, () => selection().session, facts.grown], () => void list.model().refresh(), { defer: true }));

  // A recording that is opened shows its first call, so that all views have something to show.
  createEffect(() => {
    list.version();
    const first = list.model().first();
    if (first && selection().recording === about().recording && selection().call === undefined && selection().session === undefined) step(ofCall(first.row.id));
  });

  /** The root that stands in for the calls around a deep one. */
  let near: string | undefined;
  // The call that is selected is in sight, with the rows above it opened.
  createEffect(() => {
    const calls = facts.path()?.calls;
    const model = list.model();
    const { root, method, boundary } = about();
    const last = calls?.at(-1);
    if (!calls || !last || threadOf(last.id) !== about().thread) return;
    const from = root ? calls.findIndex((call) => call.id === root) : 0;
    if (from < 0) {
      // Nobody asked for that root.
      if (root === near) step({ root: undefined });
      return;
    }
    const way = method ? [last] : calls.slice(from).filter((call) => boundary !== "off" || !call.boundary);
    if (way.length > DEEP) {
      near = way.at(-AROUND)!.id;
      step({ root: near });
      return;
    }
    if (model.active === last.id && model.index(last.id) >= 0) {
      model.activate(last.id);
      return;
    }
    void model.reveal(way.map((call) => ({ key: call.id, place: callNumber(call.id) })));
  });

  const span = (): { first: bigint; last: bigint } | undefined => {
    const { root, thread } = about();
    if (root) {
      const call = list.version() >= 0 ? list.model().row(root)?.row : undefined;
      return call && { first: callNumber(root), last: callNumber(root) + call.descendants };
    }
    const calls = facts.threads()?.threads.find((each) => each.id.toString() === thread)?.calls;
    return calls === undefined ? undefined : { first: 1n, last: calls };
  };

  const command = (): string | undefined => {
    const { recording, root, method, boundary } = selection();
    if (!recording) return undefined;
    const words = ["jhyde tree", shellWord(facts.recording()?.name || recording)];
    if (root) words.push(shellWord(root));
    if (method) words.push("--method", shellWord(method));
    if (boundary === "off") words.push("--no-boundary");
    return words.join(" ");
  };

  return (
    <Panel
      id="tree"
      title="Calls"
      command={command()}
      notes={notes()}
      problem={list.problem() ?? facts.threads.problem()}
      about={
        <>
          <Show when={selection().root}>
            {(root) => (
              <button type="button" class="chip" title="Show the whole tree again" onClick={() => jump({ root: undefined })}>
                below {root()} <span aria-hidden="true">✕</span>
                <span class="unseen"> (show all)</span>
              </button>
            )}
          </Show>
          <Show when={selection().method}>
            {(method) => (
              <button type="button" class="chip" title="Show all methods again" onClick={() => jump({ method: undefined })}>
                only {clean(method())} <span aria-hidden="true">✕</span>
                <span class="unseen"> (show all)</span>
              </button>
            )}
          </Show>
          <Show when={!selection().root && !selection().method}>
            <span>{span() ? `${count(span()!.last)} in this thread` : ""}</span>
          </Show>
        </>
      }
      tools={
        <>
          <Show when={(facts.threads()?.threads.length ?? 0) > 1}>
            <select
              aria-label="Thread"
              value={about().thread ?? ""}
              onChange={(event) => jump({ thread: event.currentTarget.value, call: undefined, t1: undefined, t2: undefined, root: undefined })}
            >
              <For each={facts.threads()?.threads.filter((thread) => thread.calls > 0n)}>{(thread) => <option value={thread.id.toString()}>{clean(thread.name)}</option>}</For>
            </select>
          </Show>
          <button
            type="button"
            class="quiet"
            aria-pressed={selection().boundary !== "off"}
            title="Calls of methods outside the recorded classes"
            onClick={() => jump({ boundary: selection().boundary === "off" ? undefined : "off" })}
          >
            boundary
          </button>
        </>
      }
    >
      <List
        label="Calls"
        kind="calls"
        list={list}
        indent
        columns={[{ name: "Call" }, { name: "Calls below" }, { name: "Answer" }]}
        span={span()}
        rowCount={span() ? Number(span()!.last - span()!.first + 1n) : -1}
        rowIndex={(call) => Number(callNumber(call.id) - (span()?.first ?? 1n)) + 1}
        selected={(call) => call.id === facts.call()?.id}
        look={(call) => [call.boundary ? "boundary" : STANDINGS[call.classification].look, call.suspicious === false ? "cleared" : ""].join(" ")}
        follow={(call) => step(ofCall(call.id))}
        choose={(call) => jump(ofCall(call.id))}
        key={(event, call) => {
          if (!call) return false;
          if (event.key === "b") jump({ root: selection().root === call.id ? undefined : call.id });
          else return answer(event.key, call, pointedAt(call.id));
          return true;
        }}
        cells={(call) => <CallCells call={call} weight={weight()} />}
      />
    </Panel>
  );
}

function begin(at: At, thread: string, last: bigint | undefined) {
  switch (at.at) {
    case "first":
      return {};
    case "last":
      // Without an inside it is the thread's whole tree, whose end no row tells.
      return last === undefined
        ? { start: { at: { case: "index" as const, value: 2n ** 62n }, backward: true } }
        : { start: { at: { case: "call" as const, value: `${thread}.${last}` } } };
    case "place":
      return { start: { at: { case: "call" as const, value: `${thread}.${at.place}` }, backward: at.backward === true } };
    case "token":
      return { pageToken: at.token };
  }
}

function CallCells(props: { readonly call: Call; readonly weight: number | undefined }): JSX.Element {
  // Calls outside of the scope are trusted from the start: that goes without saying.
  const standing = () => STANDINGS[props.call.boundary ? Classification.UNSPECIFIED : props.call.classification];
  const share = (): number | undefined => (props.call.weight !== undefined && props.weight ? props.call.weight / props.weight : undefined);
  return (
    <>
      <span role="gridcell" class="call" title={callLine(props.call)}>
        <span class="class">{clean(simpleClass(props.call.class))}.</span>
        <span class="method">{clean(props.call.method)}</span>
        <span class="ordinal"> #{props.call.invocation.toString()}</span>
        <span class="arguments"> ({callArguments(props.call)}) </span>
        <span class={props.call.exception ? "threw" : "result"}>{ended(props.call)}</span>
      </span>
      <span role="gridcell" class="below" title={share() === undefined ? undefined : `weight ${props.call.weight?.toPrecision(3)} of ${props.weight?.toPrecision(3)}`}>
        <Show when={share() !== undefined && props.call.suspicious !== false}>
          <span class="weight" style={{ width: `${Math.round(32 * Math.min(1, share() ?? 0))}px` }} />
        </Show>
        {props.call.descendants > 0n ? count(props.call.descendants) : ""}
      </span>
      <span role="gridcell" class="standing" title={standing().word}>
        <span aria-hidden="true">{standing().mark}</span>
        <span class="unseen">{standing().word}</span>
      </span>
    </>
  );
}
