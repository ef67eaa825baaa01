// A model's rows on the screen: a treegrid that holds only what is seen, and a scroll bar that is a place in the recording.

import { type JSX, For, Show, createEffect, createSignal, createUniqueId, onCleanup, onMount, untrack } from "solid-js";
import { type Model, type Place, type Row, isRow } from "./model.ts";
import { createModel } from "./create.ts";

/** Pixels of one row, as the style sheet has it (--row). */
export const ROW = 24;

/** Pixels that a key moves a list whose lines are longer than it is wide. */
const BESIDE = 60;

export interface Column {
  readonly name: string;
  /** Shown to no eye: the column's rows speak for themselves. */
  readonly hidden?: boolean;
}

export interface ListProps<R> {
  readonly label: string;
  /** Which view it is: its columns' widths are in the style sheet. */
  readonly kind: string;
  readonly list: ReturnType<typeof createModel<R>>;
  readonly columns: readonly Column[];
  readonly cells: (row: R, item: Row<R>) => JSX.Element;
  /** Classes of a row. */
  readonly look?: (row: R) => string;
  readonly selected?: (row: R) => boolean;
  /** From where to where places go; the bar stands for all of them. */
  readonly span?: { first: Place; last: Place } | undefined;
  /** In words, for the bar. */
  readonly placeName?: (place: Place) => string;
  /** How many rows there are, and which one this is, counted from 1; -1 and none: nobody knows. */
  readonly rowCount?: number;
  readonly rowIndex?: (row: R) => number;
  /** A row was clicked on, or Enter pressed. */
  readonly choose?: (row: R) => void;
  /** The active row is another one, by a key. */
  readonly follow?: (row: R) => void;
  /** Keys of this list alone; true: it was one. */
  readonly key?: (event: KeyboardEvent, row: R | undefined) => boolean;
  readonly indent?: boolean;
  readonly head?: boolean;
  readonly ref?: (element: HTMLElement) => void;
}

