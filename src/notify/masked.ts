// Takes API keys out of a message before it leaves: a job may have put its own key into its name, its failure or its
// run_id.

import { maskKeys } from "../domain/key-mask.ts";
import type { Channel } from "./channel.ts";

/** The channel, with `ck_app_***` in place of the keys in every message's texts. */
export const masked = (channel: Channel): Channel => ({
  ...channel,
  send: (delivery, context) => channel.send({ ...delivery, message: withoutKeys(delivery.message) }, context),
});

function withoutKeys<Value>(value: Value): Value;
function withoutKeys(value: unknown): unknown {
  if (typeof value === "string") return maskKeys(value);
  if (Array.isArray(value)) return value.map(withoutKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutKeys(part)]));
}
