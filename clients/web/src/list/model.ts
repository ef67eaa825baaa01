// Rows of a list of any length, of which only those near to what is seen are held. A list may have lists inside of its rows (calls
// inside a call, iterations inside a loop), which are read when a row is opened. All rows have one height; where the list stands is a
// row, and its place in the recording, never a pixel: browsers end an element at some 33 million of them.
//
// What is held is told as one flat sequence of rows and holes. A hole stands where rows are not read (yet, or any more); one that
// comes near to what is seen is read. No Solid and no DOM in here.

/** A place in the list's own measure: a call's preorder number, a timestamp, an index. */
export type Place = bigint;

/** Where a page begins. */
export type At =
  | { readonly at: "first" }
  | { readonly at: "last" }
  /** At this place, or with `backward` what is before it. */
  | { readonly at: "place"; readonly place: Place; readonly backward?: boolean }
  | { readonly at: "token"; readonly token: string };

export interface Page<R> {
  readonly rows: readonly R[];
  /** The pages around it; empty: none. */
  readonly previous: string;
  readonly next: string;
}

export interface Source<R> {
  /** Names a row, whichever answer it came in. */
  key(row: R): string;
  place(row: R): Place;
  /** Rows can be inside of it. */
  holds(row: R): boolean;
  /** It is open until somebody closes it. */
  opened(row: R): boolean;
  /** A page of what is inside of a row, or of the whole list. */
  page(inside: R | undefined, at: At, signal: AbortSignal): Promise<Page<R>>;
}

export interface Row<R> {
  readonly row: R;
  readonly key: string;
  /** How many rows it stands in. */
  readonly level: number;
  readonly open: boolean;
  readonly holds: boolean;
  readonly node: Node<R>;
}

/** Rows that are not there: those before a node's first page, or behind its last. */
interface Hole<R> {
  readonly hole: "before" | "after";
  readonly node: Node<R>;
}

export type Item<R> = Row<R> | Hole<R>;

export function isRow<R>(item: Item<R> | undefined): item is Row<R> {
  return item !== undefined && "row" in item;
}

/** What is inside of a row (or the whole list), as far as it is read. */
class Node<R> {
  pages: Page<R>[] = [];
  /** Asked once and found to be empty. */
  empty = false;
  reading: AbortController | undefined;
  readonly children = new Map<string, Node<R>>();
  readonly items = new Map<string, Row<R>>();
  constructor(
    readonly row: R | undefined,
    readonly key: string,
    readonly parent: Node<R> | undefined,
    readonly level: number,
  ) {}

  rows(): R[] {
    return this.pages.flatMap((page) => page.rows as R[]);
  }

  forget(): void {
    this.reading?.abort();
    this.reading = undefined;
    this.pages = [];
    this.empty = false;
    for (const child of this.children.values()) child.forget();
    this.children.clear();
    this.items.clear();
  }
}

/** Rows before and behind what is seen that are read ahead. */
const AHEAD = 40;
/** Rows that are held; with more, those far from what is seen are let go. */
const HELD = 2400;
/** Rows around what is seen that are never let go. */
const NEAR = 600;

export class Model<R> {
  items: Item<R>[] = [];
  /** The first row that is seen, by its index in `items`; the fraction is how much of it is above the edge. */
  top = 0;
  /** So many rows are seen. */
  height = 1;
  active: string | undefined;
  private readonly toggled = new Map<string, boolean>();
  private root: Node<R>;
  private going: AbortController | undefined;
  private reading: AbortController | undefined;
  private queue: Promise<void> = Promise.resolve();
  /** Reading anew waits for its turn. */
  private waiting: Promise<void> | undefined;
  private dead = false;

  constructor(
    readonly source: Source<R>,
    /** Rows, place or active row are others now. */
    private readonly changed: () => void,
    private readonly failed: (error: unknown) => void,
  ) {
    this.root = new Node<R>(undefined, "", undefined, 0);
    this.flatten();
  }

  close(): void {
    this.dead = true;
    this.going?.abort();
    this.reading?.abort();
    this.root.forget();
  }

  /** Reads everything near to what is seen anew, and stays where it is. */
  refresh(): Promise<void> {
    this.waiting ??= this.next(() => {
      this.waiting = undefined;
      return this.readAnew();
    });
    return this.waiting;
  }

  private async readAnew(): Promise<void> {
    const seen = this.first();
    const path = seen ? this.way(seen) : [];
    const fraction = this.top - Math.floor(this.top);
    const fresh = new Node<R>(undefined, "", undefined, 0);
    const mine = (this.reading = new AbortController());
    try {
      // The new rows are read beside the old ones, which stay until they are there.
      const old = this.root;
      await this.descend(fresh, path, mine.signal);
      await this.fillSeen(fresh, seen?.key, mine.signal);
      if (mine.signal.aborted || this.dead) return;
      old.forget();
      this.root = fresh;
      this.flatten();
      const at = seen ? this.index(seen.key) : 0;
      this.top = at < 0 ? Math.min(this.top, Math.max(0, this.items.length - 1)) : at + fraction;
      this.settle();
    } catch (error) {
      if (!mine.signal.aborted) this.failed(error);
    }
  }

