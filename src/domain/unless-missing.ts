// What is looked for and is not there, or cannot be had. Knows the codes of the file system, and touches nothing.

const MISSING: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR"]);

/** What `look` answers; null if the file or a directory above it is missing. Throws everything else. */
export function unlessMissing<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch (error) {
    if (MISSING.has(codeOf(error))) return null;
    throw error;
  }
}

/** What `look` answers; `otherwise`, whatever it throws. */
export function orElse<Found, Otherwise>(otherwise: Otherwise, look: () => Found): Found | Otherwise {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/** The system's code of an error, such as `ENOENT`; null: it has none. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
