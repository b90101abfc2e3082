// What a status page needs to know: the configuration has it, the pages use it. A type alone.

/** A page for everybody who knows its address. */
export interface StatusPageSettings {
  /** A slug. */
  readonly application: string;
  /** A secret: the end of its address. */
  readonly token: string;
  /** Null: the application's name. */
  readonly title: string | null;
  /** Keys of jobs; `*` stands for any characters. */
  readonly jobs: readonly string[];
  /** Whether it shows what jobs reported. */
  readonly messages: boolean;
}
