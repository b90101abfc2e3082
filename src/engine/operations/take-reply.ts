// Answers to alerts (R23). A token in a message is the authority to answer as one person, for one incident and from one
// destination. It is signed, and allows each of its acts once, which the audit remembers in the same transaction.

import { createHmac } from "node:crypto";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { actorOf, foldedName, type Person, personOf, refuseActor } from "../../domain/people/person.ts";
import { ANSWER_ACTS, ANSWER_SPAN, ANSWERS, type AnswerAct, secondsUntilTomorrow } from "../../domain/people/reply.ts";
import { answerersOf, answersAs } from "../../domain/settings/alert-routes.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { IncidentRecord } from "../../store/incidents.ts";
import { loadMonitor } from "../../views/completed-monitors.ts";
import type { ClaimedDelivery, Clock, MessageAnswers } from "../api.ts";
import type { EngineContext } from "../engine-context.ts";
import { isSameSecret } from "../keyring.ts";
import { tellsTrouble } from "../outbox/claimed.ts";
import type { OperatorFor } from "./operate.ts";

interface AnswersParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly as: OperatorFor;
}

/**
 * How an answer comes: the destination of its message, the token in the message or the service's name for it, and the
 * address of the person who answers.
 */
type AnswerFrom = Readonly<{ destination: string; address: string }> & AnsweredMessage;

export type AnsweredMessage = Readonly<{ token: string } | { sentAs: string }>;

type Answerer = Readonly<{
  destination: string;
  address: string;
  token: string;
  person: Person;
  found: IncidentRecord;
}>;

export type Answers = ReturnType<typeof createAnswers>;

/** What a person who answers sees: in whose name, which incident, and the acts that this message still allows. */
export type SeenAnswer = Exclude<ReturnType<Answers["look"]>, Refusal>;

/** Each function throws what SQLite throws. */
export function createAnswers({ context, clock, as }: AnswersParts) {
  const { store } = context;
  const { tokenFor, find } = createTokens({ context, clock });

  /** Why this act is not allowed, or not again; `null` when it is allowed. */
  function refuseAct({ token, found: { id, incident } }: Answerer, act: AnswerAct): Refusal | null {
    const { closedAt, acknowledgedAt, acknowledgedBy } = incident;
    if (closedAt !== null) return over(id, closedAt);
    const used = store.audit.ofAnswer(linkOf(token, act));
    if (used !== null) return already(used.name, `answered “${ANSWERS[act]}”`, used.at);
    return act === "ack" && acknowledgedAt !== null ? already(acknowledgedBy, "acknowledged it", acknowledgedAt) : null;
  }

  function doAct({ found, person, address, destination, token }: Answerer, act: AnswerAct): object | Refusal {
    const link = linkOf(token, act);
    const { operate } = as({ kind: "person", person, address, answer: { destination, link } });
    if (act === "ack" || act === "resolve") return operate(`incident ${act}`, { id: found.id });
    const { timezone } = loadMonitor(context, found.monitorId)!.monitor.watch;
    const durationSeconds = act === "hour" ? 3_600 : secondsUntilTomorrow(clock.now(), timezone);
    return operate("monitor pause", { application: found.application, key: found.key, durationSeconds });
  }

  function seen(answerer: Answerer) {
    const { person, destination, token, address, found } = answerer;
    const done = ANSWER_ACTS.flatMap((act) => {
      const used = store.audit.ofAnswer(linkOf(token, act));
      return used === null ? [] : [`${used.name}: ${ANSWERS[act]}`];
    });
    const acts = ANSWER_ACTS.filter((act) => refuseAct(answerer, act) === null);
    return { person, destination, acts, done, actor: actorOf(person, address), incidentId: found.id };
  }

  return {
    tokenFor,
    /** The answering part of a message that is being sent; `null` when answers would not be accepted. */
    answeringOf: (delivery: Pick<ClaimedDelivery, "message" | "destination" | "recipient">): MessageAnswers | null => {
      const token = tokenFor(delivery);
      const answerer = token === null ? FORGED : find({ token, destination: delivery.destination, address: "" });
      return token === null || isRefusal(answerer) ? null : { token, ...seen(answerer) };
    },
    /** For the page of an open incident; changes nothing. */
    look: (from: AnswerFrom) => {
      const answerer = find(from);
      if (isRefusal(answerer)) return answerer;
      const { id, incident } = answerer.found;
      return incident.closedAt === null ? seen(answerer) : over(id, incident.closedAt);
    },
    /** Performs the act and returns what the person sees afterwards. */
    act: (from: AnswerFrom, act: AnswerAct) => {
      const answerer = find(from);
      if (isRefusal(answerer)) return answerer;
      const done = refuseAct(answerer, act) ?? doAct(answerer, act);
      return isRefusal(done) ? done : seen({ ...answerer, found: store.incidents.find(answerer.found.id)! });
    },
  };
}

