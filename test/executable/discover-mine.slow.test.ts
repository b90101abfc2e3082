// `rollcall discover --mine`: a person without root has their own crontab watched, by the real `crontab` in a place of
// its own, so that this machine's stay as they are.

import { expect, setDefaultTimeout, test } from "bun:test";
import { isInstalled } from "../support/clients.ts";
import { EXECUTABLE, firstKeyOf, openFolder } from "../support/executable.ts";

setDefaultTimeout(120_000);

/** Debian has this user, who owns nothing, and whose home holds programs at most. */
const USER = "games";
const HOME = "/usr/games";
const CRONTABS = "/var/spool/cron/crontabs";

/** Runs the lines as that user, with an empty place for crontabs and the executable where one is installed. */
const asUser = (key: string, url: string, lines: string) => {
  const ours = `mount -t tmpfs -o mode=1730,gid=crontab none ${CRONTABS} && mount -t tmpfs none /usr/local/bin &&
    touch /usr/local/bin/rollcall && mount --bind '${EXECUTABLE}' /usr/local/bin/rollcall && mount -t tmpfs -o mode=700,uid=${USER},gid=${USER} none ${HOME}`;
  const user = `exec setpriv --reuid=${USER} --regid=${USER} --clear-groups sh -euc "$1"`;
  const { exitCode, stdout, stderr } = Bun.spawnSync(["unshare", "-m", "sh", "-c", `${ours} && ${user}`, "sh", lines], {
    env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", HOME, ROLLCALL_KEY: key, ROLLCALL_URL: url },
    cwd: "/",
  });
  return { exitCode, out: stdout.toString(), err: stderr.toString() };
};

const CAN = process.getuid?.() === 0 && ["unshare", "setpriv", "crontab"].every(isInstalled);

test.if(CAN)(
  "a user's own crontab is listed, wrapped and bare again, and nothing is said of what root reads",
  async () => {
    await using folder = openFolder({});
    const service = await folder.serve();
    const key = firstKeyOf(service);
    const crontab = "# mine\n5 4 * * * /bin/sync --all\n@reboot /bin/true\n";
    const { exitCode, out, err } = asUser(
      ...[key, service.url],
      `mkdir -p ~/.config/rollcall; (umask 077; printf 'url = "%s"\\nkey = "%s"\\n' "$ROLLCALL_URL" "$ROLLCALL_KEY" >~/.config/rollcall/client.toml)
      printf '${crontab.replaceAll("\n", "\\n")}' | crontab -
      rollcall discover 2>&1 | sed 's/^/ALL /'
      rollcall discover --mine 2>&1 | sed 's/^/MINE /'
      rollcall discover --mine --apply --yes 2>&1 | sed 's/^/APPLY /'
      crontab -l | sed 's/^/WRAPPED /'
      rollcall discover --mine --undo --yes 2>&1 | sed 's/^/UNDO /'
      crontab -l | sed 's/^/BARE /'`,
    );
    expect([exitCode, err]).toEqual([0, ""]);
    const lines = (of: string): string =>
      out
        .split("\n")
        .filter((line) => line.startsWith(`${of} `))
        .map((line) => `${line.slice(of.length + 1)}\n`)
        .join("");
    expect(lines("ALL")).toContain("only root may read it");
    expect(lines("MINE")).toMatch(/ 5 4 \* \* \* +games +crontab of games:2/);
    expect(lines("MINE")).toContain("crontab of games:3");
    expect(lines("MINE")).not.toMatch(/only root|\/etc\/|\.timer/);
    expect(lines("WRAPPED")).toMatch(/^5 4 \* \* \* \/usr\/local\/bin\/rollcall run \S+-sync .*'\/bin\/sync --all'$/m);
    expect(lines("BARE")).toBe(crontab);
  },
);
