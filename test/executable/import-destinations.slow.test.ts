// Moving in with where alerts go: the destinations of Healthchecks and Uptime Kuma, and whose alerts go to which.

import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Folder, newFolder } from "../import/files.ts";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(120_000);

const TOKEN = "tk_averysecrettokenofthephone";

/** The made database, with channels as Healthchecks 3 writes them: `[id, name, kind, value]`, and which check tells. */
function healthchecks(files: Folder, channels: [number, string, string, string][], tells: [number, number[]][]) {
  const path = files.made("healthchecks.sqlite");
  using database = new Database(path);
  database.run("DELETE FROM api_channel_checks");
  database.run("DELETE FROM api_channel");
  for (const [id, name, kind, value] of channels)
    database.run("INSERT INTO api_channel VALUES (?, ?, ?, '2026-01-01', ?, ?, 1, 0, NULL, NULL, '', 1)", [
      ...[id, name, id.toString(16).padStart(32, "0"), kind, value],
    ]);
  for (const [check, ids] of tells)
    for (const id of ids)
      database.run("INSERT INTO api_channel_checks (check_id, channel_id) VALUES (?, ?)", [check, id]);
  return path;
}

test("R31, R38: channels become destinations, and checks with some of them alone keep these", async () => {
  await using sink = startHttpSink(() => Response.json({ id: "x" }));
  const url = new URL(sink.url).origin;
  using files = newFolder();
  const ntfy = (topic: string): string => JSON.stringify({ url, topic, priority: 3, token: TOKEN });
  const path = healthchecks(
    files,
    [
      [1, "Phone", "ntfy", ntfy("phone")],
      [2, "", "ntfy", ntfy("second")],
      [3, "ops room", "slack", JSON.stringify({ incoming_webhook: { url: `${url}/SECRET` } })],
      [4, "Telegram ops", "telegram", JSON.stringify({ id: -100123, type: "group", name: "ops" })],
      [5, "", "email", JSON.stringify({ value: "ops@example.org", up: true, down: true })],
      [6, "", "trello", "{}"],
      [7, "Unused", "discord", "{}"],
      [8, "Mine", "ntfy", ntfy("mine")],
    ],
    [
      [1, [1]],
      [2, [1, 2, 3, 4, 5, 6, 8]],
    ],
  );
  await using folder = openFolder({});
  let service = await folder.serve();
  const added = await folder.run(["destination", "add", "mine", "ntfy", `url=${url}`, "topic=own", "--untested"]);
  expect(added.exitCode).toBe(0);
  const importing = ["import", "healthchecks", path, "--yes"];
  const dry = await folder.run([...importing, "--dry-run"]);
  const cells = (out: string): string[][] => out.split("\n").map((line) => line.trim().split(/ {2,}/));
  for (const row of [
    ["phone", 'ntfy "Phone"', "new", "all"],
    ["ntfy", "ntfy", "new", "all but database-backup"],
    ["ops-room", 'slack "ops room"', "new", "all but database-backup"],
    ["mine", 'ntfy "Mine"', "one of this name is here, and stays", "all but database-backup"],
  ])
    expect(cells(dry.out)).toContainEqual(row);
  expect(dry.out).toMatch(/telegram-ops .*not taken: token: stands in the settings of Healthchecks alone/);
  expect(dry.out).toMatch(/mail +email +not taken: .*must have \[smtp\]/);
  expect(dry.out).toMatch(/trello +trello +not taken: there is no such channel here/);
  expect(dry.out).not.toContain("unused");
  expect(dry.out).toContain("  rollcall destination add telegram-ops telegram token=- chat=-100123\n");
  expect(JSON.parse((await folder.run(["destination", "list", "--json"])).out)).toHaveLength(1);

  const done = await folder.run(importing);
  expect(done.err).toContain("4 changes of where alerts go");
  expect(done.err).toMatch(/nothing was sent to phone, ntfy, ops-room yet: `\S*rollcall notify test phone`/);
  expect(sink.requests).toHaveLength(0);
  const again = await folder.run(importing);
  expect(again.err).toContain("nothing to do");
  const asJson = await folder.run([...importing, "--json"]);
  expect(JSON.parse(asJson.out)).toMatchObject({
    destinations: expect.arrayContaining([expect.objectContaining({ name: "phone", done: "unchanged" })]),
    routes: [{ key: "database-backup", destinations: ["phone"], done: "unchanged" }],
  });
  const audit = await folder.run(["audit", "--json"]);
  const listed = await folder.run(["destination", "list"]);
  for (const { out, err } of [dry, done, again, asJson, audit, listed])
    for (const secret of [TOKEN, "SECRET", "ops@example.org"]) expect(out + err).not.toContain(secret);

  // Who is told, by what arrives.
  const key = firstKeyOf(service);
  const topicsOf = (words: string): string[] =>
    sink.requests.flatMap(({ body }) => (body.includes(words) ? (/"topic":"(\w+)"/.exec(body)?.[1] ?? "slack") : []));
  await report(service, key, "database-backup", "/fail");
  await report(service, key, "filesystem-backup", "/fail");
  await until("all four", () => (topicsOf("filesystem-backup").length === 4 ? true : null));
  expect(topicsOf("filesystem-backup").sort()).toEqual(["own", "phone", "second", "slack"]);
  expect(topicsOf("database-backup")).toEqual(["phone"]);

  // It follows the monitor's new name, also one with a dot; what is missing is taken once it was added by hand.
  expect((await folder.run(["monitor", "rename", "database-backup", "db.backup"])).exitCode).toBe(0);
  await folder.run(["destination", "add", "telegram-ops", "telegram", "token=1:abc", "chat=1", "--untested"]);
  await service.end("SIGKILL");
  service = await folder.serve();
  const heard = async () => (await folder.run(["destination", "list"])).out;
  expect(await heard()).toMatch(/^phone .* by default, \S+\/db\.backup$/m);
  expect((await folder.run(importing)).err).toContain("nothing to do");

  // A command says otherwise, the old service puts it back, and the file wins over both.
  expect(await folder.run(["destination", "route", "--monitor", "db.backup", "ntfy", "phone"])).toMatchObject({
    exitCode: 0,
    out: "alerts of db.backup go to ntfy, phone\n",
  });
  expect((await folder.run(importing)).err).toContain("1 change of where alerts go");
  expect(await folder.run(["destination", "route", "--monitor", "db.backup"])).toMatchObject({ exitCode: 0 });
  expect(await heard()).toMatch(/^phone .* by default$/m);
});

