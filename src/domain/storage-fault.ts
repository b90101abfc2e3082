// Why the database cannot be written, as far as SQLite says it, and the words for it.

/** `full`: the disk is full, and freeing space repairs it. */
export type StorageFault = "full" | "other";

const STORAGE_CODES = /^SQLITE_(FULL|IOERR|READONLY|BUSY)/;

/** By its code alone; null when an error is about something else. */
export function storageFaultOf(error: unknown): StorageFault | null {
  const [found, code] = error instanceof Error && "code" in error ? (STORAGE_CODES.exec(String(error.code)) ?? []) : [];
  return found === undefined ? null : code === "FULL" ? "full" : "other";
}

/** The beginning of a sentence for people, with what to do about it. */
export const STORAGE_FAULT_WORDS: Readonly<Record<StorageFault, string>> = {
  full: "disk full, nothing can be stored: free space where the data directory is, and rollcall goes on by itself",
  other: "the database cannot be written",
};
