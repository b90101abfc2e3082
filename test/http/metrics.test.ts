// `/metrics`: who may read it, and that it tells what has happened. A real engine and real sockets; Prometheus' own
// tool reads what is served.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogFields } from "../../src/domain/log.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import type { SeenMachine } from "../../src/http/metrics/families.ts";
import { FAMILIES } from "../../src/http/metrics/families.ts";
import { createMetrics, type MetricsParts } from "../../src/http/metrics/metrics.ts";
import type { Server } from "../../src/http/server.ts";
import { isInstalled } from "../support/clients.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { ROOT } from "../support/executable.ts";
import { startPublicServer } from "../support/public-server.ts";
import { granted } from "../support/service.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

const MACHINE: SeenMachine = {
  version: "1.2.3",
  zoneRules: { version: "2026f", origin: "/usr/share/zoneinfo" },
  startedAt: NOON,
  cpuSeconds: 1.5,
  residentBytes: 50_000_000,
  descriptors: { inUse: 20, limit: 1_024 },
  connectionsClosed: 3,
  availableBytes: 7_000_000_000,
  backupAt: null,
};

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly logged: readonly { readonly event: string; readonly fields: LogFields | undefined }[];
}

function serve(
  engine: MetricsParts["engine"] & Service["engine"],
  token: string | null = null,
  monotonic = () => performance.now(),
): Served {
  const logged: { event: string; fields: LogFields | undefined }[] = [];
  const log = (_: unknown, event: string, fields?: LogFields) => void logged.push({ event, fields });
  const clock = { now: () => NOON, monotonic };
  const endings = new Map([["hook", { sent: 4, retry: 2, given_up: 1 }]]);
  const selfPing = { arrivedAt: NOON, last: null, counts: { sent: 9, failed: 0, withheld: 2 } };
  const others = () => ({ endings, selfPing, machine: MACHINE });
  const metrics = createMetrics({ engine, others, token: () => token, clock, log });
  const server: Server = startPublicServer(engine, { metrics, log });
  return { url: `${server.url}/metrics`, logged, [Symbol.asyncDispose]: () => server.stop(0) };
}

/** As the proxy of this machine that the test's server believes. */
const OVER_HTTPS = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" };
const bearer = (token: string) => ({ ...OVER_HTTPS, authorization: `Bearer ${token}` });

/** The value of one series as it is written; null: it is not there. */
const valueIn = (text: string, series: string): number | null => {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
};

