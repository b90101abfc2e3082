// What a destination has not taken, for a notice elsewhere: counts everything, names the oldest. Sends nothing.

import type { LostMessage } from "../../domain/message/notice.ts";
import type { UndeliveredRow, UndeliveredSum, Unsent } from "../../store/undelivered.ts";
import type { EngineContext } from "../context.ts";
import type { Named } from "./notices.ts";

/** How many messages we look at to find whom to tell and what to name. */
const LOOKED_AT = 1_000;

export interface UnsentMessages extends UndeliveredSum {
  /** Oldest first. */
  readonly messages: readonly LostMessage[];
  /** The monitors they are about, one for each message. */
  readonly concerned: readonly Named[];
}

/** What was given up at this destination and not reported yet, or what waits there. */
export function unsentAt({ store }: EngineContext, unsent: Unsent, destination: string): UnsentMessages {
  const messages = store.undelivered.rows(unsent, destination, LOOKED_AT).map(lostMessage);
  const concerned = messages.flatMap(({ monitor }) => monitor ?? []);
  return { ...store.undelivered.sum(unsent, destination), messages, concerned };
}

function lostMessage({ id, recipient, at, application, key, name, timezone, kind }: UndeliveredRow): LostMessage {
  const isRead = application !== null && key !== null && name !== null && timezone !== null && kind !== null;
  const monitor = isRead ? { application, key, name, timezone, kind } : null;
  return { delivery: id, recipient, at, monitor };
}
