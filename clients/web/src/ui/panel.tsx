// The frame of a view: its name, what may be done in it, what is wrong, and what is missing.

import { type JSX, For, Show } from "solid-js";
import type { Problem } from "../api/problem.ts";
import { clean } from "../text/clean.ts";
import { copy } from "./say.ts";

interface PanelProps {
  readonly id: string;
  readonly title: string;
  /** Beside the title, fainter. */
  readonly about?: JSX.Element;
  readonly tools?: JSX.Element;
  /** The `jhyde` command that prints the same. */
  readonly command?: string | undefined;
  readonly problem?: Problem | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly pending?: boolean;
  readonly children: JSX.Element;
}

export function Panel(props: PanelProps): JSX.Element {
  return (
    <section class="panel" id={props.id} aria-labelledby={`${props.id}-title`} aria-busy={props.pending === true}>
      <header>
        <h2 id={`${props.id}-title`}>{props.title}</h2>
        <div class="about">{props.about}</div>
        <div class="tools">
          {props.tools}
          <Show when={props.command}>
            {(command) => (
              <button type="button" class="quiet" title={`Copy: ${command()}`} aria-label={`Copy the command ${command()}`} onClick={() => void copy(command())}>
                <span aria-hidden="true">$_</span>
              </button>
            )}
          </Show>
        </div>
      </header>
      <Trouble problem={props.problem} />
      {props.children}
      <Notes notes={props.notes} />
    </section>
  );
}

export function Trouble(props: { readonly problem: Problem | undefined }): JSX.Element {
  return (
    <Show when={props.problem}>
      {(problem) => (
        <p class={`trouble ${problem().kind}`} role="status">
          {clean(problem().text)}
        </p>
      )}
    </Show>
  );
}

/** What is missing or cut. */
export function Notes(props: { readonly notes?: readonly string[] | undefined }): JSX.Element {
  return (
    <Show when={(props.notes?.length ?? 0) > 0}>
      <ul class="notes" aria-label="Notes">
        <For each={props.notes}>{(note) => <li>{clean(note)}</li>}</For>
      </ul>
    </Show>
  );
}
