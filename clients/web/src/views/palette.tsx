// Ctrl-K: finds methods, calls, variables, times, lines and commands.

import { type JSX, For, Show, createEffect, createSignal } from "solid-js";
import { ask } from "../api/ask.ts";
import { history } from "../api/clients.ts";
import { useFacts } from "../facts.ts";
import { jump, ofCall, ofEvent, selection } from "../selection.ts";
import { STRATEGIES, begin, redo, undo } from "../session.ts";
import { clean, shorten, simpleClass } from "../text/clean.ts";
import { callLine, happened, place, plural } from "../text/words.ts";
import { Dialog } from "../ui/dialog.tsx";
import { nextTheme } from "../ui/settings.ts";

interface Found {
  readonly kind: string;
  readonly text: string;
  readonly about: string;
  readonly go: () => void;
}

export function Palette(props: { readonly open: boolean; readonly close: () => void; readonly help: () => void }): JSX.Element {
  const facts = useFacts();
  const [text, setText] = createSignal("");
  const [at, setAt] = createSignal(0);
  let input!: HTMLInputElement;

  const commands = (): Found[] => {
    const all: Found[] = [
      { kind: "command", text: "All recordings", about: "", go: () => jump({ recording: undefined }) },
      { kind: "command", text: "Light or dark", about: "m", go: nextTheme },
      { kind: "command", text: "Keys", about: "?", go: props.help },
    ];
    if (selection().recording) {
      all.unshift(
        facts.session()
          ? { kind: "command", text: "Leave the session", about: "it is kept", go: () => jump({ session: undefined }) }
          : { kind: "command", text: "Begin a search", about: "s", go: () => void begin("adaptive") },
        ...STRATEGIES.map((strategy) => ({ kind: "command", text: `Begin a search: ${strategy}`, about: "", go: () => void begin(strategy) })),
        { kind: "command", text: "Undo", about: "z", go: () => void undo() },
        { kind: "command", text: "Redo", about: "Z", go: () => void redo() },
        { kind: "command", text: "Whole tree", about: "all calls, all methods", go: () => jump({ root: undefined, method: undefined }) },
        { kind: "command", text: "State of the whole call", about: "", go: () => jump({ t1: undefined, t2: undefined }) },
        { kind: "command", text: "Times: from here (t1)", about: "the state shows what changed since", go: () => jump({ t1: selection().t2, t2: undefined }) },
      );
    }
    return all;
  };

  const found = ask(
    () => (props.open && selection().recording && text().trim() ? ([selection().recording!, text().trim()] as const) : undefined),
    async ([recording, text], signal) => {
      const all: Found[] = [];
      // Each kind for itself: what is no call may be a variable.
      const add = async (asked: Promise<Found[]>): Promise<void> => {
        try {
          all.push(...(await asked));
        } catch {
          signal.throwIfAborted();
        }
      };
      const time = /^@(\d{1,19})$/.exec(text)?.[1];
      if (time !== undefined) {
        const told = await history.locate({ recording, timestamp: BigInt(time) }, { signal });
        return [{ kind: "time", text: `@${time} ${told.event ? happened(told.event, false) : ""}`, about: place(told.event?.place), go: () => told.call && jump(ofEvent(told.call.id, BigInt(time))) }];
      }
      if (/^(\d+\.\d+|.+#\d+)$/.test(text)) {
        await add(history.getCall({ recording, call: text }, { signal }).then((call) => [{ kind: "call", text: callLine(call), about: call.id, go: () => jump(ofCall(call.id)) }]));
      }
      if (/[:.#[]/.test(text) && !/\.java:\d+$/.test(text)) {
        await add(
          history.listWrites({ recording, variable: text, pageSize: 1 }, { signal }).then((told) => [
            { kind: "variable", text: clean(told.variable || text), about: told.writes.length > 0 ? "its history" : "no write is recorded", go: () => jump({ variable: told.variable || text, tab: "history" }) },
          ]),
        );
      }
      await add(
        history.findMethods({ recording, text, pageSize: 20 }, { signal }).then((told) =>
          told.methods.map((each) => {
            const name = `${simpleClass(each.class)}.${each.method?.name ?? ""}`;
            const at = each.sourceFile && each.method?.firstLine !== undefined ? `${each.sourceFile}:${each.method.firstLine}` : "";
            return {
              kind: "method",
              text: shorten(clean(name), 120),
              about: `${plural(each.method?.calls ?? 0n, "call")} ${clean(at)}`,
              go: () => {
                const ours = selection().recording;
                if (!ours) return;
                void history
                  .getCall({ recording: ours, call: `${each.class}.${each.method?.name}${each.method?.descriptor}#0` })
                  .then((call) => jump({ ...ofCall(call.id), method: name, root: undefined }), () => jump({ method: name, root: undefined }));
              },
            };
          }),
        ),
      );
      return all;
    },
  );
  const shown = (): Found[] => {
    const words = text().trim().toLowerCase();
    return [...(found() ?? []), ...commands().filter((command) => command.text.toLowerCase().includes(words))];
  };
  createEffect(() => {
    if (props.open) {
      setText("");
      setAt(0);
      queueMicrotask(() => input.focus());
    }
  });
  const choose = (each: Found | undefined): void => {
    if (!each) return;
    props.close();
    each.go();
  };

  return (
    <Dialog label="Find" class="palette" open={props.open} close={props.close}>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Find methods, calls, variables, times, lines, commands"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={shown().length > 0 ? `found-${at()}` : undefined}
        placeholder="merge, merge#2, array#1[2], @235, File.java:53, or a command"
        autocomplete="off"
        spellcheck={false}
        value={text()}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
          const by = moves[event.key];
          if (by !== undefined) {
            setAt((now) => Math.max(0, Math.min(shown().length - 1, now + by)));
            event.preventDefault();
          } else if (event.key === "Enter") {
            // What is asked is answered first: Enter right after typing means what was typed.
            if (found.pending()) {
              const wanted = text();
              const wait = setInterval(() => {
                if (found.pending() && text() === wanted) return;
                clearInterval(wait);
                if (text() === wanted) choose(shown()[at()]);
              }, 20);
            } else choose(shown()[at()]);
            event.preventDefault();
          }
        }}
      />
      <div id="found" role="listbox" aria-label="Found" aria-busy={found.pending()}>
        <For each={shown().slice(0, 40)}>
          {(each, index) => (
            <div id={`found-${index()}`} role="option" aria-selected={index() === at()} classList={{ active: index() === at() }} onClick={() => choose(each)} onPointerMove={() => setAt(index())}>
              <span class="kind">{each.kind}</span>
              <span class="text">{shorten(each.text, 300)}</span>
              <span class="faint">{each.about}</span>
            </div>
          )}
        </For>
      </div>
      <Show when={found.problem()}>{(problem) => <p class="trouble" role="status">{clean(problem().text)}</p>}</Show>
    </Dialog>
  );
}
