// Plans which changes of files put `rollcall run` before the commands of jobs. It writes nothing.

import { errorMessage } from "../domain/errors.ts";
import type { Job } from "./discover.ts";
import type { DropIn, FoundChange, LineChange, Place } from "./found.ts";
import { unwrapLine, unwrapOurs } from "./wrap.ts";

export type Pair = Readonly<{ bare: string; wrapped: string }>;

export interface FileChange {
  readonly place: Place;
  readonly before: string | null;
  readonly after: string;
  /** The lines that change, each as it was and as it will be; empty when the file is new. */
  readonly pairs: readonly Pair[];
  readonly keys: readonly string[];
}

export interface Plan {
  readonly changes: readonly FileChange[];
  readonly wrapped: readonly Job[];
  readonly left: readonly { readonly job: Job; readonly why: string }[];
}

/** How a command is wrapped: the path of rollcall, and the options that follow the key, each after a space. */
export type WrappingCall = Readonly<{ executable: string; options: string }>;

/**
 * Plans the changes for these jobs, each of which must have a `change`. `read` returns the present text of a file or
 * crontab, or `null` when there is none.
 */
export function wrapPlanOf(
  jobs: readonly Job[],
  { executable, options }: WrappingCall,
  read: (place: Place) => string | null,
): Plan {
  const left: { job: Job; why: string }[] = [];
  const wrapped: Job[] = [];
  const files = new Map<string, FileChange>();
  for (const job of jobs) {
    const change = job.change!;
    const place = placeOfChange(change);
    let next: MadeChange;
    try {
      const file = files.get(placeLabel(place)) ?? startOf(place, read(place));
      next =
        change.kind === "line"
          ? withLine(file, change, job.key + options, executable)
          : withDropIn(file, change, job.key + options, executable);
    } catch (error) {
      next = { why: errorMessage(error) };
    }
    if ("why" in next) left.push({ job, why: next.why });
    else {
      files.set(placeLabel(place), { ...next, keys: [...next.keys, job.key] });
      wrapped.push(job);
    }
  }
  return { changes: [...files.values()], wrapped, left };
}

/** Says why the job's command cannot be wrapped; `null` when it can, or when nothing would be changed for the job. */
export function whyUnwrapped({ change, key }: Job, { executable, options }: WrappingCall): string | null {
  if (change === null) return null;
  const made =
    change.kind === "line" ? change.wrap(key + options, executable) : change.content(key + options, executable);
  return "why" in made ? made.why : null;
}

export const placeOfChange = (change: FoundChange): Place =>
  change.kind === "line" ? change.place : { kind: "file", path: change.path };

/** The name of a file or crontab, for people. No two files or crontabs have the same name. */
export const placeLabel = (place: Place): string => (place.kind === "file" ? place.path : `crontab of ${place.user}`);

const startOf = (place: Place, before: string | null) => ({ place, before, after: before ?? "", pairs: [], keys: [] });

type MadeChange = FileChange | { readonly why: string };

function withLine(file: FileChange, change: LineChange, key: string, executable: string): MadeChange {
  const lines = file.after.split("\n");
  const { bare } = change;
  const made = change.wrap(key, executable);
  if ("why" in made) return made;
  // `change.line` may be the number of another line here, because `crontab -l` leaves out comments at the top of a file
  // that `crontab` has not written.
  if (lines[change.line] !== bare)
    return { why: `${placeLabel(file.place)} does not read as the file does: save it once with crontab -e` };
  lines[change.line] = made.text;
  return { ...file, after: lines.join("\n"), pairs: [...file.pairs, { bare, wrapped: made.text }] };
}

function withDropIn(file: FileChange, change: DropIn, key: string, executable: string): MadeChange {
  if (file.before !== null) return { why: `there is ${change.path} already` };
  const made = change.content(key, executable);
  return "why" in made ? made : { ...file, after: made.text };
}

/** Returns the text with its wrapped lines as they were before, even if they were edited since. Other lines stay. */
export function textWithoutWrapping(text: string, pairs: readonly Pair[], keys: readonly string[]): string {
  const bare = new Map(pairs.map((pair) => [pair.wrapped, pair.bare]));
  return text
    .split("\n")
    .map((line) => bare.get(line) ?? unwrapLine(line, keys))
    .join("\n");
}

export const textWithoutOurWrapping = (text: string): string =>
  text
    .split("\n")
    .map((line) => unwrapOurs(line) ?? line)
    .join("\n");
