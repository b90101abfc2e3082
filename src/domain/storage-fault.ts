// Why SQLite cannot write or read the database, and how people are told.

/** `full` is repaired by freeing space. `gone` means that the file was deleted or replaced while it was open. */
export type StorageFault = "full" | "gone" | "other";

const STORAGE_CODES = /^SQLITE_(FULL|IOERR|READONLY|BUSY)/;

const GONE_CODE = "DATABASE_GONE";

export const databaseGone = (): Error =>
  Object.assign(new Error("the database's file was deleted or replaced"), { code: GONE_CODE });

/** The fault that the error's code names; `null` for any other error, also for damage (`isDamage`). */
export function storageFaultOf(error: unknown): StorageFault | null {
  if (error instanceof Error && "code" in error && error.code === GONE_CODE) return "gone";
  const [found, code] = error instanceof Error && "code" in error ? (STORAGE_CODES.exec(String(error.code)) ?? []) : [];
  return found === undefined ? null : code === "FULL" ? "full" : "other";
}

const DAMAGE_CODES = /^SQLITE_(CORRUPT|NOTADB)/;

/**
 * Whether the error says that a page of the database is damaged or cannot be read from the disk. SQLite reports both in
 * the same way. Other pages may be sound. The transaction can write nothing more until it is rolled back.
 */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error && "code" in error && DAMAGE_CODES.test(String(error.code));

export const DAMAGE_WORDS = "a part of the database cannot be read";

/** For each fault, what is wrong and what to do. The text begins a sentence. */
export const STORAGE_FAULT_WORDS: Readonly<Record<StorageFault, string>> = {
  full: "disk full, nothing can be stored: free space where the data directory is, and rollcall goes on by itself",
  gone: "the database's file was deleted or replaced, nothing can be stored: put the same file back where it was, or stop rollcall and restore a backup",
  other:
    "the database cannot be written: storage_failed in the log says why, dmesg whether the disk fails or became read-only; rollcall goes on by itself once it can write",
};
