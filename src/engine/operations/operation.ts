// The form of an entry in the table of operations, from which the socket, commands and pages derive. It knows neither
// HTTP nor terminals.

import type { TObject, TProperties, TSchema } from "typebox";
import type { Refusal } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Actor, Role } from "../../domain/people/person.ts";
import type { Instant } from "../../domain/time.ts";
import type { About } from "../../views/find-named.ts";
import { type InEngine, object } from "../../views/schemas/schema-kinds.ts";
import type { Addresses } from "../../views/schemas/status-schemas.ts";
import type { AdminKeyring } from "../admin-keyring.ts";
import type { Backups } from "../api.ts";
import type { MaintenancePlans } from "../clock/apply-configuration.ts";
import type { AfterCommit, EngineContext } from "../engine-context.ts";
import type { DestinationKeeper, PieceKeeper, Reloads, StatusPageKeeper } from "../engine-settings.ts";
import type { Keyring } from "../keyring.ts";

export interface OperationContext extends EngineContext {
  readonly keyring: Keyring;
  readonly adminKeyring: AdminKeyring;
  /** Makes the secret part of a new key (R2). */
  readonly randomSecret: () => string;
  readonly addresses: () => Addresses;
  readonly backups: Backups;
  readonly reloads: Reloads;
  readonly destinations: DestinationKeeper;
  readonly statusPages: StatusPageKeeper;
  readonly kept: PieceKeeper;
  readonly log: Log;
  /** Planned maintenance, which makes monitors follow it in later turns. */
  readonly plans: MaintenancePlans;
  /** What keeps the whole service from its work, in sentences. */
  readonly ownTroubles: () => string[];
}

/** The input of an operation with these fields. */
export type Asked<Fields extends TProperties> = InEngine<TObject<Fields>>;

/** The result of an operation that acts. `afterCommit` is `null` when nothing is left to do after the commit. */
export interface Operated<Answer> {
  readonly answer: Answer;
  readonly afterCommit: AfterCommit | readonly AfterCommit[] | null;
  /** Destinations at which a person waits for the message that was written. */
  readonly urgent?: readonly string[];
  /** True when the monitors of an application must now be made to follow it. */
  readonly follows?: true;
  /** Begins work that must not happen unless the operation is on disk. */
  readonly begins?: () => void;
  /**
   * True when the operation itself writes it into the audit, by `noteDone`, because the work is done later or never.
   */
  readonly notesItself?: true;
}

export const unchanged = <Answer>(answer: Answer): Operated<Answer> => ({ answer, afterCommit: null });

interface Described<Fields extends TProperties, Answer extends TSchema> {
  readonly summary: string;
  /** Paragraphs of help below the options, in lines of at most 80 characters. */
  readonly notes?: string;
  /**
   * Examples for the help: of each, what follows the operation's name on the command line. Empty when there is no
   * command.
   */
  readonly examples: readonly string[];
  /** Why no command has this name; absent when one has. */
  readonly noCommand?: string;
  /** The schema of the answer. A refusal needs no schema. */
  readonly answer: Answer;
  /** The least role of a person who may do it; by default `viewer` to look and `operator` to act. */
  readonly role?: Role;
  /** True when only the user of the commands may do it, on rollcall's own host: no person, and no program elsewhere. */
  readonly hostOnly?: true;
  /** True when the answer holds a secret, although the operation only looks. */
  readonly tellsSecret?: true;
  /** True when a person at a terminal is asked first, because it cannot be undone or jobs stop reporting. */
  readonly confirm?: true;
  /** Set when a person may name several monitors, by a pattern or all of them. The operation then runs for each. */
  readonly several?: "pause" | "resume";
  /** True when a person may watch how the answer changes. */
  readonly watch?: true;
  /**
   * Which application and monitor this request concerns, for the audit and the rights of the person; `null` or absent
   * when it concerns several applications, none, or something that does not exist.
   */
  about?(context: OperationContext, input: Asked<Fields>): About | null;
}

export const roleFor = ({ role, effect }: Pick<Operation, "role" | "effect">): Role =>
  role ?? (effect === "acts" ? "operator" : "viewer");

/**
 * An answer in pieces. At each `yield` other work can run. A long list yields pages: each has all fields of the answer,
 * which are lists, with a part of each; the first field is the long one. The return value is the whole answer if no
 * page came before, otherwise the last page. It may be a refusal before the first page.
 */
export type AnswerPages<Answer> = Generator<Answer | undefined, Answer | Refusal, void>;

export type ListPage = Readonly<Record<string, readonly unknown[]>>;

/** An operation that only reads. It uses no transaction, so that it works when nothing can be stored (R36). */
interface Looks<Fields extends TProperties, Answer extends TSchema> extends Described<Fields, Answer> {
  run(context: OperationContext, input: Asked<Fields>, now: Instant): Looked<InEngine<Answer>>;
}

type Looked<Answer> = Answer | Refusal | AnswerPages<Answer>;

/** An operation that changes something, in one transaction, which is on disk when the answer is given. */
interface Acts<Fields extends TProperties, Answer extends TSchema> extends Described<Fields, Answer> {
  /** The audit's words, after the name of who did it: `Ada paused a job`. */
  readonly inAudit: string;
  /** The words in a job's story, such as `Paused`; absent when the operation is not about a job. */
  readonly inStory?: string;
  /** Does the work. `noteDone` writes it into the audit, in the transaction that does it. */
  run(
    context: OperationContext,
    input: Asked<Fields>,
    now: Instant,
    by: Actor,
    noteDone: () => void,
  ): Operated<InEngine<Answer> | Refusal>;
}

/** An entry with the fields that `fields.ts` adds. */
type Ready<Effect, Fields extends TProperties> = Readonly<{ effect: Effect; input: TObject<Fields> }>;

type Looking<Fields extends TProperties = TProperties, Answer extends TSchema = TSchema> = Looks<Fields, Answer> &
  Ready<"looks", Fields>;

export type Acting<Fields extends TProperties = TProperties, Answer extends TSchema = TSchema> = Acts<Fields, Answer> &
  Ready<"acts", Fields>;

export type Operation = Looking | Acting;

/** The form in which an entry of the table is written. `input` has the fields, as `fields.ts` makes them. */
type Entry<Fields, Described> = Described & { readonly input: Fields };

export const looks = <Fields extends TProperties, Answer extends TSchema>(
  operation: Entry<Fields, Looks<Fields, Answer>>,
): Looking<Fields, Answer> => ({ ...operation, effect: "looks", input: object(operation.input) });

export const acts = <Fields extends TProperties, Answer extends TSchema>(
  operation: Entry<Fields, Acts<Fields, Answer>>,
): Acting<Fields, Answer> => ({ ...operation, effect: "acts", input: object(operation.input) });
