// Destinations that commands add, end to end: tried before they are kept, kept over a restart, overruled by the
// configuration file, and removed.

import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { type HttpSink, startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(120_000);

const originOf = ({ url }: HttpSink): string => new URL(url).origin;

const TOPIC = "rollcall-3f9c2a7b51";

describe("R31: destinations that commands add", () => {
  test("one is kept once its test arrived; alerts go there, also after a restart; no command shows its secrets", async () => {
    await using ntfy = startHttpSink(() => Response.json({ id: "x" }));
    await using folder = openFolder({});
    let service = await folder.serve();
    const key = firstKeyOf(service);
    const token = "tk_averysecrettokenofthephone";
    const added = await folder.run([
      ...["destination", "add", "phone", "ntfy"],
      ...[`url=${originOf(ntfy)}`, `topic=${TOPIC}`, `token=${token}`],
    ]);
    expect(added).toMatchObject({ exitCode: 0, out: "added destination phone: its test arrived (HTTP 200 OK)\n" });
    expect(ntfy.requests).toHaveLength(1);
    expect(ntfy.requests[0]!.headers).toMatchObject({ authorization: `Bearer ${token}` });

    const fails = `/fail?schedule=0%202%20*%20*%20*&message=disk%20full`;
    await service.logged("reloaded", {});
    await report(service, key, "backup", fails);
    await until("message 2", () => ntfy.requests[1] ?? null);
    expect(ntfy.requests[1]!.body).toContain("disk full");

    await service.end("SIGTERM");
    service = await folder.serve();
    await report(service, key, "backup", "");
    await until("message 3", () => ntfy.requests[2] ?? null);

    // Its test arrived, past the outbox.
    expect((await folder.run(["advise"])).out).not.toContain("nothing has arrived");
    expect((await folder.run(["notify", "list", "--sent"])).out).toContain("phone");
    const shown = await folder.run(["notify", "render", "phone"]);
    expect([shown.exitCode, shown.err, shown.out]).toEqual([0, "", expect.stringMatching(/^POST /)]);
    expect(shown.out).not.toContain(token);

    const listed = await folder.run(["destination", "list"]);
    expect(listed.out).toContain("rollcall destination add");
    const audit = await folder.run(["audit"]);
    expect(audit.out).toContain("added a destination");
    const everything = [listed, audit].map(({ out, err }) => out + err).join("");
    for (const secret of [token, TOPIC]) expect(everything).not.toContain(secret);
    expect(service.out() + service.err()).not.toContain(token);
  });

  test("one whose test does not arrive, or whose settings are wrong, is not kept", async () => {
    await using ntfy = startHttpSink(() => new Response("no such thing", { status: 404 }));
    await using folder = openFolder({});
    await folder.serve();
    const add = (...words: string[]) => folder.run(["destination", "add", ...words]);
    expect(await add("phone", "ntfy", `url=${originOf(ntfy)}`, `topic=${TOPIC}`)).toMatchObject({
      exitCode: 1,
      out: "",
      err: expect.stringMatching(/^phone was not added, because its test did not arrive: HTTP 404/),
    });
    const refusals: [words: string[], err: RegExp][] = [
      [["phone", "nfty"], /type: "nfty" is not known, did you mean "ntfy"\?/],
      [["phone", "pigeon"], /type: "pigeon" is not known, must be email, slack/],
      [["phone", "ntfy", "url=https://ntfy.sh"], /topic: is missing, must be given for type "ntfy"/],
      [["phone", "ntfy"], /url: is missing, .*; topic: is missing, must be given for type "ntfy"/],
      [["phone", "ntfy", "https://ntfy.sh"], /settings: word 1 is not KEY=VALUE, such as url=https:\/\/ntfy\.sh/],
      [["phone", "ntfy", "url=https://a.example", "url=https://b.example"], /settings: url is given twice/],
      [["phone", "ntfy", "url=https://ntfy.sh", "topc=x"], /topc: is unknown/],
      [["email", "slack", "url=https://chat.example.org/x"], /name: "email" is the mail to the team's members/],
      [["My phone", "ntfy", "url=https://ntfy.sh", "topic=x"], /name: /],
      [
        ["own", "command", "program=/bin/true"],
        /type: "command" says what runs on this computer, must stand in the conf/,
      ],
      [
        ["office", "email", "to=ada@example.org"],
        /type: "email" cannot send, must have \[smtp\], or a server that `\S*rollcall config set --mail` keeps/,
      ],
    ];
    for (const [words, err] of refusals)
      expect(await add(...words)).toMatchObject({ exitCode: 1, out: "", err: expect.stringMatching(err) });
    expect((await folder.run(["destination", "kinds"])).out).not.toContain("command");
    expect(await folder.run(["destination", "list"])).toMatchObject({
      exitCode: 0,
      out: "",
      err: expect.stringContaining("there are no destinations"),
    });
    expect(await folder.run(["destination", "remove", "phone"])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('there is no destination "phone" that a command added'),
    });
  });

  test("a name that the configuration file has is the file's; what is kept counts again once the file lacks it", async () => {
    await using kept = startHttpSink(() => Response.json({ id: "x" }));
    await using written = startHttpSink(() => Response.json({ id: "x" }));
    await using folder = openFolder({});
    const service = await folder.serve();
    const key = firstKeyOf(service);
    await folder.run(["destination", "add", "phone", "ntfy", `url=${originOf(kept)}`, `topic=${TOPIC}`]);
    const file = join(folder.path, "rollcall.toml");
    const own = (url: string) =>
      `[team]\ndestinations = ["phone"]\n[destinations.phone]\ntype = "ntfy"\nurl = "${url}"\ntopic = "of-the-file"\n`;
    writeFileSync(file, own(originOf(written)));
    expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
    await report(service, key, "backup", "/fail?schedule=0%202%20*%20*%20*");
    await until("message 1", () => written.requests[0] ?? null);
    expect(kept.requests).toHaveLength(1);
    expect(await folder.run(["destination", "add", "phone", "ntfy", "url=https://x.example", "topic=y"])).toMatchObject(
      {
        exitCode: 1,
        err: expect.stringMatching(/name: "phone" stands in the configuration \(rollcall\.toml:4\), and that wins/),
      },
    );
    expect((await folder.run(["destination", "list"])).out).toContain(
      "not in force: the configuration has one of this",
    );

    writeFileSync(file, "");
    expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
    await report(service, key, "backup", "");
    await until("message 2", () => kept.requests[1] ?? null);
    expect(await folder.run(["destination", "remove", "phone", "--yes"])).toMatchObject({
      exitCode: 0,
      out: "removed destination phone\n",
      err: "alerts have nowhere to go by default now\n",
    });
    expect(readFileSync(file, "utf8")).toBe("");
  });

  test("a file that never ends is refused, and stops nothing", async () => {
    await using folder = openFolder({});
    await folder.serve();
    const large = join(folder.path, "large");
    writeFileSync(large, "x".repeat(65_537));
    for (const path of ["/dev/zero", folder.path, large])
      expect(await folder.run(["destination", "add", "chat", "slack", `url_file=${path}`])).toMatchObject({
        exitCode: 1,
        err: "url_file: is not a file of at most 64 KiB, must hold the secret alone\n",
      });
  });

  test("they stay when [smtp] comes without members of the team; one of e-mail needs none", async () => {
    await using ntfy = startHttpSink(() => Response.json({ id: "x" }));
    await using folder = openFolder({});
    let service = await folder.serve();
    const key = firstKeyOf(service);
    await folder.run(["destination", "add", "phone", "ntfy", `url=${originOf(ntfy)}`, `topic=${TOPIC}`]);
    const smtp = '[smtp]\nhost = "127.0.0.1"\nport = 2599\nsecurity = "none"\nfrom = "rollcall@example.org"\n';
    writeFileSync(join(folder.path, "rollcall.toml"), smtp);
    expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
    const office = ["destination", "add", "office", "email", "to=ada@example.org", "--untested"];
    expect(await folder.run(office)).toMatchObject({ exitCode: 0 });

    await service.end("SIGTERM");
    service = await folder.serve();
    const listed = await folder.run(["destination", "list"]);
    expect(listed.out).not.toContain("not in force");
    expect(listed.out).toContain("office");
    await report(service, key, "backup", "/fail?schedule=0%202%20*%20*%20*");
    await until("message 2", () => ntfy.requests[1] ?? null);

    writeFileSync(join(folder.path, "rollcall.toml"), "");
    expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
    await service.logged("kept_left_out", { name: "destination office" });
    const without = await folder.run(["destination", "list"]);
    expect(without.out).toMatch(
      /^office .* rollcall destination add office +not in force: the configuration no longer/m,
    );
    expect(await folder.run(["notify", "render", "phone"])).toMatchObject({ exitCode: 0, err: "" });
    expect(await folder.run(["notify", "render", "office"])).toMatchObject({
      exitCode: 1,
      err: 'destination: "office" is not configured; these are: phone\n',
    });
  });

  test("settings are changed once a test has arrived; what is not named stays, and another url needs secrets again", async () => {
    let takes = true;
    await using ntfy = startHttpSink(() =>
      takes ? Response.json({ id: "x" }) : new Response("no such thing", { status: 404 }),
    );
    await using folder = openFolder({});
    let service = await folder.serve();
    const token = "tk_averysecrettokenofthephone";
    const url = originOf(ntfy);
    await folder.run(["destination", "add", "phone", "ntfy", `url=${url}`, `topic=${TOPIC}`, `token=${token}`]);
    const set = (...words: string[]) => folder.run(["destination", "set", "phone", ...words]);
    expect(await set("topic=another-3f9c2a7b51")).toMatchObject({
      exitCode: 0,
      out: "changed destination phone: its test arrived (HTTP 200 OK)\n",
      err: "",
    });
    expect(ntfy.requests[1]!.headers).toMatchObject({ authorization: `Bearer ${token}` });
    expect(ntfy.requests[1]!.body).toContain("another-3f9c2a7b51");

    takes = false;
    expect(await set("topic=a-third")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("phone was not changed, because its test did not arrive: HTTP 404"),
    });
    for (const [words, err] of [
      [["topic="], /topic: is missing, must be given for type "ntfy"/],
      [["type=slack"], /settings: type is none of them/],
      [["to=ada@example.org"], /to: is not for type "ntfy"/],
      [[], /settings: none is given/],
    ] as [string[], RegExp][])
      expect(await set(...words)).toMatchObject({ exitCode: 1, out: "", err: expect.stringMatching(err) });
    expect(await folder.run(["destination", "set", "chat", "url=https://x.example"])).toMatchObject({
      exitCode: 1,
      err: 'name: there is no destination "chat" that a command added\n',
    });

    takes = true;
    const key = (await folder.run(["admin-key", "create", "--label", "laptop", "--scope", "admin"])).out.trim();
    const asked = (settings: string[]) =>
      fetch(`${service.url}/api/admin/v1/destination.set`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "phone", settings }),
      });
    const elsewhere = await asked(["url=https://elsewhere.example"]);
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      400,
      expect.stringContaining("token: is missing, must be given again, because with another url"),
    ]);
    expect((await asked(["token_file=/etc/hostname"])).status).toBe(400);

    writeFileSync(join(folder.path, "token"), "tk_fromafile\n");
    expect(await set("token_file=token")).toMatchObject({ exitCode: 0 });
    await service.end("SIGKILL");
    service = await folder.serve();
    expect(await folder.run(["notify", "test", "phone"])).toMatchObject({ exitCode: 0 });
    expect(ntfy.requests.at(-1)!.headers).toMatchObject({ authorization: "Bearer tk_fromafile" });
    expect(ntfy.requests.at(-1)!.body).toContain("another-3f9c2a7b51");
    expect((await folder.run(["audit"])).out).not.toContain("another-3f9c2a7b51");
    using database = new Database(join(folder.path, "data/rollcall.db"), { readonly: true });
    expect(JSON.stringify(database.query("select toml from kept").all())).toContain(join(folder.path, "token"));
  });

  test("one that the file no longer suits holds up no other, and the list says why it is left out", async () => {
    await using folder = openFolder({});
    await folder.serve();
    const smtp = '[smtp]\nhost = "127.0.0.1"\nport = 2599\nsecurity = "none"\nfrom = "rollcall@example.org"\n';
    writeFileSync(join(folder.path, "rollcall.toml"), smtp);
    await folder.run(["reload"]);
    await folder.run(["destination", "add", "office", "email", "to=ada@example.org", "--untested"]);
    writeFileSync(join(folder.path, "rollcall.toml"), "");
    await folder.run(["reload"]);
    const add = ["destination", "add", "phone", "ntfy", "url=https://ntfy.example", "topic=t", "--untested"];
    expect(await folder.run(add)).toMatchObject({ exitCode: 0 });
    expect((await folder.run(["destination", "list"])).out).toMatch(
      /^office .*not in force: the configuration no longer suits it: "email" cannot send, must have \[smtp\]/m,
    );
    const said = '"office", which a command set, is not in force: `rollcall destination list` says why';
    expect(await folder.run(["status"])).toMatchObject({ exitCode: 1, out: expect.stringContaining(said) });
    expect(await folder.run(["destination", "remove", "office", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await folder.run(["status"])).toMatchObject({ exitCode: 0, out: expect.not.stringContaining("office") });
  });

  test("one is renamed: what waits follows, also over a crash; nothing is given up", async () => {
    let takes = true;
    await using ntfy = startHttpSink(() => (takes ? Response.json({ id: "x" }) : new Response("", { status: 503 })));
    await using folder = openFolder({});
    let service = await folder.serve();
    await folder.run(["destination", "add", "phone", "ntfy", `url=${originOf(ntfy)}`, `topic=${TOPIC}`]);
    await service.logged("reloaded", {});
    takes = false;
    const key = firstKeyOf(service);
    await report(service, key, "backup", "/fail?schedule=0%202%20*%20*%20*");
    await until("an attempt", () => ntfy.requests[1] ?? null);
    const waits = async () => JSON.parse((await folder.run(["notify", "list", "--waiting", "--json"])).out);
    await until("its end", async () => ((await waits())[0]?.state === "waiting" ? true : null));
    for (const [words, err] of [
      [["phone", "Phone 2"], /newName: "Phone 2" is not a name/],
      [["phone", "phone"], /newName: there is a destination "phone" already/],
      [["chat", "phone2"], /name: there is no destination "chat"/],
    ] as [string[], RegExp][])
      expect(await folder.run(["destination", "rename", ...words])).toMatchObject({
        exitCode: 1,
        err: expect.stringMatching(err),
      });
    expect(await folder.run(["destination", "rename", "phone", "mobile"])).toMatchObject({
      exitCode: 0,
      out: "renamed destination phone to mobile; 1 message that waits follow\n",
    });
    expect((await folder.run(["advise"])).out).not.toContain("nothing has arrived");
    await service.end("SIGKILL");
    takes = true;
    service = await folder.serve();
    await until("the alert", () => ntfy.requests.slice(2).find(({ body }) => body.includes("Failed: Backup")) ?? null);
    await report(service, key, "backup", "");
    await until("its recovery", () => ntfy.requests.find(({ body }) => body.includes("Recovered: Backup")) ?? null);
    const listed = JSON.parse((await folder.run(["notify", "list", "--json"])).out) as Record<string, string>[];
    expect(listed.map(({ destination, state }) => [destination, state])).toEqual([
      ["mobile", "sent"],
      ["mobile", "sent"],
      // The test that it was added with: by it rollcall knows that something has arrived there.
      ["mobile", "sent"],
    ]);
    expect((await folder.run(["destination", "list"])).out).not.toContain("phone");
  });

  test.each(["a reload", "a start"])(
    "one has another name in the file after %s: what it knows and waits for follows",
    async (by) => {
      let takes = true;
      await using ntfy = startHttpSink(() => (takes ? Response.json({ id: "x" }) : new Response("", { status: 503 })));
      const named = (name: string) =>
        `[team]\ndestinations = ["${name}"]\n[destinations.${name}]\ntype = "ntfy"\nurl = "${originOf(ntfy)}"\ntopic = "${TOPIC}"\n`;
      await using folder = openFolder({ "rollcall.toml": named("phone") });
      let service = await folder.serve();
      const key = firstKeyOf(service);
      await report(service, key, "backup", "/fail?schedule=0%202%20*%20*%20*");
      await until("the alert", () => ntfy.requests.find(({ body }) => body.includes("Failed: Backup")) ?? null);
      takes = false;
      const before = ntfy.requests.length;
      await report(service, key, "backup", "");
      await until("an attempt", () => ntfy.requests[before] ?? null);
      takes = true;
      writeFileSync(join(folder.path, "rollcall.toml"), named("mobile"));
      if (by === "a reload") {
        expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
      } else {
        await service.end("SIGTERM");
        service = await folder.serve();
      }
      await service.logged("destination_renamed", { destination: "phone", to: "mobile", waiting: 1 });
      await until(
        "its recovery",
        () => ntfy.requests.slice(before + 1).find(({ body }) => body.includes("Recovered: Backup")) ?? null,
      );
      const listed = JSON.parse((await folder.run(["notify", "list", "--json"])).out) as Record<string, string>[];
      expect(listed.map(({ destination, state }) => [destination, state])).toEqual([
        ["mobile", "sent"],
        ["mobile", "sent"],
      ]);
      expect(ntfy.requests.filter(({ body }) => body.includes("Failed: Backup"))).toHaveLength(1);
    },
  );

  test("they are printed as the file would have them, without a secret, and the file then wins", async () => {
    await using folder = openFolder({});
    await folder.serve();
    expect(await folder.run(["destination", "export"])).toMatchObject({
      exitCode: 0,
      out: "",
      err: "there are no destinations that commands added\n",
    });
    const smtp = '[smtp]\nhost = "127.0.0.1"\nport = 2599\nsecurity = "none"\nfrom = "rollcall@example.org"\n';
    writeFileSync(join(folder.path, "rollcall.toml"), smtp);
    await folder.run(["reload"]);
    const add = (...words: string[]) => folder.run(["destination", "add", ...words, "--untested"]);
    await add("office", "email", "to=ada@example.org, ben@example.org");
    await add("phone", "ntfy", "url=https://ntfy.example", `topic=${TOPIC}`);
    await add("pager", "pagerduty", `integration_key=${"k".repeat(32)}`, "region=eu");
    const { out } = await folder.run(["destination", "export"]);
    expect(out).toBe(`[destinations.office]
type = "email"
to = ["ada@example.org", "ben@example.org"]

[destinations.phone]
type = "ntfy"
url_file = "/etc/rollcall/phone-url"
topic_file = "/etc/rollcall/phone-topic"

[destinations.pager]
type = "pagerduty"
integration_key_file = "/etc/rollcall/pager-integration_key"
region = "eu"
`);
    expect((await folder.run(["destination", "export", "office"])).out).toStartWith("[destinations.office]\n");
    expect(await folder.run(["destination", "export", "chat"])).toMatchObject({ exitCode: 1 });
    const own = out.replaceAll("/etc/rollcall/", `${folder.path}/`);
    for (const [name, secret] of [
      ["phone-url", "https://ntfy.example"],
      ["phone-topic", TOPIC],
      ["pager-integration_key", "k".repeat(32)],
    ] as const)
      writeFileSync(join(folder.path, name), `${secret}\n`);
    writeFileSync(join(folder.path, "rollcall.toml"), `${smtp}[team]\ndestinations = ["phone"]\n${own}`);
    expect(await folder.run(["reload"])).toMatchObject({ exitCode: 0 });
    expect((await folder.run(["destination", "list"])).out).toMatch(
      /^phone .*rollcall\.toml:\d+ +not in force: the configuration has one of this name/m,
    );
    expect(await folder.run(["destination", "remove", "phone", "--yes"])).toMatchObject({ exitCode: 0 });
  });
});
