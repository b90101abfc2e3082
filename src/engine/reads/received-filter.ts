// Which refused reports and bulk syncs an operator asks for.

export interface ReceivedFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  readonly limit: number;
}
