// R35: a report that is refused for its plain HTTP stands in the list of refused reports, by the network it came from.

import { expect, test } from "bun:test";
import { firstKeyOf, openFolder, report } from "../support/executable.ts";

test("R35: refused plain HTTP is counted by network in `monitor refused`, and in no application's", async () => {
  await using folder = openFolder({ "rollcall.toml": `[server]\nlisten = "127.0.0.1:0"\nplain_http = "refuse"\n` });
  const service = await folder.serve();
  const key = firstKeyOf(service);
  for (const _ of [1, 2, 3]) expect(await report(service, key, "backup", "/fail?schedule=0+2+*+*+*")).toBe(403);
  const { out: shown, err } = await folder.run(["monitor", "refused"]);
  expect(err).toBe("");
  expect(shown).toMatch(/ 3 .* 403 +plain HTTP from 127\.0\.0\.1: send over HTTPS, or set server\.plain_http\n$/);
  expect(JSON.parse((await folder.run(["monitor", "refused", "--json"])).out)).toMatchObject([
    { network: "127.0.0.1", times: 3, application: null, monitorKey: "", status: 403, error: "HTTPS_REQUIRED" },
  ]);
  const status = await folder.run(["status"]);
  expect(status.exitCode).toBe(1);
  expect(status.out).toContain("warning: 3 reports over plain HTTP from 127.0.0.1 were refused, the last at ");
  expect(JSON.parse((await folder.run(["status", "--json"])).out).plainHttp).toMatchObject([
    { network: "127.0.0.1", times: 3 },
  ]);
  const ofOne = await folder.run(["monitor", "refused", "--app", "default"]);
  expect(ofOne.out + ofOne.err).not.toContain("plain HTTP");
});
