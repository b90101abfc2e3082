// How every message presents a monitor (R38), and what it may say about the instance that sends it.

/** The worst first. */
export const SEVERITIES = ["critical", "error", "warning", "info"] as const;

export type Severity = (typeof SEVERITIES)[number];

export interface Presentation {
  /** Null: people know it by its slug alone. */
  readonly applicationName: string | null;
  readonly teamName: string | null;
  readonly owner: string | null;
  readonly severity: Severity;
  readonly environment: string | null;
  readonly links: Readonly<Record<string, string>>;
  readonly note: string | null;
  readonly labels: readonly string[];
}

/** Where a job runs, as its registry says in its metadata (R29). Each null: it does not. */
export type RunsOn = Readonly<Record<keyof typeof PLACES, string | null>>;

export const HOST_LENGTH = 64;
export const USER_LENGTH = 32;

/** `where`: the file or timer that starts it. `unit`: the service of systemd that it is. Characters. */
const PLACES = { host: HOST_LENGTH, user: USER_LENGTH, where: 200, unit: 200 } as const;

/** Where its client says that it failed, else where its registry says that it runs. */
export function runsOnOf(said: Pick<RunsOn, "host" | "user"> | null, declared: RunsOn | null): RunsOn | null {
  if (said === null || said.host === null) return declared;
  const { host, user } = said;
  if (declared !== null && shortHostName(declared.host) === shortHostName(host))
    return { ...declared, user: user ?? declared.user };
  return { host, user, where: null, unit: null };
}

/** Without its domain, which only one of both may say. */
const shortHostName = (host: string | null): string => (host ?? "").split(".")[0]!.toLowerCase();

/** Null: the metadata says none of it. Throws for what is no JSON. */
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
  /** The name that people know: its public address, or the computer's name. */
  readonly from: string;
  readonly teamName: string | null;
  readonly timezone: string;
  readonly onlyApplication: boolean;
  /** The user to type its commands as, on this computer; null: not known. */
  readonly commandUser: string | null;
  /** How they begin where it was started; null: `rollcall` is found there by its name, and finds its data. */
  readonly commandLine: string | null;
}
