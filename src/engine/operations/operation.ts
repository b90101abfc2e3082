// An entry of the table from which the socket, commands and pages derive. Knows neither HTTP nor terminals.

import type { TObject, TProperties, TSchema } from "typebox";
import type { Refusal } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Actor, Role } from "../../domain/people/person.ts";
import type { Instant } from "../../domain/time.ts";
import { type Held, object } from "../../views/answers/schema.ts";
import type { Addresses } from "../../views/answers/status.ts";
import type { About } from "../../views/find-named.ts";
import type { AdminKeyring } from "../admin-keyring.ts";
import type { Backups } from "../api.ts";
import type { Plans } from "../clock/apply-configuration.ts";
import type { AfterCommit, EngineContext } from "../engine-context.ts";
import type { DestinationKeeper, PieceKeeper, Reloads, StatusPageKeeper } from "../engine-settings.ts";
import type { Keyring } from "../keyring.ts";

export interface OperationContext extends EngineContext {
  readonly keyring: Keyring;
  readonly adminKeyring: AdminKeyring;
  /** The secret part of a new key (R2). */
  readonly randomSecret: () => string;
  readonly addresses: () => Addresses;
  readonly backups: Backups;
  readonly reloads: Reloads;
  readonly destinations: DestinationKeeper;
  readonly statusPages: StatusPageKeeper;
  readonly kept: PieceKeeper;
  readonly log: Log;
  /** Brings monitors in line with the maintenance that is planned, in later turns. */
  readonly plans: Plans;
  /** What keeps the whole service from its work, in sentences. */
  readonly ownTroubles: () => string[];
}

/** What an operation with these fields is asked. */
export type Asked<Fields extends TProperties> = Held<TObject<Fields>>;

/** What an operation that acts has done; `afterCommit` null: nothing is left to do once that has committed. */
export interface Operated<Answer> {
  readonly answer: Answer;
  readonly afterCommit: AfterCommit | readonly AfterCommit[] | null;
  /** Destinations at which a person waits for what was written. */
  readonly urgent?: readonly string[];
  /** Monitors must be brought in line with their application. */
  readonly follows?: true;
  /** Begins what must not happen unless this is on disk. */
  readonly begins?: () => void;
  /** It is only done later, or never: the operation itself writes that into the audit, by `noteDone`. */
  readonly notesItself?: true;
}

export const unchanged = <Answer>(answer: Answer): Operated<Answer> => ({ answer, afterCommit: null });

interface Described<Fields extends TProperties, Answer extends TSchema> {
  readonly summary: string;
  /** Paragraphs of help below the options, in lines of at most 80 characters. */
  readonly notes?: string;
  /** What follows the operation's name on the command line; empty if there is no command. */
  readonly examples: readonly string[];
  /** Why no command bears its name; left out: one does. */
  readonly noCommand?: string;
  /** As it is held; a refusal beside it needs no schema. */
  readonly answer: Answer;
  /** The least role of a person who may do it; left out: `viewer` to look, `operator` to act. */
  readonly role?: Role;
  /** Only the user of the commands may do it, on rollcall's own host: no person, and no program elsewhere. */
  readonly hostOnly?: true;
  /** Its answer holds a secret, though it only looks. */
  readonly tellsSecret?: true;
  /** A person at a terminal is asked before it is done: it cannot be undone, or jobs stop reporting. */
  readonly confirm?: true;
  /** A person may mean several monitors, by a pattern or all, and it is done to each. */
  readonly several?: "pause" | "resume";
  /** A person may watch how its answer changes. */
  readonly watch?: true;
  /** Null, or left out: about several applications, about none, or about nothing that is there. */
  about?(context: OperationContext, input: Asked<Fields>): About | null;
}

export const roleFor = ({ role, effect }: Pick<Operation, "role" | "effect">): Role =>
  role ?? (effect === "acts" ? "operator" : "viewer");

/**
 * An answer on its way: at each `yield` others can have their turn. A list of any length yields a page of itself: all
 * fields of the answer, which are lists, and of each a part; the first of them is the long one. What it returns is the
 * rest: the whole answer, if no page came before, else the last page. It may be refused before the first page.
 */
export type AnswerPages<Answer> = Generator<Answer | undefined, Answer | Refusal, void>;

export type ListPage = Readonly<Record<string, readonly unknown[]>>;

/** Only looks: without a transaction, so that one can look when nothing can be stored (R36). */
interface Looks<Fields extends TProperties, Answer extends TSchema> extends Described<Fields, Answer> {
  run(context: OperationContext, input: Asked<Fields>, now: Instant): Looked<Held<Answer>>;
}

type Looked<Answer> = Answer | Refusal | AnswerPages<Answer>;

/** Changes something, in one transaction, which is on disk when the answer is given. */
interface Acts<Fields extends TProperties, Answer extends TSchema> extends Described<Fields, Answer> {
  /** What the audit says of it, behind who did it: `Ada paused a job`. */
  readonly inAudit: string;
  /** What the story of a job says of it: `Paused`; left out: it is about no job. */
  readonly inStory?: string;
  /** `noteDone`: writes into the audit that it was done, in the transaction that does it. */
  run(
    context: OperationContext,
    input: Asked<Fields>,
    now: Instant,
    by: Actor,
    noteDone: () => void,
  ): Operated<Held<Answer> | Refusal>;
}

/** What `fields.ts` makes of its fields. */
type Ready<Effect, Fields extends TProperties> = Readonly<{ effect: Effect; input: TObject<Fields> }>;

type Looking<Fields extends TProperties = TProperties, Answer extends TSchema = TSchema> = Looks<Fields, Answer> &
  Ready<"looks", Fields>;

export type Acting<Fields extends TProperties = TProperties, Answer extends TSchema = TSchema> = Acts<Fields, Answer> &
  Ready<"acts", Fields>;

export type Operation = Looking | Acting;

/** As an entry of the table writes it: `input` has the fields, as `fields.ts` makes them. */
type Entry<Fields, Described> = Described & { readonly input: Fields };

export const looks = <Fields extends TProperties, Answer extends TSchema>(
  operation: Entry<Fields, Looks<Fields, Answer>>,
): Looking<Fields, Answer> => ({ ...operation, effect: "looks", input: object(operation.input) });

export const acts = <Fields extends TProperties, Answer extends TSchema>(
  operation: Entry<Fields, Acts<Fields, Answer>>,
): Acting<Fields, Answer> => ({ ...operation, effect: "acts", input: object(operation.input) });
