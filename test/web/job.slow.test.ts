// A job's page and an incident's, in a real browser: what they say, what a person may do there, and hostile text.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";
import { browserCommand, faultsOfPages } from "./browser.ts";
import { openWorld, openWorldPage, WORLD_ENDS } from "./world.ts";

const HOSTILE_KEY = `a/b?c#d%2F<img src=x onerror=alert(1)>"'&`;

describe.if(browserCommand !== null)("a job's page", () => {
  let service: Service;
  let pages: Server;
  let forViewers: Server;

  beforeAll(async () => {
    service = await openWorld();
    await service.send(ping({ monitorKey: HOSTILE_KEY, schedule: "0 4 * * *", kind: "fail", message: "<b>no</b>" }));
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock });
    forViewers = startPages(service.engine, { clock, viewer: { ...ADA, role: "viewer" } });
  });
  afterAll(async () => {
    await Promise.all([pages.stop(0), forViewers.stop(0)]);
    service[Symbol.dispose]();
  });

  test("says how it stands, when it runs next, how long it takes, and where each value comes from", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/photos-sync`);
    const { page, complaints } = opened;
    expect(await page.locator("h1").textContent()).toContain("Photos sync");
    expect(await page.locator("#job-slots .slots li").count()).toBe(5);
    expect(await page.locator(".panel", { hasText: "How long it takes" }).textContent()).toMatch(
      /usually \d min .* of 45 runs/,
    );
    expect(await page.locator(".facts > div", { hasText: /^grace/ }).textContent()).toBe("grace1 min default");
    expect(await page.locator(".facts > div", { hasText: /^schedule/ }).textContent()).toBe(
      "schedule*/30 * * * *: every 30 minutes declared",
    );
    expect(await page.locator(".facts dt", { hasText: "every" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("shows its last 13 weeks, a day a square with words and a link to what happened, walked by keyboard", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/photos-sync`);
    const { page, complaints } = opened;
    expect(await page.locator(".weeks .square").count()).toBe(12 * 7 + 3);
    expect(await page.locator(".square-link").allTextContents()).toEqual([
      "Tuesday 2026-03-03: all 20 answered",
      "Today 2026-03-04: 24 reports, 1 failed; 24 were expected",
    ]);
    await page.locator(".square-link").last().focus();
    await page.keyboard.press("ArrowUp");
    expect(await page.evaluate("document.activeElement.title")).toStartWith("Tuesday 2026-03-03");
    expect(await page.locator(".square-link[tabindex='0']").count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(/before=/);
    // The viewer's clocks are an hour ahead: there the job's day ends on the next.
    expect(await page.locator(".event-when").first().textContent()).toMatch(/^00:3\d:\d\d2026-03-03 23:3\d:\d\d$/);
    expect(complaints).toEqual([]);
  });

  test("tells its story newest first: runs, messages, actions and changes, narrowed and searched by its address", async () => {
    const at = (search: string): string => `${pages.url}/jobs/prod/import-orders${search}`;
    await using opened = await openWorldPage(at(""), { javaScriptEnabled: false });
    const { page } = opened;
    const told = (): Promise<string | null> => page.locator("#job-story").textContent();
    expect(await told()).toMatch(/Failed after \d+ s.*Succeeded 5 times since .*, each after/s);
    expect(await page.locator("#job-incidents a").count()).toBe(2);
    expect(await page.locator("#job-incidents").textContent()).toContain("recovered after");
    await page.getByRole("link", { name: "Incidents and messages" }).click();
    await page.waitForURL(/story=incidents/);
    expect(await told()).not.toContain("Succeeded after");
    expect(await told()).toContain("Import orders works again.");
    expect(
      await page
        .locator("#job-story")
        .getByRole("link", { name: /^incident \d+$/ })
        .count(),
    ).toBeGreaterThan(2);
    await page.fill("input[type=search]", "DB.INTERNAL");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/find=DB.INTERNAL/);
    expect(await page.locator("#job-story .event").count()).toBe(4);
    await page.goto(at("?find=nothing-like-it"));
    expect(await told()).toContain("No report says “nothing-like-it”.");
    await page.goto(at("?story=reports"));
    expect(await page.locator("#job-story .event").count()).toBe(50);
    await page.getByRole("link", { name: "Older" }).click();
    await page.waitForURL(/before=/);
    expect(await told()).toContain("Succeeded after");
    service.engine.operate("monitor pause", { application: "prod", key: "heartbeat", reason: "moved" });
    await service.send(ping({ monitorKey: "heartbeat", schedule: "*/10 * * * *" }));
    await page.goto(`${pages.url}/jobs/prod/heartbeat?story=changes`);
    expect(await told()).toContain("Settings changed by a report of the jobschedule: */5 * * * * became */10 * * * *");
    expect(await told()).toContain("Paused by command: moved");
  });

  test("is printed without what cannot be done on paper", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/import-orders`);
    const { page } = opened;
    await page.emulateMedia({ media: "print" });
    for (const gone of [".bar", "#job-acts", "#job-reporting", ".story-head .filters"])
      expect(await page.locator(gone).isVisible()).toBe(false);
    for (const left of ["h1", ".weeks", ".chart", ".facts", "#job-story"])
      expect(await page.locator(left).first().isVisible()).toBe(true);
  });

  test("is accessible and fits its window", async () => {
    const urls = ["/jobs/prod/import-orders", "/incidents/1"].map((path) => pages.url + path);
    expect(await faultsOfPages(urls, { now: WORLD_ENDS, widths: [360, 1280] })).toEqual([]);
  });

  test("takes a hostile key and message for text, also in its own address", async () => {
    await using opened = await openWorldPage(`${pages.url}/?find=onerror`);
    const { page, complaints } = opened;
    await page.locator(".row-name").click();
    expect(await page.locator(".where code").textContent()).toBe(HOSTILE_KEY);
    expect(await page.locator("#job-story .is-report .quote").textContent()).toBe("<b>no</b>");
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("pauses, resumes and deletes, without script too", async () => {
    for (const [key, javaScriptEnabled] of [
      ["certificates", true],
      ["log-rotation", false],
    ] as const) {
      await using opened = await openWorldPage(`${pages.url}/jobs/prod/${key}`, { javaScriptEnabled });
      const { page } = opened;
      await page.getByText("Pause…").click();
      await page.getByRole("button", { name: "for 1 day" }).click();
      await page.locator(".stands", { hasText: /paused until Thursday 1\d:\d\d by Ada/ }).waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.locator(".stands", { hasText: "next due" }).waitFor();
      await page.getByText("Delete…").click();
      await page.getByRole("button", { name: "Delete it" }).click();
      await page.waitForURL(`${pages.url}/`);
      expect((await fetch(`${pages.url}/jobs/prod/${key}`)).status).toBe(404);
    }
  });

  test("begins maintenance with an end in the job's zone and a reason, and says by whom, without script too", async () => {
    for (const [key, javaScriptEnabled] of [
      ["report", true],
      ["old-mirror", false],
    ] as const) {
      await using opened = await openWorldPage(`${pages.url}/jobs/prod/${key}`, { javaScriptEnabled });
      const { page } = opened;
      await page.getByText("Maintenance…").click();
      await page.getByLabel("Until", { exact: true }).fill("2026-03-05T08:30");
      await page.getByLabel("Why", { exact: true }).fill("a new <b>disk</b>");
      const answered = page.waitForResponse(`${pages.url}/maintenance`);
      // A reload while the browser still goes where the answer leads would be dropped.
      const landed = javaScriptEnabled ? null : page.waitForEvent("load");
      await page.getByRole("button", { name: "Plan maintenance" }).click();
      await answered;
      await landed;
      service.endTurns();
      if (!javaScriptEnabled) await page.reload();
      await page.locator(".stands", { hasText: "by Ada: a new <b>disk</b>" }).waitFor();
      expect(await page.locator(".stands").textContent()).toContain("in maintenance until Thursday");
      const zone = key === "report" ? "-05:00" : "Z";
      expect(service.monitor(key).pauses.manual?.until).toBe(Date.parse(`2026-03-05T08:30${zone}`));
      await page.getByRole("button", { name: "Resume" }).click();
      await page.locator(".stands", { hasText: "next due" }).waitFor();
    }
    const form = { application: "prod", monitors: "report", reason: "over", back: "/jobs/prod/report" };
    for (const until of ["2026-03-01T08:00", "tomorrow", ""]) {
      const answer = await fetch(`${pages.url}/maintenance`, {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin" },
        body: new URLSearchParams({ ...form, until }),
      });
      expect(answer.status).toBe(400);
    }
    expect(service.monitor("report").pauses.manual).toBeNull();
  });

  test("offers nothing to do to those who may only look, and does nothing for them", async () => {
    await using opened = await openWorldPage(`${forViewers.url}/jobs/prod/import-orders`);
    expect(await opened.page.locator(".acts").count()).toBe(0);
    const answer = await fetch(`${forViewers.url}/jobs/prod/import-orders/pause`, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ durationSeconds: "1h" }),
    });
    expect(answer.status).toBe(403);
    expect(service.monitor("import-orders").pauses.manual).toBeNull();
  });

  test("takes no change that comes from another site", async () => {
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }, {}]) {
      const answer = await fetch(`${pages.url}/jobs/prod/import-orders/pause`, {
        method: "POST",
        headers,
        body: "durationSeconds=",
      });
      expect(answer.status).toBe(403);
    }
    expect(service.monitor("import-orders").pauses.manual).toBeNull();
  });

  test("leads to the story of its incident, which a person closes there", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    await page.locator(".need", { hasText: "Import orders" }).getByText("…", { exact: true }).click();
    await page.locator(".need", { hasText: "Import orders" }).getByText("Story").click();
    await page.locator(".incident-story", { hasText: "Import orders reported a failure." }).waitFor();
    expect(await page.locator(".incident-story").textContent()).toContain("connection refused: db.internal:5432");
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.locator(".incident-story", { hasText: "closed the incident of Import orders." }).waitFor();
    expect((await fetch(`${pages.url}/incidents/4711`)).status).toBe(404);
  });
});
