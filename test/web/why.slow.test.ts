// The page Why in a browser of another zone: a column has one zone, that of its viewer once the browser has said it.

import { expect, test } from "bun:test";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { browserCommand } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

test.if(browserCommand !== null)(
  "the times within its sentences are in the zone of the clocks beside them",
  async () => {
    using service = await openWorld();
    granted(
      service.engine.operate("maintenance plan", { monitors: ["photos-sync"], durationSeconds: 7_200, reason: "x" }),
    );
    service.endTurns();
    const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/photos-sync/why`, {
      timezoneId: "Asia/Tokyo",
    });
    // The first page is made before the browser has said its zone; the live one tells it in that.
    const why = opened.page.locator("#why", { hasText: "times in Asia/Tokyo" });
    await why.waitFor();
    expect(await why.textContent()).toContain("In maintenance until 22:47");
    const heard = opened.page.locator("#heard");
    expect(await heard.textContent()).toContain("Who would hear of an alert");
    expect(await heard.locator("p").first().textContent()).toMatch(/ (hears of it|is not told)/);
    expect((await heard.locator("p").first().boundingBox())!.width).toBeGreaterThan(200);
    await opened.page.reload();
    expect(await opened.page.locator("#why").textContent()).toContain("times in Asia/Tokyo, and below them in UTC");
    expect(await opened.page.locator("#why").textContent()).toContain("In maintenance until 22:47");
    // The first page of a browser is made before it has said its zone: what stands open is told again in it, whole.
    await using first = await openWorldPage(`${pages.url}/jobs/prod/certificates`, {
      timezoneId: "Asia/Tokyo",
    });
    await first.page.getByText("Maintenance…").click();
    await first.page.getByLabel("Why", { exact: true }).fill("written before it came");
    await first.page.getByLabel("Until", { exact: true }).focus();
    await first.page.locator("#job-story .note", { hasText: "times in Asia/Tokyo, and below them in UTC" }).waitFor();
    expect(await first.page.locator("#job-story .event-when").first().textContent()).toMatch(
      /^\d\d:\d\d:\d\d(2026-03-0\d )?\d\d:\d\d:\d\d$/,
    );
    expect(await first.page.getByLabel("Why", { exact: true }).inputValue()).toBe("written before it came");
    await pages.stop(0);
  },
);
