// Thirty jobs under `rollcall run` through two hours in which nobody hears them: once because rollcall itself is down,
// once because the network is away while rollcall watches. Runs and flushes are killed on the way. The clocks of hosts
// and of rollcall are moved: a host's with the library and, since a report's age is measured by it, with its uptime.

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { openService, policyWith } from "../support/engine.ts";
import { EXECUTABLE, firstKeyOf, openFolder, until } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startPublicServer } from "../support/public-server.ts";
import { granted } from "../support/service.ts";
import { clockFrom, FAST } from "./clock-library.ts";

setDefaultTimeout(300_000);

/** Whether a process may have another uptime than the machine. */
const mayMoveUptime = Bun.spawnSync(["unshare", "-m", "true"], { stderr: "ignore" }).success;

const MIDNIGHT = Date.UTC(2026, 2, 3);
const AWAY = MIDNIGHT + HOUR;
const BACK = AWAY + 2 * HOUR + 3 * MINUTE;
const GRACE = 5 * MINUTE;
const CLOSES = GRACE + 5 * SECOND;
/** The runs of the outage, without those that are killed. */
const RUNS = 87;
/** Milliseconds for some minutes of a fast clock. */
const NOTICE_WITHIN = 120_000;
/** Runs at once on the host. */
const AT_ONCE = 4;

interface OutageJob {
  readonly key: string;
  readonly schedule: string;
  /** Of each hour, the minutes at which it runs; one that runs once a day runs in this hour alone. */
  readonly minutes: readonly number[];
  readonly hour: number | null;
}

/** Four each quarter, six each half of an hour, ten each hour, ten each night. */
const JOBS: readonly OutageJob[] = Array.from({ length: 30 }, (_, place): OutageJob => {
  const key = `job-${place}`;
  if (place < 4) return { key, schedule: "*/15 * * * *", minutes: [0, 15, 30, 45], hour: null };
  if (place < 10) return { key, schedule: `${place},${place + 30} * * * *`, minutes: [place, place + 30], hour: null };
  if (place < 20) return { key, schedule: `${place} * * * *`, minutes: [place], hour: null };
  const hour = 1 + (place % 2);
  return { key, schedule: `${place} ${hour} * * *`, minutes: [place], hour };
});

/** When it is started in (from, to]. */
function slotsOf({ minutes, hour }: OutageJob, from: Instant, to: Instant): Instant[] {
  const slots: Instant[] = [];
  for (let at = MIDNIGHT; at <= to; at += HOUR)
    for (const minute of minutes) {
      const slot = at + minute * MINUTE;
      if (slot > from && slot <= to && (hour === null || at === MIDNIGHT + hour * HOUR)) slots.push(slot);
    }
  return slots;
}

const clockAt = (at: Instant, times = 1): Record<string, string> =>
  clockFrom!(toIso(at).slice(0, 19).replace("T", " "), times);

interface Host {
  /**
   * Runs it with the host's clock at this instant; answers its exit code. `killed`: kill -9 as soon as this has
   * settled.
   */
  run(at: Instant, args: readonly string[], killed?: Promise<unknown>): Promise<number>;
  /** How many reports wait, all of them or those of this monitor. */
  waiting(monitor?: string): number;
}

/** A host of one application whose server stands at this address. */
function hostOf(folder: string, url: string, key: string): Host {
  const spool = join(folder, "spool");
  // The first report that waits makes the folder. What begins with a dot is still being written, and waits for nobody.
  const files = (): string[] =>
    existsSync(spool) ? readdirSync(spool).filter((name) => /^\d.*\.json$/.test(name)) : [];
  const monitorOf = (kept: string): unknown => JSON.parse(kept).report.monitor;
  let made = 0;
  return {
    run: async (at, args, killed) => {
      const uptime = join(folder, `uptime-${made++}`);
      writeFileSync(uptime, `${(at - MIDNIGHT) / SECOND + 86_400}.00 0.00\n`);
      const set = Object.entries(clockAt(at)).map(([name, value]) => `${name}='${value}'`);
      const script = `mount --bind ${uptime} /proc/uptime && exec env ${set.join(" ")} "$0" "$@"`;
      const child = Bun.spawn(["unshare", "-m", "sh", "-c", script, EXECUTABLE, "run", ...args], {
        env: { PATH: process.env["PATH"], HOME: folder, ROLLCALL_URL: url, ROLLCALL_KEY: key, ROLLCALL_SPOOL: spool },
        stdio: ["ignore", "ignore", "ignore"],
      });
      await killed?.then(() => child.kill("SIGKILL"));
      return child.exited;
    },
    waiting: (monitor) =>
      files().filter((name) => monitor === undefined || monitorOf(readFileSync(join(spool, name), "utf8")) === monitor)
        .length,
  };
}

const runOf = ({ key, schedule }: OutageJob, command: string): string[] => [
  ...["--schedule", schedule, "--timezone", "UTC", "--grace", "5m", "--max-runtime", "10m", key],
  ...["--", "sh", "-c", command],
];

