// What a good configuration means: defaults, derived values, and what the domain makes of it.

import { describe, expect, test } from "bun:test";
import {
  isLoopbackHost,
  parseConfiguredListen,
  parseConfiguredMailbox,
  parseConfiguredNetwork,
} from "../../src/config/network-addresses.ts";
import { policyOfConfig } from "../../src/config/read-policy.ts";
import type { Expectation } from "../../src/domain/monitor/reported-outcomes.ts";
import { reachOf, routesOf } from "../../src/domain/settings/alert-routes.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import {
  drillEveryOf,
  expectationsOf,
  monitorPolicy,
  presentationOf,
  watchOf,
} from "../../src/domain/settings/policy.ts";
import { DAY, HOUR } from "../../src/domain/time.ts";
import { mostActiveOf } from "../../src/engine/capacity.ts";
import { CWD, configIn, faultsIn, withToml } from "../support/config-world.ts";

const MAIL = '[smtp]\nhost = "mail.example.org"\nfrom = "cron@example.org"\n';

test("without any configuration everything has its default", () => {
  expect(configIn({})).toEqual({
    server: {
      host: "127.0.0.1",
      port: 8787,
      publicUrl: null,
      plainHttp: "loopback",
      trustedProxies: ["127.0.0.0/8", "::1/128"],
      hostNames: [],
      timezone: null,
      tls: null,
      metricsToken: null,
    },
    web: { listen: null, trustedUserHeader: null, trustedUserSecret: null, oidc: null },
    storage: {
      directory: `${CWD}/data`,
      backups: { every: 24 * HOUR, keep: 7 },
      backupCommand: null,
      keepPings: 90 * DAY,
    },
    limits: { v1PerMinute: 60, v1PerHour: 1_000, aliasPerMinute: 1_000, syncPerMinute: 10, adminPerMinute: 600 },
    smtp: null,
    team: { name: null, destinations: [], members: [], links: {} },
    alerts: { continuedAfter: [HOUR, 6 * HOUR, 24 * HOUR], continuedEvery: DAY, continuedMax: 30, report: null },
    destinations: new Map(),
    statusPages: [],
    self: null,
    mailIn: null,
    applications: new Map(),
    labels: new Map(),
    secrets: new Set(),
  });
});

test("the data directory is systemd's when nobody names one", () => {
  const environment = { STATE_DIRECTORY: "/var/lib/rollcall:/var/lib/other" };
  expect(configIn({ environment }).storage.directory).toBe("/var/lib/rollcall");
  const toml = '[storage]\ndirectory = "here"\n';
  expect(configIn(withToml(toml, { environment })).storage.directory).toBe(`${CWD}/here`);
});

test("R33: rate limits are settings, and 0 is none", () => {
  const environment = { ROLLCALL_LIMITS__V1_PER_HOUR: "0" };
  const { limits } = configIn(withToml("[limits]\nv1_per_minute = 5\nalias_per_minute = 7\n", { environment }));
  expect(limits).toEqual({ v1PerMinute: 5, v1PerHour: 0, aliasPerMinute: 7, syncPerMinute: 10, adminPerMinute: 600 });
});

test("R38: mail is on for the team by itself once it can be sent, for all four events", () => {
  const config = configIn(withToml(`${MAIL}[team]\nmembers = [{ email = "ada@example.org" }]\n`));
  expect(config.team.destinations).toEqual(["email"]);
  expect(config.destinations.get("email")).toEqual({ type: "email", name: "email", to: null });
  expect(config.team.members).toEqual([
    {
      name: "ada@example.org",
      email: "ada@example.org",
      events: ["InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered"],
    },
  ]);
});

test("mail is encrypted unless the server is this machine or someone says otherwise", () => {
  const smtp = (lines: string) => {
    const { host, port, security } = configIn(withToml(`[smtp]\nfrom = "a@example.org"\n${lines}`)).smtp ?? {};
    return [host, port, security];
  };
  expect(smtp('host = "mail.example.org"')).toEqual(["mail.example.org", 465, "tls"]);
  expect(smtp('host = "mail.example.org"\nsecurity = "starttls"')).toEqual(["mail.example.org", 587, "starttls"]);
  expect(smtp('host = "mail.example.org"\nsecurity = "none"')).toEqual(["mail.example.org", 25, "none"]);
  expect(smtp('host = "localhost"')).toEqual(["localhost", 25, "none"]);
  expect(smtp('host = "::1"\nport = 2525')).toEqual(["::1", 2525, "none"]);
  expect(smtp('host = "127.0.0.1"\nsecurity = "tls"')).toEqual(["127.0.0.1", 465, "tls"]);
});