  /** The first row that is seen. */
  first(): Row<R> | undefined {
    for (let at = Math.max(0, Math.floor(this.top)); at < this.items.length; at++) {
      const item = this.items[at];
      if (isRow(item)) return item;
    }
    return undefined;
  }

  last(): Row<R> | undefined {
    for (let at = Math.min(this.items.length - 1, Math.floor(this.top + this.height - 1)); at >= 0; at--) {
      const item = this.items[at];
      if (isRow(item)) return item;
    }
    return undefined;
  }

  row(key: string | undefined): Row<R> | undefined {
    const found = key === undefined ? undefined : this.items[this.index(key)];
    return isRow(found) ? found : undefined;
  }

  index(key: string): number {
    return this.items.findIndex((item) => isRow(item) && item.key === key);
  }

  /** The rows that a row stands in, outermost first, itself last. */
  private way(row: Row<R>): { key: string; place: Place }[] {
    const way = [{ key: row.key, place: this.source.place(row.row) }];
    for (let node: Node<R> | undefined = row.node; node?.row !== undefined; node = node.parent) {
      way.unshift({ key: node.key, place: this.source.place(node.row) });
    }
    return way;
  }

  parent(row: Row<R>): Row<R> | undefined {
    return row.node.row === undefined ? undefined : this.row(row.node.key);
  }

  scroll(rows: number): void {
    this.top += rows;
    this.settle();
  }

  /** Makes a row the active one, and brings it into sight. */
  activate(key: string): void {
    this.active = key;
    const at = this.index(key);
    if (at >= 0) this.show(at);
    this.settle();
  }

  /** The next row that way; at the end of what is held nothing happens. */
  move(by: number): Row<R> | undefined {
    const from = this.active === undefined ? -1 : this.index(this.active);
    let at = from < 0 ? Math.floor(this.top) - Math.sign(by) : from;
    let left = Math.abs(by);
    let reached: Row<R> | undefined;
    while (left > 0) {
      at += Math.sign(by);
      const item = this.items[at];
      if (!isRow(item)) break;
      reached = item;
      left--;
    }
    if (reached) this.activate(reached.key);
    return reached;
  }

  toggle(key: string, open: boolean): void {
    this.toggled.set(key, open);
    const row = this.row(key);
    if (row && !open) {
      row.node.children.get(key)?.forget();
      row.node.children.delete(key);
    }
    this.flattenHere();
    this.settle();
  }

  isToggled(key: string): boolean | undefined {
    return this.toggled.get(key);
  }

  /** Goes to the beginning or to the end. */
  async end(which: "first" | "last"): Promise<void> {
    await this.go(async (signal) => {
      const all = this.root.pages;
      const there = which === "first" ? all[0]?.previous === "" : all.at(-1)?.next === "";
      if (!there) {
        const page = await this.source.page(undefined, { at: which }, signal);
        this.root.forget();
        this.root.pages = [page];
      }
      this.flatten();
      const rows = this.items.filter(isRow);
      const target = which === "first" ? rows[0] : rows.at(-1);
      this.top = which === "first" ? 0 : this.items.length;
      this.active = target?.key;
    });
  }

  /** Goes to a place: the row there, or the first behind it, becomes the first that is seen. */
  async goto(place: Place): Promise<void> {
    await this.go(async (signal) => {
      let node = this.root;
      let shown: string | undefined;
      for (let depth = 0; depth < 200; depth++) {
        const row = await this.holding(node, place, signal);
        if (!row) break;
        shown = this.source.key(row);
        if (!this.isOpen(row) || this.source.place(row) >= place) break;
        node = this.child(node, row);
      }
      this.flatten();
      const at = shown === undefined ? -1 : this.index(shown);
      if (at >= 0) this.top = at;
    });
  }

  /** Opens the rows on the way to a row and makes it the active one, in the middle if it was out of sight. */
  async reveal(path: readonly { key: string; place: Place }[]): Promise<void> {
    const target = path.at(-1);
    if (!target) return;
    await this.go(async (signal) => {
      for (const above of path.slice(0, -1)) this.toggled.set(above.key, true);
      await this.descend(this.root, path, signal);
      this.flattenHere();
      const at = this.index(target.key);
      // A row that the list leaves out: the last one that began before it.
      const near = at >= 0 ? at : this.items.findLastIndex((item) => isRow(item) && this.source.place(item.row) <= target.place);
      const item = this.items[near];
      this.active = isRow(item) ? item.key : target.key;
      if (near >= 0) this.show(near, true);
    });
  }

