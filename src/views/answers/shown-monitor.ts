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
  /** R27; configuration alone. In its order. */
  outcomes: listOf(EXPECTED_OUTCOME),
});

/** How the registry that did so last declared it (R30). */
const DECLARATION = object({
  source: TEXT,
  /** The integration's own. */
  version: orNull(TEXT),
  declaredAt: INSTANT,
  /** As it was sent, its names in one order. */
  metadata: orNull(namedValues(Type.Unknown())),
});

/** How long a run that starts now may take (R21), and what that follows from. */
const RUN_LIMIT = object({
  seconds: COUNT,
  from: wordOf("max_runtime", "schedule", "every", "no_schedule", "last_run"),
});

/** What it is, where no one has set it: as every screen says it. */
export const RUN_LIMITS = {
  schedule: "a guess, from the time between two scheduled runs, 24 h at most, and the grace",
  every: "a guess, from how often it must report, 24 h at most, and the grace",
  no_schedule: "what holds without a schedule",
  last_run: "a guess, twice the last run, since that took so long",
} as const;

/** How long its runs take, in its newest week and in each of the last 13; some hours behind. */
const RUN_LENGTHS = object({
  usual: orNull(object({ usualMs: COUNT, slower: orNull(object({ times: NUMBER, weeks: COUNT })) })),
  /** Runs that succeeded, oldest first. */
  weeks: listOf(object({ from: INSTANT, runs: COUNT, medianMs: COUNT })),
});

/** Whom an alert of this monitor would reach, and what it would say of it (R38). */
const ROUTING = object({
  destinations: listOf(TEXT),
  /** Why it would reach no one now; null when it would reach a person (R36). */
  unreachable: orNull(TEXT),
  failing: FAILING,
  severity: wordOf("info", "warning", "error", "critical"),
  owner: orNull(TEXT),
  environment: orNull(TEXT),
  links: namedValues(TEXT),
});

const DRILL = object({
  everySeconds: COUNT,
  /** Not while the monitor is paused, then as soon as it is not. */
  dueAt: INSTANT,
  last: orNull(
    object({
      at: INSTANT,
      /** Null: not all is decided. */
      outcome: orNull(wordOf("delivered", "failed")),
      /** The last to each address; none when they are gone. */
      deliveries: listOf(DELIVERY),
    }),
  ),
});

const PING = object({
  /** When it happened: as it came, unless it came late (R43). */
  at: INSTANT,
  /** When it came, if that was late; null: it was not. */
  heardAt: orNull(INSTANT),
  kind: wordOf("heartbeat", "start", "complete", "fail", "log"),
  /** What became of its run; null: the report says nothing of that, or the end of its run does. */
  outcome: orNull(wordOf(...RUN_OUTCOMES)),
  /** Its run's; null: it belongs to none, or that is gone. */
  runNumber: orNull(COUNT),
  runId: orNull(TEXT),
  attempt: orNull(COUNT),
  durationSeconds: orNull(COUNT),
  /** Of arrival times; null also where its run's start is not known any more. */
  durationMilliseconds: orNull(COUNT),
  message: orNull(TEXT),
  /** What it reported of the outcomes that were expected (R27); null: nothing. */
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
  /** Of arrival times. */
  durationMilliseconds: orNull(COUNT),
  legacy: BOOLEAN,
  /** What was decided of its end; null: nothing to say of it, or it is not known. */
  verdict: orNull(wordOf("wrong", "warned", "overran")),
});

/** A slot or a run whose end rollcall could not hear. */
const UNKNOWN = object({
  at: INSTANT,
  /** Null: it is about a run. */
  slot: orNull(INSTANT),
  /** How many slots it stands for, that one and those after it. */
  slots: COUNT,
  runId: orNull(TEXT),
  runStartedAt: orNull(INSTANT),
  /** When, and why, rollcall could not hear. */
  gap: object({
    from: INSTANT,
    to: INSTANT,
    reason: wordOf("stopped", "stalled", "clock", "storage", "restored", "several"),
  }),
});

export const SHOWN_MONITOR = object({
  ...MONITOR.properties,
  now: SENTENCE,
  /** One sentence: by how much its reports are off, and which zone would explain it (R13). */
  zoneHint: orNull(TEXT),
  settings: SETTINGS,
  /** From which computer, by which program and key it was last reported, some seconds behind; null: not known. */
  sender: orNull(
    object({
      address: TEXT,
      agent: orNull(TEXT),
      keyId: ID,
      /** The old address that this number means, without what is secret in it; null: it is a key. */
      oldAddress: orNull(TEXT),
      since: INSTANT,
    }),
  ),
  /** Its addresses of other services that work, without what is secret in them; at most 20. */
  oldAddresses: listOf(TEXT),
  /** Null: no registry ever declared it. */
  declaration: orNull(DECLARATION),
  /** R24: of the configuration, then what people planned. */
  maintenance: listOf(MAINTENANCE),
  runLimit: RUN_LIMIT,
  runLengths: RUN_LENGTHS,
  routing: ROUTING,
  incident: orNull(INCIDENT),
  /** Null: it is no drill monitor. */
  drill: orNull(DRILL),
  /** Its reports that were refused for another reason than the rate limit, one for each reason, newest first. */
  refused: listOf(REFUSED_REPORT),
  /** The last 20, newest first. */
  pings: listOf(PING),
  /** What it wrote last with a failure, and whether no failure came since (R46); null: nothing is kept. */
  lastOutput: orNull(object({ at: INSTANT, text: TEXT, ofLastFailure: BOOLEAN })),
  /** Those that are open and those of the last 20 pings, newest first. */
  runs: listOf(RUN),
  /** What is unknown about it because we could not hear (R26); the last 20, newest first. */
  unknowns: listOf(UNKNOWN),
});

export type ShownMonitor = Held<typeof SHOWN_MONITOR>;

/** A report, or a slot that none filled. */
const ENTRY = object({
  ...PING.properties,
  /** Null: it is no report but a slot that none filled. */
  kind: orNull(PING.properties.kind),
  /** What became of the slot or of the report's run; null: the report says nothing of it. silent: it was no miss. */
  outcome: orNull(wordOf(...RUN_OUTCOMES, "missed", "silent")),
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
  more: BOOLEAN,
});

export type History = Held<typeof HISTORY>;
