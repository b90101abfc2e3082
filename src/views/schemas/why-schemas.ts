// The answers of `notify explain`, `replay` and `why`, which explains in steps how a job stood at an instant.

import { MONITOR, SENTENCE, STATUS } from "./monitor-schemas.ts";
import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT } from "./schema-kinds.ts";

const { application, key, name, timezone } = MONITOR.properties;

export const WHY = object({
  application,
  key,
  name,
  timezone,
  at: INSTANT,
  /** The monitor's status, as in `monitor show`; `null` when the instant is not now. */
  status: nullable(STATUS),
  /** What had become of the monitor's newest slot or run; `null` when that is not known. */
  outcome: nullable(TEXT),
  /**
   * The incident that was open at the instant. If none was open, but the slot that was due at the instant later closed
   * as missed, it is the incident that then opened. Otherwise `null`.
   */
  incidentId: nullable(ID),
  now: SENTENCE,
  /** The steps that explain how the job stood, in the order of time, each in one or more lines. */
  steps: listOf(object({ at: INSTANT, says: listOf(SENTENCE) })),
});

export type Why = InEngine<typeof WHY>;

/**
 * The answer of `replay`. `alarms` is how many alarms the given settings would have raised; `listed` has the newest of
 * them. `asItIs` is how many the present settings would have raised.
 */
export const REPLAYED = object({
  application,
  key,
  timezone,
  from: INSTANT,
  to: INSTANT,
  reports: COUNT,
  asItIs: COUNT,
  alarms: COUNT,
  listed: listOf(object({ openedAt: INSTANT, closedAt: nullable(INSTANT), causes: listOf(TEXT) })),
});

export type Replayed = InEngine<typeof REPLAYED>;

/** What `notify explain` answers: each address, when it would be told of an alert, and why it would not. */
export const WHO_HEARS = object({
  application,
  key,
  timezone,
  at: INSTANT,
  severity: TEXT,
  /** `recipient` is a mail address; `person` is the member who has it. */
  addresses: listOf(
    object({ destination: TEXT, recipient: nullable(TEXT), person: nullable(TEXT), hears: BOOLEAN, says: SENTENCE }),
  ),
});

export type WhoHears = InEngine<typeof WHO_HEARS>;