describe("who may read it", () => {
  let service: Service;
  beforeAll(() => {
    service = openService();
  });
  afterAll(() => service[Symbol.dispose]());

  test("programs on this machine need nothing", async () => {
    await using served = serve(service.engine, TOKEN);
    const answer = await fetch(served.url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.text()).toContain("rollcall_ready 1\n");
  });

  test("R35: not under a foreign name, where a page of another site may ask", async () => {
    await using served = serve(service.engine, TOKEN);
    const answer = await fetch(served.url, { headers: { host: "evil.example" } });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: "INVALID_REQUEST", message: expect.stringContaining("server.host_names") },
    ]);
  });

  test("others may not where no token is set, whatever they send", async () => {
    await using served = serve(service.engine);
    const answer = await fetch(served.url, { headers: bearer("null") });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      {
        error: "ACCESS_DENIED",
        message:
          "metrics are for programs on rollcall's own machine, and for those that send server.metrics_token or an administrator's key",
      },
    ]);
  });

  test("others send the token, and are refused with any other; the log never has it", async () => {
    await using served = serve(service.engine, TOKEN);
    expect((await fetch(served.url, { headers: bearer(TOKEN) })).status).toBe(200);
    const refused: Record<string, string>[] = [
      OVER_HTTPS,
      bearer(`${TOKEN}0`),
      bearer(TOKEN.slice(1)),
      bearer(TOKEN.toUpperCase()),
      { ...OVER_HTTPS, authorization: TOKEN },
      { ...OVER_HTTPS, authorization: `Basic ${btoa(`${TOKEN}:`)}` },
    ];
    for (const headers of refused) {
      const answer = await fetch(served.url, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="rollcall"');
      expect(await answer.json()).toMatchObject({ error: "AUTHENTICATION_REQUIRED" });
    }
    expect(served.logged).toEqual([
      { event: "authentication_failed", fields: { client: "203.0.113.7", failedBefore: 0, failedInAll: 1 } },
    ]);
  });

  test("others may send an administrator's key of any scope, also where a token is set, while it works", async () => {
    const keyOf = (scope: "read" | "admin") =>
      granted(service.engine.operate("admin-key create", { scope, label: null })) as { key: string; id: number };
    for (const token of [null, TOKEN]) {
      await using served = serve(service.engine, token);
      for (const scope of ["read", "admin"] as const) {
        const { key, id } = keyOf(scope);
        expect((await fetch(served.url, { headers: bearer(key) })).status).toBe(200);
        const fromElsewhere = { "x-forwarded-for": "203.0.113.7", authorization: `Bearer ${key}` };
        expect((await fetch(served.url, { headers: fromElsewhere })).status).toBe(403);
        granted(service.engine.operate("admin-key revoke", { id }));
        expect((await fetch(served.url, { headers: bearer(key) })).status).toBe(token === null ? 403 : 401);
      }
      expect(JSON.stringify(served.logged)).not.toContain("ck_adm_");
    }
  });

  test("a token over plain HTTP from elsewhere is not taken", async () => {
    await using served = serve(service.engine, TOKEN);
    const headers = { ...bearer(TOKEN), "x-forwarded-proto": "http" };
    expect((await fetch(served.url, { headers })).status).toBe(403);
  });

  test("it is there to be read: HEAD is taken, nothing else is", async () => {
    await using served = serve(service.engine);
    const head = await fetch(served.url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await fetch(served.url, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("a scrape that fails is answered for, and logged", async () => {
    const engine = {
      ...service.engine,
      measures: () => {
        throw new Error("the disk is gone");
      },
    };
    await using served = serve(engine);
    const answer = await fetch(served.url);
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: "INTERNAL_ERROR" }]);
    expect(served.logged.map(({ event }) => event)).toEqual(["request_failed"]);
  });
});

/** A service in which everything has happened that metrics tell of. */
async function livedService(): Promise<Service> {
  const service = openService(policyWith({ monitors: { 'odd "key"\\': {} } }));
  const { engine } = service;
  engine.operate("key create", { application: "prod" });
  await service.send(
    ping({ monitorKey: "backup", kind: "start", schedule: "0 12 * * *", labels: "db nightly" }),
    ping({ monitorKey: 'odd "key"\\', schedule: "0 12 * * *" }),
  );
  service.at(NOON + 90 * SECOND);
  await service.send(ping({ monitorKey: "backup", kind: "complete" }));
  await service.send(ping({ monitorKey: "broken", kind: "fail", schedule: "0 12 * * *", message: "disk full" }));
  const idempotency = { key: "1", textOf: () => "{}" };
  await service.send(ping({ monitorKey: "backup", idempotency }));
  await service.send(ping({ monitorKey: "backup", idempotency }), ping({ monitorKey: "nobody" }));
  service.look(NOON + 2 * MINUTE);
  return service;
}

