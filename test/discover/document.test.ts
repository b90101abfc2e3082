// The examples of docs/discover.md, as the program prints them on a machine like that.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/executable.ts";
import { blocksOf } from "../support/readme.ts";
import { discoverBelow } from "./below.ts";
import { plant } from "./trees.ts";

const DOCUMENT = readFileSync(join(ROOT, "docs/discover.md"), "utf8");
const shown = blocksOf(DOCUMENT)
  .filter(({ language }) => language === "text" || language === "diff")
  .map(({ text }) => text.trimEnd());

const MACHINE = {
  "/etc/hostname": "web1\n",
  "/etc/localtime": ["/usr/share/zoneinfo/Europe/Berlin"],
  "/run/systemd/system/none": "",
  "/usr/bin/rollcall": "",
  "/etc/passwd": ["root:x:0:0::/root", "shop:x:1001:1001::/", "alice:x:1002:1002::/home/alice"]
    .map((row) => `${row}:/bin/sh\n`)
    .join(""),
  "/etc/rollcall/client.toml": 'url = "https://cron.example.org"\nkey = "ck_app_x"\n',
  "/etc/crontab": `${"#\n".repeat(18)}25 6 * * * root cd / && run-parts --report /etc/cron.daily\n`,
  "/etc/cron.d/shop": "MAILTO=ops@example.org\n*/5 * * * * shop cd /srv/shop && ./orders.sh\n",
  "/var/spool/cron/crontabs/alice": "#\n#\n#\n0 2 * * * /home/alice/backup.sh\n",
  "/etc/systemd/system/restic.timer": "[Timer]\nOnCalendar=Mon..Fri 03:30\n",
  "/etc/systemd/system/restic.service": "[Service]\nType=oneshot\nUser=backup\nExecStart=/usr/bin/restic backup /srv\n",
  "/etc/systemd/system/timers.target.wants/restic.timer": ["../restic.timer"],
} as const;

test.if(process.getuid?.() === 0)("the list and the difference are what rollcall prints", async () => {
  using tree = plant(MACHINE);
  const list = await discoverBelow(tree, []);
  const [listed, difference] = shown;
  expect(list.out.split("\n").slice(0, listed!.split("\n").length).join("\n")).toBe(listed!);
  const diff = await discoverBelow(tree, ["--diff"]);
  for (const part of difference!.split(/^(?=--- )/m)) expect(`${diff.out}\n`).toContain(part.trimEnd());
  expect(difference!.split(/^(?=--- )/m)).toHaveLength(2);
});

test("no line of it is too long to be read", () => {
  const long = DOCUMENT.split("\n").filter((line) => line.length > 120 && !line.startsWith("|"));
  expect(long).toEqual([]);
});
