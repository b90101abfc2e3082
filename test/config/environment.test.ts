// The environment alone can say everything the file can, wins over it, and is checked like it.

import { describe, expect, test } from "bun:test";
import { createCertificate } from "../support/certificate.ts";
import { CWD, configIn, faultsIn, loadIn, withToml } from "../support/config-world.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";

const TOML = `
[server]
listen = "[::]:9000"
public_url = "https://cron.example.org/"
plain_http = "refuse"
trusted_proxies = ["10.0.0.0/8", "::1"]
timezone = "Europe/Berlin"
tls_cert = "cert.pem"
tls_key = "key.pem"
[web]
enabled = false
listen = "127.0.0.1:9001"
trusted_user_header = "Remote-User"
[web.oidc]
issuer = "https://login.example.org"
client_id = "rollcall"
client_secret = "provider-secret-12"
[storage]
directory = "/srv/rollcall"
keep_pings = "30d"
[smtp]
host = "mail.example.org"
port = 2525
security = "starttls"
username = "ada"
password = "hunter2"
from = "rollcall <cron@example.org>"
[team]
name = "Home"
destinations = ["email", "on-call"]
members = [{ name = "Ada", email = "ada@example.org", events = ["Recovered"] }, { email = "bob@example.org" }]
[alerts]
continued_after = ["10m", "2h"]
continued_every = "12h"
continued_max = 3
[destinations.on-call]
type = "webhook"
url = "https://hooks.example.org/x"
secret = "${SECRET}"
[destinations.office]
type = "email"
to = ["office@example.org", "context@example.org"]
[applications.prod]
name = "Production"
timezone = "Europe/Paris"
owner = "ops"
severity = "warning"
environment = "production"
destinations = ["office"]
max_active_monitors = 7
links = { runbook = "https://example.org/runbook", logs = "https://example.org/logs" }
[applications.prod.monitors."nightly_backup"]
schedule = "0 2 * * *"
timezone = "UTC"
name = "Backup"
grace = "30m"
max_runtime = "2h"
severity = "critical"
owner = "storage"
environment = "night"
destinations = ["on-call"]
alert_after_misses = 2
alert_after_failures = 3
maintenance = [{ cron = "0 4 * * 0", duration = "2h", timezone = "UTC" }]
links = { repository = "https://example.org/code" }
outcomes = { rows = { min = 1, max = 2.5 }, verified = { equals = true }, errors = { max = 0, on_failure = "warn" } }
`;

const MONITORS = {
  nightly_backup: {
    schedule: "0 2 * * *",
    timezone: "UTC",
    name: "Backup",
    grace: "30m",
    max_runtime: "2h",
    severity: "critical",
    owner: "storage",
    environment: "night",
    destinations: ["on-call"],
    alert_after_misses: 2,
    alert_after_failures: 3,
    maintenance: [{ cron: "0 4 * * 0", duration: "2h", timezone: "UTC" }],
    links: { repository: "https://example.org/code" },
    outcomes: { rows: { min: 1, max: 2.5 }, verified: { equals: true }, errors: { max: 0, on_failure: "warn" } },
  },
};

