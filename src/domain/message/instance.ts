// The instance that sends a message: what every message may say about this rollcall itself.

export interface Instance {
  /** The name that people know: its public address, or the computer's name. */
  readonly from: string;
  readonly teamName: string | null;
  readonly timezone: string;
  /** It is the only application, so naming it says nothing. */
  readonly onlyApplication: boolean;
  /** The user to type its commands as, on this computer; null: not known. */
  readonly commandUser: string | null;
}
