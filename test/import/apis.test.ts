// What Healthchecks, Cronitor and services of this contract tell over HTTP, and what goes wrong on the way.

import { afterEach, describe, expect, test } from "bun:test";
import type { RemoteApi } from "../../src/import/ask.ts";
import { askCronitor, cronitorIn } from "../../src/import/cronitor.ts";
import { askHealthchecks, healthchecksIn } from "../../src/import/healthchecks-api.ts";
import { planImport } from "../../src/import/import-plan.ts";
import type { ImportSource } from "../../src/import/imported-check.ts";
import { askSyncStatus, syncStatusIn } from "../../src/import/sync-status.ts";
import { createCertificate } from "../support/certificate.ts";

const KEY = "the-key-of-the-other-service";
const running: Bun.Server<undefined>[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(true);
});

type Answer = (request: Request, path: string) => Response;

function serve(answer: Answer, tls?: { key: string; cert: string }): string {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...(tls === undefined ? {} : { tls }),
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      return answer(request, pathname + search);
    },
  });
  running.push(server);
  return `${tls === undefined ? "http" : "https"}://127.0.0.1:${server.port}`;
}

const remoteApiOf = (url: string, more: Partial<RemoteApi> = {}): RemoteApi => ({
  url,
  key: KEY,
  authority: null,
  environment: {},
  progress: () => {},
  ...more,
});

const planOf = (source: ImportSource) =>
  planImport(source, { prefix: "", timezone: null, isPaused: false, only: null, skip: [] });
const notFound = (): Response => new Response("no", { status: 404 });

const UUID = "31365bce-8da9-4729-8ff3-aaa71d56b712";
const CHECKS = {
  checks: [
    {
      name: "Filesystem Backup",
      slug: "filesystem-backup",
      tags: "backup fs",
      desc: "",
      grace: 600,
      status: "up",
      methods: "",
      manual_resume: false,
      ping_url: `https://hc-ping.com/${UUID}`,
      channels: "c1,c2",
      timeout: 3_600,
    },
    {
      name: "Database",
      slug: "",
      filter_subject: true,
      failure_kw: "ERROR",
      grace: 1_200,
      status: "paused",
      unique_key: "124f983e0e3d",
      schedule: "15 5 * * *",
      tz: "UTC",
    },
    { name: "Calendar", slug: "calendar", grace: 60, status: "new", schedule: "Mon..Fri 09:30", tz: "Europe/Riga" },
  ],
};

describe("the API of Healthchecks", () => {
  const hc =
    (version: string): Answer =>
    (request, path) => {
      if (request.headers.get("x-api-key") !== KEY) return new Response("{}", { status: 401 });
      if (path === `/api/${version}/checks/`) return Response.json(CHECKS);
      if (path === `/api/${version}/channels/`)
        return Response.json({
          channels: [
            { id: "c1", name: "Ops", kind: "slack" },
            { id: "c2", name: "", kind: "email" },
          ],
        });
      return notFound();
    };

  test.each(["v1", "v2", "v3"])("of %s", async (version) => {
    const source = await askHealthchecks(remoteApiOf(serve(hc(version))));
    const { monitors, missed } = planOf(source);
    expect(monitors.map(({ check: _check, ...one }) => one)).toMatchObject([
      {
        key: "filesystem-backup",
        everySeconds: 3_600,
        graceSeconds: 600,
        addresses: [`/ping/${UUID}`],
        pausedBecause: null,
      },
      {
        key: "database",
        schedule: "15 5 * * *",
        timezone: "UTC",
        addresses: [],
        mailRule: "failure: ERROR; in: subject; else: ignore",
        pausedBecause: "paused at Healthchecks",
      },
      { key: "calendar", schedule: "30 9 * * 1-5", timezone: "Europe/Riga" },
    ]);
    expect(missed.find(({ what }) => what === "its address")?.keys).toEqual(["database", "calendar"]);
    expect(source.destinations).toMatchObject([
      { name: "ops", said: 'slack "Ops"', settings: null, line: "rollcall destination add ops slack url=-" },
      { name: "mail", said: "email", settings: null, why: "to: the API does not tell it; the database may" },
    ]);
    expect(source.checks.map(({ destinations }) => destinations.map(({ name }) => name))).toEqual([
      ["ops", "mail"],
      [],
      [],
    ]);
  });

  test.each([
    ["0 9-17 * * 1-5", "0 9-17 * * 1-5"],
    ["0 9-12,13-17 * * *", "0 9-12,13-17 * * *"],
    ["*/10 1-5 1-7 * *", "*/10 1-5 1-7 * *"],
    ["*-*-1..7 18:00 Europe/Riga", "0 18 1-7 * *"],
    ["hourly", "0 * * * *"],
    ["Mon 09:30 UTC\nTue 09:30 UTC", "30 9 * * 1,2"],
  ])("does not say which kind of schedule %p is", (schedule, meant) => {
    const { checks } = healthchecksIn({ checks: [{ ...CHECKS.checks[2], schedule }] }, [], "x");
    expect(checks[0]!.timing).toEqual({ kind: "schedule", schedule: meant });
  });

  test("says of which checks a posted text decides there, and not here", () => {
    const source = healthchecksIn({ checks: [{ ...CHECKS.checks[2], filter_http_body: true }] }, [], "x");
    expect(planOf(source).missed).toContainEqual({
      what: "keywords in what a report posts",
      instead: "nothing posted decides here: have the job report /fail or its exit status, or no failure is seen",
      details: [],
      keys: ["calendar"],
    });
  });

  test("of the version that the address names", async () => {
    const url = serve(hc("v2"));
    expect((await askHealthchecks(remoteApiOf(`${url}/api/v2`))).checks).toHaveLength(3);
    await expect(askHealthchecks(remoteApiOf(`${url}/api/v1`))).rejects.toThrow("has no API of Healthchecks");
  });

  test("a key that only reads is not told the integrations, and the checks come all the same", async () => {
    const url = serve((_, path) =>
      path.endsWith("/checks/") ? Response.json(CHECKS) : new Response("{}", { status: 403 }),
    );
    expect(await askHealthchecks(remoteApiOf(url))).toMatchObject({ checks: { length: 3 }, destinations: [] });
  });
});

