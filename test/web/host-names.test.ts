// Under which names of its host people may look at rollcall: a page of another site can have its own name lead here.

import { describe, expect, test } from "bun:test";
import { createCertificate } from "../support/certificate.ts";
import { createRecordingEngine } from "../support/http-engine.ts";
import { PASSWORD, startPeople } from "../support/people-server.ts";
import { startPublicServer } from "../support/public-server.ts";
import { granted } from "../support/service.ts";

const HEADER = "Remote-User";
/** What a page in a browser on the host can send once its name leads there. */
const REBOUND = {
  host: "evil.example:8787",
  "remote-user": "Ada",
  "x-forwarded-for": "192.0.2.7",
  "x-forwarded-proto": "https",
  "sec-fetch-site": "same-origin",
};

const startAt = (ownHosts: readonly string[] = []) => startPeople({ ownHosts }, HEADER);

describe("R35: a page of another site whose name leads to this host", () => {
  test("sees no page and changes nothing, whomever it names", async () => {
    await using server = startAt();
    server.person("Ada", { role: "admin" });
    const browser = server.browser(REBOUND);
    for (const path of ["/", "/account", "/people", "/no-such-page", "/assets/none.css"]) {
      const { status, text } = await browser.get(path);
      expect([path, status, text.includes("server.host_names")]).toEqual([path, 400, true]);
      expect(text).not.toContain("Ada");
    }
    const made = await browser.post("/people", { name: "Eve", role: "admin", applications: "*" }, REBOUND);
    expect([made.status, server.service.store.people.count()]).toEqual([400, 1]);
  });

  test("hears of /readyz what everybody hears", async () => {
    const troubles = (audience = "operator") => [`told to ${audience}`];
    await using server = startPeople({ troubles } as object);
    const asked = async (headers: Record<string, string>) => (await server.browser(headers).get("/readyz")).text;
    expect(await asked({})).toContain("told to operator");
    expect(await asked({ host: "evil.example" })).toContain("told to anyone");
  });

  test("reports are taken under every name", async () => {
    const engine = createRecordingEngine();
    granted(engine.createApplication("prod"));
    const { key } = granted(engine.createKey("prod", "all", "k".repeat(32)));
    const server = startPublicServer(engine);
    const headers = { host: "evil.example" };
    const answer = await fetch(`${server.url}/api/v1/ping/job/${key}?schedule=0+3+*+*+*`, { headers });
    expect([answer.status, engine.pings.length]).toEqual([200, 1]);
    expect((await fetch(`${server.url}/healthz`, { headers })).status).toBe(200);
    await server.stop(0);
  });

  test.each([
    ["127.0.0.1:8787", true],
    ["[::1]:8787", true],
    ["192.0.2.1", true],
    ["localhost", true],
    ["LOCALHOST.:8787", true],
    ["rollcall.localhost", true],
    ["nas", true],
    ["nas.local:8787", true],
    ["nas.lan", true],
    ["cron.corp.internal", true],
    ["cron.home.arpa", true],
    ["cron.example.org", true],
    ["CRON.example.org.:443", true],
    ["other.example.net:8787", true],
    ["example.org", false],
    ["evil.cron.example.org", false],
    ["cron.example.org.evil.example", false],
    ["evil.example", false],
    ["local.evil.example", false],
    ["evil.locals", false],
    ["127.0.0.1.evil.example", false],
    ["127.0.0.1.nip.io:8787", false],
    ["evil.example:80@localhost", false],
    ["evil.example/localhost", false],
  ])("%s may be asked: %p", async (host, isOurs) => {
    await using server = startAt(["cron.example.org", "other.example.net"]);
    expect((await server.browser({ host }).get("/sign-in")).status).toBe(isOurs ? 200 : 400);
  });
});

test("where TLS is our own, pages tell browsers to come over HTTPS alone; reports do not, nor does plain HTTP", async () => {
  const tls = createCertificate();
  await using server = startPeople({ tls });
  const ask = (path: string) => fetch(server.url + path, { tls: { ca: tls.certificate } });
  for (const path of ["/sign-in", "/assets/none.css"])
    expect((await ask(path)).headers.get("strict-transport-security")).toBe("max-age=31536000");
  expect((await ask("/api/v1/ping/job/none")).headers.get("strict-transport-security")).toBeNull();
  await using plain = startPeople();
  expect((await plain.browser().get("/sign-in")).headers.get("strict-transport-security")).toBeNull();
});

