// A part of `test/task torture`: one way to hurt the executable, with a verdict of its own. Says what every part takes
// and gives; what a part does stands in its own file.

/** How many of something a full run takes, and the sample of `make test`. */
interface Count {
  readonly full: number;
  readonly sample: number;
}

/** Where a part says how it goes. */
export interface Report {
  /** How far it is, for a person who waits; may be called often. */
  progress(text: string): void;
  /** A line that stays, for a person who reads them all. */
  note(text: string): void;
  /** A figure of the table at the end, by its name; the last of a name counts. */
  figure(name: string, value: number | string): void;
  /** A broken promise. One is enough for the part to fail. */
  fault(text: string): void;
}

/** `seed` repeats what chance decides of a run. */
export type Counts<Name extends string = string> = Readonly<Record<Name | "seed", number>>;

export interface Part<Name extends string = string> {
  /** As PARTS names it. */
  readonly name: string;
  /** What is done and what must hold, in one sentence. */
  readonly what: string;
  /** By name; the environment changes one by its name in capitals (`KILLS=50`). */
  readonly counts: Readonly<Record<Name, Count>>;
  run(counts: Counts<Name>, report: Report): Promise<void>;
}

/** What came of a run. */
export interface Outcome {
  readonly figures: ReadonlyMap<string, number | string>;
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** Who hears of a run while it goes on. */
export type Listener = Pick<Report, "progress" | "note">;

/** More faults than these are counted and not kept. */
const FAULTS_KEPT = 50;

/** Runs a part. What it throws is a fault of it, too. */
export async function runPart<Name extends string>(
  part: Part<Name>,
  counts: Counts<Name>,
  listener: Listener = { progress: () => {}, note: () => {} },
): Promise<Outcome> {
  const figures = new Map<string, number | string>();
  const faults: string[] = [];
  const startedAt = performance.now();
  const fault = (text: string): void => {
    if (faults.length < FAULTS_KEPT) faults.push(text);
    else faults[FAULTS_KEPT] = "and more";
  };
  try {
    await part.run(counts, { ...listener, figure: (name, value) => figures.set(name, value), fault });
  } catch (error) {
    fault(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return { figures, faults, seconds: (performance.now() - startedAt) / 1_000 };
}

/** Runs the sample of `make test`; the seed stays the same unless SEED says another. */
export const runSample = <Name extends string>(part: Part<Name>): Promise<Outcome> =>
  runPart(part, countsOf(part, "sample", 1));

/** What the environment says, else what such a run takes. */
export function countsOf<Name extends string>(part: Part<Name>, size: keyof Count, seed: number): Counts<Name> {
  const names = Object.keys(part.counts) as Name[];
  const counted = names.map((name) => [name, fromEnvironment(name) ?? part.counts[name][size]]);
  return { ...Object.fromEntries(counted), seed: fromEnvironment("seed") ?? seed };
}

function fromEnvironment(name: string): number | null {
  const variable = name.replace(/[A-Z]/g, "_$&").toUpperCase();
  const text = process.env[variable];
  if (text === undefined || text === "") return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${variable} must be a whole number, not ${text}`);
  return value;
}
