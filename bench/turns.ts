// `test/task bench-status`: how long a report waits when there are very many monitors, all in trouble. For each
// operation it measures the longest turn of the event loop, in processor time, which should be at most 20 ms.

import { isRefusal, refuse } from "../src/domain/errors.ts";
import { NOTHING_DECLARED } from "../src/domain/settings/declared.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../src/domain/time.ts";
import type { Ping } from "../src/engine/api.ts";
import type { OperationName } from "../src/engine/operations/operations.ts";
import { syncStatusInPieces } from "../src/http/api/sync-bodies.ts";
import { operationResponse } from "../src/http/management/operation-response.ts";
import { createMetrics } from "../src/http/metrics/metrics.ts";
import { createRespondInPieces } from "../src/http/respond-in-pieces.ts";
import { createYield } from "../src/http/yield.ts";
import { CALLER, CLOSE, nextTurn, openBigHouse } from "./big-house.ts";
import { startTurnProbe } from "./turn-probe.ts";

const MONITORS = Number(process.env["TURNS_MONITORS"] ?? 100_000);
const ROUNDS = Number(process.env["TURNS_ROUNDS"] ?? 5);
/** The most milliseconds of a turn. */
const MOST = 20;
/** The most milliseconds while very many monitors are settled, when reports may wait longer. */
const MOST_IN_A_STORM = 100;
/**
 * The most milliseconds for work that must be one turn: before the first report is taken only the start waits, and a
 * bulk sync is one transaction whatever it withdraws.
 */
const MOST_AT_ONCE = 1_000;
/** When the first slots close that the gap does not excuse. */
const AFTER_THE_GAP = CLOSE + 2 * MINUTE;
/** Parts of names, separated by commas: only operations with these are run and measured; `null` when all are. */
const ONLY = process.env["TURNS_ONLY"]?.split(",") ?? null;
const SMALLER_SOURCE = Math.floor(0.15 * MONITORS);

const instance = await openBigHouse(MONITORS, (database) => {
  database.run("UPDATE monitors SET source = 'large', declared_at = created_at");
  database.run(`UPDATE monitors SET source = 'smaller' WHERE id > ${MONITORS - SMALLER_SOURCE}`);
});
const { engine, outbox } = instance;
const probe = startTurnProbe();
let tooLong = 0;

/** Runs the operation this often, each time to the end of the work that it leaves to later turns. */
async function measure(name: string, run: (round: number) => unknown, rounds = ROUNDS, most = MOST): Promise<void> {
  if (ONLY?.some((part) => name.includes(part)) === false) return;
  const turns: number[] = [];
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++) {
    await nextTurn();
    await nextTurn();
    probe.longest();
    await nextTurn();
    await run(round);
    await instance.rest();
    turns.push(probe.longest());
  }
  const took = (performance.now() - startedAt) / rounds;
  const sorted = turns.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(rounds / 2)]!;
  if (median > most) tooLong++;
  const verdict = median > most ? "TOO LONG" : "ok";
  console.log(
    `${name.padEnd(58)} ${median.toFixed(1).padStart(8)} ms  worst ${sorted.at(-1)!.toFixed(1).padStart(8)} ms  in all ${took.toFixed(0).padStart(6)} ms  ${verdict}`,
  );
}

/** Measures one run, without the work before it in the same round. */
async function measured(run: () => unknown): Promise<void> {
  await nextTurn();
  probe.longest();
  run();
}

async function read(answer: Response): Promise<void> {
  if (!answer.ok) throw new Error(await answer.text());
  const reader = answer.body!.getReader();
  while (!(await reader.read()).done);
}

const myTurn = createYield(engine.scheduler);
const inPieces = createRespondInPieces(() => {}, myTurn);
async function operate(name: OperationName, input: object = {}): Promise<void> {
  const body = new TextEncoder().encode(JSON.stringify(input));
  await read(await operationResponse(engine.as("host"), inPieces, myTurn, name.replaceAll(" ", "."), body));
}

function sync(source: string, from: number, count: number, authoritative = false, schedule = "* * * * *"): void {
  const entries = Array.from({ length: count }, (_, index) => ({
    key: `job-${from + index}`,
    declared: { ...NOTHING_DECLARED, schedule, graceSeconds: 60 },
    metadata: null,
  }));
  const report = engine.intake.sync(CALLER, { source, version: null, authoritative, entries });
  if (isRefusal(report) || report.errors.length > 0) throw new Error(JSON.stringify(report));
}

function tickAt(instant: number): void {
  instance.at(instant);
  engine.tick();
}

