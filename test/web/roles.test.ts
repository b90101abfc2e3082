// Who may open which page and send which form: every route of the pages, for each role, with and without a restriction
// to applications, and for nobody. A new route has no line here, and fails until it has one.

import { describe, expect, test } from "bun:test";
import { ROLES, type Role } from "../../src/domain/people/person.ts";
import type { Viewer } from "../../src/web/viewer.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { routesOfPages, startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";

/** The least role; `prod`: of those alone who see this application; `all`: who see all. */
const MAY: Readonly<Record<string, readonly [Role, "any" | "prod" | "all"]>> = {
  "GET /account": ["viewer", "any"],
  "POST /account/password": ["viewer", "any"],
  "POST /account/sessions": ["viewer", "any"],
  "POST /account/passkeys/remove": ["viewer", "any"],
  "POST /account/browsers": ["viewer", "any"],
  "POST /account/browsers/question": ["viewer", "any"],
  "POST /account/browsers/remove": ["viewer", "any"],
  "POST /account/browsers/test": ["viewer", "any"],
  "GET /": ["viewer", "any"],
  "GET /live/windows": ["viewer", "any"],
  "GET /find": ["viewer", "any"],
  "GET /day": ["viewer", "any"],
  "GET /jobs/:application/:key": ["viewer", "prod"],
  "GET /jobs/:application/:key/reports.csv": ["viewer", "prod"],
  "GET /incidents": ["viewer", "any"],
  "GET /incidents.csv": ["viewer", "any"],
  "GET /incidents/:id": ["viewer", "prod"],
  "GET /jobs/:application/:key/why": ["viewer", "prod"],
  "GET /jobs/:application/:key/edit": ["operator", "prod"],
  "POST /jobs/:application/:key/edit": ["operator", "prod"],
  "GET /new-job": ["admin", "any"],
  "POST /new-job": ["admin", "prod"],
  "POST /jobs/:application/:key/rename": ["admin", "prod"],
  "POST /jobs/:application/:key/undelete": ["admin", "prod"],
  "POST /jobs/:application/:key/pause": ["operator", "prod"],
  "POST /jobs/:application/:key/resume": ["operator", "prod"],
  "GET /maintenance": ["viewer", "any"],
  "POST /maintenance": ["operator", "prod"],
  "POST /maintenance/:id/end": ["operator", "prod"],
  "POST /incidents/:id/ack": ["operator", "prod"],
  "POST /incidents/:id/unack": ["operator", "prod"],
  "POST /incidents/:id/resolve": ["operator", "prod"],
  "POST /acts/many": ["operator", "any"],
  "POST /acts/ack-all": ["operator", "prod"],
  "GET /deliveries": ["viewer", "any"],
  "GET /deliveries/destinations": ["admin", "all"],
  "GET /deliveries/destinations/of/:name": ["admin", "all"],
  "GET /deliveries/destinations/of/:name/remove": ["admin", "all"],
  "POST /deliveries/destinations": ["admin", "all"],
  "POST /deliveries/destinations/told": ["admin", "all"],
  "POST /deliveries/destinations/members": ["admin", "all"],
  "GET /deliveries/destinations/members/of/:email/remove": ["admin", "all"],
  "POST /deliveries/destinations/members/of/:email/remove": ["admin", "all"],
  "POST /deliveries/destinations/of/:name": ["admin", "all"],
  "POST /deliveries/destinations/of/:name/rename": ["admin", "all"],
  "POST /deliveries/destinations/of/:name/remove": ["admin", "all"],
  "POST /deliveries/test": ["operator", "all"],
  "POST /deliveries/:id/resend": ["operator", "prod"],
  "GET /keys": ["viewer", "any"],
  "GET /keys/:id": ["admin", "prod"],
  "GET /keys/:id/revoke": ["admin", "prod"],
  "POST /keys": ["admin", "prod"],
  "POST /keys/:id/label": ["admin", "prod"],
  "POST /keys/:id/rotate": ["admin", "prod"],
  "POST /keys/:id/revoke": ["admin", "prod"],
  "GET /addresses/:id/revoke": ["admin", "prod"],
  "POST /addresses/:id/revoke": ["admin", "prod"],
  "POST /applications": ["admin", "all"],
  "GET /applications/:slug/share": ["admin", "prod"],
  "POST /applications/:slug/share": ["admin", "prod"],
  "POST /applications/:slug/unshare": ["admin", "prod"],
  "POST /applications/:slug/suspend": ["admin", "prod"],
  "POST /applications/:slug/resume": ["admin", "prod"],
  "GET /own-health": ["viewer", "any"],
  "GET /people": ["admin", "all"],
  "GET /people/:id": ["admin", "all"],
  "GET /people/:id/delete": ["admin", "all"],
  "POST /people": ["admin", "all"],
  "POST /people/:id/rights": ["admin", "all"],
  "POST /people/:id/sign-out": ["admin", "all"],
  "POST /people/:id/unbind": ["admin", "all"],
  "POST /people/:id/link": ["admin", "all"],
  "POST /people/:id/delete": ["admin", "all"],
  "GET /audit": ["admin", "all"],
  "GET /settings": ["admin", "all"],
  // The last: nothing is left of the job.
  "POST /jobs/:application/:key/delete": ["admin", "prod"],
};

