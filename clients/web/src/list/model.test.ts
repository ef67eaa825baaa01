// The model against a list that is known whole: whatever is done, what is seen is what stands there, and little is held.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type At, Model, type Page, type Source, isRow } from "./model.ts";

interface Call {
  readonly id: bigint;
  readonly below: readonly Call[];
  readonly last: bigint;
}

/** A tree by preorder numbers, the same for the same seed. */
function tree(seed: number, size: number): Call[] {
  let state = seed;
  const random = (below: number): number => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state % below;
  };
  let next = 0n;
  const make = (left: number): Call[] => {
    const calls: Call[] = [];
    while (left > 0) {
      const id = next++;
      left--;
      const inside = random(4) === 0 ? Math.min(left, random(Math.max(1, left))) : 0;
      const below = make(inside);
      left -= inside;
      calls.push({ id, below, last: next - 1n });
    }
    return calls;
  };
  return make(size);
}

const PAGE = 10;

function source(top: readonly Call[], asked: { pages: number }, opened: boolean): Source<Call> {
  return {
    key: (call) => `${call.id}`,
    place: (call) => call.id,
    holds: (call) => call.below.length > 0,
    opened: () => opened,
    async page(inside, at: At): Promise<Page<Call>> {
      asked.pages++;
      await Promise.resolve();
      const all = inside ? inside.below : top;
      let from = 0;
      if (at.at === "last") from = Math.max(0, all.length - PAGE);
      let to: number | undefined;
      if (at.at === "token") [from, to] = at.token.split("-").map(Number) as [number, number];
      if (at.at === "place") {
        // The row that the place is in.
        from = Math.max(0, all.findLastIndex((call) => call.id <= at.place));
      }
      to ??= Math.min(all.length, from + PAGE);
      // A page backward ends where this one begins.
      const previous = from > 0 ? `${Math.max(0, from - PAGE)}-${from}` : "";
      return { rows: all.slice(from, to), previous, next: to < all.length ? `${to}-${Math.min(all.length, to + PAGE)}` : "" };
    },
  };
}

/** What is seen when everything is read. */
function seen(top: readonly Call[], isOpen: (call: Call) => boolean): string[] {
  return top.flatMap((call) => [`${call.id}`, ...(isOpen(call) ? seen(call.below, isOpen) : [])]);
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 40; turn++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
};

function make(top: readonly Call[], opened: boolean) {
  const asked = { pages: 0 };
  const model = new Model<Call>(source(top, asked, opened), () => {}, (error) => {
    throw error;
  });
  model.height = 20;
  model.settle();
  return { model, asked };
}

const window = (model: Model<Call>): string[] => model.items.slice(Math.floor(model.top), Math.floor(model.top) + 20).filter(isRow).map((item) => item.key);

test("scrolling row by row meets every row once, in order, whatever is open", async () => {
  const top = tree(7, 900);
  const { model } = make(top, true);
  await settled();
  const all = seen(top, () => true);
  for (let at = 0; at + 20 <= all.length; at += 7) {
    assert.deepEqual(window(model), all.slice(at, at + 20));
    model.scroll(7);
    await settled();
  }
});

test("what is far away is let go, and is there again on the way back", async () => {
  const top = tree(3, 8_000);
  const { model } = make(top, true);
  await settled();
  const all = seen(top, () => true);
  for (let at = 0; at < 7_000; at += 19) {
    model.scroll(19);
    await settled();
    assert.ok(model.items.length < 4000, `${model.items.length} rows are held`);
  }
  assert.deepEqual(window(model), all.slice(all.indexOf(window(model)[0]!)).slice(0, 20));
  while (model.top > 0) {
    model.scroll(-19);
    await settled();
  }
  assert.deepEqual(window(model), all.slice(0, 20));
});

test("a place far away is some pages away, and both ways go on from there", async () => {
  const top: Call[] = Array.from({ length: 1_000_000 }, (_, at) => ({ id: BigInt(at), below: [], last: BigInt(at) }));
  const { model, asked } = make(top, false);
  await settled();
  const before = asked.pages;
  await model.goto(600_000n);
  await settled();
  assert.ok(window(model).includes("600000"));
  // The page itself, and those that are read ahead on both sides.
  assert.ok(asked.pages - before <= 12, `${asked.pages - before} pages`);
  model.scroll(-5);
  await settled();
  assert.ok(window(model).includes("599996"));
});

test("revealing opens the way to a row and no other", async () => {
  const top = tree(11, 3000);
  const { model } = make(top, false);
  await settled();
  const ways: Call[][] = [];
  const walk = (calls: readonly Call[], above: Call[]): void => {
    for (const call of calls) {
      ways.push([...above, call]);
      walk(call.below, [...above, call]);
    }
  };
  walk(top, []);
  const opened = new Set<string>();
  for (const at of [2999, 5, 1500, 700]) {
    const way = ways[at]!;
    await model.reveal(way.map((call) => ({ key: `${call.id}`, place: call.id })));
    await settled();
    assert.equal(model.active, `${at}`);
    assert.ok(window(model).includes(`${at}`));
    for (const call of way.slice(0, -1)) opened.add(`${call.id}`);
    const all = seen(top, (call) => opened.has(`${call.id}`));
    const first = all.indexOf(window(model)[0]!);
    assert.deepEqual(window(model), all.slice(first, first + 20));
  }
});

test("closing a row keeps it in sight when what is inside of it was", async () => {
  const top: Call[] = [
    { id: 0n, below: Array.from({ length: 500 }, (_, at) => ({ id: BigInt(at + 1), below: [], last: BigInt(at + 1) })), last: 500n },
    { id: 501n, below: [], last: 501n },
  ];
  const { model } = make(top, true);
  await settled();
  await model.goto(300n);
  await settled();
  model.toggle("0", false);
  await settled();
  assert.deepEqual(window(model), ["0", "501"]);
});
