// The settings in force on the dashboard: for administrators of everything alone, as text, and readable on a phone.

import { describe, expect, test } from "bun:test";
import { changedSettings } from "../../src/config/reloadable.ts";
import type { OnDisk } from "../../src/web/settings/setting.ts";
import type { Viewer } from "../../src/web/viewer.ts";
import { loadIn, withToml } from "../support/config-world.ts";
import { createRecordingEngine } from "../support/http-engine.ts";
import { startPages } from "../support/pages.ts";
import { browserCommand, faultsOfPages } from "./browser.ts";

const HOSTILE = `<script>document.title="owned"</script>\u202e${"x".repeat(120)}`;

const ADA: Viewer = { id: 1, name: "Ada", role: "admin", applications: null, sessionId: 1, address: "127.0.0.1" };

function startSettings(
  changes: Partial<Viewer> = {},
  toml = `[team]\nname = ${JSON.stringify(HOSTILE.slice(0, 90))}\n`,
) {
  const loaded = loadIn(withToml(toml));
  if ("faults" in loaded) throw new Error(JSON.stringify(loaded.faults));
  return startPages(createRecordingEngine(), {
    viewer: { ...ADA, ...changes },
    inForce: { ...loaded, onDisk: () => ({ kind: "read", changes: [] }) },
  });
}

describe("the page of settings", () => {
  test("shows each with its value and where it comes from, as text", async () => {
    const pages = startSettings();
    const html = await (await fetch(`${pages.url}/settings`)).text();
    const text = html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    expect(text).toContain("1 setting chosen, all others by default.");
    expect(text).toContain("Read from rollcall.toml.");
    expect(text).toMatch(/listen Address and port; .*? 127\.0\.0\.1:8787 default/);
    expect(text).toContain("rollcall.toml:2");
    expect(html).not.toContain("<script>document");
    await pages.stop(0);
  });

  const written = (onDisk: OnDisk): Promise<string> => {
    const pages = startPages(createRecordingEngine(), { inForce: { settings: [], sources: [], onDisk: () => onDisk } });
    return fetch(`${pages.url}/settings`)
      .then((answer) => answer.text())
      .finally(() => pages.stop(0))
      .then((html) => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "));
  };

  test("says what a restart would change, with no secret in it", async () => {
    const before = loadIn(
      withToml(
        '[smtp]\nhost = "mail.example.org"\nfrom = "a@example.org"\nusername = "u"\npassword = "the first secret"\n',
      ),
    );
    const after = loadIn(
      withToml(
        `[smtp]\nhost = "mail.example.org"\nfrom = "a@example.org"\nusername = "u"\npassword = "the second secret"\n[team]\nname = ${JSON.stringify(HOSTILE.slice(0, 90))}\n`,
      ),
    );
    if ("faults" in before || "faults" in after) throw new Error(JSON.stringify([before, after]));
    const text = await written({ kind: "read", changes: changedSettings(before.settings, after.settings) });
    expect(text).toContain("2 settings written since and not in force: rollcall reload says which need a restart.");
    expect(text).toMatch(/smtp\.password a secret → a secret rollcall\.toml:5/);
    expect(text).toMatch(/team\.name left out → &lt;script&gt;/);
    expect(text).not.toMatch(/the (?:first|second) secret|<script>document/);
    expect(changedSettings(after.settings, after.settings)).toEqual([]);
    expect(changedSettings(after.settings, before.settings).map(({ key }) => key)).toEqual([
      "smtp.password",
      "team.name",
    ]);
  });

  test("says what is wrong with what is written, and that rollcall goes on", async () => {
    const text = await written({ kind: "faulty", faults: ["rollcall.toml:3: server.listn: is unknown <b>"] });
    expect(text).toContain("What is written now has 1 fault: rollcall would not start with it.");
    expect(text).toMatch(/rollcall\.toml:3: server\.listn: is unknown &lt;b&gt; .*goes on with what is in force/);
    expect(await written({ kind: "read", changes: [] })).toContain("What is written now is what is in force.");
  });

  test("of an installation without a file says so", async () => {
    const pages = startPages(createRecordingEngine());
    expect(await (await fetch(`${pages.url}/settings`)).text()).toContain("Every setting has its default.");
    await pages.stop(0);
  });

  test.each([
    ["a viewer", { role: "viewer" }],
    ["an operator", { role: "operator" }],
    ["an administrator of some applications", { applications: ["prod"] }],
  ] as const)("is not for %s, and the bar does not lead there", async (_, changes) => {
    const pages = startSettings(changes);
    const answer = await fetch(`${pages.url}/settings`);
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toMatch(/href="\/settings"|listen/);
    await pages.stop(0);
  });

  test.if(browserCommand !== null)("is accessible and fits its window", async () => {
    const pages = startSettings();
    try {
      expect(await faultsOfPages([`${pages.url}/settings`])).toEqual([]);
    } finally {
      await pages.stop(0);
    }
  });
});
