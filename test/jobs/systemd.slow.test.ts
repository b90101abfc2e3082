// The recipe for systemd: service, timer and OnFailure= as they stand in the document, under a systemd that runs.

import { expect, setDefaultTimeout, test } from "bun:test";
import { JOBS } from "../support/clients.ts";
import { until } from "../support/executable.ts";
import { hasMachine } from "../support/machine.ts";
import { openHost } from "../support/recipes.ts";

setDefaultTimeout(120_000);

const tried = test.skipIf(!hasMachine());

const UNITS = ["backup.service", "backup.timer", "rollcall-failed@.service"];

const failedAs = (result: string) => [
  "fail",
  `exit status 1: backup failed or did not start; its last result: ${result}`,
];

const DROP_IN = "/etc/systemd/system/backup.service.d/more.conf";

tried("systemd: the timer starts the job, and every way of failing is told", async () => {
  await using host = await openHost();
  host.place(...UNITS.map((unit) => `/etc/systemd/system/${unit}`));
  host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.succeeds}\n`);
  const checked = await host.run(`systemd-analyze verify ${UNITS.slice(0, 2).join(" ")}`);
  expect(checked).toEqual({ exitCode: 0, screen: "" });

  // The timer waits for two; with this it also starts its service now.
  host.write("/etc/systemd/system/backup.timer.d/now.conf", "[Timer]\nOnActiveSec=0\nRandomizedDelaySec=0\n");
  await host.run("systemctl daemon-reload; systemctl start backup.timer");
  await until("a run", () => (host.heard("backup").length >= 2 ? true : null));
  expect(host.heard("backup")).toEqual(["start", "complete"]);
  await host.run("systemctl stop backup.timer");
  const next = await host.run("systemctl show --property TimersCalendar --timestamp=utc backup.timer");
  expect(next.screen).toContain("OnCalendar=*-*-* 02:00:00");

  host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.fails}\n`);
  expect(await heardOfFailure()).toEqual(["start", ["fail", "exit status 3"], "start", failedAs("exit-code")]);
  // Both belong to one incident, which is told once.
  expect(host.folder.rows("SELECT type FROM alerts")).toEqual([{ type: "monitor.initial_failure" }]);

  host.write(DROP_IN, "[Service]\nExecStartPre=/bin/false\n");
  expect(await heardOfFailure()).toEqual(["start", failedAs("exit-code")]);

  host.write(DROP_IN, "[Service]\nTimeoutStartSec=1\nKillSignal=SIGKILL\n");
  host.write("/usr/local/bin/backup", "#!/bin/sh\nsleep 60\n");
  expect(await heardOfFailure()).toEqual(["start", "start", failedAs("timeout")]);

  // ExecStopPost= would not be run: systemd does not begin with the service.
  host.write(DROP_IN, "[Unit]\nRequires=data.service\nAfter=data.service\n");
  host.write("/etc/systemd/system/data.service", "[Service]\nType=oneshot\nExecStart=/bin/false\n");
  expect(await heardOfFailure()).toEqual(["start", failedAs("timeout")]);
  expect(host.folder.rows("SELECT type FROM alerts")).toHaveLength(1);

  /** Starts the job, which must fail, and waits until OnFailure= has done its work. */
  async function heardOfFailure(): Promise<unknown[]> {
    const before = host.heard("backup").length;
    expect((await host.run("systemctl daemon-reload; systemctl start backup")).exitCode).toBe(1);
    await until("what OnFailure= starts", async () => {
      const { screen } = await host.run("systemctl show --property ActiveState --value rollcall-failed@backup");
      const heard = host.heard("backup").slice(before);
      return screen.startsWith("inactive") && JSON.stringify(heard).includes("did not start") ? true : null;
    });
    return host.heard("backup").slice(before);
  }
});
