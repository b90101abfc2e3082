// What a person does on a page is done on the page: nothing jumps, the focus stays, and what is refused is said where
// it was tried. Without script the page is loaded again, which other tests show.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Server } from "../../src/http/server.ts";
import type { Viewer } from "../../src/web/viewer.ts";
import type { Service } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";
import { accessibilityFaults, browserCommand, holds, isTooWide, PHONE } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

describe.if(browserCommand !== null)("on the page", () => {
  let service: Service;
  let pages: Server;
  let viewer: Viewer | null = ADA;

  beforeAll(async () => {
    service = await openWorld();
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock, viewer: () => viewer });
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  const mark = (page: Page) => page.evaluate("document.body.marked = true");
  const isMarked = (page: Page) => page.evaluate("document.body.marked === true");

  test("what is said in a dialog is not there before", async () => {
    await using opened = await openWorldPage(pages.url);
    expect(await opened.page.locator("#refused").isVisible()).toBe(false);
  });

  test.each([
    ["on a desk", { viewport: { width: 1280, height: 300 } }],
    ["on a phone", { ...PHONE, viewport: { width: 390, height: 400 } }],
  ])(
    "an action leaves the view, and the focus goes to what took the place of what was acted on: %s",
    async (_, options) => {
      await using opened = await openWorldPage(pages.url, options);
      const { page, complaints } = opened;
      await mark(page);
      const need = page.locator("#needs > .need", { has: page.getByRole("button", { name: "Acknowledge" }) }).last();
      const id = await need.getAttribute("id");
      const button = need.getByRole("button", { name: "Acknowledge" });
      await button.scrollIntoViewIfNeeded();
      await page.evaluate("scrollBy(0, 40)");
      const top = await page.evaluate("scrollY");
      await button.focus();
      await page.keyboard.press("Enter");
      await page.locator(`#taken #${id}.is-taken`).waitFor({ state: "attached" });
      // No further than until the link is in sight, above the line that says what was done.
      expect(Math.abs(Number(await page.evaluate("scrollY")) - Number(top))).toBeLessThan(100);
      expect(await isMarked(page)).toBe(true);
      // The link of the line before it, or the headline when it was the only one.
      expect(["A", "H1"]).toContain(await page.evaluate("document.activeElement.tagName"));
      expect(await page.evaluate("document.activeElement.closest('.need')?.id ?? null")).not.toBe(id);
      expect(complaints).toEqual([]);
    },
  );

  test("a search narrows cards and list while it is written, and a choice at once; the way back leads back", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page, complaints } = opened;
    await mark(page);
    await page.keyboard.press("/");
    await page.keyboard.type("cert");
    await holds(page, "document.querySelectorAll('.row').length === 1");
    expect(await page.locator(".row-name").allTextContents()).toEqual(["Certificates"]);
    expect([new URL(page.url()).search, await page.evaluate("document.activeElement.value")]).toEqual([
      "?find=cert",
      "cert",
    ]);
    await page.locator(".chip", { hasText: "Well" }).click();
    await page.waitForURL(/find=cert&show=well|show=well&find=cert/);
    await page.locator("input[type=search]").fill("");
    await holds(page, "document.querySelectorAll('.row').length > 1");
    await page.goBack();
    await holds(page, "document.querySelectorAll('.row').length === 1");
    expect(new URL(page.url()).search).toBe("?find=cert");
    expect(await isMarked(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("owner, environment, application and state narrow a search, in cards and list", async () => {
    const { url } = pages;
    const namesFor = async (find: string) => {
      const html = await (await fetch(`${url}/?${new URLSearchParams({ find })}`)).text();
      const named = (pattern: RegExp): number => [...html.matchAll(pattern)].length;
      return [named(/<article/g), named(/data-row/g)];
    };
    expect(await namesFor("is:paused")).toEqual([0, 0]);
    expect(await namesFor("app:prod import")).toEqual([1, 1]);
    expect(await namesFor("app:other")).toEqual([0, 0]);
    expect(await namesFor("env:none")).toEqual([0, 0]);
    expect(await namesFor("is:attention")).toEqual([0, 0]);
    expect(await namesFor("is:taken")).toEqual([2, 2]);
    expect(await namesFor("report weekly is:well")).toEqual([0, 1]);
  });

  test("results that come later leave the focus of the palette where it is", async () => {
    await using opened = await openWorldPage(`${pages.url}/settings`);
    const { page } = opened;
    const { promise: isAsked, resolve: comes } = Promise.withResolvers<void>();
    await page.route("**/find?q=weekly", async (route) => {
      await isAsked;
      await route.continue();
    });
    await page.keyboard.press("/");
    await page.keyboard.type("week");
    await page.locator("#palette").getByRole("link", { name: "Weekly report" }).waitFor();
    await page.keyboard.type("ly");
    await page.keyboard.press("ArrowDown");
    await page.evaluate("window.reached = document.activeElement");
    comes();
    await holds(page, "!window.reached.isConnected");
    expect(await page.evaluate("document.activeElement.localName")).toBe("a");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${pages.url}/jobs/prod/report`);
  });

  test.each([
    ["on a desk", {}],
    ["on a phone", PHONE],
  ])("the palette finds jobs, pages and incidents from every page, by keys alone: %s", async (_, options) => {
    await using opened = await openWorldPage(`${pages.url}/settings`, options);
    const { page, complaints } = opened;
    await page.keyboard.press("/");
    const palette = page.locator("#palette");
    expect(await palette.isVisible()).toBe(true);
    await page.keyboard.type("weekly");
    await palette.getByRole("link", { name: "Weekly report" }).waitFor();
    expect([await accessibilityFaults(page), await isTooWide(page)]).toEqual([[], false]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${pages.url}/jobs/prod/report`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("deliver");
    await palette.getByRole("link", { name: "Deliveries" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${pages.url}/deliveries`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("#1");
    await palette.getByText("incident 1").waitFor();
    await page.keyboard.press("Escape");
    expect([await palette.isVisible(), complaints]).toEqual([false, []]);
  });

  test("what the palette finds is a page without script", async () => {
    await using opened = await openWorldPage(`${pages.url}/find?q=cert`, { javaScriptEnabled: false });
    expect(await opened.page.locator("#found").textContent()).toContain("Certificates");
    viewer = { ...ADA, applications: ["other"] };
    const hidden = await (await fetch(`${pages.url}/find?q=cert`)).text();
    viewer = ADA;
    expect(hidden).not.toContain("Certificates");
  });

  test("what is refused says why, and the action is still there", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/certificates`);
    const { page } = opened;
    // The page does not hear that its person may do less.
    await page.addInitScript("delete self.SharedWorker");
    await page.route("**/live/**", (route) => route.abort());
    await page.reload();
    await page.getByText("Pause…").click();
    viewer = { ...ADA, role: "viewer" };
    await page.getByRole("button", { name: "for 1 hour" }).click();
    await page.locator("#refused[open]").waitFor();
    expect(await page.locator("#refused").textContent()).toContain("This is not yours to see or do.");
    viewer = ADA;
    await page.keyboard.press("Escape");
    await page.unroute("**/live/**");
    await page.getByRole("button", { name: "for 1 hour" }).click();
    await page.locator("#headline", { hasText: "paused" }).waitFor();
  });
});
