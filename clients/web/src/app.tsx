// The page: the bar, the views and where they stand.

import { type JSX, ErrorBoundary, For, Match, Show, Suspense, Switch, createEffect, createSignal, lazy, on } from "solid-js";
import { web } from "./api/clients.ts";
import { keep, key, takeTicket } from "./api/key.ts";
import { type Problem, problem } from "./api/problem.ts";
import { FactsProvider, createFacts } from "./facts.ts";
import { Keys } from "./keys.tsx";
import { jump, selection, step } from "./selection.ts";
import { follow } from "./session.ts";
import { clean, shorten } from "./text/clean.ts";
import { callName, count, plural, size } from "./text/words.ts";
import { openable } from "./ui/dialog.tsx";
import { Notes, Trouble } from "./ui/panel.tsx";
import { said } from "./ui/say.ts";
import { nextTheme, theme } from "./ui/settings.ts";
import { Events } from "./views/events.tsx";
import { History } from "./views/history.tsx";
import { Palette } from "./views/palette.tsx";
import { Recordings, StateBadge, WentWrong } from "./views/recordings.tsx";
import { Session } from "./views/session.tsx";
import { Source } from "./views/source.tsx";
import { State } from "./views/state.tsx";
import { Tree } from "./views/tree.tsx";
import { Panel } from "./ui/panel.tsx";
import { shellWord } from "./text/clean.ts";
import { Why } from "./views/why.tsx";

const Graph = lazy(() => import("./views/graph.tsx"));

const THEME_WORDS = { system: "as the system", light: "light", dark: "dark" } as const;

