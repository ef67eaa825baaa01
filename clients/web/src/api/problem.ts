// What went wrong with a question, in words for people, and what may be done about it.

import { Code, ConnectError } from "@connectrpc/connect";

export interface Problem {
  /** What happened, and what to do: the daemon's own words where it said some. */
  readonly text: string;
  readonly kind: "key" | "away" | "missing" | "refused" | "damaged" | "other";
}

/** Not a problem: nobody waits for the answer any more. */
export function isCancelled(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Canceled;
}

export function problem(error: unknown): Problem {
  const told = ConnectError.from(error);
  switch (told.code) {
    case Code.Unauthenticated:
      return { kind: "key", text: told.rawMessage };
    case Code.Unavailable:
    case Code.Unknown:
    case Code.Internal:
    case Code.DeadlineExceeded:
      return isUnreachable(told) ? { kind: "away", text: "The daemon does not answer. The page goes on by itself when it does." } : { kind: "other", text: told.rawMessage };
    case Code.NotFound:
      return { kind: "missing", text: told.rawMessage };
    case Code.PermissionDenied:
      return { kind: "refused", text: told.rawMessage };
    case Code.DataLoss:
      return { kind: "damaged", text: told.rawMessage };
    default:
      return { kind: "other", text: told.rawMessage };
  }
}

// A browser tells of a connection that was refused or broke with a TypeError, and of no more.
function isUnreachable(error: ConnectError): boolean {
  return error.code === Code.Unavailable || error.cause instanceof TypeError || /fetch|network/i.test(error.rawMessage);
}
