// What the exit status of a line means, and that the line which we would write instead ends as its job does. Each is
// run by a real shell, where `ok` ends with 0 and `bad` with 7.

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { misleadingStatus, misleadingUnitStatus } from "../../src/discover/exit-status.ts";
import { discoverBelow } from "./below.ts";
import { GUARDED, HIDING, OF_PROGRAMS, ON_SOME_DAYS, WORLD } from "./status-table.ts";
import { plant } from "./trees.ts";

const misleading = (line: string) => misleadingStatus(line, WORLD);

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

const NOT_MISLEADING = [
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
  "[ -x /usr/bin/here ] && here",
  "[ -x /usr/bin/here ] || exit 0; here",
  "command -v here > /dev/null && here",
  "[ -d /run/systemd/system ] || backup",
  "[ -f /etc/here ] && backup",
  "[ $(date +\\%u) = 1 ] || exit 0; backup",
  "cd /srv || exit 1; backup",
  "[ -f /etc/default/backup ] && . /etc/default/backup; backup",
  "backup || (sleep 60; backup)",
  "backup; exit",
  "backup || exit",
  "backup; rc=$?; rm -f /tmp/x; (exit $rc)",
  "backup && [ -f /tmp/x ] && rm /tmp/x",
  "backup && if [ -f /tmp/x ]; then rm /tmp/x; fi",
  'eval "$(ssh-agent)"; backup',
  "systemctl start oneshot",
  "kubectl exec deploy/web -- backup",
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

describe("a line whose status says how its job ended", () => {
  test.each(NOT_MISLEADING)("%s", (line) => expect(misleading(line)).toBeNull());
});

describe("a line that would tell a failure as a success", () => {
  test.each(HIDING)("%s", (line, says, mended) => {
    const found = misleading(line);
    expect(found?.says.join(" ")).toMatch(says);
    expect(found?.mended?.command ?? null).toBe(mended);
    if (!line.startsWith("!")) expect(statusOf(line)).toBe(0);
    if (mended !== null) expect(statusOf(mended)).not.toBe(0);
    const succeeds = mended?.replaceAll("bad", "ok").replaceAll("-e /none", "-e /");
    if (succeeds !== undefined && !succeeds.startsWith("find")) expect(statusOf(succeeds)).toBe(0);
  });
});

describe("a line that would tell something where nothing has run", () => {
  test.each(ON_SOME_DAYS)("%s", (line, says, mended) => {
    expect(misleading(line)?.says.join(" ")).toMatch(says);
    expect(misleading(line)?.mended).toMatchObject({ before: "", command: mended });
    expect(statusOf(line)).toBe(1);
    expect(statusOf(mended)).toBe(0);
    if (!mended.includes("mail")) expect(misleading(mended)).toBeNull();
  });

  test.each(GUARDED)("%s", (line, says, status, before, job) => {
    expect(misleading(line)?.says).toEqual([expect.stringMatching(says)]);
    const mended = before === null ? null : { before, command: job, needsBash: false };
    expect(misleading(line)?.mended).toEqual(mended);
    expect(statusOf(line)).toBe(status);
    if (before !== null) expect(statusOf(before + job)).not.toBe(7);
  });

  test("a lock that is taken: rollcall run goes behind it", () => {
    const { mended } = misleading("flock -n /run/lock bad >> /var/log/x 2>&1")!;
    expect(mended).toEqual({ before: "flock -n /run/lock ", command: "bad >> /var/log/x 2>&1", needsBash: false });
    expect(misleading("run-one bad")?.mended?.before).toBe("run-one ");
    expect(misleading("flock -n -E 0 /run/lock bad")?.says.join()).toContain("told as a success");
    expect(misleading("flock -n /run/lock -c 'bad'")?.mended).toBeNull();
  });
});

test("what ends with a failure whatever becomes of the job", () => {
  expect(misleading("ok; exit 1")?.says).toEqual([expect.stringContaining("a success would be told as a failure")]);
  expect(misleading("ok; exit 1")?.mended?.command).toBe("ok");
});

test.each(OF_PROGRAMS)("what its program says of itself: %s", (line) => expect(misleading(line)).not.toBeNull());

test("the parser of shells bounds what a user can make it do", () => {
  expect(() => misleading("(".repeat(16_000))).not.toThrow();
  expect(() => misleading("a | ".repeat(4_000))).not.toThrow();
  expect(() => misleading("$(".repeat(8_000))).not.toThrow();
  expect(() => misleading("sh -c '".repeat(2_000))).not.toThrow();
});

test("in a unit no shell reads what stands outside of one", () => {
  expect(misleadingUnitStatus("/usr/bin/backup one | two", WORLD)).toBeNull();
  expect(misleadingUnitStatus("/bin/sh -c 'backup | logger'", WORLD)).not.toBeNull();
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
    expect(out).toContain("The exit status of 1 job does not say whether the job succeeded.");
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
