// Makes the toast: the short message after an action, which says what the person has just done and offers a button that
// takes it back. It uses the words of the story and of the audit.

import type { TObject } from "typebox";
import { DECLARED_FIELDS, type DeclaredField, SETTINGS, settingOption } from "../../domain/settings/settings.ts";
import { capitalized } from "../../domain/text.ts";
import { auditedOf } from "../../engine/operations/fields.ts";
import { type Answer, actedIn, OPERATIONS, type OperationName } from "../../engine/operations/operations.ts";
import { askedWhat } from "../../views/rows/audit-rows.ts";
import { keptByPagersInWords } from "../../views/rows/incident-rows.ts";
import type { DeclaredChange } from "../../views/schemas/monitor-schemas.ts";
import { storyActInWords, storyChangeInWords } from "../../views/story.ts";
import {
  applicationPath,
  destinationPath,
  editPath,
  incidentPath,
  type JobAddress,
  jobPath,
  maintenanceEndPath,
  removeMemberPath,
} from "../paths.ts";
import { nameOnPage, pageLine } from "../shown.ts";
import type { Viewer } from "../viewer.ts";
import { operationDoneInWords } from "./done-words.ts";

/** An operation that acted, with its input and its answer. */
export interface Done {
  readonly name: OperationName;
  readonly given: object;
  readonly answer: object;
}

