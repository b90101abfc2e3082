// What a status page needs to know: the configuration has it, the pages use it.

export interface StatusPageSettings {
  readonly application: string;
  /** A secret: the end of its address. */
  readonly token: string;
  readonly title: string | null;
  /** Keys of jobs; `*` stands for any characters. */
  readonly jobs: readonly string[];
  readonly messages: boolean;
}

/** Who knows it sees the page. */
export const statusPath = (token: string): string => `/status/${token}`;
