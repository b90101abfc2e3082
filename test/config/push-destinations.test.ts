// Destinations that reach phones and pagers: what of them is read from the configuration, and what is refused.

import { expect, test } from "bun:test";
import { policyOf } from "../../src/config/policy.ts";
import { testFaultyFiles } from "../support/config-faults.ts";
import { configIn, withToml } from "../support/config-world.ts";

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
  const { destinations } = policyOf(configIn(withToml(PHONE + PAGER)));
  expect(destinations.get("pager")).toEqual({ takes: "incidents" });
  expect(destinations.get("phone")).toEqual({ takes: "messages" });
});

testFaultyFiles([
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
      `rollcall.toml:5: destinations.b.topic: is not for type "pagerduty", must be one of integration_key, region, url`,
    ],
  },
]);
