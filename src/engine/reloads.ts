// What a reload brings to the engine, and what the engine may ask of it: types alone. An edge reads the configuration.

import type { Refusal } from "../domain/errors.ts";
import type { TestMessage } from "../domain/message/test-message.ts";
import type { KeptTable, Policy } from "../domain/settings/policy.ts";
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

export interface WantedDestination {
  readonly name: string;
  readonly settings: KeptTable["settings"];
  /** It hears of this application alone; null: of all, by default. */
  readonly application: string | null;
  /** What it changes; left out: it takes the place of what is there. */
  readonly before?: string;
}

/** `begin`: sends the test, once the wish is on disk; null: there is none. */
type AddedDestination = Readonly<{ trial: DestinationTrial; begin: (() => void) | null }>;

/** Keeps destinations beside those that the configuration names (R31), as an edge does it. */
export interface DestinationKeeper {
  kinds(): readonly DestinationKind[];
  list(): readonly Omit<ShownDestination, "turn">[];
  routes(): readonly ShownRoute[];
  /**
   * Begins to try it by sending `test`, and keeps it once that arrived. Null: keeps it at once, in a transaction.
   * `noteDone` is called in the transaction that keeps it.
   */
  add(wanted: WantedDestination, test: TestMessage | null, noteDone: () => void): AddedDestination | Refusal;
  /** With these settings changed; an empty one is taken back. Unless `onHost` another url needs the secrets again. */
  changed(name: string, given: KeptTable["settings"], onHost: boolean): WantedDestination | Refusal;
  /** Null: there is none of this number, or it was long ago. */
  find(id: number): DestinationTrial | null;
  /** In a transaction. What waits there follows. */
  rename(name: string, newName: string): Held<typeof RENAMED_DESTINATION> | Refusal;
  /** As the configuration would have it, without secrets. Null: all. */
  toml(name: string | null): string | Refusal;
  /** In a transaction. */
  remove(name: string): Refusal | null;
}

/** Tables to keep, and paths of those to keep no longer. */
export type KeptChange = Readonly<{ save: readonly KeptTable[]; remove?: readonly string[] }>;

/** Keeps what needs no test beside the configuration (R31), as an edge does it. */
export interface TableKeeper {
  all(): readonly KeptTable[];
  /** Who set what is in force there: a line of a file, a variable or a command; null: none of these. */
  originOf(path: string): string | null;
  /** Why what is kept there is not in force; null: it is, or nothing is kept. */
  overruled(path: string): string | null;
  /** What is kept and not in force, because the configuration no longer suits it: a sentence each. */
  leftOut(): readonly string[];
  /** Why each of these could not be kept; null: it could. */
  faultsIn(tables: readonly KeptTable[]): readonly (string | null)[];
  /** In a transaction. */
  change(change: KeptChange): Refusal | null;
  /** In a transaction. `missing`: what there is to say if it is not kept, nor in the configuration. */
  remove(path: string, missing: string): Refusal | null;
}

/** The status pages of the configuration, and of those kept beside it (R31). */
export interface StatusPageKeeper {
  list(): readonly Held<typeof STATUS_PAGES>["pages"][number][];
  /** Where the page of this token is. */
  addressed(token: string): { readonly path: string; readonly address: string | null };
}
