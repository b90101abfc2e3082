// Settings that operations store beside the configuration (R31), as pieces, such as a destination. The name of a piece
// is its noun and its own name, as in `destination phone`, `route web/backup` and `server mail`.

export interface KeptPiece {
  readonly name: string;
  /** The text of each key, in the form in which an environment variable would hold it. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A piece as it is stored: in the form of the configuration file. */
export type KeptText = Readonly<{ name: string; toml: string }>;

export type KeptNoun = "destination" | "member" | "status-page" | "route" | "server";

/** Splits a piece's name into its noun and its own name, which is empty for the team's list (`route`). */
export function readName(name: string): { readonly noun: KeptNoun; readonly called: string } {
  const [noun = "", ...called] = name.split(" ");
  return { noun: noun as KeptNoun, called: called.join(" ") };
}

const calledOf = (noun: KeptNoun, name: string): string | null =>
  name.startsWith(`${noun} `) ? name.slice(noun.length + 1) : null;

/** The list of destinations that are told by default. */
export const TEAM_ROUTE = "route";

/** The server that sends rollcall's mail. */
export const MAIL_SERVER = "server mail";

export const serverPiece = (setting: "timezone" | "url"): string => `server ${setting}`;

export const destinationPiece = (name: string): string => `destination ${name}`;

/** The name of the destination that the piece sets up; `null` when the piece is something else. */
export const destinationIn = (name: string): string | null => calledOf("destination", name);

export const statusPagePiece = (application: string): string => `status-page ${application}`;

/** The name of a member's piece. Members are told apart by their mail address, in lower case. */
export const memberPiece = (email: string): string => `member ${email.toLowerCase()}`;

/**
 * The name of a list of destinations. Without an application it is the team's list; without a monitor the
 * application's.
 */
export function routePiece(application: string | null, monitor: string | null = null): string {
  if (application === null) return TEAM_ROUTE;
  return `route ${application}${monitor === null ? "" : `/${monitor}`}`;
}

export const isRoute = ({ name }: Pick<KeptPiece, "name">): boolean =>
  name === TEAM_ROUTE || calledOf("route", name) !== null;

/** The application and the monitor whose list this is; both are `null` for the team's list. */
export function routeOf(called: string): Readonly<{ application: string | null; monitor: string | null }> {
  const [application = "", ...monitor] = called.split("/");
  return { application: application || null, monitor: monitor.length === 0 ? null : monitor.join("/") };
}

/** Whether the application or one of its monitors has a list of destinations. */
export const hasRoute = (kept: readonly KeptPiece[], application: string): boolean =>
  kept.some(({ name }) => {
    const called = calledOf("route", name);
    return called !== null && routeOf(called).application === application;
  });

/** The names in a list of destinations; empty when no list is stored. */
export const routeDestinations = (route: KeptPiece | null): string[] => commaList(route?.settings["destinations"]);

/** Splits a text at its commas into names. */
export const commaList = (text = ""): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

export const routeTo = (name: string, destinations: readonly string[]): KeptPiece => ({
  name,
  settings: { destinations: [...new Set(destinations)].join() },
});

/** The piece with this name, or `null` when no such piece is stored. */
export const pieceNamed = (kept: readonly KeptPiece[], name: string): KeptPiece | null =>
  kept.find((piece) => piece.name === name) ?? null;
