// The part that reads random schedules beside a grammar of its own. Each process has a stream of its own, so that the
// texts follow from the seed and the number of processes.

import { join } from "node:path";
import type { Part } from "./part.ts";
import type { Tally } from "./schedule-fuzz.ts";

const FUZZ = join(import.meta.dir, "schedule-fuzz.ts");

export const schedules: Part<"schedules" | "processes"> = {
  name: "schedules",
  what: "random schedules are taken or refused, and mean and expect, what a grammar written from the contract alone says",
  counts: { schedules: { full: 10_000_000, sample: 20_000 }, processes: { full: 2, sample: 1 } },
  run: async ({ schedules, processes, seed }, report) => {
    const share = Math.ceil(schedules / processes);
    const tallies = new Map<number, Tally>();
    const sum = (name: "texts" | "taken" | "takenByAliases" | "refused" | "slotsInZones"): number =>
      [...tallies.values()].reduce((total, tally) => total + tally[name], 0);

    const followed = Array.from({ length: processes }, (_, stream) =>
      follow([share, seed, stream], (tally) => {
        tallies.set(stream, tally);
        report.progress(`${sum("texts")} of ${schedules}`);
      }),
    );
    const exits = await Promise.all(followed);
    if (exits.some((exit) => exit !== 0)) report.fault(`a process ended with ${exits.join(" and ")}`);
    report.figure("read", sum("texts"));
    report.figure("taken", sum("taken"));
    report.figure("taken by the aliases alone", sum("takenByAliases"));
    report.figure("refused by both", sum("refused"));
    report.figure("slots compared in zones with clock changes", sum("slotsInZones"));
    for (const { disagreements } of tallies.values()) for (const one of disagreements) report.fault(one);
  },
};

/** Runs a process and tells each tally it writes; answers its exit code. */
async function follow(args: readonly number[], tell: (tally: Tally) => void): Promise<number> {
  const child = Bun.spawn([process.execPath, FUZZ, ...args.map(String)], { stdout: "pipe", stderr: "inherit" });
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of child.stdout) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) tell(JSON.parse(line));
  }
  return child.exited;
}