/** Runs that were killed in the outage, while their command still ran: their end is nobody's to know. */
const KILLED = new Set(["job-2", "job-7", "job-13"]);

const dueAt = (at: Instant): OutageJob[] => JOBS.filter((job) => slotsOf(job, at - 1, at).length > 0);

async function someAtOnce(jobs: readonly OutageJob[], run: (job: OutageJob) => Promise<unknown>): Promise<void> {
  for (let place = 0; place < jobs.length; place += AT_ONCE)
    await Promise.all(jobs.slice(place, place + AT_ONCE).map(run));
}

/**
 * Everything that falls into the outage, minute by minute; `then` is told how far it is. Answers how many runs ended.
 */
async function playOutage(host: Host, then: (at: Instant) => void): Promise<number> {
  let ended = 0;
  const killed = new Set<string>();
  for (let at = AWAY; at < BACK; at += MINUTE) {
    then(at);
    await someAtOnce(dueAt(at), async (job) => {
      if (KILLED.has(job.key) && !killed.has(job.key)) {
        killed.add(job.key);
        const kept = until(`the start of ${job.key}`, () => (host.waiting(job.key) > 0 ? true : null));
        await host.run(at, runOf(job, "sleep 20"), kept);
        return;
      }
      ended++;
      expect(await host.run(at, runOf(job, "exit 0"))).toBe(0);
    });
    // Flushes in vain, one of them killed.
    if ((at - AWAY) % (30 * MINUTE) === 0) await host.run(at, ["--flush"], at === AWAY ? Bun.sleep(30) : undefined);
  }
  return ended;
}

/** Two flushes at once, one of them killed on its way, then one that sends the rest. */
async function flushAll(host: Host, at: Instant): Promise<void> {
  await Promise.all([host.run(at, ["--flush"], Bun.sleep(400)), host.run(at, ["--flush"])]);
  expect(await host.run(at + 10 * SECOND, ["--flush"])).toBe(0);
  expect(host.waiting()).toBe(0);
}

type Row = Readonly<Record<string, unknown>>;
const LEDGER = `SELECT key, kind, coalesce(happened_at, at) AS at, at AS heardAt, happened_at AS happenedAt
  FROM pings JOIN monitors ON monitors.id = monitor_id WHERE coalesce(happened_at, at) >= ${AWAY} ORDER BY pings.id`;

interface Ledger {
  readonly applied: number;
  readonly twice: number;
  readonly missing: readonly string[];
  /** How far a report's time is from its slot at most, in seconds. */
  readonly off: number;
}

/** Each run of the outage has its start once and its end once, when they happened; a killed one only its start. */
function ledgerOf(rows: readonly Row[]): Ledger {
  const during = rows.filter(({ at }) => Number(at) < BACK);
  const named = during.map(({ key, kind, at }) => `${key} ${kind} ${Math.round(Number(at) / MINUTE) * MINUTE}`);
  const expected = JOBS.flatMap((job) =>
    slotsOf(job, AWAY - 1, BACK - 1).flatMap((slot, place) => [
      `${job.key} start ${slot}`,
      ...(KILLED.has(job.key) && place === 0 ? [] : [`${job.key} complete ${slot}`]),
    ]),
  );
  const off = during.map(({ at }) => Math.abs(Number(at) - Math.round(Number(at) / MINUTE) * MINUTE));
  return {
    applied: named.length,
    twice: named.length - new Set(named).size,
    missing: expected.filter((one) => !named.includes(one)),
    off: Math.max(...off) / SECOND,
  };
}

