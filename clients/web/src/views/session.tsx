// A debugging session: the question with what the call was given and what it yielded, and the answers. What is wrong of a call is
// pointed at by a click on the value, or with the space bar.

import { type JSX, For, Match, Show, Switch, createEffect, createMemo, createSignal, on } from "solid-js";
import { ask } from "../api/ask.ts";
import { debugging, history } from "../api/clients.ts";
import { useFacts } from "../facts.ts";
import type { Call, Value } from "../gen/jhyde/v1/common_pb.ts";
import { type Session as SessionState, AnswerKind, Progress } from "../gen/jhyde/v1/debugging_pb.ts";
import type { ReachableObject, StateRow } from "../gen/jhyde/v1/history_pb.ts";
import { jump, ofCall, selection } from "../selection.ts";
import { STRATEGIES, begin, doubt, give, order, redo, restrict, undo } from "../session.ts";
import { clean, shellWord, shorten, simpleClass } from "../text/clean.ts";
import { ANSWERS, STANDINGS, callName, count, known, plural, rowName, value, valueLook } from "../text/words.ts";
import { Notes, Panel, Trouble } from "../ui/panel.tsx";

/** Rows of a call's input or result that are shown here; the state has all of them. */
const MOST_ROWS = 200;

/** Values that are pointed at, in their written forms, of this call. */
const [pointed, setPointed] = createSignal<{ call: string; variables: readonly string[] }>({ call: "", variables: [] });
export const pointedAt = (call: string): readonly string[] => (pointed().call === call ? pointed().variables : []);

function point(call: string, variable: string): void {
  const now = pointedAt(call);
  setPointed({ call, variables: now.includes(variable) ? now.filter((each) => each !== variable) : [...now, variable] });
}

export function Session(): JSX.Element {
  const facts = useFacts();
  const session = facts.session;
  const command = (): string | undefined => {
    const { recording } = selection();
    if (!recording) return undefined;
    const name = shellWord(facts.recording()?.name || recording);
    return session() ? `jhyde debug ${name} --session ${session()!.id}` : `jhyde debug ${name}`;
  };
  return (
    <Panel
      id="session"
      title="Find the bug"
      command={command()}
      problem={session.problem()}
      notes={session()?.notes}
      about={<Show when={session()}>{(now) => <span>{count(now().suspicious)} suspicious</span>}</Show>}
      tools={
        <Show when={session()}>
          {(now) => (
            <>
              <select aria-label="Strategy" value={now().strategy} onChange={(event) => void order(event.currentTarget.value)}>
                <For each={STRATEGIES}>{(each) => <option value={each}>{each}</option>}</For>
              </select>
              <button type="button" class="quiet" disabled={!now().canUndo} title="Take the last answer back (z)" onClick={() => void undo()}>
                undo
              </button>
              <button type="button" class="quiet" disabled={!now().canRedo} title="Give it again (Z)" onClick={() => void redo()}>
                redo
              </button>
            </>
          )}
        </Show>
      }
    >
      <div class="body" tabindex="0" role="region" aria-label="Question">
        <Show when={session()} fallback={<Show when={!selection().session}><Beginning /></Show>}>
          {(now) => <Search session={now()} />}
        </Show>
      </div>
    </Panel>
  );
}

function Beginning(): JSX.Element {
  const facts = useFacts();
  const [strategy, setStrategy] = createSignal<string>("adaptive");
  const earlier = ask(
    () => (selection().recording && facts.recording() ? ([selection().recording!, facts.recording()!.id] as const) : undefined),
    ([recording], signal) => debugging.listSessions({ recording }, { signal }),
  );
  return (
    <div class="beginning">
      <p>The program did something wrong? Say of some calls whether they did right, and the buggy one is found.</p>
      <p class="row-of-tools">
        <button type="button" class="primary" onClick={() => void begin(strategy())}>
          Begin a search
        </button>
        <label>
          asking in the order{" "}
          <select value={strategy()} onChange={(event) => setStrategy(event.currentTarget.value)}>
            <For each={STRATEGIES}>{(each) => <option value={each}>{each}</option>}</For>
          </select>
        </label>
      </p>
      <Show when={(earlier()?.sessions.length ?? 0) > 0}>
        <h3>Go on with one</h3>
        <ul class="plain">
          <For each={earlier()?.sessions}>
            {(each) => (
              <li>
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    const next = each.question ?? each.buggy;
                    jump({ session: each.id, ...(next ? ofCall(next.id) : {}) });
                  }}
                >
                  {each.strategy}, {plural(each.answers.length, "answer")}
                </button>{" "}
                <span class="faint">{each.buggy ? `found ${callName(each.buggy)}` : plural(each.suspicious, "suspicious call")}</span>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Notes notes={earlier()?.notes} />
    </div>
  );
}

