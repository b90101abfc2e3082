// Finds the time zone in which a viewer reads times. The browser names it in a cookie; until then the server's or the
// job's zone is used.

import { offsetPeriodAt, spellTimezone } from "../domain/schedule/zone.ts";
import { type Instant, toIso } from "../domain/time.ts";
import type { Engine } from "../engine/engine.ts";

const COOKIE = /(?:^|;\s*)rollcall-zone=([\w%-]{1,100})/;

/** Returns the zone in the cookie, or `otherwise` when there is no cookie or it names no zone. */
export function zoneOf({ headers }: Pick<Request, "headers">, otherwise: string): string {
  const said = COOKIE.exec(headers.get("cookie") ?? "")?.[1];
  return said === undefined
    ? otherwise
    : (spellTimezone(said.replaceAll(/%2F/gi, "/").replaceAll(/%2B/gi, "+")) ?? otherwise);
}

/** The zone in which a page that is not about a single job tells times. */
export const viewerZone = ({
  engine,
  request,
}: {
  readonly engine: Pick<Engine, "views">;
  readonly request: Request;
}): string => zoneOf(request, engine.views.viewContext().timezone);

/**
 * The zones in which the story of a job tells times. `timezone` is the viewer's zone. `beside` is the job's zone, in
 * which times are told too, if its clocks now differ from the viewer's; otherwise `null`.
 */
export type ViewerZones = Readonly<{ timezone: string; beside: string | null }>;

export function viewerZones(request: Pick<Request, "headers">, own: string, now: Instant): ViewerZones {
  const timezone = zoneOf(request, own);
  const offsetIn = (zone: string): number => offsetPeriodAt(zone, now).offset;
  return { timezone, beside: offsetIn(timezone) === offsetIn(own) ? null : own };
}

export const viewerZonesInWords = ({ timezone, beside }: ViewerZones): string =>
  `times in ${timezone}${beside === null ? "" : `, and below them in ${beside}`}`;

/** A minute on the clocks of a zone, as a form field has it: `2026-03-02T08:00`. */
export const minuteInForm = (at: Instant, timezone: string): string =>
  toIso(at + offsetPeriodAt(timezone, at).offset).slice(0, 16);
