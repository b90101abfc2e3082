// Addresses of Healthchecks on the public server (R45): what its clients send, what they are answered, and that nobody
// learns from an answer which addresses there are.

import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { LogFields } from "../../src/domain/log.ts";
import { maskKeys } from "../../src/domain/output/secrets.ts";
import { policyWith } from "../support/engine.ts";
import { exchange } from "../support/http-client.ts";
import { until } from "../support/manual-time.ts";
import { asked, bind, PING_KEY, recorded, UUID } from "../support/old-addresses.ts";
import { NO_LIMITS } from "../support/public-server.ts";
import { granted, startService } from "../support/service.ts";

const OTHER = "ffffffff-5d2e-4c3b-9f4e-6a7b8c9d0e1f";
const MIB = 1024 * 1024;

const service = startService();
afterAll(() => service[Symbol.asyncDispose]());
const { origin, engine } = service;

/** A body that states no length. */
const streamOf = (text: string) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });

let count = 0;
/** A monitor with an address of each form; `paths`: where it is reported. */
function moved() {
  const number = String(++count).padStart(12, "0");
  const key = `moved-${count}`;
  const uuid = `0b6f3a1c-5d2e-4c3b-9f4e-${number}`;
  bind(service, uuid, key);
  bind(service, `/ping/${PING_KEY}/slug-${count}`, key);
  return {
    key,
    uuid,
    paths: [`/ping/${uuid}`, `/${uuid}`, `/ping/${PING_KEY}/slug-${count}`, `/${PING_KEY}/slug-${count}`],
  };
}

const runsOf = (key: string) =>
  granted(engine.operate("monitor show", { key }))
    .runs.map(({ runId, state }) => [runId, state])
    .toReversed();

