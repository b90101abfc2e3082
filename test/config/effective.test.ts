// The settings in force as people look at them: each with where its value comes from, and no secret.

import { describe, expect, test } from "bun:test";
import { loadIn, type World, withToml } from "../support/config-world.ts";

const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

function inForce(world: World) {
  const loaded = loadIn(world);
  if ("faults" in loaded) throw new Error(JSON.stringify(loaded.faults));
  return new Map(loaded.settings.map(({ key, value, secret, from }) => [key, { value, secret, from }]));
}

describe("the settings in force", () => {
  test("are the defaults where nothing was written", () => {
    const settings = inForce({});
    expect(settings.get("server.listen")).toEqual({ value: "127.0.0.1:8787", secret: false, from: null });
    expect(settings.get("server.public_url")).toEqual({ value: null, secret: false, from: null });
    expect([...settings.values()].filter(({ from }) => from !== null)).toEqual([]);
  });

  test("say which line or variable a value comes from; the variable wins", () => {
    const toml = '[server]\nlisten = "127.0.0.1:9000"\n[limits]\nv1_per_minute = 5\n';
    const settings = inForce(withToml(toml, { environment: { ROLLCALL_LIMITS__V1_PER_MINUTE: "30" } }));
    expect(settings.get("server.listen")).toMatchObject({ value: "127.0.0.1:9000", from: "rollcall.toml:2" });
    expect(settings.get("limits.v1_per_minute")).toMatchObject({
      value: "30",
      from: "ROLLCALL_LIMITS__V1_PER_MINUTE",
    });
  });

  test("have the directory that is really used", () => {
    const settings = inForce({ environment: { STATE_DIRECTORY: "/var/lib/rollcall" } });
    expect(settings.get("storage.directory")).toMatchObject({ value: "/var/lib/rollcall", from: "STATE_DIRECTORY" });
    expect(inForce({}).get("storage.directory")).toMatchObject({ value: "/home/ada/data", from: null });
  });

  test("name destinations, members and jobs by their place, with what was written of them", () => {
    const toml = `[team]
members = [{ name = "Ada", email = "ada@example.org" }]
[smtp]
host = "mail.example.org"
from = "cron@example.org"
[applications.prod.monitors.backup]
schedule = "0 2 * * *"
`;
    const settings = inForce(withToml(toml));
    expect(settings.get("team.members[0].email")).toMatchObject({ value: "ada@example.org", from: "rollcall.toml:2" });
    expect(settings.get("applications.prod.monitors.backup.schedule")).toMatchObject({ from: "rollcall.toml:7" });
    expect(settings.has("applications.prod.monitors.backup.timezone")).toBe(false);
  });

  test("hold no secret (R40), however it was given, and no token of an address", () => {
    const toml = `[smtp]
host = "mail.example.org"
from = "cron@example.org"
username = "ada"
password_file = "/run/smtp"
[destinations.hook]
type = "webhook"
url = "https://hooks.example.org/deeply-private"
secret = "${WEBHOOK_SECRET}"
[team.links]
logs = "https://logs.example.org/search?token=very-private"
`;
    const settings = inForce(withToml(toml, { files: { "/run/smtp": "most-private\n" } }));
    expect(settings.get("smtp.password")).toEqual({
      value: null,
      secret: true,
      from: "the file that rollcall.toml:5 names",
    });
    expect(settings.get("destinations.hook.url")).toEqual({ value: null, secret: true, from: "rollcall.toml:8" });
    expect(settings.get("team.links.logs")).toMatchObject({ value: "https://logs.example.org/search?…" });
    expect(JSON.stringify([...settings])).not.toMatch(/private|whsec_/);
  });
});
