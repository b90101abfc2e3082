// Loads functions of the C library, for the few system calls that Bun does not offer.

import type { FFIFunction, Library } from "bun:ffi";

const NAMES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

const ON = { linux: NAMES, darwin: ["libSystem.B.dylib"] } as const;
type System = keyof typeof ON;

/**
 * Loads `functions` from the C library. Returns `null` when the library is not found, or when this system is none of
 * `systems`: on another system the same call may mean something else.
 */
export function loadLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
  systems: readonly System[] = ["linux"],
): Library<Functions>["symbols"] | null {
  const system = systems.find((one) => one === process.platform);
  if (system === undefined) return null;
  // `bun:ffi` is loaded only here, because loading takes time, and `rollcall run` must start its job at once.
  const { dlopen }: typeof import("bun:ffi") = require("bun:ffi");
  for (const name of ON[system]) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // No library has this name, so the next name is tried.
    }
  }
  return null;
}
