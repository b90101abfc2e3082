// Reads the configuration, but returns an earlier reading as long as none of the files that it came from has changed.
// So a configuration that was checked first and then put in force is read only once, and is the same.

import type { KeptText } from "../domain/settings/kept.ts";
import { type Inputs, type Loaded, loadConfig } from "./load.ts";

type ReadFile = (path: string) => string;

interface KnownReading {
  readonly kept: readonly KeptText[];
  readonly loaded: Loaded;
  /** Whether each file that was read is still unchanged. */
  readonly isSame: () => boolean;
}

/**
 * How many readings are remembered. A start may need two: one with all kept sections, and one without those that have a
 * fault beside the present configuration.
 */
const REMEMBERED = 2;

/**
 * Makes the function that reads the configuration. To find changes it compares only files, because the environment of a
 * process never changes.
 */
export function createReader(inputs: Inputs): (kept: readonly KeptText[]) => Loaded {
  const known: KnownReading[] = [];
  return (kept) => {
    const same = known.find((reading) => Bun.deepEquals(reading.kept, kept) && reading.isSame());
    if (same !== undefined) return same.loaded;
    const reading = readNoting(inputs, kept);
    known.unshift(reading);
    known.splice(REMEMBERED);
    return reading.loaded;
  };
}

function readNoting(inputs: Inputs, kept: readonly KeptText[]): KnownReading {
  const found: (() => boolean)[] = [];
  const noting =
    (read: ReadFile): ReadFile =>
    (path) => {
      const before = findingOf(read, path);
      found.push(() => isSameFinding(findingOf(read, path), before));
      if ("error" in before) throw before.error;
      return before.text;
    };
  const { readFile, readFound } = inputs;
  const loaded = loadConfig({ ...inputs, readFile: noting(readFile), readFound: noting(readFound), kept });
  return { kept, loaded, isSame: () => found.every((isFound) => isFound()) };
}

type FileFinding = { readonly text: string } | { readonly error: unknown };

function findingOf(read: ReadFile, path: string): FileFinding {
  try {
    return { text: read(path) };
  } catch (error) {
    return { error };
  }
}

/** Whether two readings of a file found the same. Two errors count as the same when they have the same message. */
const isSameFinding = (one: FileFinding, other: FileFinding): boolean =>
  "text" in one ? "text" in other && one.text === other.text : "error" in other && `${one.error}` === `${other.error}`;
