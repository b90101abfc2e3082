// Follows up committed alerts, notices and drills: nudges the notifier to send them, and writes them to the log.

import type { Log } from "../../domain/log.ts";
import type { TestMessage } from "../../domain/message/test-message.ts";
import { toIso } from "../../domain/time.ts";
import type { RaisedAlert, RaisedNotice } from "../engine-context.ts";

/** A drill that was written. When it has no deliveries, no message goes out and only the log has it. */
export type RaisedDrill = Readonly<{ message: TestMessage; deliveries: number }>;

export type Announcer = ReturnType<typeof createAnnouncer>;

export function createAnnouncer(log: Log, nudge: () => void) {
  function announce<Raised>(raised: readonly Raised[], write: (log: Log, one: Raised) => void): void {
    if (raised.length === 0) return;
    try {
      nudge();
      for (const one of raised) write(log, one);
    } catch (error) {
      log("error", "announcing_failed", { error });
    }
  }
  return {
    /** Nudges the notifier, because an older message may now be sent sooner. */
    sooner: nudge,
    alerts: (raised: readonly RaisedAlert[]) => announce(raised, logAlert),
    notices: (raised: readonly RaisedNotice[]) => announce(raised, logNotice),
    drills: (raised: readonly RaisedDrill[]) => announce(raised, logDrill),
  };
}

/**
 * The level of the log line about a message. Without a delivery the log alone tells of the message, so the line is an
 * error (R36).
 */
const levelFor = (deliveries: number) => (deliveries === 0 ? "error" : "info");

function logAlert(log: Log, { message, deliveries }: RaisedAlert): void {
  const { applicationId: application, monitorKey: monitor, kind, cause, reason, incidentId: incident } = message.data;
  const trueAt = toIso(message.at);
  log(levelFor(deliveries), "alert", { application, monitor, kind, cause, reason, incident, trueAt, deliveries });
}

function logNotice(log: Log, { message, deliveries }: RaisedNotice): void {
  const { notice } = message.data;
  const more = notice.kind === "clock" ? { setBackSeconds: notice.aheadSeconds } : {};
  log(levelFor(deliveries), "notice", { notice: notice.kind, ...more, trueAt: toIso(message.at), deliveries });
}

function logDrill(log: Log, { message, deliveries }: RaisedDrill): void {
  const { applicationId: application, monitorKey: monitor } = message.data;
  log(levelFor(deliveries), "drill", { application, monitor, deliveries });
}
