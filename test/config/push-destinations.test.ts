// Destinations that reach phones and pagers: what of them is read from the configuration, and what is refused.

import { expect, test } from "bun:test";
import { CHANNEL_KEYS, CHANNELS, meaningFor, NEEDED } from "../../src/config/channel-keys.ts";
import { annotationsOf } from "../../src/config/kinds.ts";
import { policyOfConfig } from "../../src/config/read-policy.ts";
import { TEMPLATE_FIELDS } from "../../src/domain/wording/template.ts";
import { testFaultyFiles } from "../support/config-faults.ts";
import { configIn, faultsIn, withToml } from "../support/config-world.ts";

const KEY = "e93facc04764012d7bfb002500d5d1a6";

const PHONE = `[destinations.phone]
type = "ntfy"
url = "https://ntfy.example.org/"
topic = "backups_3f9c-2A"
`;

const PAGER = `[destinations.pager]
type = "pagerduty"
integration_key = "${KEY}"
`;

const destinationsIn = (toml: string, files = {}) => configIn(withToml(toml, { files })).destinations;

test("ntfy has a server and a topic, perhaps a token; PagerDuty a key, perhaps a region and an address", () => {
  const bare = destinationsIn(PHONE + PAGER);
  expect(bare.get("phone")).toEqual({
    type: "ntfy",
    name: "phone",
    url: "https://ntfy.example.org/",
    topic: "backups_3f9c-2A",
    token: null,
  });
  expect(bare.get("pager")).toEqual({
    type: "pagerduty",
    name: "pager",
    integrationKey: KEY,
    signingSecret: null,
    region: "us",
    url: null,
  });
  const full = destinationsIn(`${PAGER}region = "eu"\nurl = "http://127.0.0.1:9/v2/enqueue"\n${PHONE}token = "tk_a1"`);
  expect(full.get("phone")).toMatchObject({ token: "tk_a1" });
  expect(full.get("pager")).toMatchObject({ region: "eu", url: "http://127.0.0.1:9/v2/enqueue" });
});

test("their secrets may stand in files", () => {
  const files = { "/c/topic": "backups\n", "/c/token": "tk_a1\n", "/c/key": `${KEY}\n` };
  const toml = `[destinations.phone]
type = "ntfy"
url = "http://[::1]:2586"
topic_file = "/c/topic"
token_file = "/c/token"
[destinations.pager]
type = "pagerduty"
integration_key_file = "/c/key"`;
  const destinations = destinationsIn(toml, files);
  expect(destinations.get("phone")).toMatchObject({ topic: "backups", token: "tk_a1" });
  expect(destinations.get("pager")).toMatchObject({ integrationKey: KEY });
});

test("R40: logs hide addresses, tokens and keys, and not a topic, which may be any word", () => {
  const config = configIn(withToml(`${PHONE}token = "tk_a1"\n${PAGER}url = "https://relay.example.org/x"`));
  expect(config.secrets).toEqual(new Set(["https://ntfy.example.org/", "tk_a1", KEY, "https://relay.example.org/x"]));
  expect(configIn(withToml(PHONE + PAGER)).secrets).toEqual(new Set(["https://ntfy.example.org/", KEY]));
});

test("R23: routing knows which of them keeps incidents of its own", () => {
  const { destinations } = policyOfConfig(configIn(withToml(PHONE + PAGER)));
  expect(destinations.get("pager")).toEqual({ takes: "incidents" });
  expect(destinations.get("phone")).toEqual({ takes: "messages" });
});

