// R33: every report with a live key that is refused because something is wrong with it leaves a trace, and one refused
// for another reason leaves none. By requests over HTTP, in both versions.

import { describe, expect, test } from "bun:test";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import { policyWith } from "../support/engine.ts";
import { granted } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const NIGHTLY = "schedule=0+2+*+*+*";

/** What is listed, once everything that waits has been written; and forgotten by the next. */
function refused({ instance, engine }: WatchedService) {
  instance.endTurns();
  const list = granted(engine.operate("monitor refused", { application: "prod", limit: 100 }));
  instance.store.database.run("delete from refused_reports");
  return list.refused.map(({ monitorKey, report, error, reason }) => [monitorKey, report, error, reason]);
}

describe.each(VERSIONS)("$title", ({ root }) => {
  const open = (policy = policyWith({ prod: { maxActiveMonitors: 1 } })): WatchedService =>
    watchService("09:59:00", policy, root);

  test("R33, R3: a revoked key that is still used is listed and told, though the monitor has another", async () => {
    await using service = open();
    const report = (key: string) => service.ask(`${root}/ping/job/${key}?${NIGHTLY}`);
    const { id, key: old } = granted(service.engine.operate("key create", { application: "prod" }));
    expect((await report(old)).status).toBe(200);
    granted(service.engine.operate("key revoke", { id }));
    for (let times = 0; times < 25; times++) {
      expect((await report(old)).status).toBe(401);
      expect((await report(service.key)).status).toBe(200);
      service.instance.look(service.instance.now + 3 * SECOND);
    }
    service.instance.look(service.instance.now + MINUTE);
    const notices = service.instance.store.database
      .query<{ data: string }, []>("select data from alerts where incident_id is null")
      .all()
      .map(({ data }) => JSON.parse(data).notice);
    expect(notices).toMatchObject([
      {
        kind: "refused",
        failingTotal: 0,
        monitors: [{ monitorKey: "job", watched: true, refused: [{ report: "heartbeat" }] }],
      },
    ]);
    expect(notices[0].monitors[0].refused[0].reason).toStartWith(`key: number ${id} was revoked`);
    expect(refused(service).map(([monitor, , error]) => [monitor, error])).toEqual([
      ["job", "AUTHENTICATION_REQUIRED"],
    ]);
    granted(service.engine.operate("app suspend", { slug: "prod" }));
    expect((await report(old)).status).toBe(401);
    expect(refused(service)).toEqual([]);
  });

  test("R33: a wrong schedule, parameter, monitor, path, body or scope, and no room in the plan, are all listed", async () => {
    await using service = open();
    const { key } = service;
    const about = (path: string, init?: BunFetchRequestInit) => service.ask(`${root}/ping/${path}`, init);
    const cases: [status: number, path: string, listed: unknown[], init?: BunFetchRequestInit][] = [
      [400, `new/${key}?schedule=0+4+*+*+7`, ["new", "heartbeat", "INVALID_SCHEDULE", expect.stringContaining("7")]],
      [
        400,
        `newer/${key}/fail?schedule=0`,
        ["newer", "fail", "INVALID_SCHEDULE", expect.stringMatching(/^schedule: /)],
      ],
      [404, `jbo/${key}`, ["jbo", "heartbeat", "MONITOR_NOT_FOUND", expect.stringContaining('"jbo"')]],
      [400, `job/${key}/start?attempt=x`, ["job", "start", "INVALID_REQUEST", expect.stringMatching(/^attempt: /)]],
      [402, `more/${key}?${NIGHTLY}`, ["more", "heartbeat", "PLAN_LIMIT_REACHED", expect.any(String)]],
      [
        404,
        `job/${key}/finish`,
        ["job", null, "NOT_FOUND", expect.stringMatching(/ and behind it start, .* \(job\/ck_app_\*\*\*\/finish\)$/)],
      ],
      [400, `a%00b/${key}`, ["", null, "INVALID_REQUEST", expect.stringMatching(/^monitor_key: /)]],
      [
        413,
        `job/${key}/fail`,
        ["job", "fail", "PAYLOAD_TOO_LARGE", expect.any(String)],
        { method: "POST", body: "x".repeat(1024 * 1024 + 1) },
      ],
      [
        400,
        `job/${key}/complete`,
        ["job", "complete", "INVALID_REQUEST", expect.stringMatching(/^outcomes/)],
        { method: "POST", body: '{"outcomes":7}', headers: { "content-type": "application/json" } },
      ],
    ];
    await about(`job/${key}?${NIGHTLY}`);
    expect(refused(service)).toEqual([]);
    for (const [status, path, listed, init] of cases) {
      expect([path, (await about(path, init)).status]).toEqual([path, status]);
      expect({ path, refused: refused(service) }).toEqual({ path, refused: [listed as string[]] });
    }
    const { key: syncOnly } = granted(service.engine.operate("key create", { application: "prod", scope: "sync" }));
    expect((await about(`job/${syncOnly}`)).status).toBe(403);
    expect(refused(service)).toEqual([["job", "heartbeat", "ACCESS_DENIED", expect.stringContaining('"sync"')]]);
    const headers = { authorization: `Basic ${btoa(`${key}:`)}` };
    expect((await about("else/finish", { headers })).status).toBe(404);
    expect(refused(service)).toEqual([["else", null, "NOT_FOUND", expect.any(String)]]);
  });

  test("R33: what is no report, has no live key or is accepted leaves none", async () => {
    await using service = open();
    const { key } = service;
    const paths = [
      `job/${key}?${NIGHTLY}`,
      "job/ck_app_prod_wrong",
      "job/ck_app_prod_wrong/finish",
      "job/finish",
      "job",
    ];
    for (const path of paths) await service.ask(`${root}/ping/${path}`);
    await service.ask(`${root}/ping/job/${key}/finish`, { method: "DELETE" });
    await service.ask(`${root}/ping/job/${key}`, { method: "DELETE" });
    await service.ask(`${root}/ping/job/${key}`, { headers: { purpose: "prefetch" } });
    expect(refused(service)).toEqual([]);
  });

  test("R33: a job whose schedule became wrong: the miss names the report and its fault", async () => {
    await using service = open();
    await service.report("10:00:00", "?schedule=0+*+*+*+*");
    expect((await service.report("11:00:01", "?schedule=0+*+*+*+7")).status).toBe(400);
    service.instance.endTurns();
    service.at("11:01:05");
    expect(service.news()).toEqual(["11:01:05 InitialFailure missed"]);
    const { data } = service.instance.store.database.query<{ data: string }, []>("select data from alerts").get()!;
    expect(alertDataFrom(data)!.refusedReport).toMatchObject({ report: "heartbeat", error: "INVALID_SCHEDULE" });
  });
});
