// A rota by commands (R31, R38), end to end: it takes the place of its turns, is listed and explained, each of its
// turns is tested, and no turn is removed beneath it.

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(120_000);

/** So that this week is that of the second. */
const lastWeek = () => new Date(Date.now() - 8 * 86_400_000).toISOString().slice(0, 16);

test("R38: a rota that a command adds tells whose week it is, and takes the place of its turns", async () => {
  await using sink = startHttpSink(() => Response.json({ id: "x" }));
  const url = new URL(sink.url).origin;
  await using folder = openFolder({});
  const service = await folder.serve();
  const key = firstKeyOf(service);
  const run = (...words: string[]) => folder.run(["destination", ...words]);
  for (const name of ["ada-phone", "grace-phone"]) await run("add", name, "ntfy", `url=${url}`, `topic=${name}`);

  const since = lastWeek();
  expect(await run("add", "oncall", "rota", "turns=ada-phone,nobody", `since=${since}`)).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('"nobody" is not a destination'),
  });
  expect(await run("add", "oncall", "rota", "turns=ada-phone,grace-phone", `since=${since}`)).toMatchObject({
    exitCode: 0,
    out: "added destination oncall: alerts there go to its turns, a week each\n",
    err: "alerts go there from now on, in place of its turns\n",
  });
  const listed = await until("the rota is in force", async () => {
    const { out } = await run("list");
    return out.includes("until") ? out : null;
  });
  expect(listed).toMatch(/^oncall +rota +.*turns=.*by default; grace-phone until /m);
  expect(listed).toMatch(/^ada-phone .* takes turns in oncall$/m);

  const tests = sink.requests.length;
  const tested = await folder.run(["notify", "test", "oncall"]);
  expect(tested.err).toContain("oncall is a rota: this tests each of its turns");
  expect(tested.out).toMatch(/^delivered to ada-phone: .*\ndelivered to grace-phone: /);
  expect(sink.requests.length - tests).toBe(2);

  await report(service, key, "backup", "/fail?schedule=0%202%20*%20*%20*");
  const failed = await until("the alert", () => {
    const found = sink.requests.filter(({ body }) => body.includes("Failed: Backup"));
    return found.length > 0 ? found.map(({ body }) => JSON.parse(body).topic) : null;
  });
  expect(failed).toEqual(["grace-phone"]);
  const explained = (await folder.run(["notify", "explain", "backup"])).out.replace(/\s+/g, " ");
  expect(explained).toMatch(/grace-phone hears of it at once; oncall: grace-phone until /);
  expect(explained).toMatch(/ada-phone is not told: it is not its week; oncall: grace-phone until /);

  expect(await run("remove", "ada-phone", "--yes")).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('name: it is a turn of "oncall", whose turns must change first'),
  });
  expect(await run("rename", "ada-phone", "ada")).toMatchObject({ exitCode: 0 });
  expect((await run("list")).out).toMatch(/^oncall .*turns=.*\bada\b/m);
  expect(await run("set", "oncall", "turns=grace-phone,oncall")).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('"oncall" is a rota too, must be a destination that sends'),
  });
  expect(await run("set", "oncall", "turns=ada,grace-phone,ada")).toMatchObject({
    exitCode: 0,
    out: "changed destination oncall: alerts there go to its turns, a week each\n",
  });
  expect((await run("export", "oncall")).out).toContain('turns = ["ada", "grace-phone", "ada"]');
  expect(await run("remove", "oncall", "--yes")).toMatchObject({ exitCode: 0 });

  const file = join(folder.path, "rota.toml");
  writeFileSync(
    file,
    `[destinations.oncall]\ntype = "rota"\nturns = ["phone"]\nsince = "2026-11-30T09:00"\n[destinations.phone]\ntype = "ntfy"\nurl = "${url}"\ntopic = "phone"\n[team]\ndestinations = ["oncall"]\n`,
  );
  expect(await folder.run(["config", "check", "--config", file])).toMatchObject({ exitCode: 0 });
  expect(await folder.run(["notify", "render", "oncall", "--config", file])).toMatchObject({
    exitCode: 1,
    err: "destination: oncall is a rota, which sends by its turns: phone\n",
  });
});