describe("whatever goes wrong is said, without the key", () => {
  const refusals: readonly (readonly [string, Answer, string])[] = [
    ["a wrong key", () => new Response("{}", { status: 401 }), "refuses the key (401)"],
    [
      "a redirect",
      () => Response.redirect("https://elsewhere.example/x", 302),
      "sends us on to https://elsewhere.example/x",
    ],
    ["an error", () => new Response("no", { status: 500 }), "answered 500 to /api/v3/checks/"],
    ["a page", () => new Response("<html>"), "something that is no JSON object"],
    ["another JSON", () => Response.json({ data: [] }), 'has no list "checks"'],
    ["nothing there", () => notFound(), "has no API of Healthchecks: /api/v3, /api/v2, /api/v1 is not there"],
  ];
  test.each(refusals)("%s", async (_, answer, words) => {
    const url = serve(answer);
    const asked = askHealthchecks(remoteApiOf(url));
    await expect(asked).rejects.toThrow(words);
    await expect(asked).rejects.not.toThrow(KEY);
  });

  test("nobody listens", async () => {
    await expect(askCronitor(remoteApiOf("http://127.0.0.1:1"))).rejects.toThrow("http://127.0.0.1:1 gives no answer");
  });

  test("a certificate of an authority of one's own is believed only where it is named", async () => {
    const { key, certificate } = createCertificate();
    const url = serve(() => Response.json({ monitors: [] }), { key, cert: certificate });
    await expect(askSyncStatus(remoteApiOf(url))).rejects.toThrow("gives no answer");
    expect((await askSyncStatus(remoteApiOf(url, { authority: certificate }))).checks).toEqual([]);
  });
});

const BACKUP = {
  type: "job",
  key: "nightly-backup",
  name: "Nightly Backup",
  schedule: "0 2 * * *",
  timezone: "America/New_York",
  grace_seconds: 300,
  schedule_tolerance: 1,
  failure_tolerance: 2,
  passing: true,
  paused: false,
  notify: { alerts: ["devops"], events: {} },
  tags: ["prod"],
  group: "db",
  note: "see wiki",
  realert_interval: "every 8 hours",
  assertions: ["metric.duration < 15 min", "metric.error_count = 0"],
};

