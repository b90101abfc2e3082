// What the exit status of a line means, and that the line which we would write instead ends as its job does. Each is
// run by a real shell, where `ok` ends with 0 and `bad` with 7.

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statusDoubt, unitDoubt } from "../../src/discover/exit-status.ts";
import { discoverBelow } from "./below.ts";
import { plant } from "./trees.ts";

const WORLD = { isProgram: (path: string) => path === "/usr/bin/here" };
const doubt = (line: string) => statusDoubt(line, WORLD);

const programs = mkdtempSync(join(tmpdir(), "status-"));
const program = (name: string, text: string): void => {
  writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(programs, name), 0o755);
};
program("ok", "echo fine");
program("bad", "echo broken\nexit 7");
program("mail", "cat > /dev/null");
afterAll(() => rmSync(programs, { recursive: true }));

const statusOf = (command: string): number =>
  Bun.spawnSync(["/bin/bash", "-c", command.replaceAll("\\%", "%")], {
    env: { PATH: `${programs}:${process.env["PATH"]}` },
    stdout: "ignore",
    stderr: "ignore",
  }).exitCode;

const WITHOUT_DOUBT = [
  "X=$(backup)",
  "DAY=$(date +\\%F); backup $DAY",
  "HOST=nas; backup $HOST",
  "ssh -p 22 host backup",
  "ssh -i /root/key host 'cd /srv && backup'",
  "/usr/local/bin/backup --full",
  "cd /srv/shop && ./orders.sh",
  "cd /srv/shop; ./orders.sh",
  "sleep $((RANDOM \\% 60)); backup",
  "a && b && c",
  "test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )",
  "[ -f /run/lock ] || backup",
  "pgrep -x worker > /dev/null || worker",
  "[ -x /usr/bin/here ] && here",
  "if [ -x /usr/share/mdadm/checkarray ] && [ $(date +\\%d) -le 7 ]; then /usr/share/mdadm/checkarray --all; fi",
  "backup; rc=$?; rm -f /tmp/x; exit $rc",
  "set -e; a; b",
  "bash -c 'set -o pipefail; a | b'",
  "bash -eo pipefail -c 'a | b; c'",
  "backup || { echo failed | mail ops; exit 1; }",
  "backup && curl -s https://example.org/done",
  "curl -fsS https://example.org/cron.php",
  "wget -q -O /dev/null https://example.org/wp-cron.php",
  "flock /run/lock backup",
  "cat hosts | xargs -n1 backup",
  "yes | upgrade",
  "timeout 1h nice -n 19 backup > /var/log/b 2>&1",
  "find /b -mtime +7 -delete",
  "docker exec db pg_dump shop",
  "rsync -a /a /b # and nothing else | true",
  "echo 'a; b | c' > /tmp/x",
];

describe("a line whose status is its outcome", () => {
  test.each(WITHOUT_DOUBT)("%s", (line) => expect(doubt(line)).toBeNull());
});

/** A line with a job that fails; what is said of it; the statuses of the line and of what we would write instead. */
const HIDING: readonly (readonly [line: string, says: RegExp, mended: string | null])[] = [
  ["bad || true", /`\|\| true` makes it end with 0 whatever becomes of `bad`/, "bad"],
  ["bad || :", /`\|\| :` makes it/, "bad"],
  ["bad; true", /`true` makes it end with 0/, "bad"],
  ["bad ; exit 0", /`exit 0` makes it end with 0/, "bad"],
  ["bad; ok", /status is that of `ok` alone/, "bad && ok"],
  ["bad; rm -f /tmp/none", /alone: a failure of `bad` before it/, "bad && rm -f /tmp/none"],
  ["bad | cat", /`cat` alone, the last of its pipe/, "set -o pipefail; bad | cat"],
  ["bad 2>&1 | grep -v noise", /the last of its pipe/, "set -o pipefail; bad 2>&1 | { grep -v noise; [ $? -le 1 ]; }"],
  ["bad | head -1", /the last of its pipe/, null],
  ["bad &", /goes to the background/, "bad"],
  [
    "bad || echo failed | mail ops",
    /When `bad` fails, `echo failed \| mail ops` runs/,
    "bad || { echo failed | mail ops; exit 1; }",
  ],
  ["cd / && bad || mail ops", /When `bad` fails/, "cd / && bad || { mail ops; exit 1; }"],
  ["if bad; then ok; else mail ops; fi", /`if` uses up the status of `bad`/, null],
  ["for one in a b; do [ $one = a ] && bad; ok; done", /last round of its for/, null],
  ["! bad", /turns its status round/, null],
  ["sh -c 'bad || true'", /whatever becomes of `bad`/, "sh -c 'bad'"],
  ['bash -c "bad | cat"', /the last of its pipe/, 'bash -c "set -o pipefail; bad | cat"'],
  ["{ bad; ok; }", /status is that of `ok` alone/, "{ bad && ok; }"],
  ['echo "$(bad)"', /a failure of `bad`, whose output it writes/, null],
  ['X=$(bad); echo "$X"', /a failure of `X=\$\(bad\)` before it/, 'X=$(bad) && echo "$X"'],
  ["find /etc/hostname -exec bad {} \\;", /-exec … ; fails/, "find /etc/hostname -exec bad {} +"],
];

