// One line says what was done just now, in the words of the story and of the audit, with the way to take it back; with
// script it comes onto the page, and without it stands on the page that follows.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Server } from "../../src/http/server.ts";
import { ping, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { PASSWORD, startPeople } from "../support/people-server.ts";
import { granted } from "../support/service.ts";
import { accessibilityFaults, browserCommand, isTooWide, openPage, PHONE } from "./browser.ts";
import { openWorld, openWorldPage } from "./world.ts";

const JOB = "/jobs/prod/certificates";

describe.if(browserCommand !== null)("what was done is said", () => {
  let service: Service;
  let pages: Server;

  beforeEach(async () => {
    service = await openWorld(undefined, 0, { runs: 5 });
    const clock = { now: () => service.now, monotonic: () => performance.now() };
    pages = startPages(service.engine, { clock });
  });
  afterEach(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  const said = async (page: Page): Promise<string> => {
    await page.locator("#toast .toast").waitFor();
    return (await page.locator("#toast .toast > span").textContent()) ?? "";
  };
  const undo = (page: Page) => page.locator("#toast").getByRole("button", { name: "Undo" });
  const shown = (key: string) => granted(service.engine.operate("monitor show", { key }));

  for (const [how, options] of [
    ["with script", {}],
    ["without script", { javaScriptEnabled: false }],
  ] as const) {
    const open = (path: string) => openWorldPage(pages.url + path, options);

    test(`of a pause, which can be taken back: ${how}`, async () => {
      await using opened = await open(JOB);
      const { page, complaints } = opened;
      await page.locator("#job-acts").getByText("Pause…").click();
      await page.locator("#job-acts").getByRole("button", { name: "for 1 hour" }).click();
      expect(await said(page)).toBe("Certificates: paused for 1 h.");
      await undo(page).click();
      await page.locator("#toast .toast", { hasText: "resumed" }).waitFor();
      expect([await said(page), await undo(page).count()]).toEqual(["Certificates: resumed.", 0]);
      expect([shown("certificates").status, new URL(page.url()).pathname]).toEqual(["healthy", JOB]);
      await page.reload();
      expect([await page.locator("#toast").textContent(), complaints]).toEqual(["", []]);
    });

    test(`of changed settings, from what to what: ${how}`, async () => {
      await using opened = await open(`${JOB}/edit`);
      const { page } = opened;
      await page.locator("#edit-schedule").fill("15 4 * * *");
      await page.getByRole("button", { name: "Save" }).click();
      expect(await said(page)).toBe("Certificates: settings changed; schedule: 0 */12 * * * became 15 4 * * *.");
      await undo(page).click();
      await page.locator("#toast .toast", { hasText: "became 0 */12" }).waitFor();
      expect(shown("certificates").settings.schedule.value).toBe("0 */12 * * *");
      expect(await undo(page).count()).toBe(0);
    });

    test(`of a job that is deleted, which comes back with its history: ${how}`, async () => {
      await using opened = await open(JOB);
      const { page } = opened;
      await page.locator("#job-acts").getByText("Delete…").click();
      await page.getByRole("button", { name: "Delete it" }).click();
      expect(await said(page)).toBe("Certificates: deleted.");
      expect(new URL(page.url()).pathname).toBe("/");
      await undo(page).click();
      await page.waitForURL(`${pages.url}${JOB}`);
      expect(await said(page)).toBe("Certificates: brought back.");
    });

    test(`of maintenance, which is called off on the page where it was planned: ${how}`, async () => {
      await using opened = await open(JOB);
      const { page } = opened;
      await page.locator("#job-acts").getByText("Maintenance…").click();
      await page.locator("#job-acts input[name=reason]").fill("a new disk");
      await page.locator("#job-acts input[name=until]").fill("2026-03-04T20:00");
      await page.getByRole("button", { name: "Plan maintenance" }).click();
      expect(await said(page)).toBe("Maintenance of certificates of prod has begun.");
      await undo(page).click();
      await page.locator("#toast .toast", { hasText: "Maintenance of certificates of prod has ended." }).waitFor();
      expect(new URL(page.url()).pathname).toBe(JOB);
      const { maintenances } = granted(service.engine.operate("maintenance list", {}));
      expect(maintenances.map(({ state }) => state)).toEqual(["past"]);
    });

    test(`of an incident that is acknowledged, which can be taken back: ${how}`, async () => {
      await using opened = await open("/jobs/prod/import-orders");
      const { page } = opened;
      await page.getByRole("button", { name: "Acknowledge" }).click();
      expect(await said(page)).toBe("Import orders: acknowledged.");
      await undo(page).click();
      await page.locator("#toast .toast", { hasText: "taken back" }).waitFor();
      expect([await said(page), await undo(page).count()]).toEqual(["Import orders: acknowledgement taken back.", 0]);
      expect(shown("import-orders").incident).toMatchObject({ acknowledgedAt: null });
      await page.getByRole("button", { name: "Acknowledge" }).waitFor();
    });

    test(`of a key that is revoked: ${how}`, async () => {
      const { id } = granted(service.engine.operate("key create", { application: "prod" }));
      await using opened = await open(`/keys/${id}/revoke`);
      const { page } = opened;
      await page.locator("main").getByRole("button").first().click();
      expect(await said(page)).toBe(`Key ${id} of prod no longer works.`);
    });
  }

  test("of many at once, with the first by its name", async () => {
    const send = (path: string, init: RequestInit = {}) =>
      fetch(pages.url + path, { redirect: "manual", headers: { "sec-fetch-site": "same-origin" }, ...init });
    const done = await send("/acts/many", {
      method: "POST",
      body: new URLSearchParams([
        ["do", "pause:1h"],
        ["job", "prod/certificates"],
        ["job", "prod/heartbeat"],
        ["job", "prod/report"],
      ]),
    });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/"]);
    expect(await (await send("/incidents")).text()).not.toContain("paused for 1 h.");
    expect(await (await send("/")).text()).toContain("Certificates and 2 more: paused for 1 h.");
    expect(await (await send("/")).text()).not.toContain("Certificates and 2 more");
  });

  test("of applications, keys, people and maintenance in sentences for people, with Undo where there is one", async () => {
    const { operate } = service.engine;
    granted(operate("key create", { application: "prod" }));
    for (const name of ["Ada", "Ben"]) granted(operate("user create", { name, role: "admin" }));
    const told = async (path: string, fields: Record<string, string> = {}): Promise<[string, string | null]> => {
      const init = { redirect: "manual", headers: { "sec-fetch-site": "same-origin" } } as const;
      const done = await fetch(pages.url + path, { ...init, method: "POST", body: new URLSearchParams(fields) });
      const page = await (await fetch(pages.url + done.headers.get("location")!, init)).text();
      const [, toast = ""] = /<div class="toast">(.*?)<button type="button"/s.exec(page) ?? [];
      return [/<span>(.*?)<\/span>/s.exec(toast)?.[1] ?? "", /action="([^"]*)"/.exec(toast)?.[1] ?? null];
    };
    const { id } = granted(operate("user list", {})).people.find(({ name }) => name === "Ben")!;
    expect([
      await told("/applications/prod/suspend"),
      await told("/applications/prod/resume"),
      await told("/keys/1/label", { label: "web-1" }),
      await told(`/people/${id}/rights`, { role: "viewer", applications: "prod" }),
      await told(`/people/${id}/sign-out`),
      await told(`/people/${id}/delete`),
      await told("/maintenance", {
        monitors: "nothing-*",
        until: "2026-03-04T20:00",
        from: "2026-03-04T19:00",
        reason: "x",
      }),
      await told("/new-job", { key: "new", everySeconds: "5m" }),
    ]).toEqual([
      ["Application prod is suspended: its keys are refused, and its jobs paused.", "/applications/prod/resume"],
      ["Application prod is no longer suspended.", "/applications/prod/suspend"],
      ["Key 1 of prod is called “web-1” now.", null],
      ["Ben is viewer of prod now.", null],
      ["Ben is signed out everywhere.", null],
      ["Ben is deleted, and signed out everywhere.", null],
      ["Maintenance of nothing-* of prod is planned; no job is called nothing-* yet.", "/maintenance/1/end"],
      ["New: created.", "/jobs/prod/new/delete"],
    ]);
  });

  test("it stands in one place of each page, fits a phone, and is closed by a button", async () => {
    await using opened = await openWorldPage(pages.url + JOB, PHONE);
    const { page } = opened;
    await page.getByText("Pause…").click();
    await page.getByRole("button", { name: "for 1 hour" }).click();
    await said(page);
    expect([await isTooWide(page), await accessibilityFaults(page)]).toEqual([false, []]);
    await page.locator("#toast").getByRole("button", { name: "Close" }).click();
    expect([await page.locator("#toast .toast").count(), await page.locator("#toast").count()]).toEqual([0, 1]);
  });
});

describe.if(browserCommand !== null)("what a person does whose session has ended is not done", () => {
  /** Signed in as Ada on the first page, with four open incidents; nothing tells the page that the session ended. */
  async function open(path: string, options: { javaScriptEnabled?: boolean } = {}, isBlind = true) {
    const server = startPeople();
    server.person("Ada", { role: "operator" });
    const { engine } = server.service;
    for (const key of ["a", "b", "c", "d"])
      await server.service.send(ping({ monitorKey: key, name: `Job ${key}`, schedule: "0 0 * * *", kind: "fail" }));
    server.service.endTurns();
    const opened = await openPage(`${server.url}/sign-in?to=${encodeURIComponent(path)}`, options);
    const { page } = opened;
    await page.addInitScript("delete self.SharedWorker");
    if (isBlind) await page.route("**/live/**", (route) => route.abort());
    const signIn = async () => {
      await page.locator("input[name=name]").fill("Ada");
      await page.locator("input[name=password]").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL(server.url + path);
    };
    await signIn();
    const signOut = () => void granted(engine.operate("user sign-out", { name: "Ada" }));
    const untaken = (): number =>
      granted(engine.operate("incident list", { open: true })).incidents.filter((one) => one.acknowledgedAt === null)
        .length;
    return {
      page,
      signIn,
      signOut,
      untaken,
      async [Symbol.asyncDispose]() {
        await opened[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  test("the page for signing in says what, leads back, and the page there says it once more", async () => {
    await using opened = await open("/jobs/prod/b");
    const { page, signIn, signOut, untaken } = opened;
    const before = untaken();
    signOut();
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await page.waitForURL(/\/sign-in\?to=%2Fjobs%2Fprod%2Fb/);
    expect(await page.getByRole("status").textContent()).toBe(
      "You were signed out, so “Acknowledge” was not done: Job b.",
    );
    await signIn();
    expect(await page.locator("#toast .toast > span").textContent()).toBe(
      "“Acknowledge” was not done, because you were signed out: Job b.",
    );
    expect([untaken(), before > 0]).toEqual([before, true]);
    await page.reload();
    expect(await page.locator("#toast").textContent()).toBe("");
  });

  test("without script too", async () => {
    await using opened = await open("/jobs/prod/b", { javaScriptEnabled: false });
    const { page, signIn, signOut, untaken } = opened;
    const before = untaken();
    signOut();
    await page.getByRole("button", { name: "Acknowledge" }).click();
    expect(await page.getByRole("status").textContent()).toContain(
      "You were signed out, so what you asked for was not done. Sign in, and ask for it again.",
    );
    await signIn();
    expect(untaken()).toBe(before);
  });

  test("what waits its ten seconds when the page hears of it is named as well", async () => {
    await using opened = await open("/", {}, false);
    const { page, signIn, signOut, untaken } = opened;
    const before = untaken();
    await page.getByRole("button", { name: /^Acknowledge all/ }).click();
    await page.locator("#toast .toast", { hasText: "in ten seconds" }).waitFor();
    signOut();
    await page.waitForURL(/\/sign-in/);
    await page.locator("#undone", { hasText: "so “Acknowledge all 4” was not done: 4 incidents." }).waitFor();
    await signIn();
    expect(untaken()).toBe(before);
  });
});
