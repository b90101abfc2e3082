// A destination that is a program, under the packaged unit and a systemd that runs: what docs/channels.md says it may
// do there, and may not.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { bootMachine, hasMachine } from "../support/machine.ts";

setDefaultTimeout(120_000);

const PROGRAM = `#!/bin/sh
cat > /var/lib/rollcall/got
{
  id -un
  test -e /home/ada/secret && echo home
  touch /srv/x 2>/dev/null && echo srv
  ls /dev/sd* /dev/tty* 2>/dev/null | grep -v '^/dev/tty$'
  su -c true 2>/dev/null && echo su
  grep NoNewPrivs /proc/self/status
} > /var/lib/rollcall/can
echo done >&2
`;

test.skipIf(!hasMachine())("runs as rollcall's user, shut in like rollcall", async () => {
  await using machine = await bootMachine();
  const unit = readFileSync(join(ROOT, "packaging/rollcall.service"), "utf8");
  machine.write("/etc/systemd/system/rollcall.service", unit);
  machine.write("/usr/lib/sysusers.d/rollcall.conf", readFileSync(join(ROOT, "packaging/rollcall.sysusers"), "utf8"));
  machine.write("/home/ada/secret", "x");
  machine.write("/usr/local/bin/page-ada", PROGRAM);
  const toml = `[server]\nlisten = "127.0.0.1:${freePort()}"\n[storage]\ndirectory = "/var/lib/rollcall"\n[team]\ndestinations = ["own"]\n[destinations.own]\ntype = "command"\n`;
  machine.write("/etc/rollcall/rollcall.toml", `${toml}program = "/usr/local/bin/page-ada"\n`);
  expect(await machine.run("systemd-sysusers && systemctl daemon-reload && systemctl start rollcall")).toMatchObject({
    exitCode: 0,
  });
  const asUser = "setpriv --reuid=rollcall --regid=rollcall --clear-groups";
  // It may say on stderr that it waits.
  expect(await machine.run(`${asUser} rollcall notify test own 2>/dev/null`)).toEqual({
    exitCode: 0,
    screen: "delivered to own: exit code 0: done\n",
  });
  expect((await machine.run("cat /var/lib/rollcall/can")).screen).toBe("rollcall\nNoNewPrivs:\t1\n");
  expect((await machine.run("cat /var/lib/rollcall/got")).screen).toContain('"type":"destination.test"');
});
