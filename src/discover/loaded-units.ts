// What a running systemd says of its timers and of the services that they start: also of those that somebody has
// started without enabling them, and of drop-ins wherever they lie.

export interface LoadedUnit {
  /** The file that counts; empty: it has none. */
  readonly fragment: string;
  /** In the order in which they count. */
  readonly dropIns: readonly string[];
  readonly isActive: boolean;
  /** Made by a program, and gone with the next boot. */
  readonly isTransient: boolean;
  /** Its files have changed since they were read. */
  readonly isStale: boolean;
}

/** By their names. */
export type LoadedUnits = ReadonlyMap<string, LoadedUnit>;

const PROPERTIES = "Id,Names,LoadState,ActiveState,FragmentPath,DropInPaths,Transient,NeedDaemonReload,Unit";

type UnitEnvironment = Readonly<Record<string, string | undefined>>;

/** It answers within milliseconds; one that hangs must not hang us. */
const ANSWER_WITHIN = 5_000;
/** Of thousands of units. A user decides what the user's own says. Bytes. */
const ANSWER_MAX = 16 * 1_024 * 1_024;

/** `systemctl`: the command and what it needs before its own words. A text: why it does not tell. */
export function askUnits(systemctl: readonly string[], environment: UnitEnvironment): LoadedUnits | string {
  const timers = show(systemctl, ["*.timer"], environment);
  if (typeof timers === "string") return timers;
  const services = [...new Set(timers.flatMap((timer) => timer.get("Unit") || []))];
  const started = services.length === 0 ? [] : show(systemctl, services, environment);
  if (typeof started === "string") return started;
  return loadedOf([...timers, ...started]);
}

/** As `systemctl show` prints them. */
export const loadedIn = (text: string): LoadedUnits => loadedOf(propertiesIn(text));

const loadedOf = (units: readonly Properties[]): LoadedUnits =>
  new Map(
    units
      .filter((unit) => unit.get("LoadState") === "loaded")
      .flatMap((unit) => namesOf(unit).map((name) => [name, readLoaded(unit)] as const)),
  );

type Properties = ReadonlyMap<string, string>;

function show(
  systemctl: readonly string[],
  units: readonly string[],
  environment: UnitEnvironment,
): readonly Properties[] | string {
  try {
    const ran = Bun.spawnSync([...systemctl, "show", "--no-pager", `--property=${PROPERTIES}`, "--", ...units], {
      env: { ...environment, LC_ALL: "C" },
      stdin: "ignore",
      timeout: ANSWER_WITHIN,
      maxBuffer: ANSWER_MAX,
      // Away from the terminal: who asks in a user's name must not hand over the keyboard.
      detached: true,
    });
    if (ran.exitCode === 0) return propertiesIn(ran.stdout.toString("latin1"));
    return ran.stderr.toString().trim().split("\n")[0] || "it did not answer as it should within 5 s";
  } catch {
    return "there is no systemctl";
  }
}

/** An empty line stands between two units. */
const propertiesIn = (text: string): readonly Properties[] =>
  text
    .split("\n\n")
    .map((unit) => new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!])))
    .filter((unit) => unit.has("Id"));

const namesOf = (unit: Properties): readonly string[] => listIn(unit.get("Names") ?? unit.get("Id"));
/** A word with a back slash or a blank stands in quotation marks, as in C. */
const listIn = (value = ""): readonly string[] =>
  [...value.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)].map(([word, quoted]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? word);

const readLoaded = (unit: Properties): LoadedUnit => ({
  fragment: unit.get("FragmentPath") ?? "",
  dropIns: listIn(unit.get("DropInPaths")),
  isActive: unit.get("ActiveState") === "active",
  isTransient: unit.get("Transient") === "yes",
  isStale: unit.get("NeedDaemonReload") === "yes",
});
