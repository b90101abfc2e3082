// Looks at the service that a timer of systemd starts: whether `rollcall run` may stand before its command, and the
// drop-in that puts it there. The words of the command stay, so systemd reads them as before.

import { SPOOL } from "./accounts.ts";
import { misleadingUnitStatus } from "./exit-status.ts";
import { type Found, type FoundMisleadingStatus, NO_JOB } from "./found.ts";
import { decodedMachineText, type MachineFiles } from "./host.ts";
import type { Manager } from "./managers.ts";
import { worldOfStatus } from "./status-fault.ts";
import {
  DROP_IN,
  expandedSpecifiers,
  isYesInUnit,
  lastSettingValue,
  readUnit,
  settingValues,
  type Unit,
  type UnitSetting,
} from "./unit-file.ts";
import { preventingNotes, restartNoteOf } from "./unit-notes.ts";
import { isFlush, watchedKey } from "./wrap.ts";

type UnitService = Pick<Found, "user" | "command" | "watchedAs" | "why" | "notes" | "change" | "misleading">;

/** The types of services that end when their command ends. */
const TYPES = new Set(["oneshot", "simple", "exec", "idle"]);

/** Settings with which `rollcall run` may not start or not reach the server, so that wrapping could break the job. */
const FORBIDDING: readonly (readonly [name: string, forbid: (values: readonly string[]) => boolean])[] = [
  ["PrivateNetwork", some(isYesInUnit)],
  [
    "RestrictAddressFamilies",
    some((value) => value === "none" || (value.startsWith("~") ? /AF_INET/.test(value) : !/AF_INET\b/.test(value))),
  ],
  ["IPAddressDeny", some(() => true)],
  ["SystemCallFilter", (values) => values.length > 0 && !isWideEnough(values)],
  ["MemoryDenyWriteExecute", some(isYesInUnit)],
  ["RootDirectory", some(() => true)],
  ["RootImage", some(() => true)],
  ["NoExecPaths", some(() => true)],
  ["InaccessiblePaths", some(() => true)],
  ["LimitAS", some((value) => value !== "infinity")],
  ["LimitDATA", some((value) => value !== "infinity")],
  ["NetworkNamespacePath", some(() => true)],
  ["RestrictNetworkInterfaces", some(() => true)],
  ["MemoryMax", some(isTight)],
  ["MemoryLimit", some(isTight)],
  ["MemoryHigh", some(isTight)],
  ["TasksMax", some((value) => Number(value) < TASKS_LEAST)],
  ["LimitNPROC", some((value) => Number(value) < TASKS_LEAST)],
  ["LimitNOFILE", some((value) => Number(value.split(":").at(-1)) < FILES_LEAST)],
];

function some(forbids: (value: string) => boolean): (values: readonly string[]) => boolean {
  return (values) => values.some(forbids);
}

/** The sets of system calls, by systemd's names, of which `rollcall run` uses none. A unit may forbid them. */
export const UNUSED_CALLS: readonly string[] = [
  ...["@aio", "@chown", "@clock", "@cpu-emulation", "@debug", "@keyring", "@memlock", "@module", "@mount"],
  ...["@obsolete", "@pkey", "@privileged", "@raw-io", "@reboot", "@resources", "@setuid", "@swap"],
];

/**
 * Whether the values of SystemCallFilter= permit the calls of `rollcall run`, all of which are in `@system-service`. If
 * the first value begins with `~`, the filter lists forbidden calls, otherwise permitted ones. Further values add to
 * the list and take from it.
 */
function isWideEnough(values: readonly string[]): boolean {
  const wordsOf = (value: string): string[] => value.replace(/^~/, "").split(/\s+/);
  const denied = values.filter((value) => value.startsWith("~")).flatMap(wordsOf);
  const permitted = values.filter((value) => !value.startsWith("~")).flatMap(wordsOf);
  return (
    (values[0]!.startsWith("~") || permitted.includes("@system-service") || permitted.includes("@known")) &&
    denied.every((word) => UNUSED_CALLS.includes(word.replace(/:.*/, "")))
  );
}