test("R40: of every type the secrets are known, and may stand in files; an address of a service may be left out", () => {
  const written = Object.entries(WRITTEN).map(([type, keys]) => `[destinations.${type}]\ntype = "${type}"\n${keys}`);
  const files = { "/c/token": "12:to_k-en\n", "/c/user": "us3r\n" };
  const config = configIn(withToml(written.join("\n"), { files }));
  expect(
    Object.fromEntries([...config.destinations].map(([type, { name: _, ...settings }]) => [type, settings])),
  ).toEqual({
    telegram: { type: "telegram", token: "12:to_k-en", chat: "-100123", url: "https://api.telegram.org" },
    gotify: { type: "gotify", url: "https://gotify.example.org", token: "12:to_k-en" },
    pushover: { type: "pushover", token: "12:to_k-en", user: "us3r", url: "https://api.pushover.net" },
    matrix: { type: "matrix", url: "https://m.example.org", token: "12:to_k-en", chat: "!a:m.example.org" },
    signal: { type: "signal", url: "http://127.0.0.1:8080", from: "+491", chat: "+492" },
    googlechat: { type: "googlechat", url: "https://chat.example.org/?key=k" },
    zulip: { type: "zulip", url: "https://z.example.org", user: "us3r", token: "12:to_k-en", chat: "cron jobs" },
    opsgenie: { type: "opsgenie", token: "12:to_k-en", region: "eu", url: null },
    apprise: { type: "apprise", url: "http://127.0.0.1:8000/notify/k", chat: null },
    twilio: {
      type: "twilio",
      user: "us3r",
      token: "12:to_k-en",
      from: "+491",
      chat: "+492",
      url: "https://api.twilio.com",
    },
  });
  expect([...config.secrets].filter((secret) => !secret.startsWith("http"))).toEqual(["12:to_k-en", "us3r"]);
});

const TOKEN_FILE = 'token_file = "/c/token"';
const USER_FILE = 'user_file = "/c/user"';

const WRITTEN: Readonly<Record<string, string>> = {
  telegram: `${TOKEN_FILE}\nchat = "-100123"`,
  gotify: `url = "https://gotify.example.org"\n${TOKEN_FILE}`,
  pushover: `${TOKEN_FILE}\n${USER_FILE}`,
  matrix: `url = "https://m.example.org"\n${TOKEN_FILE}\nchat = "!a:m.example.org"`,
  signal: 'url = "http://127.0.0.1:8080"\nfrom = "+491"\nchat = "+492"',
  googlechat: 'url = "https://chat.example.org/?key=k"',
  zulip: `url = "https://z.example.org"\n${USER_FILE}\n${TOKEN_FILE}\nchat = "cron jobs"`,
  opsgenie: `${TOKEN_FILE}\nregion = "eu"`,
  apprise: 'url = "http://127.0.0.1:8000/notify/k"',
  twilio: `${USER_FILE}\n${TOKEN_FILE}\nfrom = "+491"\nchat = "+492"`,
};

test("every type names each key that it lacks, and no other", () => {
  for (const [type, { keys }] of Object.entries(CHANNELS)) {
    if (type === "email" || type === "webpush") continue;
    const needed = Object.entries(keys).flatMap(([key, value]) => (value === NEEDED ? [key] : []));
    expect(needed.length).toBeGreaterThan(0);
    expect(
      faultsIn(withToml(`[destinations.x]\ntype = "${type}"`))
        .map((fault) => fault.split(": ")[1])
        .sort(),
    ).toEqual(needed.map((key) => `destinations.x.${key}`).sort());
  }
});

test("MQTT has a broker, perhaps a login, and topics that begin with rollcall; no other type takes its addresses", () => {
  const toml = '[destinations.home]\ntype = "mqtt"\nurl = "mqtts://broker.example.org"';
  const bare = {
    type: "mqtt" as const,
    name: "home",
    url: "mqtts://broker.example.org",
    username: null,
    password: null,
  };
  expect(destinationsIn(toml).get("home")).toEqual({ ...bare, topic: "rollcall" });
  const config = configIn(withToml(`${toml}\nusername = "rollcall"\npassword = "hunter22!"\ntopic = "home"`));
  expect(config.secrets).toEqual(new Set(["mqtts://broker.example.org", "hunter22!"]));
  const faults = (url: string, type: string) =>
    faultsIn(withToml(`[destinations.home]\ntype = "${type}"\nurl = "${url}"`));
  expect(faults("https://broker.example.org", "mqtt")).toEqual([
    "rollcall.toml:3: destinations.home.url: is not an mqtt(s) URL, must begin with mqtt:// or mqtts://",
  ]);
  expect(faults("mqtt://ada:hunter22@broker.example.org", "mqtt")).toEqual([
    expect.stringContaining("destinations.home.url: holds a user name or password, must begin with http://"),
  ]);
  expect(faults("mqtt://broker.example.org", "slack")).toEqual([
    "rollcall.toml:3: destinations.home.url: is not an http(s) URL, must begin with http:// or https://",
  ]);
});

