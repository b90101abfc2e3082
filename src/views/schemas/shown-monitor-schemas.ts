// The answers of `monitor show` and `monitor history`: all that is known of one monitor, and of its slots.

import Type from "typebox";
import { RUN_RESULTS } from "../../domain/wording/results.ts";
import { DELIVERY, FAILING } from "./delivery-schemas.ts";
import { INCIDENT } from "./incident-schemas.ts";
import { MAINTENANCE } from "./maintenance-schemas.ts";
import { MONITOR, SENTENCE } from "./monitor-schemas.ts";
import { REFUSED_REPORT } from "./received-schemas.ts";
import {
  BOOLEAN,
  COUNT,
  ID,
  INSTANT,
  type InEngine,
  listOf,
  NUMBER,
  namedValues,
  nullable,
  object,
  TEXT,
  wordOf,
} from "./schema-kinds.ts";
import { SHOWN_SETTINGS } from "./setting-schemas.ts";

const OUTCOME_VALUE = Type.Union([NUMBER, BOOLEAN]);

const EXPECTED_OUTCOME = object({
  name: TEXT,
  equals: nullable(OUTCOME_VALUE),
  min: nullable(NUMBER),
  max: nullable(NUMBER),
  onFailure: wordOf("warn", "fail"),
});

const SETTINGS = object({
  ...SHOWN_SETTINGS,
  /** The expected outcomes (R27), which only the configuration sets, in the order of the configuration. */
  outcomes: listOf(EXPECTED_OUTCOME),
});

/** What the registry said that declared the monitor last (R30). */
const DECLARATION = object({
  source: TEXT,
  /** The version of the registry's program, as its sync said; `null` when the sync named none. */
  version: nullable(TEXT),
  declaredAt: INSTANT,
  /** The metadata as it was sent, with its names sorted; `null` when none was sent. */
  metadata: nullable(namedValues(Type.Unknown())),
});

/** How long a run that starts now may take (R21), and what that follows from. */
const RUN_LIMIT = object({
  seconds: COUNT,
  from: wordOf("max_runtime", "schedule", "every", "no_schedule", "last_run"),
});

/**
 * The words of every screen for how long a run may take when `maxRuntime` is not set. The words depend on what that
 * limit follows from (`RUN_LIMIT`).
 */
export const RUN_LIMITS = {
  schedule: "a guess, from the time between two scheduled runs, 24 h at most, and the grace",
  every: "a guess, from how often it must report, 24 h at most, and the grace",
  no_schedule: "what holds without a schedule",
  last_run: "a guess, twice the last run, since that took so long",
} as const;

/**
 * How long the monitor's runs take, usually and in each of the last 13 weeks. `slower`: they take `times` as long as
 * `weeks` weeks ago; `null` when they take as long as ever. The numbers may be some hours old.
 */
const RUN_LENGTHS = object({
  usual: nullable(object({ usualMs: COUNT, slower: nullable(object({ times: NUMBER, weeks: COUNT })) })),
  /** The weeks, the oldest first. Only runs that succeeded are counted. */
  weeks: listOf(object({ from: INSTANT, runs: COUNT, medianMs: COUNT })),
});

/** To which destinations an alert of this monitor would go, and what it would say of the monitor (R38). */
const ROUTING = object({
  destinations: listOf(TEXT),
  /** Why an alert would reach no person now; `null` when it would reach one (R36). */
  unreachable: nullable(TEXT),
  failing: FAILING,
  severity: wordOf("info", "warning", "error", "critical"),
  owner: nullable(TEXT),
  environment: nullable(TEXT),
  links: namedValues(TEXT),
});

const DRILL = object({
  everySeconds: COUNT,
  /** When the next drill is due. While the monitor is paused, the drill waits until the pause ends. */
  dueAt: INSTANT,
  last: nullable(
    object({
      at: INSTANT,
      /** What became of the last drill; `null` while some of its deliveries have not ended. */
      outcome: nullable(wordOf("delivered", "failed")),
      /** The last delivery of this drill to each address; empty when the deliveries were deleted. */
      deliveries: listOf(DELIVERY),
    }),
  ),
});

const PING = object({
  /** When the event happened, which is when the report came unless it came late (R43). */
  at: INSTANT,
  /** When the report came, if it was late; otherwise `null`. */
  heardAt: nullable(INSTANT),
  kind: wordOf("heartbeat", "start", "complete", "fail", "log"),
  /** What became of the report's run; `null` when the report does not say, or the run's end says it. */
  outcome: nullable(wordOf(...RUN_RESULTS)),
  /** The number of the report's run; `null` when the report belongs to none, or the run was deleted. */
  runNumber: nullable(COUNT),
  runId: nullable(TEXT),
  attempt: nullable(COUNT),
  durationSeconds: nullable(COUNT),
  /**
   * How long the run took, as rollcall measured it; `null` when `durationSeconds` is `null`, or when the start of the
   * run is no longer known.
   */
  durationMilliseconds: nullable(COUNT),
  message: nullable(TEXT),
  /** The reported values of expected outcomes (R27); `null` when there were none. */
  outcomes: nullable(namedValues(OUTCOME_VALUE)),
});