/**
 * How many files a service of systemd may open, unless its unit sets another number. Under `rollcall run` its command
 * may open just as many.
 */
const USUAL_FILES = 1_024;

/**
 * How many threads, and how many bytes of memory, `rollcall run` may need besides the command. A unit that allows fewer
 * is not wrapped.
 */
const TASKS_LEAST = 64;
const MEMORY_LEAST = 256 * 2 ** 20;
/** How many files a unit must allow, so that `rollcall run` can start. */
const FILES_LEAST = 64;

function isTight(value: string): boolean {
  const [, number, unit] = /^([\d.]+)([KMGT]?)$/.exec(value) ?? [];
  return number !== undefined && Number(number) * 1024 ** " KMGT".indexOf(unit || " ") < MEMORY_LEAST;
}

/** Matches a value of ExecStart=: first signs with a meaning for systemd, such as `-` or `@`, then the command. */
const PREFIXED = /^([-@:+!|]*)\s*(.*)$/s;

function splitLine(line: string) {
  const [, prefixes = "", command = ""] = PREFIXED.exec(line)!;
  return { prefixes, command };
}

export function serviceOf(name: string, manager: Manager, host: MachineFiles): UnitService {
  if (name.includes("%")) return unwatchable(`it starts ${name}, and only systemd knows which unit that is`);
  const unit = readUnit(name, manager, host);
  if (unit === null) return unwatchable(`there is no ${name}, or it is masked`);
  if (!name.endsWith(".service")) return unwatchable(`it starts ${name}, which is no service`);
  const { settings, ours } = unit;
  const lines = settingValues(settings, "Service", "ExecStart");
  const last = lines.at(-1) ?? "";
  const watchedAs =
    [...lines, ...(ours === null ? [] : settingValues(ours, "Service", "ExecStart"))]
      .map((line) => watchedKey(splitLine(line).command))
      .find((key) => key !== null) ?? null;
  return {
    user: manager.user ?? userOf(name, settings),
    command: splitLine(last).command,
    watchedAs,
    why: whyNot(name, settings, lines),
    notes: notesOf(name, unit, lines),
    misleading: watchedAs === null ? misleadingServiceStatus(settings, lines, host) : null,
    change: {
      kind: "drop-in",
      user: manager.user,
      path: `${manager.dropInRoot}/${name}.d/${DROP_IN}`,
      content: (key, executable) => {
        const why = whyHidden(name, settings, executable);
        return why === null ? { text: dropIn(settings, lines, key, executable) } : { why };
      },
    },
  };
}

/**
 * Says what is misleading about the exit status of a service; `null` when nothing is. systemd starts no shell, so signs
 * such as `|` mean something only if the unit itself starts one.
 */
function misleadingServiceStatus(
  settings: readonly UnitSetting[],
  lines: readonly string[],
  host: MachineFiles,
): FoundMisleadingStatus | null {
  const { prefixes, command } = splitLine(lines.at(-1) ?? "");
  const misleading = misleadingUnitStatus(command, worldOfStatus(host));
  const again = restartNoteOf(settings);
  if (misleading === null && again === null) return null;
  const says = [...(misleading?.says.map(decodedMachineText) ?? []), ...(again === null ? [] : [again.says])];
  const mended = misleading === null ? { before: "", command } : misleading.mended;
  if (mended === null) return { says, instead: null };
  const call = callOf(settings) + (again?.options ?? "");
  return {
    says,
    instead: (key, executable) => ({
      text: `${again === null ? "" : "Restart=no\n"}ExecStart=${prefixes}${mended.before}${executable} run ${call}${key} -- ${mended.command}`,
    }),
  };
}

function userOf(name: string, settings: readonly UnitSetting[]): string {
  const named = lastSettingValue(settings, "Service", "User");
  if (named !== null) return expandedSpecifiers(named, name);
  return isYesInUnit(lastSettingValue(settings, "Service", "DynamicUser") ?? "") ? "a user of its own" : "root";
}

