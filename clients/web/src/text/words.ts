// What the daemon answers, in words: the same that `jhyde` prints.

import { type Call, Classification, type Event, type Place, type Value } from "../gen/jhyde/v1/common_pb.ts";
import { type KnownAnswer, AnswerKind, KnownFrom } from "../gen/jhyde/v1/debugging_pb.ts";
import { type SliceStep, type StateRow, RowKind, SliceDeed, SliceRelation } from "../gen/jhyde/v1/history_pb.ts";
import { clean, simpleClass } from "./clean.ts";

/** Stands for a variable that did not exist or was not assigned yet. */
export const UNASSIGNED = "–";

export function value(shown: Value | undefined): string {
  return shown ? clean(shown.display) || "(not recorded)" : UNASSIGNED;
}

/** The same in one short line, for lists of arguments. */
export function compact(shown: Value | undefined): string {
  return shown ? clean(shown.compact) || value(shown) : UNASSIGNED;
}

/** What kind of value it is, for colours. */
export function valueLook(shown: Value | undefined): string {
  const kind = shown?.kind;
  switch (kind?.case) {
    case undefined:
    case "void":
    case "removed":
      return "v-none";
    case "notRecorded":
      return "v-gap";
    case "null":
    case "boolean":
      return "v-word";
    case "char":
      return "v-text";
    case "object":
      return kind.value.text === undefined ? "v-object" : "v-text";
    default:
      return "v-number";
  }
}

export function methodName(call: { method: string; class: string }): string {
  return clean(call.method);
}

/** `MergeSort.merge #3`. */
export function callName(call: Call): string {
  return `${clean(simpleClass(call.class))}.${clean(call.method)} #${call.invocation}`;
}

/** How a call ended, behind its arguments. */
export function ended(call: Call): string {
  if (call.exception) return `threw ${value(call.exception)}`;
  if (call.result) return `= ${compact(call.result)}`;
  if (call.exit !== undefined) return "";
  return call.recordingEnded ? "(not ended when the recording ended)" : "(still running)";
}

export function callArguments(call: Call): string {
  const given = call.arguments.map((each) => `${clean(each.name)}=${compact(each.value)}`);
  if (call.receiver) given.unshift(`this=${compact(call.receiver)}`);
  return given.join(", ");
}

export function callLine(call: Call): string {
  return `${callName(call)} (${callArguments(call)}) ${ended(call)}`.trimEnd();
}

export function place(at: Place | undefined): string {
  if (!at) return "";
  const file = at.sourceFile ? clean(at.sourceFile) : clean(simpleClass(at.class));
  return at.line === undefined ? file : `${file}:${at.line}`;
}

export function rowName(row: StateRow): string {
  const name = clean(row.name);
  switch (row.kind) {
    case RowKind.RETURN:
      return name || "return";
    case RowKind.EXCEPTION:
      return name || "exception";
    case RowKind.THIS:
      return name || "this";
    case RowKind.ELEMENT:
      return name.includes("[") ? name : `[${name}]`;
    default:
      return name;
  }
}

/** What happened, without time and place. `nested`: in its call's own list, where an enter is the whole nested call. */
export function happened(event: Event, nested: boolean): string {
  const { kind } = event;
  switch (kind.case) {
    case "enter":
      return nested ? callLine(kind.value) : `→ ${callName(kind.value)} (${callArguments(kind.value)})`;
    case "exit":
      return `← ${nested ? "" : `${callName(kind.value)} `}${ended(kind.value)}`.trimEnd();
    case "created":
      return `new ${value(kind.value)}`;
    case "write":
      return `${clean(kind.value.name || kind.value.variable)} = ${value(kind.value.value)}`;
    case "thrown":
      return `throws ${value(kind.value)}`;
    case "caught":
      return `catches ${value(kind.value)}`;
    case "uncaught":
      return `nobody caught ${value(kind.value)}`;
    case "threadStart":
      return `thread ${clean(kind.value)} starts`;
    case "threadEnd":
      return `thread ${clean(kind.value)} ends`;
    case "classPrepared":
      return `class ${clean(kind.value)}`;
    case "gap":
      return `not recorded: ${clean(kind.value)}`;
    case "monitor":
      return `monitor ${clean(kind.value.action)} ${value(kind.value.object)}`;
    case "use":
      return `reads ${clean(kind.value)}`;
    case "edge":
      return `branch @${kind.value.from} → @${kind.value.to}`;
    case "content":
      return `changes ${value(kind.value)}`;
    default:
      return "(an event that this page does not know)";
  }
}

