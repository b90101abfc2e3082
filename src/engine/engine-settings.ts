// The types of what a reload brings to the engine, and of what the engine may ask the reload. An edge reads the
// configuration.

import type { Refusal } from "../domain/errors.ts";
import type { TestMessage } from "../domain/message/test-message.ts";
import type { KeptPiece } from "../domain/settings/kept.ts";
import type { Policy } from "../domain/settings/policy.ts";
import type { STATUS_PAGES } from "../views/schemas/application-schemas.ts";
import type {
  DESTINATION_KINDS,
  DESTINATION_TRIAL,
  RENAMED_DESTINATION,
  SHOWN_DESTINATIONS,
} from "../views/schemas/delivery-schemas.ts";
import type { InEngine } from "../views/schemas/schema-kinds.ts";

/** The settings that the engine takes from the configuration. A reload replaces them while the engine runs. */
export interface EngineSettings {
  readonly policy: Policy;
  /** The name by which people know this rollcall: its public address, or the computer's name. */
  readonly home: string;
  /** The address of an incident's page for messages; `null` when there is none that every reader can reach. */
  readonly incidentUrl: (id: number) => string | null;
  /** How long pings are kept, in milliseconds. */
  readonly keepPings: number;
}

/** A key of the configuration whose value differs. */
export interface ChangedKey {
  /** The key with its section, such as `server.listen`. */
  readonly key: string;
  /** The value as people write it; `null` when the key is absent or secret. */
  readonly before: string | null;
  readonly after: string | null;
  readonly secret: boolean;
  /** Where the new value comes from; `null` when it is the default. */
  readonly from: string | null;
}

/** One reading of the configuration while the service runs. */
export interface Reload {
  readonly id: number;
  /**
   * How far the reading is. `refused` means that the configuration is faulty and nothing was changed; `failed` that
   * storage did not take it.
   */
  readonly state: "waiting" | "applying" | "done" | "refused" | "failed";
  /** Keys that are in force now, or are about to be. */
  readonly changed: readonly ChangedKey[];
  /** Keys that come into force only with a restart. */
  readonly restart: readonly ChangedKey[];
  /** Sentences about what is wrong, each with file and line. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the configuration again, as an edge does it, one reading at a time. */
export interface Reloads {
  /** Begins a reading in a later turn, after those that already wait. */
  begin(): Reload;
  /** The reading with this number; `null` when there is none, or it was long ago. */
  find(id: number): Reload | null;
}

export type DestinationTrial = InEngine<typeof DESTINATION_TRIAL>;

export type DestinationKind = InEngine<typeof DESTINATION_KINDS>["kinds"][number];

export type ShownDestination = InEngine<typeof SHOWN_DESTINATIONS>["destinations"][number];

export type ShownRoute = InEngine<typeof SHOWN_DESTINATIONS>["routes"][number];

export type RenamedDestination = InEngine<typeof RENAMED_DESTINATION>;

/** A destination that is to be stored once a test has arrived there. */
export interface WantedDestination {
  readonly name: string;
  readonly settings: KeptPiece["settings"];
  /**
   * Returns what to store: the destination and the lists that then name it, from what is stored at that time. Throws
   * when that no longer fits.
   */
  readonly change: () => KeptChange;
}

/** A destination to test. `begin` sends the test once the request is on disk; `null` when there is no test. */
type AddedDestination = Readonly<{ trial: DestinationTrial; begin: (() => void) | null }>;

/** Knows the channels and tests destinations before they are stored (R31), as an edge does it. */
export interface DestinationKeeper {
  kinds(): readonly DestinationKind[];
  /** The keys whose values are never shown. */
  readonly secretKeys: readonly string[];
  list(): readonly Omit<ShownDestination, "turn">[];
  /**
   * Tests the destination by sending `test`, and stores it once that has arrived. With `test` `null` it is stored at
   * once, in a transaction. `noteDone` is called in the transaction that stores it.
   */
  add(wanted: WantedDestination, test: TestMessage | null, noteDone: () => void): AddedDestination | Refusal;
  /** The trial with this number; `null` when there is none, or it was long ago. */
  find(id: number): DestinationTrial | null;
  /** Moves the waiting messages to the new name and returns their number. Must be called in a transaction. */
  follow(name: string, newName: string): number;
}

/**
 * A change of the configuration that is stored beside its file: the pieces to store and the names of those to remove.
 * `renamed` has the former and the new name of a piece; the piece under its new name is also in `save`.
 */
export type KeptChange = Readonly<{
  save: readonly KeptPiece[];
  remove?: readonly string[];
  renamed?: readonly [from: string, to: string];
}>;

/** Stores pieces of the configuration beside its file (R31), as an edge does it. */
export interface PieceKeeper {
  all(): readonly KeptPiece[];
  /** The stored piece of this name; `null` when there is none. */
  find(name: string): KeptPiece | null;
  /** Whether this piece is stored, with the same settings. */
  isKept(piece: KeptPiece): boolean;
  /** The text of the piece as the configuration file would have it, without secrets. */
  exported(piece: KeptPiece): string;
  /** Who set what is in force under this name: a line of a file, a variable or a command; `null` when none did. */
  originOf(name: string): string | null;
  /** Why the stored piece of this name is not in force; `null` when it is in force, or none is stored. */
  overruled(name: string): string | null;
  /** One sentence for each stored piece that is not in force because the configuration no longer fits it. */
  leftOut(): readonly string[];
  /** Why each of these pieces could not be stored; `null` for one that could. */
  faultsIn(pieces: readonly KeptPiece[]): readonly (string | null)[];
  /** Stores the change. Must be called in a transaction. */
  change(change: KeptChange): Refusal | null;
  /**
   * Removes a stored piece. Must be called in a transaction. `missing` is the refusal for a piece that is neither
   * stored nor configured.
   */
  remove(name: string, missing: Refusal): Refusal | null;
  /** The refusal to change a piece that is not stored: either the configuration has it, or it is `missing`. */
  notKept(name: string, missing: Refusal): Refusal;
}

/** The status pages of the configuration and of the pieces stored beside it (R31). */
export interface StatusPageKeeper {
  list(): readonly InEngine<typeof STATUS_PAGES>["pages"][number][];
  /** The path and the address of the page with this token. */
  addressed(token: string): { readonly path: string; readonly address: string | null };
}
