// `rollcall config check`: what it prints and how it exits, with real files.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runConfigCheck, shutToService } from "../../src/cli/config-commands.ts";
import type { ConfigFlags } from "../../src/config/load.ts";
import type { FileFacts, MachineFiles } from "../../src/discover/host.ts";
import { NO_INPUT } from "../support/command-line.ts";

const directory = mkdtempSync(join(tmpdir(), "rollcall-check-"));
afterAll(() => rmSync(directory, { recursive: true }));

const write = (name: string, text: string): string => {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
};

const facts = (kind: FileFacts["kind"], mode: number, uid = 0, gid = 0): FileFacts => ({
  kind,
  mode,
  uid,
  gid,
  links: 1,
});

const run = (flags: ConfigFlags, environment: Record<string, string> = {}) => {
  const out: string[] = [];
  const err: string[] = [];
  const code = runConfigCheck(flags, environment, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    width: null,
    color: false,
    input: NO_INPUT,
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
      `warning: ${config}:10: destinations.ops: gets no alert, because nothing names it, must stand in the destinations of [team], of a label, an application or a monitor to get some`,
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
  expect(out).toContain("destinations: none, alerts reach nobody unless a command added a destination");
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

test("what the service's user may not read is a fault for root, and says what lets that user", () => {
  const files: Record<string, FileFacts> = {
    "/": facts("directory", 0o755),
    "/etc": facts("directory", 0o755),
    "/etc/rollcall": facts("directory", 0o750, 0, 120),
    "/etc/rollcall/rollcall.toml": facts("file", 0o640, 0, 120),
    "/etc/rollcall/smtp-password": facts("file", 0o600),
    "/root": facts("directory", 0o700),
    "/root/token": facts("file", 0o644),
  };
  const texts: Record<string, string> = {
    "/etc/passwd": "root:x:0:0::/root:/bin/sh\nrollcall:x:120:120::/:/bin/false\n",
    "/usr/lib/systemd/system/rollcall.service": "[Service]\nUser=rollcall\n",
  };
  const host: MachineFiles = {
    read: (path) => texts[path] ?? null,
    names: () => [],
    facts: (path) => files[path] ?? null,
    link: () => null,
    unread: () => [],
  };
  const read = ["/etc/rollcall/rollcall.toml", "/etc/rollcall/smtp-password", "/root/token"];
  expect(shutToService(read, "/var/lib/rollcall", host)).toEqual([
    '/etc/rollcall/smtp-password: rollcall, as whom the service runs, may not read it: chgrp "$(id -gn rollcall)" /etc/rollcall/smtp-password && chmod g+r /etc/rollcall/smtp-password',
    '/root: rollcall, as whom the service runs, may not read it: chgrp "$(id -gn rollcall)" /root && chmod g+x /root',
  ]);
  // Another configuration is not the unit's.
  expect(shutToService(read.slice(1), "/var/lib/rollcall", host)).toEqual([]);
  expect(shutToService(read.slice(0, 1), "/var/lib/rollcall", host)).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)("root's check counts as that of the owner of the data", () => {
  const data = join(directory, "data");
  mkdirSync(data);
  chownSync(data, 65_534, 65_534);
  chmodSync(directory, 0o755);
  const secret = write("secret", "hunter2hunter2hunter2\n");
  const config = write(
    "secret.toml",
    `[storage]\ndirectory = "${data}"\n[destinations.phone]\ntype = "ntfy"\nurl = "https://ntfy.example.org"\ntopic = "jobs"\ntoken_file = "${secret}"\n`,
  );
  chmodSync(secret, 0o600);
  const { code, out, err } = run({ config });
  expect([code, out]).toEqual([2, []]);
  expect(err).toEqual([expect.stringContaining(`${secret}: nobody, as whom the service runs, may not read it: chgrp`)]);
  chmodSync(secret, 0o644);
  expect(run({ config }).code).toBe(0);
});

test("the secret of an example is warned of", () => {
  const config = write(
    "sample.toml",
    `[team]\ndestinations = ["hook"]\n[destinations.hook]\ntype = "webhook"\nurl = "https://example.org/x"\nsecret = "whsec_bm90IGEgc2VjcmV0OiBtYWtlIG9uZSB5b3Vyc2VsZi4="\n`,
  );
  expect(run({ config })).toMatchObject({
    code: 0,
    err: [
      expect.stringMatching(/^warning: hook: sample secret, everybody knows the secret of an example: make one with /),
    ],
  });
});