/** Makes tokens, and finds what they stand for. */
function createTokens({ context, clock }: Omit<AnswersParts, "as">) {
  const { store } = context;

  /** `text` with its signature; `null` when this database has no secret yet. */
  function signed(text: string, destination: string): string | null {
    const secret = store.liveness.answerSecret();
    const mac = secret && createHmac("sha256", secret).update(`${destination} ${text}`).digest("base64url");
    return mac && `${text}-${mac.slice(0, MAC_LENGTH)}`;
  }

  /** The token for a message that is being sent; `null` when answers would not be accepted. */
  function tokenFor({ message, ...route }: Pick<ClaimedDelivery, "message" | "destination" | "recipient">) {
    const name = answersAs(context.policy, route);
    const person = name === null || !tellsTrouble(message) ? null : store.people.named(name);
    if (person === null || !tellsTrouble(message)) return null;
    const found = store.incidents.find(Number(message.data.incidentId));
    if (found === null || found.incident.closedAt !== null || mayAnswer(person, found) !== null) return null;
    return tokenOf(found, person, message.at, route.destination);
  }

  function tokenOf({ id, incident }: IncidentRecord, person: { id: number }, at: Instant, destination: string) {
    const numbers = [id, incident.openedAt, person.id, at + ANSWER_SPAN];
    return signed(numbers.map((number) => number.toString(36)).join("-"), destination);
  }

  /** The token of the message to which the service gave this name; empty when there is none. */
  function tokenOfSent(destination: string, sentAs: string): string {
    const sent = store.alerts.sentAs(destination, sentAs);
    const name = sent && answersAs(context.policy, { destination, recipient: sent.recipient });
    const person = name === null ? null : store.people.named(name);
    const found = sent === null || sent.incidentId === null ? null : store.incidents.find(sent.incidentId);
    return (person && found && tokenOf(found, person, sent!.at, destination)) ?? "";
  }

  /** Who may answer, and about what; otherwise a refusal that says why the token does not work. */
  function find(from: AnswerFrom): Answerer | Refusal {
    const { destination, address } = from;
    const token = "token" in from ? from.token : tokenOfSent(destination, from.sentAs);
    if (token === "") return UNKNOWN;
    const text = TOKEN.exec(token)?.[1] ?? "";
    const right = signed(text, destination);
    if (right === null || !isSameSecret(token, right)) return FORGED;
    const [id = 0, openedAt, personId = 0, until = 0] = text.split("-").map((part) => Number.parseInt(part, 36));
    if (clock.now() >= until) return STALE;
    const person = store.people.find(personId);
    if (person === null) return DELETED;
    if (!answerersOf(context.policy, from.destination).some((name) => foldedName(name) === foldedName(person.name)))
      return refuse("ACCESS_DENIED", `answers from ${from.destination} are not taken as ${person.name} any more`);
    const found = store.incidents.find(id);
    if (found === null || found.incident.openedAt !== openedAt) return GONE;
    const current = store.incidents.goingOn(found, destination);
    return mayAnswer(person, current) ?? { destination, address, token, person: personOf(person), found: current };
  }

  return { tokenFor, find };
}

const mayAnswer = (person: Person, { application }: IncidentRecord): Refusal | null =>
  refuseActor(actorOf(person, ""), { role: "operator", acts: true, hostOnly: false, application });

/** 128 bits. With its text the token is no longer than the data of a button may be in Telegram. */
const MAC_LENGTH = 22;

/** Incident, its opening, person and end, each to base 36, and then the signature. */
const TOKEN = /^((?:[0-9a-z]{1,11}-){3}[0-9a-z]{1,11})-[\w-]{22}$/;

/** The audit's id for an answer, from which no token can be made. */
const linkOf = (token: string, act: AnswerAct): string => `${Bun.SHA256.hash(token, "hex").slice(0, 32)} ${act}`;

const FORGED = refuse("ACCESS_DENIED", "this is no answer to a message of this rollcall, or it was changed on its way");
const UNKNOWN = refuse("NOT_FOUND", "this is no answer to a message of this rollcall");

/** Whether the answer may belong to a message of another destination. */
export const isElsewhere = (answer: object): boolean => answer === FORGED || answer === UNKNOWN;

const STALE = refuse(
  "ACCESS_DENIED",
  "the message is more than 7 days old; answer to a newer one, or in the dashboard",
);
const DELETED = refuse("ACCESS_DENIED", "the person as whom it answers was deleted");
const GONE = refuse("ACCESS_DENIED", "the incident is not known here any more");

const over = (id: number, closedAt: Instant): Refusal =>
  refuse("INVALID_REQUEST", `incident ${id} is over since ${toIso(closedAt)}`);

const already = (name: string | null, what: string, at: Instant): Refusal =>
  refuse("INVALID_REQUEST", `${name ?? "a command"} ${what} already, at ${toIso(at)}`);