function Search(props: { readonly session: SessionState }): JSX.Element {
  const facts = useFacts();
  // Any call may be answered: the one that is looked at, if it is another than the proposed one.
  const other = (): Call | undefined => {
    const call = facts.looked();
    return call && call.id !== props.session.question?.id && call.id !== props.session.buggy?.id ? call : undefined;
  };
  return (
    <>
      <Show when={other()}>
        {(call) => (
          <p class="aside">
            Looking at <b>{callName(call())}</b>
            <Standing call={call()} />
            <Show when={props.session.question ?? props.session.buggy}>
              {(back) => (
                <button type="button" class="link" onClick={() => jump(ofCall(back().id))}>
                  back to {callName(back())} (n)
                </button>
              )}
            </Show>
          </p>
        )}
      </Show>
      <Switch>
        <Match when={other()}>{(call) => <Question call={call()} session={props.session} proposed={false} />}</Match>
        <Match when={props.session.progress === Progress.ASKING && props.session.question}>
          {(call) => <Question call={call()} session={props.session} proposed={true} />}
        </Match>
        <Match when={props.session.progress === Progress.FOUND && props.session.buggy}>{(call) => <Found call={call()} session={props.session} />}</Match>
        <Match when={props.session.progress === Progress.UNDECIDED}>
          <p>
            <b>Undecided:</b> with the answers left open, the buggy call is one of {count(props.session.suspicious)}:
          </p>
          <ul class="plain">
            <For each={props.session.candidates.slice(0, 20)}>
              {(call) => (
                <li>
                  <button type="button" class="link" onClick={() => jump(ofCall(call.id))}>
                    {callName(call)}
                  </button>
                </li>
              )}
            </For>
          </ul>
        </Match>
        <Match when={props.session.progress === Progress.NONE}>
          <p>
            <b>No buggy call:</b> no suspicious call is left
            <Show when={props.session.restrictedTo} fallback={<>, and none was answered invalid.</>}>
              {" "}
              inside of call {props.session.restrictedTo}, which the search is restricted to, and none of those was answered invalid. Outside of it nothing was looked for.
            </Show>
          </p>
          <p class="faint">If the program's result is still wrong, the mistake may be in a trusted method, in a call answered valid, or outside the recorded classes.</p>
        </Match>
        <Match when={props.session.progress === Progress.WAITING}>
          <p>The program still runs, and no call that has ended is left to ask about now.</p>
        </Match>
      </Switch>
      <Given session={props.session} />
    </>
  );
}

function Standing(props: { readonly call: Call }): JSX.Element {
  const standing = () => STANDINGS[props.call.classification];
  return (
    <Show when={standing().word}>
      <span class={`badge ${standing().look}`}>
        <span aria-hidden="true">{standing().mark}</span> {standing().word}
      </span>
    </Show>
  );
}

