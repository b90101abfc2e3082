// Incidents and reports as CSV: from the pages and from the commands the same rows, of what one may see.

import { expect, test } from "bun:test";
import type { Viewer } from "../../src/web/viewer.ts";
import { openRunning } from "../support/commands.ts";
import { ping } from "../support/engine.ts";
import { ADA, startPages } from "../support/pages.ts";

test("a list is the same by page and by command, and no message computes in a spreadsheet", async () => {
  await using place = openRunning();
  const { service } = place;
  let viewer: Viewer = ADA;
  const clock = { now: () => service.now, monotonic: () => performance.now() };
  const pages = startPages(service.engine, { clock, viewer: () => viewer });
  await service.send(ping({ schedule: "@daily" }), ping({ kind: "fail", message: "=1+1, disk full" }));

  const printed = async (...words: string[]) => String((await place.run(...words, "--csv")).out).trim();
  const fetched = async (path: string) => {
    const answer = await fetch(pages.url + path);
    return { type: answer.headers.get("content-type"), text: (await answer.text()).replaceAll("\r\n", "\n").trim() };
  };
  // A spreadsheet knows by its first bytes that it is UTF-8; a pipe gets none of them.
  const bytes = await (await fetch(`${pages.url}/incidents.csv`)).bytes();
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect((await printed("incident", "list")).charCodeAt(0)).not.toBe(0xfeff);
  const incidents = await fetched("/incidents.csv");
  expect(incidents.type).toBe("text/csv; charset=utf-8");
  expect(incidents.text).toContain(`"'=1+1, disk full"`);
  expect(incidents.text.split("\n")).toHaveLength(2);
  expect(await printed("incident", "list")).toContain(incidents.text.split("\n")[1]!);
  const reports = await fetched("/jobs/prod/job/reports.csv");
  expect(reports.text.split("\n")).toHaveLength(3);
  expect(reports.text).toContain("2026-03-02T12:00:00.000Z");
  expect(await printed("monitor", "history", "job")).toContain(reports.text.split("\n")[1]!);

  expect(await place.run("incident", "list", "--csv", "--json")).toMatchObject({ exitCode: 2 });

  viewer = { ...ADA, applications: ["staging"] };
  expect((await fetched("/incidents.csv")).text).toBe("");
  expect((await fetch(`${pages.url}/jobs/prod/job/reports.csv`)).status).toBe(403);
  await pages.stop(0);
});
