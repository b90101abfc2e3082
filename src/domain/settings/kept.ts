// Where operations keep what they keep beside the configuration (R31): paths as the file has them.

import type { KeptTable } from "./policy.ts";

/** What is kept at a path; undefined: nothing is. */
export const tableAt = (kept: readonly KeptTable[], path: string): KeptTable | undefined =>
  kept.find((table) => table.path === path);

/** Who is told by default. */
/** The table of the server that takes our mail. */
export const MAIL_SERVER = "smtp";

export const TEAM_ROUTE = "team.destinations";

/** Null: the team's, and all of the application's. A key with a dot is quoted, as the file has it. */
export function routePath(application: string | null, monitor: string | null = null): string {
  if (application === null) return TEAM_ROUTE;
  const named = monitor === null || /^[\w-]+$/.test(monitor) ? monitor : JSON.stringify(monitor);
  return `applications.${application}${named === null ? "" : `.monitors.${named}`}.destinations`;
}

export const destinationPath = (name: string): string => `destinations.${name}`;

export const statusPagePath = (application: string): string => `applications.${application}.status_page`;

/** The names that a list of destinations holds, as it is kept. */
export const namesOf = ({ settings }: Pick<KeptTable, "settings">): string[] =>
  (settings[""] ?? "").split(",").filter((name) => name !== "");

export const routeAt = (path: string, names: readonly string[]): KeptTable => ({
  path,
  settings: { "": [...new Set(names)].join() },
});

/** Whether a list of destinations is kept there. */
export const isRoute = ({ path }: { readonly path: string }): boolean =>
  /^(?:team|applications\..+)\.destinations$/.test(path);

const MEMBERS = "team.members.";

/** A member has no path in the file: the address tells them apart, in whatever case. */
export const memberPath = (email: string): string => MEMBERS + email.toLowerCase();

/** The mail address of a member; null: something else is kept there. */
export const memberAt = (path: string): string | null => (path.startsWith(MEMBERS) ? path.slice(MEMBERS.length) : null);
