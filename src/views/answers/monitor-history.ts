// What `monitor history` answers: reports, and the slots that none of them filled.

import { BOOLEAN, type Held, INSTANT, listOf, NUMBER, object, orNull, TEXT, wordOf } from "./schema.ts";
import { PING } from "./shown-monitor.ts";

const { kind: _, ...REPORT } = PING.properties;

const ENTRY = object({
  ...REPORT,
  /** Null: it is no report but a slot that none filled. */
  kind: orNull(PING.properties.kind),
  /**
   * What became of the slot, or of the report's run; null: the report says nothing of that. silent: nothing came, and it
   * counted as no miss.
   */
  outcome: orNull(wordOf("succeeded", "failed", "unfinished", "incomplete", "running", "missed", "unknown", "silent")),
  /** Of a missed slot: when a report came before the next one. */
  reportAt: orNull(INSTANT),
});

export const HISTORY = object({
  application: TEXT,
  key: TEXT,
  timezone: TEXT,
  /** Of a monitor that must report at least so often: what was due follows from its reports and is no entry. */
  everySeconds: orNull(NUMBER),
  /** Newest first. */
  entries: listOf(ENTRY),
  /** There are older ones. */
  more: BOOLEAN,
});

export type History = Held<typeof HISTORY>;