function Question(props: { readonly call: Call; readonly session: SessionState; readonly proposed: boolean }): JSX.Element {
  const sides = ask(
    () => ([props.session.recording, props.call.id, props.call.exit] as const),
    async ([recording, call], signal) => {
      const [input, result] = await Promise.all([history.getInput({ recording, call }, { signal }), history.getResult({ recording, call }, { signal })]);
      return { input, result, call };
    },
  );
  createEffect(on(() => props.call.id, (call) => setPointed((now) => (now.call === call ? now : { call, variables: [] }))));
  const valueAsked = () => (props.proposed ? props.session.value : undefined);
  const canAnswer = (): boolean => !props.call.boundary && !props.call.incomplete;
  return (
    <div class="question" classList={{ stale: sides()?.call !== props.call.id }}>
      <p class="call-head" data-call={props.call.id}>
        <span class="class">{clean(simpleClass(props.call.class))}.</span>
        <b>{clean(props.call.method)}</b> <span class="ordinal">#{props.call.invocation.toString()}</span>
        <span class="faint"> {props.call.id} · {props.call.sourceFile ? `${clean(props.call.sourceFile)}:${props.call.line ?? ""} · ` : ""}{plural(props.call.descendants, "call")} below</span>
      </p>
      <Show when={props.proposed && props.session.why}>
        <p class="faint">{clean(props.session.why)}.{props.session.expected === undefined ? "" : ` About ${plural(Math.max(1, Math.round(props.session.expected)), "question")} left.`}</p>
      </Show>
      <Trouble problem={sides.problem()} />
      <Show when={sides()}>
        {(now) => (
          <>
            <h3>Given</h3>
            <Rows rows={now().input.rows.filter((row) => !row.constant || row.changed)} objects={now().input.objects} side="start" />
            <Notes notes={now().input.notes} />
            <Show
              when={valueAsked()}
              fallback={
                <>
                  <h3>
                    Yielded
                    <Show when={props.session.pointing && canAnswer()}>
                      <span class="faint"> — click what is wrong</span>
                    </Show>
                  </h3>
                  <Rows
                    rows={now().result.rows}
                    objects={now().result.objects}
                    side="end"
                    point={props.session.pointing && canAnswer() ? (variable) => point(props.call.id, variable) : undefined}
                    pointed={pointedAt(props.call.id)}
                  />
                  <Notes notes={now().result.notes} />
                </>
              }
            >
              {(asked) => (
                <>
                  <h3>One value, when it ended</h3>
                  <p class="mono">
                    {clean(asked().way || asked().variable)} = <b>{value(asked().value)}</b>
                  </p>
                  <p class="faint">What happened here reached what is wrong through it alone, so that the other {plural(asked().instead > 0n ? asked().instead - 1n : 0n, "value")} need no look. Valid and invalid answer for the call.</p>
                </>
              )}
            </Show>
          </>
        )}
      </Show>
      <Show when={canAnswer()} fallback={<p class="faint">{props.call.boundary ? "Outside the recorded classes: trusted." : "It has not ended: it cannot be asked about."}</p>}>
        <div class="answers" role="group" aria-label={`Was ${callName(props.call)} right?`}>
          <Show when={valueAsked()}>
            {(asked) => (
              <>
                <Answer kind={AnswerKind.RIGHT} letter="r" call={props.call} value={asked().variable} />
                <Answer kind={AnswerKind.WRONG} letter="e" call={props.call} value={asked().variable} />
              </>
            )}
          </Show>
          <Answer kind={AnswerKind.VALID} letter="v" call={props.call} />
          <Answer kind={AnswerKind.INVALID} letter="i" call={props.call} />
          <Answer kind={AnswerKind.TRUSTED} letter="t" call={props.call} />
          <Answer kind={AnswerKind.UNKNOWN} letter="u" call={props.call} />
          <Answer kind={AnswerKind.INADMISSIBLE} letter="x" call={props.call} />
        </div>
      </Show>
    </div>
  );
}

const TELLS: Partial<Record<AnswerKind, string>> = {
  [AnswerKind.VALID]: "It did what it should, and so did all that it called",
  [AnswerKind.INVALID]: "It did not: the search goes on inside",
  [AnswerKind.TRUSTED]: "Never ask about this method",
  [AnswerKind.UNKNOWN]: "Decide later",
  [AnswerKind.INADMISSIBLE]: "It should never have been called so",
  [AnswerKind.RIGHT]: "Given what the call was given, the value was right",
  [AnswerKind.WRONG]: "The value was wrong, and with it the call",
};

function Answer(props: { readonly kind: AnswerKind; readonly letter: string; readonly call: Call; readonly value?: string }): JSX.Element {
  const wrong = (): readonly string[] => (props.kind === AnswerKind.INVALID ? pointedAt(props.call.id) : []);
  return (
    <button type="button" class={`answer ${ANSWERS[props.kind]}`} title={TELLS[props.kind]} onClick={() => void give(props.call, props.kind, wrong(), props.value ?? "")}>
      {ANSWERS[props.kind]}
      <Show when={wrong().length > 0}> ({plural(wrong().length, "value")})</Show> <kbd>{props.letter}</kbd>
    </button>
  );
}

interface RowsProps {
  readonly rows: readonly StateRow[];
  readonly objects: readonly ReachableObject[];
  readonly side: "start" | "end";
  readonly point?: ((variable: string) => void) | undefined;
  readonly pointed?: readonly string[];
}

interface Told {
  readonly row?: StateRow;
  /** An object that no row names: how it is reached, and what it is. */
  readonly reached?: ReachableObject;
  readonly level: number;
  /** Elements of an array of values, in its own line. */
  readonly elements?: readonly StateRow[];
}

const idOf = (shown: Value | undefined): bigint | undefined => (shown?.kind.case === "object" ? shown.kind.value.id : undefined);

