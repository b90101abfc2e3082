// Messages lead to the page of their incident where people reach it.

import { expect, test } from "bun:test";
import type { ServerSettings } from "../../src/config/all-keys.ts";
import { dashboardUrl } from "../../src/config/read-policy.ts";
import { alertDataFrom, type Message } from "../../src/domain/message/message.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { NOON, openService, ping } from "../support/engine.ts";

test("R37: `url` is the address of the incident's page, the first of the message's links", async () => {
  using service = openService();
  await service.send(ping({ kind: "fail", schedule: "0 * * * *" }));
  const rows = service.store.recent.alerts([1]);
  expect(rows.map(({ data }) => alertDataFrom(data)!.url)).toEqual(["https://cron.example.org/incidents/1"]);
  const message = { ...rows[0]!, data: alertDataFrom(rows[0]!.data)! } as unknown as Message;
  expect(wordingOf(message, NOON).links[0]).toEqual({
    label: "Incident",
    url: "https://cron.example.org/incidents/1",
  });
});

test("messages lead to pages only where everybody reaches these: at the public address, by the same listener", () => {
  const server = { publicUrl: "https://cron.example.org" } as ServerSettings;
  const web = { listen: null, trustedUserHeader: null, trustedUserSecret: null, oidc: null };
  expect(dashboardUrl({ server, web })).toBe("https://cron.example.org");
  expect(dashboardUrl({ server, web: null })).toBeNull();
  expect(dashboardUrl({ server, web: { ...web, listen: { host: "127.0.0.1", port: 9000 } } })).toBeNull();
  expect(dashboardUrl({ server: { ...server, publicUrl: null }, web })).toBeNull();
});
