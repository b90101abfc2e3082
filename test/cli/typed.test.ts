// Commands as they are printed for the person who reads them: as the owner of the data directory, for the configuration
// that was named, and quoted as a shell needs it.

import { afterAll, describe, expect, test } from "bun:test";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandAgain, hintAsOwner } from "../../src/cli/asking/command-hints.ts";
import { programFor } from "../../src/cli/executable.ts";
import { openRunning } from "../support/commands.ts";

const directory = mkdtempSync(join(tmpdir(), "rollcall-typed-"));
afterAll(() => rmSync(directory, { recursive: true }));

const me = process.getuid?.() ?? 0;
const call = (person: number | null, args: readonly string[] = [], config?: string) => ({
  args,
  flags: config === undefined ? {} : { config },
  environment: person === null ? {} : { SUDO_UID: String(person) },
});

describe("a command is printed", () => {
  test("as it is for the owner, and for root, who may do everything", () => {
    expect(hintAsOwner(call(me), directory)("monitor list")).toBe("rollcall monitor list");
    expect(hintAsOwner(call(0), directory)("monitor list")).toBe("rollcall monitor list");
    expect(hintAsOwner(call(4_711), "/nonexistent")("monitor list")).toBe("rollcall monitor list");
  });

  // Only root can give a directory away.
  test.skipIf(me !== 0)("as the owner for everybody else, by name or by number", () => {
    chownSync(directory, 1, 1);
    expect(hintAsOwner(call(4_711), directory)("monitor list")).toBe("sudo -u daemon rollcall monitor list");
    expect(commandAgain(call(4_711, ["monitor", "show", "a b's"]), directory)).toBe(
      "sudo -u daemon rollcall monitor show 'a b'\\''s'",
    );
    chownSync(directory, 54_321, 54_321);
    expect(hintAsOwner(call(4_711), directory)("key list")).toBe("sudo -u '#54321' rollcall key list");
    expect(commandAgain(call(0, ["key", "list"]), directory)).toBeNull();
  });

  test("with the configuration that was named", () => {
    expect(hintAsOwner(call(0, [], "/etc/my conf.toml"), directory)("app list")).toBe(
      "rollcall --config '/etc/my conf.toml' app list",
    );
  });
});

test("what the service says names commands as they must be typed", async () => {
  await using place = openRunning();
  const refused = await place.run("--config", place.config, "monitor", "show", "nothing");
  expect(refused.err).toBe(
    `key: there is no monitor "nothing"; \`rollcall --config ${place.config} monitor list\` shows all`,
  );
  const created = await place.run("--config", place.config, "app", "create", "staging");
  expect(created.err).toBe(`next: rollcall --config ${place.config} key create staging`);
});

test.each([
  ["/usr/bin/rollcall", "/usr/bin/rollcall", "/root", "rollcall"],
  ["/home/ada/rollcall/dist/rollcall", null, "/home/ada/rollcall", "dist/rollcall"],
  ["/home/ada/rollcall/dist/rollcall", "/usr/bin/rollcall", "/home/ada/rollcall/dist", "./rollcall"],
  ["/home/ada/my rollcall/rollcall", null, "/root", "'/home/ada/my rollcall/rollcall'"],
])("%s, where the search path leads to %s, is typed from %s as %s", (executable, found, cwd, typed) => {
  expect(programFor(executable, found, cwd)).toBe(typed);
});
