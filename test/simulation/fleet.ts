// The monitors: schedules, zones, graces and limits in a realistic mixture, each with its job and the machine that runs
// it. Drawn from the seed; nothing happens here.

import type { Random } from "./random.ts";
import { HEARERS, ROTA } from "./receivers.ts";
import type { SchedulerKind } from "./schedulers.ts";
import { DAY, HOUR, MINUTE, SECOND } from "./units.ts";

/**
 * What a job tells: one report at its end, or a start and an end, without a run_id, with one for each run or always the
 * same.
 */
export type Habit = "heartbeat" | "pair without id" | "pair with id" | "pair with one id";

/** How often a client repeats a request that failed. */
export type Patience = "none" | "three times" | "official";

/** What the monitor knows about its job. */
export interface Terms {
  /** When its scheduler runs it; null: something else does, now and then, and it has an interval. */
  readonly schedule: string | null;
  /** It declares that it reports at least every so often, and not its schedule; null: it declares its schedule. */
  readonly everySeconds: number | null;
  readonly graceSeconds: number;
  readonly maxRuntimeSeconds: number | null;
}

export interface Member {
  readonly key: string;
  readonly timezone: string;
  readonly terms: Terms;
  /** The configuration names it with its schedule, so it is watched before its first report. */
  readonly configured: boolean;
  /** What the job declares after it was changed, some time into the simulation; null: it never is. */
  readonly laterTerms: Terms | null;
  readonly alertAfterMisses: number;
  readonly alertAfterFailures: number;
  readonly destinations: readonly string[];
  /** Names in its route of people and pagers, and of a rota. */
  readonly hearers: readonly string[];
  readonly scheduler: SchedulerKind;
  readonly host: number;
  readonly habit: Habit;
  readonly patience: Patience;
  /** Milliseconds: how late it starts at most, and how long it usually runs. */
  readonly jitter: number;
  readonly usualRun: number;
  /** Its client keeps what it could not send, and sends it late (R43). */
  readonly spools: boolean;
  /** Which rate limit it falls under: the number of its API key. */
  readonly apiKey: number;
}

export const HOSTS = 12;
export const API_KEYS = 4;

const ZONES = [
  "UTC",
  "UTC",
  "Europe/Berlin",
  "Europe/London",
  "America/New_York",
  "America/Los_Angeles",
  "America/Santiago",
  "Australia/Lord_Howe",
  "Australia/Sydney",
  "Asia/Kolkata",
  "Asia/Tokyo",
  "Africa/Cairo",
  "Pacific/Chatham",
  "Atlantic/Azores",
];

/** Weight, expression, and how far its slots lie apart at least. */
const SCHEDULES: readonly (readonly [weight: number, shape: { readonly cron: string; readonly apart: number }])[] = [
  [0.4, { cron: "* * * * *", apart: MINUTE }],
  [1.5, { cron: "*/5 * * * *", apart: 5 * MINUTE }],
  [4, { cron: "*/15 * * * *", apart: 15 * MINUTE }],
  [2, { cron: "M,H * * * *", apart: 7 * MINUTE }],
  [12, { cron: "M * * * *", apart: HOUR }],
  [4, { cron: "M 8-18 * * 1-5", apart: HOUR }],
  [6, { cron: "M */6 * * *", apart: 6 * HOUR }],
  [6, { cron: "0 0 * * *", apart: DAY }],
  [10, { cron: "M 1-3 * * *", apart: HOUR }],
  [22, { cron: "M N * * *", apart: DAY }],
  [8, { cron: "M N * * 1-5", apart: DAY }],
  [6, { cron: "M N * * 0", apart: 7 * DAY }],
  [3, { cron: "M N 1,15 * *", apart: 13 * DAY }],
  [2, { cron: "M N 1-7 * 1", apart: DAY }],
  [1, { cron: "M N 29 * *", apart: 28 * DAY }],
];

/** Weight, expression or null for a job that nothing plans, how far its runs lie apart at least and at most. */
const INTERVALS: readonly (readonly [
  weight: number,
  shape: { readonly cron: string | null; readonly apart: number; readonly most: number },
])[] = [
  [1, { cron: "*/5 * * * *", apart: 5 * MINUTE, most: 5 * MINUTE }],
  [4, { cron: "M * * * *", apart: HOUR, most: HOUR }],
  [3, { cron: "M */6 * * *", apart: 6 * HOUR, most: 6 * HOUR }],
  [8, { cron: "M N * * *", apart: DAY, most: DAY }],
  [2, { cron: "M 8-18 * * 1-5", apart: HOUR, most: 62 * HOUR }],
  [2, { cron: "M N * * 0", apart: 7 * DAY, most: 7 * DAY }],
  [0.3, { cron: null, apart: 5 * SECOND, most: 30 * SECOND }],
  [1, { cron: null, apart: MINUTE, most: 10 * MINUTE }],
  [5, { cron: null, apart: HOUR / 4, most: 2 * HOUR }],
  [5, { cron: null, apart: 2 * HOUR, most: DAY }],
];

