// `test/task pictures`: takes a picture of each page, without jobs, with a household's and with 2,000, into
// docs/images. For people who want to see the pages before they install anything, and for us to look at.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { deliver } from "../cli/delivering.ts";
import { MESSAGES, TEAM_MAIL } from "../support/destinations.ts";
import { openService, policyWith, type Service } from "../support/engine.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { browserCommand, closeBrowser, PHONE } from "./browser.ts";
import { HOUSEHOLD, openWorld, openWorldPage, WORLD_ENDS } from "./world.ts";

const FOLDER = join(import.meta.dir, "../../docs/images");
const MANY = 2_000;
/** A long page is cut here. Pixels. */
const HEIGHT = 1_000;

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly options?: BrowserContextOptions;
}

const dark: BrowserContextOptions = { colorScheme: "dark" };
const JOB = "/jobs/prod/nightly-backup";

/** Runs of each job: those of a day and more, of one that reports every five minutes. */
const RUNS = 320;
/** rollcall was suspended then, for some minutes. */
const GAP_AT = WORLD_ENDS - 7 * HOUR;

const POLICY = policyWith({
  timezone: "UTC",
  team: {
    name: "Home",
    destinations: ["email", "ops"],
    members: [
      {
        name: "Ada",
        email: "ada@example.org",
        events: ["InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered"],
      },
    ],
  },
  destinations: new Map([
    ["email", TEAM_MAIL],
    ["ops", MESSAGES],
  ]),
});

/** The jobs of a household and this many others; alerts arrive, one is acknowledged, and people have keys. */
async function household(others: number): Promise<Service> {
  let told = 0;
  let stoodStill = false;
  const service = await openWorld(HOUSEHOLD, others, {
    policy: POLICY,
    runs: others === 0 ? RUNS : 40,
    after: async (service) => {
      if (!stoodStill && service.now >= GAP_AT) {
        service.standStill(6 * MINUTE);
        stoodStill = true;
      }
      const waiting = service.count("deliveries");
      if (waiting === told) return;
      await deliver(service, { email: mail, ops: hook });
      told = service.count("deliveries");
    },
  });
  await deliver(service, { email: mail, ops: hook });
  const { operate } = service.engine;
  granted(operate("monitor pause", { key: "old-mirror", durationSeconds: (5 * DAY) / SECOND }));
  granted(operate("key create", { application: "prod" }));
  granted(operate("key create", { application: "prod", scope: "sync" }));
  granted(operate("user create", { name: "Ada", role: "admin" }));
  granted(operate("user create", { name: "Ben", role: "operator", applications: "prod" }));
  granted(operate("incident ack", { id: 1 }));
  return service;
}

const PICTURES: Readonly<Record<string, { open(): Promise<Service>; pictures: readonly Picture[] }>> = {
  "no jobs": {
    open: async () => openService(undefined, WORLD_ENDS),
    pictures: [
      { name: "empty-overview", path: "/" },
      { name: "empty-day", path: "/day" },
      { name: "empty-incidents", path: "/incidents" },
      { name: "empty-deliveries", path: "/deliveries" },
    ],
  },
  "a household": {
    open: () => household(0),
    pictures: [
      { name: "overview", path: "/" },
      { name: "overview-dark", path: "/", options: dark },
      { name: "overview-phone", path: "/", options: PHONE },
      { name: "day", path: "/day" },
      { name: "day-dark", path: "/day", options: dark },
      { name: "week", path: "/day?span=week" },
      { name: "job", path: JOB },
      { name: "job-dark", path: JOB, options: dark },
      { name: "job-phone", path: JOB, options: PHONE },
      { name: "edit", path: `${JOB}/edit?graceSeconds=20m` },
      { name: "edit-phone", path: `${JOB}/edit?graceSeconds=20m`, options: PHONE },
      { name: "maintenance", path: "/maintenance" },
      { name: "incidents", path: "/incidents" },
      { name: "incident", path: "/incidents/1" },
      { name: "deliveries", path: "/deliveries" },
      { name: "keys", path: "/keys" },
      { name: "people", path: "/people" },
      { name: "audit", path: "/audit" },
      { name: "health", path: "/own-health" },
      { name: "settings", path: "/settings" },
      { name: "account", path: "/account" },
    ],
  },
  [`${MANY} jobs`]: {
    open: () => household(MANY - HOUSEHOLD.length),
    pictures: [
      { name: "many-overview", path: "/" },
      { name: "many-day", path: "/day" },
      { name: "many-incidents", path: "/incidents" },
    ],
  },
};

if (browserCommand === null) {
  console.error("a browser is missing. On Debian: apt-get install chromium-headless-shell");
  process.exit(1);
}
await using sink = startHttpSink(() => new Response(null, { status: 204 }));
await using mails = await startSmtpServer();
const hook = CHANNELS.webhook({ url: sink.url, secret: `whsec_${"a".repeat(32)}` });
const mail = createEmailChannel({
  type: "email",
  smtp: {
    host: "127.0.0.1",
    port: mails.port,
    security: "none",
    login: null,
    from: { name: "rollcall", address: "cron@example.org" },
  },
});
mkdirSync(FOLDER, { recursive: true });
const only = process.env["ONLY"];
for (const [world, { open, pictures }] of Object.entries(PICTURES)) {
  const wanted = pictures.filter(({ name }) => only === undefined || only.split(",").includes(name));
  if (wanted.length === 0) continue;
  console.log(`==> ${world}`);
  using service = await open();
  const clock = { now: () => service.now, monotonic: () => performance.now() };
  const pages = startPages(service.engine, { clock });
  for (const { name, path, options = {} } of wanted) {
    await using opened = await openWorldPage(`${pages.url}${path}`, options);
    const { page } = opened;
    await page.waitForTimeout(300);
    const height = await page.evaluate("document.documentElement.scrollHeight");
    const { width } = page.viewportSize()!;
    await page.setViewportSize({ width, height: Math.min(HEIGHT, Number(height)) });
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    console.log(`${name}.png`);
  }
  await pages.stop(0);
}
await closeBrowser();
