// How the page gets in (proto/jhyde/v1/web.proto): a ticket in the location's fragment is traded for a key, which is kept in
// `localStorage` and sent as a header. No cookie: those are sent to every port of a host.

import { createSignal } from "solid-js";

const STORED = "jhyde-key";

const [key, setKey] = createSignal(read());

/** The key of this browser; empty without one. Another tab's new key arrives here, too. */
export { key };

window.addEventListener("storage", (event) => {
  if (event.key === STORED) setKey(event.newValue ?? "");
});

export function keep(value: string): void {
  setKey(value);
  try {
    localStorage.setItem(STORED, value);
  } catch {
    // A browser that stores nothing: the key lives as long as this tab.
  }
}

function read(): string {
  try {
    return localStorage.getItem(STORED) ?? "";
  } catch {
    return "";
  }
}

export interface Entry {
  readonly ticket: string;
  /** The recording that was named. */
  readonly recording: string | undefined;
}

/** What the location says to get in by, which is taken out of it at once: neither the history nor a copied link has it. */
export function takeTicket(): Entry | undefined {
  const told = new URLSearchParams(location.hash.slice(1));
  const ticket = told.get("ticket");
  if (ticket === null) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  return { ticket, recording: told.get("recording") ?? undefined };
}
