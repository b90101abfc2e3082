// The settings of a status page. The configuration fills this type and the pages use it.

export interface StatusPageSettings {
  readonly application: string;
  /** The secret end of the page's address. */
  readonly token: string;
  readonly title: string | null;
  /** Keys of jobs; `*` matches any characters. */
  readonly jobs: readonly string[];
  readonly messages: boolean;
}

/** Anyone who knows this path sees the page. */
export const statusPath = (token: string): string => `/status/${token}`;