const RUN = object({
  number: COUNT,
  runId: nullable(TEXT),
  attempt: nullable(COUNT),
  state: wordOf("open", "ended", "unfinished", "incomplete", "unknown"),
  startedAt: nullable(INSTANT),
  deadline: nullable(INSTANT),
  endedAt: nullable(INSTANT),
  endedBy: nullable(wordOf("heartbeat", "complete", "fail")),
  durationSeconds: nullable(COUNT),
  /** How long the run took, as rollcall measured it; `null` when the start or the end of the run is not known. */
  durationMilliseconds: nullable(COUNT),
  legacy: BOOLEAN,
  /**
   * `wrong` or `warned`: an outcome was not as expected. `overran`: the end came after the run counted as unfinished.
   * `null` when the end is unremarkable or not known.
   */
  verdict: nullable(wordOf("wrong", "warned", "overran")),
});

/** Slots, or a run, of which rollcall could not hear what became (R26). */
const UNKNOWN = object({
  at: INSTANT,
  /** The first of the unknown slots; `null` when a run is unknown. */
  slot: nullable(INSTANT),
  /** How many slots in a row this entry covers, beginning with `slot`. */
  slots: COUNT,
  runId: nullable(TEXT),
  runStartedAt: nullable(INSTANT),
  gap: object({
    from: INSTANT,
    to: INSTANT,
    reason: wordOf("stopped", "stalled", "clock", "storage", "restored", "several"),
  }),
});

export const SHOWN_MONITOR = object({
  ...MONITOR.properties,
  now: SENTENCE,
  /** How far the monitor's reports are off and which zone would explain that, in a sentence (R13); otherwise `null`. */
  zoneHint: nullable(TEXT),
  settings: SETTINGS,
  /**
   * From where, by which program and with which key the last report came; `null` when that is not known. This may be
   * some seconds old.
   */
  sender: nullable(
    object({
      address: TEXT,
      agent: nullable(TEXT),
      keyId: ID,
      /**
       * When `keyId` is the number of an address of another service: that address without its secret part. `null` when
       * `keyId` is the number of an API key.
       */
      oldAddress: nullable(TEXT),
      since: INSTANT,
    }),
  ),
  /** The monitor's addresses of other services that work, without their secret parts; at most 20. */
  oldAddresses: listOf(TEXT),
  /** What the registry said that declared the monitor last; `null` when no registry ever declared it. */
  declaration: nullable(DECLARATION),
  /** The monitor's maintenance: first what the configuration sets, then what people planned (R24). */
  maintenance: listOf(MAINTENANCE),
  runLimit: RUN_LIMIT,
  runLengths: RUN_LENGTHS,
  routing: ROUTING,
  incident: nullable(INCIDENT),
  /** When drills go out, and how the last one ended; `null` when the monitor is not a drill monitor. */
  drill: nullable(DRILL),
  /**
   * The monitor's reports that were refused for other reasons than the rate limit: one entry for each reason, the
   * newest first.
   */
  refused: listOf(REFUSED_REPORT),
  /** The last 20 reports, the newest first. */
  pings: listOf(PING),
  /** The last output of a fail (R46); `null` when none is kept. `ofLastFailure` says that no fail has come since. */
  lastOutput: nullable(object({ at: INSTANT, text: TEXT, ofLastFailure: BOOLEAN })),
  /** The open runs and those of the last 20 reports, the newest first. */
  runs: listOf(RUN),
  /** What stayed unknown because rollcall could not hear (R26): the last 20 entries, the newest first. */
  unknowns: listOf(UNKNOWN),
});

export type ShownMonitor = InEngine<typeof SHOWN_MONITOR>;

/** A report, or a slot that no report filled. */
const ENTRY = object({
  ...PING.properties,
  /** The kind of the report; `null` for a slot that no report filled. */
  kind: nullable(PING.properties.kind),
  /**
   * What became of the slot or run; `null` when the report does not tell it. `silent` means that no report filled the
   * slot, and that this was no miss.
   */
  outcome: nullable(wordOf(...RUN_RESULTS, "missed", "paused", "silent")),
  /** For a missed slot, when a report came after it and before the next slot; otherwise `null`. */
  reportAt: nullable(INSTANT),
});

export const HISTORY = object({
  application: TEXT,
  key: TEXT,
  timezone: TEXT,
  /** The interval in which the monitor must report (R44), in seconds; `null` for a monitor without an interval. */
  everySeconds: nullable(NUMBER),
  /** The reports and slots, the newest first. */
  entries: listOf(ENTRY),
  more: BOOLEAN,
});

export type History = InEngine<typeof HISTORY>;
