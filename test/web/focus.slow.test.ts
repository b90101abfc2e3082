// The keyboard after an action: the focus is on what took the place of what was acted on, in sight, and never on a
// button that acts on something else.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { SECOND } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { browserCommand, holds, PHONE } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

const WIDTHS = [
  ["on a desk", { viewport: { width: 1280, height: 500 } }],
  ["on a phone", { ...PHONE, viewport: { width: 390, height: 500 } }],
] as const;

describe.if(browserCommand !== null)("after an action by keyboard", () => {
  let service: Service;
  let pages: Server;

  beforeEach(async () => {
    service = await openWorld(undefined, 0, { runs: 5 });
    for (const monitorKey of ["certificates", "photos-sync", "log-rotation"])
      await service.send(ping({ monitorKey, kind: "fail", message: "no" }));
    service.endTurns();
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock });
  });
  afterEach(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  const untaken = (): string[] => {
    const listed = service.engine.operate("incident list", { open: true });
    return "incidents" in listed
      ? listed.incidents.filter(({ acknowledgedAt }) => acknowledgedAt === null).map(({ key }) => key)
      : [];
  };
  const needs = (page: Page): Promise<string[]> =>
    page.evaluate("[...document.querySelectorAll('[id^=need-]')].map(({ id }) => id).filter((id) => /\\d$/.test(id))");
  const reached = (page: Page): Promise<{ tag: string; row: string | null; text: string; isInSight: boolean }> =>
    page.evaluate(`(() => {
      const { activeElement } = document;
      const { top, bottom } = activeElement.getBoundingClientRect();
      let row = activeElement;
      while (row !== null && !/-\\d+$/.test(row.id)) row = row.parentElement;
      return { tag: activeElement.tagName, row: row?.id ?? null, text: activeElement.textContent,
        isInSight: top >= 0 && bottom <= innerHeight };
    })()`);

  test.each(WIDTHS)(
    "a pause takes its card away, and the focus goes to the next one's link: %s",
    async (_, options) => {
      await using opened = await openWorldPage(pages.url, options);
      const { page, complaints } = opened;
      const before = await needs(page);
      const left = untaken();
      await page.locator(`#${before[1]} .acts`).getByText("…", { exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.locator(`#${before[1]} .acts`).getByRole("button", { name: "for 1 hour" }).focus();
      await page.keyboard.press("Enter");
      await holds(page, `document.getElementById(${JSON.stringify(before[1])}) === null`);
      expect(await reached(page)).toMatchObject({ tag: "A", row: before[2], isInSight: true });
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/jobs\//);
      expect(untaken()).toEqual(left);
      expect(complaints).toEqual([]);
    },
  );

  test("with the last card gone the focus is on the one before, and with the only one on the headline", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    for (let left = await needs(page); left.length > 0; left = await needs(page)) {
      const last = left.at(-1)!;
      await page.locator(`#${last} .acts`).getByText("…", { exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.locator(`#${last} .acts`).getByRole("button", { name: "for 8 hours" }).focus();
      await page.keyboard.press("Enter");
      await holds(page, `document.getElementById(${JSON.stringify(last)}) === null`);
      const now = await reached(page);
      expect([now.tag, now.row]).toEqual(left.length === 1 ? ["H1", null] : ["A", left.at(-2)!]);
      expect(now.isInSight).toBe(true);
    }
  });

  test("an incident that is acknowledged where it stands has the focus on its own link, and no other is taken on", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    const [first] = await needs(page);
    const left = untaken().length;
    await page.locator(`#${first}`).getByRole("button", { name: "Acknowledge" }).focus();
    await page.keyboard.press("Enter");
    await holds(page, `document.querySelectorAll(".is-taken, .needs-taken").length > 0`);
    expect(await reached(page)).toMatchObject({ tag: "A", isInSight: true });
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/jobs\//);
    expect(untaken().length).toBe(left - 1);
  });

  test("on a job's page a second Enter does not close the incident that the first has acknowledged", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/certificates`);
    const { page } = opened;
    await page.getByRole("button", { name: "Acknowledge" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Acknowledge" }).waitFor({ state: "detached" });
    expect(await reached(page)).toMatchObject({ tag: "H1", isInSight: true });
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(untaken()).not.toContain("certificates");
    expect(await page.getByRole("button", { name: "Close the incident" }).isVisible()).toBe(true);
  });

  test("in the list of incidents the focus stays in the list when its incident ends", async () => {
    await using opened = await openWorldPage(`${pages.url}/incidents`);
    const { page } = opened;
    const links = page.locator("#incidents-open .entry-name");
    const [ends, next] = [await links.nth(0).textContent(), await links.nth(1).textContent()];
    await links.nth(0).focus();
    const listed = service.engine.operate("incident list", { open: true });
    const { key } = ("incidents" in listed ? listed.incidents : []).find(({ name }) => name === ends?.trim())!;
    service.look(service.now + SECOND);
    await service.send(ping({ monitorKey: key, kind: "complete" }));
    service.endTurns();
    await page.locator("#incidents-open .entry-name", { hasText: ends! }).waitFor({ state: "detached" });
    expect((await reached(page)).text).toBe(next!);
  });

  test("what is done to many, and its undo, leave the focus on the row that was selected last", async () => {
    await using opened = await openWorldPage(`${pages.url}/?sort=name`);
    const { page } = opened;
    const row = page.locator(".row", { hasText: "Weekly report" });
    await row.locator(".row-name").focus();
    await page.keyboard.press("x");
    const pause = async () => {
      await page.locator("#many").getByText("Pause…").focus();
      await page.keyboard.press("Enter");
      await page.locator("#many").getByRole("button", { name: "for 1 hour" }).focus();
      await page.keyboard.press("Enter");
    };
    await pause();
    const id = (await row.getAttribute("id"))!;
    expect(await reached(page)).toMatchObject({ row: id, tag: "A", isInSight: true });
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    expect(await reached(page)).toMatchObject({ row: id, tag: "A", isInSight: true });
    await page.keyboard.press("x");
    await pause();
    await page.keyboard.press("u");
    expect([(await reached(page)).row, await page.locator("#toast").textContent()]).toEqual([id, ""]);
    await page.keyboard.press("x");
    await pause();
    await page.clock.fastForward(11 * SECOND);
    await page.locator(`#${id}.is-paused`).waitFor();
    expect(await reached(page)).toMatchObject({ row: id, tag: "A", isInSight: true });
  });
});
