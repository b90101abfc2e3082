// Everything within its window, from a small phone to a wide screen: menus, where one is, and the day with its names;
// and what is done by keys gives the focus back.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { HOUR } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { browserCommand, isTooWide } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

/** One for each layout of the style, and a wide screen. */
const WIDTHS = [320, 390, 768, 1024, 2560] as const;
/** Menus change at two of these widths, and what fits the narrowest window of a layout fits the others. */
const MENUS_AT = [320, 768, 1024] as const;
/** By fingers and by a mouse: what closes a menu and where the focus goes is the same at every other width. */
const CLOSED_AT: readonly number[] = [320, 1024];

describe.if(browserCommand !== null)("within the window", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openWorld();
    service.engine.operate("app create", { slug: "staging" });
    const staging = { ...ping().caller, applicationId: 2, application: "staging" };
    await service.send(ping({ caller: staging, monitorKey: "rehearsal", schedule: "0 3 * * *" }));
    service.engine.operate("key create", { application: "staging" });
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock });
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  /** A touch screen where it is a phone's. */
  function open(path: string, width: number) {
    const isMobile = width < 700;
    const viewport = { width, height: isMobile ? 844 : 800 };
    return openWorldPage(pages.url + path, { viewport, isMobile, hasTouch: isMobile });
  }

  const isInside = async (page: Page, place: Locator): Promise<boolean> => {
    const [box, { width, height }] = [await place.boundingBox(), page.viewportSize()!];
    return box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
  };
  const hasFocus = async (place: Locator): Promise<boolean> =>
    (await place.and(place.page().locator(":focus")).count()) === 1;

  test.each(MENUS_AT)(
    "of %d pixels each menu opens inside; Esc and a click beside it close it, and the focus is back on its button",
    async (width) => {
      for (const path of ["/", "/jobs/prod/nightly-backup", "/keys"]) {
        await using opened = await open(path, width);
        const { page } = opened;
        // Those for all rows that are selected stand at the lower edge.
        if (path === "/") await page.locator(".row .pick").first().click();
        const menus = page.locator("details.menu");
        for (let place = 0; place < (await menus.count()); place++) {
          const [summary, body] = [menus.nth(place).locator("summary").first(), menus.nth(place).locator(".menu-body")];
          await summary.click();
          expect([path, place, await isInside(page, body)]).toEqual([path, place, true]);
          await page.keyboard.press("Escape");
          expect([await body.isVisible(), await hasFocus(summary)]).toEqual([false, true]);
          if (!CLOSED_AT.includes(width)) continue;
          await summary.click();
          // Somewhere that no menu reaches.
          await page.mouse.click(2, 2);
          expect([await body.isVisible(), await hasFocus(summary)]).toEqual([false, true]);
        }
      }
    },
  );

  describe.each(WIDTHS)("of %d pixels", (width) => {
    test("the bar shows where one is", async () => {
      await using opened = await open("/settings", width);
      const current = opened.page.locator(".bar [aria-current=page]");
      expect(await current.textContent()).toBe("Settings");
      const [link, bar] = [(await current.boundingBox())!, (await opened.page.locator(".bar nav").boundingBox())!];
      expect(link.x).toBeGreaterThanOrEqual(bar.x - 1);
      expect(link.x + link.width).toBeLessThanOrEqual(bar.x + bar.width + 1);
    });

    test("the day has its names and counts in sight wherever it is scrolled, and is as wide as the window", async () => {
      await using opened = await open("/day", width);
      const { page } = opened;
      const scroll = page.locator("#day-scroll");
      for (const to of [0, 10_000]) {
        await scroll.evaluate((element, left) => element.scrollTo({ left }), to);
        for (const of of [".day-row-name a", ".day-row-words summary"]) {
          const place = page.locator(of).first();
          expect([of, await isInside(page, place)]).toEqual([of, true]);
          expect([of, (await place.textContent())!.length > 0]).toEqual([of, true]);
        }
      }
      const figure = (await page.locator("#day-figure").boundingBox())!;
      expect(figure.width).toBeGreaterThanOrEqual(width - 64);
      expect((await page.locator("select[name=app]").boundingBox())!.width).toBeGreaterThan(100);
      expect(await isTooWide(page)).toBe(false);
    });
  });

  test("arrow keys go from slot to slot and to the same time of another job", async () => {
    await using opened = await open("/day", 1280);
    const { page } = opened;
    // The first page has told the zone.
    await page.reload();
    const tip = page.locator("#day-tip");
    await page.locator(".day-row-name a", { hasText: "Import orders" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await tip.textContent()).toStartWith("10:45 failed");
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Nightly backup");
    await page.keyboard.press("ArrowUp");
    expect(await tip.textContent()).toStartWith("10:45 failed");
    await page.keyboard.press("+");
    await page.waitForURL(/span=hour&from=2026-03-04T09%3A1\d.*&until=2026-03-04T10%3A[12]\d/);
    expect(await page.locator("h1").textContent()).toMatch(/^\d of 9 jobs had trouble from 10:1\d to 11:[12]\d\.$/);
    await page.keyboard.press("-");
    await page.waitForURL(`${pages.url}/day`);
  });

  test("what is drawn with the mouse is zoomed into, and a click alone is not", async () => {
    await using opened = await open("/day", 1280);
    const { page, complaints } = opened;
    const axis = (await page.locator(".day-axis").boundingBox())!;
    const [from, to] = await page
      .locator("#day-figure")
      .evaluate(({ dataset }) => [Number(dataset["from"]), Number(dataset["to"])] as const);
    const at = (instant: number): number => axis.x + ((instant - from) / (to - from)) * axis.width;
    const row = (await page.locator(".day-row-plot").first().boundingBox())!;
    await page.mouse.move(at(from + 6 * HOUR), row.y + 5);
    await page.mouse.down();
    await page.mouse.move(at(from + 8 * HOUR), row.y + 8);
    await page.mouse.up();
    await page.waitForURL("**/day?span=hour&from=*");
    const [begin, end] = await page
      .locator("#day-figure")
      .evaluate(({ dataset }) => [Number(dataset["from"]), Number(dataset["to"])] as const);
    expect(Math.abs(begin - from - 6 * HOUR)).toBeLessThanOrEqual(HOUR / 6);
    expect(Math.abs(end - from - 8 * HOUR)).toBeLessThanOrEqual(HOUR / 6);
    const url = page.url();
    await page.locator(".day-row-plot").first().click({ force: true });
    expect(page.url()).toBe(url);
    expect(complaints).toEqual([]);
  });
});
