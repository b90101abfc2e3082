// How rollcall itself is, on the dashboard: its troubles, when it could not hear, and who is signed in, each for those
// whom it concerns. The real server and engine, and a real browser.

import { describe, expect, test } from "bun:test";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import type { SelfPingHealth } from "../../src/engine/api.ts";
import type { Viewer } from "../../src/web/viewer.ts";
import { NOON, openService, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { browserCommand, faultsOfPages } from "./browser.ts";

const ADA: Viewer = { id: 1, name: "Ada", role: "admin", applications: null, sessionId: 1, address: "127.0.0.1" };

function startHealth(service: Service, changes: Partial<Viewer> = {}) {
  const clock = { now: () => service.now, monotonic: () => performance.now() };
  const pages = startPages(service.engine, { clock, viewer: { ...ADA, ...changes } });
  return {
    url: `${pages.url}/own-health`,
    text: async () => (await (await fetch(`${pages.url}/own-health`)).text()).replaceAll(/<[^>]*>/g, " "),
    [Symbol.asyncDispose]: () => pages.stop(0),
  };
}

/** Ada is signed in, and rollcall was suspended for two minutes. */
function openTried(): Service {
  const service = openService();
  granted(service.engine.operate("user create", { name: "Ada", passwordHash: HASH }));
  const { people } = service.engine;
  people.signIn(people.known("Ada")!, { address: "192.0.2.7", agent: "" });
  service.look(NOON + HOUR);
  service.standStill(2 * MINUTE);
  service.look(service.now + MINUTE);
  return service;
}

const HASH = await Bun.password.hash("correct horse battery", {
  algorithm: "argon2id",
  memoryCost: 19_456,
  timeCost: 2,
});

describe("the page of rollcall's own health", () => {
  test("of a new installation says that all is well, its version and the size of its database", async () => {
    using service = openService();
    await using pages = startHealth(service);
    const text = await pages.text();
    expect(text).toContain("rollcall is well.");
    expect(text).toContain("1.2.3");
    expect(text).toMatch(/database\s+\d[\d.]* (?:KB|MB)/);
    expect(text).toContain("Not once in the last 90 days.");
    expect(text).toContain("Nobody has a session here.");
    expect(text).toMatch(/runs on\s+Bun 1\.\d+\.\d+, SQLite 3\.\d+/);
    expect(text).toMatch(/Backups\s+There is no backup yet\./);
  });

  test("says, as the first page does, what a command set and is not in force, to those who may see all", async () => {
    using service = openService();
    const engine = { ...service.engine, notInForce: () => ['"phone" is not in force'] };
    for (const applications of [null, ["prod"]]) {
      const pages = startPages(engine, { viewer: { ...ADA, applications } });
      for (const path of ["/", "/own-health"])
        expect((await (await fetch(pages.url + path)).text()).includes("&quot;phone&quot; is not in force")).toBe(
          applications === null,
        );
      await pages.stop(0);
    }
  });

  test("has what troubles this process too, such as connections closed for want of room, and backups for administrators", async () => {
    using service = openService();
    const viewer = { ...ADA };
    const pages = startPages(service.engine, {
      viewer,
      troubles: (audience) => [`too many connections, told to ${audience}`],
    });
    const asked = async () => (await (await fetch(`${pages.url}/own-health`)).text()).replaceAll(/<[^>]*>/g, " ");
    expect(await asked()).toContain("Too many connections, told to operator.");
    await pages.stop(0);
    await using restricted = startHealth(service, { applications: ["prod"] });
    expect(await restricted.text()).not.toContain("Backups");
  });

  test("says when it could not hear, in the words of the notices, and who is signed in", async () => {
    using service = openTried();
    await using pages = startHealth(service);
    const text = await pages.text();
    expect(text).toMatch(/rollcall was suspended for 2 minutes\s+2026-03-02 13:00:00 UTC/);
    expect(text).toMatch(/Ada\s+1 session\s+seen/);
    service.look(service.now + 15 * DAY);
    expect(await pages.text()).toContain("Nobody has a session here.");
  });

  test("says who is signed in to administrators of everything alone", async () => {
    using service = openTried();
    for (const changes of [{ role: "operator" }, { role: "viewer" }, { applications: ["prod"] }] as const) {
      await using pages = startHealth(service, changes);
      const text = await pages.text();
      expect(text).toContain("rollcall was suspended for 2 minutes");
      expect(text).not.toMatch(/Signed in|1 session/);
    }
  });

  test("names a destination that takes nothing, and to somebody restricted to applications only that there is one", async () => {
    using service = openTried();
    service.failing.set("hook", "HTTP 500: <b>secret-host</b>");
    await using pages = startHealth(service);
    const text = await pages.text();
    expect(text).toContain("1 trouble with rollcall itself.");
    expect(text).toContain("&lt;b&gt;secret-host");
    await using restricted = startHealth(service, { applications: ["prod"] });
    const general = await restricted.text();
    expect(general).toContain("1 trouble with rollcall itself.");
    expect(general).not.toMatch(/hook|secret-host/);
  });

  test("says whether another monitor is told, and why not to those who may know all names", async () => {
    using service = openService();
    const arrivedAt = NOON - 2 * MINUTE;
    const counts = { sent: 1, failed: 1, withheld: 0 };
    const says = async (viewer: Viewer, selfPing?: SelfPingHealth): Promise<string> => {
      const clock = { now: () => service.now, monotonic: () => performance.now() };
      const pages = startPages(service.engine, { clock, viewer, ...(selfPing && { selfPing }) });
      const text = (await (await fetch(`${pages.url}/own-health`)).text()).replaceAll(/<[^>]*>/g, " ");
      await pages.stop(0);
      return /another monitor\s+(.*?)\s+(?:Backups|When rollcall)/s.exec(text)![1]!.replaceAll(/\s+/g, " ");
    };
    const why = "messages are stuck at <ops>";
    expect(await says(ADA)).toBe("is not told that rollcall is well (self.ping_url)");
    expect(await says(ADA, { arrivedAt: null, last: null, counts })).toBe("was told nothing yet");
    expect(await says(ADA, { arrivedAt, last: { outcome: "sent", why: null }, counts })).toBe("was told 2 min ago");
    expect(await says(ADA, { arrivedAt, last: { outcome: "failed", why: "HTTP 404" }, counts })).toBe(
      "could not be told: HTTP 404; it last was 2 min ago",
    );
    const withheld = { arrivedAt: null, last: { outcome: "withheld", why }, counts } as const;
    expect(await says(ADA, withheld)).toBe("is not told: messages are stuck at &lt;ops&gt;");
  });

  test("speaks to somebody restricted to applications of these, and not of the machine or of others", async () => {
    using service = openService();
    for (const slug of ["other", "prod", "web"]) service.engine.operate("app create", { slug });
    for (const slug of ["other", "web"]) service.engine.operate("app suspend", { slug });
    service.engine.intake.plainRefused("203.0.113");
    await using restricted = startHealth(service, { applications: ["prod", "web"] });
    const text = (await restricted.text()).replaceAll(/\s+/g, " ");
    expect(text).toMatch(/you see prod, web version .* suspended web zone rules/);
    expect(text).not.toMatch(/other,|database|runs on|another monitor|203\.0\.113/);
    await using all = startHealth(service);
    expect((await all.text()).replaceAll(/\s+/g, " ")).toMatch(
      /database .* runs on .* suspended other, web .* another monitor/,
    );
  });

  test("shows the newest 50 gaps, and says that there are more", async () => {
    using service = openService();
    for (let place = 0; place < 60; place++) {
      service.look(service.now + HOUR);
      service.standStill(MINUTE + place);
    }
    service.look(service.now + MINUTE);
    await using pages = startHealth(service);
    const text = await pages.text();
    expect(text.match(/was suspended for 1 minute/g)).toHaveLength(50);
    expect(text).toContain("Older ones are not shown.");
  });
});

describe.if(browserCommand !== null)("in a browser, rollcall's own health", () => {
  test("is accessible and fits its window", async () => {
    using service = openTried();
    service.failing.set("hook", "HTTP 500");
    await using pages = startHealth(service);
    expect(await faultsOfPages([pages.url])).toEqual([]);
  });
});