export function List<R>(props: ListProps<R>): JSX.Element {
  const id = createUniqueId();
  const [rows, setRows] = createSignal<Row<R>[]>([]);
  const [offset, setOffset] = createSignal(0);
  const [active, setActive] = createSignal<string>();
  const model = (): Model<R> => props.list.model();
  let grid!: HTMLDivElement;
  let window_!: HTMLDivElement;

  const draw = (): void => {
    const from = Math.floor(model().top);
    const seen = model().items.slice(from, from + Math.ceil(model().height) + 1);
    setRows(seen.filter(isRow));
    const before = seen.findIndex(isRow);
    setOffset(-(model().top - from) * ROW + Math.max(0, before) * ROW);
    keepActive();
    setActive(model().active);
  };
  /** Rows that are asked for anew have no active one: in the list that has the keys it is the one that it was. */
  const keepActive = (): void => {
    if (grid !== document.activeElement || model().active !== undefined) return;
    const before = untrack(active);
    const kept = before !== undefined && model().index(before) >= 0 ? before : model().first()?.key;
    if (kept !== undefined) model().active = kept;
  };
  createEffect(() => {
    props.list.version();
    draw();
  });

  onMount(() => {
    const measure = (): void => {
      model().height = Math.max(1, window_.clientHeight / ROW);
      model().settle();
    };
    const observer = new ResizeObserver(measure);
    observer.observe(window_);
    createEffect(() => {
      props.list.model();
      measure();
    });
    const wheel = (event: WheelEvent): void => {
      if (event.ctrlKey) return;
      const beside = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
      if (Math.abs(beside) > Math.abs(event.deltaY) || event.shiftKey) {
        window_.scrollLeft += beside;
        return;
      }
      const rows = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? event.deltaY * model().height : event.deltaY / ROW;
      const before = model().top;
      model().scroll(rows);
      // At its end the page scrolls on, where there is something to scroll.
      if (model().top !== before) event.preventDefault();
    };
    window_.addEventListener("wheel", wheel, { passive: false });
    onCleanup(() => {
      observer.disconnect();
      window_.removeEventListener("wheel", wheel);
    });
    touch(window_, (pixels) => model().scroll(pixels / ROW));
  });

  // An id has no spaces, and keys have whatever programs call their variables.
  const rowId = (key: string): string => `${id}-${key.replace(/[^\w.@#:-]/g, (unit) => `_${unit.charCodeAt(0)}`)}`;
  const follow = (row: Row<R> | undefined): void => {
    if (row) props.follow?.(row.row);
  };

  const press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = model().row(model().active);
    if (props.key?.(event, now?.row)) {
      event.preventDefault();
      return;
    }
    const page = Math.max(1, Math.floor(model().height) - 1);
    const moves: Record<string, () => void> = {
      ArrowDown: () => follow(model().move(1)),
      ArrowUp: () => follow(model().move(-1)),
      PageDown: () => follow(model().move(page)),
      PageUp: () => follow(model().move(-page)),
      Home: () => void model().end("first").then(() => follow(model().row(model().active))),
      End: () => void model().end("last").then(() => follow(model().row(model().active))),
      ArrowRight: () => {
        if (!props.indent) window_.scrollLeft += BESIDE;
        else if (now?.holds && !now.open) model().toggle(now.key, true);
        else if (now?.open) follow(model().move(1));
      },
      ArrowLeft: () => {
        if (!props.indent) window_.scrollLeft -= BESIDE;
        else if (now?.open) model().toggle(now.key, false);
        else if (now) {
          const parent = model().parent(now);
          if (parent) {
            model().activate(parent.key);
            follow(parent);
          }
        }
      },
      Enter: () => now && props.choose?.(now.row),
    };
    const move = moves[event.key];
    if (move && !(event.shiftKey && event.key !== "Home" && event.key !== "End")) {
      move();
      event.preventDefault();
    }
  };

  const focus = (): void => {
    if (model().active === undefined || model().index(model().active!) < 0) {
      const first = model().first();
      if (first) {
        model().active = first.key;
        draw();
      }
    }
  };

  return (
    <div class={`list ${props.kind}`}>
      <div
        class="grid"
        ref={(element) => {
          grid = element;
          props.ref?.(element);
        }}
        role="treegrid"
        aria-label={props.label}
        aria-rowcount={props.rowCount ?? -1}
        aria-colcount={props.columns.length}
        aria-activedescendant={active() !== undefined && rows().some((row) => row.key === active()) ? rowId(active()!) : undefined}
        tabindex="0"
        onKeyDown={press}
        onFocus={focus}
      >
        <div class={props.head ? "head" : "head hidden"} role="rowgroup">
          <div class="row" role="row">
            <For each={props.columns}>{(column) => <span role="columnheader" class={column.hidden ? "unseen" : ""}>{column.name}</span>}</For>
          </div>
        </div>
        <div class="window" role="rowgroup" ref={window_}>
          <div class="rows" role="presentation" style={{ transform: `translateY(${offset()}px)` }}>
            <For each={rows()}>
              {(item) => (
                <div
                  id={rowId(item.key)}
                  role="row"
                  class={`row ${props.look?.(item.row) ?? ""}`}
                  classList={{ active: active() === item.key, selected: props.selected?.(item.row) === true }}
                  aria-level={item.level + 1}
                  aria-rowindex={props.rowIndex?.(item.row)}
                  aria-expanded={item.holds ? item.open : undefined}
                  aria-selected={props.selected?.(item.row) === true}
                  onMouseDown={(event) => event.detail > 1 && event.preventDefault()}
                  onClick={(event) => {
                    if (event.defaultPrevented || (getSelection()?.toString() ?? "") !== "") return;
                    model().active = item.key;
                    draw();
                    props.choose?.(item.row);
                  }}
                  onDblClick={() => item.holds && model().toggle(item.key, !item.open)}
                >
                  <Show when={props.indent}>
                    <span class="indent" role="presentation" style={{ width: `${Math.min(item.level, 24) * 14}px` }}>
                      {item.level > 24 ? `${item.level} ` : ""}
                    </span>
                    <span
                      class="twist"
                      aria-hidden="true"
                      onClick={(event) => {
                        if (!item.holds) return;
                        event.preventDefault();
                        model().active = item.key;
                        model().toggle(item.key, !item.open);
                      }}
                    >
                      {item.holds ? (item.open ? "▾" : "▸") : ""}
                    </span>
                  </Show>
                  {props.cells(item.row, item)}
                </div>
              )}
            </For>
          </div>
        </div>
      </div>
      <Bar list={props.list} span={props.span} label={props.label} placeName={props.placeName} controls={grid} />
    </div>
  );
}