test("an application has a status page when it has a token", () => {
  const page = (lines: string) =>
    configIn(withToml(`[applications.prod]\nname = "Production"\n[applications.prod.status_page]\n${lines}`))
      .statusPages;
  const token = "0123456789-abcdefgh_";
  expect(page("")).toEqual([]);
  expect(page(`token = "${token}"\njobs = ["*"]`)).toEqual([
    { application: "prod", token, title: null, jobs: ["*"], messages: false },
  ]);
  expect(page(`token = "${token}"\njobs = ["a"]\ntitle = "Ours"\nmessages = true`)).toMatchObject([
    { title: "Ours", messages: true },
  ]);
});

test("R31, R38: the domain finds what is configured, and what is not stays open", () => {
  const config = configIn(
    withToml(`${MAIL}
[team]
name = "Home"
members = [{ email = "ada@example.org" }]
[applications.prod]
name = "Production"
timezone = "Europe/Paris"
owner = "ops"
links = { logs = "https://example.org/logs" }
[applications.prod.monitors."__proto__"]
grace = "30m"
severity = "critical"
destinations = []
links = { runbook = "https://example.org/runbook" }
`),
  );
  const policy = policyOfConfig(config);
  const declared = { ...NOTHING_DECLARED, schedule: "0 2 * * *", graceSeconds: 90, maxRuntimeSeconds: 120 };
  expect(watchOf(monitorPolicy(policy, "prod", "__proto__", declared))).toEqual({
    schedule: "0 2 * * *",
    everySeconds: null,
    timezone: "Europe/Paris",
    graceSeconds: 1800,
    maxRuntimeSeconds: 120,
    alertAfterMisses: 1,
    alertAfterFailures: 1,
    reminders: { after: [HOUR, 6 * HOUR, 24 * HOUR], every: DAY, max: 30 },
    maintenance: [],
  });
  expect(presentationOf(monitorPolicy(policy, "prod", "__proto__"))).toEqual({
    applicationName: "Production",
    teamName: "Home",
    owner: "ops",
    severity: "critical",
    environment: null,
    links: { logs: "https://example.org/logs", runbook: "https://example.org/runbook" },
    note: null,
    labels: [],
  });
  expect(presentationOf(monitorPolicy(policy, "other", "job"))).toEqual({
    applicationName: null,
    teamName: "Home",
    owner: null,
    severity: "error",
    environment: null,
    links: {},
    note: null,
    labels: [],
  });
  expect(routesOf(monitorPolicy(policy, "prod", "__proto__"), "Recovered", 0)).toEqual([]);
  expect(routesOf(monitorPolicy(policy, "prod", "other"), "Recovered", 0)).toEqual([
    { destination: "email", recipient: "ada@example.org" },
  ]);
});

test("R38: owner, severity, environment and each link are the monitor's, else its application's, else the team's", () => {
  const toml = `
[team]
owner = "team"
severity = "info"
environment = "home"
links = { runbook = "https://team.example/run", logs = "https://team.example/logs", repository = "https://team.example/git" }
[applications.prod]
owner = "application"
severity = "warning"
links = { runbook = "https://app.example/run", logs = "https://app.example/logs" }
[applications.prod.monitors.job]
owner = "monitor"
links = { runbook = "https://job.example/run" }
`;
  const policy = policyOfConfig(configIn(withToml(toml)));
  const names = { applicationName: null, teamName: null, note: null, labels: [] };
  const ofTeam = {
    runbook: "https://team.example/run",
    logs: "https://team.example/logs",
    repository: "https://team.example/git",
  };
  const ofApplication = { ...ofTeam, runbook: "https://app.example/run", logs: "https://app.example/logs" };
  expect(presentationOf(monitorPolicy(policy, "prod", "job"))).toEqual({
    ...names,
    owner: "monitor",
    severity: "warning",
    environment: "home",
    links: { ...ofApplication, runbook: "https://job.example/run" },
  });
  expect(presentationOf(monitorPolicy(policy, "prod", "other"))).toEqual({
    ...names,
    owner: "application",
    severity: "warning",
    environment: "home",
    links: ofApplication,
  });
  const team = { ...names, owner: "team", severity: "info", environment: "home", links: ofTeam } as const;
  expect(presentationOf(monitorPolicy(policy, "default", "job"))).toEqual(team);
});

