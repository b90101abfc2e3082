// What `monitor show` and `monitor history` answer: all that is known of one monitor, and of its slots.

import Type from "typebox";
import { RUN_OUTCOMES } from "../outcomes.ts";
import { DELIVERY, FAILING } from "./deliveries.ts";
import { INCIDENT } from "./incidents.ts";
import { MAINTENANCE } from "./maintenances.ts";
import { MONITOR, SENTENCE } from "./monitors.ts";
import { REFUSED_REPORT } from "./received.ts";
import {
  BOOLEAN,
  COUNT,
  type Held,
  ID,
  INSTANT,
  listOf,
  NUMBER,
  namedValues,
  object,
  orNull,
  TEXT,
  wordOf,
} from "./schema.ts";
import { SHOWN_SETTINGS } from "./settings.ts";

const OUTCOME_VALUE = Type.Union([NUMBER, BOOLEAN]);

const EXPECTED_OUTCOME = object({
  name: TEXT,
  equals: orNull(OUTCOME_VALUE),
  min: orNull(NUMBER),
  max: orNull(NUMBER),
  onFailure: wordOf("warn", "fail"),
});

const SETTINGS = object({
  ...SHOWN_SETTINGS,
  /** The expected outcomes (R27), which only the configuration sets, in its order. */
  outcomes: listOf(EXPECTED_OUTCOME),
});

/** How the registry that declared the monitor last did so (R30). */
const DECLARATION = object({
  source: TEXT,
  /** The version of the integration. */
  version: orNull(TEXT),
  declaredAt: INSTANT,
  /** The metadata as it was sent, with its names sorted. */
  metadata: orNull(namedValues(Type.Unknown())),
});

/** How long a run that starts now may take (R21), and what that follows from. */
const RUN_LIMIT = object({
  seconds: COUNT,
  from: wordOf("max_runtime", "schedule", "every", "no_schedule", "last_run"),
});

/** The words of every screen for a limit that no person has set. */
export const RUN_LIMITS = {
  schedule: "a guess, from the time between two scheduled runs, 24 h at most, and the grace",
  every: "a guess, from how often it must report, 24 h at most, and the grace",
  no_schedule: "what holds without a schedule",
  last_run: "a guess, twice the last run, since that took so long",
} as const;

/** How long its runs take, in its newest week and in each of the last 13, some hours late. */
const RUN_LENGTHS = object({
  usual: orNull(object({ usualMs: COUNT, slower: orNull(object({ times: NUMBER, weeks: COUNT })) })),
  /** Runs that succeeded, the oldest week first. */
  weeks: listOf(object({ from: INSTANT, runs: COUNT, medianMs: COUNT })),
});

/** Whom an alert of this monitor would reach, and what it would say about it (R38). */
const ROUTING = object({
  destinations: listOf(TEXT),
  /** Why an alert would reach nobody now; `null` when it would reach a person (R36). */
  unreachable: orNull(TEXT),
  failing: FAILING,
  severity: wordOf("info", "warning", "error", "critical"),
  owner: orNull(TEXT),
  environment: orNull(TEXT),
  links: namedValues(TEXT),
});

const DRILL = object({
  everySeconds: COUNT,
  /** While the monitor is paused, the drill waits until the pause ends. */
  dueAt: INSTANT,
  last: orNull(
    object({
      at: INSTANT,
      /** `null` while some deliveries are not decided. */
      outcome: orNull(wordOf("delivered", "failed")),
      /** The last delivery to each address; empty when they were deleted. */
      deliveries: listOf(DELIVERY),
    }),
  ),
});

const PING = object({
  /** When the event happened, which is when the report came unless it came late (R43). */
  at: INSTANT,
  /** When the report came, if it was late; otherwise `null`. */
  heardAt: orNull(INSTANT),
  kind: wordOf("heartbeat", "start", "complete", "fail", "log"),
  /** What became of the report's run; `null` when the report does not say, or the run's end says it. */
  outcome: orNull(wordOf(...RUN_OUTCOMES)),
  /** The number of its run; `null` when it belongs to none, or the run was deleted. */
  runNumber: orNull(COUNT),
  runId: orNull(TEXT),
  attempt: orNull(COUNT),
  durationSeconds: orNull(COUNT),
  /** Computed from arrival times; `null` also when the start of the run is no longer known. */
  durationMilliseconds: orNull(COUNT),
  message: orNull(TEXT),
  /** The reported values of expected outcomes (R27); `null` when there were none. */
  outcomes: orNull(namedValues(OUTCOME_VALUE)),
});