function touch(element: HTMLElement, scroll: (pixels: number) => void): void {
  let from: number | undefined;
  element.addEventListener("touchstart", (event) => (from = event.touches[0]?.clientY), { passive: true });
  element.addEventListener(
    "touchmove",
    (event) => {
      const now = event.touches[0]?.clientY;
      if (from !== undefined && now !== undefined) scroll(from - now);
      from = now;
    },
    { passive: true },
  );
}

interface BarProps<R> {
  readonly list: ReturnType<typeof createModel<R>>;
  readonly span: { first: Place; last: Place } | undefined;
  readonly label: string;
  readonly placeName: ((place: Place) => string) | undefined;
  readonly controls: HTMLElement | undefined;
}

/** What a thumb is at least, in thousandths of the bar. */
const THUMB = 60;

function Bar<R>(props: BarProps<R>): JSX.Element {
  const [from, setFrom] = createSignal(0);
  const [to, setTo] = createSignal(1000);
  const [place, setPlace] = createSignal<Place>(0n);
  let bar!: HTMLDivElement;
  let dragging = false;
  let next: Place | undefined;

  const thousandths = (at: Place): number => {
    const span = props.span;
    if (!span || span.last <= span.first) return 0;
    const clamped = at < span.first ? span.first : at > span.last ? span.last : at;
    return Number(((clamped - span.first) * 1000n) / (span.last - span.first));
  };

  createEffect(() => {
    props.list.version();
    const model = props.list.model();
    const first = model.first();
    const last = model.last();
    if (!first || !last || !props.span) {
      setFrom(0);
      setTo(1000);
      return;
    }
    const begin = model.source.place(first.row);
    setPlace(begin);
    // All rows that there are, are seen.
    if (model.top === 0 && model.items.length <= model.height && model.items.every(isRow)) {
      setFrom(0);
      setTo(1000);
      return;
    }
    const end = model.top + model.height >= model.items.length && isRow(model.items.at(-1)) ? 1000 : thousandths(model.source.place(last.row));
    const size = Math.max(THUMB, end - thousandths(begin));
    const start = end === 1000 ? 1000 - size : Math.min(thousandths(begin), 1000 - size);
    setFrom(model.top === 0 ? 0 : start);
    setTo((model.top === 0 ? 0 : start) + size);
  });

  // One question at a time: while one is on its way the newest place waits.
  let busy = false;
  const goto = (at: Place): void => {
    next = at;
    if (busy) return;
    busy = true;
    const run = async (): Promise<void> => {
      while (next !== undefined) {
        const now = next;
        next = undefined;
        await props.list.model().goto(now);
      }
      busy = false;
    };
    void run();
  };
  const drag = (event: PointerEvent): void => {
    const span = props.span;
    if (!span) return;
    const box = bar.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientY - box.top) / Math.max(1, box.height)));
    goto(span.first + ((span.last - span.first) * BigInt(Math.round(part * 100000))) / 100000n);
  };

  return (
    <div
      class="bar"
      classList={{ whole: to() - from() >= 1000 }}
      ref={bar}
      aria-hidden="true"
      title={props.placeName?.(place())}
      onPointerDown={(event) => {
        dragging = true;
        bar.setPointerCapture(event.pointerId);
        drag(event);
        event.preventDefault();
      }}
      onPointerMove={(event) => dragging && drag(event)}
      onPointerUp={() => (dragging = false)}
    >
      <div class="thumb" style={{ top: `${from() / 10}%`, height: `${(to() - from()) / 10}%` }} />
    </div>
  );
}
