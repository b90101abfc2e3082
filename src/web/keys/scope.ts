// What a key may do, in words.

import type { KeyScope } from "../../engine/api.ts";

/** The first is the usual one. */
export const SCOPES: readonly KeyScope[] = ["all", "ping", "sync"];

/** As the end of "it may be used for". */
export function scopeInWords(scope: KeyScope): string {
  switch (scope) {
    case "all":
      return "reports and syncs";
    case "ping":
      return "reports";
    case "sync":
      return "syncs";
    default:
      return scope satisfies never;
  }
}

/** Whether jobs can report with it. */
export const canReport = (scope: KeyScope): boolean => scope !== "sync";
