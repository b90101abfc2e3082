// What pages and commands both show is one list of rows: the same heads and the same words on either side.

import { expect, test } from "bun:test";
import { refuse } from "../../src/domain/errors.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { cells, openRunning, type Running } from "../support/commands.ts";
import { NOON, ping } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";

const wordsOf = (html: string): string =>
  html
    .replaceAll(/<title>.*?<\/title>|<[^>]+>/gs, " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll(/\s+/g, " ");

function opened() {
  const place = openRunning();
  const { service } = place;
  const pages = startPages(service.engine, { clock: { now: () => service.now, monotonic: () => performance.now() } });
  return {
    place,
    service,
    page: async (path: string) => wordsOf(await (await fetch(pages.url + path)).text()),
    async [Symbol.asyncDispose]() {
      await pages.stop(0);
      await place[Symbol.asyncDispose]();
    },
  };
}

const printed = async (place: Running, ...args: string[]): Promise<string> =>
  (await place.run(...args)).out.replaceAll(/\s+/g, " ");

test("status and the page of rollcall's own health say alike what is suspended, what came over plain HTTP and which zone rules hold", async () => {
  await using world = opened();
  const { service, place } = world;
  granted(service.engine.operate("app suspend", { slug: "prod" }));
  for (const network of ["203.0.113", "192.168.1.7"]) service.engine.intake.plainRefused(network);
  const page = await world.page("/own-health");
  const status = await printed(place, "status");
  const refused =
    "2 reports over plain HTTP from 192.168.1.7 and 1 other network were refused, the last at 2026-03-02 12:00:00 UTC";
  expect(status).toContain(`warning: ${refused}`);
  expect(page).toContain(`warning ${refused}`);
  const then = "send over HTTPS, or set server.plain_http; `rollcall monitor refused` lists them";
  for (const words of [page, status]) expect(words).toContain(then);
  const [, rules = "none"] = /zone rules: (.+?)(?: nothing needs attention)?$/.exec(status) ?? [];
  expect(page).toContain(`suspended prod warning`);
  expect(page).toContain(`zone rules ${rules}`);
});

test("a destination that takes nothing is trouble on the first page and on that of rollcall's own health", async () => {
  await using world = opened();
  world.service.failing.set("other", "HTTP 503");
  const said = /other has taken no messages since .+?: HTTP 503/;
  expect(await world.page("/")).toMatch(said);
  const health = await world.page("/own-health");
  expect(health).toMatch(/Other has taken no messages since .+?: HTTP 503|other has taken no messages/);
  expect(health).toContain("1 trouble with rollcall itself.");
});

test("R33: a job's page has the refused reports of `monitor show`, under the same heads", async () => {
  await using world = opened();
  const { service, place } = world;
  await service.send(ping({ schedule: "0 2 * * *" }));
  const refusal = refuse("INVALID_SCHEDULE", 'schedule: day of week "7" is out of range');
  for (const at of [NOON, NOON + HOUR]) {
    service.look(at);
    service.engine.intake.refused({ caller: ping().caller, monitorKey: "job", kind: "heartbeat", refusal });
    service.endTurns();
  }
  service.at(NOON + HOUR + MINUTE);
  const [, heads = [], row = []] = cells((await place.run("monitor", "show", "job")).out.split("\n\n").at(-1) ?? "");
  expect(heads).toEqual(["LAST", "TIMES", "SINCE", "REPORT", "STATUS", "WHY"]);
  expect(row.at(-1)).toBe(refusal.message);
  expect(await world.page("/jobs/prod/job")).toContain(
    `Refused reports last 60 s ago times 2 since 61 min ago report heartbeat status 400 ${refusal.message}`,
  );
});

test("R3: `app list` and the heads of /keys say alike what an application is called, how many jobs it has and since when it is suspended", async () => {
  await using world = opened();
  const { service, place } = world;
  await service.send(ping({ schedule: "0 2 * * *" }));
  granted(service.engine.operate("app rename", { slug: "prod", name: "Production" }));
  granted(service.engine.operate("app suspend", { slug: "prod" }));
  expect(cells((await place.run("app", "list")).out)).toEqual([
    ["APPLICATION", "NAME", "JOBS", "CREATED (UTC)", "SUSPENDED"],
    ["prod", "Production", "1", "2026-03-02 12:00 (now)", "2026-03-02 12:00 (now)"],
  ]);
  expect(await world.page("/keys")).toContain("prod Production jobs 1 created now suspended now");
});

test("`user delete` asks with the sentences of the page that asks", async () => {
  await using world = opened();
  const { place } = world;
  await place.run("user", "create", "Ben", "--link");
  const { err } = await place.runTyping(["n"], "user", "delete", "ben");
  const asked = err.replaceAll(/\s+/g, " ");
  const page = await world.page("/people/1/delete");
  const sentences = [
    "Ben is signed out everywhere at once (0 sessions) and cannot sign in again; the password, 0 passkeys and any open link are gone.",
    "Who did what keeps the name, and so do incidents that Ben acknowledged. This cannot be undone.",
  ];
  expect(asked).toContain(`Delete Ben? ${sentences.join(" ")}`);
  for (const sentence of sentences) expect(page).toContain(sentence);
  expect((await place.runTyping(["y"], "user", "delete", "nobody")).err).toContain("nobody");
});
