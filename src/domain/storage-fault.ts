// Why SQLite cannot write the database, and how we say it.

/** `full`: the disk is full; freeing space repairs it. */
export type StorageFault = "full" | "other";

const STORAGE_CODES = /^SQLITE_(FULL|IOERR|READONLY|BUSY)/;

/** The fault that the error's code names; null when the error is about something else. */
export function storageFaultOf(error: unknown): StorageFault | null {
  const [found, code] = error instanceof Error && "code" in error ? (STORAGE_CODES.exec(String(error.code)) ?? []) : [];
  return found === undefined ? null : code === "FULL" ? "full" : "other";
}

/** The beginning of a sentence for people; it says what to do. */
export const STORAGE_FAULT_WORDS: Readonly<Record<StorageFault, string>> = {
  full: "disk full, nothing can be stored: free space where the data directory is, and rollcall goes on by itself",
  other: "the database cannot be written",
};