export function App(): JSX.Element {
  const facts = createFacts();
  follow(facts);
  const [palette, setPalette] = openable();
  const [help, setHelp] = openable();
  const [refused, setRefused] = createSignal<Problem>();

  const entry = takeTicket();
  const [entering, setEntering] = createSignal(entry !== undefined);
  if (entry !== undefined) {
    if (entry.recording !== undefined) step({ recording: entry.recording });
    web.redeem({ ticket: entry.ticket }).then(
      (told) => {
        keep(told.key);
        setEntering(false);
      },
      (error: unknown) => {
        setRefused(problem(error));
        setEntering(false);
      },
    );
  }
  // A new key, from here or another tab, makes up for a ticket that was refused.
  createEffect(on(key, () => setRefused(undefined), { defer: true }));

  const locked = (): string | undefined => {
    if (entering()) return undefined;
    const wrong = refused() ?? [facts.recording.problem()].find((each) => each?.kind === "key");
    if (wrong) return wrong.text;
    return key() ? undefined : "This page needs a key of the daemon.";
  };

  createEffect(() => {
    const call = facts.call();
    const name = facts.recording()?.name ?? selection().recording;
    document.title = [call ? callName(call) : undefined, name ? clean(name) : undefined, "jhyde"].filter(Boolean).join(" · ");
  });

  return (
    <FactsProvider value={facts}>
      <a class="skip" href="#views">To the views</a>
      <header class="bar-top" role="banner">
        <h1>
          <a href="/" onClick={(event) => !event.ctrlKey && !event.metaKey && (event.preventDefault(), jump({ recording: undefined }))}>
            <Logo />
            jhyde
          </a>
        </h1>
        <Show when={facts.recording()}>
          {(recording) => (
            <div class="recording">
              <b>{shorten(clean(recording().name || recording().id), 60)}</b>
              <StateBadge recording={recording()} />
              <span class="faint facts">
                {plural(recording().calls, "call")} · {plural(recording().events, "event")} · {size(recording().bytes)}
              </span>
              <Show when={recording().notes.length > 0}>
                <details class="about-it">
                  <summary class="badge open">{plural(recording().notes.length, "note")}</summary>
                  <Notes notes={recording().notes} />
                </details>
              </Show>
              <Show when={recording().gaps.length > 0}>
                <span class="badge open" title={recording().gaps.map((gap) => `${gap.count}× ${clean(gap.reason)}`).join("\n")}>
                  <span aria-hidden="true">◌</span> {count(recording().gaps.reduce((sum, gap) => sum + gap.count, 0n))} not recorded
                </span>
              </Show>
            </div>
          )}
        </Show>
        <button type="button" class="find" onClick={() => setPalette(true)}>
          Find… <kbd>Ctrl K</kbd>
        </button>
        <div class="tools">
          <button type="button" class="quiet" aria-label={`Colours: ${THEME_WORDS[theme()]}`} title={`Colours: ${THEME_WORDS[theme()]} (m)`} onClick={nextTheme}>
            <span aria-hidden="true">{{ system: "◐", light: "☀", dark: "☾" }[theme()]}</span>
          </button>
          <button type="button" class="quiet" aria-label="Keys" title="Keys (?)" onClick={() => setHelp(true)}>
            <span aria-hidden="true">?</span>
          </button>
        </div>
      </header>
      <main id="views" data-view={selection().view ?? "tree"} data-shows={selection().recording ? "recording" : "recordings"} data-session={selection().session}>
        <ErrorBoundary fallback={(error: unknown, again) => <Broken error={error} again={again} />}>
          <Switch>
            <Match when={entering()}>
              <p class="empty">One moment…</p>
            </Match>
            <Match when={locked()}>
              {(why) => (
                <section class="locked" aria-label="Locked">
                  <h2>This browser is not let in</h2>
                  <p role="status">{clean(why())}</p>
                  <p>In a terminal of the machine where the daemon runs:</p>
                  <pre>{`jhyde web${selection().recording ? ` ${shellWord(selection().recording!)}` : ""}`}</pre>
                  <p class="faint">Then this tab goes on where it is.</p>
                </section>
              )}
            </Match>
            <Match when={!selection().recording}>
              <Recordings />
            </Match>
            <Match when={true}>
              <Show
                when={facts.recording.problem()?.kind !== "missing"}
                fallback={
                  <section class="locked">
                    <h2>This recording is not there</h2>
                    <Trouble problem={facts.recording.problem()} />
                    <p><button type="button" onClick={() => jump({ recording: undefined })}>All recordings</button></p>
                  </section>
                }
              >
                <Views />
              </Show>
            </Match>
          </Switch>
        </ErrorBoundary>
      </main>
      <Palette open={palette()} close={() => setPalette(false)} help={() => setHelp(true)} />
      <Keys facts={facts} palette={() => setPalette(true)} help={help()} setHelp={setHelp} />
      <div class="say" role="status" aria-live="polite">
        <Show when={said()}><span>{clean(said())}</span></Show>
      </div>
    </FactsProvider>
  );

  function Views(): JSX.Element {
    return (
      <>
        <Trouble problem={facts.recording.problem()} />
        <Notes notes={facts.recording()?.endNote ? [facts.recording()!.endNote] : []} />
        <Trouble problem={facts.call.problem()} />
        <nav class="which" aria-label="Views">
          <For each={[["tree", "Calls"], ["session", "Search"], ["source", "Source"], ["events", "Events"], ["state", "State"], ["below", "History"]] as const}>
            {([view, name]) => (
              <button type="button" aria-pressed={(selection().view ?? "tree") === view} onClick={() => jump({ view })}>
                {name}
              </button>
            )}
          </For>
        </nav>
        <div class="views">
          <div class="column">
            <WentWrong />
            <Tree />
            <Session />
          </div>
          <div class="column">
            <Source />
            <Events />
          </div>
          <div class="column">
            <State />
            <Below />
          </div>
        </div>
      </>
    );
  }

  function Below(): JSX.Element {
    const tab = (): string => selection().tab ?? "history";
    const command = (): string | undefined => {
      const { recording, variable, t2 } = selection();
      if (!recording || !variable) return undefined;
      const name = shellWord(facts.recording()?.name || recording);
      if (tab() === "why") return `jhyde why ${name} ${shellWord(variable)}${t2 === undefined ? "" : ` --at ${t2}`}`;
      return tab() === "history" ? `jhyde history ${name} ${shellWord(variable)}` : undefined;
    };
    return (
      <Panel
        id="below"
        title={{ why: "Why", graph: "Graph" }[tab()] ?? "History"}
        command={command()}
        about={<Show when={selection().variable}>{(variable) => <span class="mono">{shorten(clean(variable()), 120)}</span>}</Show>}
        tools={
          <div class="tabs" role="group" aria-label="What is shown">
            <For each={[["history", "History", "every write to the variable (h)"], ["why", "Why", "what its value came from (y)"], ["graph", "Graph", "the objects of the state (g)"]] as const}>
              {([name, word, title]) => (
                <button type="button" class="quiet" aria-pressed={tab() === name} title={title} onClick={() => jump({ tab: name })}>
                  {word}
                </button>
              )}
            </For>
          </div>
        }
      >
        <Switch fallback={<History />}>
          <Match when={tab() === "why"}><Why /></Match>
          <Match when={tab() === "graph"}>
            <Suspense fallback={<p class="empty">One moment…</p>}><Graph /></Suspense>
          </Match>
        </Switch>
      </Panel>
    );
  }
}

function Broken(props: { readonly error: unknown; readonly again: () => void }): JSX.Element {
  return (
    <section class="locked">
      <h2>The page made a mistake</h2>
      <p class="trouble">{clean(String(props.error))}</p>
      <p><button type="button" onClick={() => props.again()}>Again</button></p>
    </section>
  );
}

function Logo(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="logo-ground" />
      <path d="M8 8v16M8 13h9M8 22h9" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" />
      <circle cx="21" cy="13" r="3.2" fill="#69db7c" />
      <circle cx="21" cy="22" r="3.2" fill="#ff6b6b" />
    </svg>
  );
}
