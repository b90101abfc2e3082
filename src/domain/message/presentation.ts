// The facts that each message gives of its monitor besides the trouble (severity, owner, …), and of rollcall (R38).

/** The severities, the worst first. */
export const SEVERITIES = ["critical", "error", "warning", "info"] as const;

export type Severity = (typeof SEVERITIES)[number];

export interface Presentation {
  /** The name of the application; `null` when it has none besides its slug. */
  readonly applicationName: string | null;
  readonly teamName: string | null;
  readonly owner: string | null;
  readonly severity: Severity;
  readonly environment: string | null;
  readonly links: Readonly<Record<string, string>>;
  readonly note: string | null;
  readonly labels: readonly string[];
}

/** Where a job runs, by a registry's metadata (R29) or its client's fail. A part is `null` when it is not known. */
export type RunsOn = Readonly<Record<keyof typeof PLACES, string | null>>;

export const HOST_LENGTH = 64;
export const USER_LENGTH = 32;

/** The longest texts, in characters. `where` is the file or timer that starts the job, `unit` its systemd service. */
const PLACES = { host: HOST_LENGTH, user: USER_LENGTH, where: 200, unit: 200 } as const;

/**
 * Where a job ran that has failed; `null` when that is not known. What the client said goes before what the registry
 * declared.
 */
export function runsOnOf(said: Pick<RunsOn, "host" | "user"> | null, declared: RunsOn | null): RunsOn | null {
  if (said === null || said.host === null) return declared;
  const { host, user } = said;
  if (declared !== null && shortHostName(declared.host) === shortHostName(host))
    return { ...declared, user: user ?? declared.user };
  return { host, user, where: null, unit: null };
}

/** The name of a host without its domain. The client and the registry may name one host with and without it. */
const shortHostName = (host: string | null): string => (host ?? "").split(".")[0]!.toLowerCase();

/** Where a job runs, by a registry's metadata; `null` if it has neither host nor user. Throws when it is not JSON. */
export function runsOnIn(metadata: string | null): RunsOn | null {
  const said: Record<string, unknown> = metadata === null ? {} : JSON.parse(metadata);
  const text = (name: keyof RunsOn): string | null => {
    const value = said[name];
    return typeof value === "string" && value !== "" ? [...value].slice(0, PLACES[name]).join("") : null;
  };
  const found = { host: text("host"), user: text("user"), where: text("where"), unit: text("unit") };
  return found.host === null && found.user === null ? null : found;
}

export interface Instance {
  /** The name by which people know this rollcall: its public address, otherwise the computer's name. */
  readonly from: string;
  readonly teamName: string | null;
  readonly timezone: string;
  readonly onlyApplication: boolean;
  /** The user that must type the commands on rollcall's own host; `null` when it is not known. */
  readonly commandUser: string | null;
  /** How commands begin on rollcall's own host; `null` for plain `rollcall`, which finds the data by itself. */
  readonly commandLine: string | null;
}