  /** A newer way takes the place of one that is on its way. */
  private go(there: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.going?.abort();
    const mine = (this.going = new AbortController());
    return this.next(async () => {
      if (mine.signal.aborted || this.dead) return;
      try {
        await there(mine.signal);
        if (mine.signal.aborted || this.dead) return;
        this.settle();
      } catch (error) {
        if (!mine.signal.aborted && !this.dead) this.failed(error);
      }
    });
  }

  /** One after the other: rows that are read anew are never lost to a way somewhere, nor the other way round. */
  private next(act: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(act, act);
    return this.queue;
  }

  /** Reads what is missing from a row on as far as is seen, so that nothing blinks when these rows take the others' place. */
  private async fillSeen(root: Node<R>, key: string | undefined, signal: AbortSignal): Promise<void> {
    for (let turn = 0; turn < 50 && !signal.aborted; turn++) {
      const items: Item<R>[] = [];
      this.tell(root, items);
      const from = key === undefined ? 0 : Math.max(0, items.findIndex((item) => isRow(item) && item.key === key));
      const holes = items.slice(from, from + Math.ceil(this.height)).filter((item): item is Hole<R> => !isRow(item) && item.hole === "after");
      if (holes.length === 0) return;
      await Promise.all(
        holes.map(async ({ node }) => {
          const at: At = node.pages.length === 0 ? { at: "first" } : { at: "token", token: node.pages.at(-1)!.next };
          const page = await this.source.page(node.row, at, signal);
          node.pages = [...node.pages, page];
          node.empty = node.pages.length === 1 && page.rows.length === 0 && page.previous === "" && page.next === "";
        }),
      );
    }
  }

  private async descend(root: Node<R>, path: readonly { key: string; place: Place }[], signal: AbortSignal): Promise<void> {
    let node = root;
    if (path.length === 0) {
      node.pages = [await this.source.page(undefined, { at: "first" }, signal)];
      node.empty = node.pages[0]?.rows.length === 0;
      return;
    }
    for (const [at, each] of path.entries()) {
      let row = node.rows().find((one) => this.source.key(one) === each.key);
      if (!row) {
        row = await this.holding(node, each.place, signal, each.key);
        if (!row || this.source.key(row) !== each.key) return;
      }
      if (at < path.length - 1) node = this.child(node, row);
    }
  }

  /** The row of a node that a place is in, read if it is not held. */
  private async holding(node: Node<R>, place: Place, signal: AbortSignal, key?: string): Promise<R | undefined> {
    const held = node.rows();
    const found = key === undefined ? this.within(node, held, place) : undefined;
    if (found) return found;
    const page = await this.source.page(node.row, { at: "place", place }, signal);
    if (signal.aborted) return undefined;
    node.forget();
    node.pages = [page];
    node.empty = page.rows.length === 0 && page.previous === "" && page.next === "";
    return key === undefined ? page.rows[0] : page.rows.find((row) => this.source.key(row) === key);
  }

  private within(node: Node<R>, rows: readonly R[], place: Place): R | undefined {
    const next = rows.findIndex((row) => this.source.place(row) > place);
    if (next > 0) return rows[next - 1];
    // Behind the last row that is held there may be others, unless nothing is.
    if (next < 0 && rows.length > 0 && node.pages.at(-1)?.next === "") return rows.at(-1);
    return undefined;
  }

  private isOpen(row: R): boolean {
    return this.source.holds(row) && (this.toggled.get(this.source.key(row)) ?? this.source.opened(row));
  }

  private child(node: Node<R>, row: R): Node<R> {
    const key = this.source.key(row);
    let child = node.children.get(key);
    if (!child) {
      child = new Node<R>(row, key, node, node.level + 1);
      node.children.set(key, child);
    }
    return child;
  }

  private show(at: number, centred = false): void {
    const whole = Math.max(1, Math.floor(this.height));
    if (at >= this.top && at + 1 <= this.top + this.height) return;
    if (centred) this.top = Math.max(0, at - Math.floor(whole / 2));
    else if (at < this.top) this.top = at;
    else this.top = at - whole + 1;
  }

