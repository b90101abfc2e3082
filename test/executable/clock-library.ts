// The library that gives a program another clock (Debian: faketime), so that the executable itself can be seen through
// hours of downtime and a clock change. Tests that need it are left out where it is not installed; CI installs it.

import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * What a process must be started with for its clock to begin at `at` (`2026-03-02 12:58:50`, UTC) and to run so much
 * faster.
 */
export type ClockFrom = (at: string, times?: number) => Record<string, string>;

/**
 * How much faster than real time a clock may run beside other tests. Date and uptime then drift apart: between two
 * looks of rollcall, a second apart, that must stay far below the five seconds that it calls a gap, on a busy machine
 * too. At 2 a process may stand still for four seconds more, at 4 for two thirds of one.
 */
export const FAST = 2;

/** Null where the library is not installed. */
export const clockFrom: ClockFrom | null = findLibrary();

function findLibrary(): ClockFrom | null {
  const [library] = listed("/usr/lib").flatMap((folder) =>
    listed(join("/usr/lib", folder, "faketime"))
      .filter((file) => file === "libfaketimeMT.so.1")
      .map((file) => join("/usr/lib", folder, "faketime", file)),
  );
  if (library === undefined && process.env["ROLLCALL_TEST_CLOCKS"] === "needed") throw new Error("faketime is missing");
  if (library === undefined) return null;
  return (at, times = 1) => ({
    LD_PRELOAD: library,
    FAKETIME: `@${at} x${times}`,
    TZ: "UTC",
    // Timers keep real time; it is the date that is wrong or fast.
    DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  });
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