test("R38: what a label says stands between a monitor and its application, and of several labels the first counts", () => {
  const toml = `
team.owner = "team"
[destinations.chat]
type = "slack"
url = "https://hooks.example.org/a"
[destinations.pager]
type = "slack"
url = "https://hooks.example.org/b"
[labels.db]
severity = "critical"
destinations = ["pager"]
[labels.nightly]
owner = "night shift"
destinations = ["chat"]
[applications.prod]
severity = "warning"
destinations = ["chat"]
[applications.prod.monitors.configured]
labels = ["nightly"]
[applications.prod.monitors.severe]
severity = "error"
`;
  const policy = policyOfConfig(configIn(withToml(toml)));
  const of = (key: string, labels: string | null) => {
    const mine = monitorPolicy(policy, "prod", key, { ...NOTHING_DECLARED, labels });
    const { severity, owner } = presentationOf(mine);
    return [severity, owner, ...reachOf(mine, 0).names];
  };
  expect(of("job", null)).toEqual(["warning", "team", "chat"]);
  expect(of("job", "db")).toEqual(["critical", "team", "pager"]);
  expect(of("job", "nightly")).toEqual(["warning", "night shift", "chat"]);
  expect(of("job", "db nightly")).toEqual(["critical", "night shift", "pager"]);
  expect(of("severe", "db")).toEqual(["error", "team", "pager"]);
  // R31: what is configured is all that it has.
  expect(of("configured", "db")).toEqual(["warning", "night shift", "chat"]);
  // It is declared for this monitor, and so nearer than a label.
  const declared = { ...NOTHING_DECLARED, labels: "db", severity: "info" } as const;
  expect(presentationOf(monitorPolicy(policy, "prod", "job", declared)).severity).toBe("info");
});

test("R38: labels are words in small letters, each once, and a table of [labels] is named by one", () => {
  const labels = (list: string) => withToml(`[applications.prod.monitors.job]\nlabels = ${list}\n`);
  const kept = (list: string) => configIn(labels(list)).applications.get("prod")!.monitors.get("job")!.labels;
  expect(kept('["nightly", "db", "db"]')).toBe("db nightly");
  expect(faultsIn(labels('["two words"]'))[0]).toContain("applications.prod.monitors.job.labels");
  expect(faultsIn(labels(`[${Array.from({ length: 20 }, (_, at) => `"label-number-${at}"`)}]`))[0]).toContain(
    "must have at most 200 characters in all",
  );
  expect(faultsIn(withToml('[labels."Not one"]\nowner = "ops"\n'))[0]).toContain("is not a label");
});

test("R38: the team's owner, severity, environment and links come from the environment too, and are checked", () => {
  const environment = {
    ROLLCALL_TEAM__OWNER: "ops",
    ROLLCALL_TEAM__SEVERITY: "critical",
    ROLLCALL_TEAM__ENVIRONMENT: "home",
    ROLLCALL_TEAM__LINKS__RUNBOOK: "https://wiki.example.org",
  };
  expect(configIn({ environment }).team).toMatchObject({
    owner: "ops",
    severity: "critical",
    environment: "home",
    links: { runbook: "https://wiki.example.org" },
  });
  expect(faultsIn(withToml('[team]\nseverity = "loud"\nlinks = { runbook = "file:///etc/passwd" }\n'))).toEqual([
    'rollcall.toml:2: team.severity: "loud" is not known, must be info, warning, error or critical',
    expect.stringContaining("rollcall.toml:3: team.links.runbook:"),
  ]);
});

test("a drill monitor is drilled every 30 days, or as often as it says; every other one never", () => {
  const policy = policyOfConfig(
    configIn(
      withToml(`
[applications.prod.monitors]
a = { drill = true }
b = { drill = true, drill_every = "12h" }
c = { drill = false }
d = {}
`),
    ),
  );
  const everyOf = (key: string) => drillEveryOf(monitorPolicy(policy, "prod", key));
  expect(["a", "b", "c", "d", "e"].map(everyOf)).toEqual([(30 * DAY) / 1_000, (12 * HOUR) / 1_000, null, null, null]);
});

