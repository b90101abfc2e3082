// `rollcall config check`: what it prints and how it exits, with real files.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runConfigCheck } from "../../src/cli/config-check.ts";
import type { ConfigFlags } from "../../src/config/load.ts";
import { NO_INPUT } from "../support/command-line.ts";

const directory = mkdtempSync(join(tmpdir(), "rollcall-check-"));
afterAll(() => rmSync(directory, { recursive: true }));

const write = (name: string, text: string): string => {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
};

const run = (flags: ConfigFlags, environment: Record<string, string> = {}) => {
  const out: string[] = [];
  const err: string[] = [];
  const code = runConfigCheck(flags, environment, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    width: null,
    color: false,
    secret: NO_INPUT,
  });
  return { code, out, err };
};

test("a good configuration is summed up without its secrets", () => {
  const config = write(
    "good.toml",
    `[storage]
directory = "/srv/rollcall"
[smtp]
host = "mail.example.org"
username = "ada"
password = "hunter2"
from = "cron@example.org"
[team]
members = [{ email = "ada@example.org" }]
[destinations.ops]
type = "webhook"
url = "https://hooks.example.org/hunter2"
[applications.prod.monitors.backup]
[applications.test]
`,
  );
  const envFile = write("good.env", "ROLLCALL_SERVER__LISTEN='[::1]:9000'\n");
  const secret = `whsec_${Buffer.from("hunter2hunter2hunter2hunter2").toString("base64")}`;
  expect(run({ config, envFile }, { ROLLCALL_DESTINATIONS__OPS__SECRET: secret })).toEqual({
    code: 0,
    out: [
      "configuration ok",
      `read from: ${config}, ROLLCALL_SERVER__LISTEN, ROLLCALL_DESTINATIONS__OPS__SECRET`,
      "listens on: [::1]:9000",
      "keeps data in: /srv/rollcall",
      "reads schedules in: the time zone that this machine had at the first start",
      "sends mail: through mail.example.org:465 (tls) to 1 member",
      "destinations: ops (webhook), email (email to the members of [team])",
      "applications: prod (1 monitor configured), test (0 monitors configured)",
    ],
    err: [
      `warning: ${config}:10: destinations.ops: gets no alert, because nothing names it, must stand in the destinations of [team], of an application or of a monitor to get some`,
    ],
  });
});

test("a destination that any list names is not warned of", () => {
  const hook = (name: string) => `[destinations.${name}]\ntype = "slack"\nurl = "https://hooks.example.org/"\n`;
  const config = write(
    "used.toml",
    `[team]
destinations = ["a"]
[applications.prod]
destinations = ["b"]
[applications.prod.monitors.backup]
destinations = ["c"]
${["a", "b", "c", "d"].map(hook).join("")}`,
  );
  const { code, err } = run({ config });
  expect({ code, err }).toEqual({ code: 0, err: [expect.stringContaining(": destinations.d: gets no alert")] });
});

test("an empty configuration is good and says that alerts reach nobody", () => {
  const { code, out, err } = run({ config: write("empty.toml", "") });
  expect({ code, err }).toEqual({ code: 0, err: [] });
  expect(out).toContain("destinations: none, alerts reach nobody");
});

test("every fault is a line on stderr, and the exit code is 2", () => {
  const config = write("bad.toml", '[server]\nlisten = "x"\ncolor = 1\n');
  const { code, out, err } = run({ config }, { ROLLCALL_NONSENSE: "1" });
  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err.map((line) => line.split(", ")[0]).sort()).toEqual([
    `${config}:2: server.listen: "x" is not an address to listen on`,
    `${config}:3: server.color: is unknown`,
    "ROLLCALL_NONSENSE: nonsense: is unknown",
  ]);
});