  /** The rows anew, and what is seen stays where it is. */
  private flattenHere(): void {
    // What somebody looks at is the active row, while it is in sight; else the first one.
    const active = this.row(this.active);
    const from = active ? this.top - this.index(active.key) : 0;
    if (active && from <= 0 && -from < this.height) {
      const before = this.items;
      this.flatten();
      const at = this.index(active.key);
      if (at >= 0) {
        this.top = at + from;
        return;
      }
      this.items = before;
    }
    const seen = this.first();
    const fraction = seen ? this.top - this.index(seen.key) : 0;
    this.flatten();
    for (let row: Row<R> | undefined = seen; row; ) {
      const at = this.index(row.key);
      if (at >= 0) {
        this.top = at + fraction;
        return;
      }
      const above: Node<R> = row.node;
      if (above.row === undefined) break;
      const key: string = above.key;
      const higher = this.index(key);
      if (higher >= 0) {
        this.top = higher;
        return;
      }
      const parent: Node<R> | undefined = above.parent;
      row = parent ? { ...row, key, node: parent } : undefined;
    }
  }

  private flatten(): void {
    const items: Item<R>[] = [];
    this.tell(this.root, items);
    this.items = items;
  }

  private tell(node: Node<R>, items: Item<R>[]): void {
    if (node.empty) return;
    if (node.pages.length === 0) {
      items.push({ hole: "after", node });
      return;
    }
    if (node.pages[0]!.previous !== "") items.push({ hole: "before", node });
    for (const page of node.pages) {
      for (const row of page.rows) {
        const key = this.source.key(row);
        const open = this.isOpen(row);
        let item = node.items.get(key);
        if (!item || item.row !== row || item.open !== open) {
          item = { row, key, level: node.level, open, holds: this.source.holds(row), node };
          node.items.set(key, item);
        }
        items.push(item);
        if (open) this.tell(this.child(node, row), items);
      }
    }
    if (node.pages.at(-1)!.next !== "") items.push({ hole: "after", node });
  }

  /** Keeps what is seen within what there is, reads what is missing near to it, and lets go what is far. */
  settle(): void {
    const most = Math.max(0, this.items.length - Math.max(1, this.height));
    this.top = Math.min(Math.max(0, this.top), most);
    const from = Math.floor(this.top) - AHEAD;
    const to = Math.ceil(this.top + this.height) + AHEAD;
    for (let at = Math.max(0, from); at < Math.min(to, this.items.length); at++) {
      const item = this.items[at];
      if (item && !isRow(item)) this.fill(item, at < this.top);
    }
    if (this.items.length > HELD) this.letGo();
    this.changed();
  }

  private fill(hole: Hole<R>, above: boolean): void {
    const { node } = hole;
    if (node.reading) return;
    const mine = (node.reading = new AbortController());
    const at: At =
      node.pages.length === 0
        ? { at: above ? "last" : "first" }
        : { at: "token", token: hole.hole === "before" ? node.pages[0]!.previous : node.pages.at(-1)!.next };
    this.source.page(node.row, at, mine.signal).then(
      (page) => {
        if (mine.signal.aborted || this.dead) return;
        node.reading = undefined;
        if (page.rows.length === 0 && node.pages.length === 0) node.empty = page.previous === "" && page.next === "";
        if (hole.hole === "before" && node.pages.length > 0) node.pages = [page, ...node.pages];
        else node.pages = [...node.pages, page];
        this.flattenHere();
        this.settle();
      },
      (error: unknown) => {
        if (mine.signal.aborted || this.dead) return;
        // Not asked again until somebody moves: the view says what is wrong.
        setTimeout(() => (node.reading = undefined), 1000);
        this.failed(error);
      },
    );
  }

  private letGo(): void {
    const from = this.top - NEAR;
    const to = this.top + this.height + NEAR;
    // The rows of each page that are near, by the page's first and last.
    const spans = new Map<Page<R>, { node: Node<R>; from: number; to: number }>();
    const owner = new Map<R, { page: Page<R>; node: Node<R> }>();
    const note = (node: Node<R>): void => {
      for (const page of node.pages) for (const row of page.rows) owner.set(row, { page, node });
      for (const child of node.children.values()) note(child);
    };
    note(this.root);
    for (const [at, item] of this.items.entries()) {
      if (!isRow(item)) continue;
      const own = owner.get(item.row);
      if (!own) continue;
      const span = spans.get(own.page);
      if (span) span.to = at;
      else spans.set(own.page, { node: own.node, from: at, to: at });
    }
    const far = (page: Page<R>): boolean => {
      const span = spans.get(page);
      return span === undefined || span.to < from || span.from > to;
    };
    const trim = (node: Node<R>): void => {
      while (node.pages.length > 0 && far(node.pages[0]!)) this.drop(node, 0);
      while (node.pages.length > 0 && far(node.pages.at(-1)!)) this.drop(node, node.pages.length - 1);
      for (const child of node.children.values()) trim(child);
    };
    trim(this.root);
    this.flattenHere();
  }

  private drop(node: Node<R>, at: number): void {
    const [page] = node.pages.splice(at, 1);
    for (const row of page?.rows ?? []) {
      const key = this.source.key(row);
      node.items.delete(key);
      node.children.get(key)?.forget();
      node.children.delete(key);
    }
  }
}
