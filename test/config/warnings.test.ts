// What `config check` and the log say of settings that are no fault, and still hardly what was meant.

import { expect, test } from "bun:test";
import { formatFault } from "../../src/config/fault.ts";
import { faultsIn, loadIn, withToml } from "../support/config-world.ts";

const MEMBER = '[[team.members]]\nemail = "ada@example.org"';

function mailWarningsOf(smtp: string, host = "mail.example.org"): string[] {
  return warningsOf(`[smtp]\nhost = "${host}"\nfrom = "a@example.org"\n${smtp}\n${MEMBER}`);
}

function warningsOf(toml: string): string[] {
  const loaded = loadIn(withToml(toml));
  if ("faults" in loaded) throw new Error(loaded.faults.map(formatFault).join("\n"));
  return loaded.warnings.map(formatFault);
}

test("a variable that an environment file gives twice: the last one counts, and a warning says so", () => {
  const files = { "/etc/rollcall.env": "ROLLCALL_SERVER__TIMEZONE=UTC\n\nROLLCALL_SERVER__TIMEZONE=Europe/Berlin\n" };
  const loaded = loadIn({ flags: { envFile: "/etc/rollcall.env" }, files });
  if ("faults" in loaded) throw new Error(loaded.faults.map(formatFault).join("\n"));
  expect(loaded.config.server.timezone).toBe("Europe/Berlin");
  expect(loaded.warnings.map(formatFault)).toEqual([
    "/etc/rollcall.env:3: variable: gives ROLLCALL_SERVER__TIMEZONE again; line 1 has it too, must be given once: the last one counts",
  ]);
});

test.each([
  [
    'port = 465\nsecurity = "starttls"',
    'rollcall.toml:5: smtp.security: "starttls" hardly works on port 465, "tls" is usual on port 465, and port 587 for "starttls"',
  ],
  [
    'port = 465\nsecurity = "none"',
    'rollcall.toml:5: smtp.security: "none" hardly works on port 465, "tls" is usual on port 465',
  ],
  [
    'port = 587\nsecurity = "none"',
    'rollcall.toml:5: smtp.security: "none" hardly works on port 587, "starttls" is usual on port 587',
  ],
  [
    'port = 587\nsecurity = "tls"',
    'rollcall.toml:5: smtp.security: "tls" hardly works on port 587, "starttls" is usual on port 587, and port 465 for "tls"',
  ],
  [
    "port = 587",
    'rollcall.toml:4: smtp.port: "tls" hardly works on port 587, "starttls" is usual on port 587, and port 465 for "tls"',
  ],
  [
    'port = 25\nsecurity = "tls"',
    'rollcall.toml:5: smtp.security: "tls" hardly works on port 25, "starttls" is usual on port 25, and port 465 for "tls"',
  ],
])("a port and a security that hardly go together: %p", (smtp, warning) => {
  expect(mailWarningsOf(smtp)).toEqual([warning]);
});

test.each([
  "",
  "port = 465",
  'security = "starttls"',
  'port = 25\nsecurity = "starttls"',
  'security = "none"',
  'port = 2525\nsecurity = "tls"',
])("what may well be meant is not warned of: %p", (smtp) => expect(mailWarningsOf(smtp)).toEqual([]));

test("a password that would travel unencrypted is told, except on this machine", () => {
  const smtp = 'security = "none"\nusername = "ada"\npassword = "hunter2"';
  expect(mailWarningsOf(smtp)).toEqual([
    'rollcall.toml:5: smtp.username: is sent unencrypted, with its password, security should be "tls" or "starttls"',
  ]);
  expect(mailWarningsOf(smtp, "localhost")).toEqual([]);
  expect(mailWarningsOf('port = 587\nsecurity = "none"', "127.0.0.1")).toEqual([]);
});

const jobs = (count: number) =>
  Array.from({ length: count }, (_, job) => `[applications.ops.monitors.job-${job}]\nschedule = "* * * * *"`).join(
    "\n",
  );

test("R33: a limit that takes fewer reports than an application's schedules call for is warned of", () => {
  expect(warningsOf(`[limits]\nv1_per_hour = 100\n${jobs(1)}`)).toEqual([
    'rollcall.toml:2: limits.v1_per_hour: is too small for application "ops": its jobs may send 120 reports in 1 hour, and a key may send 100, raise the limit, or give busy jobs an application of their own',
  ]);
  expect(warningsOf(`[limits]\nv1_per_hour = 120\n${jobs(1)}`)).toEqual([]);
  expect(warningsOf(jobs(9))).toEqual([]);
});

