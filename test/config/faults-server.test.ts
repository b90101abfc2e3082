// Faulty files and exactly what is said about them: what is written about the server and its storage, and for what is
// no configuration at all.

import { testFaultyFiles } from "../support/config-faults.ts";

testFaultyFiles([
  {
    title: "a key that is not known, near a known one",
    toml: `[server]
listn = "127.0.0.1:1"`,
    faults: [`rollcall.toml:2: server.listn: is unknown, did you mean "listen"?`],
  },
  {
    title: "a key that is not known, near none",
    toml: `[storage]
colour = "red"`,
    faults: [
      "rollcall.toml:2: storage.colour: is unknown, must be one of directory, keep_pings, backup_every, backup_keep, backup_command, backup_command_limit",
    ],
  },
  {
    title: "a table that is not known",
    toml: `[sever]`,
    faults: [`rollcall.toml:1: sever: is unknown, did you mean "server"?`],
  },
  {
    title: "a value where a table belongs",
    toml: `server = "127.0.0.1:8787"`,
    faults: ["rollcall.toml:1: server: is text, must be a table"],
  },
  {
    title: "a list of tables where a table belongs",
    toml: `[[storage]]`,
    faults: ["rollcall.toml:1: storage: is a list, must be a table"],
  },
  {
    title: "a header that says nothing of who signed in",
    toml: `[web]
trusted_user_header = "X-Forwarded-For"`,
    faults: [
      `rollcall.toml:2: web.trusted_user_header: "X-Forwarded-For" is not such a header, must be the name of a header that holds a user, such as "Remote-User"`,
    ],
  },
  {
    title: "sign-on by a provider without what it needs",
    toml: `[web.oidc]
client_id = "rollcall"`,
    faults: [
      "ROLLCALL_SERVER__PUBLIC_URL: server.public_url: is missing, must be given for sign-on by OpenID Connect, because the provider leads back to it",
      "rollcall.toml:1: web.oidc.issuer: is missing, must be given for sign-on by OpenID Connect",
      "rollcall.toml:1: web.oidc.client_secret: is missing, must be given for sign-on by OpenID Connect, as client_secret or client_secret_file",
    ],
  },
  {
    title: "sign-on by a provider over plain HTTP",
    toml: `[server]
public_url = "https://cron.example.org"
[web.oidc]
issuer = "http://login.example.org"
client_id = "rollcall"
client_secret = "hunter2"`,
    faults: ["rollcall.toml:4: web.oidc.issuer: is plain HTTP, must begin with https://, unless it is on this machine"],
  },
  {
    title: "a directory in somebody's home, as a shell knows it",
    toml: '[storage]\ndirectory = "~/data"',
    faults: [
      'rollcall.toml:2: storage.directory: "~/data" is not a path, must be the path of a directory, without ~, which only a shell knows',
    ],
  },
  {
    title: "an address that another listener takes",
    toml: `[server]
listen = "[::]:8787"
[web]
listen = "127.0.0.1:8787"
[mail_in]
listen = "0.0.0.0:8787"
domain = "in.example.org"`,
    faults: [
      "rollcall.toml:4: web.listen: is taken by server.listen, must be an address with a port of its own",
      "rollcall.toml:6: mail_in.listen: is taken by server.listen, must be an address with a port of its own",
    ],
  },
  {
    title: "a comment that is not UTF-8",
    toml: '# caf\ufffd\n[server]\nlisten = "127.0.0.1:8787"',
    faults: ["rollcall.toml:1: TOML: has bytes that are not UTF-8, must be saved as UTF-8"],
  },
  {
    title: "text that is not TOML",
    toml: `[server]
listen = 127.0.0.1:8787`,
    faults: [
      "rollcall.toml:2: TOML: must be a newline (column 15 in [server]), must be valid TOML: a text stands in straight double quotes",
    ],
  },
  {
    title: "a text without quotes",
    toml: `[server]
timezone = Europe/Berlin`,
    faults: [
      "rollcall.toml:2: TOML: unexpected character (column 12 in [server]), must be valid TOML: a text stands in straight double quotes",
    ],
  },
  {
    title: "a text in curly quotes",
    toml: `[server]
timezone = “UTC”`,
    faults: [
      "rollcall.toml:2: TOML: unexpected character (column 12 in [server]), must be valid TOML: a text stands in straight double quotes",
    ],
  },
  {
    title: "a text without quotes in a list",
    toml: `[server]
host_names = [server.lan]`,
    faults: [
      "rollcall.toml:2: TOML: unexpected character (column 15 in [server]), must be valid TOML: a text stands in straight double quotes",
    ],
  },
  {
    title: "no value",
    toml: `[server]
timezone =
`,
    faults: [
      "rollcall.toml:2: TOML: unspecified values are invalid (column 11 in [server]), must be valid TOML: a text stands in straight double quotes",
    ],
  },
  {
    title: "a name with a space in a header",
    toml: `[server]
[applications.default.monitors.my job]`,
    faults: [
      "rollcall.toml:2: TOML: unterminated table-key (column 35 in [server]), must be valid TOML: a name with other letters than A-Z, a-z, 0-9, _ and - stands in double quotes",
    ],
  },
  {
    title: "a name with a slash in a header",
    toml: `[server]
[applications.default.monitors.my/job]`,
    faults: [
      "rollcall.toml:2: TOML: unexpected character (column 34 in [server]), must be valid TOML: a name with other letters than A-Z, a-z, 0-9, _ and - stands in double quotes",
    ],
  },
  {
    title: "a header without its end",
    toml: `[server
timezone = "UTC"`,
    faults: [
      "rollcall.toml:1: TOML: the key, equals sign, and value must be on the same line (column 8), must be valid TOML",
    ],
  },
  {
    title: "a setting that is written as in YAML",
    toml: 'server:\n  timezone: "UTC"',
    faults: [
      "rollcall.toml:1: TOML: unexpected character (column 7), must be valid TOML: a setting is written as name = value",
    ],
  },
  {
    title: "a key given twice",
    toml: `[server]
timezone = "UTC"
timezone = "UTC"`,
    faults: [
      "rollcall.toml:3: TOML: defining a key multiple times is invalid (column 1 in [server]); line 2 has it first, must be valid TOML",
    ],
  },
  {
    title: "a table given twice",
    toml: `[destinations.ops]
type = "slack"
[server]
[destinations.ops]`,
    faults: [
      "rollcall.toml:4: TOML: defining a key multiple times is invalid (column 15 in [destinations.ops]); line 1 has it first, must be valid TOML",
    ],
  },
  {
    title: "a key given twice in a table of a list",
    toml: `[[team.members]]
email = "a@example.org"
[[team.members]]
email = "b@example.org"
email = "c@example.org"`,
    faults: [
      "rollcall.toml:5: TOML: defining a key multiple times is invalid (column 1 in [team.members]); line 4 has it first, must be valid TOML",
    ],
  },
  {
    title: "a key given twice within a value",
    toml: `[team]
links = { log = "https://example.org", log = "https://example.com" }`,
    faults: [
      "rollcall.toml:2: TOML: defining a key multiple times is invalid (column 40 in [team]), must be valid TOML",
    ],
  },
  {
    title: "a text that is never closed",
    toml: `[smtp]
password = "hunter2`,
    faults: ["rollcall.toml:2: TOML: unterminated string constant (column 20 in [smtp]), must be valid TOML"],
  },
  {
    title: "an address without a port",
    toml: `[server]
listen = "localhost"`,
    faults: [
      `rollcall.toml:2: server.listen: "localhost" is not an address to listen on, must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"`,
    ],
  },
  {
    title: "an address with a port beyond the last",
    toml: `[server]
listen = "127.0.0.1:65536"`,
    faults: [
      `rollcall.toml:2: server.listen: "127.0.0.1:65536" is not an address to listen on, must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"`,
    ],
  },
  {
    title: "an IPv6 address without brackets",
    toml: `[server]
listen = ":::8787"`,
    faults: [
      `rollcall.toml:2: server.listen: ":::8787" is not an address to listen on, must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"`,
    ],
  },
  {
    title: "an address that is no address",
    toml: `[server]
listen = "300.0.0.1:80"`,
    faults: [
      `rollcall.toml:2: server.listen: "300.0.0.1:80" is not an address to listen on, must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"`,
    ],
  },
  {
    title: "a number where text belongs",
    toml: `[server]
listen = 8787`,
    faults: [
      `rollcall.toml:2: server.listen: is a number, must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"`,
    ],
  },
  {
    title: "a public address of another scheme",
    toml: `[server]
public_url = "ftp://cron.example.org"`,
    faults: [
      "rollcall.toml:2: server.public_url: is not an http(s) URL, must begin with http:// or https:// and hold no user name or password, path, query or fragment",
    ],
  },
  {
    title: "R40: a public address with credentials",
    toml: `[server]
public_url = "https://ada:hunter2@cron.example.org"`,
    faults: [
      "rollcall.toml:2: server.public_url: holds a user name or password, must begin with http:// or https:// and hold no user name or password, path, query or fragment",
    ],
  },
  {
    title: "a public address with a query",
    toml: `[server]
public_url = "https://cron.example.org/?a=1"`,
    faults: [
      "rollcall.toml:2: server.public_url: has a query or fragment, must begin with http:// or https:// and hold no user name or password, path, query or fragment",
    ],
  },
  {
    title: "a public address below a path, where no page and no report is",
    toml: `[server]
public_url = "https://example.org/rollcall/"`,
    faults: [
      "rollcall.toml:2: server.public_url: has a path, and rollcall answers at the root of a host's name alone, must begin with http:// or https:// and hold no user name or password, path, query or fragment",
    ],
  },
  {
    title: "R35: a word plain_http does not know",
    toml: `[server]
plain_http = "maybe"`,
    faults: [`rollcall.toml:2: server.plain_http: "maybe" is not known, must be loopback, refuse or accept`],
  },
  {
    title: "R35: a network that is none",
    toml: `[server]
trusted_proxies = ["10.0.0.0/8", "10.0.0.0/33", "nginx"]`,
    faults: [
      `rollcall.toml:2: server.trusted_proxies[1]: "10.0.0.0/33" is not an address or network, must be an IP address or a network such as "10.0.0.0/8" or "::1"`,
      `rollcall.toml:2: server.trusted_proxies[2]: "nginx" is not an address or network, must be an IP address or a network such as "10.0.0.0/8" or "::1"`,
    ],
  },
  {
    title: "a text where a list belongs",
    toml: `[server]
trusted_proxies = "::1"`,
    faults: ["rollcall.toml:2: server.trusted_proxies: is text, must be a list of addresses and networks"],
  },
  {
    title: "R13: a time zone that does not exist",
    toml: `[server]
timezone = "Europe/Atlantis"`,
    faults: [
      `rollcall.toml:2: server.timezone: "Europe/Atlantis" is not a known time zone, must be an IANA name such as "Europe/Berlin" or "UTC"`,
    ],
  },
  {
    title: "R13: an offset instead of a time zone",
    toml: `[server]
timezone = "+01:00"`,
    faults: [
      `rollcall.toml:2: server.timezone: "+01:00" is not a known time zone, must be an IANA name such as "Europe/Berlin" or "UTC"`,
    ],
  },
  {
    title: "R35: a certificate without its key",
    toml: `[server]
tls_cert = "cert.pem"`,
    faults: ["rollcall.toml:1: server.tls_key: is missing, must be given with server.tls_cert"],
  },
  {
    title: "R35: a key without its certificate, and a file that is not PEM",
    toml: `[server]
tls_key = "text"`,
    faults: [
      "rollcall.toml:1: server.tls_cert: is missing, must be given with server.tls_key",
      "rollcall.toml:2: server.tls_key: names a file that is not PEM, must be the path of a PEM file that can be read",
    ],
  },
  {
    title: "PEM files that are not there",
    toml: `[server]
tls_cert = "a.pem"
tls_key = "b.pem"`,
    faults: [
      "rollcall.toml:2: server.tls_cert: cannot be read (ENOENT), must be the path of a PEM file that can be read",
      "rollcall.toml:3: server.tls_key: cannot be read (ENOENT), must be the path of a PEM file that can be read",
    ],
  },
  {
    title: "a key's text in place of its path",
    toml: `[server]
tls_cert = "cert.pem"
tls_key = "-----BEGIN PRIVATE KEY-----"`,
    faults: ["rollcall.toml:3: server.tls_key: is not a path, must be the path of a file"],
  },
  {
    title: "an empty directory",
    toml: `[storage]
directory = ""`,
    faults: [
      'rollcall.toml:2: storage.directory: "" is not a path, must be the path of a directory, without ~, which only a shell knows',
    ],
  },
  {
    title: "a duration without a unit",
    toml: `[storage]
keep_pings = "90"`,
    faults: [
      `rollcall.toml:2: storage.keep_pings: "90" is not a duration, must be a duration such as "30s", "15m", "2h" or "90d", from 7d to 3650d`,
    ],
  },
  {
    title: "a duration that is a number",
    toml: `[storage]
keep_pings = 90`,
    faults: [
      `rollcall.toml:2: storage.keep_pings: is a number, must be a duration such as "30s", "15m", "2h" or "90d", from 7d to 3650d`,
    ],
  },
  {
    title: "R22: pings kept for less than run ids pair",
    toml: `[storage]
keep_pings = "6d"`,
    faults: [
      `rollcall.toml:2: storage.keep_pings: "6d" is too short, must be a duration such as "30s", "15m", "2h" or "90d", from 7d to 3650d`,
    ],
  },
  {
    title: "a duration beyond all use",
    toml: `[storage]
keep_pings = "3651d"`,
    faults: [
      `rollcall.toml:2: storage.keep_pings: "3651d" is too long, must be a duration such as "30s", "15m", "2h" or "90d", from 7d to 3650d`,
    ],
  },
  {
    title: "rate limits that are none",
    toml: `[limits]
v1_per_minute = -1
v1_per_hour = "many"
alias_per_minute = 1_000_001`,
    faults: [
      "rollcall.toml:2: limits.v1_per_minute: -1 is out of range, must be a whole number from 0 to 1000000",
      "rollcall.toml:3: limits.v1_per_hour: is text, must be a whole number from 0 to 1000000",
      "rollcall.toml:4: limits.alias_per_minute: 1000001 is out of range, must be a whole number from 0 to 1000000",
    ],
  },
  {
    title: "backups that are none",
    toml: `[storage]
backup_every = "10m"
backup_keep = 0
backup_command = ""
backup_command_limit = 15`,
    faults: [
      'rollcall.toml:2: storage.backup_every: "10m" is too short, must be a duration such as "30s", "15m", "2h" or "90d", from 1h to 3650d, or 0 for never',
      "rollcall.toml:3: storage.backup_keep: 0 is out of range, must be a whole number from 1 to 1000",
      "rollcall.toml:4: storage.backup_command: is empty, too long or not one line, must be a text of 1 to 200 characters on one line",
      'rollcall.toml:5: storage.backup_command_limit: is a number, must be a duration such as "30s", "15m", "2h" or "90d", from 1s to 3650d',
    ],
  },
  {
    title: "a number other than 0 for backups",
    toml: "[storage]\nbackup_every = 24",
    faults: [
      'rollcall.toml:2: storage.backup_every: 24 is not a duration, must be a duration such as "30s", "15m", "2h" or "90d", from 1h to 3650d, or 0 for never',
    ],
  },
  {
    title: "another monitor that cannot be told, or too often",
    toml: `[self]
ping_url = "ftp://other.example.org/ping"
every = "1s"`,
    faults: [
      "rollcall.toml:2: self.ping_url: is not an http(s) URL, must begin with http:// or https:// and hold no user name or password",
      'rollcall.toml:3: self.every: "1s" is too short, must be a duration such as "30s", "15m", "2h" or "90d", from 10s to 3650d',
    ],
  },
  {
    title: "a token that could be guessed",
    toml: `[server]
metrics_token = "hunter2"`,
    faults: [
      'rollcall.toml:2: server.metrics_token: is not a token that nobody can guess, must be 20 to 200 of "a-z", "A-Z", "0-9", ".", "_", "~", "+", "/" and "-", chosen at random',
    ],
  },
]);
