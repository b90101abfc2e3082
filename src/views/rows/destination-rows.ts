// What lists and facts say about a destination: whose alerts it gets, and since when it takes no messages. Pure.

import type { Instant } from "../../domain/time.ts";
import type { RowMoment, RowPart } from "./rows.ts";

/** How many applications and monitors `alertsOf` names; further ones are only counted. */
const NAMED_MAX = 8;

interface RouteShown {
  /** The application whose list of destinations this is; `null` for the team's list and for a label's. */
  readonly application: string | null;
  readonly monitor: string | null;
  readonly destinations: readonly string[];
}

/** Whose alerts go to the destination `name`, such as `by default, web, web/backup`, or `none`. */
export function alertsOf(name: string, routes: readonly RouteShown[]): string {
  const named = routes
    .filter(({ destinations }) => destinations.includes(name))
    .map(
      ({ application, monitor }) => [application, monitor].filter((part) => part !== null).join("/") || "by default",
    );
  const more = named.length - NAMED_MAX;
  const words = named.slice(0, NAMED_MAX).join(", ");
  return words === "" ? "none" : `${words}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The words after a destination's name: `has taken no messages since …: HTTP 503`. */
export const failureParts = (
  { since, answer }: { readonly since: Instant; readonly answer: string },
  as: RowMoment["as"],
): RowPart[] => ["has taken no messages since ", { at: since, as }, ": ", { wrote: answer }];
