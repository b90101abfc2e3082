// Incidents and deliveries in a real browser: they are accessible, fit their window, and work without script.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { browserCommand, faultsOfPages, openPage } from "./browser.ts";
import { openWorld } from "./world.ts";

const LONG = `<b>${"x".repeat(180)}</b>\u202e gnp.exe 😀`;

describe.if(browserCommand !== null)("incidents and deliveries", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openWorld();
    const said = { name: LONG, message: LONG, output: `first line\n${`${LONG}\n`.repeat(30)}last line` };
    await service.send(ping({ monitorKey: "long", schedule: "0 4 * * *", kind: "fail", ...said }));
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock });
    service.failing.set("hook", "connection refused");
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  /** The address of the open incident of this job. */
  function pathOf(key: string): string {
    const { incidents } = service.engine.views.incidents({
      applications: null,
      state: "open",
      before: 1e9,
      limit: 100,
    });
    return `/incidents/${incidents.find((one) => one.key === key)!.id}`;
  }

  test("are accessible and fit their window", async () => {
    const urls = ["/incidents", pathOf("long"), "/deliveries"].map((path) => pages.url + path);
    expect(await faultsOfPages(urls)).toEqual([]);
  }, 60_000);

  test("R46: unfold what the job wrote before its last lines, without script", async () => {
    await using opened = await openPage(pages.url + pathOf("long"), { javaScriptEnabled: false });
    const output = opened.page.locator(".output");
    expect(await output.locator("> pre").textContent()).toEndWith(" gnp.exe 😀\nlast line");
    expect(await output.getByText("first line").isVisible()).toBe(false);
    await output.getByText("20 lines before").click();
    await output.getByText("first line").waitFor();
    expect(await output.locator("b").count()).toBe(0);
  });

  test("lead from the overview to the story, where it is acknowledged and resolved without script", async () => {
    await using opened = await openPage(pages.url, { javaScriptEnabled: false });
    const { page } = opened;
    const need = page.locator(".need", { hasText: "Import orders" });
    await need.getByText("…", { exact: true }).click();
    await need.getByRole("link", { name: "Story" }).click();
    await page
      .locator("h1", { hasText: /^Import orders failed .+: connection refused: db\.internal:5432\.$/ })
      .waitFor();
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await page.locator(".story-about", { hasText: "acknowledged by Ada" }).waitFor();
    await page.getByRole("button", { name: "Take back" }).click();
    await page.getByRole("button", { name: "Acknowledge" }).waitFor();
    const acts = page.locator("#story .is-acted p", { hasText: "by Ada" });
    expect(await acts.allTextContents()).toEqual(["Acknowledged by Ada", "Acknowledgement taken back by Ada"]);
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.locator(".story-about", { hasText: "closed by hand after" }).waitFor();
    expect(await page.getByRole("button", { name: "Resolve" }).count()).toBe(0);
  });
});