/** A form that takes an action back: the path to which the form is sent, and its fields. */
interface Undo {
  readonly to: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The message after an action. `says` is a sentence; `undo` is `null` when no form takes the action back. */
export type Toast = Readonly<{ says: string; undo: Undo | null }>;

/** The message after these actions; `null` when nothing was done. After more than one action, `undo` is `null`. */
export function toastOf(done: readonly Done[]): Toast | null {
  const last = done.at(-1);
  if (last === undefined) return null;
  const subjects = [...new Set(done.map(subjectOf))];
  const [first = "", ...others] = subjects;
  const subject = others.length === 0 ? first : `${first} and ${others.length} more`;
  const says = jobIn(last) === null ? sentenceOf(last) : `${subject}: ${wordsOf(last)}`;
  return { says: pageLine(`${says}.`), undo: done.length === 1 ? undoOf(last) : null };
}

/**
 * The sentence about an action, without its full stop. A sentence of `operationDoneInWords` keeps its first letter,
 * because it may begin with a name.
 */
const sentenceOf = (done: Done): string =>
  operationDoneInWords(done.name, done.answer, done.given) ?? capitalized(wordsOf(done));

/**
 * Words for what was done: for a job, for example, `paused for 2 h: a new disk`; for anything else, the words of the
 * audit.
 */
function wordsOf({ name, given, answer }: Done): string {
  const { inStory, inAudit } = actedIn(name)!;
  if (inStory !== undefined) {
    if ("changed" in answer && answer.changed === false) return "it was so already";
    const did = storyActInWords(inStory, "", { ...given });
    const changes = ("changes" in answer ? (answer.changes as readonly DeclaredChange[]) : []).map(
      changedSettingInWords,
    );
    const pagers = "pagers" in answer ? (answer.pagers as readonly string[]) : [];
    const kept = pagers.length === 0 ? [] : [keptByPagersInWords(pagers)];
    return [`${did.charAt(0).toLowerCase()}${did.slice(1)}`, ...changes, ...kept].join("; ");
  }
  const { application = null, ...details } = auditedOf(OPERATIONS[name].input as TObject, given) as {
    readonly application?: string | null;
  };
  const asked = askedWhat({ details, application: null, monitorKey: null }).map((part) =>
    typeof part === "object" && "wrote" in part ? part.wrote : "",
  );
  const about = [...(application === null ? [] : [application]), ...asked].join(", ");
  return about === "" ? inAudit : `${inAudit}: ${about}`;
}

function changedSettingInWords({ setting, from, to }: DeclaredChange): string {
  const field = DECLARED_FIELDS.find((one) => settingOption(one) === setting)!;
  return storyChangeInWords(field, typedIn(field, from), typedIn(field, to));
}

const NUMBERS: ReadonlySet<string> = new Set(["count", "interval", "seconds"]);

const typedIn = (field: DeclaredField, text: string | null): string | number | null =>
  text !== null && NUMBERS.has(SETTINGS[field].kind) ? Number(text) : text;

type ActedJob = JobAddress & { readonly name: string };

/** The job on which the operation acted; `null` when it acted on something else. */
function jobIn({ name, answer }: Done): ActedJob | null {
  if (actedIn(name)?.inStory === undefined) return null;
  const { monitor, incident, ...self } = answer as { readonly monitor?: ActedJob; readonly incident?: ActedJob };
  const job = monitor ?? incident ?? (self as ActedJob);
  return "key" in job && "name" in job ? job : null;
}

function subjectOf(done: Done): string {
  const job = jobIn(done);
  return job === null ? "" : nameOnPage(job);
}

function undoOf(done: Done): Undo | null {
  const { name, given, answer } = done;
  const job = jobIn(done);
  if (job !== null && name === "monitor pause") return { to: `${jobPath(job)}/resume`, fields: {} };
  if (job !== null && name === "monitor delete") return { to: `${jobPath(job)}/undelete`, fields: {} };
  if (job !== null && name === "monitor rename")
    return { to: `${jobPath(job)}/rename`, fields: { newKey: (given as JobAddress).key } };
  if (job !== null && name === "monitor set" && !("undo" in given && given.undo))
    return { to: editPath(job), fields: { undo: "last" } };
  if (job !== null && name === "monitor create") return { to: `${jobPath(job)}/delete`, fields: {} };
  return UNDOING[name]?.(answer as never) ?? null;
}

type UndoRows = { readonly [Name in OperationName]?: (answer: Answer<Name>) => Undo | null };

/**
 * For an operation that `undoOf` does not treat itself: the form that takes it back, made of the operation's answer.
 * `null` when nothing was changed that a form could take back.
 */
const UNDOING: UndoRows = {
  "incident ack": ({ changed, incident: { id } }) => (changed ? { to: `${incidentPath(id)}/unack`, fields: {} } : null),
  "app suspend": ({ application: { slug } }) => ({ to: `${applicationPath(slug)}/resume`, fields: {} }),
  "app resume": ({ application: { slug } }) => ({ to: `${applicationPath(slug)}/suspend`, fields: {} }),
  "status-page add": ({ application, replaced }) =>
    replaced ? null : { to: `${applicationPath(application)}/unshare`, fields: {} },
  "destination rename": ({ name, newName }) => ({
    to: `${destinationPath(newName)}/rename`,
    fields: { newName: name },
  }),
  "member add": ({ email, replaced }) => (replaced ? null : { to: removeMemberPath(email), fields: {} }),
  "maintenance plan": ({ maintenance: { id } }) => (id === null ? null : { to: maintenanceEndPath(id), fields: {} }),
};

// Keeps each toast in memory until the next page shows it once. If toasts were in addresses or cookies, anyone could
// make one that tells of an action that never happened.

export type Toasts = ReturnType<typeof createToasts>;

const WAITING_MAX = 1_000;

type ToastViewer = Pick<Viewer, "id" | "sessionId">;

export function createToasts() {
  const waiting = new Map<string, Toast>();
  const keyOf = ({ id, sessionId }: ToastViewer, address: string): string => {
    const { pathname, search } = new URL(address, "http://localhost");
    return `${id} ${sessionId} ${pathname}${search}`;
  };
  return {
    /** Keeps the toast for this person's next request for the page at this address. */
    put: (whose: ToastViewer, address: string, toast: Toast): void => {
      const [oldest] = waiting.keys();
      if (waiting.size >= WAITING_MAX) waiting.delete(oldest!);
      waiting.set(keyOf(whose, address), toast);
    },
    /** Returns the toast of this person and address and forgets it; `null` when there is none. */
    take: (whose: ToastViewer, address: string): Toast | null => {
      const key = keyOf(whose, address);
      const toast = waiting.get(key) ?? null;
      waiting.delete(key);
      return toast;
    },
  };
}
