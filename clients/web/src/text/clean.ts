// Text that came from a program, made harmless to look at: control characters, and those that turn the direction of the text
// around them, are written as escapes, as the terminal writes them. The page puts it into text nodes and nowhere else.

const UNFIT = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const ESCAPES: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export function clean(text: string): string {
  return text.replace(UNFIT, (unit) => ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** At most so many UTF-16 units, with an ellipsis if it was cut: a class's name may have 65,535 bytes. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 2] ?? "") ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}

/** A class's name without its package. */
export function simpleClass(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** A word as a POSIX shell takes it. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_.+:/@-]+$/.test(word) ? word : `'${clean(word).replaceAll("'", "'\\''")}'`;
}
