// Which of what came in beside accepted reports an operator asks for.

export interface ReceivedFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  readonly limit: number;
}
