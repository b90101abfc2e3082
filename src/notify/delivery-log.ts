// Writes a line to the log for each attempt to send. Of a thrown error it logs only the name and the lines of the
// stack, because the error's message may hold a secret URL.

import type { Log, LogFields } from "../domain/log.ts";
import type { Message } from "../domain/message/message.ts";
import { toIso } from "../domain/time.ts";
import type { Claim, Ending } from "../engine/api.ts";

const LOGGED_AS = {
  sent: ["info", "delivery_sent"],
  retry: ["warn", "delivery_failed"],
  given_up: ["error", "delivery_given_up"],
} as const;

/** Logs how a claim ended: one line for all deliveries with the same ending, none for those that were not tried. */
export function logEndings(log: Log, claim: Claim, endings: readonly Ending[]): void {
  for (const alike of Map.groupBy(endings, ({ ending }) => ending).values()) {
    const [ending] = alike;
    if (ending === undefined || ending.ending === "untried") continue;
    const [level, event] = LOGGED_AS[ending.ending];
    const next = ending.ending === "retry" ? { nextAttemptAt: toIso(ending.nextAttemptAt) } : {};
    const many = claim.members.length > 1 ? { deliveries: alike.length } : {};
    log(level, event, { ...deliveryFields(claim), delivery: ending.id, ...many, answer: ending.answer, ...next });
  }
}

export const logRejected = (log: Log, claim: Claim, answer: string): void =>
  log("warn", claim.members.length > 1 ? "digest_rejected" : "delivery_rejected", { ...deliveryFields(claim), answer });

export const logThrown = (log: Log, claim: Claim, error: unknown): void =>
  log("error", "channel_threw", { ...deliveryFields(claim), ...whereThrown(error) });

const deliveryFields = ({ id, destination, recipient, attempts, message }: Claim): LogFields => ({
  delivery: id,
  destination,
  recipient,
  attempt: attempts + 1,
  type: message.type,
  ...concernOf(message),
});

function concernOf(message: Message): LogFields {
  if (message.type === "service.notice") return { notice: message.data.notice.kind };
  if (message.type === "monitor.digest") return { digest: message.data.kind };
  const { applicationId: application, monitorKey: monitor } = message.data;
  return application === null ? {} : { application, monitor };
}

function whereThrown(error: unknown): { name: string; stack: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { name: error.name, stack: frames.slice(0, 3).map((line) => line.trim()) };
}
