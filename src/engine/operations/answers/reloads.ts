// What operations answer of a reload.

import { ID, listOf, orNull, TEXT, TRUTH, thing, wordOf } from "../schema.ts";

const CHANGED = thing({
  key: TEXT,
  /** Null: it is left out, or a secret. */
  before: orNull(TEXT),
  after: orNull(TEXT),
  secret: TRUTH,
  /** Where the new value comes from; null: it is the default. */
  from: orNull(TEXT),
});

export const RELOAD = thing({
  id: ID,
  /** `refused`: it is faulty, and nothing was changed. `failed`: storage did not take it. */
  state: wordOf("waiting", "applying", "done", "refused", "failed"),
  changed: listOf(CHANGED),
  /** What comes into force with a restart. */
  restart: listOf(CHANGED),
  faults: listOf(TEXT),
  warnings: listOf(TEXT),
});
