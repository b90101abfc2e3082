// Pages that stay open: they follow what changes within a second, for those who may see it, and nobody stays signed in
// by an open page alone.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import type { Viewer } from "../../src/web/viewer.ts";
import { ping, type Service } from "../support/engine.ts";
import { ADA, livePathOf, startPages } from "../support/pages.ts";
import { PASSWORD, startPeople } from "../support/people-server.ts";
import { browserCommand, holds, wholeBrowserCommand } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

const clockOf = (service: Service) => ({ now: () => service.now, monotonic: () => performance.now() });

/** A report, and all that follows from it. */
async function report(service: Service, changes: Parameters<typeof ping>[0]): Promise<void> {
  service.look(service.now + 1_000);
  await service.send(ping(changes));
  service.endTurns();
}

describe.if(browserCommand !== null)("an open page", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openWorld();
    pages = startPages(service.engine, { clock: clockOf(service) });
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  test("of a job shows its report when it arrives, and leaves a menu open that somebody has opened", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/certificates`);
    const { page, complaints } = opened;
    await page.getByText("Pause…").click();
    await report(service, { monitorKey: "certificates", kind: "fail", message: "expired on Friday" });
    await page.locator("#job-open", { hasText: "expired on Friday" }).waitFor();
    expect(await page.locator("h1 .shape title").textContent()).toBe("critical");
    expect(await page.getByRole("button", { name: "for 8 hours" }).isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("of incidents shows one that opens, in its headline, its tab and its list", async () => {
    await using opened = await openWorldPage(`${pages.url}/incidents`);
    const { page, complaints } = opened;
    await report(service, { monitorKey: "photos-sync", kind: "fail", message: "no space left" });
    await page.locator("#incidents-open .entry", { hasText: "no space left" }).waitFor();
    expect(await page.title()).toMatch(/^\d incidents are open · rollcall$/);
    expect(complaints).toEqual([]);
  });

  test("of an incident shows that it ended", async () => {
    const { incidents } = service.engine.views.incidents({
      applications: null,
      state: "open",
      before: 1e9,
      limit: 100,
    });
    const { id } = incidents.find(({ key }) => key === "import-orders")!;
    await using opened = await openWorldPage(`${pages.url}/incidents/${id}`);
    const { page, complaints } = opened;
    expect(await page.getByRole("button", { name: "Resolve" }).isVisible()).toBe(true);
    await report(service, { monitorKey: "import-orders" });
    await page.locator("#story-about", { hasText: "recovered after" }).waitFor();
    expect(await page.getByRole("button", { name: "Resolve" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("of deliveries shows what waits to be told", async () => {
    await using opened = await openWorldPage(`${pages.url}/deliveries?show=waiting`);
    const { page, complaints } = opened;
    const before = await page.locator("#deliveries-waiting .entry").count();
    await report(service, { monitorKey: "log-rotation", kind: "fail" });
    await page.locator("#deliveries-waiting .entry", { hasText: "Log rotation" }).waitFor();
    expect(await page.locator("#deliveries-waiting .entry").count()).toBe(before + 1);
    expect(complaints).toEqual([]);
  });

  test("shares one connection with all windows of its browser: eight are true, and a ninth loads", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/report`);
    const windows = [opened.page];
    for (const path of ["/", "/day", "/incidents", "/deliveries", "/jobs/prod/report", "/?sort=name", "/?show=all"]) {
      const page = await opened.page.context().newPage();
      await page.goto(pages.url + path);
      windows.push(page);
    }
    await report(service, { monitorKey: "report", kind: "fail", message: "nine windows" });
    for (const place of [0, 1, 3, 5, 6, 7])
      await windows[place]!.locator("#live", { hasText: "nine windows" }).waitFor();
    const ninth = await opened.page.context().newPage();
    await ninth.goto(`${pages.url}/account`);
    expect(await ninth.locator("h1").count()).toBe(1);
  });

  test("in the background keeps its tab true, and is grey without an answer", async () => {
    const others = startPages(service.engine, { clock: clockOf(service) });
    await using opened = await openWorldPage(`${others.url}/settings`);
    const { page, complaints } = opened;
    const icon = page.locator("link#icon");
    const tab = async () => [await icon.getAttribute("href"), /^\(\d+\)/.exec(await page.title())?.[0]];
    await page.evaluate(`
      Object.defineProperty(document, "hidden", { value: true });
      document.dispatchEvent(new Event("visibilitychange"));`);
    await holds(page, "document.title.startsWith('(')");
    const [, before] = await tab();
    await report(service, { monitorKey: "old-mirror", kind: "fail", message: "gone" });
    await holds(page, `!document.title.startsWith(${JSON.stringify(before)})`);
    const needs = Number(before!.slice(1, -1)) + 1;
    expect(await tab()).toEqual(["/assets/icon-bad.svg", `(${needs})`]);
    await others.stop(0);
    await page.clock.fastForward(31_000);
    await holds(page, "document.title.startsWith('no answer')");
    expect(await icon.getAttribute("href")).toBe("/assets/icon-quiet.svg");
    // What it asked for while no one answered.
    expect(complaints.filter((text) => !text.includes("ERR_"))).toEqual([]);
  });

  test.if(wholeBrowserCommand !== null)(
    "tells who asked for it in a notification what came while it was in the background",
    async () => {
      await using opened = await openWorldPage(pages.url, { permissions: ["notifications"], needsWhole: true });
      const { page } = opened;
      await page.evaluate(`
      window.notified = [];
      window.Notification = class extends EventTarget {
        static permission = "granted";
        static requestPermission = async () => "granted";
        constructor(title) { super(); window.notified.push(title); }
      };`);
      await page.getByText("Ada").first().click();
      await page.getByRole("button", { name: "Notify in this browser" }).click();
      await holds(page, "document.querySelector('#sign').dataset.says !== undefined");
      await page.waitForTimeout(1_100);
      await page.evaluate(`
      Object.defineProperty(document, "hidden", { value: true });
      document.dispatchEvent(new Event("visibilitychange"));`);
      await report(service, { monitorKey: "log-rotation", kind: "fail", message: "no" });
      await report(service, { monitorKey: "heartbeat", kind: "fail", message: "no" });
      await holds(page, "window.notified.length > 0");
      expect(await page.evaluate("window.notified[0]")).toMatch(/^\d+ need attention$/);
    },
  );

  test("says so when rollcall has not answered for half a minute, with times that stand still, until it answers", async () => {
    let others = startPages(service.engine, { clock: clockOf(service) });
    await using opened = await openWorldPage(others.url);
    const { page } = opened;
    const stale = page.locator("#stale");
    const next = async () => (await page.locator("#headline .next time").last().textContent())!;
    await holds(page, "document.querySelector('#sign').dataset.says !== undefined");
    expect(await stale.isVisible()).toBe(false);
    await others.stop(0);
    await page.clock.fastForward(31_000);
    await stale.waitFor();
    expect(await stale.textContent()).toMatch(/^\D*Not up to date since 12:4[78]: rollcall cannot be reached\.$/);
    const before = await next();
    await page.clock.fastForward(120_000);
    await page.waitForTimeout(1_100);
    expect([await next(), await stale.isVisible()]).toEqual([before, true]);
    const listen = { host: "127.0.0.1", port: Number(new URL(others.url).port) };
    others = startPages(service.engine, { clock: clockOf(service), listen });
    await stale.waitFor({ state: "hidden" });
    expect(await next()).not.toBe(before);
    await others.stop(0);
  });
});

