// `rollcall discover` as root on this machine with the real `crontab`: in a view of the file system in which what it
// changes lies in memory and is gone with it.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXECUTABLE } from "../support/executable.ts";
import { startService } from "../support/service.ts";

/** A checkout may lie where a restart removes it; nothing is wrapped with an executable from there. */
const INSTALLED = "/var/lib/executable/rollcall";
/** Mounts, in a view of its own, a writable layer over what cron and we keep. */
const VIEW = `set -e
mount -t tmpfs none /mnt
mkdir /mnt/etc /mnt/etc-work /mnt/var /mnt/var-work
mount -t overlay none -o lowerdir=/etc,upperdir=/mnt/etc,workdir=/mnt/etc-work /etc
mount -t overlay none -o lowerdir=/var,upperdir=/mnt/var,workdir=/mnt/var-work /var
mkdir -p /var/lib/executable
touch /var/lib/executable/rollcall
mount --bind ${EXECUTABLE} /var/lib/executable/rollcall
`;

const CRONTAB =
  "# mine\nSHELL=/bin/bash\n0 2 * * * cd /x && ./backup.sh > log 2>&1\n*/5 * * * * echo a\\%b%in\n@reboot /bin/x\n# ü\n";
const HAS_VIEWS =
  Bun.which("crontab") !== null &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["unshare", "-m", "sh", "-c", VIEW]).exitCode === 0;

/** Runs a script in such a view; `$rollcall` is the executable, `$tab` the file of a crontab. */
async function inView(script: string, key: { readonly url: string; readonly key: string }, tab = CRONTAB) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-view-"));
  try {
    writeFileSync(join(folder, "tab"), tab);
    const settings =
      'mkdir -p /etc/rollcall\nprintf \'url = "https://cron.example.org"\\nkey = "ck_app_x"\\n\' > /etc/rollcall/client.toml\n';
    const child = Bun.spawn(["unshare", "-m", "sh", "-c", `${VIEW}${settings}cd ${folder}\n${script}`], {
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        rollcall: INSTALLED,
        tab: join(folder, "tab"),
        ROLLCALL_URL: key.url,
        ROLLCALL_KEY: key.key,
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { exitCode: await child.exited, out, err };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.if(HAS_VIEWS)("a crontab is wrapped and bare again, byte for byte", async () => {
  await using service = startService();
  const { exitCode, out, err } = await inView(
    `crontab "$tab"
"$rollcall" discover --apply --prefix '' --only 'crontab of root' > applied
echo '== wrapped'; crontab -l
crontab -l > wrapped
"$rollcall" discover --apply --prefix '' --only 'crontab of root' > again
crontab -l | cmp - wrapped
"$rollcall" discover --undo > undone
crontab -l | cmp - "$tab"
echo '== said'; cat applied undone`,
    { url: service.origin, key: service.keys.sync },
  );
  expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
  const [, wrapped, said] = out.split(/== \w+\n/);
  expect(wrapped).toBe(
    CRONTAB.replace(
      "cd /x && ./backup.sh > log 2>&1",
      `${INSTALLED} run backup --message-from-stderr -- /bin/bash -c 'cd /x && ./backup.sh > log 2>&1'`,
    ).replace("echo a\\%b%in", `${INSTALLED} run echo --message-from-stderr -- /bin/bash -c 'echo a\\%b'%in`),
  );
  expect(said).toContain("changed crontab of root");
  expect(said).toContain("paused on the server: backup, echo");
});

test.if(HAS_VIEWS)("a crontab that crontab(1) does not show whole is left alone", async () => {
  await using service = startService();
  // Laid there by hand, without the three lines that Debian's crontab puts first and hides.
  const { out, err } = await inView(
    `install -m 600 "$tab" /var/spool/cron/crontabs/root
"$rollcall" discover --apply --only 'crontab of root' || echo "exit code $?"
cmp /var/spool/cron/crontabs/root "$tab" && echo unchanged`,
    { url: service.origin, key: service.keys.sync },
  );
  expect(err).toContain("does not read as the file does: save it once with crontab -e");
  expect(out).toContain("exit code 1\nunchanged\n");
});

test.if(HAS_VIEWS)("a crontab with ends of lines as in Windows is bare again to the byte", async () => {
  await using service = startService();
  const tab = "MAILTO=root\r\n# \\r\n0 2 * * * /bin/backup\r\n5 2 * * * /bin/other\n";
  const { out, err } = await inView(
    `crontab "$tab"
tail -n 4 /var/spool/cron/crontabs/root | cmp - "$tab"
"$rollcall" discover --apply --prefix '' --only 'crontab of root' > applied
tail -n 4 /var/spool/cron/crontabs/root
"$rollcall" discover --undo > undone
tail -n 4 /var/spool/cron/crontabs/root | cmp - "$tab"`,
    { url: service.origin, key: service.keys.sync },
    tab,
  );
  expect(err).not.toContain("differ");
  expect(out).toBe(
    tab.replaceAll(
      /\/bin\/((?:backup|other)\r?)/g,
      (all, name) => `${INSTALLED} run ${name.trim()} --message-from-stderr -- /bin/sh -c '${all}'`,
    ),
  );
});

test.if(HAS_VIEWS)("what a user cannot take back for now is not forgotten", async () => {
  await using service = startService();
  const { out, err } = await inView(
    `echo '0 2 * * * /bin/backup' | crontab -u games -
mkdir --mode 777 /mnt/home
as() { setpriv --reuid games --regid games --clear-groups env HOME=/mnt/home "$rollcall" discover --yes "$@"; }
as --apply --only 'crontab of games' > applied
crontab -u games -l | grep -o 'rollcall run'
echo games >/etc/cron.deny
as --undo --force > denied || echo "exit code $?"
rm /etc/cron.deny
as --undo > undone
crontab -u games -l`,
    { url: service.origin, key: service.keys.sync },
  );
  expect(err).toContain("crontab of games stays as it is: crontab answers: ");
  expect(out).toBe("rollcall run\nexit code 1\n0 2 * * * /bin/backup\n");
});

test.if(HAS_VIEWS)("a crontab that somebody has removed needs no undo", async () => {
  await using service = startService();
  const { out } = await inView(
    `crontab "$tab"
"$rollcall" discover --apply --only 'crontab of root' > applied
crontab -r
"$rollcall" discover --undo && echo "exit code $?"
crontab -l || echo none`,
    { url: service.origin, key: service.keys.sync },
  );
  expect(out).toContain("exit code 0\nnone\n");
});

test.if(HAS_VIEWS)("a user with more jobs than one list takes keeps root from none of the others", async () => {
  await using service = startService();
  const { out, err } = await inView(
    `crontab "$tab"
for n in $(seq 120); do echo "0 2 * * * /bin/job$n"; done | crontab -u games -
"$rollcall" discover --apply --prefix '' --only 'crontab of *' || echo "exit code $?"
crontab -u games -l | grep -c 'rollcall run' || true
crontab -l | grep -c 'rollcall run'`,
    { url: service.origin, key: service.keys.sync },
  );
  expect(err).toContain("crontab of games:20, and 100 more: its user has too many jobs for one list of 100: --only");
  expect(out).toContain("declared 2 jobs, changed 1 file");
  expect(out).toEndWith("exit code 1\n0\n2\n");
});
