// What `monitor history` answers: reports, and the slots that none of them filled.

import { BOOLEAN, type Held, INSTANT, listOf, NUMBER, object, orNull, TEXT, wordOf } from "./schema.ts";
import { PING } from "./shown-monitor.ts";

const { kind: _, ...REPORT } = PING.properties;

const ENTRY = object({
  ...REPORT,
  /**
   * A report's kind; or what became of the slot at that time. late: missed, and reported before the next one; silent:
   * nothing came, and it counted as no miss.
   */
  what: wordOf("heartbeat", "start", "complete", "fail", "log", "missed", "late", "unknown", "silent"),
  /** When the report of a late slot came. */
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
