// What pages say where jobs, times or labels would be taken for others. Read as HTML, without a browser.

import { expect, test } from "bun:test";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";

function openPages(service: Service) {
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  return {
    get: async (path: string): Promise<string> => (await fetch(`${pages.url}${path}`)).text(),
    [Symbol.asyncDispose]: () => pages.stop(0),
  };
}

async function openJobs(...keys: readonly (readonly [key: string, name: string])[]): Promise<Service> {
  const service = openService(policyWith({ timezone: "UTC" }));
  service.engine.operate("app create", { slug: "prod" });
  await service.send(...keys.map(([monitorKey, name]) => ping({ monitorKey, name, schedule: "0 * * * *" })));
  return service;
}

test("jobs of one name have their keys beside it in every list, and others have not", async () => {
  using service = await openJobs(["db-1", "Database backup"], ["db-2", "Database backup"], ["mail", "Mail"]);
  await using pages = openPages(service);
  const list = await pages.get("/");
  const rows = [...list.matchAll(/class="row-name"[^>]*>(.*?)<\/a>/gs)].map(([, name]) =>
    name!.replace(/<[^>]*>/g, ""),
  );
  expect(rows).toEqual(["Database backup db-1", "Database backup db-2", "Mail"]);
  const text = (html: string): string =>
    html
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim();
  const ofTheDay = [...(await pages.get("/day")).matchAll(/class="day-row-name">.*?(<a .*?)<\/span>/gs)].map(
    ([, name]) => text(name!),
  );
  expect(ofTheDay).toEqual(["Database backup db-1", "Database backup db-2", "Mail"]);
  await service.send(...["db-2", "mail"].map((monitorKey) => ping({ monitorKey, kind: "fail" })));
  const cards = [...(await pages.get("/")).matchAll(/<h2 id="need.*?<\/h2>/gs)].map(([card]) => text(card));
  expect(cards.toSorted()).toEqual(["Database backup db-2 · prod", "Mail prod"]);
});

test("on the day, now stands with the hours where the name of a day would stand under it", async () => {
  using service = await openJobs(["mail", "Mail"]);
  await using pages = openPages(service);
  const lines: string[] = [];
  for (const at of [NOON, NOON + 12 * HOUR + 13 * MINUTE, NOON + 23 * HOUR + 45 * MINUTE]) {
    service.look(at);
    lines.push(/class="day-now-word"[^>]* y="(\d+)"/.exec(await pages.get("/day"))![1]!);
  }
  expect(lines).toEqual(["13", "32", "13"]);
});

test("a run of less than a second is not said to have taken none", async () => {
  using service = await openJobs();
  const run = { monitorKey: "mail", schedule: "0 * * * *", runId: "1" };
  await service.send(ping({ ...run, kind: "start" }), ping({ ...run, kind: "fail" }));
  await using pages = openPages(service);
  const story = await pages.get("/incidents/1");
  expect(story).toContain("Failed after less than 1 s");
});