const folder = mkdtempSync(join(tmpdir(), "rollcall-outage-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(clockFrom === null || !mayMoveUptime)("R43: two hours in which nobody hears thirty jobs", () => {
  test("because the network is away: each miss is told, each report counts once, each job recovers, and nothing follows", async () => {
    using service = openService(policyWith(), AWAY - 2 * MINUTE);
    const { key } = granted(service.engine.operate("key create", { application: "prod", scope: "ping" }));
    const clock = { now: () => service.now, monotonic: () => service.now };
    const listen = { host: "127.0.0.1", port: freePort() };
    let server = startPublicServer(service.engine, { clock, listen });
    const pump = setInterval(() => service.endTurns(), 1);
    const host = hostOf(mkdtempSync(join(folder, "network-")), server.url, key);
    await someAtOnce(JOBS, (job) => host.run(service.now, runOf(job, "exit 0")));
    const look = (until: Instant): void => {
      for (let at = service.now + SECOND; at <= until; at += SECOND) service.look(at);
    };
    look(AWAY - SECOND);
    expect(service.alarms()).toEqual([]);
    await server.stop(0);
    expect(await playOutage(host, look)).toBe(RUNS);
    look(BACK);
    const missed = service.alarms().filter(({ kind }) => kind === "InitialFailure");
    const wasDue = JOBS.filter((job) => slotsOf(job, AWAY - 1, BACK - CLOSES - 1).length > 0);
    // Each job is told once, at the close of its first slot.
    expect(missed.map(({ monitor, at }) => `${monitor} ${at}`).sort()).toEqual(
      wasDue.map((job) => `${job.key} ${toIso(slotsOf(job, AWAY - 1, BACK)[0]! + CLOSES)}`).sort(),
    );
    const waited = host.waiting();

    server = startPublicServer(service.engine, { clock, listen });
    await flushAll(host, BACK);
    const ledger = ledgerOf(service.store.database.query<Row, []>(LEDGER).all());
    expect(ledger).toEqual({ applied: waited, twice: 0, missing: [], off: expect.any(Number) });
    expect(ledger.off).toBeLessThan(2);
    const recoveries = service.store.database
      .query<{ data: string }, []>("SELECT data FROM alerts ORDER BY id")
      .all()
      .map(({ data }) => alertDataFrom(data)!)
      .filter(({ kind }) => kind === "Recovered");
    expect(recoveries.map(({ monitorKey }) => monitorKey).sort()).toEqual(wasDue.map((job) => job.key).sort());
    for (const { monitorKey, missedSlots, lateSlots, happenedAt, recoveredAt } of recoveries) {
      const slots = slotsOf(JOBS.find((job) => job.key === monitorKey)!, AWAY - 1, BACK - CLOSES - 1);
      expect([monitorKey, missedSlots, lateSlots]).toEqual([monitorKey, 0, slots.length]);
      expect(Date.parse(happenedAt!)).toBeLessThan(Date.parse(recoveredAt!));
    }
    // An hour in time after it: nothing follows.
    const after = service.alarms().length;
    for (let at = BACK + MINUTE; at < BACK + HOUR; at += MINUTE) {
      look(at);
      await someAtOnce(dueAt(at), (job) => host.run(at, runOf(job, "exit 0")));
    }
    const later = service.alarms().slice(after);
    clearInterval(pump);
    await server.stop(0);
    // But of the runs that were killed, whose end nobody ever told: five minutes after their starts came.
    const unfinished = (kind: string) => [...KILLED].map((monitor) => `${monitor} ${kind} unfinished`);
    expect(later.map(({ monitor, kind, cause }) => `${monitor} ${kind} ${cause}`).sort()).toEqual(
      [...unfinished("InitialFailure"), ...unfinished("Recovered")].sort(),
    );
  });

  test("because rollcall is down: each report counts once, nobody is alarmed, and only killed runs are asked about", async () => {
    await using receiver = startHttpSink(() => new Response());
    const secret = `whsec_${btoa("x".repeat(24))}`;
    await using home = openFolder({
      "rollcall.toml": `[limits]\nv1_per_minute = 0\nv1_per_hour = 0\n[team]\ndestinations = ["hook"]\n[destinations.hook]\ntype = "webhook"\nurl = "${receiver.url}"\nsecret = "${secret}"\n`,
    });
    const atPort = { ROLLCALL_SERVER__LISTEN: `127.0.0.1:${freePort()}` };
    const first = await home.serve({ ...clockAt(AWAY - 2 * MINUTE), ...atPort });
    const host = hostOf(mkdtempSync(join(folder, "down-")), first.url, firstKeyOf(first));
    await someAtOnce(JOBS, (job) => host.run(AWAY - 2 * MINUTE, runOf(job, "exit 0")));
    await first.end("SIGKILL");
    expect(await playOutage(host, () => {})).toBe(RUNS);
    const waited = host.waiting();
    const again = await home.serve({ ...clockAt(BACK), ...atPort });
    await flushAll(host, BACK);
    const ledger = ledgerOf(home.rows(LEDGER));
    expect(ledger).toEqual({ applied: waited, twice: 0, missing: [], off: expect.any(Number) });
    expect(await again.end("SIGTERM")).toBe(0);
    // By then nothing is left that may still come. The jobs that were due meanwhile, or are soon, report in time.
    const later = BACK + 340 * SECOND;
    await home.serve({ ...clockAt(later, FAST), ...atPort });
    await someAtOnce(
      JOBS.filter((job) => slotsOf(job, BACK - 1, later + MINUTE).length > 0),
      (job) => host.run(later, runOf(job, "exit 0")),
    );
    await until("the notice", () => (receiver.requests.length > 0 ? true : null), NOTICE_WITHIN);
    const heard = receiver.requests.map(({ body }) => JSON.parse(body).data);
    expect(heard).toMatchObject([{ notice: { kind: "unheard", monitorsTotal: KILLED.size } }]);
    const [{ notice }] = heard;
    const asked = notice.monitors.map((one: Row) => [one["monitorKey"], one["slotsTotal"], one["runsTotal"]]);
    expect(asked.sort()).toEqual([...KILLED].sort().map((key) => [key, 0, 1]));
  });
});
