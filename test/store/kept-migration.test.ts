// R31: what operations kept before it was kept as TOML, brought to the present: each kind of it, values that TOML
// quotes or types, and who is told by default.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readSection, writeSection } from "../../src/config/kept-toml.ts";
import { readToml } from "../../src/config/toml.ts";
import { MIGRATIONS } from "../../src/store/file/migrations.ts";

const PLACE = MIGRATIONS.findIndex(({ name }) => name === "0059_kept_toml");

/** What is kept now of these tables, which were kept in this order; by name. */
function broughtUp(tables: Readonly<Record<string, object>>): Readonly<Record<string, string>> {
  using database = new Database(":memory:", { strict: true });
  for (const { sql } of MIGRATIONS.slice(0, PLACE)) database.run(sql);
  const insert = database.query("INSERT INTO kept_tables (path, settings, added_at) VALUES (?, ?, ?)");
  for (const [place, [path, settings]] of Object.entries(tables).entries())
    insert.run(path, JSON.stringify(settings), place);
  database.run(MIGRATIONS[PLACE]!.sql);
  expect(database.query("SELECT name FROM sqlite_schema WHERE name = 'kept_tables'").get()).toBeNull();
  const rows = database.query<{ name: string; toml: string }, []>(
    "SELECT name, toml FROM kept ORDER BY added_at, name",
  );
  return Object.fromEntries(rows.all().map(({ name, toml }) => [name, toml]));
}

test("each kind of piece has its name and its place", () => {
  const kept = broughtUp({
    "destinations.phone": { type: "ntfy", url: "https://ntfy.example", topic: "t" },
    "destinations.destinations": { type: "email", to: " ada@example.org, ben@example.org" },
    "destinations.oncall": { type: "rota", turns: "phone,chat", since: "2026-11-30T09:00" },
    "team.members.ada@example.org": { name: "Ada", email: "Ada@example.org", events: "Recovered" },
    "team.destinations": { "": "phone,oncall" },
    "applications.web.destinations": { "": "phone" },
    "applications.web.monitors.backup.destinations": { "": "phone,destinations" },
    'applications.web.monitors."a.b \\"c\\".monitors.x".destinations': { "": "phone" },
    "applications.web.status_page": { token: "t".repeat(30), jobs: "*", messages: "true", title: "x, y" },
    "server.timezone": { "": "Europe/Berlin" },
    "server.public_url": { "": "https://cron.example.org" },
    smtp: { host: "mail.example.org", port: "0465", username: "u", password: "p, q" },
  });
  expect(kept).toEqual({
    "destination phone": '[destinations.phone]\ntype = "ntfy"\nurl = "https://ntfy.example"\ntopic = "t"\n',
    "destination destinations":
      '[destinations.destinations]\ntype = "email"\nto = ["ada@example.org", "ben@example.org"]\n',
    "destination oncall":
      '[destinations.oncall]\ntype = "rota"\nturns = ["phone", "chat"]\nsince = "2026-11-30T09:00"\n',
    "member ada@example.org": '[[team.members]]\nname = "Ada"\nemail = "Ada@example.org"\nevents = ["Recovered"]\n',
    route: '[team]\ndestinations = ["phone", "oncall"]\n',
    "route web": '[applications.web]\ndestinations = ["phone"]\n',
    "route web/backup": '[applications.web.monitors."backup"]\ndestinations = ["phone", "destinations"]\n',
    'route web/a.b "c".monitors.x': '[applications.web.monitors."a.b \\"c\\".monitors.x"]\ndestinations = ["phone"]\n',
    "status-page web": `[applications.web.status_page]\ntoken = "${"t".repeat(30)}"\njobs = ["*"]\nmessages = true\ntitle = "x, y"\n`,
    "server timezone": '[server]\ntimezone = "Europe/Berlin"\n',
    "server url": '[server]\npublic_url = "https://cron.example.org"\n',
    "server mail": '[smtp]\nhost = "mail.example.org"\nport = 465\nusername = "u"\npassword = "p, q"\n',
  });
  for (const [name, toml] of Object.entries(kept))
    expect(writeSection(readSection({ name, toml }))).toBe(toml.replace('."backup"', ".backup"));
});

test("a text is the same, whatever stands in it", () => {
  const odd = "a\"b\\c\u007f\n\t\u0001é\u{1f600}'#";
  const kept = broughtUp({ "destinations.odd": { type: "http", url: "https://h.example", body: odd, headers: "" } });
  const toml = kept["destination odd"]!;
  expect(readToml(toml, () => ({ file: "", line: null }))).toHaveProperty("kind", "table");
  expect(readSection({ name: "destination odd", toml }).settings).toMatchObject({ body: odd, headers: "" });
});

test("what was told by default, and stood nowhere, is a list; an empty list stays one", () => {
  const phone = { "destinations.zed": { type: "slack" }, "destinations.phone": { type: "slack" } };
  expect(broughtUp(phone)["route"]).toBe('[team]\ndestinations = ["zed", "phone"]\n');
  expect(broughtUp({ ...phone, "team.destinations": { "": "" } })["route"]).toBe("[team]\ndestinations = []\n");
  expect(broughtUp({ "server.timezone": { "": "UTC" } })["route"]).toBeUndefined();
});
