// The examples of docs/discover.md, as the program prints them on a machine like that.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { misleadingStatus } from "../../src/discover/exit-status.ts";
import { systemManager } from "../../src/discover/managers.ts";
import { ROOT } from "../support/executable.ts";
import { blocksOf } from "../support/readme.ts";
import { discoverBelow } from "./below.ts";
import { GUARDED, HIDING, OF_PROGRAMS, ON_SOME_DAYS, UNITS, WORLD } from "./status-table.ts";
import { lookAt, plant } from "./trees.ts";

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

const inCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
const inCode = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;
const named = (text: string): string =>
  text
    .replaceAll(/\bbad\b/g, "job")
    .replaceAll(/\bok\b/g, "other")
    .replaceAll(/-e \/(?:none)?(?![\w/])/g, "-e FILE");

function lineRow(line: string): string {
  const { says, mended } = misleadingStatus(line, WORLD)!;
  const { before, command } = mended ?? { before: "", command: "" };
  const called = /[&|;<>]/.test(command) ? `sh -c '${command}'` : command;
  const instead = before === "" ? command : `${before}rollcall run KEY -- ${called}`;
  return `| ${inCode(named(line))} | ${inCell(named(says.join(" ")))} | ${instead === "" ? "" : inCode(named(instead))} |`;
}

function unitRow(section: string, setting: string): string {
  const at = "/etc/systemd/system";
  using tree = plant({
    [`${at}/job.timer`]: "[Timer]\nOnCalendar=*-*-* 03:00\n",
    [`${at}/job.service`]: `[Service]\nType=oneshot\nExecStart=/bin/x\n[${section}]\n${setting}\n`,
    [`${at}/timers.target.wants/job.timer`]: ["../job.timer"],
  });
  const { why, misleading, notes } = lookAt(tree.root, [systemManager(true, null)])[0]!;
  const [what, said] =
    why !== null
      ? ["is listed alone", why]
      : misleading !== null
        ? ["left out unless it is named", misleading.says[0]!]
        : ["wrapped", notes[0]!];
  return `| ${inCode(setting)} | ${what} | ${inCell(said)} |`;
}

/** `UPDATE_DOCS=1` writes both tables. */
test.each([
  [
    "lines",
    ["| A line | What is said of it | Instead |", "|---|---|---|"],
    () =>
      [...HIDING, ...ON_SOME_DAYS, ...GUARDED]
        .map(([line]) => line)
        .concat(OF_PROGRAMS)
        .map(lineRow),
  ],
  [
    "units",
    ["| Setting | The job is | What is said of it |", "|---|---|---|"],
    () => UNITS.map(([section, setting]) => unitRow(section, setting)),
  ],
])("the table of %s has each that was tried, and what is said of it", (name, head, rows) => {
  const path = join(ROOT, "docs/discover.md");
  const table = `<!-- ${name} -->\n\n${[...head, ...rows()].join("\n")}\n`;
  const made = new RegExp(`<!-- ${name} -->\\n(?:\\n\\|.*(?:\\n\\|.*)*\\n)?`);
  const document = readFileSync(path, "utf8");
  const told = document.replace(made, () => table);
  expect(told).toContain(table);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, told);
  expect(readFileSync(path, "utf8")).toBe(told);
});

test("no line of it is too long to be read", () => {
  const long = DOCUMENT.split("\n").filter((line) => line.length > 120 && !line.startsWith("|"));
  expect(long).toEqual([]);
});
