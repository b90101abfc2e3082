// What an import answers: what became of each monitor, or would become.

import { COUNT, type Held, listOf, orNull, TEXT, TRUTH, thing, wordOf } from "../schema.ts";

const CHANGE = thing({
  /** The option that sets it. */
  setting: TEXT,
  /** As they are declared, in seconds or as text; null: not at all. */
  from: orNull(TEXT),
  to: orNull(TEXT),
  /** Whether the configuration sets it, so that the change is not in force (R31). */
  overridden: TRUTH,
});

const IMPORTED = thing({
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
  addresses: thing({ added: COUNT, there: COUNT, revoked: COUNT }),
});

/** In the order in which they were asked for. */
export const IMPORT = thing({ application: TEXT, monitors: listOf(IMPORTED) });

export type Imported = Held<typeof IMPORTED>;
export type ImportAnswer = Held<typeof IMPORT>;
