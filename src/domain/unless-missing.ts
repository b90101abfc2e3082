// Handles the errors of files that are missing or cannot be read. It accesses no file itself.

const MISSING: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR"]);

/** Returns the result of `look`; `null` if the file, or a directory above it, is missing. Any other error is thrown. */
export function unlessMissing<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch (error) {
    if (MISSING.has(codeOf(error))) return null;
    throw error;
  }
}

export function orElse<Found, Otherwise>(otherwise: Otherwise, look: () => Found): Found | Otherwise {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/** The system's code of an error, such as `ENOENT`; `null` when it has none. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
