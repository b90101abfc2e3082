// What an accepted report is answered, as the OpenAPI document has it: the bodies of `api/receipts.ts`, with an example of
// each.

import type { Receipt } from "../../engine/api.ts";
import { answerOf } from "../api/receipts.ts";
import type { Version } from "../api/versions.ts";
import { capital, componentName, type Json, jsonResponse, refer } from "./parts.ts";

export type ReceiptKind = Receipt["kind"];

const EXAMPLE: Omit<Receipt, "kind"> = {
  monitorKey: "nightly-backup",
  at: Date.UTC(2026, 2, 1, 2, 0, 3, 417),
  happenedAt: null,
  durationSeconds: 1260,
  message: "disk full",
  warning: null,
};

const nameOf = (version: Version, kind: string): string => componentName(version, `${capital(kind)}Receipt`);

/** The body of each kind of answer of a version, by the name of its component. */
export const receiptSchemas = (version: Version): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(version.receipts).map(([kind, { schema }]) => [nameOf(version, kind), schema]));

/** The 200 of an operation whose reports are taken as one of these kinds. */
export function receiptResponse(version: Version, kinds: readonly ReceiptKind[]): Json {
  const [only, ...others] = kinds.map((kind) => refer("schemas", nameOf(version, kind)));
  const schema = only !== undefined && others.length === 0 ? only : { anyOf: [only, ...others] };
  const examples = kinds.map((kind) => [kind, answerOf(version.receipts, { ...EXAMPLE, kind })]);
  return jsonResponse("The report is on disk.", schema, Object.fromEntries(examples));
}
