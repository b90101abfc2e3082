// Faulty files and exactly what is said about them: mail, the team, reminders and destinations.

import { expect, test } from "bun:test";
import { testFaultyFiles } from "../support/config-faults.ts";
import { configIn, faultsIn, withToml } from "../support/config-world.ts";

testFaultyFiles([
  {
    title: "mail settings without host and sender",
    toml: `[smtp]
port = 25`,
    faults: [
      "rollcall.toml:1: smtp.host: is missing, must be given to send mail",
      "rollcall.toml:1: smtp.from: is missing, must be given to send mail",
    ],
  },
  {
    title: "a mail host with a port",
    toml: `[smtp]
host = "mail.example.org:465"
from = "a@example.org"`,
    faults: [
      `rollcall.toml:2: smtp.host: is not a host, must be a host name or IP address without a port, such as "mail.example.org"`,
    ],
  },
  {
    title: "a mail port that is none",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
port = 0`,
    faults: ["rollcall.toml:4: smtp.port: 0 is out of range, must be a whole number from 1 to 65535"],
  },
  {
    title: "a mail port as text, and one with a fraction",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
port = "465"
[alerts]
continued_max = 1.5`,
    faults: [
      "rollcall.toml:4: smtp.port: is text, must be a whole number from 1 to 65535",
      "rollcall.toml:6: alerts.continued_max: 1.5 is out of range, must be a whole number from 0 to 1000",
    ],
  },
  {
    title: "a security that is not known",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
security = "ssl"`,
    faults: [`rollcall.toml:4: smtp.security: "ssl" is not known, must be tls, starttls or none`],
  },
  {
    title: "a user name without a password",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
username = "ada"`,
    faults: [
      "rollcall.toml:1: smtp.password: is missing, must be given with smtp.username, as password or password_file",
    ],
  },
  {
    title: "a password without a user name",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
password = "hunter2"`,
    faults: ["rollcall.toml:1: smtp.username: is missing, must be given with smtp.password"],
  },
  {
    title: "a password that is empty",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
username = "ada"
password = ""`,
    faults: ["rollcall.toml:5: smtp.password: is empty or not one line, must be text on one line"],
  },
  {
    title: "a password given twice",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
username = "ada"
password = "hunter2"
password_file = "secret"`,
    faults: ["rollcall.toml:6: smtp.password_file: is given beside smtp.password, must be one or the other"],
  },
  {
    title: "a password in a file that is not there",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
username = "ada"
password_file = "hunter2"`,
    faults: [
      "rollcall.toml:5: smtp.password_file: cannot be read (ENOENT), must be the path of a file that can be read",
    ],
  },
  {
    title: "a password in an empty file",
    toml: `[smtp]
host = "mail.example.org"
from = "a@example.org"
username = "ada"
password_file = "empty"`,
    faults: ["rollcall.toml:5: smtp.password_file: names an empty file, must hold the secret"],
  },
  {
    title: "a sender with two addresses",
    toml: `[smtp]
host = "mail.example.org"
from = "A <a@example.org>, b@example.org"`,
    faults: [
      `rollcall.toml:3: smtp.from: "A <a@example.org>, b@example.org" is not a mail address, must be "cron@example.org" or "Name <cron@example.org>"`,
    ],
  },
  {
    title: "members that cannot be reached",
    toml: `[team]
members = [
  { name = "Ada" },
  { email = "ada@example.org, eve@example.org" },
  { email = "bob@example.org", events = ["Recoverd"] },
  { email = "BOB@example.org" },
  "eve@example.org",
]`,
    faults: [
      "rollcall.toml:3: team.members[0].email: is missing, must be given for every member",
      `rollcall.toml:4: team.members[1].email: "ada@example.org, eve@example.org" is not a mail address, must be one plain address such as "ada@example.org"`,
      `rollcall.toml:5: team.members[2].events[0]: "Recoverd" is not known, must be InitialFailure, NeverExecuted, ContinuedFailure or Recovered`,
      `rollcall.toml:6: team.members[3].email: "BOB@example.org" is given twice, must be another member's`,
      'rollcall.toml:7: team.members[4]: is text, must be a table, such as { email = "ada@example.org" }',
    ],
  },
  {
    title: "a member's key that is not known, in a list of tables",
    toml: `[[team.members]]
email = "ada@example.org"
[[team.members]]
email = "bob@example.org"
phone = "1"`,
    faults: ["rollcall.toml:5: team.members[1].phone: is unknown, must be one of name, email, events, answers"],
  },
  {
    title: "R38: a destination that does not exist",
    toml: `[team]
destinations = ["hok", "nowhere"]
[destinations.hook]
type = "webhook"
url = "https://example.org"
secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"`,
    faults: [
      `rollcall.toml:2: team.destinations[0]: "hok" is not a destination, did you mean "hook"?`,
      `rollcall.toml:2: team.destinations[1]: "nowhere" is not a destination, must be one of hook, email, webpush`,
    ],
  },
  {
    title: "a web address where a destination's name belongs",
    toml: `[team]
destinations = ["https://example.org/hunter2"]`,
    faults: [`rollcall.toml:2: team.destinations[0]: is not a name, must be 1 to 40 of "a-z", "0-9" and "-"`],
  },
  {
    title: "mail to a team without mail settings",
    toml: `[team]
destinations = ["email"]
[applications.prod]
destinations = ["email"]
[destinations.office]
type = "email"
to = ["office@example.org"]`,
    faults: [
      `rollcall.toml:2: team.destinations[0]: "email" cannot send, must have [smtp], or a server that \`rollcall config set --mail\` keeps`,
      `rollcall.toml:4: applications.prod.destinations[0]: "email" cannot send, must have [smtp], or a server that \`rollcall config set --mail\` keeps`,
      `rollcall.toml:6: destinations.office.type: "email" cannot send, must have [smtp], or a server that \`rollcall config set --mail\` keeps`,
    ],
  },
  {
    title: "mail to an empty list",
    toml: `[smtp]
host = "localhost"
from = "a@example.org"
[destinations.office]
type = "email"
to = []`,
    faults: ["rollcall.toml:6: destinations.office.to: is empty, must be a list of mail addresses"],
  },
  {
    title: "mail to a team without members",
    toml: `[smtp]
host = "localhost"
from = "a@example.org"
[team]
destinations = ["email"]
[destinations.all]
type = "email"`,
    faults: [
      `rollcall.toml:5: team.destinations[0]: "email" cannot send, must have team.members to send mail to`,
      `rollcall.toml:7: destinations.all.type: "email" cannot send, must have team.members to send mail to`,
    ],
  },
  {
    title: "R23: reminders that do not ascend",
    toml: `[alerts]
continued_after = ["6h", "1h"]`,
    faults: [
      "rollcall.toml:2: alerts.continued_after: is not ascending, must be durations each longer than the one before",
    ],
  },
  {
    title: "R23: reminders that are too close, too long or none",
    toml: `[alerts]
continued_after = ["30s", "soon"]
continued_every = "1s"
continued_max = -1`,
    faults: [
      `rollcall.toml:2: alerts.continued_after[0]: "30s" is too short, must be a duration such as "30s", "15m", "2h" or "90d", from 1m to 3650d`,
      `rollcall.toml:2: alerts.continued_after[1]: "soon" is not a duration, must be a duration such as "30s", "15m", "2h" or "90d", from 1m to 3650d`,
      `rollcall.toml:3: alerts.continued_every: "1s" is too short, must be a duration such as "30s", "15m", "2h" or "90d", from 1m to 3650d`,
      "rollcall.toml:4: alerts.continued_max: -1 is out of range, must be a whole number from 0 to 1000",
    ],
  },
  {
    title: "R38: rotas without turns, of unknown and nested names, without a time, and with what is not theirs",
    toml: `[destinations.oncall]
type = "rota"
turns = []
since = "2026-11-30T09:00"
[destinations.second]
type = "rota"
turns = ["phone", "phnoe", "oncall"]
since = "Monday"
[destinations.third]
type = "rota"
answers = "Ada"
url = "https://example.org"
[destinations.phone]
type = "discord"
url = "https://example.org"
turns = ["oncall"]`,
    faults: [
      "rollcall.toml:3: destinations.oncall.turns: is empty, must be a list of names of destinations",
      'rollcall.toml:7: destinations.second.turns[1]: "phnoe" is not a destination, did you mean "phone"?',
      'rollcall.toml:7: destinations.second.turns[2]: "oncall" is a rota too, must be a destination that sends',
      'rollcall.toml:8: destinations.second.since: "Monday" is no time, must be a time in the server\'s zone, such as "2026-11-30T09:00"',
      'rollcall.toml:9: destinations.third.turns: is missing, must be given for type "rota"',
      'rollcall.toml:9: destinations.third.since: is missing, must be given for type "rota"',
      'rollcall.toml:11: destinations.third.answers: is not for type "rota", must stand with its turns',
      'rollcall.toml:12: destinations.third.url: is not for type "rota", must be one of turns, since',
      'rollcall.toml:16: destinations.phone.turns: is not for type "discord", must be one of url',
    ],
  },
  {
    title: "a destination without a type",
    toml: `[destinations.ops]
url = "https://example.org"`,
    faults: [
      "rollcall.toml:1: destinations.ops.type: is missing, must be email, slack, discord, teams, googlechat, ntfy, telegram, gotify, pushover, matrix, signal, zulip, twilio, apprise, pagerduty, opsgenie, webhook, http, mqtt, webpush, command or rota",
    ],
  },
  {
    title: "R37: chats without their address, and with keys they have not",
    toml: `[destinations.a]
type = "slack"
[destinations.b]
type = "discord"
url = "discord.com/api/webhooks/1/hunter2"
[destinations.c]
type = "teams"
url = "https://flow.example.org/hunter2"
token = "hunter2"`,
    faults: [
      `rollcall.toml:1: destinations.a.url: is missing, must be given for type "slack"`,
      "rollcall.toml:5: destinations.b.url: is not an http(s) URL, must begin with http:// or https:// and hold no user name or password",
      `rollcall.toml:9: destinations.c.token: is not for type "teams", must be one of url`,
    ],
  },
  {
    title: "R37: a key that no destination has is told of the keys of its type, and of all where the type is none",
    toml: `[destinations.phone]
type = "ntfy"
url = "https://ntfy.example.org"
topic = "cron"
colour = "red"
tokne_file = "ntfy.token"
[destinations.ops]
type = "nfty"
colour = "red"`,
    faults: [
      "rollcall.toml:5: destinations.phone.colour: is unknown, must be one of type, url, url_file, topic, topic_file, token, token_file, severity, environments, quiet, urgent, after, answers",
      'rollcall.toml:6: destinations.phone.tokne_file: is unknown, did you mean "token_file"?',
      expect.stringContaining('rollcall.toml:8: destinations.ops.type: "nfty" is not known'),
      expect.stringMatching(
        /rollcall.toml:9: destinations.ops.colour: is unknown, must be one of type, .*integration_key/,
      ),
    ],
  },
  {
    title: "R37: a destination of an unknown type",
    toml: `[destinations.ops]
type = "pigeon"
token = "x"`,
    faults: [
      `rollcall.toml:2: destinations.ops.type: "pigeon" is not known, must be email, slack, discord, teams, googlechat, ntfy, telegram, gotify, pushover, matrix, signal, zulip, twilio, apprise, pagerduty, opsgenie, webhook, http, mqtt, webpush, command or rota`,
    ],
  },
  {
    title: "R37: a destination of a misspelled type",
    toml: `[destinations.ops]
type = "mail"
to = ["ada@example.org"]`,
    faults: [`rollcall.toml:2: destinations.ops.type: "mail" is not known, did you mean "email"?`],
  },
  {
    title: "R37: a webhook without its address and secret",
    toml: `[destinations.ops]
type = "webhook"`,
    faults: [
      `rollcall.toml:1: destinations.ops.url: is missing, must be given for type "webhook"`,
      `rollcall.toml:1: destinations.ops.secret: is missing, must be given for type "webhook"`,
    ],
  },
  {
    title: "R40: webhooks whose address or secret is none",
    toml: `[destinations.a]
type = "webhook"
url = "file:///etc/passwd"
secret = "hunter2"
[destinations.b]
type = "webhook"
url = "https://ada:hunter2@example.org"
secret = "whsec_c2hvcnQ="`,
    faults: [
      "rollcall.toml:3: destinations.a.url: is not an http(s) URL, must begin with http:// or https:// and hold no user name or password",
      `rollcall.toml:4: destinations.a.secret: is not a webhook secret, must be "whsec_" and the base64 of 24 to 64 random bytes`,
      "rollcall.toml:7: destinations.b.url: holds a user name or password, must begin with http:// or https:// and hold no user name or password",
      `rollcall.toml:8: destinations.b.secret: is not a webhook secret, must be "whsec_" and the base64 of 24 to 64 random bytes`,
    ],
  },
  {
    title: "a key of another type of destination",
    toml: `[destinations.ops]
type = "webhook"
url = "https://example.org"
secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
to = ["a@example.org"]
[destinations.post]
type = "email"
to = ["a b@example.org"]
url_file = "secret"`,
    faults: [
      `rollcall.toml:5: destinations.ops.to: is not for type "webhook", must be one of url, secret`,
      `rollcall.toml:7: destinations.post.type: "email" cannot send, must have [smtp], or a server that \`rollcall config set --mail\` keeps`,
      `rollcall.toml:8: destinations.post.to[0]: "a b@example.org" is not a mail address, must be one plain address such as "ada@example.org"`,
      "rollcall.toml:9: destinations.post.url: is not an http(s) URL, must begin with http:// or https:// and hold no user name or password",
      `rollcall.toml:9: destinations.post.url_file: is not for type "email", must be one of to`,
    ],
  },
]);

test("an address with a domain in another script is taken, in the form that mail servers know", () => {
  const toml = `[smtp]
host = "mail.example.org"
from = "Cron <cron@b\u00fccher.example>"
[team]
members = [{ email = "ada@m\u00fcnchen.example" }]`;
  const { smtp, team } = configIn(withToml(toml));
  expect(smtp?.from).toEqual({ name: "Cron", address: "cron@xn--bcher-kva.example" });
  expect(team.members.map(({ email }) => email)).toEqual(["ada@xn--mnchen-3ya.example"]);
  for (const odd of [
    "ada@m\u00fcn/chen.example",
    "ada@m\u00fcn@chen.example",
    "\u00e4da@example.org",
    "a@\u00fc b.example",
  ])
    expect(faultsIn(withToml(`[team]\nmembers = [{ email = "${odd}" }]`)).join()).toContain("is not a mail address");
});
