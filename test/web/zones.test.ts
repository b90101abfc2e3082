// In which zone pages tell what happened: the viewer's first, the job's below it where they differ, each named once.

import { expect, test } from "bun:test";
import { CHANNELS } from "../../src/notify/registry.ts";
import { deliver } from "../cli/delivering.ts";
import { MESSAGES } from "../support/destinations.ts";
import { openService, ping, policyWith } from "../support/engine.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startPages } from "../support/pages.ts";

/** 23:40 in Tokyo, 15:40 in Berlin. */
const FAILED = Date.parse("2026-03-02T14:40:00Z");

test("stories, audit and deliveries tell times in the viewer's zone, and those of a job in its own below", async () => {
  const team = { name: "Home", destinations: ["ops"], members: [] };
  using service = openService(
    policyWith({ timezone: "UTC", team, destinations: new Map([["ops", MESSAGES]]) }),
    FAILED,
  );
  await using sink = startHttpSink(() => new Response(null, { status: 204 }));
  await service.send(
    ping({ monitorKey: "sync", kind: "fail", schedule: "0 * * * *", timezone: "Asia/Tokyo", message: "disk full" }),
  );
  await deliver(service, { ops: CHANNELS.webhook({ url: sink.url, secret: `whsec_${"a".repeat(32)}` }) });
  service.engine.operate("monitor pause", { key: "sync", durationSeconds: 3_600 });
  service.engine.operate("monitor resume", { key: "sync" });
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  const textOf = async (path: string, zone: string | null): Promise<string> => {
    const headers = zone === null ? {} : { cookie: `rollcall-zone=${encodeURIComponent(zone)}` };
    const page = await (await fetch(pages.url + path, { headers })).text();
    return page.replaceAll(/<title>.*?<\/title>|<[^>]+>/gs, "").replaceAll(/\s+/g, " ");
  };
  for (const path of ["/jobs/prod/sync", "/incidents/1", "/jobs/prod/sync/why"]) {
    const abroad = await textOf(path, "Europe/Berlin");
    expect([path, abroad.split("times in Europe/Berlin, and below them in Asia/Tokyo").length]).toEqual([path, 2]);
    expect([path, abroad]).toEqual([path, expect.stringMatching(/2026-03-02 ?15:40:\d\d ?23:40:\d\d/)]);
    const alone = await textOf(path, null);
    expect([path, alone]).toEqual([path, expect.stringContaining("times in Asia/Tokyo")]);
    expect([path, alone]).toEqual([path, expect.stringMatching(/2026-03-02 ?23:40:\d\d(?! ?\d\d:)/)]);
    // What was told, too.
    if (path !== "/jobs/prod/sync/why") {
      expect([path, abroad]).toEqual([path, expect.stringMatching(/2026-03-02 15:40 Europe\/Berlin \(14:40 UTC\)/)]);
      expect([path, alone]).toEqual([path, expect.stringMatching(/2026-03-02 23:40 Asia\/Tokyo \(14:40 UTC\)/)]);
    }
    const night = await textOf(path, "Pacific/Auckland");
    expect([path, night]).toEqual([path, expect.stringMatching(/2026-03-03 ?03:40:\d\d ?2026-03-02 23:40:\d\d/)]);
  }
  expect(await textOf("/audit", "Europe/Berlin")).toMatch(/Times are in Europe\/Berlin\..*2026-03-02 15:40:00/);
  const cookie = `rollcall-zone=${encodeURIComponent("Europe/Berlin")}`;
  const deliveries = await (await fetch(`${pages.url}/deliveries`, { headers: { cookie } })).text();
  expect(deliveries).toMatch(
    /times in Europe\/Berlin.*arrived <time [^>]*title="2026-03-02 15:40:\d\d Europe\/Berlin/s,
  );
  expect(await textOf("/audit", null)).toContain("2026-03-02 14:40:00");
  // A job is found by its name too, and by its key when it has no other.
  for (const job of ["Sync", "sync"]) expect(await textOf(`/audit?job=${job}`, null)).toContain("paused a job: sync");
  expect(await textOf("/audit?job=other", null)).toContain("Nothing like that was done.");
  await pages.stop(0);
});

test("what clocks show in a job's zone comes with each time, so that no browser's own rules decide it", async () => {
  using service = openService(policyWith({ timezone: "UTC" }), Date.parse("2026-12-01T12:00:00Z"));
  await service.send(ping({ monitorKey: "van", schedule: "0 2 * * *", timezone: "America/Vancouver" }));
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  const page = await (await fetch(`${pages.url}/jobs/prod/van`)).text();
  // Its clocks no longer change, which many browsers do not know yet.
  expect(page).toContain('datetime="2026-12-02T09:00:00.000Z"');
  const walls = page.matchAll(/datetime="2026-12-02T09:00:00.000Z"[^>]*data-wall="([^"]*)"/g);
  expect(new Set([...walls].map(([, wall]) => wall))).toEqual(new Set(["2026-12-02 02:00:00"]));
  await pages.stop(0);
});
