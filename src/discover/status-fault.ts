// Declares a fault of a command: its exit status does not say how the job ended. A fault has a sentence about that, and
// the edits that mend the command. This file also applies such edits.

import type { MachineFiles } from "./host.ts";
import { systemManager } from "./managers.ts";
import { isYesInUnit, lastSettingValue, readUnit } from "./unit-file.ts";

export interface Mended {
  /** What stays before `rollcall run` in the line, such as `flock -n FILE`; mostly "". */
  readonly before: string;
  readonly command: string;
  /** Whether the command can only be read by bash and similar shells, and not by every sh. */
  readonly needsBash: boolean;
}

export interface MisleadingStatus {
  /** The faults, as sentences. */
  readonly says: readonly string[];
  /** The command without the faults; `null` when more than a short change would be needed. */
  readonly mended: Mended | null;
}

export interface StatusWorld {
  readonly isProgram: (path: string) => boolean;
  readonly isThere: (path: string) => boolean;
  /** Whether `systemctl start` waits until this unit has ended, which it does for `Type=oneshot`. */
  readonly isOneshot: (unit: string) => boolean;
}

export const worldOfStatus = (host: MachineFiles): StatusWorld => ({
  isProgram: (path) => {
    const facts = host.facts(path);
    return facts?.kind === "file" && (facts.mode & 0o111) !== 0;
  },
  isThere: (path) => host.facts(path) !== null,
  isOneshot: (unit) => {
    const name = /\.\w+$/.test(unit) ? unit : `${unit}.service`;
    const settings = readUnit(name, systemManager(true, null), host)?.settings ?? [];
    return (
      lastSettingValue(settings, "Service", "Type") === "oneshot" &&
      !isYesInUnit(lastSettingValue(settings, "Service", "RemainAfterExit") ?? "")
    );
  },
});

/** Replaces the text of the command from index `at` to index `end`. */
export type Edit = Readonly<{ at: number; end: number; text: string }>;
/**
 * The part of the command that runs under `rollcall run`: from index `from` to index `to`. `before` is the text that
 * stays in front of `rollcall run`.
 */
export type Behind = Readonly<{ before: string; from: number; to: number }>;
/** A fault of an exit status: `says` describes it, `edits` mend it. `edits` is `null` when no short change does. */
export type StatusFault = Readonly<{
  says: string;
  edits: readonly Edit[] | null;
  needsBash?: boolean;
  behind?: Behind;
  /**
   * True when the sentence says that nothing has run. Such a fault is left out for a command that runs after another
   * job, because then something has run.
   */
  isSkip?: true;
}>;

export type Reading = StatusWorld &
  Readonly<{
    text: string;
    /**
     * Where `text` begins in the whole command. `null` when places in `text` cannot be found in the command, because
     * quotes were removed or words were joined.
     */
    offset: number | null;
    isErrexit: boolean;
    isPipefail: boolean;
  }>;

export const editsInWholeCommand = ({ offset }: Reading, edits: readonly Edit[]): readonly Edit[] | null =>
  offset === null ? null : edits.map(({ at, end, text }) => ({ at: at + offset, end: end + offset, text }));

const SHOWN_MAX = 60;
export const shortShellText = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, " ").replaceAll("\\%", "%");
  return line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)}…`;
};
export type Placed = Readonly<{ pos: number; end: number }>;
export const shownCommand = ({ pos, end }: Placed, { text }: Reading): string =>
  shortShellText(text.slice(pos, end).replace(/[;&]\s*$/, ""));
export const shownInBackticks = (node: Placed, reading: Reading): string => `\`${shownCommand(node, reading)}\``;

/** Returns the command without these faults; `null` when no short change mends all of them. */
export function mendedCommand(command: string, problems: readonly StatusFault[]): Mended | null {
  const edits = problems.flatMap((problem) => problem.edits ?? []);
  if (problems.some((problem) => problem.edits === null)) return null;
  const behind = problems.flatMap((problem) => problem.behind ?? []);
  const { before, from, to } = behind.toSorted((one, other) => other.from - one.from)[0] ?? {
    before: "",
    from: 0,
    to: command.length,
  };
  const sorted = edits.toSorted((one, other) => other.at - one.at || other.end - one.end);
  let text = command.slice(0, to);
  let last = to;
  for (const { at, end, text: put } of sorted) {
    // Two edits that overlap would make another command than was meant.
    if (end > last || at < from) return null;
    text = text.slice(0, at) + put + text.slice(end);
    last = at;
  }
  return {
    before,
    command: text.slice(from).trimEnd(),
    needsBash: problems.some((problem) => problem.needsBash === true),
  };
}
