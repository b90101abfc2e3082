// How long a job's page is on a phone, for a job with a past as real ones have it.

import { expect, test } from "bun:test";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import { deliver } from "../cli/delivering.ts";
import { MESSAGES } from "../support/destinations.ts";
import { openService, ping, policyWith } from "../support/engine.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";
import { browserCommand, openPage, PHONE } from "./browser.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const OUTPUT = Array.from({ length: 30 }, (_, line) => `line ${line} of what the backup wrote before it failed`).join(
  "\n",
);

test.if(browserCommand !== null)(
  "a job's page with a long past is at most 6 screens of a phone, its kept output open once",
  async () => {
    const team = { name: "Home", destinations: ["ops"], members: [] };
    using service = openService(
      policyWith({ timezone: "UTC", team, destinations: new Map([["ops", MESSAGES]]) }),
      NOON - 92 * DAY,
    );
    await using sink = startHttpSink(() => new Response(null, { status: 204 }));
    const ops = CHANNELS.webhook({ url: sink.url, secret: `whsec_${"a".repeat(32)}` });
    const of = { monitorKey: "backup", name: "Nightly backup", schedule: "0 */12 * * *", maxRuntimeSeconds: 7_200 };
    for (let run = 0; run < 2 * 91; run++) {
      await service.send(ping({ ...of, kind: "start" }));
      service.look(service.now + (20 + (run % 9)) * MINUTE);
      const fails = run % 20 > 17;
      const told = {
        message: `exit status ${run % 5}: the disk of the backup is full, 12 of 512 GB are left`,
        output: OUTPUT,
      };
      await service.send(ping({ ...of, ...(fails ? { kind: "fail", ...told } : {}) }));
      await deliver(service, { ops });
      if (run % 20 === 18) granted(service.engine.operate("incident ack", { id: 1 + Math.floor(run / 20) }));
      service.look(Math.floor(service.now / (12 * HOUR)) * 12 * HOUR + 12 * HOUR);
    }
    granted(service.engine.operate("monitor pause", { key: "backup", durationSeconds: 3_600, reason: "a new disk" }));
    granted(service.engine.operate("monitor resume", { key: "backup" }));
    await service.send(ping({ ...of, kind: "fail", message: "exit status 1", output: OUTPUT }));
    await deliver(service, { ops });
    service.look(service.now + MINUTE);
    const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
    await using opened = await openPage(`${pages.url}/jobs/prod/backup`, PHONE, service.now);
    const { page } = opened;
    const screens = Number(await page.evaluate("document.scrollingElement.scrollHeight / 844"));
    expect(screens).toBeLessThanOrEqual(6);
    // A step for each week in which some of the drawn runs lie, over those runs.
    const steps = (await page.locator(".chart-median").getAttribute("d"))!.split("M").slice(1);
    expect(steps.length).toBeGreaterThan(6);
    expect(steps.reduce((wide, step) => wide + Number(step.split("h")[1]), 0)).toBeCloseTo(640, 0);
    expect(await page.locator("#job-durations .note").textContent()).toContain("the median of each run's week");
    // The newest kept output stands open, once; nothing else is lost.
    expect(await page.locator("figure.output:visible").count()).toBe(1);
    expect(await page.locator("figure.output").count()).toBe(10);
    await page.locator("#job-story > details > summary").click();
    expect(await page.locator("#job-story .event:visible").count()).toBeGreaterThan(50);
    await page.goto(`${page.url()}?story=incidents`);
    expect(await page.locator("#job-story > details").count()).toBe(0);
    await pages.stop(0);
  },
);
