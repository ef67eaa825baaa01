// A value: text alone, whatever it holds. A click on it asks who wrote it.

import { type JSX, Show } from "solid-js";
import type { Value } from "../gen/jhyde/v1/common_pb.ts";
import { compact, value, valueLook } from "../text/words.ts";
import { shorten } from "../text/clean.ts";
import { whoWrote } from "../moves.ts";

/** UTF-16 units of a value in a row, and in its title; the daemon has all of them. */
const IN_ROW = 400;
const IN_TITLE = 2000;

/** Texts of which more is alike at their beginnings are shown from where they begin to differ. */
const ALIKE = 24;

/** From where on a value is shown beside another one of the same variable: only long texts have a common beginning left out. */
function alike(one: string, other: string | undefined): number {
  if (other === undefined || other === one || one.length < 2 * ALIKE) return 0;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same > ALIKE ? same - 8 : 0;
}

interface Props {
  /** The variable's other value, where they stand side by side. */
  readonly beside?: Value | undefined;
  readonly value: Value | undefined;
  /** The variable that held it, in its written form, at this time. Without one nobody can be asked for. */
  readonly variable?: string | undefined;
  readonly at?: bigint | undefined;
  readonly short?: boolean;
}

export function Val(props: Props): JSX.Element {
  const text = (): string => (props.short ? compact(props.value) : value(props.value));
  const shown = (): string => {
    const all = text();
    const areTexts = valueLook(props.value) === "v-text" && valueLook(props.beside) === "v-text";
    const from = areTexts ? alike(all, value(props.beside)) : 0;
    return shorten(from > 0 ? `…${all.slice(from)}` : all, IN_ROW);
  };
  const can = (): boolean => Boolean(props.variable) && props.at !== undefined && props.value !== undefined;
  return (
    <Show
      when={can()}
      fallback={
        <span class={`value ${valueLook(props.value)}`} title={shorten(text(), IN_TITLE)}>
          {shown()}
        </span>
      }
    >
      <span
        class={`value asks ${valueLook(props.value)}`}
        title={`${shorten(text(), IN_TITLE)}\nClick: who wrote this?`}
        onClick={(event) => {
          event.preventDefault();
          void whoWrote(props.variable!, props.at!);
        }}
      >
        {shown()}
      </span>
    </Show>
  );
}
