// Commands on pages and in the log begin as they work where rollcall was started, for who has signed in.

import { expect, test } from "bun:test";
import { logTypedBy } from "../../src/cli/serving/command-line.ts";
import { openService } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";

const HERE = "cd /srv/rollcall && dist/rollcall";

test("R31: on the first page, on that of the settings and in a refusal", async () => {
  using service = openService();
  service.engine.operate("app create", { slug: "prod" });
  const pages = startPages(service.engine, { commandLine: HERE });
  const shown = HERE.replaceAll("&", "&amp;");
  const read = async (path: string) => (await fetch(pages.url + path)).text();
  expect(await read("/")).toContain(`${shown} import healthchecks hc.sqlite --dry-run`);
  for (const words of ["config check", "reload"])
    expect(await read("/settings")).toContain(`<code>${shown} ${words}</code>`);
  const refused = await fetch(`${pages.url}/jobs/prod/none/resume`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" },
    body: "back=/",
  });
  expect(await refused.text()).toContain(`\`${shown} monitor list\` shows all`);
  // Who has not signed in learns no path of this machine.
  const door = startPages(service.engine, { commandLine: HERE, viewer: null });
  expect(await (await fetch(`${door.url}/sign-in`)).text()).not.toContain("/srv/rollcall");
  await Promise.all([pages.stop(0), door.stop(0)]);
});

test("in the sentences of the log", () => {
  const told: unknown[] = [];
  const log = logTypedBy((...line) => told.push(line), HERE);
  log("error", "reload_failed", { rule: "run `rollcall reload` again", delivery: 7 });
  log("info", "stopped");
  expect(told).toEqual([
    ["error", "reload_failed", { rule: `run \`${HERE} reload\` again`, delivery: 7 }],
    ["info", "stopped", {}],
  ]);
});
