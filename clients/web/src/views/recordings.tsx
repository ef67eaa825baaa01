// All recordings, newest first; of the chosen one what went wrong.

import { type JSX, For, Show, createEffect, on } from "solid-js";
import { ask } from "../api/ask.ts";
import { history, recordings } from "../api/clients.ts";
import { key } from "../api/key.ts";
import { useFacts } from "../facts.ts";
import { type Recording, RecordingState } from "../gen/jhyde/v1/recordings_pb.ts";
import { createModel } from "../list/create.ts";
import { List } from "../list/list.tsx";
import { local } from "../list/local.ts";
import { jump, link, ofCall, ofEvent, selection } from "../selection.ts";
import { clean, shorten, simpleClass } from "../text/clean.ts";
import { age, callName, count, place, plural, size, value } from "../text/words.ts";
import { Notes, Panel, Trouble } from "../ui/panel.tsx";

const STATES: Record<RecordingState, readonly [mark: string, word: string, look: string]> = {
  [RecordingState.UNSPECIFIED]: ["", "", ""],
  [RecordingState.WAITING]: ["…", "waiting", "open"],
  [RecordingState.RUNNING]: ["●", "running", "good"],
  [RecordingState.COMPLETE]: ["✓", "complete", ""],
  [RecordingState.DETACHED]: ["⏏", "detached", ""],
  [RecordingState.STOPPED]: ["■", "stopped", ""],
  [RecordingState.CONNECTION_LOST]: ["⚡", "connection lost", "bad"],
  [RecordingState.CUT]: ["✂", "cut", "bad"],
  [RecordingState.FAILED]: ["✗", "failed", "bad"],
  [RecordingState.UNREADABLE]: ["✗", "unreadable", "bad"],
};

export function StateBadge(props: { readonly recording: Recording }): JSX.Element {
  const state = () => STATES[props.recording.state];
  return (
    <span class={`badge ${state()[2]}`} title={clean(props.recording.stateReason)}>
      <span aria-hidden="true">{state()[0]}</span> {state()[1]}
    </span>
  );
}

export function Recordings(): JSX.Element {
  const facts = useFacts();
  const all = ask(
    () => (key() ? ([key()] as const) : undefined),
    async (_, signal) => {
      const found: Recording[] = [];
      let pageToken = "";
      do {
        const page = await recordings.list({ pageSize: 1000, pageToken }, { signal });
        found.push(...page.recordings);
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      return found;
    },
  );
  // Those that run grow, and new ones come.
  createEffect(on(facts.tick, (tick) => tick % 2 === 1 && !all.pending() && all.again()));
  const list = createModel<Recording>(() => local(all() ?? [], { key: (each) => each.id }));
  return (
    <Panel
      id="recordings"
      title="Recordings"
      command="jhyde list"
      problem={all.problem()}
      about={all() ? plural(all()!.length, "recording") : ""}
    >
      <Show
        when={(all()?.length ?? 0) > 0}
        fallback={
          <Show when={all()}>
            <div class="empty">
              <p>Nothing is recorded yet. In a terminal:</p>
              <pre>jhyde launch --name mine --include com.example -- java -cp classes com.example.Main</pre>
            </div>
          </Show>
        }
      >
        <List
          label="Recordings"
          kind="recording-rows"
          list={list}
          head
          columns={[{ name: "Name" }, { name: "State" }, { name: "Calls" }, { name: "Events" }, { name: "Size" }, { name: "When" }, { name: "Program" }]}
          span={{ first: 0n, last: BigInt(Math.max(1, (all()?.length ?? 1) - 1)) }}
          rowCount={all()?.length ?? -1}
          selected={() => false}
          choose={(each) => jump({ recording: each.name || each.id })}
          cells={(each) => (
            <>
              <span role="gridcell">
                <a href={link({ recording: each.name || each.id })} onClick={(event) => !event.ctrlKey && !event.metaKey && event.preventDefault() === undefined && jump({ recording: each.name || each.id })}>
                  {shorten(clean(each.name || each.id), 80)}
                </a>
              </span>
              <span role="gridcell"><StateBadge recording={each} /></span>
              <span role="gridcell" class="count">{count(each.calls)}</span>
              <span role="gridcell" class="count">{count(each.events)}</span>
              <span role="gridcell" class="count">{size(each.bytes)}</span>
              <span role="gridcell" class="faint">{age(each.createdMs, Date.now())}</span>
              <span role="gridcell" class="faint program" title={clean(each.jvm?.command.join(" ") ?? "")}>
                {shorten(clean(program(each)), 120)}
              </span>
            </>
          )}
        />
      </Show>
    </Panel>
  );
}

/** The main class or jar of a command line. */
function program(recording: Recording): string {
  const words = recording.jvm?.command ?? [];
  const takesNext = new Set(["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-opens", "--add-exports", "--add-modules"]);
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!;
    if (takesNext.has(word)) at++;
    else if (!word.startsWith("-")) return words.slice(at).join(" ");
  }
  return words.join(" ");
}

/** Exceptions that nobody caught, failed tests, how the program ended: where to begin. */
export function WentWrong(): JSX.Element {
  const facts = useFacts();
  const uncaught = ask(
    () => (selection().recording && facts.recording() ? ([selection().recording!, facts.grown()] as const) : undefined),
    ([recording], signal) => history.listUncaught({ recording }, { signal }),
  );
  const count_ = (): number => (uncaught()?.exceptions.length ?? 0) + (uncaught()?.exits.length ?? 0);
  return (
    <Show when={count_() > 0 || uncaught.problem()}>
      <section class="went-wrong" aria-label="What went wrong">
        <Trouble problem={uncaught.problem()} />
        <ul class="plain">
          <For each={uncaught()?.exceptions.slice(0, 5)}>
            {(each) => (
              <li>
                <span class="badge bad"><span aria-hidden="true">✗</span> {each.test ? "failed test" : "nobody caught"}</span>{" "}
                <button type="button" class="link" title={value(each.exception)} onClick={() => each.call && jump(ofEvent(each.call.id, each.timestamp))}>
                  {shorten(value(each.exception), 120)}
                </button>{" "}
                <span class="faint">{each.call ? `${callName(each.call)} ` : ""}{place(each.place)}</span>
                <Show when={each.test?.underTest}>
                  {(call) => (
                    <>
                      {" "}
                      <button type="button" class="link" onClick={() => jump(ofCall(call().id))}>
                        looked at {callName(call())}
                      </button>
                    </>
                  )}
                </Show>
              </li>
            )}
          </For>
          <For each={uncaught()?.exits}>
            {(each) => (
              <li>
                <span class={`badge ${each.exitCode ? "bad" : ""}`}>exit {each.exitCode ?? ""}</span>{" "}
                <Show when={each.caller}>
                  {(caller) => (
                    <button type="button" class="link" onClick={() => jump(ofEvent(caller().id, each.timestamp))}>
                      {clean(simpleClass(caller().class))}.{clean(caller().method)} {place(each.place)}
                    </button>
                  )}
                </Show>
              </li>
            )}
          </For>
        </ul>
        <Notes notes={uncaught()?.notes} />
      </section>
    </Show>
  );
}
