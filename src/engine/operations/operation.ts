// The type of an entry in the table of operations (operations.ts). An operation is one thing that a person or a program
// may ask for, such as `monitor pause`. The Unix socket, the commands and the pages are made from these entries.

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
import type { MaintenancePlans } from "../clock/maintenance-plans.ts";
import type { AfterCommit, EngineContext } from "../engine-context.ts";
import type { DestinationKeeper, Reloads, SectionKeeper, StatusPageKeeper } from "../engine-settings.ts";
import type { Keyring } from "../keyring.ts";

export interface OperationContext extends EngineContext {
  readonly keyring: Keyring;
  readonly adminKeyring: AdminKeyring;
  /** Makes the secret part of a new API key (R2). */
  readonly randomSecret: () => string;
  readonly addresses: () => Addresses;
  readonly backups: Backups;
  readonly reloads: Reloads;
  readonly destinations: DestinationKeeper;
  readonly statusPages: StatusPageKeeper;
  readonly kept: SectionKeeper;
  readonly log: Log;
  /** Applies changed maintenance to the monitors, in later turns. */
  readonly plans: MaintenancePlans;
  /** Returns one sentence for each thing that keeps the whole service from its work. */
  readonly ownTroubles: () => string[];
}

/** The values that an operation with these fields is asked with. */
export type Asked<Fields extends TProperties> = InEngine<TObject<Fields>>;

/**
 * What an operation that acts returns. `afterCommit` is the work that it leaves for after the commit; `null` when there
 * is none.
 */
export interface Operated<Answer> {
  readonly answer: Answer;
  readonly afterCommit: AfterCommit | readonly AfterCommit[] | null;
  /** The destinations of messages for which a person is waiting. The notifier sends these at once. */
  readonly urgent?: readonly string[];
  /** True when an application was suspended, resumed or deleted, so that its monitors must follow. */
  readonly follows?: true;
  /** Begins work that the transaction could not do, such as a test message. It is called after the commit. */
  readonly begins?: () => void;
  /**
   * True when the operation itself calls `noteDone`, which writes into the audit that its work was done. It does so
   * when that work is done later, or perhaps never.
   */
  readonly notesItself?: true;
}

export const withoutAfterCommit = <Answer>(answer: Answer): Operated<Answer> => ({ answer, afterCommit: null });

interface Described<Fields extends TProperties, Answer extends TSchema> {
  readonly summary: string;
  /** Paragraphs of the command's help, below its options, in lines of at most 80 characters. */
  readonly notes?: string;
  /** Examples for help: what follows the operation's name on the command line. Empty without a command. */
  readonly examples: readonly string[];
  /** Why there is no command with this name; absent when there is one. */
  readonly noCommand?: string;
  readonly answer: Answer;
  /** The least role that a person needs. By default `viewer` is enough to look, and `operator` to act. */
  readonly role?: Role;
  /** True when only a command on rollcall's own host may ask for it: no page, and no program elsewhere. */
  readonly hostOnly?: true;
  /** True when an operation that only looks has a secret in its answer. */
  readonly tellsSecret?: true;
  /** True when a terminal asks for confirmation: the operation cannot be undone, or makes jobs stop reporting. */
  readonly confirm?: true;
  /** Set when a person may name several monitors: by a pattern, or all of them. The operation is then done for each. */
  readonly several?: "pause" | "resume";
  /** True when a person may watch how the answer changes (`--watch`). */
  readonly watch?: true;
  /**
   * Returns the application and the monitor that this request is about. The audit names them, and the person must have
   * the right to them. `null` or absent when it is about several applications, about none, or about something that does
   * not exist.
   */
  about?(context: OperationContext, input: Asked<Fields>): About | null;
}

export const roleFor = ({ role, effect }: Pick<Operation, "role" | "effect">): Role =>
  role ?? (effect === "acts" ? "operator" : "viewer");

/**
 * An answer that is made in pieces; at each `yield` other work can run. It yields `undefined`, or a page of an answer
 * that is a long list. A page has the fields of the answer, each with a part of its list; the first field has the long
 * list. The return value is the last page or, if no page came before, the whole answer or a refusal.
 */
export type AnswerPages<Answer> = Generator<Answer | undefined, Answer | Refusal, void>;

export type ListPage = Readonly<Record<string, readonly unknown[]>>;

/** An operation that only reads. It needs no transaction, so it works when nothing can be stored (R36). */
interface Looks<Fields extends TProperties, Answer extends TSchema> extends Described<Fields, Answer> {
  run(context: OperationContext, input: Asked<Fields>, now: Instant): Looked<InEngine<Answer>>;
}

type Looked<Answer> = Answer | Refusal | AnswerPages<Answer>;

/** An operation that changes something, in one transaction. Its answer is given after the commit. */
interface Acts<Fields extends TProperties, Answer extends TSchema> extends Described<Fields, Answer> {
  /** What the audit says after the name of who did it, such as `paused a job`. */
  readonly inAudit: string;
  /** What the story of a job says, such as `Paused`; absent when the operation is not about a job. */
  readonly inStory?: string;
  /**
   * Does what the operation is for. `noteDone` writes into the audit that the work was done; it must be called in the
   * transaction of that work.
   */
  run(
    context: OperationContext,
    input: Asked<Fields>,
    now: Instant,
    by: Actor,
    noteDone: () => void,
  ): Operated<InEngine<Answer> | Refusal>;
}

/** What `looks` and `acts` below add to an entry: whether it looks or acts, and its fields as one object. */
type Ready<Effect, Fields extends TProperties> = Readonly<{ effect: Effect; input: TObject<Fields> }>;

type Looking<Fields extends TProperties = TProperties, Answer extends TSchema = TSchema> = Looks<Fields, Answer> &
  Ready<"looks", Fields>;

export type Acting<Fields extends TProperties = TProperties, Answer extends TSchema = TSchema> = Acts<Fields, Answer> &
  Ready<"acts", Fields>;

export type Operation = Looking | Acting;

/** An entry as it is written in the table. Its `input` lists the fields, which fields.ts makes. */
type Entry<Fields, Described> = Described & { readonly input: Fields };

export const looks = <Fields extends TProperties, Answer extends TSchema>(
  operation: Entry<Fields, Looks<Fields, Answer>>,
): Looking<Fields, Answer> => ({ ...operation, effect: "looks", input: object(operation.input) });

export const acts = <Fields extends TProperties, Answer extends TSchema>(
  operation: Entry<Fields, Acts<Fields, Answer>>,
): Acting<Fields, Answer> => ({ ...operation, effect: "acts", input: object(operation.input) });
