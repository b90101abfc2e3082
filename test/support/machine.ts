// A temporary Debian with systemd as its first process: a copy of this machine's files without its jobs, in memory,
// with this machine's network and dist/rollcall as /usr/bin/rollcall. It needs root and systemd-nspawn, and knows no
// recipe.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Ended, isInstalled, startCommand } from "./clients.ts";
import { EXECUTABLE, until } from "./executable.ts";

export interface Machine extends AsyncDisposable {
  /** The directory of its files, as this machine sees them. */
  readonly root: string;
  /** Writes a file, and the directories above it; a file that begins with `#!` becomes executable. */
  write(path: string, text: string, mode?: number): void;
  /** Runs a script in its shell as root. */
  run(script: string, environment?: Record<string, string>): Promise<Ended>;
}

/** Whether such a machine can be made here, and has these programs. */
export const hasMachine = (...programs: readonly string[]): boolean =>
  process.getuid?.() === 0 && ["systemd-nspawn", "unshare", ...programs].every(isInstalled);

/** A boot starts systemd and its journal, and no timer or service of this machine. */
const TARGET = `[Unit]
Requires=sysinit.target
After=sysinit.target
`;

/** Directories with jobs and secrets of this machine, which are empty in the copy. */
const EMPTIED = [
  "etc/systemd/system",
  "var/spool/rollcall",
  "etc/cron.d",
  ...["hourly", "daily", "weekly", "monthly"].map((often) => `etc/cron.${often}`),
  "etc/apt/sources.list.d",
  "var/lib/apt/lists",
  "var/lib/apt/periodic",
  "var/spool/cron/crontabs",
  "var/spool/anacron",
  "etc/rollcall",
  "root",
];

/** Everything happens in a separate mount namespace, so that nothing is left after its end. */
const BOOT = `
mount -t tmpfs tmpfs "$0"
cd "$0"
mkdir machine upper work root
mount --bind / machine
mount -t overlay overlay -o lowerdir=machine,upperdir=upper,workdir=work root
for directory in ${EMPTIED.join(" ")}; do mkdir -p "root/$directory"; mount -t tmpfs -o mode=755 tmpfs "root/$directory"; done
rm -f root/etc/crontab root/etc/anacrontab root/etc/apt/sources.list
printf '${TARGET.replaceAll("\n", "\\n")}' > root/etc/systemd/system/machine.target
exec systemd-nspawn --quiet --directory root --machine "$1" --register=no --keep-unit --console=pipe \
  --bind-ro="$2:/usr/bin/rollcall" --boot systemd.unit=machine.target systemd.firstboot=off
`;

/** The environment of root after a sign-in. */
const SHELL = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/root",
  LC_ALL: "C.UTF-8",
};

/** The machine ends with the block that holds it (`await using`), or when the tests are killed. */
export async function bootMachine(): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-machine-"));
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "");
  const container = Bun.spawn(
    ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private", "/bin/sh", "-ec", BOOT].concat(
      folder,
      name,
      EXECUTABLE,
    ),
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const said = Promise.all([new Response(container.stdout).text(), new Response(container.stderr).text()]);
  const runIn = (leader: string, script: string, environment: Record<string, string> = {}): Promise<Ended> =>
    startCommand(["nsenter", "--target", leader, "--all", "/bin/sh", "-c", script], { ...SHELL, ...environment }).ended;
  const leader = await until("the machine's start", async () => {
    if (container.exitCode !== null) throw new Error(`the machine does not start: ${(await said).join("\n")}`);
    // Before its first process it has another child for a moment.
    const child = firstChildOf(container.pid);
    if (child === null) return null;
    return /^(?:running|degraded)$/m.test((await runIn(child, "systemctl is-system-running")).screen) ? child : null;
  });
  const root = `/proc/${leader}/root`;
  return {
    root,
    run: (script, environment) => runIn(leader, script, environment),
    write: (path, text, mode = text.startsWith("#!") ? 0o755 : 0o644) => {
      mkdirSync(dirname(root + path), { recursive: true });
      writeFileSync(root + path, text);
      chmodSync(root + path, mode);
    },
    [Symbol.asyncDispose]: async () => {
      process.kill(Number(leader), "SIGKILL");
      await container.exited;
      rmdirSync(folder);
    },
  };
}

function firstChildOf(pid: number): string | null {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? null : (children.split(" ")[0] ?? null);
}