test("R15: a monitor may have the schedules of the aliases", () => {
  const toml = (schedule: string) => `[applications.a.monitors.b]\nschedule = "${schedule}"\n`;
  const scheduleOf = (text: string) =>
    configIn(withToml(toml(text)))
      .applications.get("a")
      ?.monitors.get("b")?.schedule;
  expect(["0 2 * * *", "30 0 2 * * *", "@daily"].map(scheduleOf)).toEqual(["0 2 * * *", "30 0 2 * * *", "@daily"]);
});

test("R12, R13: schedules and zones go on as those of a ping do, however they are written", () => {
  const config = configIn(
    withToml(`
server.timezone = "europe/PARIS"
[applications.prod]
timezone = "asia/calcutta"
[applications.prod.monitors.job]
schedule = " 0  2\\t* * MON "
timezone = "utc"
`),
  );
  const prod = config.applications.get("prod")!;
  expect([config.server.timezone, prod.timezone]).toEqual(["Europe/Paris", "Asia/Calcutta"]);
  expect(prod.monitors.get("job")).toMatchObject({ schedule: "0 2 * * MON", timezone: "UTC" });
});

test("R24: maintenance windows are read, in their own zone or in the monitor's", () => {
  const config = configIn(
    withToml(`
[applications.test]
maintenance = [{ cron = "0 5 * * *", duration = "1h" }]
[applications.prod.monitors.job]
maintenance = [
  { cron = "0 4 * * 0", duration = "2h", timezone = "europe/berlin" },
  { cron = "@monthly", duration = "30d" },
]
[applications.prod.monitors.other]
maintenance = [{ cron = "0 0 * * *", duration = "12h" }, { cron = "0 12 * * *", duration = "12h", timezone = "UTC" }]
`),
  );
  const policy = policyOfConfig(config);
  const maintained = (key: string) => watchOf(monitorPolicy(policy, "prod", key)).maintenance;
  expect(maintained("job")).toEqual([
    { schedule: "0 4 * * 0", timezone: "Europe/Berlin", durationSeconds: 7200 },
    { schedule: "@monthly", timezone: null, durationSeconds: 30 * 86_400 },
  ]);
  expect(maintained("other")).toMatchObject([{ timezone: null }, { timezone: "UTC" }]);
  expect(maintained("a job that is not configured")).toEqual([]);
  expect(watchOf(monitorPolicy(policy, "test", "any")).maintenance).toEqual([
    { schedule: "0 5 * * *", timezone: null, durationSeconds: 3_600 },
  ]);
});

test("a file with a byte order mark and Windows line ends is read, in any of TOML's spellings", () => {
  const toml =
    '\uFEFFserver.listen = "127.0.0.1:1"\r\n[applications]\r\na = { name = "A", monitors.b.grace = "2m" }\r\n';
  const config = configIn(withToml(toml));
  expect(config.server.port).toBe(1);
  expect(config.applications.get("a")?.monitors.get("b")?.graceSeconds).toBe(120);
});

describe("addresses", () => {
  test("to listen on are an IP address or localhost with a port", () => {
    expect(["127.0.0.1:8787", "[::]:0", "localhost:80"].map(parseConfiguredListen)).toEqual([
      { host: "127.0.0.1", port: 8787 },
      { host: "::", port: 0 },
      { host: "localhost", port: 80 },
    ]);
    for (const text of [
      "8787",
      ":8787",
      "example.org:80",
      "[127.0.0.1]:80",
      "127.1:80",
      "[::1%lo]:80",
      "1.2.3.4:123456",
    ]) {
      expect([text, parseConfiguredListen(text)]).toEqual([text, null]);
    }
  });

  test("R35: of networks are CIDR, and IPv4 inside IPv6 is IPv4", () => {
    expect(
      ["10.0.0.0/8", "192.168.1.7", "fd00::/8", "::ffff:127.0.0.1", "::ffff:10.0.0.0/104"].map(parseConfiguredNetwork),
    ).toEqual(["10.0.0.0/8", "192.168.1.7/32", "fd00::/8", "127.0.0.1/32", "10.0.0.0/8"]);
    for (const text of ["", "10.0.0.0/", "10/8", "10.0.0.0/8/8", "fd00::/129", "fe80::1%eth0", "all"]) {
      expect([text, parseConfiguredNetwork(text)]).toEqual([text, null]);
    }
  });

  test("of senders may have a name before them", () => {
    expect(parseConfiguredMailbox("cron@example.org")).toEqual({ name: null, address: "cron@example.org" });
    expect(parseConfiguredMailbox("Ada, at home <cron@example.org>")).toEqual({
      name: "Ada, at home",
      address: "cron@example.org",
    });
    for (const text of [
      "<cron@example.org>",
      'A "B" <a@b.c>',
      "A\n<a@b.c>",
      "A <a@b.c> <a@b.c>",
      "A <a@b.c,d@e.f>",
      "",
    ]) {
      expect([text, parseConfiguredMailbox(text)]).toEqual([text, null]);
    }
  });

  test("on this machine are known", () => {
    expect(["localhost", "127.8.8.8", "::1", "::ffff:127.0.0.1"].map(isLoopbackHost)).toEqual([true, true, true, true]);
    expect(["localhost.example.org", "10.0.0.1", "::2"].map(isLoopbackHost)).toEqual([false, false, false]);
  });
});

