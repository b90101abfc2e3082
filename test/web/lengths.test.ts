// How long jobs take, where people look for it: a column to sort by, a list of those that get slow, the job's weeks,
// and the same sentence at the terminal.

import { expect, test } from "bun:test";
import { DAY, MINUTE } from "../../src/domain/time.ts";
import { openRunning } from "../support/commands.ts";
import { ping } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";

const words = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

test("a job that takes ever longer is named where people look, and only there", async () => {
  await using place = openRunning();
  const { service } = place;
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  const looks = async (path: string) => words(await (await fetch(pages.url + path)).text());
  for (const [monitorKey, weeks] of [
    ["photos", [4, 4, 9, 22]],
    ["backup", [30, 31, 30, 32]],
  ] as const) {
    const { monitorId } = service.store.database
      .query<{ monitorId: number }, []>("select coalesce(max(id), 0) + 1 as monitorId from monitors")
      .get()!;
    const ended = ping({ monitorKey, kind: "complete", schedule: "@daily", durationSeconds: 60 });
    await service.send(ended, ended);
    const monday = Date.UTC(2026, 2, 2);
    service.store.runLengths.save(
      monitorId,
      service.now,
      weeks.map((minutes, place) => ({ from: monday - (3 - place) * 7 * DAY, runs: 7, medianMs: minutes * MINUTE })),
    );
  }
  const all = await looks("/?sort=length");
  expect(all).toContain("Getting slow 1");
  expect(all.indexOf("takes 32 min")).toBeGreaterThan(0);
  expect(all.indexOf("takes 22 min ↗ 6× in 2 weeks")).toBeGreaterThan(all.indexOf("takes 32 min"));
  for (const path of ["/?show=slow", "/?find=is:slow"]) {
    const slow = await looks(path);
    expect([path, slow.includes("takes 22 min"), slow.includes("takes 32 min")]).toEqual([path, true, false]);
  }
  expect(await looks("/jobs/prod/photos")).toContain("By week: 6 times as long as 2 weeks ago");
  const { out } = await place.run("monitor", "show", "photos");
  expect(String(out)).toMatch(/takes +usually 22 min, 6 times as long as 2 weeks ago/);
  await pages.stop(0);
});
