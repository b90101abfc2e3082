// Where operations keep what they keep beside the configuration (R31): paths as the file has them.

import type { KeptTable } from "./policy.ts";

/** What is kept at a path; undefined: nothing is. */
export const tableAt = (kept: readonly KeptTable[], path: string): KeptTable | undefined =>
  kept.find((table) => table.path === path);

/** Who is told by default. */
export const TEAM_ROUTE = "team.destinations";

/** Null: the team's. */
export const routePath = (application: string | null): string =>
  application === null ? TEAM_ROUTE : `applications.${application}.destinations`;

export const statusPagePath = (application: string): string => `applications.${application}.status_page`;

/** Whether a list of destinations is kept there. */
export const isRoute = ({ path }: { readonly path: string }): boolean =>
  /^(?:team|applications\..+)\.destinations$/.test(path);

const MEMBERS = "team.members.";

/** A member has no path in the file: the address tells them apart, in whatever case. */
export const memberPath = (email: string): string => MEMBERS + email.toLowerCase();

/** The mail address of a member; null: something else is kept there. */
export const memberAt = (path: string): string | null => (path.startsWith(MEMBERS) ? path.slice(MEMBERS.length) : null);
