// What is wrong with an exit status, in a sentence, and which letters of the command would mend it.

import type { Host } from "./host.ts";
import { systemManager } from "./managers.ts";
import { isYes, lastOf, readUnit } from "./unit-file.ts";

export interface Mended {
  /** The part of the line that stays before `rollcall run`, such as `flock -n FILE`; mostly empty. */
  readonly before: string;
  readonly command: string;
  /** Only bash and its like read it. */
  readonly needsBash: boolean;
}

export interface StatusDoubt {
  /** Sentences. */
  readonly says: readonly string[];
  /** Null: a change of a few letters does not mend it. */
  readonly mended: Mended | null;
}

export interface StatusWorld {
  /** Whether a program lies there. */
  readonly isProgram: (path: string) => boolean;
  /** Whether anything lies there. */
  readonly isThere: (path: string) => boolean;
  /** Whether this unit of systemd is one that `systemctl start` waits for (`Type=oneshot`). */
  readonly isOneshot: (unit: string) => boolean;
}

export const worldOfStatus = (host: Host): StatusWorld => ({
  isProgram: (path) => {
    const facts = host.facts(path);
    return facts?.kind === "file" && (facts.mode & 0o111) !== 0;
  },
  isThere: (path) => host.facts(path) !== null,
  isOneshot: (unit) => {
    const name = /\.\w+$/.test(unit) ? unit : `${unit}.service`;
    const settings = readUnit(name, systemManager(true, null), host)?.settings ?? [];
    return (
      lastOf(settings, "Service", "Type") === "oneshot" && !isYes(lastOf(settings, "Service", "RemainAfterExit") ?? "")
    );
  },
});

/** Instead of the letters from `at` to `end`. */
export type Edit = Readonly<{ at: number; end: number; text: string }>;
/** A part of the whole command, behind which `rollcall run` goes. */
export type Behind = Readonly<{ before: string; from: number; to: number }>;
/** `edits` null: nothing short mends it. */
export type StatusFault = Readonly<{
  says: string;
  edits: readonly Edit[] | null;
  needsBash?: boolean;
  behind?: Behind;
  /** It says that nothing runs then, which is untrue of a part behind another job. */
  isSkip?: true;
}>;

export type Reading = StatusWorld &
  Readonly<{
    text: string;
    /** Where the text stands in the whole command; null: not letter by letter. */
    offset: number | null;
    isErrexit: boolean;
    isPipefail: boolean;
  }>;

export const placed = ({ offset }: Reading, edits: readonly Edit[]): readonly Edit[] | null =>
  offset === null ? null : edits.map(({ at, end, text }) => ({ at: at + offset, end: end + offset, text }));

const SHOWN_MAX = 60;
export const short = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, " ").replaceAll("\\%", "%");
  return line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)}…`;
};
export type Placed = Readonly<{ pos: number; end: number }>;
export const shownCommand = ({ pos, end }: Placed, { text }: Reading): string =>
  short(text.slice(pos, end).replace(/[;&]\s*$/, ""));
export const shown = (node: Placed, reading: Reading): string => `\`${shownCommand(node, reading)}\``;

/** Null: no change of a few letters mends all of them. */
export function mended(command: string, problems: readonly StatusFault[]): Mended | null {
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
    // Two that meet would make something that nobody has thought of.
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
