// What an error says, for a sentence of ours.

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
