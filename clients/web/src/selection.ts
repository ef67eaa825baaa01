// One selection, which is the URL: what it names, all views show. Data flows one way: URL, selection, questions, views.
// A step replaces the entry of the browser's history, a jump adds one.

import { batch, createSignal } from "solid-js";

export interface Selection {
  readonly recording?: string;
  /** Only this thread's tree; undefined: the thread of the call, or the first. */
  readonly thread?: string;
  readonly call?: string;
  /** The state is that of (t1, t2]; undefined: the call's whole life. */
  readonly t1?: string;
  readonly t2?: string;
  readonly variable?: string;
  readonly session?: string;
  /** The tree shows only what is below this call. */
  readonly root?: string;
  /** The tree shows only calls of this method. */
  readonly method?: string;
  /** `off`: the tree leaves boundary calls out. */
  readonly boundary?: string;
  /** Which view is in front, where there is room for one only. */
  readonly view?: string;
  /** What stands below the state: history, why, graph. */
  readonly tab?: string;
}

type Name = keyof Selection;

const NAMES: readonly Name[] = ["recording", "thread", "call", "t1", "t2", "variable", "session", "root", "method", "boundary", "view", "tab"];

/** A change of the selection: what is not named stays, what is undefined goes. */
export type Change = { -readonly [N in Name]?: string | bigint | undefined };

export function read(search: string): Selection {
  const found = new URLSearchParams(search);
  const selection: { -readonly [N in Name]?: string } = {};
  for (const name of NAMES) {
    const value = found.get(name);
    if (value === null || value === "") continue;
    // A timestamp that is none would make every question fail; without it the link shows the call.
    if ((name === "t1" || name === "t2") && !/^\d{1,20}$/.test(value)) continue;
    selection[name] = value;
  }
  return selection;
}

export function write(selection: Selection): string {
  const told = new URLSearchParams();
  for (const name of NAMES) {
    const value = selection[name];
    if (value !== undefined && value !== "") told.set(name, value);
  }
  const text = told.toString();
  return text ? `/?${text}` : "/";
}

const [selection, setSelection] = createSignal<Selection>(read(location.search));
export { selection };

window.addEventListener("popstate", () => {
  clearTimeout(late);
  late = undefined;
  setSelection(read(location.search));
});

/** A change within what is looked at: the next event, another row. */
export function step(change: Change): void {
  const next = changed(selection(), change);
  setSelection(next);
  replaceSoon();
}

/** Somewhere else: back leads here again. */
export function jump(change: Change): void {
  const next = changed(selection(), change);
  if (write(next) === write(selection())) return;
  batch(() => {
    replaceNow();
    history.pushState(null, "", write(next));
    setSelection(next);
  });
}

/** Another call: its times are its own. */
export const ofCall = (call: string): Change => ({ call, t1: undefined, t2: undefined });

/** An event, seen in the call that it belongs to. */
export const ofEvent = (call: string, timestamp: bigint): Change => ({ call, t1: undefined, t2: timestamp });

export function link(change: Change): string {
  return write(changed(selection(), change));
}

function changed(from: Selection, change: Change): Selection {
  const next: { -readonly [N in Name]?: string } = { ...from };
  // Ids of one recording mean nothing in another.
  if ("recording" in change && change.recording !== from.recording) for (const name of NAMES) delete next[name];
  for (const name of NAMES) {
    if (!(name in change)) continue;
    const value = change[name];
    if (value === undefined || value === "") delete next[name];
    else next[name] = String(value);
  }
  return next;
}

// Browsers take some 200 changes of the URL in 30 seconds, and a key held down steps more often: the URL follows soon.
const SOON_MS = 200;
let late: ReturnType<typeof setTimeout> | undefined;

function replaceSoon(): void {
  late ??= setTimeout(replaceNow, SOON_MS);
}

function replaceNow(): void {
  clearTimeout(late);
  late = undefined;
  const now = write(selection());
  if (now !== location.pathname + location.search) history.replaceState(history.state, "", now);
}