test("a proxy that nobody has named is warned of once: its people's cookies go without Secure", async () => {
  const logged: { event: string; fields: unknown }[] = [];
  const trust = { plainHttp: "accept" as const, trustedProxies: [] };
  await using server = startPeople({ trust, log: (_, event, fields) => logged.push({ event, fields }) });
  server.person("Ada");
  const browser = server.browser({ "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7" });
  const answer = await browser.post("/sign-in", { name: "Ada", password: PASSWORD });
  expect(answer.headers.getSetCookie().join()).not.toContain("Secure");
  await browser.get("/account");
  expect(logged.filter(({ event }) => event === "proxy_not_trusted")).toEqual([
    {
      event: "proxy_not_trusted",
      fields: { proxy: "127.0.0.1", rule: expect.stringContaining("server.trusted_proxies") },
    },
  ]);
});

test("what a proxy writes in the place of an address is told once, and does not make one client of all", async () => {
  const logged: { event: string; fields: unknown }[] = [];
  const trust = { plainHttp: "accept" as const, trustedProxies: ["127.0.0.0/8"] };
  await using server = startPeople({ trust, log: (_, event, fields) => logged.push({ event, fields }) });
  server.person("Ada");
  const from = async (client: string, password: string) =>
    (await server.browser({ "x-forwarded-for": client }).post("/sign-in", { name: "Ada", password })).status;
  for (let time = 0; time < 40; time++) await from("_one", "wrong");
  expect(await from("_one", PASSWORD)).toBe(429);
  expect(await from("_two", PASSWORD)).toBe(303);
  expect(await from("192.0.2.7:4711", PASSWORD)).toBe(303);
  expect(logged.filter(({ event }) => event === "client_unread")).toEqual([
    {
      event: "client_unread",
      fields: { proxy: "127.0.0.1", says: "_one", rule: expect.stringContaining("X-Forwarded-For") },
    },
  ]);
});

test("a proxy that names no client is told once", async () => {
  const logged: { event: string; fields: unknown }[] = [];
  const trust = { plainHttp: "accept" as const, trustedProxies: ["127.0.0.0/8"] };
  await using server = startPeople({ trust, log: (_, event, fields) => logged.push({ event, fields }) });
  for (let time = 0; time < 2; time++)
    await server.browser({ "x-forwarded-proto": "https" }).post("/sign-in", { name: "Ada", password: "wrong" });
  expect(logged.filter(({ event }) => event === "client_unread")).toEqual([
    {
      event: "client_unread",
      fields: { proxy: "127.0.0.1", says: "", rule: expect.stringContaining("stands for everybody's") },
    },
  ]);
});

test("a form whose address a proxy has changed on its way is refused with what to set there", async () => {
  const trust = { plainHttp: "accept" as const, trustedProxies: ["127.0.0.0/8"] };
  await using server = startPeople({ trust });
  server.person("Ada");
  const sent = async (origin: string, headers: Record<string, string>) => {
    const body = new URLSearchParams({ name: "Ada", password: PASSWORD });
    const asked = { method: "POST", headers: { "x-forwarded-for": "192.0.2.7", origin, ...headers }, body } as const;
    const answer = await fetch(`${server.url}/sign-in`, { ...asked, redirect: "manual" });
    return [answer.status, await answer.text()] as const;
  };
  const [port, said] = await sent("http://home.lan:8443", { host: "home.lan" });
  expect(port).toBe(403);
  expect(said).toContain(
    "from http://home.lan:8443, and a proxy asked for http://home.lan: let the proxy pass on the host",
  );
  const [scheme, told] = await sent("https://home.lan", { host: "home.lan" });
  expect(scheme).toBe(403);
  expect(told).toContain("let the proxy set X-Forwarded-Proto");
  const [other, foreign] = await sent("https://evil.example.org", { host: "home.lan" });
  expect(other).toBe(403);
  expect(foreign).toContain("was not sent from a page of this rollcall");
  expect((await sent("http://home.lan:8443", { host: "home.lan:8443" }))[0]).toBe(303);
});
