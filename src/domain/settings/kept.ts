// What operations keep beside the configuration (R31): pieces of it, such as a destination. A piece is named by its
// noun and by what commands call it, as in `destination phone`, `route web/backup` and `server mail`.

export interface KeptPiece {
  readonly name: string;
  /** The text behind each of its keys, as a variable of the environment would have it. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A piece as it is stored: as the configuration file would have it. */
export type KeptText = Readonly<{ name: string; toml: string }>;

export type KeptNoun = "destination" | "member" | "status-page" | "route" | "server";

/** The noun of a piece, and what is called so: empty for the list of all who are told by default. */
export function readName(name: string): { readonly noun: KeptNoun; readonly called: string } {
  const [noun = "", ...called] = name.split(" ");
  return { noun: noun as KeptNoun, called: called.join(" ") };
}

const calledOf = (noun: KeptNoun, name: string): string | null =>
  name.startsWith(`${noun} `) ? name.slice(noun.length + 1) : null;

/** The list of who is told by default. */
export const TEAM_ROUTE = "route";

/** The server that takes our mail. */
export const MAIL_SERVER = "server mail";

export const serverPiece = (setting: "timezone" | "url"): string => `server ${setting}`;

export const destinationPiece = (name: string): string => `destination ${name}`;

/** The name of the destination that a piece sets up; null: it is something else. */
export const destinationIn = (name: string): string | null => calledOf("destination", name);

export const statusPagePiece = (application: string): string => `status-page ${application}`;

/** An address tells members apart, in whatever case. */
export const memberPiece = (email: string): string => `member ${email.toLowerCase()}`;

/** Null: the team's, and all of the application's. */
export function routePiece(application: string | null, monitor: string | null = null): string {
  if (application === null) return TEAM_ROUTE;
  return `route ${application}${monitor === null ? "" : `/${monitor}`}`;
}

export const isRoute = ({ name }: Pick<KeptPiece, "name">): boolean =>
  name === TEAM_ROUTE || calledOf("route", name) !== null;

/** Whose list of destinations it is; both null: the team's. */
export function routeOf(called: string): Readonly<{ application: string | null; monitor: string | null }> {
  const [application = "", ...monitor] = called.split("/");
  return { application: application || null, monitor: monitor.length === 0 ? null : monitor.join("/") };
}

/** Whether the application, or a monitor of it, has a list of destinations. */
export const hasRoute = (kept: readonly KeptPiece[], application: string): boolean =>
  kept.some(({ name }) => {
    const called = calledOf("route", name);
    return called !== null && routeOf(called).application === application;
  });

/** The names that a list of destinations holds; none, where no list is kept. */
export const routeDestinations = (route: KeptPiece | null): string[] => commaList(route?.settings["destinations"]);

/** The names in a list, as text. */
export const commaList = (text = ""): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

export const routeTo = (name: string, destinations: readonly string[]): KeptPiece => ({
  name,
  settings: { destinations: [...new Set(destinations)].join() },
});

/** Null: nothing of this name is kept. */
export const pieceNamed = (kept: readonly KeptPiece[], name: string): KeptPiece | null =>
  kept.find((piece) => piece.name === name) ?? null;
