// Finds the time zone in which a viewer reads times: their browser says it in a cookie; until it has, the server's zone
// is used.

import { offsetPeriodAt, spellTimezone } from "../domain/schedule/zone.ts";
import { type Instant, toIso } from "../domain/time.ts";
import type { Engine } from "../engine/engine.ts";

const COOKIE = /(?:^|;\s*)rollcall-zone=([\w%-]{1,100})/;

/** Returns the zone of the cookie, or `otherwise` when it is missing or names no zone. */
export function zoneOf({ headers }: Pick<Request, "headers">, otherwise: string): string {
  const said = COOKIE.exec(headers.get("cookie") ?? "")?.[1];
  return said === undefined
    ? otherwise
    : (spellTimezone(said.replaceAll(/%2F/gi, "/").replaceAll(/%2B/gi, "+")) ?? otherwise);
}

/** The zone for a page that is not about a single job. */
export const viewerZone = ({
  engine,
  request,
}: {
  readonly engine: Pick<Engine, "views">;
  readonly request: Request;
}): string => zoneOf(request, engine.views.viewContext().timezone);

/**
 * The zones of a story: `timezone` is the viewer's, in which times are told; `beside` is the job's where its clocks
 * differ now.
 */
export type StoryZones = Readonly<{ timezone: string; beside: string | null }>;

export function storyZones(request: Pick<Request, "headers">, own: string, now: Instant): StoryZones {
  const timezone = zoneOf(request, own);
  const offsetIn = (zone: string): number => offsetPeriodAt(zone, now).offset;
  return { timezone, beside: offsetIn(timezone) === offsetIn(own) ? null : own };
}

export const zonesInWords = ({ timezone, beside }: StoryZones): string =>
  `times in ${timezone}${beside === null ? "" : `, and below them in ${beside}`}`;

/** A minute on the clocks of a zone, as a form field has it: `2026-03-02T08:00`. */
export const wallMinute = (at: Instant, timezone: string): string =>
  toIso(at + offsetPeriodAt(timezone, at).offset).slice(0, 16);
