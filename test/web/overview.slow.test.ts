// The overview in a real browser: what it says, that it stays true while it is open, and that it works without script,
// on a phone, in the dark and by keyboard.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { livePathOf, startPages } from "../support/pages.ts";
import { accessibilityFaults, browserCommand, faultsOfPages, holds, isTooWide, PHONE } from "./browser.ts";
import { openWorld, openWorldPage, WORLD_ENDS } from "./world.ts";

const HOSTILE = `<script>document.title="owned"</script><svg onload=alert(1)>"'&\u202e gnp.exe 😀 ${"x".repeat(120)}`;

const WEEK = 7 * DAY;

/** Pages of a service whose clock follows the real one. */
function pagesOf(service: Service, changes: Parameters<typeof startPages>[1] = {}) {
  const clock = { now: () => service.now, monotonic: () => performance.now() };
  return startPages(service.engine, { clock, ...changes });
}

describe.if(browserCommand !== null)("the overview", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openWorld();
    await service.send(
      ping({ monitorKey: "hostile", name: HOSTILE, schedule: "0 4 * * *", message: HOSTILE, kind: "fail" }),
    );
    const { id } = service.store.database
      .query<{ id: number }, []>("select id from monitors where key = 'photos-sync'")
      .get()!;
    const weeks = [4, 4, 9, 22].map((minutes, place) => {
      const from = service.now - (4 - place) * WEEK;
      return { from, runs: 7, medianMs: minutes * MINUTE };
    });
    service.store.runLengths.save(id, service.now, weeks);
    pages = pagesOf(service);
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  test("says first what needs attention, in the words of the alerts", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page, complaints } = opened;
    expect(await page.title()).toBe("3 need attention · rollcall");
    // The message about the third is a few seconds old, and may be on its way.
    expect(await page.locator("h1").textContent()).toBe(
      "3 of 9 jobs need attention, and no one has been notified of 2.",
    );
    const needs = (await page.locator("#needs").textContent())!.replaceAll(/\s+/g, " ");
    expect(needs).toMatch(/Import orders prod ?failed \d+ \w+ ago[^:]*: connection refused: db.internal:5432/);
    expect(needs).toMatch(/Nightly backup prod ?did not report; \d+ h .*late, due (?:\w+ )?\d\d:\d\d/);
    expect(complaints).toEqual([]);
  });

  test("shows each job with its schedule in words, its next slot and its last 30 runs", async () => {
    await using opened = await openWorldPage(pages.url);
    const row = opened.page.locator(".row", { hasText: "Photos sync" });
    expect(await row.locator(".row-name, .row-schedule, .row-last, .row-next").allTextContents()).toEqual([
      "Photos sync",
      "every 30 minutes",
      expect.stringMatching(/ago$/),
      expect.stringMatching(/^in /),
    ]);
    expect(await row.locator(".strip title").textContent()).toMatch(
      /^The last 30 runs: 1 failed, 29 well; the longest took \d min/,
    );
  });

  test("has the heads of its list over their columns, however wide it is", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    const lefts = (selector: string): Promise<number[]> =>
      page.evaluate(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => one.checkVisibility())
          .map((one) => Math.round(one.getBoundingClientRect().left))`,
      );
    for (const width of [1280, 1440, 800]) {
      await page.setViewportSize({ width, height: 800 });
      const heads = await lefts(".group:first-child .jobs-head > small");
      expect([width, heads.length]).toEqual([width, width < 960 ? 4 : 5]);
      const cells = ":is(.row-schedule, .row-length, .row-last, .row-next, .strip)";
      expect(await lefts(`.group:first-child .row:first-child > ${cells}`)).toEqual(heads);
    }
  });

  test("takes hostile names and messages for text", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page, complaints } = opened;
    expect(await page.title()).toBe("3 need attention · rollcall");
    expect(await page.locator("main script, main svg[onload]").count()).toBe(0);
    expect(await page.locator(".row-name", { hasText: "<script>" }).count()).toBe(1);
    expect(await page.content()).not.toContain("\u202e");
    expect(await isTooWide(page)).toBe(false);
    expect(complaints).toEqual([]);
  });

  test("is accessible and fits its window", async () => {
    expect(await faultsOfPages([pages.url], { now: WORLD_ENDS })).toEqual([]);
  });

  test("is narrowed, sorted and grouped by its address, without script too", async () => {
    await using opened = await openWorldPage(pages.url, { javaScriptEnabled: false });
    const { page } = opened;
    await page.fill("input[type=search]", "CERT");
    await page.getByRole("button", { name: "Show" }).click();
    expect(new URL(page.url()).searchParams.get("find")).toBe("CERT");
    expect(await page.locator(".row-name").allTextContents()).toEqual(["Certificates"]);
    await page.goto(`${pages.url}/?show=trouble&sort=name`);
    expect(await page.locator(".row-name").count()).toBe(3);
    await page.goto(`${pages.url}/?group=owner&sort=next`);
    expect(await page.locator(".group-head span").allTextContents()).toEqual(["of nobody 9 jobs"]);
    await page.goto(`${pages.url}/?find=nothing-like-it`);
    expect(await page.locator(".nothing").textContent()).toContain("No job has “nothing-like-it” in its name or key.");
  });

  test("is walked by keyboard", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    const first = await page.locator(".row-name").first().getAttribute("href");
    expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe(first);
    await page.keyboard.press("?");
    expect(await page.locator("#help").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
  });

  test("shows a report when it arrives, and changes nothing else on the page", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page, complaints } = opened;
    await page.locator(".chip").first().focus();
    await page.evaluate("document.querySelector('.chip').marked = true");
    service.look(service.now + 1_000);
    await service.send(ping({ monitorKey: "import-orders", kind: "heartbeat" }));
    service.endTurns();
    await page.locator("h1", { hasText: "2 of 9 jobs need attention, and" }).waitFor();
    expect(await page.title()).toBe("2 need attention · rollcall");
    expect(await page.evaluate("document.activeElement.marked")).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("cuts how long a job takes before it cuts how much slower it gets", async () => {
    await using opened = await openWorldPage(pages.url);
    const { page } = opened;
    for (const width of [320, 390, 800, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const cut = await page.evaluate(`[...document.querySelectorAll(".row-length em")].map((slower) => {
        const [part, whole] = [slower, slower.parentElement].map((each) => each.getBoundingClientRect());
        return [slower.textContent, slower.scrollWidth > slower.clientWidth || part.right > Math.ceil(whole.right)];
      })`);
      expect([width, cut]).toEqual([width, [[expect.stringMatching(/^↗ \d+× in \d+ weeks?$/), false]]]);
    }
  });

  test("acknowledges an incident and pauses its job, with script and without", async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using opened = await openWorldPage(pages.url, { javaScriptEnabled });
      const need = opened.page
        .locator(".need", { has: opened.page.getByRole("button", { name: "Acknowledge" }) })
        .first();
      const name = (await need.locator("h2 a").textContent())!;
      await need.getByRole("button", { name: "Acknowledge" }).click();
      const same = opened.page.locator(".need", { hasText: name.slice(0, 20) });
      await opened.page.getByText(/^Taken on: you \d/).click();
      await same.filter({ hasText: /Ada, / }).waitFor();
      await same.getByText("…", { exact: true }).click();
      await same.getByRole("button", { name: "Pause for 1 hour" }).click();
      await opened.page.locator(".row.is-paused", { hasText: name.slice(0, 20) }).waitFor();
      // The sentence on top does not count it either.
      expect(await same.count()).toBe(0);
    }
  });
});

describe.if(browserCommand !== null)("where all is well", () => {
  const calm = (count: number) =>
    openWorld(
      Array.from({ length: count }, (_, place) => {
        const schedule = place % 2 === 0 ? `${place % 45} * * * *` : `${place % 45} ${place % 24} * * *`;
        return { key: `job-${place}`, name: `Job ${place}`, schedule, takes: 20 * SECOND };
      }),
      0,
      { runs: 1 },
    );

  test("it shows the day as one strip, without script too, which leads to the day", async () => {
    using service = await calm(40);
    await service.send(ping({ monitorKey: "once", kind: "fail", schedule: "@daily" }), ping({ monitorKey: "once" }));
    service.look(service.now + 15 * SECOND);
    const pages = pagesOf(service);
    try {
      for (const options of [PHONE, { viewport: { width: 768, height: 900 } }]) {
        await using opened = await openWorldPage(pages.url, { ...options, javaScriptEnabled: false });
        const { page } = opened;
        const strip = page.locator(".day-strip");
        expect(await strip.locator(".note").textContent()).toBe(
          "1 of 41 jobs had trouble in the last 24 hours. When jobs start:",
        );
        expect(await strip.locator("title").textContent()).toStartWith(
          "How many jobs start in each 30 minutes: at most ",
        );
        expect(await strip.locator(".day-now").count()).toBe(1);
        expect(await isTooWide(page)).toBe(false);
        await strip.click();
        expect(new URL(page.url()).pathname).toBe("/day");
      }
      await using opened = await openWorldPage(pages.url);
      expect(await accessibilityFaults(opened.page)).toEqual([]);
      expect(await opened.page.locator(".next").textContent()).toMatch(
        /^Quiet for (?:\d+ seconds?|less than a second). Next: Job \d+ in \d+ min.$/,
      );
      // Nothing changes on the server, and the page still says the truth half an hour later.
      await opened.page.clock.fastForward(30 * MINUTE);
      await holds(opened.page, "document.querySelector('.next').textContent.startsWith('Quiet for 30 minutes.')");
      await opened.page.goto(`${pages.url}/?find=job`);
      expect(await opened.page.locator(".day-strip").count()).toBe(0);
      await service.send(ping({ monitorKey: "once", kind: "fail", schedule: "@daily" }));
      await opened.page.goto(pages.url);
      expect(await opened.page.locator(".day-strip").count()).toBe(0);
    } finally {
      await pages.stop(0);
    }
  });

  test("of 2,000 jobs the strip is no longer than of 40", async () => {
    using few = await calm(40);
    using many = await calm(2_000);
    const lengths: number[] = [];
    for (const service of [few, many]) {
      const pages = pagesOf(service);
      const text = await (await fetch(pages.url)).text();
      lengths.push(text.slice(text.indexOf('id="small-day"'), text.indexOf('id="filters"')).length);
      await pages.stop(0);
    }
    expect(lengths[1]! - lengths[0]!).toBeLessThan(1_000);
    expect(lengths[1]!).toBeLessThan(5_000);
  });
});

test("an open page does not hold up a stop", async () => {
  using service = await openWorld([]);
  const pages = pagesOf(service);
  const live = await fetch(pages.url + livePathOf("/"));
  // Held up, it would take longer than a test may.
  await pages.stop(600_000);
  expect(await live.text()).toStartWith(": open");
});

describe.if(browserCommand !== null)("an empty installation", () => {
  test("shows how to send the first report, makes a key, and becomes the overview when it arrives", async () => {
    using service = await openWorld([]);
    const pages = pagesOf(service);
    try {
      await using opened = await openWorldPage(pages.url);
      const { page } = opened;
      expect(await page.locator("h1").textContent()).toBe("No job has reported yet.");
      expect(await page.locator(".code").first().textContent()).toContain(`${pages.url}/api/v1/ping/my-first-job/KEY`);
      expect(await page.locator(".first .copy").allTextContents()).toEqual([
        expect.stringContaining("curl "),
        expect.stringMatching(
          /^sudo mkdir -p \/etc\/rollcall && printf .* KEY \| sudo tee .* && sudo rollcall discover --apply/,
        ),
        expect.stringContaining("rollcall import healthchecks "),
      ]);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Make a key for prod" }).click();
      await page
        .locator(".code", { hasText: /ck_app_\w+/ })
        .first()
        .waitFor();
      await page.goto(pages.url);
      await service.send(ping({ monitorKey: "my-first-job", schedule: "*/5 * * * *" }));
      service.endTurns();
      await page
        .locator(".row", { hasText: "my-first-job" })
        .or(page.locator(".row", { hasText: "My first job" }))
        .waitFor();
      expect(await page.locator("h1").textContent()).toBe("The only job answered.");
      expect(await page.locator(".first").count()).toBe(0);
    } finally {
      await pages.stop(0);
    }
  });
});
