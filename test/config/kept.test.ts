// R31: what operations keep beside the configuration file, as TOML: how a section is written and read, and what it is
// beneath a file that has the same.

import { describe, expect, test } from "bun:test";
import { originOfSection, readSection, writeSection } from "../../src/config/kept-toml.ts";
import type { KeptSection } from "../../src/domain/settings/kept.ts";
import { configIn, faultsIn, loadIn, type World, withToml } from "../support/config-world.ts";

const textOf = (section: KeptSection) => ({ name: section.name, toml: writeSection(section) });

const ntfy = (name: string, more: KeptSection["settings"] = {}): KeptSection => ({
  name: `destination ${name}`,
  settings: { type: "ntfy", url: "https://ntfy.example", topic: "kept", ...more },
});

const route = (name: string, ...names: string[]): KeptSection => ({ name, settings: { destinations: names.join() } });

/** A fault fails the test. */
function soundIn(world: World) {
  const loaded = loadIn(world);
  if ("faults" in loaded) throw new Error(JSON.stringify(loaded.faults));
  return loaded;
}

const withKept = (toml: string, ...sections: KeptSection[]) => withToml(toml, { kept: sections.map(textOf) });

test.each<[KeptSection, string]>([
  [
    ntfy("phone", { topic: 'a"b\\\n\u007f' }),
    '[destinations.phone]\ntype = "ntfy"\nurl = "https://ntfy.example"\ntopic = "a\\"b\\\\\\n\\u007f"\n',
  ],
  [
    { name: "destination office", settings: { type: "email", to: "ada@example.org,ben@example.org" } },
    '[destinations.office]\ntype = "email"\nto = ["ada@example.org", "ben@example.org"]\n',
  ],
  [
    { name: "member ada@example.org", settings: { email: "Ada@example.org" } },
    '[[team.members]]\nemail = "Ada@example.org"\n',
  ],
  [
    { name: "status-page web", settings: { token: "t", messages: "false" } },
    '[applications.web.status_page]\ntoken = "t"\nmessages = false\n',
  ],
  [route("route", "phone", "chat"), '[team]\ndestinations = ["phone", "chat"]\n'],
  [route("route web"), "[applications.web]\ndestinations = []\n"],
  [route("route web/a.b/c", "phone"), '[applications.web.monitors."a.b/c"]\ndestinations = ["phone"]\n'],
  [{ name: "server timezone", settings: { timezone: "UTC" } }, '[server]\ntimezone = "UTC"\n'],
  [
    { name: "server mail", settings: { host: "h", port: "25", password: "1" } },
    '[smtp]\nhost = "h"\nport = 25\npassword = "1"\n',
  ],
])("a section is written as the file would have it, and is the same when it is read: %j", (section, toml) => {
  expect(writeSection(section)).toBe(toml);
  expect(readSection({ name: section.name, toml })).toEqual(section);
});

test("where secrets are hidden, each has a file of its own", () => {
  expect(writeSection(ntfy("phone", { token: "tk_1", severity: "critical" }), "hidden")).toBe(`[destinations.phone]
type = "ntfy"
url_file = "/etc/rollcall/phone-url"
topic_file = "/etc/rollcall/phone-topic"
token_file = "/etc/rollcall/phone-token"
severity = "critical"
`);
});

test("alone, sections are the same as a file of their texts", () => {
  const sections = [
    ntfy("phone", { token: "tk_1" }),
    { name: "member ada@example.org", settings: { name: "Ada", email: "ada@example.org" } },
    { name: "server mail", settings: { host: "127.0.0.1", port: "25", from: "rollcall <r@example.org>" } },
    { name: "status-page web", settings: { token: "t".repeat(40), jobs: "*,label:db", messages: "true" } },
    route("route", "email", "phone"),
    route("route web/backup", "phone"),
  ];
  const kept = soundIn(withKept("", ...sections));
  const file = soundIn(withToml(sections.map((section) => writeSection(section)).join("\n")));
  const withoutPlaces = ({ settings, config }: ReturnType<typeof soundIn>) => ({
    config,
    settings: settings.map((setting) => ({ ...setting, from: null })),
  });
  expect(withoutPlaces(kept)).toEqual(withoutPlaces(file));
});

