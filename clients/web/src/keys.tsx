// The keys that work anywhere, and the list of all keys. None is one of the browser's own. Single letters can be switched off, for
// those who speak to their computer.

import { type JSX, For, onCleanup } from "solid-js";
import type { Facts } from "./facts.ts";
import { AnswerKind } from "./gen/jhyde/v1/debugging_pb.ts";
import { Step } from "./gen/jhyde/v1/history_pb.ts";
import { go, whoWrote } from "./moves.ts";
import { jump, ofCall, selection } from "./selection.ts";
import { KEYS, begin, give, redo, undo } from "./session.ts";
import { Dialog } from "./ui/dialog.tsx";
import { nextTheme, setSingleKeys, singleKeys } from "./ui/settings.ts";
import { pointedAt } from "./views/session.tsx";

/** The views, in the order of their digits. */
export const VIEWS = ["tree", "session", "source", "events", "state", "below"] as const;

const HELP: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  ["Anywhere", [
    ["Ctrl K or /", "find methods, calls (merge#2), variables, @235, File.java:53, commands"],
    ["?", "this list"],
    ["1 … 6", "calls, search, source, events, state, history"],
    ["Tab", "the next view or button"],
    ["h, y, g", "history, why and graph of the chosen variable"],
    ["m", "light, dark, as the system has it"],
  ]],
  ["In a list", [
    ["↑ ↓ PgUp PgDn Home End", "move; all other views follow"],
    ["→ ←", "open, close, to what it is in"],
    ["Enter", "go there: back leads here again"],
    ["→ on a nested call", "into it (events)"],
    ["b", "only what is below the call, and everything again (calls)"],
    ["w", "who wrote this value? (state, history)"],
    ["Enter, Shift Enter", "the next and previous time that the line ran (source)"],
  ]],
  ["Time", [
    [". ,", "next and previous event of the call"],
    ["> <", "the same, into nested calls"],
    ["o O", "to the call's end, to its beginning"],
    ["] [", "next and previous write of the chosen variable"],
    ["p", "to the caller"],
  ]],
  ["Search", [
    ["s", "begin one"],
    ["v i t u x", "the call that is looked at is valid, invalid, trusted, unknown, inadmissible"],
    ["r e", "the value that is asked about is right, is wrong"],
    ["click, or Space", "point at a value that is wrong, then i"],
    ["z Z", "undo, redo"],
    ["n", "to the question"],
  ]],
];

export function Keys(props: { readonly facts: Facts; readonly palette: () => void; readonly help: boolean; readonly setHelp: (open: boolean) => void }): JSX.Element {
  const { facts } = props;
  const press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      props.palette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || singleKeys() === "off") return;
    if (takesLetters(event.target as HTMLElement)) return;
    if (act(event)) event.preventDefault();
  };

  const act = (event: KeyboardEvent): boolean => {
    const view = VIEWS[Number(event.key) - 1];
    if (view) {
      focusView(view);
      return true;
    }
    const call = facts.looked();
    const session = facts.session();
    const at = selection().t2 === undefined ? call?.exit : BigInt(selection().t2!);
    const walk = (how: Step): boolean => {
      if (at === undefined) return false;
      void go(how, at);
      return true;
    };
    const kind = KEYS[event.key];
    if (kind !== undefined && session && call) {
      void give(call, kind, kind === AnswerKind.INVALID ? pointedAt(call.id) : []);
      return true;
    }
    const asked = session?.value;
    if ((event.key === "r" || event.key === "e") && asked && session?.question && session.question.id === call?.id) {
      void give(session.question, event.key === "r" ? AnswerKind.RIGHT : AnswerKind.WRONG, [], asked.variable);
      return true;
    }
    switch (event.key) {
      case "?":
        props.setHelp(true);
        return true;
      case "/":
        props.palette();
        return true;
      case "m":
        nextTheme();
        return true;
      case ".":
        return selection().t2 === undefined && call ? (jump({ t2: call.enter }), true) : walk(Step.FORWARD_OVER);
      case ",":
        return walk(Step.BACKWARD_OVER);
      case ">":
        return walk(Step.FORWARD_INTO);
      case "<":
        return walk(Step.BACKWARD_INTO);
      case "o":
        return walk(Step.FORWARD_OUT);
      case "O":
        return walk(Step.BACKWARD_OUT);
      case "]":
        return selection().variable ? walk(Step.NEXT_WRITE) : false;
      case "[":
        return selection().variable ? walk(Step.PREVIOUS_WRITE) : false;
      case "w":
        if (!selection().variable || at === undefined) return false;
        void whoWrote(selection().variable!, at);
        return true;
      case "p":
        if (!call || call.depth === 0) return false;
        jump(ofCall(call.parent));
        return true;
      case "s":
        if (session || !selection().recording) return false;
        void begin("adaptive");
        return true;
      case "z":
        void undo();
        return true;
      case "Z":
        void redo();
        return true;
      case "n": {
        const next = session?.question ?? session?.buggy;
        if (!next) return false;
        jump(ofCall(next.id));
        return true;
      }
      case "h":
      case "y":
      case "g":
        jump({ tab: { h: "history", y: "why", g: "graph" }[event.key] });
        return true;
      default:
        return false;
    }
  };

  document.addEventListener("keydown", press);
  onCleanup(() => document.removeEventListener("keydown", press));

  return (
    <Dialog label="Keys" class="keys" open={props.help} close={() => props.setHelp(false)}>
      <h2>Keys</h2>
      <div class="groups">
        <For each={HELP}>
          {([title, keys]) => (
            <section>
              <h3>{title}</h3>
              <dl>
                <For each={keys}>
                  {([key, does]) => (
                    <>
                      <dt><kbd>{key}</kbd></dt>
                      <dd>{does}</dd>
                    </>
                  )}
                </For>
              </dl>
            </section>
          )}
        </For>
      </div>
      <p class="row-of-tools">
        <label>
          <input type="checkbox" checked={singleKeys() === "on"} onChange={(event) => setSingleKeys(event.currentTarget.checked ? "on" : "off")} /> Single letters do something
        </label>
        <button type="button" onClick={() => props.setHelp(false)}>Close</button>
      </p>
    </Dialog>
  );
}

/** Is it written into, or in a dialog over the page? What a dialog that was just closed held has the focus until the page is drawn. */
function takesLetters(target: HTMLElement): boolean {
  return target.closest("dialog:not([open])") === null && target.closest("input:not([type=range]), textarea, select, dialog") !== null;
}

export function focusView(view: string): void {
  jumpView(view);
  const panel = document.getElementById(view);
  const find = (what: string): HTMLElement | null | undefined => panel?.querySelector<HTMLElement>(what);
  const target = find("[role=treegrid]") ?? find(".body") ?? find("button");
  target?.focus();
}

/** Where there is room for one view only, the chosen one is in front. */
function jumpView(view: string): void {
  if (matchMedia("(max-width: 999px)").matches) jump({ view });
}
