// Short messages that go by themselves, also told to screen readers.

import { createSignal } from "solid-js";

const SHOWN_MS = 5000;

const [said, setSaid] = createSignal("");
export { said };

let timer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string): void {
  clearTimeout(timer);
  setSaid(text);
  timer = setTimeout(() => setSaid(""), SHOWN_MS);
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`);
  } catch {
    say(`The browser does not let the page copy. The command is: ${text}`);
  }
}
