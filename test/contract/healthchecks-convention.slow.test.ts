// The convention of tools that know how to ping Healthchecks (R5, R9, R22): an address, and what they append to it.
// They speak over the wire; what became of it is read from the database of the executable, because they are told
// nothing.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loggedFactsIn } from "../../src/store/memory/state-log.ts";
import { firstKeyOf, openFolder, type Service } from "../support/executable.ts";
import { type Answer, ask, basic } from "../support/http-client.ts";
import { VERSIONS } from "../support/versions.ts";

setDefaultTimeout(120_000);

const MIB = 1024 * 1024;
/** What a tool attaches to its reports, such as the output of a backup. */
const LOG = "the-log-of-a-job ".repeat((900 * 1024) / 16);
/** Types whose body is read for the reason of a fail; this one is no JSON. */
const WORDS = new Set(["text/plain", "application/x-www-form-urlencoded"]);
/** With everything a tool may append. */
const SUFFIXES = ["", "/start", "/fail", "/log", "/0", "/1"];

const folder = openFolder();
afterAll(() => folder[Symbol.asyncDispose]());
let service: Service;
let key: string;
beforeAll(async () => {
  service = await folder.serve({ ROLLCALL_LIMITS__V1_PER_MINUTE: "0", ROLLCALL_LIMITS__V1_PER_HOUR: "0" });
  key = firstKeyOf(service);
});