describe("R45: an address of Healthchecks", () => {
  test("takes all that may follow it, by all its methods, in each of its forms", async () => {
    for (const method of ["GET", "HEAD", "POST", "PUT"])
      for (const place of [0, 1, 2, 3]) {
        const { key, paths } = moved();
        const path = origin + paths[place]!;
        for (const action of ["/start", "/log", "", "/0", "/001", "/255", "/fail"]) {
          const { status, text, headers } = await asked(path + action, { method });
          expect([method, path, action, status, text]).toEqual([
            method,
            path,
            action,
            200,
            method === "HEAD" ? "" : "OK",
          ]);
          expect(headers.get("content-type")).toStartWith("text/plain");
          expect(headers.get("cache-control")).toBe("no-store");
          expect(headers.get("access-control-allow-origin")).toBe("*");
        }
        expect(recorded(service, key)).toEqual([
          ["start", null],
          ["log", null],
          ["heartbeat", null],
          ["heartbeat", null],
          ["fail", "exit status 1"],
          ["fail", "exit status 255"],
          ["fail", null],
        ]);
      }
  });

  test("is one with a slash at its end, and with capital letters", async () => {
    const { key, uuid } = moved();
    for (const path of [`/ping/${uuid}/`, `/ping/${uuid}/fail/`, `/ping/${uuid.toUpperCase()}`, `/${uuid}/`])
      expect((await asked(origin + path)).status).toBe(200);
    expect(recorded(service, key).map(([kind]) => kind)).toEqual(["heartbeat", "fail", "heartbeat", "heartbeat"]);
  });

  test("works from the moment when it is added", async () => {
    await using other = startService();
    expect((await asked(`${other.origin}/ping/${UUID}`)).status).toBe(401);
    bind(other, UUID, "job");
    expect((await asked(`${other.origin}/ping/${UUID}`)).status).toBe(200);
  });

  test("may have a slug that is an operation of ours, and comes with credentials that are none", async () => {
    bind(service, `/ping/${PING_KEY}/start`, "slug-start");
    const headers = { authorization: "Basic bm9ib2R5OnNlY3JldA==" };
    for (const action of ["", "/start", "/fail", "/log", "/7"])
      expect((await asked(`${origin}/ping/${PING_KEY}/start${action}`, { headers })).status).toBe(200);
    expect(recorded(service, "slug-start").map(([kind]) => kind)).toEqual([
      "heartbeat",
      "start",
      "fail",
      "log",
      "fail",
    ]);
  });

  test("pairs runs by rid; its own and ours of another name are ignored", async () => {
    const { key, uuid } = moved();
    const [one, two] = ["4d3b3e1e-1f0c-4b1c-9f8e-0d6c2a1b7e51", "9c2f6a55-30a7-4d0b-8c64-6f5f0a3f1d20"];
    for (const path of [`/start?rid=${one}`, `/start?rid=${two}&run_id=x&create=1&schedule=nonsense`, `?rid=${one}`])
      expect((await asked(`${origin}/ping/${uuid}${path}`)).status).toBe(200);
    expect(runsOf(key)).toEqual([
      [one, "ended"],
      [two, "open"],
    ]);
  });

  test("takes what is posted, of any size, also in chunks: a failure with a whole log is no lost one", async () => {
    const { key, paths } = moved();
    for (const path of paths)
      for (const size of [1_000, 8 * MIB])
        for (const body of ["x".repeat(size), streamOf("x".repeat(size))])
          expect((await asked(`${origin}${path}/fail`, { method: "POST", body })).status).toBe(200);
    expect(recorded(service, key).map(([kind]) => kind)).toEqual(Array.from({ length: 16 }, () => "fail"));
  });

  test("R45: the last line of what borgmatic posts of a failure is its message", async () => {
    const log =
      "nas.yaml: Error running actions for repository\nssh://nas/./borg: Connection refused, password=hunter2\n";
    const { key, paths } = moved();
    for (const action of ["/fail", "/2", "/log", ""])
      await asked(`${origin}${paths[0]}${action}`, { method: "POST", body: log });
    const said = "ssh://nas/./borg: Connection refused, password=***";
    expect(recorded(service, key)).toEqual([
      ["fail", said],
      ["fail", `exit status 2: ${said}`],
      ["log", null],
      ["heartbeat", null],
    ]);
  });

  test("the contract's own paths take no more than before", async () => {
    await using own = startService();
    const path = `${own.origin}/ping/job/${own.keys.all}/fail?schedule=0%203%20*%20*%20*`;
    expect((await asked(path, { method: "POST", body: "x".repeat(MIB + 1) })).status).toBe(413);
  });

  test.each([
    ["/256", "GET", 400],
    ["/999999999", "GET", 400],
    [`?rid=${"r".repeat(201)}`, "GET", 400],
    ["?rid=%ff", "GET", 400],
    [`?${"a=1&".repeat(200)}`, "GET", 400],
    ["", "DELETE", 405],
  ])("refuses %p by %s with %i, and records nothing", async (suffix, method, status) => {
    const { key, uuid } = moved();
    const answer = await asked(`${origin}/ping/${uuid}${suffix}`, { method });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ error: expect.any(String), message: expect.any(String) });
    expect(recorded(service, key)).toEqual([]);
  });

  test("is not reported by a prefetch", async () => {
    const { key, uuid } = moved();
    const headers = { "sec-purpose": "prefetch" };
    for (const path of [`/ping/${uuid}`, `/${uuid}`])
      expect((await asked(origin + path, { headers })).status).toBe(403);
    expect(recorded(service, key)).toEqual([]);
  });

  test("whose monitor is deleted is 404, and people are told of the lost reports", async () => {
    const { key, uuid } = moved();
    granted(engine.operate("monitor delete", { key }));
    const answer = await asked(`${origin}/ping/${uuid}`);
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([404, "MONITOR_NOT_FOUND"]);
    await new Promise((resolve) => setImmediate(resolve));
    const refused = granted(engine.operate("monitor refused", { monitor: key }));
    expect(refused.refused).toMatchObject([{ monitorKey: key, error: "MONITOR_NOT_FOUND", report: "heartbeat" }]);
  });

  test("of a suspended application is 403", async () => {
    await using other = startService();
    bind(other, UUID, "job");
    granted(other.engine.operate("app suspend", { slug: "prod" }));
    for (const path of [`/ping/${UUID}`, `/${UUID}`]) expect((await asked(other.origin + path)).status).toBe(403);
    granted(other.engine.operate("app resume", { slug: "prod" }));
    expect((await asked(`${other.origin}/ping/${UUID}`)).status).toBe(200);
  });

  test("remembers when, from where and by what it was used", async () => {
    const { key, uuid } = moved();
    await asked(`${origin}/ping/${uuid}`, { headers: { "user-agent": "borgmatic/1.7" } });
    const [listed] = granted(engine.operate("address list", { monitor: key })).addresses;
    expect(listed!.lastUsedAt).toBeGreaterThan(Date.now() - 60_000);
    expect(granted(engine.operate("key list", {})).keys.every(({ lastUsedAt }) => lastUsedAt === null)).toBe(true);
  });
});