test("what a notification says besides, and nothing here keeps, is told kind by kind; topics and copies are kept", async () => {
  using files = newFolder();
  const path = files.made("kuma.db");
  {
    using database = new Database(path);
    database.run("DELETE FROM notification");
    database.run("DELETE FROM monitor_notification");
    const configs: Record<string, unknown>[] = [
      {
        ...{ name: "Ops", type: "telegram", telegramBotToken: "12:SECRET", telegramChatID: "-100123" },
        ...{ telegramMessageThreadID: "45", telegramSendSilently: true, telegramProtectContent: true },
        ...{ telegramTemplate: "{{SECRET}}", isDefault: true, applyExisting: false },
      },
      {
        name: "Phone",
        type: "ntfy",
        ntfyserverurl: "http://127.0.0.1:1",
        ntfytopic: "t",
        ntfyPriority: 5,
        ntfyIcon: "",
      },
      {
        ...{ name: "Chat", type: "slack", slackwebhookURL: "http://127.0.0.1:1/x", slackchannel: "#other" },
        ...{ slackusername: "Kuma", slackiconemo: ":bear:" },
      },
      {
        ...{
          name: "Mail",
          type: "smtp",
          smtpTo: "ops@example.org",
          smtpCC: "cc@example.org",
          smtpHost: "mx.example.org",
        },
        ...{ smtpPort: 25, smtpPassword: "SECRET", customSubject: "{{NAME}}" },
      },
    ];
    const pushes = database.query<{ id: number }, []>("SELECT id FROM monitor WHERE type = 'push'").all();
    for (const [place, config] of configs.entries()) {
      database.run(
        "INSERT INTO notification (id, name, config, active, user_id, is_default) VALUES (?, ?, ?, 1, 1, 1)",
        [...[place + 1, String(config["name"]), JSON.stringify(config)]],
      );
      for (const { id } of pushes)
        database.run("INSERT INTO monitor_notification (monitor_id, notification_id) VALUES (?, ?)", [id, place + 1]);
    }
  }
  await using folder = openFolder({
    "rollcall.toml": '[smtp]\nhost = "127.0.0.1"\nport = 1\nfrom = "rollcall@example.org"\n',
  });
  await folder.serve();
  const { out, err } = await folder.run(["import", "kuma", path, "--yes"]);
  expect(out + err).not.toContain("SECRET");
  const told = out.split("\n").map((line) => line.trim().split(/ {2,}/)[0]);
  for (const line of [
    'the sound of telegram "Ops"',
    'the setting telegramProtectContent of telegram "Ops"',
    'own words for telegram "Ops"; smtp "Mail"',
    'the priority of ntfy "Phone"',
    'another channel for slack "Chat"',
    'a name or picture for slack "Chat"',
    'the mail server of smtp "Mail"',
  ])
    expect(told).toContain(line);
  expect(out).not.toMatch(/isDefault|applyExisting|ThreadID|Icon/);
  const { out: shown } = await folder.run(["destination", "list", "--json"]);
  expect(shown).toContain('"-100123/45"');
  expect(shown).toMatch(/ops@example\.org.*cc@example\.org/);
});

