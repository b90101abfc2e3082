// Where alerts go by operations (R31, R38), end to end: for an application alone, by default, over a crash, beneath the
// configuration file, and after a destination is gone.

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(120_000);

test("R38: an application has destinations of its own by a command; the file wins, and no removal silences it", async () => {
  await using sink = startHttpSink(() => Response.json({ id: "x" }));
  const url = new URL(sink.url).origin;
  await using folder = openFolder({});
  let service = await folder.serve();
  const key = firstKeyOf(service);
  await folder.run(["app", "create", "web"]);
  const webKey = (await folder.run(["key", "create", "web"])).out.trim();
  const add = (name: string, ...more: string[]) =>
    folder.run(["destination", "add", name, "ntfy", `url=${url}`, `topic=${name}`, ...more]);
  const route = (...words: string[]) => folder.run(["destination", "route", ...words]);
  const heard = async (topic: string, words: string) =>
    until(`${words} at ${topic}`, () => {
      const found = sink.requests.filter(({ body }) => body.includes(`"topic":"${topic}"`) && body.includes(words));
      return found.length > 0 ? found.length : null;
    });
  const fails = "/fail?schedule=0%202%20*%20*%20*";

  await add("all");
  expect(await add("pager", "--for", "nowhere")).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(/"nowhere" does not exist/),
  });
  expect(await add("pager", "--for", "web")).toMatchObject({
    exitCode: 0,
    err: "alerts of web go there from now on\n",
  });
  await service.end("SIGKILL");
  service = await folder.serve();
  await report(service, webKey, "shop", fails);
  await report(service, key, "backup", fails);
  await heard("pager", "Failed: Shop");
  await heard("all", "Failed: Backup");
  expect(sink.requests.filter(({ body }) => body.includes("Failed:"))).toHaveLength(2);
  const listed = (await folder.run(["destination", "list"])).out;
  expect(listed).toMatch(/^all .* by default$/m);
  expect(listed).toMatch(/^pager .* web$/m);
  expect((await folder.run(["app", "delete", "web", "--yes"])).err).toContain("destinations of their own");

  expect(await route("--app", "web", "pager", "elsewhere")).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(/"elsewhere" is not/),
  });
  expect(await route("--app", "web", "pager", "all")).toMatchObject({
    exitCode: 0,
    out: "alerts of web go to pager, all\n",
  });
  // It is told of what stands, and so of its end.
  await heard("all", "Failed: Shop");
  await folder.run(["destination", "rename", "pager", "night"]);
  await report(service, webKey, "shop", "");
  await heard("pager", "Recovered: Shop");
  await heard("all", "Recovered: Shop");

  const file = join(folder.path, "rollcall.toml");
  const own = (url: string) => `[destinations.own]\ntype = "ntfy"\nurl = "${url}"\ntopic = "own"\n`;
  writeFileSync(file, `[applications.web]\ndestinations = ["own"]\n${own(url)}`);
  expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
  await report(service, webKey, "shop", fails);
  await heard("own", "Failed: Shop");
  expect(await route("--app", "web", "night")).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(/application: "web" stands in the configuration \(rollcall\.toml:2\), and that wins/),
  });
  writeFileSync(file, "");
  expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });

  expect(await folder.run(["destination", "remove", "all", "--yes"])).toMatchObject({
    exitCode: 0,
    err: "alerts have nowhere to go by default now\nalerts of web go to night now\n",
  });
  expect(await route()).toMatchObject({ exitCode: 1, err: expect.stringMatching(/destinations: none is named/) });
  // A name like that of the list is a name.
  expect((await add("destinations", "--for", "web")).exitCode).toBe(0);
  expect((await folder.run(["destination", "remove", "destinations", "--yes"])).exitCode).toBe(0);
  expect(await route("night")).toMatchObject({ exitCode: 0, out: "alerts go to night by default\n" });
  expect(await route("--app", "web")).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^alerts of web go to/),
  });
  expect(await route("--app", "web")).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(/go where all others go already/),
  });
  const routes = JSON.parse((await folder.run(["destination", "list", "--json"])).out);
  expect(JSON.stringify(routes)).toContain("night");
  expect((await folder.run(["app", "delete", "web", "--yes"])).exitCode).toBe(0);
  const audit = (await folder.run(["audit"])).out;
  expect(audit).toContain("said where alerts go");
});
