// Finds the C library, for the few system calls that Bun does not offer.

import type { FFIFunction, Library } from "bun:ffi";

/** The file names of the C library, with glibc and with musl. */
const NAMES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

const ON = { linux: NAMES, darwin: ["libSystem.B.dylib"] } as const;
type System = keyof typeof ON;

/**
 * Loads these functions of the library; `null` when it is not found, or on a system other than Linux, where the calls
 * mean something else.
 */
export function loadLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
  systems: readonly System[] = ["linux"],
): Library<Functions>["symbols"] | null {
  const system = systems.find((one) => one === process.platform);
  if (system === undefined) return null;
  // The module is loaded when it is first needed, because a job may wait for `rollcall run` to start.
  const { dlopen }: typeof import("bun:ffi") = require("bun:ffi");
  for (const name of ON[system]) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // The library is not found under this name, so the next is tried.
    }
  }
  return null;
}
