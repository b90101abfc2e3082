// `rollcall notify render`: what would be sent through each type of destination, with no secret in it, from the
// configuration and what was added beside it.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHANNELS } from "../../src/config/channel-keys.ts";
import { exampleToml } from "../../src/config/example-file.ts";
import { rollcall } from "../support/command-line.ts";
import { configIn, withToml } from "../support/config-world.ts";

const directory = mkdtempSync(join(tmpdir(), "rollcall-render-"));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(toml: string): string {
  const file = join(directory, "rollcall.toml");
  writeFileSync(file, toml, { mode: 0o600 });
  return file;
}

/** The data of a rollcall that runs from this clone are none of a test's. */
const ELSEWHERE = { ROLLCALL_STORAGE__DIRECTORY: join(directory, "data") };

const render = (toml: string, ...args: string[]) =>
  rollcall(["--config", fileOf(toml), "notify", "render", ...args], ELSEWHERE);

/** With a destination of every type, and without the files that others need. */
const EVERY = exampleToml(null)
  .replace(/^#(?! |$)/gm, "")
  .replace(/^tls_.*$/gm, "");

const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  email: /^Subject: /,
  webpush: /^\{"title":"/,
  mqtt: /^\*\*\*\/alerts\n\n\{"type":/,
  command: /^\/usr\/local\/bin\/page-ada\n\n\{"type":/,
};

test("R40: through every type an alert, its end and a test are shown, and no secret", async () => {
  const { destinations, secrets } = configIn(withToml(EVERY));
  expect(new Set([...destinations.values()].map(({ type }) => type))).toEqual(
    new Set(Object.keys(CHANNELS) as never[]),
  );
  for (const { name, type } of destinations.values()) {
    if (type === "rota") continue;
    for (const event of ["failure", "recovery", "test"]) {
      const { exitCode, out, err } = await render(EVERY, name, "--event", event);
      expect([type, event, exitCode, err]).toEqual([type, event, 0, ""]);
      // An address without a path is no secret: it is where the service is for everybody.
      const shown = [...secrets].filter((secret) => out.includes(secret) && !/^https?:\/\/[^/]+\/?$/.test(secret));
      expect([type, event, shown]).toEqual([type, event, []]);
      expect(out).toMatch(BEGINNINGS[type] ?? /^(POST|PUT) https?:\/\//);
    }
  }
});

test("the message is what would be sent now, in full or in its plain form", async () => {
  const toml = `[server]
timezone = "Europe/Berlin"
[destinations.own]
type = "http"
url = "https://example.org/T0SECRET?a={{title}}"
headers = "Authorization: Bearer T0SECRET"
format = "text"
body = "{{title}}|{{message}}"`;
  expect((await render(toml, "own")).out.split("\n")).toEqual([
    "POST https://example.org/***",
    "content-type: text/plain; charset=utf-8",
    "authorization: ***",
    "",
    "Failed: Nightly backup|disk full",
  ]);
  expect((await render(toml, "own", "--plain")).out).toEndWith("\nFailed: Nightly backup|");
  expect((await render(toml, "own", "--event", "recovery")).out).toContain(
    "Recovered: Nightly backup, after 20 seconds|",
  );
});

test("the message is shown also while maintenance goes on", async () => {
  const toml = `[destinations.own]\ntype = "http"\nurl = "https://example.org"
[applications.prod]\nmaintenance = [{ cron = "0 * * * *", duration = "59m", timezone = "UTC" }]\n`;
  for (const event of ["failure", "recovery"])
    expect(await render(toml, "own", "--event", event)).toMatchObject({ exitCode: 0, err: "" });
});

test("a destination that is not there, and a faulty configuration, are told", async () => {
  const toml = '[destinations.own]\ntype = "http"\nurl = "https://example.org"\n';
  expect(await render(toml, "phone")).toEqual({
    exitCode: 1,
    out: "",
    err: 'destination: "phone" is not configured; these are: own, and nothing that a command or the dashboard added can be read here',
  });
  expect(await render("", "phone")).toMatchObject({
    exitCode: 1,
    err: 'destination: "phone" is not configured; none is, and nothing that a command or the dashboard added can be read here',
  });
  const { exitCode, err } = await render(`${toml}body = "{{titel}}"`, "own");
  expect(exitCode).toBe(2);
  expect(err).toContain(
    'destinations.own.body: has the unknown name "titel", must be a template of the names title, text',
  );
});