/** The other parts of a scrape, which cost nothing. */
const OTHERS = {
  endings: new Map(),
  selfPing: null,
  machine: {
    version: "0",
    zoneRules: { version: "2026f", origin: "rollcall" },
    startedAt: 0,
    cpuSeconds: 0,
    residentBytes: 0,
    descriptors: null,
    connectionsClosed: 0,
    availableBytes: null,
    backupAt: null,
  },
};

console.log(
  `${MONITORS} monitors; the median of ${ROUNDS} rounds; wanted: ${MOST} ms of processor time in a turn at most`,
);
await measure("a turn without anything", () => {});
await measure(
  "a gap leaves something unknown about all, and that is told",
  async () => {
    instance.standStill(2 * MINUTE);
    engine.tick();
    // The second slot that the gap touches closes 65 s after it.
    for (const later of [MINUTE + SECOND, 6 * SECOND, SECOND]) {
      await instance.rest();
      tickAt(instance.now() + later);
    }
  },
  1,
  MOST_IN_A_STORM,
);
await measure("all of them close in the same second", () => tickAt(AFTER_THE_GAP), 1, MOST_IN_A_STORM);
await measure("sync of 100, of a source of most of them", () => sync("large", 1, 100));
await measure(`sync of 1, of a source of ${SMALLER_SOURCE}`, () => sync("smaller", MONITORS - 1, 1));
await measure("sync of 100 that change", (round) => sync("large", 1_000, 100, false, `${round} * * * *`));
await measure("sync of 100 new ones", (round) => sync(`new-${round}`, MONITORS + 10 + 100 * round, 100, true));
await measure("sync of 100, all that a source has", () => sync("new-1", MONITORS + 110, 100, true));
await measure("sync status", async () =>
  read(inPieces(syncStatusInPieces(engine.views.syncStatus(CALLER.application)))),
);
await measure("scrape of /metrics", async () => {
  const clock = { now: instance.now, monotonic: () => performance.now() };
  const metrics = createMetrics({ engine, others: () => OTHERS, token: () => null, clock, log: () => {} });
  await read(await metrics(new Request("http://localhost/metrics"), true, () => "127.0.0.1"));
});
await measure("monitor list", () => operate("monitor list"));
await measure("monitor list --status critical", () => operate("monitor list", { status: "critical" }));
await measure("monitor list --status healthy", () => operate("monitor list", { status: "healthy" }));
await measure("monitor show", () => operate("monitor show", { key: "job-5000" }));
await measure("incident list", () => operate("incident list"));
await measure("incident list --open", () => operate("incident list", { open: true }));
await measure("incident list --open --limit 1000", () => operate("incident list", { open: true, limit: 1_000 }));
await measure("incident list --app", () => operate("incident list", { application: "default" }));
await measure("notify list", () => operate("notify list"));
await measure("notify list --limit 1000", () => operate("notify list", { limit: 1_000 }));
await measure("notify list --app", () => operate("notify list", { application: "default" }));
engine.as("host").operate("app create", { slug: "other" });
await measure("notify list --app of an application without", () => operate("notify list", { application: "other" }));
await measure("app list", () => operate("app list"));
await measure("key list", () => operate("key list"));
await measure("app syncs", () => operate("app syncs"));
await measure("monitor refused", () => operate("monitor refused"));
await measure("incident ack", (round) => operate("incident ack", { id: 500 + round }));
await measure("monitor delete", (round) => operate("monitor delete", { key: `job-${2_000 + round}` }));

const heartbeat = (key: string, schedule: string | null): Ping => ({
  caller: CALLER,
  monitorKey: key,
  kind: "heartbeat",
  runId: null,
  attempt: null,
  message: null,
  output: null,
  ageSeconds: null,
  durationSeconds: null,
  outcomes: new Map(),
  said: { ...NOTHING_DECLARED, schedule },
  lookalikes: [],
  host: null,
  user: null,
  idempotency: null,
});
const ping = (key: string, schedule: string | null) => engine.intake.ingest(heartbeat(key, schedule));
await measure("a new monitor, with a limit of active ones", (round) => ping(`fresh-${round}`, "0 0 1 1 *"));
await measure("a monitor recovers", (round) => ping(`job-${3_000 + round}`, null));
await measure("a second with nothing to do", (round) => tickAt(AFTER_THE_GAP + (10 + round) * SECOND));
await measure("the first second of a minute", (round) => tickAt(AFTER_THE_GAP + (round + 1) * MINUTE));

