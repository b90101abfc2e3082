// The sections of the configuration that operations store beside the configuration file (R31), such as a destination or
// a list of destinations. The name of a section is a noun and the section's own name, as in `destination phone`, `route
// web/backup` and `server mail`.

export interface KeptSection {
  readonly name: string;
  /** The text of each key, written as an environment variable would have it. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A section of the configuration as it is stored: as TOML, like the configuration file. */
export type KeptText = Readonly<{ name: string; toml: string }>;

export type KeptNoun = "destination" | "member" | "status-page" | "route" | "server";

/**
 * Splits the name of a kept section at the first space into its noun and its own name (`called`). The own name is empty
 * for the team's list of destinations, whose section is named `route`.
 */
export function readSectionName(name: string): { readonly noun: KeptNoun; readonly called: string } {
  const [noun = "", ...called] = name.split(" ");
  return { noun: noun as KeptNoun, called: called.join(" ") };
}

const calledOf = (noun: KeptNoun, name: string): string | null =>
  name.startsWith(`${noun} `) ? name.slice(noun.length + 1) : null;

/** The name of the team's list of destinations. It counts for applications and monitors without a list of their own. */
export const TEAM_ROUTE = "route";

export const MAIL_SERVER = "server mail";

export const serverSectionName = (setting: "timezone" | "url"): string => `server ${setting}`;

export const destinationSectionName = (name: string): string => `destination ${name}`;

/** The destination's own name, from the name of the kept section; `null` when that section is no destination. */
export const destinationIn = (name: string): string | null => calledOf("destination", name);

export const statusPageSectionName = (application: string): string => `status-page ${application}`;

export const memberSectionName = (email: string): string => `member ${email.toLowerCase()}`;

/** The name of a list of destinations: the team's without `application`, the application's without `monitor`. */
export function routeSectionName(application: string | null, monitor: string | null = null): string {
  if (application === null) return TEAM_ROUTE;
  return `route ${application}${monitor === null ? "" : `/${monitor}`}`;
}

export const isRoute = ({ name }: Pick<KeptSection, "name">): boolean =>
  name === TEAM_ROUTE || calledOf("route", name) !== null;

/**
 * Whose list of destinations it is, by the list's own name, such as `web/backup`. Both are `null` for the team's list;
 * `monitor` is `null` for an application's.
 */
export function ownerOfRoute(called: string): Readonly<{ application: string | null; monitor: string | null }> {
  const [application = "", ...monitor] = called.split("/");
  return { application: application || null, monitor: monitor.length === 0 ? null : monitor.join("/") };
}

/** Whether a list of destinations is stored for the application or for one of its monitors. */
export const hasRoute = (kept: readonly KeptSection[], application: string): boolean =>
  kept.some(({ name }) => {
    const called = calledOf("route", name);
    return called !== null && ownerOfRoute(called).application === application;
  });

export const routeDestinations = (route: KeptSection | null): string[] =>
  keptCommaList(route?.settings["destinations"]);

export const keptCommaList = (text = ""): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

export const makeRouteSection = (name: string, destinations: readonly string[]): KeptSection => ({
  name,
  settings: { destinations: [...new Set(destinations)].join() },
});

export const sectionNamed = (kept: readonly KeptSection[], name: string): KeptSection | null =>
  kept.find((section) => section.name === name) ?? null;
