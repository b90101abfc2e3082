// `rollcall init`: the file it writes loads as it is and with every setting uncommented, holds every key, and is never
// written over another.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInit } from "../../src/cli/config-commands.ts";
import { CHANNELS } from "../../src/config/channel-keys.ts";
import { exampleToml } from "../../src/config/example-file.ts";
import { formatFault } from "../../src/config/fault.ts";
import { loadConfig } from "../../src/config/load.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { createCertificate } from "../support/certificate.ts";
import { NO_INPUT } from "../support/command-line.ts";
import { configIn, faultsIn, withToml } from "../support/config-world.ts";

const directory = mkdtempSync(join(tmpdir(), "rollcall-init-"));
afterAll(() => rmSync(directory, { recursive: true }));

const run = (into: string, timezone: string | null = null) => {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    width: null,
    color: false,
    input: NO_INPUT,
  };
  const code = runInit(into, { timezone, doubt: null }, io);
  return { code, out, err };
};

const uncommented = exampleToml(null).replace(/^#(?! |$)/gm, "");
const PAIR = createCertificate();
const TLS = {
  "/etc/rollcall/tls.crt": PAIR.certificate,
  "/etc/rollcall/tls.key": PAIR.key,
};

test("init writes a file that only its owner can read and that loads as it is", () => {
  const into = join(directory, "made", "on the way");
  const file = join(into, "rollcall.toml");
  expect(run(into)).toEqual({
    code: 0,
    out: [
      `wrote ${file}`,
      "schedules are read in UTC: this machine does not say its time zone, server.timezone sets another",
      `next: edit it, then run rollcall config check --config ${file}`,
    ],
    err: [],
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const readFile = (path: string) => readFileSync(path, "utf8");
  const loaded = loadConfig({
    flags: { config: file },
    environment: {},
    cwd: directory,
    readFile,
    readFound: readFile,
  });
  expect("faults" in loaded ? loaded.faults.map(formatFault) : loaded.sources).toEqual([file]);
});

test("R13: init writes the machine's time zone as the server's, and says so", () => {
  const into = join(directory, "zone");
  expect(run(into, "Europe/Berlin").out[1]).toBe(
    "schedules are read in Europe/Berlin, the time zone of this machine: server.timezone sets another",
  );
  const text = readFileSync(join(into, "rollcall.toml"), "utf8");
  expect(text.split("\n").filter((line) => /^[a-z]/.test(line))).toEqual(['timezone = "Europe/Berlin"']);
  expect(configIn(withToml(text))).toEqual({
    ...configIn({}),
    server: { ...configIn({}).server, timezone: "Europe/Berlin" },
  });
  expect(faultsIn(withToml(text.replace(/^#(?! |$)/gm, ""), { files: TLS }))).toEqual([]);
});

test("init never writes over a file", () => {
  const file = join(directory, "rollcall.toml");
  writeFileSync(file, "mine");
  expect(run(directory)).toEqual({ code: 1, out: [], err: [`${file} exists already; nothing was written`] });
  expect(readFileSync(file, "utf8")).toBe("mine");
});

test("init says why it cannot write", () => {
  const file = join(directory, "rollcall.toml", "rollcall.toml");
  expect(run(join(directory, "rollcall.toml"))).toEqual({
    code: 1,
    out: [],
    err: [`${file} cannot be written (EEXIST)`],
  });
});

test("the example file changes nothing while it is commented out", () => {
  expect(configIn(withToml(exampleToml(null)))).toEqual(configIn({}));
});

test("the example file with every setting uncommented loads without a fault", () => {
  expect(uncommented).not.toBe(exampleToml(null));
  expect(faultsIn(withToml(uncommented, { files: TLS }))).toEqual([]);
  const config = configIn(withToml(uncommented, { files: TLS }));
  expect([...config.destinations.values()].map(({ type }) => type as string).sort()).toEqual(
    ["email", ...Object.keys(CHANNELS)].sort(),
  );
  expect(config.destinations.get("twilio")).toMatchObject({ type: "twilio", url: "https://api.twilio.com" });
  expect(config.applications.get("prod")?.monitors.get("nightly-backup")?.graceSeconds).toBe(1800);
});

test("R40: every secret of the example file is known as one, a topic excepted, which may be any word", () => {
  const { secrets, destinations, statusPages, self } = configIn(withToml(uncommented, { files: TLS }));
  const tokens = statusPages.map(({ token }) => token);
  const settings = ["url", "token", "user", "password", "integrationKey", "secret", "signingSecret", "headers"];
  const ofDestinations = [...destinations.values()].flatMap((destination) =>
    Object.entries(destination).flatMap(([field, value]) => (settings.includes(field) ? [String(value)] : [])),
  );
  expect(ofDestinations).toHaveLength(35);
  expect(secrets).toEqual(
    new Set([
      "secret",
      TLS["/etc/rollcall/tls.key"],
      ...ofDestinations,
      "Bearer replacethis",
      ...tokens,
      self!.pingUrl,
    ]),
  );
});

test("every default in the example file is the default", () => {
  const { applications: _, destinations: __, smtp: ___, ...shown } = configIn(withToml(uncommented, { files: TLS }));
  const { server, storage, limits, alerts } = configIn({});
  expect(shown.storage).toEqual({ ...storage, backupCommand: { command: 'restic backup "$1"', limit: 15 * MINUTE } });
  expect(shown.limits).toEqual(limits);
  expect(shown.alerts).toEqual({ ...alerts, report: "0 8 * * 1" });
  expect(server).toEqual({ ...shown.server, publicUrl: null, timezone: null, tls: null, metricsToken: null });
});

test("every key of this release stands in the example file", () => {
  const keys = [...exampleToml(null).matchAll(/^#([a-z0-9_]+) = /gm)].map((match) => match[1] ?? "");
  const expected =
    "listen public_url plain_http trusted_proxies host_names timezone tls_cert tls_key metrics_token enabled trusted_user_header trusted_user_secret issuer client_id client_secret " +
    "name_claim label directory domain " +
    "keep_pings backup_every backup_keep backup_command backup_command_limit v1_per_minute " +
    "v1_per_hour alias_per_minute sync_per_minute admin_per_minute host port security " +
    "username password from name destinations members continued_after continued_every continued_max report type to url secret " +
    "topic token signing_secret user chat integration_key region method headers format body program answer turns since environments quiet urgent after answers " +
    "owner severity environment unusual runbook logs repository schedule grace max_runtime alert_after_misses alert_after_failures " +
    "maintenance drill drill_every max_active_monitors keep_output mask min max equals on_failure title jobs messages ping_url every labels mail_rule note";
  expect([...new Set(keys)].sort()).toEqual(expected.split(" ").sort());
});
