// Where the data directory is, as a command that only asks the running service finds out: as `serve` would, without
// looking at anything else.

import { describe, expect, test } from "bun:test";
import { CWD, configIn, directoryIn, systemError, type World, withToml } from "../support/config-world.ts";

const toml = (directory: string) => `[storage]\ndirectory = "${directory}"\n`;

describe("the data directory alone is found where the whole configuration finds it", () => {
  const worlds: [string, World, string][] = [
    ["by default", {}, `${CWD}/data`],
    ["in the file", withToml(toml("/var/lib/rollcall")), "/var/lib/rollcall"],
    ["in a file that --config names", { flags: { config: "/c" }, files: { "/c": toml("there") } }, `${CWD}/there`],
    [
      "in the environment rather than the file",
      withToml(toml("/file"), { environment: { ROLLCALL_STORAGE__DIRECTORY: "/environment" } }),
      "/environment",
    ],
    [
      "in the table's variable",
      withToml(toml("/file"), { environment: { ROLLCALL_STORAGE: '{"directory": "/json"}' } }),
      "/json",
    ],
    [
      "in an environment file",
      { flags: { envFile: "/env" }, files: { "/env": "ROLLCALL_STORAGE__DIRECTORY=/env-file\n" } },
      "/env-file",
    ],
    [
      "in the file for all, typed where the user may not look",
      {
        files: {
          [CWD]: systemError("EACCES"),
          [`${CWD}/rollcall.toml`]: systemError("EACCES"),
          "/etc/rollcall/rollcall.toml": toml("/all"),
        },
      },
      "/all",
    ],
    ["where systemd made it", { environment: { STATE_DIRECTORY: "/var/lib/a:/var/lib/b" } }, "/var/lib/a"],
  ];
  test.each(worlds)("%s", (_, world, directory) => {
    expect(directoryIn(world)).toBe(directory);
    expect(configIn(world).storage.directory).toBe(directory);
  });
});

describe("what else is wrong is nobody's business here", () => {
  test.each([
    ["secrets that cannot be read", '[smtp]\nhost = "h"\npassword_file = "/secret"\n'],
    ["unknown keys", "[server]\nlisten_on = 1\n"],
    ["values that are refused", '[server]\nlisten = "nowhere"\n[storage]\nkeep_pings = "for ever"\n'],
    ["keys that are missing", '[destinations.hook]\ntype = "webhook"\n'],
  ])("%s", (_, more) => {
    expect(directoryIn(withToml(more.includes("[storage]") ? more : toml("/data") + more))).toBeString();
  });

  test("variables of other keys", () => {
    const environment = { ROLLCALL_NO_SUCH_KEY: "1", ROLLCALL_TEAM: "{", ROLLCALL_STORAGE__DIRECTORY: "/data" };
    expect(directoryIn({ environment })).toBe("/data");
  });

  test("a credential that may not be read", () => {
    const environment = { CREDENTIALS_DIRECTORY: "/credentials" };
    const files = { "/credentials/smtp.password": systemError("EACCES") };
    expect(directoryIn({ environment, files })).toBe(`${CWD}/data`);
  });
});

describe("what keeps it from being known is told with its place", () => {
  test.each<[string, World, RegExp]>([
    ["a directory that is none", withToml("[storage]\ndirectory = 5\n"), /^rollcall.toml:2: storage.directory: /],
    ["a table that is none", withToml("storage = 5\n"), /^rollcall.toml:1: storage: /],
    ["a variable that is not JSON", { environment: { ROLLCALL_STORAGE: "{" } }, /^ROLLCALL_STORAGE: storage: /],
    ["a file that is no TOML", withToml("[storage\n"), /^rollcall.toml:1: TOML: /],
    ["a file that may not be read", { files: { [`${CWD}/rollcall.toml`]: systemError("EACCES") } }, /EACCES/],
    ["a named file that is not there", { flags: { config: "/c" } }, /^--config: /],
    ["an environment file that is not there", { flags: { envFile: "/e" } }, /^--env-file: /],
  ])("%s", (_, world, fault) => {
    const faults = directoryIn(world);
    expect(faults).toBeArrayOfSize(1);
    expect(faults[0]).toMatch(fault);
  });
});
