// Lists whose rows are here already: one page.

import type { Page, Source } from "./model.ts";

interface LocalOptions<R> {
  readonly key: (row: R) => string;
  readonly place?: (row: R) => bigint;
  readonly inside?: (row: R) => readonly R[];
  readonly opened?: (row: R) => boolean;
}

export function local<R>(rows: readonly R[], options: LocalOptions<R>): Source<R> {
  const places = new Map(rows.map((row, at) => [row, BigInt(at)]));
  const inside = (row: R): readonly R[] => options.inside?.(row) ?? [];
  return {
    key: options.key,
    place: options.place ?? ((row) => places.get(row) ?? 0n),
    holds: (row) => inside(row).length > 0,
    opened: options.opened ?? (() => true),
    page: (row): Promise<Page<R>> => Promise.resolve({ rows: row === undefined ? rows : inside(row), previous: "", next: "" }),
  };
}
