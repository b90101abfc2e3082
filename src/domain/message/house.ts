// The house a message comes from: what every message may say about this rollcall itself.

export interface House {
  /** How people know it: its public address, or the computer's name. */
  readonly from: string;
  /** Null: it has none. */
  readonly teamName: string | null;
  /** The server's. */
  readonly timezone: string;
  /** There is no other application, so naming it says nothing. */
  readonly onlyApplication: boolean;
  /** The user of this computer as whom its commands are typed; null: it is not known. */
  readonly commandUser: string | null;
}
