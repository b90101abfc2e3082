// The recipes for programs that make backups, each with the real program: once well, and in the ways of failing that
// the document names.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UNUSED_CALLS } from "../../src/discover/services.ts";
import { ROOT } from "../support/executable.ts";
import { hasMachine } from "../support/machine.ts";
import { blocksOf } from "../support/readme.ts";
import { type Host, openHost } from "../support/recipes.ts";

setDefaultTimeout(120_000);

const writeData = (host: Host, files: number): void => {
  for (let number = 0; number < files; number += 1) host.write(`/srv/data/${number}`, `${number}\n`);
};

const DONE = { exitCode: 0, screen: "" };

const BORGMATIC = `location:
    source_directories: [/srv/data]
    repositories: [/var/backups/borg]
storage:
    unknown_unencrypted_repo_access_is_ok: true
retention:
    keep_daily: 7
`;

// One after the other: where control groups are of the first version, machines that run at once share them, and a
// service of one name in two machines may fail to start (219/CGROUP).
const borgmatic = test.skipIf(!hasMachine("borgmatic", "borg"));

borgmatic("borgmatic: a backup by Debian's service is told, and a configuration that it refuses", async () => {
  await using host = await openHost();
  writeData(host, 1);
  const drop = "/etc/systemd/system/borgmatic.service.d";
  host.place(`${drop}/rollcall.conf`, "/etc/systemd/system/rollcall-failed@.service");
  // The package's service waits for a minute first.
  host.write(`${drop}/soon.conf`, "[Service]\nExecStartPre=\n");
  host.write("/etc/borgmatic/config.yaml", BORGMATIC);
  await host.run("borg init -e none /var/backups/borg");
  await host.run("systemctl daemon-reload; systemctl start dbus.socket systemd-logind");
  expect(await host.run("systemctl start borgmatic")).toEqual(DONE);
  expect(host.heard("borgmatic")).toEqual(["start", "complete"]);
  expect((await host.run("borg list /var/backups/borg")).screen).not.toBe("");

  host.write("/etc/borgmatic/config.yaml", `${BORGMATIC}no_such_section: 1\n`);
  const { exitCode } = await host.run("systemctl start borgmatic");
  const { screen: journal } = await host.run("journalctl --no-pager --lines 20 --unit borgmatic");
  expect({ exitCode, heard: host.heard("borgmatic").slice(2, 4), journal }).toEqual({
    exitCode: 1,
    heard: ["start", ["fail", "exit status 1"]],
    journal: expect.any(String),
  });
});

borgmatic("borgmatic: discover wraps Debian's service, whose SystemCallFilter= leaves what it needs", async () => {
  await using host = await openHost();
  writeData(host, 1);
  const at = "/etc/systemd/system";
  // The package's service waits for a minute first.
  host.write(`${at}/borgmatic.service.d/soon.conf`, "[Service]\nExecStartPre=\n");
  host.write("/etc/borgmatic/config.yaml", BORGMATIC);
  // What a filter may take away from it, without an error that a program could ignore.
  host.write(`${at}/strict.timer`, "[Timer]\nOnCalendar=daily\n");
  host.write(
    `${at}/strict.service`,
    `[Service]\nType=oneshot\nExecStart=/bin/true\nSystemCallFilter=@system-service\nSystemCallFilter=~${UNUSED_CALLS.join(" ")}\n`,
  );
  await host.run(`mkdir -p ${at}/timers.target.wants
      ln -s /lib/systemd/system/borgmatic.timer ${at}/strict.timer ${at}/timers.target.wants
      borg init -e none /var/backups/borg
      systemctl daemon-reload; systemctl start dbus.socket systemd-logind`);
  const applied = await host.run("rollcall discover --apply --yes --prefix '' --only borgmatic strict 2>&1");
  expect(applied).toMatchObject({ exitCode: 0, screen: expect.stringContaining("declared 2 jobs, changed 2 files") });
  expect(await host.run("systemctl start borgmatic strict")).toEqual(DONE);
  for (const monitor of ["borgmatic", "strict"]) expect(host.heard(monitor)).toEqual(["start", "complete"]);
  expect((await host.run("borg list /var/backups/borg")).screen).not.toBe("");

  await host.service.end("SIGKILL");
  expect(await host.run("systemctl start strict; ls /var/spool/rollcall/0/*.json | wc -l")).toEqual({
    exitCode: 0,
    screen: "2\n",
  });
});

