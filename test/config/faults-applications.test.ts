// Faulty files and exactly what is said about them: applications and monitors.

import { testFaultyFiles } from "../support/config-faults.ts";

const PATTERN_RULE = "must be a regular expression as RE2 takes it, of 1 to 200 characters, that matches no empty text";

testFaultyFiles([
  {
    title: "R2: names that are no slugs",
    toml: `[applications.Prod_1]
[destinations."my hook"]
type = "webhook"`,
    faults: [
      `rollcall.toml:1: applications.Prod_1: is not a name, must be 1 to 40 of "a-z", "0-9" and "-"`,
      `rollcall.toml:2: destinations."my hook": is not a name, must be 1 to 40 of "a-z", "0-9" and "-"`,
    ],
  },
  {
    title: "R6: monitor keys that no request can carry",
    toml: `[applications.prod.monitors.".."]
[applications.prod.monitors."a\\nb"]
[applications.prod.monitors.""]`,
    faults: [
      `rollcall.toml:1: applications.prod.monitors."..": is not a monitor key, must be 1 to 200 characters without control characters, and not "." or ".."`,
      `rollcall.toml:2: applications.prod.monitors."a\\nb": is not a monitor key, must be 1 to 200 characters without control characters, and not "." or ".."`,
      `rollcall.toml:3: applications.prod.monitors."": is not a monitor key, must be 1 to 200 characters without control characters, and not "." or ".."`,
    ],
  },
  {
    title: "R46: patterns that are none, would be slow or match everywhere, and too many; none is quoted",
    toml: `[applications.prod]
keep_output = "yes"
mask = ['(hunter2', 'x*', '(\\w{1,30}){1,30}', '${"a".repeat(201)}', '(?<=x)y']
[applications.many]
mask = [${Array(11).fill('"a"').join(", ")}]
[applications.costly]
mask = ['[0-9]{90}', '[a-z]{90}', '[A-Z]{90}']`,
    faults: [
      "rollcall.toml:2: applications.prod.keep_output: is text, must be true or false",
      ...[
        "is not a regular expression of RE2: missing closing )",
        "matches where there is nothing",
        "repeats too much",
        "is too long",
        "is not a regular expression of RE2: invalid named capture",
      ].map((what, place) => `rollcall.toml:3: applications.prod.mask[${place}]: ${what}, ${PATTERN_RULE}`),
      "rollcall.toml:5: applications.many.mask: has 11 patterns, must be a list of at most 10",
      "rollcall.toml:7: applications.costly.mask: takes 276 steps, must take RE2 at most 200 steps in all: a count such as {30} takes as many",
    ],
  },
  {
    title: "R15: schedules that are none",
    toml: `[applications.prod.monitors.a]
schedule = "61 * * * *"
[applications.prod.monitors.b]
schedule = "0 0 31 2 *"
[applications.prod.monitors.c]
schedule = "@reboot"`,
    faults: [
      `rollcall.toml:2: applications.prod.monitors.a.schedule: "61 * * * *" is not a schedule, minute field "61" is outside 0-59`,
      `rollcall.toml:4: applications.prod.monitors.b.schedule: "0 0 31 2 *" is not a schedule, "0 0 31 2 *" never comes true, day of month "31" does not occur in month "2"`,
      `rollcall.toml:6: applications.prod.monitors.c.schedule: "@reboot" is not a schedule, "@reboot" is not taken, the special strings are @hourly, @daily, @weekly, @monthly, @yearly`,
    ],
  },
  {
    title: "an application's faulty keys",
    toml: `[applications.prod]
name = ""
timezone = "Berlin"
severity = "loud"
destinations = ["email", "hook"]
max_active_monitors = -1
links = { runbook = "javascript:alert(1)", log = "https://example.org" }`,
    faults: [
      "rollcall.toml:2: applications.prod.name: is empty, too long or not one line, must be a text of 1 to 200 characters on one line",
      `rollcall.toml:3: applications.prod.timezone: "Berlin" is not a known time zone, must be an IANA name such as "Europe/Berlin" or "UTC"`,
      `rollcall.toml:4: applications.prod.severity: "loud" is not known, must be info, warning, error or critical`,
      `rollcall.toml:5: applications.prod.destinations[0]: "email" cannot send, must have [smtp], or a server that \`rollcall config set --mail\` keeps`,
      `rollcall.toml:5: applications.prod.destinations[1]: "hook" is not a destination, must be one of email, webpush`,
      "rollcall.toml:6: applications.prod.max_active_monitors: -1 is out of range, must be a whole number from 0 to 1000000",
      "rollcall.toml:7: applications.prod.links.runbook: is not an http(s) URL, must begin with http:// or https:// and hold no user name or password",
      `rollcall.toml:7: applications.prod.links.log: is unknown, did you mean "logs"?`,
    ],
  },
  {
    title: "drills: too often, and how often without any",
    toml: `[applications.prod.monitors.a]
drill = true
drill_every = "59m"
[applications.prod.monitors.b]
drill_every = "30d"
[applications.prod.monitors.c]
drill = false
drill_every = "30d"`,
    faults: [
      'rollcall.toml:3: applications.prod.monitors.a.drill_every: "59m" is too short, must be a duration such as "30s", "15m", "2h" or "90d", from 1h to 3650d',
      "rollcall.toml:5: applications.prod.monitors.b.drill_every: is given without a drill, must be left out unless the monitor has drill = true",
      "rollcall.toml:8: applications.prod.monitors.c.drill_every: is given without a drill, must be left out unless the monitor has drill = true",
    ],
  },
  {
    title: "a monitor's faulty keys",
    toml: `[applications.prod.monitors."nightly.backup"]
grace = "30s"
max_runtime = "1m30s"
alert_after_misses = 0
alert_after_failures = true
severity = ["error"]
destinations = [1]
drill = "yes"
maintenance = "0 4 * * 0"
outcomes = 1
timezone = 2026-03-01`,
    faults: [
      `rollcall.toml:2: applications.prod.monitors."nightly.backup".grace: "30s" is too short, must be a duration such as "30s", "15m", "2h" or "90d", from 60s to 3650d`,
      `rollcall.toml:3: applications.prod.monitors."nightly.backup".max_runtime: "1m30s" is not a duration, must be a duration such as "30s", "15m", "2h" or "90d", from 60s to 3650d`,
      `rollcall.toml:4: applications.prod.monitors."nightly.backup".alert_after_misses: 0 is out of range, must be a whole number from 1 to 1000`,
      `rollcall.toml:5: applications.prod.monitors."nightly.backup".alert_after_failures: is true or false, must be a whole number from 1 to 1000`,
      `rollcall.toml:6: applications.prod.monitors."nightly.backup".severity: is a list, must be info, warning, error or critical`,
      `rollcall.toml:7: applications.prod.monitors."nightly.backup".destinations[0]: is a number, must be 1 to 40 of "a-z", "0-9" and "-"`,
      `rollcall.toml:8: applications.prod.monitors."nightly.backup".drill: is text, must be true or false`,
      `rollcall.toml:9: applications.prod.monitors."nightly.backup".maintenance: is text, must be a list of tables`,
      `rollcall.toml:10: applications.prod.monitors."nightly.backup".outcomes: is a number, must be a table`,
      `rollcall.toml:11: applications.prod.monitors."nightly.backup".timezone: is a date or time, must be an IANA name such as "Europe/Berlin" or "UTC"`,
    ],
  },
  {
    title: "R27: outcomes that are none",
    toml: `[applications.prod.monitors.a.outcomes]
Rows = { min = 1 }
"" = { min = 1 }
"row-count" = { min = 1 }
${"k".repeat(65)} = { min = 1 }
[applications.prod.monitors.b.outcomes]
rows = 1
files = {}
errors = { on_failure = "warn" }
[applications.prod.monitors.c.outcomes]
bytes = { min = "1", on_failure = "ignore" }
ratio = { min = inf, max = nan }
verified = { equals = "true" }
clean = { equal = true }`,
    faults: [
      `rollcall.toml:2: applications.prod.monitors.a.outcomes.Rows: is not the name of an outcome, must be 1 to 64 of "a-z", "0-9" and "_"`,
      `rollcall.toml:3: applications.prod.monitors.a.outcomes."": is not the name of an outcome, must be 1 to 64 of "a-z", "0-9" and "_"`,
      `rollcall.toml:4: applications.prod.monitors.a.outcomes.row-count: is not the name of an outcome, must be 1 to 64 of "a-z", "0-9" and "_"`,
      `rollcall.toml:5: applications.prod.monitors.a.outcomes.${"k".repeat(65)}: is not the name of an outcome, must be 1 to 64 of "a-z", "0-9" and "_"`,
      "rollcall.toml:7: applications.prod.monitors.b.outcomes.rows: is a number, must be a table",
      "rollcall.toml:8: applications.prod.monitors.b.outcomes.files: expects nothing, must have min, max or equals",
      "rollcall.toml:9: applications.prod.monitors.b.outcomes.errors: expects nothing, must have min, max or equals",
      "rollcall.toml:11: applications.prod.monitors.c.outcomes.bytes.min: is text, must be a number",
      `rollcall.toml:11: applications.prod.monitors.c.outcomes.bytes.on_failure: "ignore" is not known, must be fail or warn`,
      "rollcall.toml:12: applications.prod.monitors.c.outcomes.ratio.min: Infinity is not finite, must be a number",
      "rollcall.toml:12: applications.prod.monitors.c.outcomes.ratio.max: NaN is not finite, must be a number",
      "rollcall.toml:13: applications.prod.monitors.c.outcomes.verified.equals: is text, must be a number, true or false",
      `rollcall.toml:14: applications.prod.monitors.c.outcomes.clean.equal: is unknown, did you mean "equals"?`,
    ],
  },
  {
    title: "R27: outcomes that nothing can meet",
    toml: `[applications.prod.monitors.a.outcomes]
rows = { min = 2, max = 1.5 }
verified = { equals = true, min = 1 }
errors = { equals = 0, max = 0 }
exact = { min = 3, max = 3 }
[applications.prod.monitors.b]
outcomes = { a = { min = 1 }, b = { min = 1 }, c = { min = 1 }, d = { min = 1 }, e = { min = 1 }, f = { min = 1 } }`,
    faults: [
      "rollcall.toml:2: applications.prod.monitors.a.outcomes.rows.min: 2 is more than max, must be at most 1.5",
      "rollcall.toml:3: applications.prod.monitors.a.outcomes.verified.equals: stands beside min or max, must stand alone",
      "rollcall.toml:4: applications.prod.monitors.a.outcomes.errors.equals: stands beside min or max, must stand alone",
      "rollcall.toml:7: applications.prod.monitors.b.outcomes: names 6, must name at most 5, a report carries no more",
    ],
  },
  {
    title: "R24: maintenance windows that are none",
    toml: `[applications.prod.monitors.a]
maintenance = [
  { cron = "0 4 * * 0", duration = "30s" },
  { cron = "0 4 * * 7", duration = "2h", timezone = "Berlin" },
  { duration = "2h" },
  { cron = "0 4 * * 0" },
  { cron = "0 4 * * 0", duration = "2h", until = "06:00" },
  "0 4 * * 0",
]`,
    faults: [
      `rollcall.toml:3: applications.prod.monitors.a.maintenance[0].duration: "30s" is too short, must be a duration such as "30s", "15m", "2h" or "90d", from 60s to 3650d`,
      `rollcall.toml:4: applications.prod.monitors.a.maintenance[1].cron: "0 4 * * 7" is not a schedule, day of week field "7" is outside 0-6, Sunday is 0`,
      `rollcall.toml:4: applications.prod.monitors.a.maintenance[1].timezone: "Berlin" is not a known time zone, must be an IANA name such as "Europe/Berlin" or "UTC"`,
      "rollcall.toml:5: applications.prod.monitors.a.maintenance[2].cron: is missing, must be given for every window",
      "rollcall.toml:6: applications.prod.monitors.a.maintenance[3].duration: is missing, must be given for every window",
      "rollcall.toml:7: applications.prod.monitors.a.maintenance[4].until: is unknown, must be one of cron, duration, timezone",
      'rollcall.toml:8: applications.prod.monitors.a.maintenance[5]: is text, must be a table, such as { cron = "0 4 * * 0", duration = "2h" }',
    ],
  },
  {
    title: "R24: maintenance that would never end",
    toml: `[applications.prod.monitors.a]
maintenance = [{ cron = "0 4 * * 0", duration = "7d", timezone = "Europe/Berlin" }]
[applications.prod.monitors.b]
maintenance = [{ cron = "*/5 * * * *", duration = "2h" }, { cron = "0 4 * * *", duration = "25h" }]
[applications.prod.monitors.c]
maintenance = [{ cron = "0 */2 * * *", duration = "1h" }, { cron = "0 1-23/2 * * *", duration = "1h" }]`,
    faults: [
      `rollcall.toml:2: applications.prod.monitors.a.maintenance[0].duration: "7d" lasts until the next window begins, must be shorter than the time between two, or the pause would never end`,
      `rollcall.toml:4: applications.prod.monitors.b.maintenance[0].duration: "2h" lasts until the next window begins, must be shorter than the time between two, or the pause would never end`,
      `rollcall.toml:4: applications.prod.monitors.b.maintenance[1].duration: "25h" lasts until the next window begins, must be shorter than the time between two, or the pause would never end`,
      "rollcall.toml:6: applications.prod.monitors.c.maintenance: has windows that take over from each other, must leave time in which it is watched",
    ],
  },
  {
    title: "several faults far apart, in the order of the file",
    toml: `[server]
listen = "x"

[alerts]
continued_max = 5000

[applications.prod.monitors.a]
grace = "x"`,
    faults: [
      `rollcall.toml:2: server.listen: "x" is not an address to listen on, must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"`,
      "rollcall.toml:5: alerts.continued_max: 5000 is out of range, must be a whole number from 0 to 1000",
      `rollcall.toml:8: applications.prod.monitors.a.grace: "x" is not a duration, must be a duration such as "30s", "15m", "2h" or "90d", from 60s to 3650d`,
    ],
  },
  {
    title: "a status page without what it needs, or with a token that others know",
    toml: `[applications.a.status_page]
token = "short"
jobs = ["*"]
[applications.b.status_page]
token = "0123456789abcdefghij"
[applications.c.status_page]
jobs = ["backup", ""]
[applications.d.status_page]
token = "0123456789abcdefghij"
jobs = ["*"]`,
    faults: [
      'rollcall.toml:2: applications.a.status_page.token: is not a token that nobody can guess, must be 20 to 200 of "a-z", "A-Z", "0-9", "-" and "_", chosen at random',
      'rollcall.toml:4: applications.b.status_page.jobs: is missing, must name the jobs to show; ["*"] is all',
      "rollcall.toml:6: applications.c.status_page.token: is missing, must be given, or nobody can see the page",
      'rollcall.toml:7: applications.c.status_page.jobs[1]: "" is not a key, must be the key of a job, or a pattern such as "nightly-*", of 1 to 200 characters',
      'rollcall.toml:9: applications.d.status_page.token: is that of the application "b", must be another',
    ],
  },
]);