/** The rows with what is inside of their objects, each object once. */
function told(props: RowsProps): Told[] {
  const objects = new Map(props.objects.flatMap((object) => {
    const id = idOf(object.object);
    return id === undefined ? [] : [[id, object] as const];
  }));
  const seen = new Set<bigint>();
  const all: Told[] = [];
  const isFlat = (rows: readonly StateRow[]): boolean =>
    rows.length <= 64 && rows.every((each) => /^\[?\d+\]?$/.test(each.name) && idOf(each.start) === undefined && idOf(each.end) === undefined);
  const tell = (rows: readonly StateRow[], level: number): void => {
    for (const row of rows) {
      if (all.length >= MOST_ROWS) return;
      const shown = props.side === "start" ? (row.start ?? row.end) : (row.end ?? row.start);
      const id = idOf(shown);
      const inside = id === undefined || seen.has(id) ? undefined : objects.get(id);
      if (!inside || inside.rows.length === 0) {
        all.push({ row, level });
        continue;
      }
      seen.add(id!);
      if (isFlat(inside.rows)) all.push({ row, level, elements: inside.rows });
      else {
        all.push({ row, level });
        if (level < 8) tell(inside.rows, level + 1);
      }
    }
  };
  tell(props.rows, 0);
  // What a call changed in what it was given, stands below no row.
  if (props.side === "end") {
    for (const object of props.objects) {
      const id = idOf(object.object);
      if (id === undefined || seen.has(id) || all.length >= MOST_ROWS) continue;
      seen.add(id);
      if (isFlat(object.rows)) all.push({ reached: object, level: 0, elements: object.rows });
      else {
        all.push({ reached: object, level: 0 });
        tell(object.rows, 1);
      }
    }
  }
  return all;
}

/** A plain value of the call itself: several stand in one line. */
const isShort = (line: Told): boolean => {
  const row = line.row;
  const isPlain = (shown: Value | undefined): boolean => shown === undefined || (shown.kind.case !== "object" && shown.display.length < 16);
  return row !== undefined && line.level === 0 && line.elements === undefined && isPlain(row.start) && isPlain(row.end);
};

function Rows(props: RowsProps): JSX.Element {
  const lines = createMemo(() => told(props));
  return (
    <Show when={lines().length > 0} fallback={<p class="faint">nothing</p>}>
      <ul class="values">
        <For each={lines()}>
          {(line) => (
            <li classList={{ short: isShort(line) }} style={{ "padding-left": `${line.level * 16}px` }}>
              <Show
                when={line.row}
                fallback={
                  <>
                    <span class="name">{shorten(clean(line.reached?.path ?? ""), 120)}</span>
                    <span class="value v-object">{shorten(value(line.reached?.object), 200)}</span>
                    <Show when={line.reached?.takenAway}><span class="faint"> (taken away)</span></Show>
                  </>
                }
              >
                {(row) => (
                  <>
                    <span class="name">{shorten(rowName(row()), 120)}</span>
                    <Piece row={row()} {...props} />
                  </>
                )}
              </Show>
              <Show when={line.elements}>
                {(elements) => (
                  <span class="elements">
                    {"{"}
                    <For each={elements()}>
                      {(each, at) => (
                        <>
                          {at() === 0 ? "" : props.point ? " " : ", "}
                          <Piece row={each} {...props} bare />
                        </>
                      )}
                    </For>
                    {"}"}
                  </span>
                )}
              </Show>
            </li>
          )}
        </For>
        <Show when={lines().length >= MOST_ROWS}>
          <li class="faint">… the first {count(MOST_ROWS)} lines; the state has all of it</li>
        </Show>
      </ul>
    </Show>
  );
}

/** One value; with its value before, where it changed. */
function Piece(props: RowsProps & { readonly row: StateRow; readonly bare?: boolean }): JSX.Element {
  const now = () => (props.side === "start" ? (props.row.start ?? props.row.end) : (props.row.end ?? props.row.start));
  const changed = (): boolean => props.side === "end" && props.row.changed;
  const before = (): string | undefined => (changed() && props.row.start && value(props.row.start) !== value(props.row.end) ? value(props.row.start) : undefined);
  const variable = (): string => props.row.variable;
  const isPointed = (): boolean => props.pointed?.includes(variable()) === true;
  const look = (): string => `value ${valueLook(now())} ${changed() ? "changed-text" : props.side === "end" && props.row.changedBelow ? "below-text" : ""}`;
  const text = (): string => shorten(value(now()), 200);
  return (
    <>
      <Show when={before() !== undefined}>
        <span class="was" title="before">{shorten(before()!, 80)}</span> <span class="faint" aria-label="became">→</span>{" "}
      </Show>
      <Show when={props.point && variable()} fallback={<span class={look()} title={props.bare ? rowName(props.row) : undefined}>{text()}</span>}>
        <button
          type="button"
          class={`point ${look()}`}
          classList={{ pointed: isPointed() }}
          aria-pressed={isPointed()}
          aria-label={`${rowName(props.row)} = ${text()} is wrong`}
          data-variable={variable()}
          title={`${clean(variable())}: click if this is wrong`}
          onClick={() => props.point?.(variable())}
        >
          {text()}
        </button>
      </Show>
    </>
  );
}

