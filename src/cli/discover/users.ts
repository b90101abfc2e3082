// `rollcall discover --undo --all-users`: also takes back what users have applied themselves, each with that user's rights.
// What lies in their homes is theirs to write, so root must not act on it.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DONE, type Io, NOT_RUNNING, REFUSED, say } from "../io.ts";
import { installedAs } from "../ourselves.ts";

/** Where a user's ledger lies below the home; who has set XDG_STATE_HOME elsewhere undoes it in person. */
const LEDGER = ".local/state/rollcall/discover/manifest.json";

/** What a user has left must not hold up root. Milliseconds. */
const ENOUGH = 120_000;

/** The worst exit code: 1 where something stays wrapped, 3 where all is bare and a server could not be told. */
export function undoForUsers(force: boolean, io: Io): number {
  let worst = DONE;
  for (const { user, home } of usersWithLedger()) {
    say(io, `as ${user}:`);
    const ran = Bun.spawnSync(
      ["runuser", "-u", user, "--", installedAs(), "discover", "--undo", "--yes", ...(force ? ["--force"] : [])],
      {
        cwd: "/",
        env: { PATH: process.env["PATH"], HOME: home },
        stdin: "ignore",
        stdout: "inherit",
        stderr: "inherit",
        timeout: ENOUGH,
        // Away from root's terminal: what runs as a user obeys that user, who could type there.
        detached: true,
      },
    );
    const isBare = ran.exitCode === DONE || ran.exitCode === NOT_RUNNING;
    if (!isBare)
      say(
        io,
        `not all that ${user} has applied could be taken back; what stood there is in ${join(home, dirname(LEDGER))}`,
      );
    if (ran.exitCode !== DONE && worst !== REFUSED) worst = isBare ? NOT_RUNNING : REFUSED;
  }
  return worst;
}

function usersWithLedger(): readonly { readonly user: string; readonly home: string }[] {
  const rows = readFileSync("/etc/passwd", "utf8").split("\n");
  const accounts = rows.map((row) => row.split(":"));
  return accounts.flatMap(([user, , uid, , , home]) =>
    user && uid !== "0" && home?.startsWith("/") && existsSync(join(home, LEDGER)) ? [{ user, home }] : [],
  );
}