test("R31: a program stands in the configuration alone, whatever is kept in the database", () => {
  const toml = '[destinations.own]\ntype = "command"\nprogram = "/usr/local/bin/page"';
  expect(destinationsIn(toml).get("own")).toEqual({ type: "command", name: "own", program: "/usr/local/bin/page" });
  expect(faultsIn(withToml(toml.replace("/usr", "usr")))).toEqual([
    'rollcall.toml:3: destinations.own.program: "usr/local/bin/page" is not an absolute path, must be the absolute path of a program',
  ]);
  expect(faultsIn({ kept: [{ name: "destination own", toml }] })).toEqual([
    'rollcall destination add own: destinations.own.type: "command" says what runs on this computer, must stand in the configuration file, which no operation writes',
  ]);
});

test("R40: a template may stand in a file; of headers each line and each value is known as a secret", () => {
  const toml =
    '[destinations.own]\ntype = "http"\nurl = "https://example.org/x"\nheaders_file = "/c/h"\nbody_file = "/c/b"';
  const config = configIn(
    withToml(toml, { files: { "/c/h": "Authorization: Bearer tk_1\nX-Key: k2\n", "/c/b": '{"a": "{{title}}"}\n' } }),
  );
  expect(config.destinations.get("own")).toEqual({
    type: "http",
    name: "own",
    url: "https://example.org/x",
    method: "POST",
    headers: "Authorization: Bearer tk_1\nX-Key: k2",
    format: "json",
    body: '{"a": "{{title}}"}',
    answer: null,
  });
  expect([...config.secrets].sort()).toEqual([
    "Authorization: Bearer tk_1",
    "Bearer tk_1",
    "X-Key: k2",
    "https://example.org/x",
    "k2",
  ]);
});

test("R40: a header's everyday value is no secret, and one without a space before its value is", () => {
  const headers = "Content-Type: application/json\\nX-Priority: high\\nX-Key:k2-hidden";
  const toml = `[destinations.own]\ntype = "http"\nurl = "https://example.org/x"\nheaders = "${headers}"`;
  const secrets = [...configIn(withToml(toml)).secrets].sort();
  expect(secrets).toEqual(["X-Key:k2-hidden", "https://example.org/x", "k2-hidden"]);
});

