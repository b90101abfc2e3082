// Maintenance in the browser: planned for jobs, for rows that are selected and for an application, seen on the first
// page and the day, and ended; without script too (R24).

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HOUR, SECOND } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import type { Service } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { accessibilityFaults, browserCommand, faultsOfPages, isTooWide, PHONE } from "./browser.ts";
import { openWorld, openWorldPage, WORLD_ENDS } from "./world.ts";

describe.if(browserCommand !== null)("R24: maintenance", () => {
  let service: Service;
  let pages: Server;
  let forViewers: Server;

  beforeAll(async () => {
    service = await openWorld();
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock });
    forViewers = startPages(service.engine, { clock, viewer: { ...ADA, role: "viewer" } });
  });
  afterAll(async () => {
    await Promise.all([pages.stop(0), forViewers.stop(0)]);
    service[Symbol.dispose]();
  });

  const listed = () =>
    granted(service.engine.operate("maintenance list", {})).maintenances.map(
      ({ monitors, state, plannedBy, reason }) => [monitors.join(" "), state, plannedBy, reason],
    );

  test("is planned for an application and for patterns, with what is wrong beside what was written, and ended", async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openWorldPage(`${pages.url}/maintenance`, { javaScriptEnabled });
      const { page, complaints } = opened;
      const plan = page.locator("#plan");
      await plan.getByText("By a pattern or label").click();
      await plan.getByLabel("Patterns and labels").fill("photos-*");
      await plan.getByLabel("Certificates", { exact: true }).check();
      await plan.getByLabel("Why").fill("kernel <i>upgrade</i>");
      await plan.getByLabel("Until").fill("2026-03-04T11:00");
      await plan.getByRole("button", { name: "Plan it" }).click();
      const beside = plan.locator(".field", { has: page.getByLabel("Until") }).locator(".wrong");
      await beside.getByText("It would be over already.").waitFor();
      expect(await plan.getByLabel("Until").getAttribute("aria-invalid")).toBe("true");
      expect(await plan.locator(".wrong").count()).toBe(1);
      expect(await plan.getByLabel("Patterns and labels").inputValue()).toBe("photos-*");
      expect(await plan.getByLabel("Certificates", { exact: true }).isChecked()).toBe(true);
      await plan.getByLabel("Until").fill("2026-03-04T13:30");
      await plan.getByRole("button", { name: "Plan it" }).click();
      const entry = page.locator(".entry", { hasText: "certificates, photos-* of prod" }).first();
      await entry.getByText("kernel <i>upgrade</i>").waitFor();
      expect(listed()[0]).toEqual(["certificates photos-*", "now", "Ada", "kernel <i>upgrade</i>"]);
      service.endTurns();
      expect(service.monitor("certificates").pauses.manual?.until).toBe(Date.parse("2026-03-04T13:30Z"));

      await page.goto(pages.url);
      const line = page.locator("#needs", { hasText: "Maintenance of certificates, photos-* of prod until" });
      expect(await line.textContent()).toContain("by Ada: kernel <i>upgrade</i>");
      await page.goto(`${pages.url}/maintenance`);
      await entry.getByRole("button", { name: "End now" }).click();
      await page.locator("#past").waitFor();
      service.endTurns();
      expect([listed()[0]![1], service.monitor("certificates").pauses.manual]).toEqual(["past", null]);
      expect(await plan.getByLabel("Why").getAttribute("required")).not.toBeNull();
      await plan.getByLabel("all, also later ones").check();
      await plan.getByLabel("Why").fill("a new roof");
      await plan.getByLabel("From").fill("2026-03-05T20:00");
      await plan.getByLabel("Until").fill("2026-03-05T22:00");
      await plan.getByRole("button", { name: "Plan it" }).click();
      await page.getByRole("button", { name: "Call off" }).click();
      await page.locator(".entry", { hasText: "called off" }).first().waitFor();
      expect(complaints.filter((one) => !one.includes("400"))).toEqual([]);
    }
  });

  test("asks for jobs by name, of the application that is chosen, and looking for one plans nothing", async () => {
    using service = await openWorld();
    granted(service.engine.operate("app create", { slug: "web" }));
    granted(service.engine.operate("monitor create", { application: "web", key: "a", name: "Site", everySeconds: 60 }));
    for (const job of Array.from({ length: 60 }, (_, at) => `extra-${at}`))
      granted(service.engine.operate("monitor create", { application: "prod", key: job, everySeconds: 60 }));
    const own = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
    const plans = () => granted(service.engine.operate("maintenance list", {})).maintenances;
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openWorldPage(`${own.url}/maintenance`, { ...PHONE, javaScriptEnabled });
      const { page } = opened;
      const plan = page.locator("#plan");
      const show = async () => (javaScriptEnabled ? null : await plan.getByRole("button", { name: "Show" }).click());
      await plan.getByLabel("Certificates", { exact: true }).check();
      expect(await plan.textContent()).toContain("28 more: write a part of the name.");
      await plan.getByLabel("Find jobs by name").fill("Extra 59");
      await plan.getByLabel("Find jobs by name").press("Enter");
      await plan.getByLabel("Extra 59").check();
      await plan.getByLabel("Find jobs by name").fill("");
      await show();
      await plan.getByLabel("Extra 7", { exact: true }).waitFor();
      expect(await plan.getByLabel("Extra 59").isChecked()).toBe(true);
      expect([await isTooWide(page), plans().filter(({ state }) => state === "ahead")]).toEqual([false, []]);
      await plan.getByLabel("Why").fill("a new disk");
      await plan.getByLabel("Or lasts").fill("2h");
      await plan.getByRole("button", { name: "Plan it" }).click();
      await page.locator("#now").waitFor();
      expect(plans()[0]).toMatchObject({ application: "prod", monitors: ["extra-59", "certificates"], state: "now" });
      await page.getByRole("button", { name: "End now" }).click();
      await page.locator("#past").waitFor();
      await plan.getByLabel("Application").selectOption("web");
      await show();
      await plan.getByLabel("Site").waitFor();
      expect(await plan.getByLabel("Certificates", { exact: true }).count()).toBe(0);
      await plan.getByLabel("Why").fill("a new disk");
      await plan.getByRole("button", { name: "Plan it" }).click();
      await plan.locator(".choices .wrong", { hasText: "None is chosen, choose one, or all." }).waitFor();
      if (javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([]);
    }
    await own.stop(0);
  });

  test("is planned for rows that are selected", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    for (const name of ["Certificates", "Router heartbeat"])
      await page.locator(".row", { hasText: name }).locator(".pick").click();
    const bar = page.locator("#many");
    await bar.getByText("Maintenance…").click();
    await bar.getByLabel("From").fill("2026-03-04T20:00");
    await bar.getByLabel("Until").fill("2026-03-04T22:00");
    await bar.getByLabel("Why").fill("a new disk");
    await bar.getByRole("button", { name: "Plan maintenance" }).click();
    expect(await page.locator("#toast").textContent()).toContain("Plan maintenance: 2 jobs, in ten seconds.");
    await page.clock.fastForward(11 * SECOND);
    await page.waitForResponse((answer) => answer.url() === `${pages.url}/`);
    expect(listed().find(([, state]) => state === "ahead")).toEqual([
      "certificates heartbeat",
      "ahead",
      "Ada",
      "a new disk",
    ]);
    await page.goto(`${pages.url}/day`);
    const row = page.locator(".day-row", { hasText: "Router heartbeat" });
    expect(await row.locator(".day-maintenance").count()).toBe(1);
    // The browser's zone is an hour ahead of the server's, in which the bar asks.
    expect(await row.locator(".note").first().textContent()).toBe("Maintenance 21:00 to 23:00: a new disk.");
    expect(await page.locator(".day-row", { hasText: "Old mirror" }).locator(".day-maintenance").count()).toBe(0);
  });

  test("says for selected rows what is wrong, by the labels of the form, and plans nothing", async () => {
    const plan = async (fields: Readonly<Record<string, string>>, ...jobs: readonly string[]): Promise<string> => {
      const body = new URLSearchParams({ do: "maintenance", back: "/" });
      for (const [name, value] of Object.entries(fields)) body.append(`plan-${name}`, value);
      for (const job of jobs) body.append("job", job);
      const answer = await fetch(`${pages.url}/acts/many`, {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin" },
        body,
      });
      return (await answer.text()).replaceAll(/<[^>]+>/g, "");
    };
    const before = listed().length;
    const until = "2026-03-04T22:00";
    expect(await plan({ until }, "prod/certificates")).toContain("Why: ");
    expect(await plan({ reason: "x" }, "prod/certificates")).toContain("Until: name the end, or for how long it lasts");
    expect(await plan({ reason: "x", until: "2026-03-04T01:00" }, "prod/certificates")).toContain(
      "Until: it would be over already",
    );
    expect(await plan({ reason: "x", until }, "nothing/there")).toContain(
      "Application: &quot;nothing&quot; does not exist",
    );
    expect(listed()).toHaveLength(before);
    expect(
      await plan(
        { reason: "later", from: "2026-03-08T20:00", until: "2026-03-08T22:00" },
        "prod/certificates",
        "nothing/there",
      ),
    ).toMatch(/nothing&quot; does not exist.*; it is planned for prod/);
    expect(listed()).toHaveLength(before + 1);
  });

  test("fits from a phone to a desk, has no fault of accessibility, and offers nothing to whom may only look", async () => {
    service.engine.operate("maintenance plan", { from: "2026-03-06 02:00", durationSeconds: 3_600, reason: "later" });
    const url = `${pages.url}/maintenance`;
    expect(await faultsOfPages([url], { now: WORLD_ENDS, widths: [320, 768, 1280] })).toEqual([]);
    await using opened = await openWorldPage(`${forViewers.url}/maintenance`);
    expect(await opened.page.locator(".entry").count()).toBeGreaterThan(0);
    expect(await opened.page.locator("main button, main form").count()).toBe(0);
    const answer = await fetch(`${forViewers.url}/maintenance`, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ application: "prod", until: "2026-03-04T13:30", reason: "no" }),
    });
    expect([answer.status, WORLD_ENDS < service.now + HOUR]).toEqual([403, true]);
  });

  test("leaves a job its name on a phone, however long its reason is", async () => {
    const reason = "kernel upgrade of every host in the second hall";
    granted(service.engine.operate("maintenance plan", { monitors: ["certificates"], durationSeconds: 3_600, reason }));
    service.endTurns();
    await using opened = await openWorldPage(pages.url, PHONE);
    const row = opened.page.locator(".row", { hasText: reason });
    expect((await row.locator(".row-name").boundingBox())!.width).toBeGreaterThan(120);
    expect((await row.locator(".row-schedule").boundingBox())!.width).toBeGreaterThan(120);
  });
});