test.each([
  ["mat_hunter2hunter2", true],
  ["mct_hunter2hunter2", false],
  ["syt_hunter2hunter2", false],
])("R37: a token of Matrix that ends by itself is doubted: %p", (token, isDoubted) => {
  const keys = `type = "matrix"\nurl = "https://matrix.example.org"\nchat = "!room"\ntoken = "${token}"`;
  expect(warningsOf(`[team]\ndestinations = ["room"]\n[destinations.room]\n${keys}`)).toEqual(
    isDoubted
      ? [
          'rollcall.toml:7: destinations.room.token: is of a session, which changes it within hours, must be one that does not end: "mct_…" of a login by the API (docs/channels.md)',
        ]
      : [],
  );
});

test.each([
  ["https://discord.com/api/webhooks/1/hunter2", true],
  ["https://ptb.discordapp.com/api/webhooks/1/hunter2", true],
  ["https://discord.com/api/webhooks/1/hunter2/slack", false],
  ["https://hooks.example.org/discord.com/", false],
])("R37: under type slack %s is doubted: %p", (url, isDoubted) => {
  const toml = `[team]\ndestinations = ["chat"]\n[destinations.chat]\ntype = "slack"\nurl = "${url}"`;
  expect(warningsOf(toml)).toEqual(
    isDoubted
      ? [
          'rollcall.toml:5: destinations.chat.url: is an address of Discord, which refuses messages of Slack, set type = "discord"',
        ]
      : [],
  );
});

test("R38: alerts of which no named destination hears are told, where their destinations are named", () => {
  const phone = '[destinations.phone]\ntype = "ntfy"\nurl = "https://ntfy.sh"\ntopic = "abc"\n';
  const calm = `${phone}severity = "critical"\n`;
  const rule = "must name one whose severity, environments and members take them";
  expect(warningsOf(`${calm}[team]\ndestinations = ["phone"]\n`)).toEqual([
    `rollcall.toml:7: team.destinations: has alerts (error) of which none of phone hears, ${rule}`,
  ]);
  expect(warningsOf(`${calm}[team]\ndestinations = ["phone"]\nseverity = "critical"\n`)).toEqual([]);
  const live = `${phone}environments = ["production"]\n[team]\ndestinations = ["phone"]\nenvironment = "production"\n`;
  expect(warningsOf(`${live}[applications.web]\n[applications.web.monitors.job]\nenvironment = "test"\n`)).toEqual([
    expect.stringContaining("applications.web.monitors.job"),
  ]);
  expect(warningsOf("")).toEqual([]);
  expect(warningsOf(`${phone}after = "20m"\n[team]\ndestinations = ["phone"]\n`)).toEqual([
    "rollcall.toml:7: team.destinations: has none that hears of notices and reports, must name one without after",
  ]);
});

const SMTP = '[smtp]\nhost = "mail.example.org"\nfrom = "a@example.org"\n';
const NOBODY =
  'rollcall.toml:1: smtp: has nobody to write to, must have [[team.members]], or a destination of type "email" with to';

test.each([
  [SMTP, [NOBODY]],
  [`${SMTP}[team]\nname = "ops"`, [NOBODY]],
  [`${SMTP}[applications.prod]`, [NOBODY]],
  [`${SMTP}[destinations.office]\ntype = "email"\nto = ["o@example.org"]\n[team]\ndestinations = ["office"]`, []],
  [`${SMTP}[team]\nmembers = [{ email = "ada@example.org" }]`, []],
  [
    '[team]\nmembers = [{ email = "ada@example.org" }]',
    ["rollcall.toml:2: team.members: get no mail, because no server takes it, must have [smtp] with host and from"],
  ],
])("mail that has no server, or no people, is told where it stands: %j", (toml, warnings) => {
  expect(warningsOf(toml)).toEqual(warnings);
});

test("a table that is written as text is shown as one, and a fault of TOML at the line where it is", () => {
  expect(faultsIn(withToml('[team]\nmembers = ["ada@example.org"]'))).toEqual([
    'rollcall.toml:2: team.members[0]: is text, must be a table, such as { email = "ada@example.org" }',
  ]);
  const lineOf = (toml: string) => /^rollcall\.toml:(\d+): TOML/.exec(faultsIn(withToml(toml))[0] ?? "")?.[1];
  for (const toml of ["foo\n[server]\n", '"foo"\n', "foo = \nbar = 1\n", "foo\n\n\nbar = 1", "foo"])
    expect([toml, lineOf(toml)]).toEqual([toml, "1"]);
  expect(lineOf("[server]\nlisten\ntimezone = 'UTC'")).toBe("2");
  expect(lineOf("a = 1\n= 2\n")).toBe("2");
});
