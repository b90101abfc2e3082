// How every message presents a monitor (R38), and what it may say about the rollcall that sends it.

/** The severities, the worst first. */
export const SEVERITIES = ["critical", "error", "warning", "info"] as const;

export type Severity = (typeof SEVERITIES)[number];

export interface Presentation {
  /** `null` when people know the application only by its slug. */
  readonly applicationName: string | null;
  readonly teamName: string | null;
  readonly owner: string | null;
  readonly severity: Severity;
  readonly environment: string | null;
  readonly links: Readonly<Record<string, string>>;
  readonly note: string | null;
  readonly labels: readonly string[];
}

/**
 * Where a job runs, as its registry says in its metadata (R29). A field is `null` when the registry does not say it.
 */
export type RunsOn = Readonly<Record<keyof typeof PLACES, string | null>>;

export const HOST_LENGTH = 64;
export const USER_LENGTH = 32;

/** The limits in characters. `where` is the file or timer that starts the job; `unit` is its systemd service. */
const PLACES = { host: HOST_LENGTH, user: USER_LENGTH, where: 200, unit: 200 } as const;

/** Where the client says that the job failed; if it does not, where the registry says that it runs. */
export function runsOnOf(said: Pick<RunsOn, "host" | "user"> | null, declared: RunsOn | null): RunsOn | null {
  if (said === null || said.host === null) return declared;
  const { host, user } = said;
  if (declared !== null && shortHostName(declared.host) === shortHostName(host))
    return { ...declared, user: user ?? declared.user };
  return { host, user, where: null, unit: null };
}

/** The host's name without its domain, because only one of the two names may have a domain. */
const shortHostName = (host: string | null): string => (host ?? "").split(".")[0]!.toLowerCase();

/**
 * Where the job runs, as its metadata says; `null` when it says nothing of it. Throws when the metadata is not JSON.
 */
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
  /** The name that people know: the public address, or the computer's name. */
  readonly from: string;
  readonly teamName: string | null;
  readonly timezone: string;
  readonly onlyApplication: boolean;
  /** The user as whom commands must be typed on this computer; `null` when it is not known. */
  readonly commandUser: string | null;
  /** How commands begin where rollcall was started; `null` when they begin with `rollcall`, which finds its data. */
  readonly commandLine: string | null;
}
