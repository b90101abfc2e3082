// Describes a machine's managers of systemd, the system's and the users', and asks a running one for its units.

import { decodedMachineText, type MachineFiles } from "./host.ts";

export interface Manager {
  readonly user: string | null;
  /** The directories in which the manager searches for units. If several have a unit of one name, the first counts. */
  readonly path: readonly string[];
  /** The directory below which rollcall writes its drop-ins. */
  readonly dropInRoot: string;
  /** The units that the manager has loaded; `null` when it does not run here, or does not answer. */
  readonly loaded: LoadedUnits | null;
  /** Why this manager's timers do not start at their times; `null` when they do. */
  readonly idle: string | null;
}

export type UserOfUnits = ReturnType<typeof usersOfUnits>[number];

const SYSTEM_UNIT_DIRECTORIES = [
  "/etc/systemd/system.control",
  "/run/systemd/system.control",
  "/run/systemd/transient",
  "/run/systemd/generator.early",
  "/etc/systemd/system",
  "/run/systemd/system",
  "/run/systemd/generator",
  "/usr/local/lib/systemd/system",
  "/usr/lib/systemd/system",
  "/lib/systemd/system",
  "/run/systemd/generator.late",
];

const unitDirectories = ({ home, uid }: UserOfUnits): readonly string[] => [
  `${home}/.config/systemd/user.control`,
  `/run/user/${uid}/systemd/transient`,
  `/run/user/${uid}/systemd/generator.early`,
  `${home}/.config/systemd/user`,
  "/etc/systemd/user",
  `/run/user/${uid}/systemd/user`,
  "/run/systemd/user",
  `/run/user/${uid}/systemd/generator`,
  `${home}/.local/share/systemd/user`,
  "/usr/local/lib/systemd/user",
  "/usr/lib/systemd/user",
  `/run/user/${uid}/systemd/generator.late`,
];

export const systemManager = (systemd: boolean, loaded: LoadedUnits | null): Manager => ({
  user: null,
  path: SYSTEM_UNIT_DIRECTORIES,
  dropInRoot: "/etc/systemd/system",
  loaded,
  idle: systemd ? null : "systemd does not run here, so its timers start nothing",
});

export const userManager = (user: UserOfUnits, systemd: boolean, loaded: LoadedUnits | null): Manager => ({
  user: user.user,
  path: unitDirectories(user),
  dropInRoot: `${user.home}/.config/systemd/user`,
  loaded,
  idle: !systemd
    ? "systemd does not run here, so its timers start nothing"
    : user.lingers
      ? null
      : `it runs only while ${user.user} is signed in; loginctl enable-linger ${user.user} lets it run always`,
});

/**
 * Returns the users whose managers of systemd may have timers: those who linger (their manager also runs while they are
 * not signed in), and those who have enabled units. With `only`, no other user is looked at.
 */
export function usersOfUnits(host: MachineFiles, only: string | null) {
  return (host.read("/etc/passwd") ?? "").split("\n").flatMap((row) => {
    const [user, , uid, , , home] = decodedMachineText(row).split(":");
    if (!user || !home?.startsWith("/") || (only !== null && user !== only)) return [];
    const lingers = host.facts(`/var/lib/systemd/linger/${user}`) !== null;
    const hasUnits = host.names(`${home}/.config/systemd/user`).some((name) => name.endsWith(".wants"));
    return lingers || hasUnits ? [{ user, uid: Number(uid), home, lingers }] : [];
  });
}

// The following asks a running systemd. A running systemd also knows timers that were started without being enabled,
// and all drop-ins.

export type LoadedUnits = ReadonlyMap<string, ReturnType<typeof readLoaded>>;

const PROPERTIES = "Id,Names,LoadState,ActiveState,FragmentPath,DropInPaths,Transient,NeedDaemonReload,Unit";

type UnitEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * How many milliseconds we wait for the output of `systemctl`. It usually takes a few, and a systemd that hangs must
 * not make us hang.
 */
const SYSTEMD_WITHIN = 5_000;
/**
 * How many bytes the output of `systemctl` may have: enough for thousands of units. The limit is there because a user
 * decides what the user's own systemd says.
 */
const UNITS_BYTES_MAX = 16 * 1_024 * 1_024;

/**
 * Asks systemd for its timers and the services that they start. `systemctl` is the command with its first words, such
 * as `--user`. If systemd does not answer, returns a text that says why.
 */
export function askUnits(systemctl: readonly string[], environment: UnitEnvironment): LoadedUnits | string {
  const timers = showUnits(systemctl, ["*.timer"], environment);
  if (typeof timers === "string") return timers;
  const services = [...new Set(timers.flatMap((timer) => timer.get("Unit") || []))];
  const started = services.length === 0 ? [] : showUnits(systemctl, services, environment);
  if (typeof started === "string") return started;
  return loadedOf([...timers, ...started]);
}

export const loadedIn = (text: string): LoadedUnits => loadedOf(propertiesIn(text));

const loadedOf = (units: readonly Properties[]): LoadedUnits =>
  new Map(
    units
      .filter((unit) => unit.get("LoadState") === "loaded")
      .flatMap((unit) => unitNames(unit).map((name) => [name, readLoaded(unit)] as const)),
  );

type Properties = ReadonlyMap<string, string>;

function showUnits(
  systemctl: readonly string[],
  units: readonly string[],
  environment: UnitEnvironment,
): readonly Properties[] | string {
  try {
    const ran = Bun.spawnSync([...systemctl, "show", "--no-pager", `--property=${PROPERTIES}`, "--", ...units], {
      env: { ...environment, LC_ALL: "C" },
      stdin: "ignore",
      timeout: SYSTEMD_WITHIN,
      maxBuffer: UNITS_BYTES_MAX,
      // The process is detached from the terminal: a program of another user must not get the keyboard of root.
      detached: true,
    });
    if (ran.exitCode === 0) return propertiesIn(ran.stdout.toString("latin1"));
    return ran.stderr.toString().trim().split("\n")[0] || "it did not answer as it should within 5 s";
  } catch {
    return "there is no systemctl";
  }
}

const propertiesIn = (text: string): readonly Properties[] =>
  text
    .split("\n\n")
    .map((unit) => new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!])))
    .filter((unit) => unit.has("Id"));

const unitNames = (unit: Properties): readonly string[] => listIn(unit.get("Names") ?? unit.get("Id"));
/** Splits a list into words. A word with a backslash or a blank is in quotation marks, as in C. */
const listIn = (value = ""): readonly string[] =>
  [...value.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)].map(([word, quoted]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? word);

const readLoaded = (unit: Properties) => ({
  /** The unit's main file; "" when it has none. */
  fragment: unit.get("FragmentPath") ?? "",
  dropIns: listIn(unit.get("DropInPaths")),
  isActive: unit.get("ActiveState") === "active",
  /** True when a program has made the unit while systemd ran. Such a unit is gone after the next boot. */
  isTransient: unit.get("Transient") === "yes",
  /** True when the files of the unit have changed since systemd read them. */
  isStale: unit.get("NeedDaemonReload") === "yes",
});
