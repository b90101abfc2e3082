// The link of a first start, opened from another computer: by an address of this machine that is not its own loopback.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { openFolder } from "../support/executable.ts";

setDefaultTimeout(120_000);

const NEAR = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;

/** What a start at every address of this machine shows once, and its port. */
async function started(plain: string, more: Record<string, string> = {}) {
  const folder = openFolder({});
  const service = await folder.serve({
    ...{ ROLLCALL_SERVER__LISTEN: "0.0.0.0:0", ROLLCALL_SERVER__PLAIN_HTTP: plain, ...more },
  });
  const shown = readFileSync(join(folder.path, "data/first-key"), "utf8");
  return { folder, port: new URL(service.url).port, shown };
}

test.if(NEAR !== undefined)(
  "in a network that may speak plain HTTP, the link that is printed opens there",
  async () => {
    const { folder, port, shown } = await started("accept");
    await using _ = folder;
    const [, link = ""] = /From another computer of this network:\n\n {2}(\S+)\n/.exec(shown) ?? [];
    expect(link).toStartWith(`http://${NEAR}:${port}/sign-in/link/`);
    const opened = await fetch(link);
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining("Welcome to rollcall")]);
    const password = "long enough for anyone";
    const body = new URLSearchParams({ name: "Ada", password, again: password });
    const headers = { origin: `http://${NEAR}:${port}` };
    const signedIn = await fetch(link, { method: "POST", headers, body, redirect: "manual" });
    expect(signedIn.status).toBe(303);
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    const first = await fetch(`http://${NEAR}:${port}/`, { headers: { cookie }, redirect: "manual" });
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining("Ada")]);
  },
);

test("a container, whose address no other computer knows, names the command", async () => {
  const { folder, shown } = await started("accept", { container: "oci" });
  await using _ = folder;
  expect(shown).not.toContain("of this network");
  expect(shown).toContain("ssh -NL");
});

test.if(NEAR !== undefined)("else one command leads there, and without it the network is refused", async () => {
  const { folder, port, shown } = await started("loopback");
  await using _ = folder;
  expect(shown).toContain(`From another computer it opens while this runs there`);
  expect(shown).toContain(`\n  ssh -NL ${port}:127.0.0.1:${port} HOST\n`);
  const [, path = ""] = /http:\/\/127\.0\.0\.1:\d+(\/sign-in\/link\/\S+)/.exec(shown) ?? [];
  expect((await fetch(`http://${NEAR}:${port}${path}`)).status).toBe(403);
  expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
});