const ENVIRONMENT = {
  ROLLCALL_SERVER__LISTEN: "[::]:9000",
  ROLLCALL_SERVER__PUBLIC_URL: "https://cron.example.org/",
  ROLLCALL_SERVER__PLAIN_HTTP: "refuse",
  ROLLCALL_SERVER__TRUSTED_PROXIES: "10.0.0.0/8, ::1",
  ROLLCALL_SERVER__TIMEZONE: "Europe/Berlin",
  ROLLCALL_SERVER__TLS_CERT: "cert.pem",
  ROLLCALL_SERVER__TLS_KEY: "key.pem",
  ROLLCALL_WEB__ENABLED: "false",
  ROLLCALL_WEB__LISTEN: "127.0.0.1:9001",
  ROLLCALL_WEB__TRUSTED_USER_HEADER: "Remote-User",
  ROLLCALL_WEB__OIDC__ISSUER: "https://login.example.org",
  ROLLCALL_WEB__OIDC__CLIENT_ID: "rollcall",
  ROLLCALL_WEB__OIDC__CLIENT_SECRET: "provider-secret-12",
  ROLLCALL_STORAGE__DIRECTORY: "/srv/rollcall",
  ROLLCALL_STORAGE__KEEP_PINGS: "30d",
  ROLLCALL_SMTP__HOST: "mail.example.org",
  ROLLCALL_SMTP__PORT: "2525",
  ROLLCALL_SMTP__SECURITY: "starttls",
  ROLLCALL_SMTP__USERNAME: "ada",
  ROLLCALL_SMTP__PASSWORD: "hunter2",
  ROLLCALL_SMTP__FROM: "rollcall <cron@example.org>",
  ROLLCALL_TEAM__NAME: "Home",
  ROLLCALL_TEAM__DESTINATIONS: "email,on-call",
  ROLLCALL_TEAM__MEMBERS:
    '[{"name":"Ada","email":"ada@example.org","events":["Recovered"]},{"email":"bob@example.org"}]',
  ROLLCALL_ALERTS__CONTINUED_AFTER: "10m,2h",
  ROLLCALL_ALERTS__CONTINUED_EVERY: "12h",
  ROLLCALL_ALERTS__CONTINUED_MAX: "3",
  ROLLCALL_DESTINATIONS__ON_CALL__TYPE: "webhook",
  ROLLCALL_DESTINATIONS__ON_CALL__URL: "https://hooks.example.org/x",
  ROLLCALL_DESTINATIONS__ON_CALL__SECRET: SECRET,
  ROLLCALL_DESTINATIONS: '{"office":{"type":"email","to":["office@example.org","context@example.org"]}}',
  ROLLCALL_APPLICATIONS__PROD__NAME: "Production",
  ROLLCALL_APPLICATIONS__PROD__TIMEZONE: "Europe/Paris",
  ROLLCALL_APPLICATIONS__PROD__OWNER: "ops",
  ROLLCALL_APPLICATIONS__PROD__SEVERITY: "warning",
  ROLLCALL_APPLICATIONS__PROD__ENVIRONMENT: "production",
  ROLLCALL_APPLICATIONS__PROD__DESTINATIONS: "office",
  ROLLCALL_APPLICATIONS__PROD__MAX_ACTIVE_MONITORS: "7",
  ROLLCALL_APPLICATIONS__PROD__LINKS__RUNBOOK: "https://example.org/runbook",
  ROLLCALL_APPLICATIONS__PROD__LINKS__LOGS: "https://example.org/logs",
  ROLLCALL_APPLICATIONS__PROD__MONITORS: JSON.stringify(MONITORS),
};

const PAIR = createCertificate();
const FILES = {
  [`${CWD}/cert.pem`]: PAIR.certificate,
  [`${CWD}/key.pem`]: PAIR.key,
};

const fromToml = () => configIn(withToml(TOML, { files: FILES }));

