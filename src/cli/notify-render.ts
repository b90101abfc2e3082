// `rollcall notify render`: what would be sent to a destination, from the configuration alone. Sends nothing, and shows
// no secret: each is replaced before the message is written.

import { hostname } from "node:os";
import { CHANNEL_KEYS } from "../config/channels.ts";
import type { Destination } from "../config/destination-keys.ts";
import type { Config } from "../config/keys.ts";
import { annotationsOf } from "../config/kinds.ts";
import type { ConfigFlags } from "../config/load.ts";
import { camelCase } from "../config/place.ts";
import { sampleAlert } from "../domain/message/sample-alert.ts";
import { testMessage } from "../domain/message/test-message.ts";
import { createChannel } from "../notify/registry.ts";
import { systemClock } from "./clock.ts";
import { type Environment, loadHere, sayFaults } from "./config-commands.ts";
import { DONE, type Io, REFUSED } from "./io.ts";

export interface RenderFlags {
  readonly event: "failure" | "recovery" | "test";
  readonly plain?: boolean;
}

/** Exit code 0, 1 without such a destination, or 2 when the configuration is faulty. */
export function runRender(
  name: string,
  { event, plain = false, ...flags }: RenderFlags & ConfigFlags,
  environment: Environment,
  io: Io,
): number {
  const loaded = loadHere(flags, environment);
  if ("faults" in loaded) return sayFaults(loaded.faults, io);
  const { destinations, smtp, team, server, applications } = loaded.config;
  const destination = destinations.get(name);
  if (destination === undefined) {
    const known = destinations.size === 0 ? "none is" : `these are: ${[...destinations.keys()].join(", ")}`;
    io.err(`destination: ${JSON.stringify(name)} is not configured; ${known}`);
    return REFUSED;
  }
  const at = systemClock.now();
  const instance = {
    from: server.publicUrl ?? hostname(),
    teamName: team.name,
    timezone: server.timezone ?? "UTC",
    onlyApplication: applications.size < 2,
    commandUser: null,
  };
  const message = event === "test" ? testMessage(name, at, instance) : sampleAlert(event === "recovery", at, instance);
  const recipient = destination.type === "email" ? (destination.to?.[0] ?? team.members[0]?.email ?? null) : null;
  const delivery = { id: 1, destination: name, recipient, reference: "delivery-1", thread: "incident-12" };
  const settings: Destination & Pick<Config, "smtp"> = { ...withoutSecrets(destination), smtp };
  const channel = createChannel(settings);
  io.out(channel.preview({ ...delivery, createdAt: at, attempts: 0, message }, { sentAt: at, plain }));
  return DONE;
}

/** A template is kept like a secret, and is what people want to see. */
const SECRET_FIELDS = Object.entries(CHANNEL_KEYS)
  .filter(([key, schema]) => key !== "body" && annotationsOf(schema).secret)
  .map(([key]) => camelCase(key));

const withoutSecrets = (destination: Destination): Destination =>
  Object.fromEntries(
    Object.entries(destination).map(([field, value]) => [
      field,
      typeof value === "string" && SECRET_FIELDS.includes(field) ? hidden(field, value) : value,
    ]),
  ) as unknown as Destination;

function hidden(field: string, value: string): string {
  if (field === "headers") return value.replace(/: .*/g, ": ***");
  // A signature needs one of this form.
  if (field === "secret") return `whsec_${"A".repeat(32)}`;
  if (field !== "url") return "***";
  const { origin, pathname, search } = new URL(value);
  return `${origin}${pathname === "/" && search === "" ? "" : "/***"}`;
}