const RUN = object({
  number: COUNT,
  runId: orNull(TEXT),
  attempt: orNull(COUNT),
  state: wordOf("open", "ended", "unfinished", "incomplete", "unknown"),
  startedAt: orNull(INSTANT),
  deadline: orNull(INSTANT),
  endedAt: orNull(INSTANT),
  endedBy: orNull(wordOf("heartbeat", "complete", "fail")),
  durationSeconds: orNull(COUNT),
  /** Computed from arrival times. */
  durationMilliseconds: orNull(COUNT),
  legacy: BOOLEAN,
  /** The verdict on the run's end; `null` when the end is unremarkable or not known. */
  verdict: orNull(wordOf("wrong", "warned", "overran")),
});

/** A slot, or a run whose end rollcall could not hear. */
const UNKNOWN = object({
  at: INSTANT,
  /** `null` when it is about a run. */
  slot: orNull(INSTANT),
  /** How many slots in a row this entry covers, beginning with `slot`. */
  slots: COUNT,
  runId: orNull(TEXT),
  runStartedAt: orNull(INSTANT),
  /** When and why rollcall could not hear. */
  gap: object({
    from: INSTANT,
    to: INSTANT,
    reason: wordOf("stopped", "stalled", "clock", "storage", "restored", "several"),
  }),
});

export const SHOWN_MONITOR = object({
  ...MONITOR.properties,
  now: SENTENCE,
  /** One sentence about how far its reports are off and which zone would explain it (R13). */
  zoneHint: orNull(TEXT),
  settings: SETTINGS,
  /**
   * From which computer, by which program and key it was last reported, some seconds late; `null` when it is not known.
   */
  sender: orNull(
    object({
      address: TEXT,
      agent: orNull(TEXT),
      keyId: ID,
      /** The old address that this number means, without its secret part; `null` when the number is a key's. */
      oldAddress: orNull(TEXT),
      since: INSTANT,
    }),
  ),
  /** Its working addresses of other services, without their secret parts; at most 20. */
  oldAddresses: listOf(TEXT),
  /** `null` when no registry ever declared it. */
  declaration: orNull(DECLARATION),
  /** Its maintenance (R24): configured first, then planned. */
  maintenance: listOf(MAINTENANCE),
  runLimit: RUN_LIMIT,
  runLengths: RUN_LENGTHS,
  routing: ROUTING,
  incident: orNull(INCIDENT),
  /** `null` when it is not a drill monitor. */
  drill: orNull(DRILL),
  /** Its reports that were refused for other reasons than the rate limit, one for each reason, the newest first. */
  refused: listOf(REFUSED_REPORT),
  /** The last 20 reports, the newest first. */
  pings: listOf(PING),
  /** What it wrote last with a failure, and whether no failure came since (R46); `null` when no output is kept. */
  lastOutput: orNull(object({ at: INSTANT, text: TEXT, ofLastFailure: BOOLEAN })),
  /** The open runs and those of the last 20 reports, the newest first. */
  runs: listOf(RUN),
  /** What is unknown because rollcall could not hear (R26): the last 20, the newest first. */
  unknowns: listOf(UNKNOWN),
});

export type ShownMonitor = Held<typeof SHOWN_MONITOR>;

/** A report, or a slot that no report filled. */
const ENTRY = object({
  ...PING.properties,
  /** `null` for a slot that no report filled. */
  kind: orNull(PING.properties.kind),
  /**
   * What became of the slot or of the report's run; `null` when the report does not say. `silent` means that an
   * unfilled slot was not a miss.
   */
  outcome: orNull(wordOf(...RUN_OUTCOMES, "missed", "silent")),
  /** For a missed slot, when a report came before the next slot. */
  reportAt: orNull(INSTANT),
});

export const HISTORY = object({
  application: TEXT,
  key: TEXT,
  timezone: TEXT,
  /** The interval of a monitor without a schedule. Its slots follow from its reports and are not listed. */
  everySeconds: orNull(NUMBER),
  /** The newest first. */
  entries: listOf(ENTRY),
  more: BOOLEAN,
});

export type History = Held<typeof HISTORY>;
