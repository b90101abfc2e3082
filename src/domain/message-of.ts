// What an error says, for a log and for people. Must not decide what is done about it.

/** The message of an error; of anything else that was thrown, what it is as text. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
