// Finds the C library, for the few calls that Bun has no words for. Knows only Linux.

import { dlopen, type FFIFunction, type Library } from "bun:ffi";

/** Its name with glibc, and with musl. */
const NAMES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/** These functions of the library; null if this is not Linux, or it is not found. */
export function loadLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | null {
  if (process.platform !== "linux") return null;
  for (const name of NAMES) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // The other one, then.
    }
  }
  return null;
}
