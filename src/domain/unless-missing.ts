// What is looked for in files and is not there. Knows the codes of the file system, and touches nothing.

const MISSING: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR"]);

/** What `look` answers; null if the file or a directory above it is missing. Throws everything else. */
export function unlessMissing<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error && MISSING.has(error.code)) return null;
    throw error;
  }
}