describe("the environment", () => {
  test("alone configures everything the file can", () => {
    expect(configIn({ environment: ENVIRONMENT, files: FILES })).toEqual(fromToml());
  });

  test("in a file alone configures everything the file can", () => {
    const lines = Object.entries(ENVIRONMENT).map(([name, value]) => `${name}='${value}'`);
    const files = { ...FILES, [`${CWD}/rollcall.env`]: `# all of it\n${lines.join("\n")}\n` };
    expect(configIn({ flags: { envFile: "rollcall.env" }, files })).toEqual(fromToml());
  });

  test("may hold whole tables of free names as one JSON value", () => {
    const { ROLLCALL_DESTINATIONS__ON_CALL__TYPE: _, ...rest } = ENVIRONMENT;
    const kept = Object.entries(rest).filter(([name]) => !/^ROLLCALL_(DESTINATIONS|APPLICATIONS)/.test(name));
    const environment = {
      ...Object.fromEntries(kept),
      ROLLCALL_DESTINATIONS: JSON.stringify({
        "on-call": { type: "webhook", url: "https://hooks.example.org/x", secret: SECRET },
        office: { type: "email", to: ["office@example.org", "context@example.org"] },
      }),
      ROLLCALL_APPLICATIONS: JSON.stringify({
        prod: {
          name: "Production",
          timezone: "Europe/Paris",
          owner: "ops",
          severity: "warning",
          environment: "production",
          destinations: ["office"],
          max_active_monitors: 7,
          links: { runbook: "https://example.org/runbook", logs: "https://example.org/logs" },
          monitors: MONITORS,
        },
      }),
    };
    expect(configIn({ environment, files: FILES })).toEqual(fromToml());
  });

  test("says nothing with variables that are not ours, and everything ours must be known", () => {
    const environment = {
      PATH: "/bin",
      ROLLCALL_URL: "a host may run jobs under rollcall, too",
      ROLLCALL_KEY: "x",
      ROLLCALL_SPOOL: "x",
      ROLLCALL_FROM_KEY: "x",
      ROLLCALL_SERVER__LISTN: "x",
      ROLLCALL_SERVER_LISTEN: "x",
      ROLLCALL_DESTINATIONS__OPS__ULR: "x",
      ROLLCALL_server__listen: "x",
      ROLLCALL_APPLICATIONS__PROD__MONITORS__NIGHTLY: "x",
      ROLLCALL_SMTP__HOST_FILE: "x",
      ROLLCALL_TEAM__MEMBERS__0__EMAIL: "x",
      ROLLCALL_: "x",
    };
    const general = 'must be ROLLCALL_ and a key with "__" between levels';
    expect(faultsIn({ environment }).sort()).toEqual(
      [
        `ROLLCALL_: "": is unknown, ${general}`,
        "ROLLCALL_APPLICATIONS__PROD__MONITORS__NIGHTLY: applications.prod.monitors.nightly: is unknown, must stand in the JSON of ROLLCALL_APPLICATIONS__PROD__MONITORS",
        "ROLLCALL_DESTINATIONS__OPS__ULR: destinations.ops.ulr: is unknown, did you mean ROLLCALL_DESTINATIONS__OPS__URL?",
        "ROLLCALL_SERVER_LISTEN: server_listen: is unknown, did you mean ROLLCALL_SERVER__LISTEN?",
        "ROLLCALL_SERVER__LISTN: server.listn: is unknown, did you mean ROLLCALL_SERVER__LISTEN?",
        `ROLLCALL_SMTP__HOST_FILE: smtp.host_file: is unknown, ${general}`,
        "ROLLCALL_TEAM__MEMBERS__0__EMAIL: team.members.0.email: is unknown, must stand in the JSON of ROLLCALL_TEAM__MEMBERS",
        "ROLLCALL_server__listen: server.listen: is unknown, did you mean ROLLCALL_SERVER__LISTEN?",
      ].sort(),
    );
  });

  test("is told with the variable's name, also for what is missing and what lies inside JSON", () => {
    const environment = {
      ROLLCALL_SERVER__LISTEN: "localhost",
      ROLLCALL_ALERTS__CONTINUED_MAX: "many",
      ROLLCALL_SMTP__USERNAME: "ada",
      ROLLCALL_TEAM__MEMBERS: '[{"name":"Ada"},{"mail":"x"}]',
      ROLLCALL_DESTINATIONS: "{hunter2}",
      ROLLCALL_TEAM__DESTINATIONS: "",
    };
    expect(faultsIn({ environment })).toEqual([
      "ROLLCALL_ALERTS__CONTINUED_MAX: alerts.continued_max: is text, must be a whole number from 0 to 1000",
      "ROLLCALL_DESTINATIONS: destinations: is not JSON, must be one JSON value",
      'ROLLCALL_SERVER__LISTEN: server.listen: "localhost" is not an address to listen on, must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"',
      "ROLLCALL_SMTP__FROM: smtp.from: is missing, must be given to send mail",
      "ROLLCALL_SMTP__HOST: smtp.host: is missing, must be given to send mail",
      "ROLLCALL_SMTP__PASSWORD: smtp.password: is missing, must be given with smtp.username, as password or password_file",
      'ROLLCALL_TEAM__MEMBERS: team.members[1].mail: is unknown, did you mean "email"?',
      "ROLLCALL_TEAM__MEMBERS: team.members[0].email: is missing, must be given for every member",
      "ROLLCALL_TEAM__MEMBERS: team.members[1].email: is missing, must be given for every member",
    ]);
  });

  test("is still checked when the file does not parse, without guessing at what the file would have said", () => {
    const environment = { ROLLCALL_TEAM__DESTINATIONS: "hook", ROLLCALL_STORAGE__KEEP_PINGS: "x" };
    expect(faultsIn(withToml("[smtp\nhost = 1", { environment }))).toEqual([
      'ROLLCALL_STORAGE__KEEP_PINGS: storage.keep_pings: "x" is not a duration, must be a duration such as "30s", "15m", "2h" or "90d", from 7d to 3650d',
      "rollcall.toml:1: TOML: the key, equals sign, and value must be on the same line (column 6), must be valid TOML",
    ]);
  });

  test("in a file is told with the file and its line", () => {
    const files = { [`${CWD}/rollcall.env`]: "# x\nROLLCALL_SERVER__LISTEN=x\n\nROLLCALL_STORAGE__KEEP=1\n" };
    expect(faultsIn({ flags: { envFile: "rollcall.env" }, files })).toEqual([
      'rollcall.env:2: server.listen: "x" is not an address to listen on, must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"',
      'rollcall.env:4: storage.keep: is unknown, must be ROLLCALL_ and a key with "__" between levels',
    ]);
  });
});