const STEP_WORDS: Record<SliceRelation, string> = {
  [SliceRelation.UNSPECIFIED]: "",
  [SliceRelation.ASKED]: "",
  [SliceRelation.VALUE]: "from ",
  [SliceRelation.PLACE]: "which ",
  [SliceRelation.CONDITION]: "because ",
  [SliceRelation.CONTENT]: "held ",
};

/** A step of `why`: how it led to the one above, and what it is. */
export function sliceStep(step: SliceStep): string {
  return STEP_WORDS[step.relation] + deed(step);
}

function deed(step: SliceStep): string {
  const kind = step.event?.kind;
  if (!step.event || !kind) return "";
  if (kind.case === "enter") {
    const call = kind.value;
    if (step.deed !== SliceDeed.ARGUMENT) return `${callName(call)} was called`;
    const bare = step.argument.split("@")[0];
    const given = call.arguments.find((each) => each.name === step.argument) ?? call.arguments.find((each) => each.name === bare);
    return `${callName(call)} given ${clean(step.argument)} = ${value(step.argument === "this" ? call.receiver : given?.value)}`;
  }
  if (kind.case === "exit") return `${callName(kind.value)} ${ended(kind.value)}`;
  if (kind.case === "write") {
    return `${clean(kind.value.variable)} = ${value(kind.value.value)}${step.deed === SliceDeed.FOUND ? " found" : ""}`;
  }
  if (kind.case === "edge") return "the condition";
  return happened(step.event, false);
}

export interface Standing {
  /** Colour is never the only sign: a mark and a word stand beside it. */
  readonly look: string;
  readonly mark: string;
  readonly word: string;
}

export const STANDINGS: Record<Classification, Standing> = {
  [Classification.UNSPECIFIED]: { look: "", mark: "", word: "" },
  [Classification.VALID]: { look: "good", mark: "✓", word: "valid" },
  [Classification.INVALID]: { look: "bad", mark: "✗", word: "invalid" },
  [Classification.TRUSTED]: { look: "good", mark: "T", word: "trusted" },
  [Classification.UNKNOWN]: { look: "open", mark: "?", word: "unknown" },
  [Classification.BUGGY]: { look: "bad buggy", mark: "⬤", word: "the buggy call" },
  [Classification.INADMISSIBLE]: { look: "bad", mark: "⊘", word: "inadmissible" },
};

export const ANSWERS: Record<AnswerKind, string> = {
  [AnswerKind.UNSPECIFIED]: "",
  [AnswerKind.VALID]: "valid",
  [AnswerKind.INVALID]: "invalid",
  [AnswerKind.TRUSTED]: "trusted",
  [AnswerKind.UNKNOWN]: "unknown",
  [AnswerKind.INADMISSIBLE]: "inadmissible",
  [AnswerKind.RIGHT]: "right",
  [AnswerKind.WRONG]: "wrong",
};

/** Where a known answer is from. */
export function known(answer: KnownAnswer): string {
  switch (answer.from) {
    case KnownFrom.EQUAL_CALL:
      return `equal to ${answer.equalTo}`;
    case KnownFrom.RECORDING:
      return `equal to ${answer.equalTo} of ${clean(answer.recording)}`;
    case KnownFrom.MEMORY:
      return clean(answer.told);
    case KnownFrom.PROPERTY:
      return `it does not have ${clean(answer.told)}`;
    case KnownFrom.PROGRAM:
      return `said by ${clean(answer.told)}, confirmed by nobody`;
    default:
      return "known";
  }
}

export function count(number: bigint | number): string {
  return number.toLocaleString("en-US").replaceAll(",", " ");
}

export function plural(number: bigint | number, one: string): string {
  return `${count(number)} ${one}${number === 1 || number === 1n ? "" : "s"}`;
}

/** Bytes, with a unit. */
export function size(bytes: bigint): string {
  let amount = Number(bytes);
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (amount < 1000 || unit === "GB") return `${amount < 10 && unit !== "B" ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
    amount /= 1000;
  }
  return "";
}

export function age(milliseconds: bigint, now: number): string {
  const seconds = Math.max(0, Math.round((now - Number(milliseconds)) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} d ago`;
}
