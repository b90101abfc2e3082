// Finds the C library, for the few calls that Bun has no words for.

import type { FFIFunction, Library } from "bun:ffi";

/** Its name with glibc, and with musl. */
const NAMES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

const ON = { linux: NAMES, darwin: ["libSystem.B.dylib"] } as const;
type System = keyof typeof ON;

/** These functions of the library; null if it is not found, or the calls mean this only on other systems than ours. */
export function loadLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
  systems: readonly System[] = ["linux"],
): Library<Functions>["symbols"] | null {
  const system = systems.find((one) => one === process.platform);
  if (system === undefined) return null;
  // Loaded when it is first needed, because a job may wait for `rollcall run`.
  const { dlopen }: typeof import("bun:ffi") = require("bun:ffi");
  for (const name of ON[system]) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // The other one, then.
    }
  }
  return null;
}
