// `rollcall maintenance …` as a person at a terminal sees it: the real engine behind a real socket.

import { expect, test } from "bun:test";
import { withBackup } from "../support/commands.ts";
import { startPages } from "../support/pages.ts";

test("a plan over the hour that a clock change shows twice is told with its length", async () => {
  await using place = await withBackup();
  const times = ["--from", "2026-10-25 02:30", "--until", "2026-10-25 02:45", "--timezone", "Europe/Berlin"];
  const { out } = await place.run("maintenance", "plan", "backup", ...times, "--reason", "a new disk");
  expect(out).toContain("of backup of prod: from ");
  expect(out).toEndWith(", once, for 1 h 15 min");
});

test("a plan that repeats is called off while it is ahead, and ended while it lasts", async () => {
  await using place = await withBackup();
  const again = ["maintenance", "plan", "--schedule", "0 13 * * *", "--for", "2h", "--reason", "updates"];
  for (const _ of [1, 2]) await place.run(...again);
  expect((await place.run("maintenance", "end", "1")).out).toBe("called off maintenance 1 of prod");
  expect((await place.run("maintenance", "end", "1")).out).toStartWith("maintenance 1 was called off already: ");
  place.service.look(place.service.now + 90 * 60_000);
  expect((await place.run("maintenance", "end", "2")).out).toBe("ended maintenance 2 of prod");
  const { out } = await place.run("maintenance", "list");
  expect(out).toMatch(/^1 +called off +all .*2026-03-02 13:00/m);
  expect(out).toMatch(/^2 +past +all .*2026-03-02 13:30/m);
});

test("of a plan that was made again and again a monitor's screen tells five, and where the others are", async () => {
  await using place = await withBackup();
  const plan = { monitors: ["backup"], from: "2026-03-03 02:00", durationSeconds: 3_600, reason: "again" };
  for (let time = 0; time < 12; time++) place.service.engine.operate("maintenance plan", plan);
  const { out } = await place.run("monitor", "show", "backup");
  expect(String(out).match(/: again\)$/gm)).toHaveLength(5);
  expect(out).toMatch(/^maintenance +and 7 more: `rollcall maintenance list` has them$/m);
  const pages = startPages(place.service.engine);
  const page = (await (await fetch(`${pages.url}/jobs/prod/backup`)).text()).replaceAll(/<[^>]+>/g, " ");
  expect(page.match(/once, for 60 min|once, for 1 h/g)).toHaveLength(5);
  expect(page).toContain("and 7 more");
  await pages.stop(0);
});