describe("what is no address", () => {
  /** As the server answers where there is none at all. */
  const WITHOUT = startService();
  afterAll(() => WITHOUT[Symbol.asyncDispose]());

  const { uuid } = moved();
  const revoked = moved();
  for (const { id } of granted(engine.operate("address list", { monitor: revoked.key })).addresses)
    granted(engine.operate("address revoke", { id }));

  const HEADERS: readonly Record<string, string>[] = [{}, { authorization: "Bearer ck_app_prod_nobody" }];
  const PATHS = [
    `/ping/${OTHER}`,
    `/ping/${OTHER}/start`,
    `/ping/${OTHER}/7`,
    `/ping/${OTHER}/256`,
    `/ping/${uuid}/complete`,
    `/ping/${uuid}/start/start`,
    `/ping/${uuid}/-1`,
    `/ping/${uuid}x`,
    `/ping/${PING_KEY}`,
    `/ping/${PING_KEY}/nobody`,
    `/ping/${PING_KEY}/nobody?create=1`,
    `/ping/${PING_KEY}/nobody/fail`,
    `/ping/${PING_KEY}/slug-1/fail/fail`,
    `/api/v1/ping/${uuid}`,
    `/api/v1/ping/${PING_KEY}/slug-1`,
    `/${OTHER}`,
    `/${PING_KEY}/nobody`,
    `/ping/${revoked.uuid}`,
    `/${revoked.uuid}`,
    `/ping/${revoked.uuid}/log`,
    `/ping/${PING_KEY}/slug-${count}`,
  ];

  test.each(PATHS)("%s is answered as if there were none, to the byte", async (path) => {
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
      for (const headers of HEADERS) {
        const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const request = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${head.join("")}\r\n`;
        const strip = (answer: string) => answer.replace(/Date: .+\r\n/, "");
        const [here, there] = await Promise.all([exchange(service.port, request), exchange(WITHOUT.port, request)]);
        expect(strip(here)).toBe(strip(there));
        expect(here).toMatch(/^HTTP\/1\.1 40[145] /);
      }
  });

  test("a live key goes before an address: its monitor is the path's", async () => {
    const { status, text } = await asked(`${origin}/ping/${uuid}`, {
      headers: { authorization: `Bearer ${service.keys.all}` },
    });
    expect([status, JSON.parse(text).error]).toEqual([404, "MONITOR_NOT_FOUND"]);
  });
});

describe("limits and the log", () => {
  test("each address has the aliases' limit by itself; what is refused shows life", async () => {
    await using limited = startService({ limits: { ...NO_LIMITS, aliasPerMinute: 2 } });
    bind(limited, UUID, "job");
    bind(limited, OTHER, "other");
    const statuses = async (uuid: string) =>
      [
        await asked(`${limited.origin}/ping/${uuid}`),
        await asked(`${limited.origin}/${uuid}/start`),
        await asked(`${limited.origin}/ping/${uuid}/fail`),
      ].map(({ status }) => status);
    expect(await statuses(UUID)).toEqual([200, 200, 429]);
    expect(await statuses(OTHER)).toEqual([200, 200, 429]);
    expect((await asked(`${limited.origin}/ping/job/${limited.keys.all}`)).status).toBe(200);
    expect(recorded(limited, "job").map(([kind]) => kind)).toEqual(["heartbeat", "start", "heartbeat"]);
  });

  test("a revoked one is named in the log by its number, and no line has an address", async () => {
    const lines: { readonly event: string; readonly fields: LogFields | undefined }[] = [];
    await using logging = startService({ log: (_, event, fields) => void lines.push({ event, fields }) });
    const id = bind(logging, UUID, "job");
    const pushed = bind(logging, "/api/push/Wd4Kq8Zt1x", "job");
    for (const one of [id, pushed]) granted(logging.engine.operate("address revoke", { id: one }));
    for (const path of [`/ping/${UUID}/start`, `/${UUID}`, "/api/push/Wd4Kq8Zt1x?status=up"])
      await asked(logging.origin + path);
    const ended = lines.filter(({ event }) => event === "revoked_key_used");
    expect(ended.map(({ fields }) => fields?.["key"])).toEqual([id, pushed]);
    expect(JSON.stringify(lines)).not.toMatch(/6a7b8c9d|Wd4Kq8Zt1x/);
  });

  test("text that repeats an address is masked", () => {
    for (const [text, masked] of [
      [
        `curl: (22) https://hc.example.org/ping/${UUID}/fail 500`,
        "curl: (22) https://hc.example.org/ping/***/fail 500",
      ],
      [`/ping/${PING_KEY}/nightly?create=1`, "/ping/***/nightly?create=1"],
      ["https://kuma/api/push/Wd4Kq8Zt1x?status=up", "https://kuma/api/push/***?status=up"],
      [`run ${UUID}`, `run ${UUID}`],
      ["/ping/backup/start", "/ping/backup/start"],
      // Of every length that a ping key may have, also alone; made of small letters and digits, or of all.
      ["/ping/fqood6f4mmnucenz/nightly", "/ping/***/nightly"],
      [`/ping/${"Zq3x_W9k".repeat(16)}/nightly`, "/ping/***/nightly"],
      ["https://hc-ping.com/fqood6f4mmnucenztu01wx/nightly/start", "https://hc-ping.com/***/nightly/start"],
      ["posted to /ping/fqood6f4mmnucenztu01wxy7", "posted to /ping/***"],
      // Names of monitors are no keys, of whatever length.
      ["/ping/nightly-backup-of-prod/start", "/ping/nightly-backup-of-prod/start"],
      ["/api/v1/ping/db01_Weekly-VACUUM-2026", "/api/v1/ping/db01_Weekly-VACUUM-2026"],
      ["/ping/fqood6f4mmnucenztu01wx/ck_app_prod_secret/fail", "/ping/fqood6f4mmnucenztu01wx/ck_app_***/fail"],
    ] as const)
      expect(maskKeys(text)).toBe(masked);
  });
});

