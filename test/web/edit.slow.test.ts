// A job's settings changed on its page: by the operation `monitor set` alone, by those who may, with what it would mean
// as one types, and with script and without.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import type { Server } from "../../src/http/server.ts";
import type { Viewer } from "../../src/web/viewer.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { accessibilityFaults, browserCommand, holds, isTooWide, PHONE } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

const JOB = "/jobs/prod/nightly-backup";

const shownOf = ({ engine }: Service, key = "nightly-backup") =>
  granted(engine.operate("monitor show", { application: "prod", key }));

describe.if(browserCommand !== null)("the drawer that changes a job", () => {
  let service: Service;
  let pages: Server;

  beforeAll(async () => {
    service = await openWorld();
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock, viewer: { ...ADA, role: "operator" } });
  });
  afterAll(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  const isInside = (page: Page): Promise<true> =>
    holds(
      page,
      `(() => { const body = document.querySelector("#job-edit .menu-body");
        const box = body.getBoundingClientRect();
        return body.scrollWidth <= body.clientWidth && box.height > 300 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight; })()`,
    );

  test.each([
    ["a wide window", {}, "15 4 * * *", "at 04:15, every day"],
    ["a phone", PHONE, "30 5 * * 1", "at 05:30"],
  ])("in %s says what a schedule means as one types, and is used by keys", async (_, options, schedule, words) => {
    await using opened = await openWorldPage(pages.url + JOB, options);
    const { page, complaints } = opened;
    await page.locator("#job-edit > summary").focus();
    await page.keyboard.press("Enter");
    await isInside(page);
    expect([await isTooWide(page), await accessibilityFaults(page)]).toEqual([false, []]);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.id")).toBe("edit-schedule");
    await page.keyboard.press("Control+A");
    await page.keyboard.type(schedule);
    const times = page.locator("#edit-schedule-hint");
    await times.getByText(words).waitFor();
    expect(await times.locator("time").count()).toBe(5);
    expect(await page.locator("#edit-schedule").inputValue()).toBe(schedule);
    await page.keyboard.press("Enter");
    await page.locator("#job-slots", { hasText: words }).waitFor();
    expect(shownOf(service).settings.schedule.value).toBe(schedule);
    const story = page.locator("#job-story");
    expect(await story.textContent()).toMatch(/Settings changed by Adaschedule: [\d *]+ became /);
    expect(await story.textContent()).toContain(` became ${schedule}`);
    await page.locator("#toast").getByRole("button", { name: "Undo" }).click();
    await page.locator("#job-slots", { hasNotText: words }).waitFor();
    expect(await story.textContent()).toContain(`schedule: ${schedule} became `);
    expect([await page.locator("#job-edit[open]").count(), complaints]).toEqual([0, []]);
  });

  test("says of a limit that is written what it would have done to the last runs", async () => {
    const noted = async (key: string, typed: string) => {
      const page = await (await fetch(`${pages.url}/jobs/prod/${key}/edit?${typed}`)).text();
      const hints = ["graceSeconds", "maxRuntimeSeconds"].map((field) =>
        new RegExp(`<small id="edit-${field}-hint"[^>]*>([^<]*)`).exec(page),
      );
      return hints.map((found) => found?.[1]);
    };
    const inTime = "None of its last 30 reports came later than 1 min; the most was 1 s.";
    expect(await noted("photos-sync", "maxRuntimeSeconds=4m")).toEqual([
      inTime,
      "30 of its last 30 runs took longer than 4 min; the most was 5 min 48 s.",
    ]);
    expect(await noted("photos-sync", "graceSeconds=2m&maxRuntimeSeconds=1h")).toEqual([
      "None of its last 30 reports came later than 2 min; the most was 1 s.",
      "None of its last 30 runs took longer than 1 h; the most was 5 min 48 s.",
    ]);
    const judged = await (await fetch(`${pages.url}/jobs/prod/photos-sync/edit?maxRuntimeSeconds=4m`)).text();
    expect(judged).toMatch(/>In the last [\d a-z]+: [\d,]+ alarms? under these settings, \d+ as it is\.</);
    // Under another schedule its reports would have had other times.
    const usual = "Usually 5 min, at most 6 min.";
    expect(await noted("photos-sync", "graceSeconds=1m&schedule=1+1+*+*+*")).toEqual([
      "How late a report may be, such as 90s, 15m or 2h.",
      usual,
    ]);
    expect(await noted("photos-sync", "")).toEqual([inTime, usual]);
  });

  test("asks for four things, says what the last runs say of each once it is open, and has the rest under More", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/photos-sync`);
    const { page } = opened;
    await page.getByText("Edit…").click();
    await page.locator("#edit-graceSeconds-hint", { hasText: "of its last 30 reports" }).waitFor();
    const labels = page.locator("#edit .field label");
    const shown = async () =>
      (await labels.all()).map(async (label) => [await label.isVisible(), await label.textContent()]);
    const visible = (await Promise.all(await shown())).filter(([isVisible]) => isVisible).map(([, text]) => text);
    expect(visible).toEqual(["When", "How late", "How long", "Note"]);
  });

  test("says beside a field what is wrong with it, keeps what was written, and changes nothing", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/certificates`);
    const { page, complaints } = opened;
    const before = shownOf(service, "certificates").settings;
    await page.getByText("Edit…").click();
    await page.locator("#edit-more > summary").click();
    await page.locator("#edit-name").fill("All certificates");
    await page.locator("#edit-graceSeconds").fill("5s");
    await page.locator("#edit-graceSeconds-hint", { hasText: "It must be a duration" }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    const wrong = page.locator("#edit-graceSeconds-wrong");
    expect(await wrong.textContent()).toBe("It must be a duration such as 90s, 15m, 2h or 7d, from 1m to 3650d.");
    await holds(page, `document.activeElement.id === "edit-graceSeconds"`);
    expect(await page.locator("#edit-name").inputValue()).toBe("All certificates");
    expect(shownOf(service, "certificates").settings).toEqual(before);
    await page.locator("#edit-graceSeconds").fill("20m");
    await page.locator("#edit-severity").selectOption("critical");
    await page.locator("#edit-labels").fill("+db");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator("h1", { hasText: "All certificates" }).waitFor();
    const { graceSeconds, severity, labels } = shownOf(service, "certificates").settings;
    expect([graceSeconds.value, severity.value, labels.value]).toEqual([1200, "critical", "db"]);
    // The browser notes that an answer was 400.
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  test("a field under More that is refused is in sight, and has the focus", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/certificates`);
    const { page } = opened;
    await page.getByText("Edit…").click();
    expect(await page.locator("#edit-timezone").isVisible()).toBe(false);
    await page.locator("#edit-more > summary").focus();
    await page.keyboard.press("Enter");
    await page.locator("#edit-timezone").fill("Mars/Base");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.locator("#edit-more > summary").click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator("#edit-timezone-wrong", { hasText: '"Mars/Base" is no time zone' }).waitFor();
    await holds(page, `document.activeElement.id === "edit-timezone"`);
    expect(await isTooWide(page)).toBe(false);
  });

  test("keeps what is written while the page goes on", async () => {
    await using opened = await openWorldPage(`${pages.url}/jobs/prod/photos-sync`);
    const { page } = opened;
    await page.getByText("Edit…").click();
    await page.locator("#edit-maxRuntimeSeconds").fill("2h");
    await page.locator("#edit-schedule").focus();
    granted(service.engine.operate("monitor set", { application: "prod", key: "photos-sync", name: "Pictures" }));
    service.endTurns();
    await page.locator("h1", { hasText: "Pictures" }).waitFor();
    expect(await page.locator("#edit-maxRuntimeSeconds").inputValue()).toBe("2h");
    expect(await page.locator("#job-edit[open]").count()).toBe(1);
  });
});

describe("the form that changes a job", () => {
  const POLICY = policyWith({ monitors: { job: { graceSeconds: 600 } } });

  async function opened(viewer: Viewer = { ...ADA, role: "operator" }) {
    const service = openService(POLICY);
    await service.send(ping({ monitorKey: "job", schedule: "0 2 * * *", timezone: "Europe/Berlin" }));
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    const grace = { key: "applications.prod.monitors.job.grace", value: "10m", secret: false, meaning: "" };
    const settings = [{ ...grace, from: "rollcall.toml:12" }];
    const inForce = { settings, sources: [], onDisk: () => ({ kind: "read", changes: [] }) as const };
    const pages = startPages(service.engine, { viewer, clock, inForce });
    const path = `${pages.url}/jobs/prod/job/edit`;
    return {
      service,
      look: async (search = "") => {
        const answer = await fetch(path + search);
        return { status: answer.status, text: await answer.text() };
      },
      send: async (fields: Record<string, string>) => {
        const answer = await fetch(path, {
          method: "POST",
          redirect: "manual",
          headers: { "sec-fetch-site": "same-origin" },
          body: new URLSearchParams(fields),
        });
        return { status: answer.status, text: await answer.text() };
      },
      job: () => shownOf(service, "job").settings,
      [Symbol.asyncDispose]: async () => {
        await pages.stop(0);
        service[Symbol.dispose]();
      },
    };
  }

  test("works without script: it shows the times of what was written, and changes what differs", async () => {
    await using form = await opened();
    const { status, text } = await form.look("?schedule=45+6+*+*+*&name=Mine");
    expect(status).toBe(200);
    expect(text).toContain("at 06:45, every day");
    expect(text).toMatch(/<input id="edit-name"[^>]*value="Mine"/);
    const zones = /id="edit-schedule-hint".*?<span class="where">([^<]*)</s;
    const zoneOf = async (search: string) => zones.exec((await form.look(search)).text)?.[1];
    // An empty field: the zone of its application.
    expect([await zoneOf(""), await zoneOf("?timezone=")]).toEqual(["Europe/Berlin", "UTC"]);
    expect(form.job().schedule.value).toBe("0 2 * * *");
    const same = { schedule: "0 2 * * *", everySeconds: "", timezone: "Europe/Berlin", maxRuntimeSeconds: "" };
    expect((await form.send({ ...same, name: "" })).status).toBe(303);
    expect(form.service.count("audit")).toBe(0);
    expect((await form.send({ ...same, name: "<b>Mine", maxRuntimeSeconds: "2h", timezone: "" })).status).toBe(303);
    const { name, maxRuntimeSeconds, timezone } = form.job();
    expect([name.value, maxRuntimeSeconds.value, timezone.declared]).toEqual(["<b>Mine", 7200, null]);
    expect((await form.look()).text).not.toContain("<b>Mine");
  });

  test("without script, More stands open where something in it was written or is refused", async () => {
    await using form = await opened();
    const isOpen = (text: string): boolean => /<details id="edit-more" class="more" open/.test(text);
    expect(isOpen((await form.look()).text)).toBe(false);
    expect(isOpen((await form.look("?schedule=1+1+*+*+*&timezone=Europe%2FBerlin&name=")).text)).toBe(false);
    expect(isOpen((await form.look("?name=Mine")).text)).toBe(true);
    expect(isOpen((await form.look("?timezone=")).text)).toBe(true);
    expect(isOpen((await form.send({ timezone: "Mars/Base" })).text)).toBe(true);
    expect((await form.look()).text).toContain('<option value="Europe/Oslo">');
  });

  test("leaves alone what another person changed since the page was shown", async () => {
    await using form = await opened();
    const inputs = (await form.look()).text.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/g);
    const shown = Object.fromEntries([...inputs].map(([, name, value]) => [name!, value!]));
    expect((await form.send({ ...shown, schedule: "0 5 * * *" })).status).toBe(303);
    expect((await form.send({ ...shown, name: "Mine" })).status).toBe(303);
    expect([form.job().schedule.value, form.job().name.value]).toEqual(["0 5 * * *", "Mine"]);
  });

  test("R44: an interval takes the place of the schedule, and both at once are refused beside their fields", async () => {
    await using form = await opened();
    expect((await form.look("?everySeconds=5m")).text).toContain("at least every 5 minutes");
    const both = await form.send({ schedule: "0 3 * * *", everySeconds: "5m" });
    expect(both.status).toBe(400);
    expect(both.text).toMatch(/id="edit-schedule-wrong"[^>]*>Both are given, name one of them\./);
    expect((await form.send({ schedule: "0 2 * * *", everySeconds: "5m" })).status).toBe(303);
    expect([form.job().schedule.value, form.job().everySeconds.value]).toEqual([null, 300]);
    // What is in force is asked for first, the other is under More.
    const [first, more] = (await form.look()).text.split('<details id="edit-more"');
    expect([first!.includes('id="edit-everySeconds"'), more!.includes('id="edit-schedule"')]).toEqual([true, true]);
  });

  test("R31: what the configuration or a registry sets is shown and locked, with who sets it", async () => {
    await using form = await opened();
    expect((await form.look()).text).toMatch(/<input id="edit-graceSeconds"[^>]*value="10m"[^>]*disabled/);
    expect((await form.look()).text).toContain("set by the configuration (rollcall.toml:12)");
    expect((await form.send({ graceSeconds: "20m" })).status).toBe(303);
    expect(form.job().graceSeconds).toMatchObject({ value: 600, declared: null });
    const declared = { ...NOTHING_DECLARED, schedule: "0 4 * * *" };
    form.service.engine.intake.sync(
      { applicationId: 1, application: "prod", keyId: 1, scope: "sync" },
      { source: "cron", version: null, authoritative: false, entries: [{ key: "job", declared, metadata: null }] },
    );
    expect((await form.look()).text).toMatch(
      /<input id="edit-schedule"[^>]*value="0 4 \* \* \*"[^>]*disabled.*set by its registry cron/,
    );
  });

  test("is not for viewers: the job's page has no drawer, and the form answers 403", async () => {
    await using form = await opened({ ...ADA, role: "viewer" });
    expect([(await form.look()).status, (await form.send({ name: "Mine" })).status]).toEqual([403, 403]);
    expect(form.job().name.declared).toBeNull();
  });
});
