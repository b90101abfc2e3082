// A service with data of every kind, and an input for each operation. Tests that go through the whole table of
// operations share both, so that a new operation is added only here.

import type { Registry } from "../../src/domain/monitor/reconcile.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import type { Ping } from "../../src/engine/api.ts";
import type { OperationName } from "../../src/engine/operations/operations.ts";
import { ping, type Service } from "./engine.ts";
import { granted } from "./service.ts";

export const DAILY = "0 2 * * *";

/** Fills a service with data: an incident, a pause, a run, a key, a registry, and answers that are kept. */
export async function furnish(service: Service): Promise<void> {
  granted(service.engine.operate("app create", { slug: "spare" }));
  granted(service.engine.operate("key create", { application: "prod" }));
  await service.send(ping({ schedule: DAILY }));
  granted(service.engine.operate("address add", { address: "/api/push/Wd4Kq8Zt1x", key: "job" }));
  await service.send(ping({ monitorKey: "failing", schedule: DAILY, kind: "fail", message: "no room" }));
  await service.send(ping({ monitorKey: "running", schedule: DAILY, kind: "start", runId: "r1" }));
  await service.send(ping({ monitorKey: "paused", schedule: DAILY }));
  await service.send(repeatable("kept"));
  granted(service.engine.operate("monitor pause", { key: "paused" }));
  await service.send(ping({ monitorKey: "gone", schedule: DAILY }));
  granted(service.engine.operate("monitor delete", { key: "gone" }));
  const planned = { application: "prod", monitors: ["spare-*"], durationSeconds: 3_600, reason: "a new disk" };
  granted(service.engine.operate("maintenance plan", { ...planned, schedule: "0 4 * * 0" }));
  granted(service.engine.operate("user create", { name: "Ben" }));
  granted(service.engine.operate("admin-key create", { label: "first" }));
  service.engine.intake.sync(ping().caller, registryOf("declared", "withdrawn"));
}

export const registryOf = (...keys: string[]): Registry => ({
  source: "cron",
  version: "1.2",
  authoritative: true,
  entries: keys.map((key) => ({ key, declared: { ...NOTHING_DECLARED, schedule: DAILY }, metadata: null })),
});

export const repeatable = (key: string): Ping =>
  ping({ idempotency: { key, textOf: ({ at, monitorKey }) => `${monitorKey} at ${at}` } });

const IMPORTED = {
  ...NOTHING_DECLARED,
  key: "moved",
  schedule: DAILY,
  pausedBecause: "paused at Healthchecks",
  addresses: ["/ping/22222222-2222-4333-8444-555555555555"],
};

/** An input for each operation on such a service, either for a fresh service each, or for one service in this order. */
export const ASKED: Readonly<Record<OperationName, object>> = {
  "app create": { slug: "staging" },
  "app list": {},
  "app suspend": { slug: "prod" },
  "app resume": { slug: "prod" },
  "app rename": { slug: "prod", name: "Production" },
  "app delete": { slug: "spare" },
  "status-page add": { slug: "prod" },
  "status-page list": {},
  "status-page remove": { slug: "prod" },
  "key create": { application: "prod" },
  "key list": {},
  "key show": { id: 1 },
  "key label": { id: 1, label: "web" },
  "key rotate": { id: 1 },
  "key revoke": { id: 1 },
  "address add": { address: "/ping/11111111-2222-4333-8444-555555555555", key: "job" },
  "address list": {},
  "address revoke": { id: 2 },
  "import preview": { service: "Healthchecks", application: "prod", monitors: [IMPORTED] },
  import: { service: "Healthchecks", application: "prod", monitors: [IMPORTED] },
  "monitor create": { application: "prod", key: "made", schedule: DAILY, graceSeconds: 120 },
  "monitor set": { key: "job", schedule: "0 3 * * *", unset: "grace" },
  "monitor rename": { key: "declared", newKey: "renamed" },
  "monitor list": {},
  "monitor show": { key: "job" },
  advise: {},
  why: { key: "failing" },
  replay: { key: "failing" },
  "monitor history": { key: "job" },
  "monitor pause": { key: "job", durationSeconds: 60 },
  "monitor resume": { key: "paused" },
  "maintenance plan": { application: "prod", monitors: ["job"], durationSeconds: 3_600, reason: "a new disk" },
  "maintenance list": {},
  "maintenance end": { id: 1 },
  "incident list": {},
  "incident show": { id: 1 },
  "incident ack": { id: 1 },
  "incident unack": { id: 1 },
  "incident ack-all": {},
  "incident resolve": { id: 1 },
  "destination add": { name: "phone", type: "ntfy", settings: ["url=https://ntfy.sh", "topic=t"] },
  "destination set": { name: "phone", settings: ["topic=u"] },
  "destination rename": { name: "phone", newName: "mobile" },
  "destination export": {},
  "destination route": { destinations: ["phone"] },
  "destination trial": { id: 1 },
  "destination kinds": {},
  "destination list": {},
  "destination remove": { name: "phone" },
  "member add": { name: "Ada", email: "ada@example.org" },
  "member set": { email: "ada@example.org", events: ["Recovered"], answers: "ada" },
  "member remove": { email: "ada@example.org" },
  "member list": {},
  "config addresses": {},
  "config set": { timezone: "Europe/Berlin" },
  "notify test": { destination: "hook" },
  "notify list": {},
  "notify explain": { key: "failing" },
  "notify show": { id: 1 },
  "notify resend": { id: 1 },
  "app syncs": {},
  "monitor refused": {},
  "user create": { name: "Ada" },
  "user list": {},
  "user passwd": { name: "ben" },
  "user change": { name: "ben", role: "operator" },
  "user sign-out": { name: "ben" },
  "user unbind": { name: "ben" },
  "user delete": { name: "BEN" },
  "admin-key create": { label: "laptop" },
  "admin-key list": {},
  "admin-key revoke": { id: 1 },
  audit: {},
  status: {},
  backup: {},
  "backup show": { id: 1 },
  backups: {},
  "monitor deleted": {},
  reload: {},
  "reload show": { id: 1 },
  "monitor delete": { key: "failing" },
  "monitor undelete": { key: "gone" },
};