describe("R46: where output is kept", () => {
  const keeping = startService({}, policyWith({ prod: { keepOutput: true, mask: ["customer \\d+"] } }));
  afterAll(() => keeping[Symbol.asyncDispose]());
  const output = "first\nof customer 4711\nlast";
  const shownOf = (key: string) => {
    const { pings, lastOutput } = granted(keeping.engine.operate("monitor show", { key }));
    return [pings[0]?.message, lastOutput?.text ?? null];
  };

  test("the body of a failure is the job's, of whatever type", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", ""]) {
      const key = `kept-${++count}`;
      const uuid = `0b6f3a1c-5d2e-4c3b-9f4e-${String(count).padStart(12, "0")}`;
      bind(keeping, uuid, key);
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      const path = `${keeping.origin}/ping/${uuid}`;
      await asked(path, { method: "POST", body: output, headers });
      expect(shownOf(key)).toEqual([null, null]);
      await asked(`${path}/3`, { method: "POST", body: output, headers });
      expect(shownOf(key)).toEqual(["exit status 3: last", "first\nof ***\nlast"]);
      await asked(`${path}/fail`, { method: "POST", body: "only customer 1", headers });
      expect(shownOf(key)).toEqual(["only ***", "first\nof ***\nlast"]);
    }
  });

  /** What is shown of a failure with this body, of a new monitor. */
  async function shownAfter(body: NonNullable<BunFetchRequestInit["body"]>, type = "") {
    const key = `kept-${++count}`;
    const uuid = `0b6f3a1c-5d2e-4c3b-9f4e-${String(count).padStart(12, "0")}`;
    bind(keeping, uuid, key);
    const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
    const { status } = await asked(`${keeping.origin}/ping/${uuid}/fail`, { method: "POST", body, headers });
    return [status, ...shownOf(key)];
  }

  test("of a log of many MiB the end is kept, whether or not its length is stated", async () => {
    const log = `${"a line of the log\n".repeat(500_000)}disk full`;
    for (const body of [log, streamOf(log)]) {
      const [status, message, kept] = await shownAfter(body);
      expect([status, message]).toEqual([200, "disk full"]);
      expect(kept).toStartWith("…\na line of the log\n");
      expect(kept).toEndWith("\ndisk full");
    }
  });

  test("a log that never ends counts all the same", async () => {
    const piece = new TextEncoder().encode("a line of the log\n".repeat(60_000));
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
    expect((await shownAfter(endless))[0]).toBe(200);
  });

  test("a log that breaks off behind its first MiB counts; one that breaks off before it does not", async () => {
    const broken = "0b6f3a1c-5d2e-4c3b-9f4e-eeeeeeeeeeee";
    bind(keeping, broken, "broken");
    const send = async (bytes: number) => {
      const socket = connect(Number(new URL(keeping.origin).port), "127.0.0.1");
      socket.on("error", () => {});
      const head = `POST /ping/${broken}/fail HTTP/1.1\r\nHost: x\r\nContent-Length: ${64 * MIB}\r\n\r\n`;
      await new Promise<void>((sent) => socket.write(`${head}${`line ${bytes}\n`.repeat(bytes / 8)}`, () => sent()));
      socket.end();
    };
    await send(8_000);
    await send(2 * MIB);
    await until(() => recorded(keeping, "broken").length > 0);
    expect(recorded(keeping, "broken")).toEqual([["fail", `line ${2 * MIB}`]]);
  });

  test("a form of several parts and bytes that are no text are neither message nor output", async () => {
    const form = new FormData();
    form.set("log", "last line");
    expect(await shownAfter(form)).toEqual([200, null, null]);
    expect(await shownAfter("--x\r\n\r\nlast line\r\n--x--", "Multipart/Mixed; boundary=x")).toEqual([200, null, null]);
    const packed = Bun.gzipSync(new TextEncoder().encode("line\n".repeat(100)));
    for (const bytes of [packed, packed.filter((byte) => byte !== 0), Buffer.from("last line", "utf16le")])
      expect(await shownAfter(bytes)).toEqual([200, null, null]);
    expect(await shownAfter(Buffer.from("Platte überfüllt", "latin1"))).toEqual([
      200,
      "Platte \uFFFDberf\uFFFDllt",
      null,
    ]);
  });

  test("what Uptime Kuma's clients say is hidden in part", async () => {
    bind(keeping, "/api/push/aB3dE5gH7j", "kuma");
    await asked(`${keeping.origin}/api/push/aB3dE5gH7j?status=down&msg=customer+4711+failed`);
    expect(shownOf("kuma")).toEqual(["*** failed", null]);
  });
});

