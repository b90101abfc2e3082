// Finds what has happened to an incident and its monitor since an alert, when the alert is sent (R36). Never stored.

import type { ClosedBy } from "../monitor/incident.ts";
import { type Instant, toIso, toIsoOrNull } from "../time.ts";

/** What has happened since the alert. Instants are ISO 8601 strings. At least one field says something. */
export interface Since {
  /** When the alert's incident closed; `null` while it is open, or when the alert itself says that it is closed. */
  readonly closedAt: string | null;
  readonly closedBy: ClosedBy | null;
  /** When the incident was acknowledged; `null` when it was not, or when the alert itself says so. */
  readonly acknowledgedAt: string | null;
  /** The person who acknowledged the incident; `null` when no person did, or a command on the host did it. */
  readonly acknowledgedBy: string | null;
  readonly incidents: number;
  readonly newest: NewestIncident | null;
}

export type NewestIncident = Readonly<{ incidentId: string; openedAt: string; closedAt: string | null }>;

export interface IncidentNow {
  readonly number: number;
  readonly closedAt: Instant | null;
  readonly closedBy: ClosedBy | null;
  readonly acknowledgedAt: Instant | null;
  readonly acknowledgedBy: string | null;
}

export type LaterIncident = Readonly<{ id: number; number: number; openedAt: Instant; closedAt: Instant | null }>;

type KnownEnds = Readonly<{ recoveredAt: string | null; acknowledgedAt: string | null }>;

export const isInTroubleAgain = ({ since }: { readonly since: Since | null }): boolean =>
  since !== null && since.newest !== null && since.newest.closedAt === null;

export const isOverSince = ({ since }: { readonly since: Since | null }): boolean =>
  since !== null && since.closedAt !== null;

/**
 * Returns what has happened since the alert; `null` when nothing has. `told` is what the alert says; `later` is the
 * monitor's newest incident; `null` when that is the alert's own.
 */
export function sinceAlert(told: KnownEnds, incident: IncidentNow, later: LaterIncident | null): Since | null {
  const closed = incident.closedAt !== null && told.recoveredAt === null;
  const acknowledged = incident.acknowledgedAt !== null && told.acknowledgedAt === null && told.recoveredAt === null;
  if (!closed && !acknowledged && later === null) return null;
  return {
    closedAt: closed ? toIsoOrNull(incident.closedAt) : null,
    closedBy: closed ? incident.closedBy : null,
    acknowledgedAt: acknowledged ? toIsoOrNull(incident.acknowledgedAt) : null,
    acknowledgedBy: acknowledged ? incident.acknowledgedBy : null,
    incidents: later === null ? 0 : later.number - incident.number,
    newest: later && {
      incidentId: String(later.id),
      openedAt: toIso(later.openedAt),
      closedAt: toIsoOrNull(later.closedAt),
    },
  };
}
