// What the client asks of files that may not be there.

/** What `read` answers; null if the file or a directory above it is missing. Throws everything else. */
export function unlessMissing<Found>(read: () => Found): Found | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}
