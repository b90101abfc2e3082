// Pages with the large letters that a person has set in the browser, with names that read from right to left, and with
// names that no space breaks. Media queries in `rem` follow the letters, so a window of 260 pixels stands for a phone
// of 390 with letters of 24 pixels.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Server } from "../../src/http/server.ts";
import { openService, ping, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { browserCommand, isTooWide } from "./browser.ts";
import { openWorldPage, WORLD_ENDS } from "./world.ts";

const LARGE = { viewport: { width: 260, height: 560 }, isMobile: true, hasTouch: true };
const UNBROKEN = "Word".repeat(40);
const ARABIC = "نسخ احتياطي لقاعدة البيانات في المنزل الآخر كل ليلة بعد منتصف الليل";

/** Says in the page whether the Arabic name is cut, and whether its first letter stands inside its element. */
const cutOf = (selector: string) => `(() => {
  const element = [...document.querySelectorAll("${selector}")].find((one) => one.textContent.includes("${ARABIC}"));
  const first = document.createRange();
  first.setStart(document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode(), 0);
  first.setEnd(first.startContainer, 1);
  const [letter, box] = [first.getBoundingClientRect(), element.getBoundingClientRect()];
  return {
    isCut: element.scrollWidth > element.clientWidth,
    showsFirstLetter: letter.left >= box.left && letter.right <= box.right + 1,
  };
})()`;

describe.if(browserCommand !== null)("large letters and names of all kinds", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = openService(undefined, WORLD_ENDS);
    await service.send(
      ping({ monitorKey: "nightly-backup", schedule: "0 4 * * *", kind: "fail", message: "disk full" }),
      ping({ monitorKey: "unbroken", name: UNBROKEN, schedule: "0 4 * * *" }),
      ping({ monitorKey: "arabic", name: ARABIC, schedule: "0 4 * * *" }),
    );
    pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  test("the name of a job in trouble has the whole line, and its button stands below", async () => {
    await using opened = await openWorldPage(pages.url, LARGE);
    const { page } = opened;
    const name = (await page.locator(".need h2").boundingBox())!;
    const button = (await page.locator(".need .acts button").first().boundingBox())!;
    expect(name.width).toBeGreaterThan(150);
    expect(button.y).toBeGreaterThanOrEqual(name.y + name.height);
    expect(await isTooWide(page)).toBe(false);
  });

  test("a job's page fits its window, and a fact stands below its name", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/nightly-backup`, LARGE);
    const { page } = opened;
    const name = (await page.locator(".facts dt").first().boundingBox())!;
    const value = (await page.locator(".facts dd").first().boundingBox())!;
    expect(value.y).toBeGreaterThanOrEqual(name.y + name.height);
    expect(await isTooWide(page)).toBe(false);
  });

  test("a menu breaks a name that has no space", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/unbroken`);
    const menu = opened.page.locator("details.menu", { hasText: UNBROKEN }).last();
    await menu.locator("summary").click();
    const [body] = await menu
      .locator(".menu-body")
      .evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth })));
    expect(body!.scrollWidth).toBe(body!.clientWidth);
  });

  test.each([
    ["/", ".row-name"],
    ["/day", ".day-row-name a"],
  ])("a long name from right to left is cut at its end, not at its beginning: %s", async (path, selector) => {
    await using opened = await openWorldPage(`${pages.url}${path}`, { viewport: { width: 820, height: 900 } });
    expect(await opened.page.evaluate(cutOf(selector))).toEqual({ isCut: true, showsFirstLetter: true });
  });
});