testFaultyFiles([
  {
    title: "a template that cannot be filled, an address with another, and headers that frame the request",
    toml: `[destinations.a]
type = "http"
url = "https://example.org/{{nmae}}"
[destinations.b]
type = "http"
url = "https://example.org"
format = "xml"
headers = "Content-Length: 5"
body = '{"a": {{title}}}'`,
    faults: [
      `rollcall.toml:3: destinations.a.url: has the unknown name "nmae", must be a template of the names ${TEMPLATE_FIELDS.join(", ")}`,
      `rollcall.toml:7: destinations.b.format: "xml" is not known, must be json, form or text`,
      `rollcall.toml:8: destinations.b.headers: is not a list of headers, must be lines such as "Authorization: Bearer …", of headers that do not frame the request`,
      `rollcall.toml:9: destinations.b.body: is not JSON once the names are replaced, must be a template of the names ${TEMPLATE_FIELDS.join(", ")}`,
    ],
  },
  {
    title: "a room of Matrix by its name, and a number of another kind",
    toml: `[destinations.a]
type = "matrix"
url = "https://matrix.example.org"
token = "syt_a"
chat = "#ops:matrix.example.org"
[destinations.b]
type = "telegram"
token = "12:ab"
chat = -100123
[destinations.c]
type = "telegram"
token = "12:ab"
chat = "-100123/ops"`,
    faults: [
      `rollcall.toml:5: destinations.a.chat: is not the id of a room, must begin with "!", as in the room's "Advanced" settings`,
      `rollcall.toml:9: destinations.b.chat: is a number, must be a text of 1 to 200 characters on one line`,
      `rollcall.toml:13: destinations.c.chat: is no chat of Telegram, must be its number or @name, and of a topic a slash and its number behind it, such as "-1001234567890/45"`,
    ],
  },
  {
    title: "ntfy without a server and a topic, PagerDuty without a key",
    toml: `[destinations.a]
type = "ntfy"
[destinations.b]
type = "pagerduty"`,
    faults: [
      `rollcall.toml:1: destinations.a.url: is missing, must be given for type "ntfy"`,
      `rollcall.toml:1: destinations.a.topic: is missing, must be given for type "ntfy"`,
      `rollcall.toml:3: destinations.b.integration_key: is missing, must be given for type "pagerduty"`,
    ],
  },
  {
    title: "a topic or token that ntfy could not take, without repeating it",
    toml: `[destinations.a]
type = "ntfy"
url = "https://ntfy.example.org"
topic = "hunter2/x"
token = "tk_hunter2 x"`,
    faults: [
      `rollcall.toml:4: destinations.a.topic: is not a topic, must be 1 to 64 of "a-z", "A-Z", "0-9", "-" and "_"`,
      `rollcall.toml:5: destinations.a.token: is not an access token, must be an access token such as "tk_…"`,
    ],
  },
  {
    title: "a host that a job would choose",
    toml: `[destinations.a]
type = "http"
url = "https://{{message}}/x"`,
    faults: [
      `rollcall.toml:3: destinations.a.url: has {{ }} before the slash behind its host, must name its host in full, as in "https://api.example.org/jobs/{{key}}"`,
    ],
  },
  {
    title: "a host whose slash is forgotten",
    toml: `[destinations.a]
type = "http"
url = "https://api.example.org{{key}}"`,
    faults: [
      `rollcall.toml:3: destinations.a.url: has {{ }} before the slash behind its host, must name its host in full, as in "https://api.example.org/jobs/{{key}}"`,
    ],
  },
  {
    title: "a host behind a section",
    toml: `[destinations.a]
type = "http"
url = "https://{{#trouble}}a{{/trouble}}.example.org/x"`,
    faults: [
      `rollcall.toml:3: destinations.a.url: has {{ }} before the slash behind its host, must name its host in full, as in "https://api.example.org/jobs/{{key}}"`,
    ],
  },
  {
    title: "a host without a slash before its query",
    toml: `[destinations.a]
type = "http"
url = "https://api.example.org?x={{key}}"`,
    faults: [
      `rollcall.toml:3: destinations.a.url: has {{ }} before the slash behind its host, must name its host in full, as in "https://api.example.org/jobs/{{key}}"`,
    ],
  },
  {
    title: "a topic written into the server's address",
    toml: `[destinations.a]
type = "ntfy"
url = "https://ntfy.example.org/hunter2"
topic = "backups"`,
    faults: [
      `rollcall.toml:3: destinations.a.url: has more than a server's address, must be without a topic or path, such as "https://ntfy.example.org"`,
    ],
  },
  {
    title: "a key of another kind, a region that is none, and a key of another type",
    toml: `[destinations.b]
type = "pagerduty"
integration_key = "e+23hunter2sqESqk9Q6_-g"
region = "asia"
topic = "backups"`,
    faults: [
      `rollcall.toml:3: destinations.b.integration_key: is not an integration key, must be the 32 letters and digits of an integration of the kind "Events API v2"`,
      `rollcall.toml:4: destinations.b.region: "asia" is not known, must be us or eu`,
      `rollcall.toml:5: destinations.b.topic: is not for type "pagerduty", must be one of integration_key, signing_secret, region, url`,
    ],
  },
]);

test("what a key means is said of one type alone, where it means another thing for each", () => {
  const of = (key: "chat" | "token" | "url" | "to", type: string) =>
    meaningFor(type, annotationsOf(CHANNEL_KEYS[key]).meaning ?? "");
  expect(of("chat", "telegram")).toBe(
    "The number of the chat, which getUpdates shows, and for a topic a / and its number behind that.",
  );
  expect(of("chat", "twilio")).toBe("The number that gets it.");
  expect(of("token", "ntfy")).toBe("An access token, left out when the server asks for none.");
  expect(of("to", "email")).toStartWith("E-mail: the addresses that get it.");
  // Else a type would show what it is not.
  for (const [type, { keys }] of Object.entries(CHANNELS))
    for (const key of ["url", "token", "user", "chat", "from"] as const)
      if (Object.hasOwn(keys, key))
        expect([type, meaningFor(type, annotationsOf(CHANNEL_KEYS[key]).meaning!)]).not.toEqual([
          type,
          annotationsOf(CHANNEL_KEYS[key]).meaning,
        ]);
});
