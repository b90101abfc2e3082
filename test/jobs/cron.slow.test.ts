// The recipes for cron and anacron: a real cron whose clock stands just before two, at which the line as it stands in
// the document comes due.

import { expect, setDefaultTimeout, test } from "bun:test";
import { JOBS } from "../support/clients.ts";
import { until } from "../support/executable.ts";
import { hasMachine } from "../support/machine.ts";
import { openHost } from "../support/recipes.ts";

setDefaultTimeout(120_000);

const tried = test.skipIf(!hasMachine("cron", "faketime", "curl")).concurrent;

tried.each(["/etc/cron.d/backup", "/etc/cron.d/backup-by-curl"])(
  "cron runs the line of %s at two, and what it runs is reported",
  async (file) => {
    await using host = await openHost();
    host.place(file, "/usr/local/bin/rollcall-curl");
    host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.succeeds}\n`);
    // Its clock is its own, and fast; the jobs have that of the machine.
    await host.run("systemd-run --quiet faketime -f '@2026-03-03 01:58:50 x20' cron -f");
    await until("a run", () => (host.heard("backup").length >= 2 ? true : null));
    expect(host.heard("backup")).toEqual(["start", "complete"]);

    host.write("/usr/local/bin/backup", `#!/bin/sh\n${JOBS.fails}\n`);
    expect(await host.runLine(file, "backup")).toEqual({ exitCode: 3, screen: "" });
    expect(host.heard("backup").slice(2)).toEqual(["start", ["fail", "exit status 3"]]);
    expect(
      host.folder.rows("SELECT schedule, grace_seconds AS grace, max_runtime_seconds AS longest FROM monitors"),
    ).toEqual([{ schedule: "0 2 * * *", grace: 1800, longest: 7200 }]);
    expect(host.folder.rows("SELECT ended_by AS end, legacy FROM runs ORDER BY id")).toEqual([
      { end: "complete", legacy: 0 },
      { end: "fail", legacy: 0 },
    ]);
  },
);
