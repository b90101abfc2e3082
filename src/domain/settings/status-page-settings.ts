// The settings of a public status page. The configuration fills them, and the page uses them.

export interface StatusPageSettings {
  readonly application: string;
  /** The secret at the end of the page's address. */
  readonly token: string;
  readonly title: string | null;
  /** The jobs on the page: keys, patterns for keys such as `backup-*`, and labels such as `label:db`. */
  readonly jobs: readonly string[];
  readonly messages: boolean;
}

/** The path of a status page. Whoever knows it sees the page. */
export const statusPath = (token: string): string => `/status/${token}`;
