// The user whose name messages give for commands: the one this process is, whatever the environment says.

import { expect, test } from "bun:test";
import { ownUser, systemUserIn } from "../../src/cli/own-user.ts";

const USERS = "root:x:0:0:root:/root:/bin/bash\nrollcall:x:999:999::/var/lib/rollcall:/usr/sbin/nologin\n";

test("a user is found by the number, in any line, and not by a number elsewhere", () => {
  expect(systemUserIn(USERS, 0)).toBe("root");
  expect(systemUserIn(USERS, 999)).toBe("rollcall");
  expect(systemUserIn(USERS, 1000)).toBeNull();
  expect(systemUserIn(":x:5:5:::", 5)).toBeNull();
  expect(systemUserIn("", 0)).toBeNull();
});

test("who runs this is known", () => {
  const asked = Bun.spawnSync(["id", "-un"]);
  expect(ownUser()).toBe(asked.stdout.toString().trim());
});
