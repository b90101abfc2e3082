// What an accepted report is answered, as the OpenAPI document has it. It is read off answers the server itself makes of
// a receipt in which every value is another one, so the document cannot say anything else.

import { MESSAGE_LENGTH, MONITOR_KEY_LENGTH } from "../../domain/limits.ts";
import { toIso } from "../../domain/time.ts";
import type { Receipt } from "../../engine/api.ts";
import { answerOf, type Version } from "../api/versions.ts";
import { capital, componentName, INSTANT, type Json, jsonResponse, objectOf, refer } from "./parts.ts";

export type Kind = Receipt["kind"];

const KINDS: readonly Kind[] = ["heartbeat", "start", "complete", "fail", "log"];

const MONITOR = "nightly-backup";
const AT = Date.UTC(2026, 2, 1, 2, 0, 3, 417);
const DURATION = 1260;
const MESSAGE = "disk full";
const WARNING = "this monitor is paused";

const receiptOf = (kind: Kind, warning: string | null): Receipt => ({
  kind,
  monitorKey: MONITOR,
  at: AT,
  durationSeconds: DURATION,
  message: MESSAGE,
  warning,
});

/** A field by where its value came from; what came from nowhere is a text of ours, and `status` is always the same. */
function fieldOf(name: string, value: unknown): Json {
  switch (value) {
    case MONITOR:
      return { type: "string", minLength: 1, maxLength: MONITOR_KEY_LENGTH, description: "The monitor's key." };
    case toIso(AT):
      return { ...INSTANT, description: "When the report arrived: ISO 8601, in UTC." };
    case DURATION:
      return { type: ["integer", "null"], minimum: 0, description: "Whole seconds since the start; null without one." };
    case MESSAGE:
      return { type: ["string", "null"], maxLength: MESSAGE_LENGTH, description: "The message that was sent." };
    case WARNING:
      return { type: ["string", "null"], description: "What somebody should look at, in one sentence." };
    default:
      return name === "status" ? { const: value } : { type: "string", description: "Always the same sentence." };
  }
}

const nameOf = (version: Version, kind: Kind): string => componentName(version, `${capital(kind)}Receipt`);

/** The body of each kind of answer of a version, by the name of its component. */
export const receiptSchemas = (version: Version): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    KINDS.map((kind) => {
      const fields = Object.entries(answerOf(version, receiptOf(kind, WARNING)));
      const schema = objectOf(Object.fromEntries(fields.map(([name, value]) => [name, fieldOf(name, value)])));
      // What is left out when there is nothing to say is not required.
      const required = Object.keys(answerOf(version, receiptOf(kind, null)));
      return [nameOf(version, kind), { ...schema, required }];
    }),
  );

/** The 200 of an operation whose reports are taken as one of these kinds. */
export function receiptResponse(version: Version, kinds: readonly Kind[]): Json {
  const [only, ...others] = kinds.map((kind) => refer("schemas", nameOf(version, kind)));
  return jsonResponse({
    description: "The report is on disk.",
    schema: only !== undefined && others.length === 0 ? only : { anyOf: [only, ...others] },
    examples: Object.fromEntries(kinds.map((kind) => [kind, answerOf(version, receiptOf(kind, null))])),
  });
}