describe.each(VERSIONS)("$title", ({ root, failedStatus }) => {
  let count = 0;

  /** A monitor that nobody has reported to, and the address that a tool gets. */
  async function createMonitor(): Promise<{ monitor: string; address: string }> {
    const monitor = `convention${root.replaceAll("/", "-")}-${++count}`;
    const created = await folder.run(["monitor", "create", monitor, "--schedule", "0 3 * * *"]);
    expect(created.exitCode).toBe(0);
    return { monitor, address: `${service.url}${root}/ping/${monitor}/${key}` };
  }

  const post = (url: string, body = "", type = "text/plain"): Promise<Answer> =>
    ask(url, { method: "POST", body, headers: { "content-type": type } });

  const OF_MONITOR = "WHERE monitor_id = (SELECT id FROM monitors WHERE key = ?)";
  const pingsOf = (monitor: string) =>
    folder.rows(`SELECT kind, message FROM pings ${OF_MONITOR} ORDER BY id`, monitor);
  const runsOf = (monitor: string) =>
    folder.rows(
      `SELECT run_id, state, ended_by AS end, duration_seconds AS duration FROM runs ${OF_MONITOR} ORDER BY id`,
      monitor,
    );

  test("R22: a plain success after /start closes the run, with its duration", async () => {
    const { monitor, address } = await createMonitor();
    expect((await post(`${address}/start`)).json).toMatchObject({ status: "started" });
    expect(runsOf(monitor)).toMatchObject([{ state: "open", end: null }]);
    expect((await post(address, LOG)).json).toMatchObject({ status: "ok" });
    expect(runsOf(monitor)).toEqual([{ run_id: null, state: "ended", end: "heartbeat", duration: expect.any(Number) }]);
  });

  test("R22: an exit status after /start closes the run, too, whichever it is", async () => {
    const { monitor, address } = await createMonitor();
    for (const status of ["/0", "/7"]) {
      await ask(`${address}/start`);
      await ask(address + status);
    }
    expect(runsOf(monitor)).toMatchObject([
      { state: "ended", end: "heartbeat", duration: expect.any(Number) },
      { state: "ended", end: "fail", duration: expect.any(Number) },
    ]);
  });

  test("R45: ?rid= is the run id: an end belongs to the start that it names", async () => {
    const { monitor, address } = await createMonitor();
    const [older, newer] = ["4d3b3e1e-1f0c-4b1c-9f8e-0d6c2a1b7e51", "9c2f6a55-30a7-4d0b-8c64-6f5f0a3f1d20"];
    await post(`${address}/start?rid=${older}`);
    await post(`${address}/start?rid=${newer}`);
    await post(`${address}?rid=${older}`);
    expect(runsOf(monitor)).toMatchObject([
      { run_id: older, state: "ended", end: "heartbeat" },
      { run_id: newer, state: "open", end: null },
    ]);
  });

  test("R45: run_id wins over ?rid=, and a rid is as long as a run_id", async () => {
    const { monitor, address } = await createMonitor();
    await post(`${address}/start?rid=other&run_id=named`);
    expect(runsOf(monitor)).toMatchObject([{ run_id: "named" }]);
    const refused = await post(`${address}/start?rid=${"r".repeat(201)}`);
    expect(refused).toMatchObject({ status: 400, json: { message: expect.stringMatching(/^rid: /) } });
    const { json } = await post(`${address}?rid=named`);
    expect((json as { warning: string | null }).warning ?? "").not.toContain("rid");
  });

  test("R7: with the key in a header ?rid= is no run_id, and the warning says so", async () => {
    const { monitor } = await createMonitor();
    const { json } = await ask(`${service.url}${root}/ping/${monitor}/start?rid=one`, { headers: basic(key) });
    expect(json).toMatchObject({ warning: expect.stringContaining('"rid"') });
    expect(runsOf(monitor)).toMatchObject([{ run_id: null }]);
  });

  test("R7: ?create=1 creates nothing: without a schedule a missing monitor is 404", async () => {
    const address = `${service.url}${root}/ping/nobody-made-it/${key}`;
    for (const suffix of SUFFIXES) expect((await post(`${address}${suffix}?create=1`)).status).toBe(404);
    expect(folder.rows("SELECT key FROM monitors WHERE key = 'nobody-made-it'")).toEqual([]);
  });

  test.each(["text/plain", "application/json", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
    "R9: of 900 KiB that are posted as %p no more is kept than the message of a fail",
    async (type) => {
      const { monitor, address } = await createMonitor();
      for (const suffix of SUFFIXES) expect((await post(address + suffix, LOG, type)).status).toBe(200);
      expect(pingsOf(monitor)).toEqual([
        { kind: "heartbeat", message: null },
        { kind: "start", message: null },
        { kind: "fail", message: WORDS.has(type) ? LOG.slice(0, 1_000) : null },
        { kind: "log", message: null },
        { kind: "heartbeat", message: null },
        { kind: "fail", message: "exit status 1" },
      ]);
      const files = readdirSync(join(folder.path, "data")).filter((name) => name.startsWith("rollcall.db"));
      const holding = files.filter((name) =>
        readFileSync(join(folder.path, "data", name)).includes(LOG.slice(0, 2_000)),
      );
      expect(files).toContain("rollcall.db");
      expect(holding).toEqual([]);
    },
  );

  test("R9: 1 MiB is taken; one byte more is 413, and the report is lost with it", async () => {
    const { monitor, address } = await createMonitor();
    for (const suffix of SUFFIXES) {
      const refused = await post(address + suffix, "x".repeat(MIB + 1));
      expect(refused).toMatchObject({ status: 413, json: { error: "PAYLOAD_TOO_LARGE" } });
    }
    expect(pingsOf(monitor)).toEqual([]);
    for (const suffix of SUFFIXES) expect((await post(address + suffix, "x".repeat(MIB))).status).toBe(200);
    expect(pingsOf(monitor)).toHaveLength(SUFFIXES.length);
  });

  test("R5: /log is answered, and changes nothing but the history", async () => {
    const { monitor, address } = await createMonitor();
    await post(`${address}/start`);
    const stateOf = () => {
      const [row] = folder.rows(
        "SELECT id, body FROM monitors, (SELECT body FROM state_log ORDER BY id DESC LIMIT 1) WHERE key = ?",
        monitor,
      );
      const { id, body } = row as { id: number; body: Uint8Array };
      const { changedAt: _, pingCount: __, lastPingId: ___, ...facts } = [...loggedFactsIn(body)].at(-1)!;
      expect(facts.monitorId).toBe(id);
      return facts;
    };
    const [before, runs] = [stateOf(), runsOf(monitor)];
    expect((await post(`${address}/log`, LOG)).json).toMatchObject({ status: "ok", monitor });
    expect(stateOf()).toEqual(before);
    expect(runsOf(monitor)).toEqual(runs);
    expect(pingsOf(monitor)).toEqual([
      { kind: "start", message: null },
      { kind: "log", message: null },
    ]);
  });

  test.each(["", "/"])("R5: exit statuses are 0 to 255, with %p behind them", async (slash) => {
    const { monitor, address } = await createMonitor();
    expect((await ask(`${address}/0${slash}`)).json).toMatchObject({ status: "ok" });
    for (const status of [1, 255]) {
      expect((await post(`${address}/${status}${slash}`)).json).toMatchObject({ status: failedStatus });
    }
    for (const status of ["256", "-1", "00"]) expect((await post(`${address}/${status}${slash}`)).status).toBe(404);
    expect(pingsOf(monitor)).toEqual([
      { kind: "heartbeat", message: null },
      { kind: "fail", message: "exit status 1" },
      { kind: "fail", message: "exit status 255" },
    ]);
  });

  test("R5: a slash at the end of an address does not matter", async () => {
    const { monitor, address } = await createMonitor();
    for (const suffix of ["/", "/start/", "/fail/", "/log/"]) expect((await post(address + suffix)).status).toBe(200);
    expect(pingsOf(monitor).map(({ kind }) => kind)).toEqual(["heartbeat", "start", "fail", "log"]);
  });

  test("R8: HEAD is 405 and records nothing; GET and POST do", async () => {
    const { monitor, address } = await createMonitor();
    for (const suffix of SUFFIXES) {
      const answer = await ask(address + suffix, { method: "HEAD" });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("GET, POST");
    }
    expect(pingsOf(monitor)).toEqual([]);
    for (const method of ["GET", "POST"]) {
      for (const suffix of SUFFIXES) expect((await ask(address + suffix, { method })).status).toBe(200);
    }
    expect(pingsOf(monitor)).toHaveLength(2 * SUFFIXES.length);
  });

  test("R5: a ping key before the monitor, as slugs have it, is 401", async () => {
    const { monitor } = await createMonitor();
    expect((await post(`${service.url}${root}/ping/${key}/${monitor}`)).status).toBe(401);
    expect(pingsOf(monitor)).toEqual([]);
  });
});