/** What the document has the server expect. */
const EXPECTATION = blocksOf(readFileSync(join(ROOT, "docs/recipes.md"), "utf8")).find(({ text }) =>
  text.includes("monitors.restic.outcomes"),
)!.text;

test
  .skipIf(!hasMachine("restic", "jq"))
  .concurrent("restic: a backup is told with its size, and alarms when restic skips what is missing", async () => {
    await using host = await openHost({ "rollcall.toml": EXPECTATION });
    const file = "/etc/cron.d/restic";
    const backUp = () => host.runLine(file, "restic-backup");
    writeData(host, 100);
    host.place(file, "/usr/local/bin/restic-backup");
    host.write("/etc/restic.password", "secret\n", 0o600);
    // There is no repository yet.
    expect((await backUp()).exitCode).toBe(1);
    expect(host.heard("restic")).toEqual(["start", ["fail", "exit status 1"]]);

    await host.run("restic init --repo /var/backups/restic --password-file /etc/restic.password");
    expect(await backUp()).toEqual(DONE);
    expect(host.heard("restic").slice(2)).toEqual(["start", "complete"]);
    const outcomes = "SELECT outcomes FROM pings WHERE kind = 'complete' ORDER BY id";
    expect(host.folder.rows(outcomes)).toEqual([{ outcomes: JSON.stringify({ files: 100 }) }]);
    expect(await host.runLine(file, "restic-check")).toEqual(DONE);
    expect(host.heard("restic-check")).toEqual(["start", "complete"]);

    rmSync(`${host.root}/srv/data`, { recursive: true });
    host.write("/srv/data/0", "0\n");
    expect((await backUp()).exitCode).toBe(0);
    expect(host.folder.rows("SELECT causes FROM incidents ORDER BY id DESC LIMIT 1")[0]?.["causes"]).toContain(
      "outcome",
    );

    await host.run("mv /var/backups/restic /var/backups/gone");
    expect((await host.runLine(file, "restic-check")).exitCode).toBe(1);
    expect(host.heard("restic-check").slice(2)).toEqual(["start", ["fail", "exit status 1"]]);
  });

test
  .skipIf(!hasMachine("rsnapshot", "rsync"))
  .concurrent("rsnapshot: a snapshot is told, an error, a warning, and a source that is not there", async () => {
    await using host = await openHost();
    const file = "/etc/cron.d/rsnapshot";
    const configured = readFileSync(`${host.root}/etc/rsnapshot.conf`, "utf8").replaceAll(/^backup\t.*\n/gm, "");
    const configuration = `${configured}backup\t/srv/data/\tlocalhost/\ncmd_postexec\t/usr/bin/touch /run/postexec\n`;
    const hookRan = async () => (await host.run("rm /run/postexec")).exitCode === 0;
    host.place(file);
    writeData(host, 1);
    host.write("/etc/rsnapshot.conf", configuration);
    expect(await host.runLine(file, "alpha")).toEqual(DONE);
    expect(await hookRan()).toBe(true);
    expect(readFileSync(`${host.root}/var/cache/rsnapshot/alpha.0/localhost/srv/data/0`, "utf8")).toBe("0\n");

    host.write("/etc/rsnapshot.conf", `${configuration}rsync_long_args\t--no-such-option\n`);
    expect((await host.runLine(file, "alpha")).exitCode).toBe(1);
    // It runs after a failure as after a success.
    expect(await hookRan()).toBe(true);

    // A link that leads nowhere is a warning.
    await host.run("ln -s /nowhere /srv/data/broken");
    host.write("/etc/rsnapshot.conf", `${configuration}rsync_long_args\t--copy-links\n`);
    expect((await host.runLine(file, "alpha")).exitCode).toBe(2);
    const allowed = "/usr/bin/rollcall run --success-codes 2 rsnapshot-alpha -- /usr/bin/rsnapshot alpha";
    expect((await host.run(allowed)).exitCode).toBe(2);
    await host.run("rm /srv/data/broken /run/postexec");

    host.write("/etc/rsnapshot.conf", configuration);
    rmSync(`${host.root}/srv/data`, { recursive: true });
    expect((await host.runLine(file, "alpha")).exitCode).toBe(1);
    expect(await hookRan()).toBe(false);
    const failed = ["start", ["fail", "exit status 1"]];
    const warned = ["start", ["fail", "exit status 2"], "start", "complete"];
    expect(host.heard("rsnapshot-alpha")).toEqual(["start", "complete", ...failed, ...warned, ...failed]);
  });
