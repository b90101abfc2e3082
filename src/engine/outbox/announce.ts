// Announces alerts, notices and drills once they are committed: nudges the notifier, writes the log.

import type { Log } from "../../domain/log.ts";
import type { TestMessage } from "../../domain/message/test-message.ts";
import { toIso } from "../../domain/time.ts";
import type { RaisedAlert, RaisedNotice } from "../engine-context.ts";

/** A drill that has been written; `deliveries` 0: only the log hears of it. */
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
    /** What was written before may be sent earlier now. */
    sooner: nudge,
    alerts: (raised: readonly RaisedAlert[]) => announce(raised, logAlert),
    notices: (raised: readonly RaisedNotice[]) => announce(raised, logNotice),
    drills: (raised: readonly RaisedDrill[]) => announce(raised, logDrill),
  };
}

/** Without a delivery the log is all there is, so it speaks as loudly as it can (R36). */
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
