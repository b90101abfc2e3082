// A job made in the browser before its first report, given another key, and brought back: by administrators alone.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Server } from "../../src/http/server.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { accessibilityFaults, browserCommand, isTooWide, PHONE } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

describe.if(browserCommand !== null)("a new job", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openWorld();
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock, viewer: ADA });
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  const settingsOf = (key: string) => granted(service.engine.operate("monitor show", { key })).settings;

  test.each([
    ["on a desk", {}],
    ["on a phone", PHONE],
  ])("is made by the form, which says when it is due as one types: %s", async (where, options) => {
    const key = `new-${where.split(" ").at(-1)}`;
    await using opened = await openWorldPage(pages.url, options);
    const { page, complaints } = opened;
    await page.getByRole("link", { name: "New job" }).click();
    expect([await isTooWide(page), await accessibilityFaults(page)]).toEqual([false, []]);
    await page.locator("#key").fill(key);
    await page.locator("#schedule").fill("15 4 * * *");
    await page.locator("#schedule-hint").getByText("at 04:15, every day").waitFor();
    // Not the viewer's zone: the schedule is read in the application's.
    expect(await page.locator("#schedule-hint").textContent()).toContain("UTC");
    expect(await page.locator("#key").inputValue()).toBe(key);
    await page.locator("#graceSeconds").fill("5m");
    await page.locator("#more > summary").click();
    await page.locator("#alertAfterMisses").fill("2");
    expect([await isTooWide(page), await accessibilityFaults(page)]).toEqual([false, []]);
    await page.locator("#labels").fill("db");
    await page.getByRole("button", { name: "Make it" }).click();
    await page.waitForURL(`**/jobs/prod/${key}`);
    expect(settingsOf(key)).toMatchObject({
      schedule: { value: "15 4 * * *", from: "declared" },
      graceSeconds: { value: 300 },
      alertAfterMisses: { value: 2 },
      labels: { value: "db" },
    });
    expect(complaints).toEqual([]);
  });

  test("is refused beside the field that is wrong, which keeps what was written", async () => {
    await using opened = await openWorldPage(`${pages.url}/new-job`, { javaScriptEnabled: false });
    const { page } = opened;
    await page.locator("#key").fill("another");
    await page.locator("#schedule").fill("61 * * * *");
    await page.getByRole("button", { name: "Make it" }).click();
    expect(await page.locator("#schedule-wrong").textContent()).toContain("Minute field");
    expect(await page.locator("#key").inputValue()).toBe("another");
    await page.locator("#schedule").fill("1 * * * *");
    await page.locator("#key").fill("heartbeat");
    await page.getByRole("button", { name: "Make it" }).click();
    expect(await page.locator("#key-wrong").textContent()).toContain("exists already");
    expect(service.engine.operate("monitor show", { key: "another" })).toHaveProperty("refusal");
  });

  test("gets another key with its history, is deleted, and is brought back", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/log-rotation`, {
      javaScriptEnabled: false,
    });
    const { page } = opened;
    await page.getByText("Key…").click();
    await page.locator("#rename-newKey").fill("rotate");
    await page.getByRole("button", { name: "Give it this key" }).click();
    expect(page.url()).toBe(`${pages.url}/jobs/prod/rotate`);
    expect(granted(service.engine.operate("monitor show", { key: "rotate" })).pings.length).toBeGreaterThan(1);
    await page.getByText("Delete…").click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.goto(`${pages.url}/new-job`);
    await page.getByRole("button", { name: "Bring it back" }).click();
    expect(page.url()).toBe(`${pages.url}/jobs/prod/rotate`);
    expect(settingsOf("rotate").name.value).toBe("Log rotation");
  });
});

test("R13: the times of a new job are in the zone of its application where none is written", async () => {
  using service = openService(policyWith({ prod: { timezone: "Asia/Tokyo" } }));
  await service.send(ping({ schedule: "0 * * * *" }));
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  const timesOf = async (query: string) =>
    /<small id="schedule-hint".*?<\/small>/s.exec(await (await fetch(`${pages.url}/new-job?${query}`)).text())![0];
  expect(await timesOf("schedule=15+4+*+*+*")).toContain("Asia/Tokyo");
  expect(await timesOf("schedule=15+4+*+*+*&timezone=UTC")).not.toContain("Asia/Tokyo");
  await pages.stop(0);
});