test("Uptime Kuma: those by default are told of all, others of their monitors; the application is not alone", async () => {
  using files = newFolder();
  const path = files.made("kuma.db");
  {
    using database = new Database(path);
    database.run("DELETE FROM notification");
    database.run("DELETE FROM monitor_notification");
    const insert = (id: number, isDefault: number, config: Record<string, unknown>): void => {
      database.run(
        "INSERT INTO notification (id, name, config, active, user_id, is_default) VALUES (?, ?, ?, 1, 1, ?)",
        [...[id, String(config["name"]), JSON.stringify(config), isDefault]],
      );
    };
    insert(1, 1, {
      name: "Handy",
      type: "gotify",
      gotifyserverurl: "http://127.0.0.1:1",
      gotifyapplicationToken: TOKEN,
    });
    insert(2, 0, { name: "Pager", type: "PagerDuty", pagerdutyIntegrationKey: "0123456789abcdef0123456789abcdef" });
    insert(3, 0, { name: "Hook", type: "webhook", webhookURL: "http://127.0.0.1:1/SECRET" });
    insert(4, 0, {
      ...{ name: "Si", type: "signal", signalURL: "http://127.0.0.1:8080/v2/send" },
      ...{ signalNumber: "+4930901820", signalRecipients: "+4930901821" },
    });
    const pushes = database.query<{ id: number }, []>("SELECT id FROM monitor WHERE type = 'push' ORDER BY id").all();
    const link = (monitor: number, ...ids: number[]): void => {
      for (const id of ids)
        database.run("INSERT INTO monitor_notification (monitor_id, notification_id) VALUES (?, ?)", [monitor, id]);
    };
    link(pushes[0]!.id, 1, 2, 3);
    for (const { id } of pushes.slice(1)) link(id, 1);
    link(pushes[1]!.id, 4);
  }
  await using folder = openFolder({});
  await folder.serve();
  await folder.run(["app", "create", "home"]);
  const importing = ["import", "kuma", path, "--app", "home", "--yes"];
  const { out, err, exitCode } = await folder.run(importing);
  expect([exitCode, err]).toEqual([0, expect.stringContaining('application "home": 5 created')]);
  expect(out).toMatch(/handy +gotify "Handy" +new +all$/m);
  expect(out).toMatch(/pager +PagerDuty "Pager" +new +nightly-backup$/m);
  expect(out).toMatch(/hook +webhook "Hook" +not taken: its receiver reads that service's messages/);
  expect(out + err).not.toContain("SECRET");
  expect(out + err).not.toContain(TOKEN);
  expect((await folder.run(importing)).err).toContain("nothing to do");
  const { out: listed } = await folder.run(["destination", "list"]);
  expect(listed).toMatch(/^handy .* home, home\/nightly-backup, home\/worker-heartbeat$/m);
  expect(listed).toMatch(/^pager .* home\/nightly-backup$/m);
});

test("Uptime Kuma: what would be refused here at each message is not taken", async () => {
  using files = newFolder();
  const path = files.made("kuma.db");
  {
    using database = new Database(path);
    database.run("DELETE FROM notification");
    const [account, number] = [`AC${"0".repeat(32)}`, "+4930901820"];
    const configs = [
      {
        ...{ name: "SMS", type: "twilio", twilioAccountSID: account, twilioApiKey: `SK${"0".repeat(32)}` },
        ...{ twilioAuthToken: "SECRET", twilioFromNumber: number, twilioToNumber: number },
      },
      {
        ...{ name: "Forum", type: "discord", discordWebhookUrl: "https://discord.com/api/webhooks/1/SECRET" },
        ...{ discordChannelType: "createNewForumPost", postName: "Post" },
      },
    ];
    database.run("DELETE FROM monitor_notification");
    for (const [place, config] of configs.entries()) {
      database.run("INSERT INTO notification (id, name, config, active, user_id) VALUES (?, ?, ?, 1, 1)", [
        ...[place + 1, config.name, JSON.stringify(config)],
      ]);
      database.run("INSERT INTO monitor_notification SELECT NULL, id, ? FROM monitor WHERE type = 'push'", [place + 1]);
    }
  }
  await using folder = openFolder({});
  await folder.serve();
  const { out } = await folder.run(["import", "kuma", path, "--yes"]);
  expect(out).toMatch(/^sms +twilio "SMS" +not taken: it signs in by an API key; here it is the account's Auth Token/m);
  expect(out).toMatch(/^forum +discord "Forum" +not taken: it makes posts in a forum; here it is a channel/m);
  expect(out).toContain(`rollcall destination add sms twilio user=- token=- from=+4930901820 chat=+4930901820`);
});