test("a certificate with the key of another, and the two the wrong way round, are faults", () => {
  const { certificate, key } = PAIR;
  const said = (cert: string, own: string) =>
    faultsIn(
      withToml('[server]\ntls_cert = "cert.pem"\ntls_key = "key.pem"\n', {
        files: { [`${CWD}/cert.pem`]: cert, [`${CWD}/key.pem`]: own },
      }),
    );
  const fault =
    "rollcall.toml:3: server.tls_key: cannot be used with server.tls_cert, must be the private key of that certificate, without a passphrase";
  expect(said(certificate, key)).toEqual([]);
  expect(said(certificate, createCertificate().key)).toEqual([fault]);
  expect(said(key, certificate)).toEqual([fault]);
});

describe("precedence", () => {
  const portIn = (...args: Parameters<typeof withToml>) => configIn(withToml(...args)).server.port;
  const toml = '[server]\nlisten = "127.0.0.1:2"\n';
  const files = { [`${CWD}/rollcall.env`]: "ROLLCALL_SERVER__LISTEN=127.0.0.1:3\n" };

  test("the default, beneath the file, beneath the environment file, beneath the environment", () => {
    const environment = { ROLLCALL_SERVER__LISTEN: "127.0.0.1:4" };
    expect(portIn("")).toBe(8787);
    expect(portIn(toml)).toBe(2);
    expect(portIn(toml, { files, flags: { envFile: "rollcall.env" } })).toBe(3);
    expect(portIn(toml, { files, flags: { envFile: "rollcall.env" }, environment })).toBe(4);
  });

  test("a variable replaces its own key and leaves the table around it alone", () => {
    const environment = {
      ROLLCALL_APPLICATIONS__A__NAME: "B",
      ROLLCALL_APPLICATIONS: '{"a":{"name":"C","owner":"D"}}',
    };
    const { applications } = configIn(withToml('[applications.a]\nname = "A"\nenvironment = "E"\n', { environment }));
    expect(applications.get("a")).toMatchObject({ name: "B", owner: "D", environment: "E" });
  });

  test("a free name that only looks like another's file is not replaced with it", () => {
    const monitors = (names: readonly string[]) => JSON.stringify(Object.fromEntries(names.map((name) => [name, {}])));
    const keysIn = (written: string, set: readonly string[]) => {
      const toml = `[applications.prod.monitors]\n${written} = { grace = "30m" }\nother = {}\n`;
      const environment = { ROLLCALL_APPLICATIONS__PROD__MONITORS: monitors(set) };
      const rules = configIn(withToml(toml, { environment })).applications.get("prod")?.monitors;
      expect(rules?.get(written)?.graceSeconds).toBe(1800);
      return [...(rules?.keys() ?? [])].sort();
    };
    expect(keysIn("db_file", ["db"])).toEqual(["db", "db_file", "other"]);
    expect(keysIn("db", ["db_file"])).toEqual(["db", "db_file", "other"]);
    expect(keysIn("password", ["password_file"])).toEqual(["other", "password", "password_file"]);
  });

  test("a key that is no secret has no second spelling, so its `_file` stays and is told", () => {
    const environment = { ROLLCALL_SMTP__HOST: "mail.example.org" };
    const toml = '[smtp]\nhost_file = "x"\nfrom = "a@example.org"\n';
    expect(faultsIn(withToml(toml, { environment }))).toEqual([
      expect.stringContaining("rollcall.toml:2: smtp.host_file: is unknown"),
    ]);
  });

  test("a faulty value that the environment replaces is no fault", () => {
    expect(portIn('[server]\nlisten = "x"\n', { environment: { ROLLCALL_SERVER__LISTEN: "127.0.0.1:4" } })).toBe(4);
  });

  const toFile = (port: number) => `[server]\nlisten = "127.0.0.1:${port}"\n`;
  const everyFile = {
    "/a.toml": toFile(1),
    "/b.toml": toFile(2),
    [`${CWD}/rollcall.toml`]: toFile(3),
    "/etc/rollcall/rollcall.toml": toFile(4),
  };

  test("the file is --config, else $ROLLCALL_CONFIG, else the one here, else the one in /etc, else none", () => {
    const environment = { ROLLCALL_CONFIG: "/b.toml" };
    const { [`${CWD}/rollcall.toml`]: _, ...elsewhere } = everyFile;
    const ports = [
      { flags: { config: "/a.toml" }, environment, files: everyFile },
      { environment, files: everyFile },
      { files: everyFile },
      { files: elsewhere },
      {},
    ].map((world) => configIn(world).server.port);
    expect(ports).toEqual([1, 2, 3, 4, 8787]);
  });

  test("what was read is named", () => {
    const loaded = loadIn({ environment: { ROLLCALL_SERVER__TIMEZONE: "UTC" }, files: everyFile });
    expect("sources" in loaded && loaded.sources).toEqual(["rollcall.toml", "ROLLCALL_SERVER__TIMEZONE"]);
  });

  test("a file that was named must be there, one that is there must be readable", () => {
    const denied = Object.assign(new Error("denied"), { code: "EACCES" });
    const rule = "must be a file that can be read";
    expect(faultsIn({ flags: { config: "/x", envFile: "y" } })).toEqual([
      `--config: file: "/x" cannot be read (ENOENT), ${rule}`,
      `--env-file: file: "y" cannot be read (ENOENT), ${rule}`,
    ]);
    expect(faultsIn({ environment: { ROLLCALL_CONFIG: "/x" } })).toEqual([
      `ROLLCALL_CONFIG: file: "/x" cannot be read (ENOENT), ${rule}`,
    ]);
    expect(faultsIn({ files: { "/etc/rollcall/rollcall.toml": denied } })).toEqual([
      `/etc/rollcall/rollcall.toml: file: cannot be read (EACCES), ${rule}`,
    ]);
  });
});