test("R27: what is expected of outcomes is read by name, each name being just a name", () => {
  const toml = `[applications.prod.monitors.job.outcomes]
rows = { min = 1 }
ratio = { min = -0.5, max = 1e3, on_failure = "warn" }
__proto__ = { equals = true }
errors = { equals = 0 }
`;
  const policy = policyOfConfig(configIn(withToml(toml)));
  const unasked = { equals: null, min: null, max: null, onFailure: "fail" } as const;
  expect([...expectationsOf(monitorPolicy(policy, "prod", "job"))]).toEqual([
    ["rows", { ...unasked, min: 1 }],
    ["ratio", { ...unasked, min: -0.5, max: 1000, onFailure: "warn" }],
    ["__proto__", { ...unasked, equals: true }],
    ["errors", { ...unasked, equals: 0 }],
  ] satisfies [string, Expectation][]);
  expect([
    expectationsOf(monitorPolicy(policy, "prod", "other")).size,
    expectationsOf(monitorPolicy(policy, "other", "job")).size,
  ]).toEqual([0, 0]);
});

test("R27: the environment may say what is expected, and 1e999 is not finite there either", () => {
  const inEnvironment = (outcomes: string) => ({
    environment: { ROLLCALL_APPLICATIONS__PROD__MONITORS: `{"job":{"outcomes":${outcomes}}}` },
  });
  const policy = policyOfConfig(configIn(inEnvironment('{"__proto__":{"min":1e3},"ok":{"equals":false}}')));
  expect([...expectationsOf(monitorPolicy(policy, "prod", "job")).keys()]).toEqual(["__proto__", "ok"]);
  expect(faultsIn(inEnvironment('{"rows":{"min":1e999},"files":{"equals":null},"errors":{}}'))).toEqual([
    "ROLLCALL_APPLICATIONS__PROD__MONITORS: applications.prod.monitors.job.outcomes.rows.min: Infinity is not finite, must be a number",
    "ROLLCALL_APPLICATIONS__PROD__MONITORS: applications.prod.monitors.job.outcomes.files.equals: is null, must be a number, true or false",
    "ROLLCALL_APPLICATIONS__PROD__MONITORS: applications.prod.monitors.job.outcomes.errors: expects nothing, must have min, max or equals",
  ]);
});

test("R34: how many monitors may be active is no number at all unless it is set", () => {
  const policy = policyOfConfig(configIn(withToml("[applications.a]\nmax_active_monitors = 3\n[applications.b]\n")));
  expect(["a", "b", "c"].map((slug) => mostActiveOf(policy, slug))).toEqual([
    3,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
});

test("backups are made every day and seven of them stay, unless it says otherwise; 0 is never", () => {
  const backupsIn = (toml: string) => configIn(withToml(toml)).storage.backups;
  expect(backupsIn("")).toEqual({ every: 24 * HOUR, keep: 7 });
  expect(backupsIn('[storage]\nbackup_every = "6h"\nbackup_keep = 2')).toEqual({ every: 6 * HOUR, keep: 2 });
  expect(backupsIn("[storage]\nbackup_every = 0").every).toBe(0);
  expect(backupsIn('[storage]\nbackup_every = "0"').every).toBe(0);
  const environment = { ROLLCALL_STORAGE__BACKUP_EVERY: "0" };
  expect(configIn({ environment }).storage.backups.every).toBe(0);
});
