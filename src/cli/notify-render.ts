// `rollcall notify render`: shows what would be sent to a destination, without secrets. It reads the configuration and
// what commands added to it, and needs no running service.

import { Database } from "bun:sqlite";
import { hostname } from "node:os";
import { join } from "node:path";
import { CHANNEL_KEYS } from "../config/channel-keys.ts";
import type { SendingDestination } from "../config/destination-keys.ts";
import { annotationsOf } from "../config/kinds.ts";
import type { ConfigFlags } from "../config/load.ts";
import { camelCaseKey } from "../config/place.ts";
import { policyOfConfig } from "../config/read-policy.ts";
import { sampleAlert } from "../domain/message/sample-alert.ts";
import { testMessage } from "../domain/message/test-message.ts";
import type { KeptText } from "../domain/settings/kept.ts";
import { monitorPolicy } from "../domain/settings/policy.ts";
import { orElse } from "../domain/unless-missing.ts";
import { createChannel } from "../notify/registry.ts";
import { keptRows } from "../store/deliveries.ts";
import { DATABASE_FILE } from "../store/file/database.ts";
import { systemClock } from "./clock.ts";
import { type Environment, readerHere, sayFaults } from "./config-commands.ts";
import { DONE, type Io, REFUSED } from "./io.ts";
import { createInForce } from "./serving/in-force.ts";

export type RenderFlags = ConfigFlags & Readonly<{ event: "failure" | "recovery" | "test"; plain?: boolean }>;

/**
 * Prints the message that the destination `name` would get. Returns exit code 0; 1 when there is no such destination,
 * or it is a rota, which itself sends nothing; 2 when the configuration is faulty.
 */
export function runRender(name: string, flags: RenderFlags, environment: Environment, io: Io): number {
  const read = readerHere(flags, environment);
  const written = read([]);
  if ("faults" in written) return sayFaults(written.faults, io);
  const kept = keptIn(written.config.storage.directory);
  const inForce = createInForce(written, read);
  inForce.keep(() => kept ?? []);
  const { config } = inForce.loaded();
  const { destinations, smtp, team, server, applications } = config;
  const destination = destinations.get(name);
  if (destination === undefined) {
    const known = destinations.size === 0 ? "none is" : `these are: ${[...destinations.keys()].join(", ")}`;
    io.err(`destination: ${JSON.stringify(name)} is not configured; ${known}${kept === null ? UNREAD : ""}`);
    return REFUSED;
  }
  if (destination.type === "rota") {
    io.err(`destination: ${name} is a rota, which sends by its turns: ${destination.turns.join(", ")}`);
    return REFUSED;
  }
  const { event, plain = false } = flags;
  const at = systemClock.now();
  const policy = monitorPolicy(policyOfConfig(config), "prod", "nightly-backup");
  const told = { teamName: team.name, onlyApplication: applications.size < 2, commandUser: null, commandLine: null };
  const instance = { from: server.publicUrl ?? hostname(), timezone: policy.whole.timezone, ...told };
  const message =
    event === "test" ? testMessage(name, at, instance) : sampleAlert(policy, event === "recovery", at, instance);
  const recipient = destination.type === "email" ? (destination.to?.[0] ?? team.members[0]?.email ?? null) : null;
  const sent = { id: 1, destination: name, recipient, reference: "delivery-1", thread: "incident-12", attempts: 0 };
  const run = () => {
    throw new Error("nothing is sent");
  };
  const settings = { ...withoutSecrets(destination), smtp, browsers: run, contact: "", run };
  io.out(createChannel(settings).preview({ ...sent, createdAt: at, message }, { sentAt: at, plain }));
  return DONE;
}

const UNREAD = ", and nothing that a command or the dashboard added can be read here";

/**
 * Returns the sections of the configuration that commands and the dashboard have added, from the database. Returns
 * `null` when there is no database, or when this user may not read it.
 */
const keptIn = (directory: string): readonly KeptText[] | null =>
  orElse(null, () => {
    using database = new Database(join(directory, DATABASE_FILE), { readonly: true, strict: true });
    return keptRows(database).all();
  });

/**
 * The fields that are hidden. The template `body` also counts as secret in the configuration, but is what people want
 * to see here.
 */
const SECRET_FIELDS = Object.entries(CHANNEL_KEYS)
  .filter(([key, schema]) => key !== "body" && annotationsOf(schema).secret)
  .map(([key]) => camelCaseKey(key));

function withoutSecrets(destination: SendingDestination): SendingDestination {
  const hide = ([field, value]: [string, unknown]): [string, unknown] =>
    typeof value === "string" && SECRET_FIELDS.includes(field) ? [field, hidden(field, value)] : [field, value];
  return Object.fromEntries(Object.entries(destination).map(hide)) as unknown as SendingDestination;
}

function hidden(field: string, value: string): string {
  if (field === "headers") return value.replace(/: .*/g, ": ***");
  // This stands for the secret, because the channel takes only a secret of this form.
  if (field === "secret") return `whsec_${"A".repeat(32)}`;
  if (field !== "url") return "***";
  const { origin, pathname, search } = new URL(value);
  return `${origin}${pathname === "/" && search === "" ? "" : "/***"}`;
}