describe("beneath a file", () => {
  test("a destination of the same name is the file's as a whole: no kept token goes to the url of the file", () => {
    const file = '[destinations.phone]\ntype = "ntfy"\nurl = "https://file.example"\ntopic = "file"\n';
    const { destinations } = configIn(withKept(file, ntfy("phone", { token: "tk_kept" })));
    expect(destinations.get("phone")).toMatchObject({ url: "https://file.example", topic: "file", token: null });
  });

  test("so are a status page, the server that takes mail, a member and a list", () => {
    const file = `[server]\ntimezone = "Asia/Tokyo"
[smtp]\nhost = "file.example"\nfrom = "r@file.example"
[team]\nmembers = [{ email = "ADA@example.org" }]
[applications.web]\ndestinations = []
[applications.web.status_page]\ntoken = "${"f".repeat(40)}"\njobs = ["*"]\n`;
    const config = configIn(
      withKept(
        file,
        { name: "server timezone", settings: { timezone: "UTC" } },
        { name: "server url", settings: { public_url: "https://cron.example.org" } },
        {
          name: "server mail",
          settings: { host: "kept.example", username: "u", password: "p", from: "r@kept.example" },
        },
        { name: "member ada@example.org", settings: { name: "Kept", email: "ada@example.org" } },
        { name: "member ben@example.org", settings: { email: "ben@example.org" } },
        { name: "status-page web", settings: { token: "k".repeat(40), jobs: "*", title: "Kept" } },
        route("route web", "email"),
      ),
    );
    expect(config.server).toMatchObject({ timezone: "Asia/Tokyo", publicUrl: "https://cron.example.org" });
    expect(config.smtp).toMatchObject({ host: "file.example", login: null });
    expect(config.team.members.map(({ name }) => name)).toEqual(["ADA@example.org", "ben@example.org"]);
    expect(config.statusPages).toMatchObject([{ token: "f".repeat(40), title: null }]);
    expect(config.applications.get("web")!.destinations).toEqual([]);
  });

  test("the team's list is joined to the file's, without names that are gone", () => {
    const file = '[team]\ndestinations = ["chat"]\n[destinations.chat]\ntype = "slack"\nurl = "https://chat.example"\n';
    const kept = [route("route", "chat", "gone", "phone"), ntfy("phone")];
    expect(configIn(withKept(file, ...kept)).team.destinations).toEqual(["chat", "phone"]);
    expect(configIn(withKept("", ...kept)).team.destinations).toEqual(["phone"]);
  });

  test("a list whose names are all gone silences nothing", () => {
    const config = configIn(withKept("[applications.web]\n", route("route web", "gone")));
    expect(config.applications.get("web")).not.toHaveProperty("destinations");
  });

  test("a fault of the file stays one, though something is kept in its place", () => {
    expect(faultsIn(withKept("server = 3\n", { name: "server timezone", settings: { timezone: "UTC" } }))).toEqual([
      "rollcall.toml:1: server: is a number, must be a table",
    ]);
  });

  test("who set it is a line of the file, or the command", () => {
    const file = '[team]\nmembers = [\n  { email = "ada@example.org" },\n]\n';
    const kept = [ntfy("phone"), { name: "member ada@example.org", settings: { email: "ada@example.org" } }];
    const { tree } = soundIn(withKept(file, ...kept));
    expect(originOfSection(tree, "member ada@example.org")).toBe("rollcall.toml:3");
    expect(originOfSection(tree, "destination phone")).toBe("rollcall destination add phone");
    expect(originOfSection(tree, "destination chat")).toBeNull();
  });
});

test("what is missing is a fault of the section, and so is a text that is no TOML", () => {
  expect(faultsIn(withKept("", { name: "destination phone", settings: { type: "ntfy", topic: "t" } }))).toEqual([
    'rollcall destination add phone: destinations.phone.url: is missing, must be given for type "ntfy"',
  ]);
  expect(faultsIn({ kept: [{ name: "route web", toml: "[applications.web\n" }] })).toEqual([
    expect.stringMatching(/^rollcall destination route --app web: TOML: /),
  ]);
});
