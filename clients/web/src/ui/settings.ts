// What a person chose for this browser: light or dark, and whether single keys do something.

import { createEffect, createRoot, createSignal } from "solid-js";

export type Theme = "system" | "light" | "dark";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

function kept<T extends string>(name: string, allowed: readonly T[], otherwise: T) {
  const stored = (() => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  })();
  const [value, setValue] = createSignal<T>(allowed.find((each) => each === stored) ?? otherwise);
  const set = (to: T): void => {
    setValue(() => to);
    try {
      localStorage.setItem(name, to);
    } catch {
      // A browser that stores nothing forgets it.
    }
  };
  return [value, set] as const;
}

export const [theme, setTheme] = kept<Theme>("jhyde-theme", THEMES, "system");
export const [singleKeys, setSingleKeys] = kept<"on" | "off">("jhyde-keys", ["on", "off"], "on");

/** Are reads and branches shown among the events, and stepped to? */
export const [fine, setFine] = kept<"on" | "off">("jhyde-fine", ["on", "off"], "off");

export function nextTheme(): void {
  setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]!);
}

createRoot(() => {
  createEffect(() => {
    if (theme() === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme();
  });
});
