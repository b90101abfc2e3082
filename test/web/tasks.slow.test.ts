// What people come to the dashboard for, done in a real browser on a phone and by the keyboard of a desk: with how many
// clicks, and that the page then says what was done.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { HOUR } from "../../src/domain/time.ts";
import type { Server } from "../../src/http/server.ts";
import { openService, ping, policyWith, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { browserCommand, isTooWide, PHONE } from "./browser.ts";
import { openWorld, openWorldPage, WORLD_ENDS } from "./world.ts";

interface Hand {
  readonly page: Page;
  click(what: Locator): Promise<void>;
  write(where: Locator, text: string): Promise<void>;
}

/** Where it begins, the clicks it takes, what is done, and what the page says then. */
type Task = readonly [path: string, clicks: number, act: (hand: Hand) => Promise<void>, said: string];

const place = (page: Page, name: string): Locator => page.locator(".bar nav").getByRole("link", { name });
const button = (page: Page, name: string | RegExp, within = "main"): Locator =>
  page.locator(within).getByRole("button", { name }).first();

/** The most times that Tab is pressed on the way to one element. */
const TABS_MAX = 80;

/** Works a page by its keyboard alone: Tab until the element has the focus, then Enter, Space or an arrow. */
const keyboardOn = (page: Page): Hand => {
  const { keyboard } = page;
  async function reach(what: Locator): Promise<void> {
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      // Its link or button may have the focus in its place, and another radio of its group.
      const isReached = await what.evaluate((element) => {
        const { activeElement: active, body } = element.ownerDocument;
        const isGroup = [element, active].every(({ type }) => type === "radio") && element.name === active.name;
        return isGroup || (active !== body && active.contains(element));
      });
      if (isReached) return;
      await keyboard.press("Tab");
    }
    throw new Error(`Tab does not lead to ${what}`);
  }
  return {
    page,
    click: async (what) => {
      await reach(what);
      const type = await what.getAttribute("type");
      if (type === "radio") while (!(await what.isChecked())) await keyboard.press("ArrowDown");
      else await keyboard.press(type === "checkbox" ? "Space" : "Enter");
    },
    write: async (where, text) => {
      await reach(where);
      await keyboard.press("Control+a");
      await keyboard.type(text);
    },
  };
};

const TASKS: Readonly<Record<string, Task>> = {
  "open the cause of a trouble": [
    "/",
    1,
    ({ page, click }) => click(page.locator("#needs a", { hasText: "Import orders" }).first()),
    "connection refused: db.internal:5432",
  ],
  "acknowledge one": ["/", 1, ({ page, click }) => click(button(page, /^Acknowledge/, "#needs")), "acknowledged."],
  "pause a job until tomorrow, and take it back": [
    "/",
    4,
    async ({ page, click }) => {
      await click(page.locator(".row-name", { hasText: "Certificates" }));
      await click(page.locator("#job-acts").getByText("Pause…"));
      await click(button(page, "for 1 day", "#job-acts"));
      await click(button(page, "Undo", "#toast"));
    },
    "Certificates: resumed.",
  ],
  "plan maintenance for two jobs": [
    "/",
    4,
    async ({ page, click, write }) => {
      await click(place(page, "Maintenance"));
      await click(page.getByLabel("Log rotation"));
      await click(page.getByLabel("Photos sync"));
      await write(page.getByLabel("Why"), "a new disk");
      await write(page.getByLabel("Or lasts"), "2h");
      await click(button(page, "Plan it"));
    },
    "Maintenance of log-rotation, photos-sync of prod has begun.",
  ],
  "let a job be later, knowing what that would have changed": [
    "/jobs/prod/photos-sync",
    2,
    async ({ page, click, write }) => {
      await click(page.getByText("Edit…"));
      await write(page.locator("#edit-graceSeconds"), "20m");
      await page.locator("#edit-alarms", { hasText: "under these settings" }).waitFor();
      await click(button(page, "Save"));
    },
    "became 20 min",
  ],
  "make a job": [
    "/",
    2,
    async ({ page, click, write }) => {
      await click(page.getByRole("link", { name: "New job" }));
      await write(page.locator("#key"), "another");
      await write(page.locator("#schedule"), "0 4 * * *");
      await click(button(page, "Make it"));
    },
    "Another: created.",
  ],
  "add a destination": [
    "/",
    4,
    async ({ page, click }) => {
      await click(place(page, "Deliveries"));
      await click(page.getByRole("link", { name: /^Add (?:one|or change)/ }));
      await click(button(page, "ntfy"));
      await click(button(page, "Send a test, and add it"));
    },
    "phone is kept; no test was sent.",
  ],
  "let a person in, to one application alone": [
    "/",
    4,
    async ({ page, click, write }) => {
      await click(place(page, "People"));
      await write(page.getByLabel("Name", { exact: true }), "Cleo");
      await click(page.getByLabel("only these:"));
      await click(page.locator(".choices").getByLabel("prod"));
      await click(button(page, "Make the link"));
    },
    "/sign-in/link/",
  ],
  "find a job by its name": [
    "/",
    1,
    async ({ page, click, write }) => {
      await page.keyboard.press("/");
      await write(page.locator("input[type=search]").first(), "weekly");
      await click(page.locator(".row-name", { hasText: "Weekly report" }));
    },
    "How long it takes",
  ],
};

describe.if(browserCommand !== null)("what people come for", () => {
  let service: Service;
  let pages: Server;

  beforeEach(async () => {
    service = await openWorld(undefined, 0, { runs: 10 });
    granted(service.engine.operate("app create", { slug: "staging" }));
    pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  });
  afterEach(async () => {
    await pages.stop(0);
    service[Symbol.dispose]();
  });

  test.each(Object.entries(TASKS))("%s on a phone", async (_, [path, clicks, act, said]) => {
    await using opened = await openWorldPage(pages.url + path, PHONE);
    const { page } = opened;
    let clicked = 0;
    await act({
      page,
      write: (field, text) => field.fill(text),
      click: async (what) => {
        clicked++;
        await what.click();
      },
    });
    await page.getByText(said).first().waitFor();
    expect([clicked, await isTooWide(page)]).toEqual([clicks, false]);
  });

  test.each(Object.entries(TASKS))("%s at a desk, by the keyboard alone", async (_, [path, , act, said]) => {
    await using opened = await openWorldPage(pages.url + path);
    const { page } = opened;
    await act(keyboardOn(page));
    await page.getByText(said).first().waitFor();
  });

  test("acknowledge what fell silent together, and take it back, with a click each", async () => {
    using silent = openService(policyWith({ timezone: "UTC" }), WORLD_ENDS - 3 * HOUR);
    for (let job = 0; job < 12; job++) await silent.send(ping({ monitorKey: `job-${job}`, schedule: "*/10 * * * *" }));
    silent.look(WORLD_ENDS);
    silent.endTurns();
    const own = startPages(silent.engine, { clock: { now: () => silent.now, monotonic: () => performance.now() } });
    await using opened = await openWorldPage(own.url);
    const { page } = opened;
    await button(page, "Acknowledge 12", "#needs").click();
    await page.getByText("Acknowledge 12: 12 incidents, in ten seconds.").waitFor();
    await button(page, "Undo", "#toast").click();
    await page.locator("#toast .toast").waitFor({ state: "detached" });
    const open = granted(silent.engine.operate("incident list", { open: true })).incidents;
    expect(open.map(({ acknowledgedAt }) => acknowledgedAt)).toEqual(Array(12).fill(null));
    await own.stop(0);
  });
});
