// What an import answers: what became of each monitor, or would become.

import { BOOLEAN, COUNT, type Held, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

const CHANGE = object({
  /** The option that sets it. */
  setting: TEXT,
  /** As they are declared, in seconds or as text; null: not at all. */
  from: orNull(TEXT),
  to: orNull(TEXT),
  /** Whether the configuration sets it, so that the change is not in force (R31). */
  overridden: BOOLEAN,
});

const IMPORTED = object({
  key: TEXT,
  /** The key that was asked for, where a monitor is known by its old address under another one; else null. */
  askedAs: orNull(TEXT),
  done: wordOf("created", "changed", "unchanged"),
  /** What was here before: nothing, one that somebody has deleted, one that no import has made, or another. */
  found: wordOf("nothing", "deleted", "own", "other"),
  /** None of a new one. */
  changes: listOf(CHANGE),
  /** What becomes of its pause by hand; null: nothing. */
  pause: orNull(wordOf("paused", "resumed")),
  /** Old addresses that begin to work, that work already, and that somebody has revoked. */
  addresses: object({ added: COUNT, there: COUNT, revoked: COUNT }),
});

/** In the order in which they were asked for. */
export const IMPORT = object({ application: TEXT, monitors: listOf(IMPORTED) });

export type Imported = Held<typeof IMPORTED>;
export type ImportAnswer = Held<typeof IMPORT>;