function notesOf(name: string, { settings, ours }: Unit, lines: readonly string[]): readonly string[] {
  const notes: string[] = [];
  if (lines.length > 1)
    notes.push(
      `Of its ${lines.length} commands the last is wrapped: it starts only when those before it have succeeded.`,
    );
  const { others } = permittedBy(settings);
  if (others.length > 0)
    notes.push(`SuccessExitStatus= of ${name} permits ${others.join(" ")}, and that is a failure here.`);
  if (splitLine(lines.at(-1) ?? "").prefixes.includes("-"))
    notes.push(`ExecStart=- of ${name} permits its command to fail, which is a failure here.`);
  const files = lastSettingValue(settings, "Service", "LimitNOFILE");
  if (files !== null && !(Number(files.split(":")[0]) <= USUAL_FILES))
    notes.push(
      `LimitNOFILE=${files} of ${name}: under rollcall run its command may open ${USUAL_FILES} files until it asks for more.`,
    );
  notes.push(...preventingNotes(settings, name));
  if (ours !== null && !isStillFor(ours, settings, lines))
    notes.push(`${name} has another command than our drop-in: undo and apply again, for it still runs the old one.`);
  return notes;
}

const unwatchable = (why: string): UnitService => ({ ...NO_JOB, user: "root", why });

function whyNot(name: string, settings: readonly UnitSetting[], lines: readonly string[]): string | null {
  const last = lines.at(-1);
  if (last === undefined) return `${name} has no ExecStart=`;
  const type = lastSettingValue(settings, "Service", "Type") ?? "simple";
  if (!TYPES.has(type)) return `${name} is of Type=${type}: systemd expects more of it than that its command ends`;
  if (isYesInUnit(lastSettingValue(settings, "Service", "RemainAfterExit") ?? ""))
    return `${name} stays active after its command, so the timer starts it once`;
  if (Number.parseFloat(lastSettingValue(settings, "Service", "WatchdogSec") ?? "0") !== 0)
    return `${name} has a watchdog (WatchdogSec=), which hears its command alone`;
  const restart = lastSettingValue(settings, "Service", "Restart") ?? "no";
  if (restart === "always" || restart === "on-success")
    return `Restart=${restart} of ${name} starts it again whenever it ends, so it is no job with an end`;
  const { prefixes, command } = splitLine(last);
  if (isFlush(command)) return "it is rollcall's own: it sends the reports that wait";
  if (prefixes.includes("@")) return `${name} gives its command another name (@), which would be lost`;
  if (prefixes.includes("|")) return `${name} gives its command to a shell (|), which would not get it whole`;
  if (!command.startsWith("/") && hasOwnPath(settings))
    return `the command of ${name} has no absolute path, and its environment may name another PATH`;
  if (/\s;(?:\s|$)/.test(command)) return `${name} has several commands in one ExecStart=`;
  const forbidding = FORBIDDING.find(([setting, forbid]) => forbid(settingValues(settings, "Service", setting)));
  return forbidding === undefined
    ? null
    : `${forbidding[0]}= of ${name} may keep rollcall run from its work: report in a line of its own`;
}

/** Says which setting hides the rollcall program from the service; `null` when none does. */
function whyHidden(name: string, settings: readonly UnitSetting[], executable: string): string | null {
  const isHome = /^\/(?:home|root|run\/user)\//.test(executable);
  const home = lastSettingValue(settings, "Service", "ProtectHome") ?? "";
  const covers = (value: string): boolean => executable.startsWith(`${value.split(":")[0]!.replace(/\/$/, "")}/`);
  const hiding =
    isHome && (isYesInUnit(home) || home === "tmpfs")
      ? "ProtectHome"
      : settingValues(settings, "Service", "TemporaryFileSystem").some(covers)
        ? "TemporaryFileSystem"
        : null;
  return hiding === null ? null : `${hiding}= of ${name} hides ${executable} from it`;
}

/**
 * Whether the unit may set another PATH for its command. systemd itself searches fixed directories for a command that
 * has no path.
 */