/** Whose reports are expected at least every so often. */
const WITH_INTERVAL = 0.25;

/** Whose clients keep what they could not send. */
const WITH_SPOOL = 0.2;

export function drawFleet(random: Random, size: number): Member[] {
  return Array.from({ length: size }, (_, index) => drawMember(random.branch(`member ${index}`), index));
}

function drawMember(random: Random, index: number): Member {
  const { terms, apart } = drawRhythm(random);
  const configured = random.chance(0.1);
  const habit = random.pick([
    ...(["heartbeat", "heartbeat", "pair without id", "pair without id"] as const),
    ...(["pair with id", "pair with id", "pair with id", "pair with one id"] as const),
  ]);
  const most = habit === "heartbeat" ? Math.min(apart / 4, terms.graceSeconds * 300) : apart / 4;
  const usualRun = Math.min(most * random.fraction(), random.exponential(8 * MINUTE)) + SECOND;
  const member: Member = {
    key: `job-${index}`,
    timezone: random.pick(ZONES),
    terms,
    configured,
    laterTerms: !configured && random.chance(0.1) ? changed(terms, drawRhythm(random).terms) : null,
    alertAfterMisses: random.weighted([
      [8, 1],
      [1, 2],
      [0.5, 3],
    ]),
    alertAfterFailures: random.weighted([
      [8, 1],
      [1, 2],
    ]),
    destinations: random.pick([["hook"], ["hook", "mail"], ["mail"], ["hook", "mail", "pager"]]),
    hearers: [...HEARERS.filter(({ isTurn }) => !isTurn).map(({ name }) => name), ROTA],
    scheduler: random.pick(["debian", "debian", "systemd", "plain"] as const),
    host: random.whole(0, HOSTS - 1),
    habit,
    patience: random.weighted([
      [2, "none"],
      [3, "three times"],
      [4, "official"],
    ] as const),
    jitter: random.pick([0, SECOND, 5 * SECOND, (terms.graceSeconds * SECOND) / 3]),
    usualRun: Math.round(usualRun),
    apiKey: random.whole(0, API_KEYS - 1),
    spools: false,
  };
  return random.branch("spools").chance(WITH_SPOOL) ? spooling(member) : member;
}

/** Each of its reports can be told from all others, and its first trouble is told, everywhere. */
const spooling = (member: Member): Member => ({
  ...member,
  configured: false,
  laterTerms: null,
  alertAfterMisses: 1,
  alertAfterFailures: 1,
  destinations: ["hook", "mail", "pager"],
  hearers: [],
  habit: member.habit === "heartbeat" ? "heartbeat" : "pair with id",
  patience: "none",
  spools: true,
});

/** What is left out stays as it was declared; and the slots must be others, since only these are forgotten (R12). */
function changed(terms: Terms, later: Terms): Terms | null {
  if (later.schedule === terms.schedule && later.everySeconds === terms.everySeconds) return null;
  return { ...later, maxRuntimeSeconds: later.maxRuntimeSeconds ?? terms.maxRuntimeSeconds };
}

interface Drawn {
  readonly terms: Terms;
  readonly apart: number;
}

/** Drawn beside everything else, so that who has none is the same with other intervals. */
function drawRhythm(random: Random): Drawn {
  const drawn = drawTerms(random, random.weighted(SCHEDULES));
  const own = random.branch(`interval beside ${drawn.terms.schedule}`);
  if (!own.chance(WITH_INTERVAL)) return drawn;
  const { cron, apart, most } = own.weighted(INTERVALS);
  const { terms } = drawTerms(own, { cron: cron ?? "* * * * *", apart });
  const everySeconds = Math.round((most / SECOND) * own.pick([1, 1.04, 1.25, 2]));
  return { terms: { ...terms, schedule: cron === null ? null : terms.schedule, everySeconds }, apart };
}

function drawTerms(random: Random, { cron, apart }: { readonly cron: string; readonly apart: number }): Drawn {
  const minute = random.whole(0, 59);
  const schedule = cron
    .replace("H", String((minute + random.whole(7, 40)) % 60))
    .replace("M", String(minute))
    .replace("N", String(random.whole(0, 23)));
  // A report at the end of the run comes as late as the run is long: people with such a job set the grace by it.
  const least = Math.max(60, Math.min(apart / SECOND / 2, 1_200));
  const graceSeconds = Math.round(random.pick([least, least * 2, 3_600]));
  const maxRuntimeSeconds = random.chance(0.6) ? random.pick([1_800, 7_200, 3 * 3_600]) : null;
  return { terms: { schedule, everySeconds: null, graceSeconds, maxRuntimeSeconds }, apart };
}