describe("Cronitor", () => {
  const kindsOf = (source: ImportSource) =>
    planOf(source).monitors.map(({ key, schedule, everySeconds, timezone, graceSeconds, maxRuntimeSeconds }) => [
      key,
      schedule ?? everySeconds,
      timezone,
      graceSeconds,
      maxRuntimeSeconds,
    ]);

  test("page by page, until all were read", async () => {
    const all = Array.from({ length: 120 }, (_, number) => ({ ...BACKUP, key: `job-${number}` }));
    const asked: string[] = [];
    const url = serve((request, path) => {
      if (request.headers.get("authorization") !== `Basic ${btoa(`${KEY}:`)}`) return new Response("", { status: 403 });
      asked.push(path);
      const page = Number(new URL(request.url).searchParams.get("page"));
      return Response.json({
        monitors: all.slice((page - 1) * 50, page * 50),
        page_size: 50,
        total_monitor_count: 120,
      });
    });
    expect((await askCronitor(remoteApiOf(`${url}/api`))).checks).toHaveLength(120);
    expect(asked).toEqual(["/api/monitors?page=1", "/api/monitors?page=2", "/api/monitors?page=3"]);
  });

  test("a job with everything: what fits, and what has no counterpart", () => {
    const source = cronitorIn({ monitors: [BACKUP] }, "x");
    expect(kindsOf(source)).toEqual([["nightly-backup", "0 2 * * *", "America/New_York", 300, 900]]);
    expect(source.checks[0]).toMatchObject({ alertAfterMisses: 2, alertAfterFailures: 3 });
    expect(source.checks[0]).toMatchObject({ labels: "prod", note: BACKUP.note });
    expect(planOf(source).missed.map(({ what }) => what)).toEqual([
      "group",
      "its own reminders",
      "tells",
      "assertions",
      "addresses at cronitor.link",
      "the history of reports",
    ]);
  });

  test("schedules as phrases, times and none; checks of servers are not imported", () => {
    const source = cronitorIn(
      [
        { type: "heartbeat", key: "a", schedule: "every 5 minutes" },
        { type: "job", key: "b", schedule: "at 02:30" },
        { type: "heartbeat", key: "c", paused: true },
        { type: "job", key: "d", schedules: ["0 1 * * *", "0 5 * * *"] },
        { type: "job", key: "e", schedule: "every fortnight" },
        { type: "job", key: "f", schedule: "0 1 * * *", timezone: "Mars/Base" },
        { type: "check", key: "g", name: "Homepage", schedule: "every 1 min" },
      ],
      "x",
    );
    expect(kindsOf(source)).toEqual([
      ["a", 300, null, 60, null],
      ["b", "30 2 * * *", null, 60, null],
      ["c", null, null, 60, null],
    ]);
    expect(planOf(source).monitors[2]!.pausedBecause).toBe("paused at Cronitor");
    expect(planOf(source).left.map(({ what, why }) => [what, why])).toEqual([
      ["d", "it has 2 schedules, and a monitor has one"],
      ["e", 'its interval "fortnight" cannot be read'],
      ["f", 'no zone "Mars/Base" is known'],
      ['"Homepage" (check)', "rollcall waits for reports and asks no server itself; a job may ask, and report"],
    ]);
  });

  test("its YAML, in groups by type", () => {
    const yaml =
      "jobs:\n  nightly:\n    schedule: 0 2 * * *\n    notify: [default]\nchecks:\n  home:\n    request: {url: x}\nheartbeats:\n  beat:\n    schedule: every 1 hour\n";
    const source = cronitorIn(Bun.YAML.parse(yaml), "x.yaml");
    expect(kindsOf(source)).toEqual([
      ["nightly", "0 2 * * *", null, 60, null],
      ["beat", 3_600, null, 60, null],
    ]);
    expect(() => cronitorIn({ a: 1 }, "x.yaml")).toThrow("x.yaml: has neither a list");
  });
});

test("Sync status: the monitors of sync status", async () => {
  const answer = {
    applicationId: "1",
    totalMonitors: 3,
    monitors: [
      { monitorKey: "backup", name: "Backup", schedule: "0 2 * * *", gracePeriod: 1_800, status: "healthy" },
      { monitorKey: "worker", name: "Worker", schedule: null, every: "90s", gracePeriod: 60, status: "paused" },
      { monitorKey: "odd", name: "Odd", schedule: null, gracePeriod: 60, status: "pending" },
    ],
  };
  const url = serve((request, path) =>
    path === "/api/v1/sync/status" && request.headers.get("authorization") === `Basic ${btoa(`${KEY}:`)}`
      ? Response.json(answer)
      : new Response("{}", { status: 401 }),
  );
  const source = await askSyncStatus(remoteApiOf(`${url}/api/v1`));
  const { monitors } = planImport(source, {
    prefix: "old-",
    timezone: "Europe/Berlin",
    isPaused: false,
    only: null,
    skip: [],
  });
  expect(monitors.map(({ check: _check, ...one }) => one)).toMatchObject([
    { key: "old-backup", schedule: "0 2 * * *", timezone: "Europe/Berlin", graceSeconds: 1_800, pausedBecause: null },
    { key: "old-worker", everySeconds: 90, timezone: null, pausedBecause: "paused at the other service" },
    { key: "old-odd", schedule: null, everySeconds: null },
  ]);
  const { left } = planOf(
    syncStatusIn({ monitors: [{ monitorKey: "a", schedule: "0 2 * * *", timezone: "Mars/Base" }] }, "x"),
  );
  expect(left).toMatchObject([{ what: "a", why: 'no zone "Mars/Base" is known' }]);
  expect(() => syncStatusIn({}, "x.json")).toThrow('x.json: has no list "monitors"');
});

test("R6: jobs report by the keys of sync status, so each is kept as it is", async () => {
  const keys = ["Backup", "backup", "nas/db", "Über mir"];
  const monitors = keys.map((monitorKey) => ({
    monitorKey,
    schedule: "0 2 * * *",
    gracePeriod: 60,
    status: "healthy",
  }));
  expect(planOf(syncStatusIn({ monitors }, "x.json")).monitors.map(({ key }) => key)).toEqual(keys);
});
