// What a reload brings to the engine, and what the engine may ask of it: types alone. An edge reads the configuration.

import type { Refusal } from "../domain/errors.ts";
import type { TestMessage } from "../domain/message/test-message.ts";
import type { KeptPiece } from "../domain/settings/kept.ts";
import type { Policy } from "../domain/settings/policy.ts";
import type { STATUS_PAGES } from "../views/answers/applications.ts";
import type {
  DESTINATION_KINDS,
  DESTINATION_TRIAL,
  RENAMED_DESTINATION,
  SHOWN_DESTINATIONS,
} from "../views/answers/deliveries.ts";
import type { Held } from "../views/answers/schema.ts";

/** What the configuration says to the engine. It may be replaced while the engine runs. */
export interface EngineSettings {
  readonly policy: Policy;
  /** How people know this rollcall: its public address, or the computer's name. */
  readonly home: string;
  /** The address of an incident's page, for messages; null: it has none that everybody reaches. */
  readonly incidentUrl: (id: number) => string | null;
  /** Milliseconds. */
  readonly keepPings: number;
}

/** A key of the configuration whose value differs. */
export interface ChangedKey {
  /** Dotted, `server.listen`. */
  readonly key: string;
  /** As people write it; null: it is left out, or a secret. */
  readonly before: string | null;
  readonly after: string | null;
  readonly secret: boolean;
  /** Where the new value comes from; null: it is the default. */
  readonly from: string | null;
}

/** One reading of the configuration while the service runs. */
export interface Reload {
  readonly id: number;
  /** `refused`: it is faulty, and nothing was changed. `failed`: storage did not take it. */
  readonly state: "waiting" | "applying" | "done" | "refused" | "failed";
  /** What is in force now, or is about to be. */
  readonly changed: readonly ChangedKey[];
  /** What comes into force with a restart. */
  readonly restart: readonly ChangedKey[];
  /** Sentences, with file and line. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the configuration again, as an edge does it; one at a time. */
export interface Reloads {
  /** Begins one in a later turn, after those that wait. */
  begin(): Reload;
  /** Null: there is none of this number, or it was long ago. */
  find(id: number): Reload | null;
}

export type DestinationTrial = Held<typeof DESTINATION_TRIAL>;

export type DestinationKind = Held<typeof DESTINATION_KINDS>["kinds"][number];

export type ShownDestination = Held<typeof SHOWN_DESTINATIONS>["destinations"][number];

export type ShownRoute = Held<typeof SHOWN_DESTINATIONS>["routes"][number];

export type RenamedDestination = Held<typeof RENAMED_DESTINATION>;

/** A destination that is to be kept, once a test has arrived there. */
export interface WantedDestination {
  readonly name: string;
  readonly settings: KeptPiece["settings"];
  /** It and the lists that then name it, by what is kept by then. Throws where that does not suit it any more. */
  readonly change: () => KeptChange;
}

/** `begin`: sends the test, once the wish is on disk; null: there is none. */
type AddedDestination = Readonly<{ trial: DestinationTrial; begin: (() => void) | null }>;

/** Knows the channels, and tries destinations before they are kept (R31), as an edge does it. */
export interface DestinationKeeper {
  kinds(): readonly DestinationKind[];
  /** The keys whose values are never shown. */
  readonly secretKeys: readonly string[];
  list(): readonly Omit<ShownDestination, "turn">[];
  /**
   * Begins to try it by sending `test`, and keeps it once that arrived. Null: keeps it at once, in a transaction.
   * `noteDone` is called in the transaction that keeps it.
   */
  add(wanted: WantedDestination, test: TestMessage | null, noteDone: () => void): AddedDestination | Refusal;
  /** Null: there is none of this number, or it was long ago. */
  find(id: number): DestinationTrial | null;
  /** In a transaction. How many messages wait there, and follow to the new name. */
  follow(name: string, newName: string): number;
}

/** Pieces to keep, and names of those to keep no longer. `renamed`: from one name to another, which is saved too. */
export type KeptChange = Readonly<{
  save: readonly KeptPiece[];
  remove?: readonly string[];
  renamed?: readonly [from: string, to: string];
}>;

/** Keeps pieces of the configuration beside its file (R31), as an edge does it. */
export interface PieceKeeper {
  all(): readonly KeptPiece[];
  /** Null: nothing of this name is kept. */
  find(name: string): KeptPiece | null;
  /** Whether it is kept with the same settings. */
  isKept(piece: KeptPiece): boolean;
  /** As the configuration file would have it, without secrets. */
  exported(piece: KeptPiece): string;
  /** Who set what is in force of this name: a line of a file, a variable or a command; null: none of these. */
  originOf(name: string): string | null;
  /** Why what is kept of this name is not in force; null: it is, or nothing is kept. */
  overruled(name: string): string | null;
  /** What is kept and not in force, because the configuration no longer suits it: a sentence each. */
  leftOut(): readonly string[];
  /** Why each of these could not be kept; null: it could. */
  faultsIn(pieces: readonly KeptPiece[]): readonly (string | null)[];
  /** In a transaction. */
  change(change: KeptChange): Refusal | null;
  /** In a transaction. `missing`: the refusal if it is not kept, nor in the configuration. */
  remove(name: string, missing: Refusal): Refusal | null;
  /** Refuses to change what is not kept: because it stands in the configuration, or is `missing`. */
  notKept(name: string, missing: Refusal): Refusal;
}

/** The status pages of the configuration, and of those kept beside it (R31). */
export interface StatusPageKeeper {
  list(): readonly Held<typeof STATUS_PAGES>["pages"][number][];
  /** Where the page of this token is. */
  addressed(token: string): { readonly path: string; readonly address: string | null };
}