function Found(props: { readonly call: Call; readonly session: SessionState }): JSX.Element {
  return (
    <>
      <div class="found" role="status">
        <h3>
          <span aria-hidden="true">⬤ </span>The buggy call: {callName(props.call)}
        </h3>
        <p>
          It was wrong, and every call that it made was right: the mistake is in its own code
          {props.call.line === undefined ? "" : `, ${clean(props.call.sourceFile)} from line ${props.call.line} on`}.
        </p>
        <p class="faint">
          Found with {plural(props.session.answers.length, "answer")}
          {props.session.known.length > 0 ? `, and ${plural(props.session.known.length, "call")} known without asking` : ""}.
        </p>
      </div>
      <Question call={props.call} session={props.session} proposed={false} />
    </>
  );
}

function Given(props: { readonly session: SessionState }): JSX.Element {
  const statistics = ask(
    () => ([props.session.recording, props.session.id, props.session.revision] as const),
    ([recording, session], signal) => debugging.getStatistics({ recording, session }, { signal }),
  );
  return (
    <>
      <Show when={props.session.answers.length > 0}>
        <details class="fold">
          <summary>{plural(props.session.answers.length, "answer")} given</summary>
          <ol class="plain">
            <For each={props.session.answers}>
              {(each) => (
                <li>
                  <span class={`badge ${ANSWERS[each.answer]}`}>{ANSWERS[each.answer]}</span>{" "}
                  <button type="button" class="link" onClick={() => jump(ofCall(each.call))}>
                    {each.call}
                  </button>
                  <span class="faint">
                    {each.value ? ` ${clean(each.value)}` : ""}
                    {each.wrong.length > 0 ? ` wrong: ${each.wrong.map(clean).join(", ")}` : ""}
                    {each.cut > 0n ? `, ${plural(each.cut, "call")} cannot be to blame` : ""}
                    {each.remembered ? ` remembered: ${clean(each.remembered)}` : ""}
                  </span>
                </li>
              )}
            </For>
          </ol>
        </details>
      </Show>
      <Show when={props.session.known.length > 0}>
        <details class="fold" open>
          <summary>{plural(props.session.known.length, "answer")} known without asking</summary>
          <ul class="plain">
            <For each={props.session.known}>
              {(each) => (
                <li>
                  <span class={`badge ${ANSWERS[each.answer]}`}>{ANSWERS[each.answer]}</span>{" "}
                  <button type="button" class="link" onClick={() => jump(ofCall(each.call))}>
                    {each.call}
                  </button>{" "}
                  <span class="faint">{known(each)}</span>{" "}
                  <button type="button" class="link" onClick={() => void doubt(each.call)}>
                    ask it
                  </button>
                </li>
              )}
            </For>
          </ul>
        </details>
      </Show>
      <details class="fold">
        <summary>How far it is</summary>
        <table class="statistics">
          <thead>
            <tr>
              <th scope="col">Class</th>
              <th scope="col">calls</th>
              <th scope="col">suspicious</th>
              <th scope="col">valid</th>
              <th scope="col">invalid</th>
              <th scope="col">trusted</th>
              <th scope="col">unknown</th>
            </tr>
          </thead>
          <tbody>
            <For each={statistics()?.classes.slice(0, 100)}>
              {(each) => (
                <tr>
                  <th scope="row">{shorten(clean(simpleClass(each.class)), 80)}</th>
                  <For each={[each.calls, each.suspicious, each.valid, each.invalid, each.trusted, each.unknown]}>{(number) => <td>{count(number)}</td>}</For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
        <p class="row-of-tools">
          <Show
            when={props.session.restrictedTo}
            fallback={
              <button type="button" disabled={!selection().call} onClick={() => void restrict(selection().call ?? "")}>
                Search only below {selection().call ?? "a call"}
              </button>
            }
          >
            <button type="button" onClick={() => void restrict("")}>
              Search everywhere again
            </button>
          </Show>
          <button type="button" onClick={() => jump({ session: undefined })}>
            Leave the session (it is kept)
          </button>
        </p>
      </details>
    </>
  );
}