const hasOwnPath = (settings: readonly UnitSetting[]): boolean =>
  settingValues(settings, "Service", "EnvironmentFile").length > 0 ||
  ["Environment", "PassEnvironment", "ExecSearchPath"].some((name) =>
    settingValues(settings, "Service", name).some((value) => name === "ExecSearchPath" || /\bPATH\b/.test(value)),
  );

function isStillFor(ours: readonly UnitSetting[], settings: readonly UnitSetting[], lines: readonly string[]): boolean {
  const now = settingValues(ours, "Service", "ExecStart");
  const [, executable, key] =
    /^[-:+!]*(\S*rollcall\S*) run (?:--success-codes \S+ )?(\S+(?: --(?:message|output)-from-stderr)*) -- /.exec(
      now.at(-1) ?? "",
    ) ?? [];
  return key !== undefined && now.join("\n") === wrappedLines(settings, lines, key, executable!).join("\n");
}

/** The names by which a unit may call exit codes. systemd has more, for commands that it could not start. */
const EXIT_CODES: ReadonlyMap<string, number> = new Map([
  ["SUCCESS", 0],
  ["FAILURE", 1],
  ...["INVALIDARGUMENT", "NOTIMPLEMENTED", "NOPERMISSION", "NOTINSTALLED", "NOTCONFIGURED", "NOTRUNNING"].map(from(2)),
  ...["USAGE", "DATAERR", "NOINPUT", "NOUSER", "NOHOST", "UNAVAILABLE", "SOFTWARE", "OSERR", "OSFILE"].map(from(64)),
  ...["CANTCREAT", "IOERR", "TEMPFAIL", "PROTOCOL", "NOPERM", "CONFIG"].map(from(73)),
]);

function from(first: number): (name: string, place: number) => [string, number] {
  return (name, place) => [name, first + place];
}

function permittedBy(settings: readonly UnitSetting[]) {
  const words = settingValues(settings, "Service", "SuccessExitStatus").flatMap((value) => value.split(/\s+/));
  const codeOf = (word: string): number | null =>
    EXIT_CODES.get(word) ?? (/^\d+$/.test(word) && Number(word) <= 255 ? Number(word) : null);
  const codes = words.map(codeOf).filter((code) => code !== null && code !== 0) as number[];
  return {
    codes: [...new Set(codes)].sort((one, other) => one - other),
    others: words.filter((word) => codeOf(word) === null),
  };
}

const HEAD =
  "# Written by rollcall discover, which takes it back with --undo. The command is that of the unit.\n[Service]\nExecStart=\n";

export const isDropIn = (text: string): boolean => text.startsWith(HEAD);

const dropIn = (settings: readonly UnitSetting[], lines: readonly string[], key: string, executable: string): string =>
  HEAD +
  wrappedLines(settings, lines, key, executable)
    .map((line) => `ExecStart=${line}\n`)
    .join("") +
  (isSealed(settings) ? `ReadWritePaths=-${SPOOL}\n` : "");

/** Whether the unit makes /var read-only, so that a report that cannot be sent at once could not wait there. */
const isSealed = (settings: readonly UnitSetting[]): boolean =>
  lastSettingValue(settings, "Service", "ProtectSystem") === "strict" ||
  isYesInUnit(lastSettingValue(settings, "Service", "DynamicUser") ?? "");

function wrappedLines(
  settings: readonly UnitSetting[],
  lines: readonly string[],
  key: string,
  executable: string,
): string[] {
  const { prefixes, command } = splitLine(lines.at(-1) ?? "");
  return [...lines.slice(0, -1), `${prefixes}${executable} run ${callOf(settings)}${key} -- ${command}`];
}

/**
 * The options of `rollcall run` that follow from the unit's SuccessExitStatus=, to be written before the monitor's key;
 * empty without such codes.
 */
function callOf(settings: readonly UnitSetting[]): string {
  const { codes } = permittedBy(settings);
  return codes.length === 0 ? "" : `--success-codes ${codes.join(",")} `;
}
