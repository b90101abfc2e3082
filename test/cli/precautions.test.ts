// What serve warns of at its start, and what it says where nobody can reach it yet.

import { describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { warnOfRisks } from "../../src/cli/config-commands.ts";
import { firstKeyLines, localServiceAddress } from "../../src/cli/serving/first-keys.ts";
import type { Config } from "../../src/config/all-keys.ts";
import { loadConfig } from "../../src/config/load.ts";

function load(toml: string, environment: Record<string, string> = {}): Config {
  const files: Record<string, string> = { "/home/rollcall.toml": toml };
  const readFile = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error("missing"), { code: "ENOENT" });
    return text;
  };
  const loaded = loadConfig({ flags: {}, environment, cwd: "/home", readFile, readFound: readFile });
  if ("faults" in loaded) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
}

function warnings(config: Config): string[] {
  const told: string[] = [];
  warnOfRisks(config, (level, event, fields) => void told.push(`${level} ${event} ${JSON.stringify(fields)}`));
  return told;
}

describe("a warning", () => {
  test("says that jobs elsewhere are refused where nothing brings HTTPS", () => {
    const at = (listen: string, more = "") => warnings(load(`[server]\nlisten = "${listen}"\n${more}`));
    expect(at("0.0.0.0:8080")).toEqual([expect.stringMatching(/^warn nothing_brings_https \{"listen":"0.0.0.0"/)]);
    expect(at("127.0.0.1:8080")).toEqual([]);
    expect(at("0.0.0.0:8080", 'plain_http = "accept"\n')).toEqual([]);
    expect(at("0.0.0.0:8080", 'public_url = "https://cron.example.org"\n')).toEqual([]);
  });

  test("names the application whose status page has the token of the example, and not the token", () => {
    const page = (token: string) => load(`[applications.prod.status_page]\ntoken = "${token}"\njobs = ["*"]\n`);
    const told = warnings(page("replace-me-with-40-random-characters"));
    expect(told).toEqual([expect.stringMatching(/^warn sample_token \{"application":"prod"/)]);
    expect(told.join()).not.toContain("replace-me");
    expect(warnings(page("2b1f0c7e9d8a4f5b6c3e"))).toEqual([]);
  });

  test.each([
    "whsec_bm90IGEgc2VjcmV0OiBtYWtlIG9uZSB5b3Vyc2VsZi4=",
    "whsec_cmVwbGFjZSBtZSB3aXRoIDMyIHJhbmRvbSBieXRlcw==",
  ])("names the destination whose secret is that of an example, and not the secret: %s", (secret) => {
    const told = warnings(
      load(`[destinations.ops]\ntype = "webhook"\nurl = "https://example.org/x"\nsecret = "${secret}"\n`),
    );
    expect(told).toEqual([expect.stringMatching(/^warn sample_secret .*"destination":"ops".*head -c 24/)]);
    expect(told.join()).not.toContain(secret);
  });

  test("is not given for a secret of one's own", () => {
    const secret = `whsec_${"b".repeat(32)}`;
    const toml = `[destinations.ops]\ntype = "webhook"\nurl = "https://example.org/x"\nsecret = "${secret}"\n`;
    expect(warnings(load(toml))).toEqual([]);
  });

  test("names a program that cannot run, or that others may change", () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-program-"));
    const program = join(folder, "page");
    const told = () => warnings(load(`[destinations.own]\ntype = "command"\nprogram = "${program}"\n`));
    const warned = (event: string, rule: string) =>
      `warn ${event} ${JSON.stringify({ destination: "own", rule: `${rule} ${program}` })}`;
    expect(told()).toEqual([warned("program_cannot_run", "there is no file")]);
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o644);
    expect(told()).toEqual([warned("program_cannot_run", `make it executable: chmod +x`)]);
    chmodSync(program, 0o757);
    expect(told()).toEqual([warned("program_open_to_others", "others may change what runs: chmod go-w")]);
    chmodSync(program, 0o755);
    expect(told()).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test("says how to close a data directory into which others may write", () => {
    const directory = mkdtempSync(join(tmpdir(), "rollcall-open-"));
    const config = load(`[storage]\ndirectory = "${directory}"\n`);
    for (const [mode, warned] of [
      [0o700, false],
      [0o755, false],
      [0o775, true],
      [0o707, true],
    ] as const) {
      chmodSync(directory, mode);
      expect([mode, warnings(config).length > 0]).toEqual([mode, warned]);
    }
    expect(warnings(config)).toEqual([expect.stringContaining(`chmod go-w ${directory}`)]);
    rmSync(directory, { recursive: true });
  });
});

describe("R35: the first line to try", () => {
  const KEY = { application: "default", key: "ck_app_default_x" };
  const lines = (toml: string) => firstKeyLines([KEY], localServiceAddress(load(toml).server, 8787)).join("\n");
  const PUBLIC = 'public_url = "https://cron.example.org"\n';

  test.each([
    ["", "http://127.0.0.1:8787/api"],
    ['listen = "0.0.0.0:8787"\n', "http://127.0.0.1:8787/api"],
    ['listen = "[::1]:8787"\n', "http://[::1]:8787/api"],
    ['listen = "192.0.2.7:8787"\nplain_http = "accept"\n', "http://192.0.2.7:8787/api"],
    [`listen = "192.0.2.7:8787"\n${PUBLIC}`, "https://cron.example.org/api"],
    [`plain_http = "refuse"\n${PUBLIC}`, "https://cron.example.org/api"],
  ])("goes where it is taken: %j", (server, address) => {
    expect(lines(`[server]\n${server}`)).toContain(`'${address}`);
  });

  test.each(['plain_http = "refuse"\n', 'listen = "192.0.2.7:8787"\n'])(
    "is missing where it would be refused, with what to set: %j",
    (server) => {
      const told = lines(`[server]\n${server}`);
      expect(told).not.toContain("curl");
      expect(told).toContain("Set server.public_url");
    },
  );
});
