// Maintenance that people plan, end to end: begun, heard, held, resumed and ended by commands, over kills and restarts.

import { expect, setDefaultTimeout, test } from "bun:test";
import { DAY } from "../../src/domain/time.ts";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";

setDefaultTimeout(120_000);

test("R24: maintenance holds over a kill, a resume in it is obeyed, and ending it tells what it held back", async () => {
  await using folder = openFolder({});
  let service = await folder.serve();
  const key = firstKeyOf(service);
  const daily = "?schedule=0%202%20*%20*%20*";
  for (const job of ["backup", "import", "photos"]) await report(service, key, job, daily);
  const run = async (...words: string[]) => {
    const { exitCode, out, err } = await folder.run(words);
    expect({ words, exitCode, err: exitCode === 0 ? "" : err }).toEqual({ words, exitCode: 0, err: "" });
    return out;
  };
  const status = async (job: string) => JSON.parse(await run("monitor", "show", job, "--json"));
  const stands = (job: string, wanted: string) =>
    until(`${job} is ${wanted}`, async () => ((await status(job)).status === wanted ? true : null));

  expect(await run("maintenance", "plan", "backup", "im*", "--for", "2h", "--reason", "a new disk")).toMatch(
    /^planned maintenance 1 of backup, im\* of default: from now until \d{4}-\S+ \S+ \S+ \(in \d/,
  );
  await stands("backup", "paused");
  expect((await status("photos")).status).toBe("healthy");
  const restart = async () => {
    await service.end("SIGKILL");
    service = await folder.serve();
  };
  await restart();
  await stands("import", "paused");
  expect((await status("backup")).pauses.manual.asked).toMatchObject({ by: null, reason: "a new disk" });
  await report(service, key, "backup", "/fail?message=half%20copied");
  expect((await status("backup")).pings[0]).toMatchObject({ kind: "fail", message: "half copied" });
  await run("monitor", "resume", "import");
  await restart();
  await report(service, key, "import", "?gracePeriod=300");
  expect((await status("import")).status).toBe("healthy");
  expect((await status("backup")).status).toBe("paused");
  expect(await run("incident", "list", "--open", "--json")).toBe("[]\n");

  expect(await run("maintenance", "end", "1")).toBe("ended maintenance 1 of backup, im* of default\n");
  await stands("backup", "critical");
  expect(await run("incident", "list", "--open")).toContain("half copied");
  expect(await run("maintenance", "end", "1")).toContain("maintenance 1 was over already");
  await run(
    "maintenance",
    "plan",
    "backup",
    "--from",
    new Date(Date.now() + DAY).toISOString(),
    "--for",
    "2h",
    "--reason",
    "a new roof",
  );
  expect(await run("maintenance", "end", "2")).toBe("called off maintenance 2 of backup of default\n");
  expect(await run("maintenance", "end", "2")).toContain("maintenance 2 was called off already");
  await restart();
  expect((await status("backup")).status).toBe("critical");
  const listed = await run("maintenance", "list");
  expect(listed).toMatch(/^ID +STATE +MONITORS +FROM .* +UNTIL +BY +REASON$/m);
  expect(listed).toMatch(/^2 +called off +backup .* a new roof$/m);
  expect(listed).toMatch(/^1 +past +backup, im\* .* a command +a new disk$/m);
});
