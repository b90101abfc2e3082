// Each page on a phone and at a desk: everything is large enough to be hit, and nothing has a browser's own look.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { PASSWORD, startPeople } from "../support/people-server.ts";
import { granted } from "../support/service.ts";
import { accessibilityFaults, browserCommand, faultsOfPages, isTooWide, openPage, PHONE } from "./browser.ts";
import { openWorld, openWorldPage, WORLD_ENDS } from "./world.ts";

const SMALL = { ...PHONE, viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

describe.if(browserCommand !== null)("every page", () => {
  let service: Service;
  let pages: Server;
  let paths: readonly string[];

  beforeAll(async () => {
    service = await openWorld(undefined, 0, { runs: 10 });
    const { engine } = service;
    const { id } = granted(engine.operate("key create", { application: "prod" }));
    granted(engine.operate("status-page add", { slug: "prod" }));
    granted(engine.operate("user create", { name: "Ben" }));
    granted(engine.operate("maintenance plan", { application: "prod", durationSeconds: 3600, reason: "a new disk" }));
    for (const monitorKey of ["certificates", "heartbeat", "report"])
      await service.send(ping({ monitorKey, kind: "fail", message: "no" }));
    service.endTurns();
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(engine, { clock });
    const job = "/jobs/prod/import-orders";
    paths = [
      ...["/", "/?group=owner", "/day", "/incidents", "/incidents/1", "/maintenance", "/deliveries", "/new-job"],
      ...["/deliveries/destinations", "/deliveries/destinations?type=ntfy", "/keys", `/keys/${id}`, "/people"],
      ...["/people/1", "/audit", "/own-health", "/settings", "/account", "/find?q=cert", job, `${job}/edit`],
      ...[`${job}/why`, "/no-such-page"],
    ];
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  test.each([
    ["on a desk", {}, []],
    ["on a phone in the dark, from the smallest on", SMALL, [390]],
  ])("has no fault that axe finds, and fits its window: %s", async (_, options, widths) => {
    const urls = paths.map((path) => pages.url + path);
    const faults = await faultsOfPages(urls, { options, now: WORLD_ENDS, widths });
    // One of the pages is the one that is not there.
    expect(faults.filter((fault) => !fault.includes("status of 404"))).toEqual([]);
  });

  test("the palette leaves the sentence on top of the page in sight", async () => {
    for (const [path, options] of [
      ["/", {}],
      ["/jobs/prod/import-orders", {}],
      ["/", PHONE],
      ["/jobs/prod/import-orders", PHONE],
    ] as const) {
      await using opened = await openWorldPage(pages.url + path, options);
      const { page } = opened;
      await page.keyboard.press("Control+k");
      const [palette, headline] = [
        await page.locator("#palette").boundingBox(),
        await page.locator("#headline").boundingBox(),
      ];
      expect(palette!.y).toBeGreaterThanOrEqual(headline!.y + headline!.height);
      expect(palette!.y).toBeLessThan(page.viewportSize()!.height / 2 + 1);
    }
  });

  test("no button has the look of the browser", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    await page.keyboard.press("?");
    const raw = await page.evaluate(`[...document.querySelectorAll("button")]
      .filter((one) => getComputedStyle(one).borderStyle === "outset").map((one) => one.textContent)`);
    expect(raw).toEqual([]);
  });

  test("where the bar has more places than fit, the last one fades, and can be scrolled clear of that", async () => {
    await using opened = await openWorldPage(pages.url, PHONE);
    const { page } = opened;
    const shown = await page.evaluate(`(() => {
      const nav = document.querySelector(".bar nav");
      nav.scrollLeft = 10_000;
      const { right } = nav.getBoundingClientRect();
      return { mask: getComputedStyle(nav).maskImage, overflows: nav.scrollWidth > nav.clientWidth,
        clear: right - nav.lastElementChild.getBoundingClientRect().right };
    })()`);
    expect(shown).toMatchObject({ mask: expect.stringContaining("linear-gradient"), overflows: true });
    expect((shown as { clear: number }).clear).toBeGreaterThan(31);
  });
});

describe.if(browserCommand !== null)("the page for signing in", () => {
  test("has the cursor in its first field that is empty, and is accessible", async () => {
    await using server = startPeople();
    server.person("Ada");
    for (const options of [{}, SMALL]) {
      await using opened = await openPage(`${server.url}/sign-in`, options);
      const { page } = opened;
      const focused = () => page.evaluate("document.activeElement.name");
      expect([await focused(), await accessibilityFaults(page), await isTooWide(page)]).toEqual(["name", [], false]);
      await page.keyboard.type("Ada");
      await page.keyboard.press("Tab");
      await page.keyboard.type("no such password");
      await page.keyboard.press("Enter");
      await page.getByText("do not belong together").waitFor();
      expect(await focused()).toBe("password");
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === "/");
    }
  });
});