const digests = new Map([["chat", 30]]);
const wanted = {
  limit: 16,
  each: 16,
  digests,
  alone: new Set<number>(),
  written: [],
  news: new Map(),
  sooner: [],
};
await measure("claims and endings of the notifier", () => {
  const { claimed } = outbox.exchange([], { ...wanted, now: instance.now(), busy: new Set() });
  const endings = claimed.flatMap(({ members }) =>
    members.map(({ id }) => ({ id, ending: "sent", at: instance.now(), answer: "ok" }) as const),
  );
  outbox.exchange(endings, { ...wanted, now: instance.now(), busy: new Set(["chat", "hook"]) });
});
await measure("a destination begins to work again", () => {
  outbox.exchange([], { ...wanted, now: instance.now(), busy: new Set(), news: new Map([["hook", null]]) });
});

await measure(
  "a gap, and the search for what it leaves in doubt",
  async (round) => {
    instance.standStill(2 * MINUTE);
    engine.tick();
    await instance.rest();
    tickAt(instance.now() + (round + 3) * MINUTE);
  },
  2,
);
instance.database.run(
  `INSERT INTO refused_reports (application_id, monitor_key, code, field, failed, reason, kind, message, key_id, first_at, at, times, news)
   SELECT application_id, key, 'RATE_LIMIT_EXCEEDED', 'limits.v1_per_minute', id % 10 = 0, 'more came than it allows',
     iif(id % 10 = 0, 'fail', 'heartbeat'), 'exit status 1', 1, ${instance.now()}, ${instance.now()}, 1, id FROM monitors WHERE id > 1`,
);
engine.intake.rateLimited(heartbeat("job-1", null), "limits.v1_per_minute");
await instance.rest();
await measure("a rate limit refused reports of all, and that is told", () => tickAt(instance.now() + 61 * SECOND), 1);
await measure(
  "a report of each of 1,000 is refused, and that is told",
  async (round) => {
    for (let index = 0; index < 1_000; index++) {
      const refusal = refuse("INVALID_REQUEST", `schedule: ${round}`);
      engine.intake.refused({ caller: CALLER, monitorKey: `job-${1_000 * round + index}`, kind: "fail", refusal });
    }
    await instance.rest();
    tickAt(instance.now() + 61 * SECOND);
    await instance.rest();
    tickAt(instance.now() + HOUR);
  },
  2,
);
let hour = Math.ceil(instance.now() / HOUR) * HOUR;
const nextHour = (): void => {
  hour += HOUR;
  tickAt(hour);
};
await measure("upkeep of an hour", nextHour, 2);
instance.failing.set("hook", { answer: "HTTP 500", since: instance.now() });
outbox.exchange([], {
  ...wanted,
  now: instance.now(),
  busy: new Set(),
  limit: 0,
  news: new Map([["hook", { since: instance.now(), answer: "HTTP 500", blocked: false }]]),
});
await measure("a destination with all of them has failed for an hour", () => tickAt(instance.now() + 61 * MINUTE), 1);
instance.failing.clear();
await measure("a start lets go of what was claimed", () => outbox.releaseClaims(), 3, MOST_AT_ONCE);
const POSTPONED = "next_attempt_at = next_attempt_at + 3600000 WHERE next_attempt_at IS NOT NULL";
await measure(
  "a start with other settings of a destination",
  (round) => {
    instance.database.run(`UPDATE deliveries SET ${POSTPONED}`);
    return measured(() => outbox.reconfigured(new Map([["hook", String(round)]]), instance.now(), () => true));
  },
  2,
  MOST_AT_ONCE,
);
instance.database.run(
  "UPDATE deliveries SET outcome = 'given_up', finished_at = created_at, untold = id, next_attempt_at = NULL WHERE destination = 'chat' AND outcome IS NULL",
);
await measure("what was given up is told elsewhere", () => tickAt(instance.now() + 2 * MINUTE), 1);
await measure(
  "the clock is set back by an hour, until it is put right",
  async () => {
    instance.at(instance.now() - HOUR);
    for (let minute = 0; minute < 12; minute++) {
      tickAt(instance.now() + MINUTE);
      await instance.rest();
    }
  },
  1,
);
await measure("an application of all of them is suspended", () => operate("app suspend", { slug: "default" }), 1);
await measure("it is resumed", () => operate("app resume", { slug: "default" }), 1);
await measure(
  `sync of 100 that withdraws ${SMALLER_SOURCE - 100}`,
  () => sync("smaller", MONITORS - 99, 100, true),
  1,
  MOST_AT_ONCE,
);
instance.database.run(`UPDATE monitors SET deleted_at = created_at WHERE id <= ${MONITORS / 2}`);
await measure("upkeep after half of them were deleted", () => tickAt(hour + HOUR), 1);
await measure("upkeep a year later", () => tickAt(hour + 400 * DAY), 1);
probe.stop();
console.log(tooLong === 0 ? "none is too long" : `${tooLong} are too long`);
instance.database.close();
process.exit(tooLong === 0 ? 0 : 1);
