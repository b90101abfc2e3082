// Many at once: rows are selected and acted on together, with ten seconds to call it off; and all open incidents are
// acknowledged by one button.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SECOND } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { accessibilityFaults, browserCommand, holds, isTooWide, PHONE } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

describe.if(browserCommand !== null)("many at once", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openWorld();
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock });
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  const paused = (): string[] =>
    (["certificates", "log-rotation", "photos-sync", "heartbeat"] as const).filter((key) => {
      const shown = service.engine.operate("monitor show", { application: "prod", key });
      return "status" in shown && shown.status === "paused";
    });

  test("rows are selected by key and with Shift, and what is done to them is called off within ten seconds", async () => {
    await using opened = await openWorldPage(`${pages.url}/?sort=name`);
    const { page, complaints } = opened;
    const bar = page.locator("#many");
    expect(await bar.isVisible()).toBe(false);
    await page.locator(".row", { hasText: "Certificates" }).locator(".row-name").focus();
    await page.keyboard.press("x");
    await page
      .locator(".row", { hasText: "Log rotation" })
      .locator(".pick")
      .click({ modifiers: ["Shift"] });
    expect(await page.locator(".pick input:checked").count()).toBe(3);
    expect(await bar.textContent()).toStartWith("3 selected");
    await bar.getByText("Pause…").click();
    await bar.getByRole("button", { name: "for 1 hour" }).click();
    const undo = page.locator("#toast .toast");
    expect(await undo.textContent()).toContain("for 1 hour: 3 jobs, in ten seconds.");
    await undo.getByRole("button", { name: "Undo" }).click();
    await page.clock.fastForward(11 * SECOND);
    expect([paused(), await undo.isVisible(), await bar.isVisible()]).toEqual([[], false, false]);
    await page.locator(".row", { hasText: "Certificates" }).locator(".pick").click();
    await page.locator(".row", { hasText: "Log rotation" }).locator(".pick").click();
    await bar.getByText("Pause…").click();
    await bar.getByRole("button", { name: "for 1 hour" }).click();
    expect(paused()).toEqual([]);
    await page.clock.fastForward(11 * SECOND);
    await page.locator(".row.is-paused", { hasText: "Log rotation" }).waitFor();
    expect([paused(), complaints]).toEqual([["certificates", "log-rotation"], []]);
  });

  test("a row that is selected stays so when its job reports", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    const row = page.locator(".row", { hasText: "Weekly report" });
    await row.locator(".pick").click();
    await service.send(ping({ monitorKey: "report", kind: "fail", message: "no paper" }));
    service.endTurns();
    await page.locator(".row.is-critical", { hasText: "Weekly report" }).waitFor();
    expect(await row.locator("input:checked").count()).toBe(1);
  });

  test("it is done as well when the page is left before", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    await page.locator(".row", { hasText: "Photos sync" }).locator(".pick").click();
    await page.locator("#many").getByText("Pause…").click();
    await page.locator("#many").getByRole("button", { name: "until resumed" }).click();
    await page.goto(`${pages.url}/jobs/prod/photos-sync`);
    await page.locator("#headline", { hasText: "paused" }).waitFor();
    expect(paused()).toContain("photos-sync");
  });

  test("without script it is done at once, and what was left as it is says why", async () => {
    await using opened = await openWorldPage(pages.url, { javaScriptEnabled: false });
    const { page } = opened;
    await page.locator(".row", { hasText: "Router heartbeat" }).locator(".pick").click();
    await page.locator("#many").getByText("Pause…").click();
    await page.locator("#many").getByRole("button", { name: "for 8 hours" }).click();
    expect([page.url(), paused().includes("heartbeat")]).toEqual([`${pages.url}/`, true]);
    const send = (job: string) =>
      fetch(`${pages.url}/acts/many`, {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin" },
        redirect: "manual",
        body: new URLSearchParams([
          ["do", "resume"],
          ["job", "prod/heartbeat"],
          ["job", job],
        ]),
      });
    const refused = await send("prod/no-such-job");
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("1 of 2 were left as they are: no-such-job:"),
    ]);
    expect(paused()).not.toContain("heartbeat");
  });

  test("labels are added to those that each has, and found by them", async () => {
    granted(service.engine.operate("monitor set", { key: "certificates", labels: "tls" }));
    await using opened = await openWorldPage(pages.url, { javaScriptEnabled: false });
    const { page } = opened;
    for (const name of ["Certificates", "Log rotation"])
      await page.locator(".row", { hasText: name }).locator(".pick").click();
    await page.locator("#many").getByText("Label…").click();
    await page.locator("#many input[name=labels]").fill("Nightly, web-3");
    await page.locator("#many").getByRole("button", { name: "Label", exact: true }).click();
    const labels = (key: string) => granted(service.engine.operate("monitor show", { key })).settings.labels.value;
    expect(["certificates", "log-rotation"].map(labels)).toEqual(["nightly tls web-3", "nightly web-3"]);
    await page.goto(`${pages.url}/jobs/prod/certificates`);
    await page.locator("#job-facts").getByRole("link", { name: "tls" }).click();
    expect(await page.locator(".row").count()).toBe(1);
  });

  test("all open incidents are acknowledged by one button, by those who may", async () => {
    for (const monitorKey of ["a", "b", "c", "d"])
      await service.send(ping({ monitorKey, schedule: "@daily", kind: "fail", message: "down" }));
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    const others = startPages(service.engine, { clock, viewer: { ...ADA, role: "viewer" } });
    const page = await (await fetch(others.url)).text();
    expect([page.includes("Acknowledge all"), page.includes('class="pick"')]).toEqual([false, false]);
    await others.stop(0);
    await using opened = await openWorldPage(pages.url);
    const open = service.engine.operate("incident list", { open: true });
    const count = "incidents" in open ? open.incidents.length : 0;
    await opened.page.getByRole("button", { name: `Acknowledge all ${count}` }).click();
    await opened.page.clock.fastForward(11 * SECOND);
    await holds(opened.page, `document.querySelectorAll(".need.is-taken").length === ${count}`);
    expect(await opened.page.locator("h1").textContent()).toBe(`No job needs attention; you have ${count}.`);
  });

  test.each([
    ["on a desk", {}],
    ["on a phone", PHONE],
  ])("the list with selected rows is accessible and fits its window: %s", async (_, options) => {
    await using opened = await openWorldPage(pages.url, options);
    const { page } = opened;
    await page.locator(".row .pick").first().click();
    expect(await page.locator("#many").isVisible()).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });
});