describe("what it tells", () => {
  let service: Service;
  let served: Served;
  let text: string;
  beforeAll(async () => {
    service = await livedService();
    served = serve(service.engine);
    await fetch(served.url.replace("/metrics", "/api/v1/ping/job/ck_app_prod_wrong"));
    text = await (await fetch(served.url)).text();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    service[Symbol.dispose]();
  });

  test.each([
    ['rollcall_reports_total{kind="start"}', 1],
    ['rollcall_reports_total{kind="complete"}', 1],
    ['rollcall_reports_total{kind="fail"}', 1],
    ['rollcall_reports_total{kind="heartbeat"}', 2],
    ['rollcall_reports_total{kind="log"}', 0],
    ['rollcall_reports_total{kind="repeat"}', 1],
    ["rollcall_batch_reports_count", 5],
    ["rollcall_batch_reports_sum", 7],
    ['rollcall_batch_reports_bucket{le="1"}', 3],
    ['rollcall_batch_reports_bucket{le="2"}', 5],
    ['rollcall_batch_reports_bucket{le="+Inf"}', 5],
    ["rollcall_batch_duration_seconds_count", 5],
    ['rollcall_monitors{application="prod",status="healthy"}', 2],
    ['rollcall_monitors{application="prod",status="critical"}', 1],
    ['rollcall_monitors{application="prod",status="paused"}', 0],
    ['rollcall_open_incidents{application="prod"}', 1],
    ['rollcall_unreadable_monitors{application="prod"}', 0],
    ["rollcall_monitors_left_out", 0],
    ['rollcall_monitor_label{application="prod",monitor="backup",label="nightly"}', 1],
    ['rollcall_monitor_status{application="prod",monitor="broken",status="critical"}', 1],
    ['rollcall_monitor_status{application="prod",monitor="backup",status="healthy"}', 1],
    ['rollcall_monitor_status{application="prod",monitor="odd \\"key\\"\\\\",status="healthy"}', 1],
    ['rollcall_monitor_last_success_timestamp_seconds{application="prod",monitor="backup"}', NOON / SECOND + 90],
    ['rollcall_monitor_last_success_timestamp_seconds{application="prod",monitor="broken"}', null],
    ['rollcall_monitor_last_report_timestamp_seconds{application="prod",monitor="broken"}', NOON / SECOND + 90],
    ['rollcall_monitor_last_run_duration_seconds{application="prod",monitor="backup"}', 90],
    ['rollcall_monitor_next_slot_timestamp_seconds{application="prod",monitor="backup"}', NOON / SECOND + 86_400],
    ['rollcall_delivery_attempts_total{destination="hook",outcome="given_up"}', 1],
    ['rollcall_deliveries_waiting{destination="hook"}', 1],
    ['rollcall_destination_failing{destination="hook"}', 0],
    ["rollcall_ready", 1],
    ["rollcall_last_tick_timestamp_seconds", NOON / SECOND + 120],
    ["rollcall_gaps_total", 0],
    ["rollcall_last_gap_timestamp_seconds", null],
    ["rollcall_last_backup_timestamp_seconds", null],
    ['rollcall_self_pings_total{outcome="withheld"}', 2],
    ["rollcall_last_self_ping_timestamp_seconds", NOON / SECOND],
    ["rollcall_connections_closed_total", 3],
    ['rollcall_build_info{version="1.2.3"}', 1],
    ['rollcall_zone_rules_info{version="2026f",origin="/usr/share/zoneinfo"}', 1],
    ["process_open_fds", 20],
    ["process_start_time_seconds", NOON / SECOND],
  ])("%s is %p", (series, value) => expect(valueIn(text, series)).toBe(value));

  test("R33: refusals are counted by their code", async () => {
    const series = 'rollcall_refusals_total{code="AUTHENTICATION_REQUIRED"}';
    const before = valueIn(text, series)!;
    expect(before).toBeGreaterThan(0);
    await fetch(served.url.replace("/metrics", "/api/v1/ping/job/ck_app_prod_wrong"));
    expect(valueIn(await (await fetch(served.url)).text(), series)).toBe(before + 1);
  });

  test("a gap is counted over restarts, with how long it was", async () => {
    using stalled = openService();
    stalled.look(NOON);
    stalled.standStill(40 * SECOND);
    stalled.look(stalled.now + SECOND);
    stalled.restart();
    await using its = serve(stalled.engine);
    const seen = await (await fetch(its.url)).text();
    expect(valueIn(seen, "rollcall_gaps_total")).toBeGreaterThan(0);
    expect(valueIn(seen, "rollcall_last_gap_duration_seconds")).toBeGreaterThanOrEqual(39);
  });

  test("each metric of the table is served, and no other", () => {
    const served = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({ name: name!, type: type! }));
    const rest = FAMILIES.filter(({ name }) => !/_last_(?:gap|backup)_/.test(name));
    expect(served).toEqual(rest.map(({ name, type }) => ({ name, type })));
  });

  test.skipIf(!isInstalled("promtool"))("promtool finds nothing wrong with it", async () => {
    const tool = Bun.spawn(["promtool", "check", "metrics"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    tool.stdin.write(text);
    await tool.stdin.end();
    const said = (await new Response(tool.stdout).text()) + (await new Response(tool.stderr).text());
    expect([await tool.exited, said]).toEqual([0, ""]);
  });
});

describe("with many monitors", () => {
  let service: Service;
  beforeAll(async () => {
    service = openService();
    const many = Array.from({ length: 1_004 }, (_, place) => `job-${String(place).padStart(4, "0")}`);
    await service.send(...many.map((monitorKey) => ping({ monitorKey, schedule: "0 12 * * *" })));
    await service.send(ping({ monitorKey: "zzz", schedule: "0 12 * * *", kind: "fail" }));
  });
  afterAll(() => service[Symbol.dispose]());

  test("1,000 have series of their own, those in trouble first; all are counted", async () => {
    await using served = serve(service.engine);
    const text = await (await fetch(served.url)).text();
    const own = text.split("\n").filter((line) => line.startsWith("rollcall_monitor_status{"));
    expect(own).toHaveLength(1_000);
    expect(own[0]).toBe('rollcall_monitor_status{application="prod",monitor="zzz",status="critical"} 1');
    expect(own[1]).toContain('"job-0000"');
    expect(own.at(-1)).toContain('"job-0998"');
    expect(valueIn(text, "rollcall_monitors_left_out")).toBe(5);
    expect(valueIn(text, 'rollcall_monitors{application="prod",status="healthy"}')).toBe(1_004);
  });

  test("they are read in pieces, and once for scrapes that come together", async () => {
    let readings = 0;
    let pieces = 0;
    const engine: Service["engine"] = {
      ...service.engine,
      views: {
        ...service.engine.views,
        *measures(most) {
          readings++;
          const work = service.engine.views.measures(most);
          for (let step = work.next(); ; step = work.next()) {
            pieces++;
            if (step.done) return step.value;
            yield;
          }
        },
      },
    };
    await using served = serve(engine);
    const texts = await Promise.all([1, 2, 3].map(async () => (await fetch(served.url)).text()));
    expect(new Set(texts.map((text) => valueIn(text, "rollcall_monitors_left_out")))).toEqual(new Set([5]));
    expect({ readings, pieces }).toEqual({ readings: 1, pieces: 8 });
  });

  test("they are read again only after twenty times as long as a reading takes", async () => {
    let readings = 0;
    let now = 0;
    const engine: Service["engine"] = {
      ...service.engine,
      views: {
        ...service.engine.views,
        *measures(most) {
          readings++;
          now += 100;
          return yield* service.engine.views.measures(most);
        },
      },
    };
    await using served = serve(engine, null, () => now);
    const readingsAfter = async (milliseconds: number): Promise<number> => {
      now += milliseconds;
      expect((await fetch(served.url)).status).toBe(200);
      return readings;
    };
    expect(await readingsAfter(0)).toBe(1);
    expect(await readingsAfter(1_999)).toBe(1);
    expect(await readingsAfter(1)).toBe(2);
  });
});

describe("docs/metrics.md", () => {
  const DOCUMENT = join(ROOT, "docs/metrics.md");
  const MARKER = /<!-- metrics -->\n(?:\n\|.*(?:\n\|.*)*\n)?/;

  test("lists each metric as it is served", () => {
    const rows = FAMILIES.map(({ name, type, labels = [], help }) => {
      const told = labels.map((label) => `\`${label}\``).join(", ");
      return `| \`${name}\` | ${type} |${told === "" ? "" : ` ${told}`} | ${help} |`;
    });
    const table = ["| Metric | Kind | Labels | What it tells |", "|---|---|---|---|", ...rows].join("\n");
    const found = readFileSync(DOCUMENT, "utf8");
    const wanted = found.replace(MARKER, `<!-- metrics -->\n\n${table}\n`);
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(DOCUMENT, wanted);
    else expect(found).toBe(wanted);
  });
});
