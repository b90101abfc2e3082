// Status pages in a real browser: readable on every screen, with names that mean harm, and without script.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { browserCommand, faultsOfPages, PHONE } from "./browser.ts";
import { openWorld, openWorldPage, WORLD_ENDS } from "./world.ts";

const TOKEN = "2b1f0c7e9d8a4f5b6c3e2d1a0f9e8d7c6b5a4f3e";
const HOSTILE = `<script>document.title="owned"</script><svg onload=alert(1)>"'&\u202e gnp.exe 😀 ${"x".repeat(120)}`;

describe.if(browserCommand !== null)("a status page", () => {
  let service: Service;
  let server: Server;

  beforeAll(async () => {
    service = await openWorld();
    await service.send(
      ping({ monitorKey: "hostile", name: HOSTILE, schedule: "0 4 * * *", message: HOSTILE, kind: "fail" }),
    );
    server = startPages(service.engine, {
      viewer: null,
      clock: { now: () => service.now, monotonic: () => performance.now() },
      statusPages: [{ application: "prod", token: TOKEN, title: HOSTILE, jobs: ["*"], messages: true }],
    });
  });
  afterAll(async () => {
    await server.stop(0);
    service[Symbol.dispose]();
  });

  test.each([
    ["light", {}],
    ["on a phone in the dark", { ...PHONE, colorScheme: "dark" }],
  ] as const)("is accessible and fits its window, with its badges: %s", async (_, options) => {
    const urls = [`/status/${TOKEN}`, `/status/${TOKEN}/badges`].map((path) => server.url + path);
    expect(await faultsOfPages(urls, { options, now: WORLD_ENDS, widths: [320] })).toEqual([]);
  });

  test("takes hostile text for text", async () => {
    await using opened = await openWorldPage(`${server.url}/status/${TOKEN}`);
    expect(await opened.page.title()).not.toBe("owned");
  });

  test("says the same without script, and a bar says in words what its day was", async () => {
    await using opened = await openWorldPage(`${server.url}/status/${TOKEN}`, { javaScriptEnabled: false });
    const { page } = opened;
    expect(await page.locator("h1").textContent()).toBe("3 of 9 jobs are failing.");
    const backup = page.locator(".status-job", { hasText: "Nightly backup" });
    expect(await backup.locator(".days").getAttribute("aria-label")).toBe(
      "Nightly backup: 90 days: 1 missed, 12 well, 1 nothing expected, 76 not watched yet",
    );
    expect(await backup.locator("title").allTextContents()).toContain("2026-03-04: 1 missed; 1 was expected");
  });

  test("shows its badges as pictures that load", async () => {
    await using opened = await openWorldPage(`${server.url}/status/${TOKEN}/badges`);
    const widths = await opened.page.evaluate("[...document.images].map(({ naturalWidth }) => naturalWidth)");
    expect(widths).toHaveLength(10);
    for (const width of widths as number[]) expect(width).toBeGreaterThan(50);
  });
});