describe("a line that would tell a failure as a success", () => {
  test.each(HIDING)("%s", (line, says, mended) => {
    const found = doubt(line);
    expect(found?.says.join(" ")).toMatch(says);
    expect(found?.mended?.command ?? null).toBe(mended);
    if (!line.startsWith("!")) expect(statusOf(line)).toBe(0);
    if (mended !== null) expect(statusOf(mended)).not.toBe(0);
    if (mended !== null && !mended.startsWith("find")) expect(statusOf(mended.replaceAll("bad", "ok"))).toBe(0);
  });
});

const ALARMING: readonly (readonly [line: string, says: RegExp, mended: string])[] = [
  [
    "[ $(date +\\%Y) -le 7 ] && bad",
    /ends with 1 when `\[ \$\(date \+%Y\) -le 7 \]` says no/,
    "if [ $(date +\\%Y) -le 7 ]; then bad; fi",
  ],
  ["date +\\%Y | grep -q ^1 && bad", /says no: nothing has run then/, "if date +\\%Y | grep -q ^1; then bad; fi"],
  [
    "[[ $(date +\\%Y) == 1 ]] && bad >> /dev/null 2>&1",
    /says no/,
    "if [[ $(date +\\%Y) == 1 ]]; then bad >> /dev/null 2>&1; fi",
  ],
  ["test -e /none && cd / && bad", /`test -e \/none` says no/, "if test -e /none && cd /; then bad; fi"],
  ["[ -x /none ] && bad", /says no/, "if [ -x /none ]; then bad; fi"],
];

describe("a line that would tell a failure where nothing has run", () => {
  test.each(ALARMING)("%s", (line, says, mended) => {
    expect(doubt(line)?.says.join(" ")).toMatch(says);
    expect(doubt(line)?.mended?.command).toBe(mended);
    expect(statusOf(line)).toBe(1);
    expect(statusOf(mended)).toBe(0);
  });

  test("a lock that is taken: rollcall run goes behind it", () => {
    const { mended } = doubt("flock -n /run/lock bad >> /var/log/x 2>&1")!;
    expect(mended).toEqual({ before: "flock -n /run/lock ", command: "bad >> /var/log/x 2>&1", needsBash: false });
    expect(doubt("run-one bad")?.mended?.before).toBe("run-one ");
    expect(doubt("flock -n -E 0 /run/lock bad")?.says.join()).toContain("told as a success");
    expect(doubt("flock -n /run/lock -c 'bad'")?.mended).toBeNull();
  });
});

test.each([
  "curl -s https://example.org/cron.php",
  "curl -sSo /dev/null https://example.org/cron.php",
  "lynx -dump https://example.org/cron.php",
  "psql -f report.sql shop",
  "docker run -d image",
  "docker compose up -d",
  "systemd-run backup",
  "ssh -f host backup",
  "sudo -b backup",
  "at now",
  "diff -r /a /b",
  "dnf -q check-update",
  "zpool status -x",
  "php /srv/artisan schedule:run",
  "sem backup",
  "ssh -p 22 host 'backup; true'",
  "ssh host backup \\; true",
])("what its program says of itself: %s", (line) => expect(doubt(line)).not.toBeNull());

test("the parser of shells bounds what a user can make it do", () => {
  expect(() => doubt("(".repeat(16_000))).not.toThrow();
  expect(() => doubt("a | ".repeat(4_000))).not.toThrow();
  expect(() => doubt("$(".repeat(8_000))).not.toThrow();
  expect(() => doubt("sh -c '".repeat(2_000))).not.toThrow();
});

test("in a unit no shell reads what stands outside of one", () => {
  expect(unitDoubt("/usr/bin/backup one | two", WORLD)).toBeNull();
  expect(unitDoubt("/bin/sh -c 'backup | logger'", WORLD)).not.toBeNull();
});

describe.if(process.getuid?.() === 0)("rollcall discover", () => {
  const tree = () =>
    plant({
      "/etc/passwd": "root:x:0:0::/root:/bin/sh\n",
      "/etc/hostname": "web1\n",
      "/etc/localtime": ["/usr/share/zoneinfo/Europe/Berlin"],
      "/usr/bin/rollcall": "x",
      "/etc/rollcall/client.toml": 'url = "https://cron.example.org"\nkey = "ck_app_x"\n',
      "/etc/cron.d/reports": "30 8 * * 1 root [ $(date +\\%d) -le 7 ] && report\n0 3 * * * root backup.sh\n",
    });

  test("lists what the status means, and the line instead", async () => {
    using one = tree();
    const { out } = await discoverBelow(one, []);
    expect(out).toContain("The exit status of 1 job is not the outcome of the job.");
    expect(out).toContain(
      "30 8 * * 1 root /usr/bin/rollcall run web1-report --message-from-stderr -- /bin/sh -c 'if [ $(date +\\%d) -le 7 ]; then report; fi'",
    );
  });

  test("leaves such a line as it is unless it is named", async () => {
    using one = tree();
    const all = await discoverBelow(one, ["--diff"]);
    expect(all.out).toContain("+0 3 * * * root /usr/bin/rollcall run web1-backup");
    expect(all.out).not.toContain("+30 8");
    expect((await discoverBelow(one, ["--diff", "--only", "web1-*"])).out).not.toContain("+30 8");
    for (const name of ["web1-report", "/etc/cron.d/reports:1"])
      expect((await discoverBelow(one, ["--diff", "--only", name])).out).toContain(
        "+30 8 * * 1 root /usr/bin/rollcall",
      );
  });
});