describe("R45: ?create=1 at a ping key that may create monitors", () => {
  const PLACE = `/ping/${PING_KEY}`;

  function creating(prefix: string | null = "hosts-") {
    const made = startService();
    const id = granted(made.engine.operate("address add", { address: PLACE, prefix })).id;
    const at = (path: string, init: BunFetchRequestInit = {}) => asked(made.origin + path, init);
    return { ...made, id, at, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
  }

  const settingsOf = (made: ReturnType<typeof creating>, key: string) => {
    const { everySeconds, graceSeconds, schedule } = granted(made.engine.operate("monitor show", { key })).settings;
    return [schedule.value, everySeconds.value, graceSeconds.value];
  };

  test("creates one that must report once a day, with an address that is listed, and works by itself from then on", async () => {
    await using made = creating();
    const first = await made.at(`${PLACE}/nightly/start?create=1&rid=a`, { method: "POST", body: "log" });
    expect([first.status, first.text]).toEqual([201, "Created"]);
    expect(settingsOf(made, "hosts-nightly")).toEqual([null, 86_400, 3_600]);
    const second = await made.at(`${PLACE}/nightly?create=1&rid=a`);
    expect([second.status, second.text]).toEqual([200, "OK"]);
    expect(recorded(made, "hosts-nightly").map(([kind]) => kind)).toEqual(["start", "heartbeat"]);
    expect(granted(made.engine.operate("address list", { monitor: "hosts-nightly" })).addresses).toMatchObject([
      { convention: "healthchecks-slug", address: "/ping/…01wx/nightly", revokedAt: null },
    ]);
    granted(made.engine.operate("address revoke", { id: made.id }));
    expect((await made.at(`${PLACE}/nightly/fail`)).status).toBe(200);
    expect((await made.at(`${PLACE}/other?create=1`)).status).toBe(401);
  });

  test("works without /ping, by HEAD, and with no prefix; twice at once it creates one", async () => {
    await using made = creating(null);
    expect((await made.at(`/${PING_KEY}/bare?create=1`, { method: "HEAD" })).status).toBe(201);
    const both = await Promise.all([1, 2].map(() => made.at(`${PLACE}/twice?create=1`)));
    expect(both.every(({ status }) => status === 200 || status === 201)).toBe(true);
    expect(granted(made.engine.operate("monitor list", {})).monitors.map(({ key }) => key)).toEqual(["bare", "twice"]);
    expect(granted(made.engine.operate("address list", {})).addresses).toHaveLength(3);
  });

  test("leaves the settings of a monitor that exists as they are", async () => {
    await using made = creating();
    bind(made, `${PLACE}/known`, "known");
    for (const path of ["/known?create=1", "/known/start?create=1"])
      expect((await made.at(PLACE + path)).text).toBe("OK");
    expect(settingsOf(made, "known")).toEqual(["0 3 * * *", null, 60]);
  });

  test("creates again what was deleted, and nothing without create=1, by /log or at an address that was revoked", async () => {
    await using made = creating();
    for (const path of ["/new", "/new?create=0", "/new?create", "/new?create=11"])
      expect((await made.at(PLACE + path)).status).toBe(401);
    expect((await made.at(`${PLACE}/new/log?create=1`)).status).toBe(404);
    expect((await made.at(`${PLACE}/new?create=1`)).status).toBe(201);
    granted(made.engine.operate("monitor delete", { key: "hosts-new" }));
    expect((await made.at(`${PLACE}/new`)).status).toBe(404);
    expect((await made.at(`${PLACE}/new?create=1`)).status).toBe(201);
    const { id } = granted(made.engine.operate("address list", { monitor: "hosts-new" })).addresses[0]!;
    granted(made.engine.operate("address revoke", { id }));
    expect((await made.at(`${PLACE}/new?create=1`)).status).toBe(401);
  });

  test("is refused for a key that is too long, and in a suspended application", async () => {
    await using made = creating("p".repeat(150));
    expect((await made.at(`${PLACE}/${"s".repeat(51)}?create=1`)).status).toBe(400);
    granted(made.engine.operate("app suspend", { slug: "prod" }));
    expect((await made.at(`${PLACE}/x?create=1`)).status).toBe(403);
    expect(granted(made.engine.operate("monitor list", {})).monitors).toEqual([]);
  });

  test("of another application does not create what this address reported", async () => {
    await using made = creating();
    granted(made.engine.operate("app create", { slug: "other" }));
    granted(made.engine.operate("monitor create", { application: "other", key: "far", schedule: "0 3 * * *" }));
    granted(made.engine.operate("address add", { address: `${PLACE}/far`, key: "far" }));
    granted(made.engine.operate("monitor delete", { key: "far" }));
    expect((await made.at(`${PLACE}/far?create=1`)).status).toBe(404);
  });
});