describe("what an open page is sent", () => {
  let service: Service;
  let viewer: Viewer = ADA;
  let server: Server;

  beforeAll(async () => {
    service = await openWorld([]);
    await report(service, { monitorKey: "backup", schedule: "0 4 * * *" });
    server = startPages(service.engine, { clock: clockOf(service), viewer: () => viewer });
  });
  afterAll(async () => {
    await server.stop(0);
    service[Symbol.dispose]();
  });

  /** All that comes up to a text, or to the end. */
  const read = async (path: string, upTo: string): Promise<string> => rest(await fetch(server.url + path), upTo);

  async function rest(answer: Response, upTo: string): Promise<string> {
    let text = "";
    for await (const chunk of answer.body!) {
      text += new TextDecoder().decode(chunk as Uint8Array);
      if (text.includes(upTo)) break;
    }
    return text;
  }

  test("is nothing while nothing has changed since the page was made", async () => {
    const html = await (await fetch(`${server.url}/jobs/prod/backup`)).text();
    const path = /data-live="([^"]+)"/.exec(html)![1]!;
    expect(await read(livePathOf(path), "event: here")).not.toContain("data-part");
    expect(await read(livePathOf(path.replace(/seen=[^&]+/, "seen=older")), "data-part")).toContain(
      'data-part="headline"',
    );
  });

  test("is nothing of other applications, and ends when the viewer's rights change", async () => {
    viewer = { ...ADA, role: "viewer", applications: ["staging"] };
    for (const path of ["/incidents", "/deliveries", "/"]) {
      expect(await read(livePathOf(path), "data-part")).not.toContain("backup");
    }
    expect(await read(livePathOf("/jobs/prod/backup", "/"), "data-part")).toContain("event: 1");
    viewer = ADA;
    const open = await fetch(server.url + livePathOf("/jobs/prod/backup"));
    viewer = { ...ADA, role: "viewer" };
    await report(service, { monitorKey: "backup", kind: "fail", message: "not for them" });
    expect(await rest(open, "never sent")).not.toContain("not for them");
    viewer = ADA;
  });
});

test("an open page does not keep its person signed in: only what they do counts", async () => {
  await using people = startPeople();
  people.person("Ada");
  const browser = people.browser();
  await browser.post("/sign-in", { name: "Ada", password: PASSWORD });
  expect((await browser.get("/incidents")).status).toBe(200);
  const asked = async (path: string): Promise<number> => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(people.url + path, { headers: { cookie }, redirect: "manual" });
    await answer.body?.cancel();
    return answer.status;
  };
  people.service.at(people.service.now + 13 * DAY);
  expect(await asked(livePathOf("/incidents"))).toBe(200);
  people.service.at(people.service.now + 2 * DAY);
  expect(await asked("/incidents")).toBe(303);
  expect(await asked(livePathOf("/incidents"))).toBe(303);
});