/** For everybody: the way in, and how pages look. */
const OPEN = [
  "GET /favicon.ico",
  "GET /assets/:file",
  "POST /theme",
  "GET /sign-in",
  "POST /sign-in",
  "POST /sign-out",
  "GET /sign-in/link/:token",
  "POST /sign-in/link/:token",
  // The token or the signature says who answers.
  "GET /answer/:destination/:token",
  "POST /answer/:destination/:token",
  "POST /answer/:destination/:token/:reply",
  "POST /answers/:service",
];

const FORM = {
  application: "prod",
  events: "Recovered",
  destination: "hook",
  destinations: "hook",
  slug: "made",
  name: "Eve",
  role: "viewer",
  applications: "*",
};

/** prod with a failing job, incident, delivery, maintenance and key 1, and the old address 2; the people 1 and 2. */
async function openPeople(): Promise<Service> {
  const members = [{ name: "Dan", email: "dan@example.org", events: [] }];
  const service = openService(policyWith({ team: { name: null, destinations: ["hook"], members } }));
  const { engine } = service;
  granted(engine.operate("key create", { application: "prod" }));
  granted(engine.operate("user create", { name: "Boss", role: "admin" }));
  granted(engine.operate("user create", { name: "Cat" }));
  await service.send(
    ping({ monitorKey: "backup", schedule: "0 2 * * *" }),
    ping({ monitorKey: "backup", kind: "fail" }),
  );
  await service.send(ping({ monitorKey: "gone", schedule: "0 2 * * *" }));
  granted(engine.operate("monitor delete", { key: "gone" }));
  granted(engine.operate("maintenance plan", { schedule: "0 4 * * 0", durationSeconds: 3_600, reason: "a new disk" }));
  granted(engine.operate("address add", { address: "/api/push/Wd4Kq8Zt1x", key: "backup" }));
  return service;
}

const PARTS: Readonly<Record<string, string>> = {
  application: "prod",
  key: "backup",
  slug: "prod",
  id: "1",
  name: "phone",
  email: "dan@example.org",
};

/** The route's address; of people the second, whom the others need not; of addresses the one behind the key. */
const addressOf = (path: string): string =>
  path
    .replace(":key/undelete", "gone/undelete")
    .replaceAll(/:(\w+)/g, (_, name: string) => (/^\/(?:people|addresses)/.test(path) ? "2" : PARTS[name]!));

async function asked(url: string, route: string): Promise<{ status: number; to: string | null }> {
  const [method = "", path = ""] = route.split(" ");
  const over = new AbortController();
  const answer = await fetch(url + addressOf(path), {
    method,
    headers: { "sec-fetch-site": "same-origin" },
    redirect: "manual",
    signal: over.signal,
    ...(method === "POST" ? { body: new URLSearchParams(FORM) } : {}),
  });
  const { status } = answer;
  // A live page's connection would stay.
  over.abort();
  return { status, to: answer.headers.get("location") };
}

const isRefused = (status: number): boolean => status === 403 || status === 404;

test("every route of the pages has its line in the table", () => {
  const routes = routesOfPages([]).map(({ method, path }) => `${method} ${path}`);
  expect(routes.toSorted()).toEqual([...OPEN, ...Object.keys(MAY)].toSorted());
});

describe("every page and form", () => {
  const viewers = ROLES.flatMap((role) =>
    [null, ["prod"], ["staging"]].map((applications) => ({ role, applications })),
  );

  test.each(viewers)("is for those whom the table names: %p", async ({ role, applications }) => {
    using service = await openPeople();
    const viewer: Viewer = { id: 99, name: "Ada", role, applications, sessionId: 1, address: "192.0.2.7" };
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    const pages = startPages(service.engine, { viewer, clock });
    const expected: Record<string, boolean> = {};
    const found: Record<string, boolean> = {};
    for (const [route, [least, of]] of Object.entries(MAY)) {
      const sees = of === "any" || applications === null || (of === "prod" && applications.includes("prod"));
      expected[route] = sees && ROLES.indexOf(role) >= ROLES.indexOf(least);
      const before = service.count("audit");
      found[route] = !isRefused((await asked(pages.url, route)).status);
      if (!expected[route]) expect([route, service.count("audit")]).toEqual([route, before]);
    }
    expect(found).toEqual(expected);
    await pages.stop(0);
  });

  test("leads nobody but to the door, and does nothing for them", async () => {
    using service = await openPeople();
    const pages = startPages(service.engine, { viewer: null });
    const before = service.count("audit");
    for (const route of Object.keys(MAY)) {
      const { status, to } = await asked(pages.url, route);
      if (route.startsWith("GET")) expect([route, status, to?.startsWith("/sign-in?to=")]).toEqual([route, 303, true]);
      else expect([route, status]).toEqual([route, 401]);
    }
    expect(service.count("audit")).toBe(before);
    await pages.stop(0);
  });
});
