// Sign-on by a header of a trusted proxy: off unless configured, and believed from nobody else.

import { describe, expect, test } from "bun:test";
import { PASSWORD, startPeople } from "../support/people-server.ts";
import { granted } from "../support/service.ts";

const PROXIED = { "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https" };
const HEADER = "Remote-User";

describe("a header that names a person", () => {
  test("signs them in for that request, with the role that they have here; what they do has their name", async () => {
    await using server = startPeople({}, HEADER);
    server.person("Ada", { role: "operator" });
    const browser = server.browser({ ...PROXIED, "remote-user": "Ada" });
    const account = await browser.get("/account");
    expect([account.status, browser.cookies.size]).toEqual([200, 0]);
    expect(account.text).toContain("the role operator");
    expect(account.text).toContain("A proxy has signed you in.");
    const refused = await browser.post("/account/password", { current: PASSWORD, password: PASSWORD, again: PASSWORD });
    expect(refused.status).toBe(403);
    expect((await browser.post("/account/sessions", { session: "others" })).status).toBe(403);
    expect(server.service.count("sessions")).toBe(0);
  });

  test.each([
    ["when it is not configured", null, { ...PROXIED, "remote-user": "Ada" }, ["127.0.0.0/8"]],
    ["of a program on this machine that is no proxy", HEADER, { "remote-user": "Ada" }, ["127.0.0.0/8"]],
    ["of a proxy that is not trusted", HEADER, { "remote-user": "Ada", via: "1.1 x" }, ["192.0.2.1/32"]],
    ["of somebody who is no person here", HEADER, { ...PROXIED, "remote-user": "Eve" }, ["127.0.0.0/8"]],
    ["that the client sent too", HEADER, { ...PROXIED, "remote-user": "Ada, Ada" }, ["127.0.0.0/8"]],
    ["that is empty", HEADER, { ...PROXIED, "remote-user": "" }, ["127.0.0.0/8"]],
    ["in letters that only count as the same", HEADER, { ...PROXIED, "remote-user": "ªdª" }, ["127.0.0.0/8"]],
    ["in other letters of the same name", HEADER, { ...PROXIED, "remote-user": "ada" }, ["127.0.0.0/8"]],
    ["with a hidden letter", HEADER, { ...PROXIED, "remote-user": "Ada%00" }, ["127.0.0.0/8"]],
  ])("is not believed %s", async (_which, header, headers, trustedProxies) => {
    await using server = startPeople({ trust: { plainHttp: "accept", trustedProxies } }, header);
    server.person("Ada");
    const browser = server.browser(headers as Record<string, string>);
    expect(await browser.get("/account")).toMatchObject({ status: 303, to: "/sign-in?to=%2Faccount" });
  });

  test("is believed with the proxy's secret alone, where one is set; the log counts who lacks it", async () => {
    const secret = "a secret that only the proxy has";
    await using server = startPeople({}, HEADER, null, secret);
    server.person("Ada");
    const named = { ...PROXIED, "remote-user": "Ada" };
    const lookWith = async (sent: Record<string, string>) =>
      (await server.browser({ ...named, ...sent }).get("/account")).status;
    expect(await lookWith({ "rollcall-proxy-secret": secret })).toBe(200);
    for (const wrong of [{}, { "rollcall-proxy-secret": "" }, { "rollcall-proxy-secret": `${secret}.` }])
      expect(await lookWith(wrong as Record<string, string>)).toBe(303);
    expect(server.service.logged).toContainEqual(
      expect.objectContaining({
        event: "proxy_secret_wrong",
        fields: expect.objectContaining({ client: "192.0.2.7" }),
      }),
    );
    expect(JSON.stringify(server.service.logged)).not.toContain(secret);
    // Without it one signs in as everybody does.
    const browser = server.browser({ ...named, "rollcall-proxy-secret": "wrong" });
    expect((await browser.post("/sign-in", { name: "Ada", password: PASSWORD })).status).toBe(303);
    expect((await browser.get("/account")).text).toContain("Where you are signed in");
  });

  test("forms of other sites are refused as ever", async () => {
    await using server = startPeople({}, HEADER);
    server.person("Ada");
    const browser = server.browser({ ...PROXIED, "remote-user": "Ada" });
    const forced = await browser.post("/account/sessions", { session: "others" }, { "sec-fetch-site": "cross-site" });
    expect(forced.status).toBe(403);
  });

  test("without it one signs in by password, and out again", async () => {
    await using server = startPeople({}, HEADER);
    server.person("Ada");
    const browser = server.browser(PROXIED);
    expect((await browser.post("/sign-in", { name: "Ada", password: PASSWORD })).status).toBe(303);
    expect((await browser.get("/account")).text).toContain("Where you are signed in");
    expect(granted(server.service.engine.operate("user list", {})).people).toMatchObject([{ sessions: 1 }]);
  });
});
