// Types for the configuration as the engine sees it: the settings it uses, a reload, and sections of the configuration
// that operations store. The folders config/ and cli/ read the files; the engine gets plain values.

import type { Refusal } from "../domain/errors.ts";
import type { TestMessage } from "../domain/message/test-message.ts";
import type { KeptSection } from "../domain/settings/kept.ts";
import type { Policy } from "../domain/settings/policy.ts";
import type { STATUS_PAGES } from "../views/schemas/application-schemas.ts";
import type {
  DESTINATION_KINDS,
  DESTINATION_TRIAL,
  RENAMED_DESTINATION,
  SHOWN_DESTINATIONS,
} from "../views/schemas/delivery-schemas.ts";
import type { InEngine } from "../views/schemas/schema-kinds.ts";

/** A reload replaces these settings while the engine runs. */
export interface EngineSettings {
  readonly policy: Policy;
  /** The name by which people know this rollcall: its public address, or else the computer's name. */
  readonly home: string;
  /** Returns the address of an incident's page; `null` when rollcall has none that every reader can reach. */
  readonly incidentUrl: (id: number) => string | null;
  /** How long reports are kept before they are deleted, in milliseconds. */
  readonly keepPings: number;
}

export interface ChangedKey {
  /** The key with its section, such as `server.listen`. */
  readonly key: string;
  /** The value before the reload, as people write it; `null` when the key was absent or is secret. */
  readonly before: string | null;
  readonly after: string | null;
  readonly secret: boolean;
  /** Where the new value is set, such as a line of the file or a variable; `null` when the default is in force now. */
  readonly from: string | null;
}

/** One reading of the configuration while the service runs, as `rollcall reload` shows it. */
export interface Reload {
  readonly id: number;
  /**
   * How far the reading is. `refused`: the configuration is faulty, and nothing was changed. `failed`: the
   * configuration is right, but the database could not store what it brings.
   */
  readonly state: "waiting" | "applying" | "done" | "refused" | "failed";
  /** The changed keys that need no restart. They are in force, or will be when the reading is done. */
  readonly changed: readonly ChangedKey[];
  /** The changed keys that come into force only with a restart. */
  readonly restart: readonly ChangedKey[];
  /** One sentence for each fault of the configuration, with file and line. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the configuration again, one reading at a time. cli/serving/ implements this. */
export interface Reloads {
  /** Asks for a reading. It begins in a later turn, after the readings that were asked for earlier. */
  begin(): Reload;
  /** Returns the reading with this number; `null` when there is none, or it is too old to be remembered. */
  find(id: number): Reload | null;
}

export type DestinationTrial = InEngine<typeof DESTINATION_TRIAL>;

export type DestinationKind = InEngine<typeof DESTINATION_KINDS>["kinds"][number];

export type ShownDestination = InEngine<typeof SHOWN_DESTINATIONS>["destinations"][number];

export type ShownRoute = InEngine<typeof SHOWN_DESTINATIONS>["routes"][number];

export type RenamedDestination = InEngine<typeof RENAMED_DESTINATION>;

/** A new or changed destination that is to be stored. `DestinationKeeper.add` says whether it is tested first. */
export interface WantedDestination {
  readonly name: string;
  readonly settings: KeptSection["settings"];
  /**
   * Returns what to store: the destination and, for a new one, the changed lists of destinations that name it, such as
   * the team's. It is computed from what is stored at the time of the call. Throws when the change is no longer
   * possible, for example because the destination was removed.
   */
  readonly change: () => KeptChange;
}

/**
 * The trial of a destination. `begin` sends the test, and must be called after the commit of the request; it is `null`
 * when no test is sent.
 */
type AddedDestination = Readonly<{ trial: DestinationTrial; begin: (() => void) | null }>;

/** Knows channels and destinations, and tests a destination before storing it (R31). cli/serving/ implements this. */
export interface DestinationKeeper {
  kinds(): readonly DestinationKind[];
  /** The keys of a destination whose values are never shown, such as passwords. */
  readonly secretKeys: readonly string[];
  list(): readonly Omit<ShownDestination, "turn">[];
  /**
   * Sends `test` to the destination, and stores the destination once the test has arrived. When `test` is `null`, or
   * the destination is a rota, it is stored at once; the call must then be in a transaction. `noteDone` is called in
   * the transaction that stores the destination.
   */
  add(wanted: WantedDestination, test: TestMessage | null, noteDone: () => void): AddedDestination | Refusal;
  /** Returns the trial with this number; `null` when there is none, or it is too old to be remembered. */
  find(id: number): DestinationTrial | null;
  /** Moves waiting messages to a destination's new name and returns how many. Must be called in a transaction. */
  renameWaitingMessages(name: string, newName: string): number;
}

/**
 * A change of what is stored beside the configuration file: sections to store, names of sections to remove, and the
 * former and new name of a renamed section. A renamed section is also in `save`, under its new name.
 */
export type KeptChange = Readonly<{
  save: readonly KeptSection[];
  remove?: readonly string[];
  renamed?: readonly [from: string, to: string];
}>;

/** Stores sections, such as a destination, beside the configuration file (R31). cli/serving/ implements this. */
export interface SectionKeeper {
  all(): readonly KeptSection[];
  /** Returns the kept section with this name, such as `destination phone`; `null` when there is none. */
  find(name: string): KeptSection | null;
  /** Whether a section with this name and exactly these settings is stored. */
  isKept(section: KeptSection): boolean;
  /** Returns the section as text for the configuration file, with secrets left out. */
  exported(section: KeptSection): string;
  /** Returns where the section was set: a line of a file, a variable or a command. `null` when it is not in force. */
  originOf(name: string): string | null;
  /** Why the kept section with this name is not in force; `null` when it is, or none is stored. */
  overruled(name: string): string | null;
  /** Returns one sentence for each kept section that is left out, because it no longer fits the other sections. */
  leftOut(): readonly string[];
  /** For each section: why it could not be stored, or `null` when it could. */
  faultsIn(sections: readonly KeptSection[]): readonly (string | null)[];
  /** Stores, removes and renames sections, or returns why it refuses to. Must be called in a transaction. */
  change(change: KeptChange): Refusal | null;
  /** Removes the kept section. Must be called in a transaction. Returns `missing` when no section has this name. */
  remove(name: string, missing: Refusal): Refusal | null;
  /** Returns why a section in the configuration file is not changed here; `missing` when no section has this name. */
  notKept(name: string, missing: Refusal): Refusal;
}

/** The status pages: those of the configuration file and those that operations stored beside it (R31). */
export interface StatusPageKeeper {
  list(): readonly InEngine<typeof STATUS_PAGES>["pages"][number][];
  /**
   * Returns the path of the status page with this secret token, and its address. The address is `null` when rollcall
   * has no public URL.
   */
  addressed(token: string): { readonly path: string; readonly address: string | null };
}
