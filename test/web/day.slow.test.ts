// The day, over HTTP and in a real browser: whom it shows which jobs, that it stays true while it is open, and that it
// works without script, on a phone, in the dark and by keyboard.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { oneGap } from "../../src/domain/monitor/gap.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";
import { accessibilityFaults, browserCommand, isTooWide, PHONE } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

const HOSTILE = `<script>document.title="owned"</script><svg onload=alert(1)>"'&\u202e gnp.exe 😀 ${"x".repeat(120)}`;

function pagesOf(service: Service, changes: Parameters<typeof startPages>[1] = {}) {
  const clock = { now: () => service.now, monotonic: () => performance.now() };
  return startPages(service.engine, { clock, ...changes });
}

const textOf = async (server: Server, path: string): Promise<string> => (await fetch(`${server.url}${path}`)).text();
const namesIn = (page: string): string[] => [...page.matchAll(/data-row[^>]*>([^<]*)</g)].map(([, name]) => name!);

describe("over HTTP", () => {
  let service: Service;
  let pages: Server;
  beforeAll(async () => {
    service = await openWorld();
    const plain = Array.from({ length: 60 }, (_, place) => ping({ monitorKey: `job-${place}`, schedule: "0 * * * *" }));
    await service.send(...plain);
    service.engine.operate("app create", { slug: "staging" });
    const staging = { ...ping().caller, applicationId: 2, application: "staging" };
    await service.send(ping({ caller: staging, monitorKey: "secret", schedule: "0 3 * * *" }));
    pages = pagesOf(service);
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  test("the day shows the jobs of a viewer's applications alone, in rows, words, busy minutes and choices", async () => {
    const some = pagesOf(service, { viewer: { ...ADA, role: "viewer", applications: ["staging"] } });
    const page = await textOf(some, "/day");
    expect(namesIn(page)).toEqual(["Secret"]);
    expect(page).not.toContain("prod");
    expect(page).not.toContain("Nightly backup");
    expect(namesIn(await textOf(some, "/day?app=prod"))).toEqual([]);
    await some.stop(0);
  });

  test("50 jobs make a page, those with trouble first; the address narrows them", async () => {
    const first = namesIn(await textOf(pages, "/day"));
    expect(first).toHaveLength(50);
    expect(first.slice(0, 3)).toEqual(["Import orders", "Nightly backup", "Photos sync"]);
    const second = namesIn(await textOf(pages, "/day?page=2"));
    expect([second.length, second.filter((name) => first.includes(name))]).toEqual([19, []]);
    expect(namesIn(await textOf(pages, "/day?page=99"))).toEqual(second);
    expect(namesIn(await textOf(pages, "/day?find=CERT"))).toEqual(["Certificates"]);
    expect(namesIn(await textOf(pages, "/day?app=staging"))).toEqual(["Secret"]);
    expect(namesIn(await textOf(pages, "/day?show=trouble&span=week&find=o"))).toContain("Photos sync");
    expect(await textOf(pages, "/day?find=%3Cb%3E")).toContain("No job has “&lt;b&gt;” in its name or key.");
  });

  test("a page of 50 jobs is small, also in its largest form", async () => {
    for (const path of ["/day", "/day?span=week"]) {
      const answer = await fetch(`${pages.url}${path}`, {
        headers: { "accept-encoding": "gzip" },
        decompress: false,
      } as RequestInit);
      expect((await answer.arrayBuffer()).byteLength).toBeLessThan(40_000);
    }
  });

  test("times are those of the zone that the browser has told, else the server's; a wrong one stands for none", async () => {
    const zoned = async (cookie: string): Promise<string | undefined> => {
      const page = await (await fetch(`${pages.url}/day`, { headers: { cookie } })).text();
      return /class="day-zone">([^<]*)/.exec(page)?.[1];
    };
    expect(await zoned("a=b; rollcall-zone=America%2FNew_York")).toBe("America/New_York");
    expect(await zoned("rollcall-zone=Etc%2FGMT%2B1")).toBe("Etc/GMT+1");
    for (const wrong of [
      "",
      "rollcall-zone=",
      "rollcall-zone=%3Cb%3E",
      "rollcall-zone=Mars%2FBase",
      "rollcall-zone=%zz",
    ])
      expect(await zoned(wrong)).toBe("UTC");
  });

  test("who has not signed in is led to the door", async () => {
    const closed = pagesOf(service, { viewer: null });
    const answer = await fetch(`${closed.url}/day?span=week`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in?to=%2Fday%3Fspan%3Dweek"]);
    await closed.stop(0);
  });
});

describe.if(browserCommand !== null)("in a browser", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openWorld();
    const gapFrom = service.now - 8 * HOUR;
    service.store.gaps.save({ id: 1, gap: oneGap(gapFrom, gapFrom + 50 * MINUTE, "stopped") });
    await service.send(
      ping({ monitorKey: "hostile", name: HOSTILE, schedule: "0 4 * * *", message: HOSTILE, kind: "fail" }),
    );
    pages = pagesOf(service);
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  /** The zone is told with the first page, and holds for the next. */
  async function openDay(path = "/day", options: Parameters<typeof openWorldPage>[1] = {}) {
    const opened = await openWorldPage(pages.url, options);
    await opened.page.goto(`${pages.url}${path}`);
    return opened;
  }

  test("says in a sentence how it went, shows a row for each job, and what rollcall did not hear", async () => {
    await using opened = await openDay();
    const { page, complaints } = opened;
    expect(await page.locator("h1").textContent()).toBe("5 of 9 jobs had trouble in the last 24 hours.");
    expect(await page.locator(".day-zone").textContent()).toBe("Europe/Berlin");
    expect((await page.locator(".day-row-name a").allTextContents()).slice(1, 4)).toEqual([
      "Import orders",
      "Nightly backup",
      "Photos sync",
    ]);
    expect(await page.locator("#day-notes").textContent()).toContain("rollcall could not hear 04:47:30 to 05:37:30");
    expect(await page.locator(".day-gap").count()).toBe(1);
    expect(await page.locator("nav a[aria-current=page]").textContent()).toBe("Day");
    expect(complaints).toEqual([]);
  });

  test("tells each job's story in words, by keyboard and without script", async () => {
    await using opened = await openDay("/day", { javaScriptEnabled: false });
    const { page } = opened;
    const row = page.locator(".day-row", { hasText: "Nightly backup" });
    expect(await row.locator("title").last().textContent()).toBe("Nightly backup: 1 missed");
    expect(await row.locator("li").first().isVisible()).toBe(false);
    await row.locator("summary").focus();
    await page.keyboard.press("Enter");
    expect(await row.locator("li").allTextContents()).toEqual(["01:00 missed: nothing came"]);
  });

  test("shows the story of the slot that is pointed at, or touched", async () => {
    await using opened = await openDay();
    const { page } = opened;
    const mark = page.locator(".day-row", { hasText: "Nightly backup" }).locator("use[href='#day-missed']");
    await mark.hover({ force: true });
    expect(await page.locator("#day-tip").textContent()).toBe("02:00 missed: nothing came");
    await page.mouse.move(5, 5);
    expect(await page.locator("#day-tip").isVisible()).toBe(false);
    await using touched = await openDay("/day", PHONE);
    await touched.page.locator("use[href='#day-missed']").first().tap({ force: true });
    expect(await touched.page.locator("#day-tip").isVisible()).toBe(true);
  });

  test("moves the line of now with the clock", async () => {
    await using opened = await openDay();
    const { page } = opened;
    const placeOf = async () => Number.parseFloat((await page.locator("line.day-now").getAttribute("x1"))!);
    const before = await placeOf();
    await page.clock.fastForward(37 * MINUTE);
    expect(await placeOf()).toBeCloseTo(before + (37 * 100) / (37 * 60), 1);
  });

  test("leads to the week, to yesterday and back, and marks where clocks will change", async () => {
    await using opened = await openDay("/day", { javaScriptEnabled: false });
    const { page } = opened;
    await page.getByRole("link", { name: "Week", exact: true }).click();
    expect(await page.locator("h1").textContent()).toBe("5 of 9 jobs had trouble in the last week.");
    await page.getByRole("link", { name: "Day", exact: true }).last().click();
    await page.getByRole("link", { name: "Earlier" }).click();
    expect(page.url()).toBe(`${pages.url}/day?until=2026-03-04T00%3A00Z`);
    expect(await page.locator(".day-now").count()).toBe(0);
    await page.getByRole("link", { name: "Later" }).click();
    expect(page.url()).toBe(`${pages.url}/day`);
    await page.goto(`${pages.url}/day?until=2026-03-29T12:00Z`);
    expect(await page.locator("#day-notes").textContent()).toContain(
      "clocks go from 02:00 to 03:00 in Europe/Berlin (Sun 29 Mar 01:00)",
    );
    expect(await page.locator(".day-change").count()).toBe(1);
  });

  test("shows a report when it arrives and the hour when it is over, and leaves open what is open", async () => {
    await using opened = await openDay();
    const { page, complaints } = opened;
    const row = page.locator(".day-row", { hasText: "Import orders" });
    await row.locator("summary").click();
    await page.evaluate("document.querySelector('#day-rows').marked = true");
    service.look(service.now + 1_000);
    await service.send(ping({ monitorKey: "import-orders", kind: "heartbeat" }));
    service.endTurns();
    await row.locator("li", { hasText: "12:47:31 reported" }).waitFor();
    expect(await row.locator("details[open]").count()).toBe(1);
    expect(await page.evaluate("document.querySelector('#day-rows').marked")).toBe(true);
    const figure = page.locator("#day-figure");
    const from = Number(await figure.getAttribute("data-from"));
    service.look(service.now + 15 * MINUTE);
    service.endTurns();
    await page.locator(`#day-figure[data-from="${from + HOUR}"]`).waitFor();
    expect(await row.locator("details[open]").count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("of days that are over holds no connection, and keeps one for others", async () => {
    const page = (search: string) => textOf(pages, `/day${search}`);
    expect(await page("?until=2026-03-01T00:00Z")).not.toContain("data-live");
    expect(await page("?until=2026-03-09T00:00Z&span=week")).toContain("/day?span=week&amp;until=2026-03-09T00%3A00Z");
  });

  test("takes hostile names and messages for text", async () => {
    await using opened = await openDay();
    const { page, complaints } = opened;
    expect(await page.title()).toBe("Day · rollcall");
    expect(await page.locator("main script, main svg[onload]").count()).toBe(0);
    const name = page.locator(".day-row-name a", { hasText: "<script>" });
    expect([await name.count(), (await name.textContent())!.includes("\u202e")]).toEqual([1, false]);
    expect(await isTooWide(page)).toBe(false);
    expect(complaints).toEqual([]);
  });

  test.each([
    ["light", "light", {}],
    ["on a phone in the dark", "dark", PHONE],
  ] as const)("is accessible and fits its window: %s", async (_, colorScheme, options) => {
    await using opened = await openDay("/day", { ...options, colorScheme });
    const { page } = opened;
    await page.locator("summary", { hasText: "missed" }).first().click();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });
});

test("an installation without jobs says so, and leads to the first report", async () => {
  using service = await openWorld([]);
  const pages = pagesOf(service);
  const page = await textOf(pages, "/day");
  expect(page).toContain("No job has reported yet.");
  expect(page).not.toContain("day-figure");
  await pages.stop(0);
});
