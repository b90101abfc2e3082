// Replies to alerts (R23). A token in a message is the authority to reply as one person, for one incident and from one
// destination. It is signed, and allows each reply once, which the audit remembers in the same transaction.

import { createHmac } from "node:crypto";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { actorOf, foldedName, type Person, personOf, refuseActor } from "../../domain/people/person.ts";
import {
  REPLIES,
  REPLIES_TAKEN_FOR,
  REPLY_WORDS,
  type Reply,
  secondsUntilTomorrow,
} from "../../domain/people/reply.ts";
import { replierOf, repliersOf } from "../../domain/settings/alert-routes.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { IncidentRecord } from "../../store/incidents.ts";
import { loadMonitor } from "../../views/completed-monitors.ts";
import type { ClaimedDelivery, Clock, ReplyOptions } from "../api.ts";
import type { EngineContext } from "../engine-context.ts";
import { isSameSecret } from "../keyring.ts";
import { tellsTrouble } from "../outbox/claimed.ts";
import type { OperatorFor } from "./operate.ts";

interface RepliesParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly as: OperatorFor;
}

/**
 * How a reply comes: the destination of its message, the token in the message or the id that the service gave to it,
 * and the address of the person who replies.
 */
type ReplyOrigin = Readonly<{ destination: string; address: string }> & RepliedMessage;

export type RepliedMessage = Readonly<{ token: string } | { sentAs: string }>;

type Replier = Readonly<{
  destination: string;
  address: string;
  token: string;
  person: Person;
  found: IncidentRecord;
}>;

export type Replies = ReturnType<typeof createReplies>;

/** What a person who replies sees: in whose name, which incident, and the replies that this message still allows. */
export type ReplyView = Exclude<ReturnType<Replies["look"]>, Refusal>;

/** Makes the functions for replies. Each of them may throw what SQLite throws. */
export function createReplies({ context, clock, as }: RepliesParts) {
  const { store } = context;
  const { tokenFor, find } = createTokens({ context, clock });

  /**
   * The link of this reply, and the audit's row of its use, or `null`. An acknowledgement that was taken back can be
   * made again by the same message, by another link.
   */
  function useOf(token: string, reply: Reply, { acknowledgedAt }: IncidentRecord["incident"]) {
    for (let again = 0; ; again++) {
      const link = linkOf(token, reply, again);
      const used = store.audit.ofReply(link);
      if (used === null || reply !== "ack" || acknowledgedAt !== null) return { link, used };
    }
  }

  /** Why this reply is not allowed, or not again; `null` when it is allowed. */
  function refuseReply({ token, found: { id, incident } }: Replier, reply: Reply): Refusal | null {
    const { closedAt, acknowledgedAt, acknowledgedBy } = incident;
    if (closedAt !== null) return over(id, closedAt);
    const { used } = useOf(token, reply, incident);
    if (used !== null) return already(used.name, `answered “${REPLIES[reply]}”`, used.at);
    return reply === "ack" && acknowledgedAt !== null
      ? already(acknowledgedBy, "acknowledged it", acknowledgedAt)
      : null;
  }

  function doReply({ found, person, address, destination, token }: Replier, reply: Reply): object | Refusal {
    const { link } = useOf(token, reply, found.incident);
    const { operate } = as({ kind: "person", person, address, reply: { destination, link } });
    if (reply === "ack" || reply === "resolve") return operate(`incident ${reply}`, { id: found.id });
    const { timezone } = loadMonitor(context, found.monitorId)!.monitor.watch;
    const durationSeconds = reply === "hour" ? 3_600 : secondsUntilTomorrow(clock.now(), timezone);
    return operate("monitor pause", { application: found.application, key: found.key, durationSeconds });
  }

  function seen(replier: Replier) {
    const { person, destination, token, address, found } = replier;
    const done = REPLY_WORDS.flatMap((reply) => {
      const { used } = useOf(token, reply, found.incident);
      return used === null ? [] : [`${used.name}: ${REPLIES[reply]}`];
    });
    const allowed = REPLY_WORDS.filter((reply) => refuseReply(replier, reply) === null);
    return { person, destination, allowed, done, actor: actorOf(person, address), incidentId: found.id };
  }

  return {
    tokenFor,
    /** The replies that a message which is being sent allows; `null` when replies would not be accepted. */
    replyOptionsFor: (
      delivery: Pick<ClaimedDelivery, "message" | "destination" | "recipient">,
    ): ReplyOptions | null => {
      const token = tokenFor(delivery);
      const replier = token === null ? FORGED : find({ token, destination: delivery.destination, address: "" });
      return token === null || isRefusal(replier) ? null : { token, ...seen(replier) };
    },
    /** Returns what the page of an open incident shows; changes nothing. */
    look: (from: ReplyOrigin) => {
      const replier = find(from);
      if (isRefusal(replier)) return replier;
      const { id, incident } = replier.found;
      return incident.closedAt === null ? seen(replier) : over(id, incident.closedAt);
    },
    /** Does what the reply asks for and returns what the person sees afterwards. */
    take: (from: ReplyOrigin, reply: Reply) => {
      const replier = find(from);
      if (isRefusal(replier)) return replier;
      const done = refuseReply(replier, reply) ?? doReply(replier, reply);
      return isRefusal(done) ? done : seen({ ...replier, found: store.incidents.find(replier.found.id)! });
    },
  };
}

/** Makes tokens, and finds what they stand for. */
function createTokens({ context, clock }: Omit<RepliesParts, "as">) {
  const { store } = context;

  /** `text` with its signature; `null` when this database has no secret yet. */
  function signed(text: string, destination: string): string | null {
    const secret = store.liveness.replySecret();
    const mac = secret && createHmac("sha256", secret).update(`${destination} ${text}`).digest("base64url");
    return mac && `${text}-${mac.slice(0, MAC_LENGTH)}`;
  }

  /** The token for a message that is being sent; `null` when replies would not be accepted. */
  function tokenFor({ message, ...route }: Pick<ClaimedDelivery, "message" | "destination" | "recipient">) {
    const name = replierOf(context.policy, route);
    const person = name === null || !tellsTrouble(message) ? null : store.people.named(name);
    if (person === null || !tellsTrouble(message)) return null;
    const found = store.incidents.find(Number(message.data.incidentId));
    if (found === null || found.incident.closedAt !== null || refuseReplier(person, found) !== null) return null;
    return tokenOf(found, person, message.at, route.destination);
  }

  function tokenOf({ id, incident }: IncidentRecord, person: { id: number }, at: Instant, destination: string) {
    const numbers = [id, incident.openedAt, person.id, at + REPLIES_TAKEN_FOR];
    return signed(numbers.map((number) => number.toString(36)).join("-"), destination);
  }

  /** The token of the message to which the service gave this id; empty when there is none. */
  function tokenOfSent(destination: string, sentAs: string): string {
    const sent = store.alerts.sentAs(destination, sentAs);
    const name = sent && replierOf(context.policy, { destination, recipient: sent.recipient });
    const person = name === null ? null : store.people.named(name);
    const found = sent === null || sent.incidentId === null ? null : store.incidents.find(sent.incidentId);
    return (person && found && tokenOf(found, person, sent!.at, destination)) ?? "";
  }

  /** Who may reply, and about what; otherwise a refusal that says why the token does not work. */
  function find(from: ReplyOrigin): Replier | Refusal {
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
    if (!repliersOf(context.policy, from.destination).some((name) => foldedName(name) === foldedName(person.name)))
      return refuse("ACCESS_DENIED", `answers from ${from.destination} are not taken as ${person.name} any more`);
    const found = store.incidents.find(id);
    if (found === null || found.incident.openedAt !== openedAt) return GONE;
    const current = store.incidents.openInstead(found, destination);
    return refuseReplier(person, current) ?? { destination, address, token, person: personOf(person), found: current };
  }

  return { tokenFor, find };
}

const refuseReplier = (person: Person, { application }: IncidentRecord): Refusal | null =>
  refuseActor(actorOf(person, ""), { role: "operator", acts: true, hostOnly: false, application });

/**
 * How many characters the signature has, which are 128 bits. With its text the token is no longer than the data of a
 * button may be in Telegram.
 */
const MAC_LENGTH = 22;

/** A token: the incident, its opening, the person and the end, each to base 36, and then the signature. */
const TOKEN = /^((?:[0-9a-z]{1,11}-){3}[0-9a-z]{1,11})-[\w-]{22}$/;

/** The audit's id for a reply, from which no token can be made. */
const linkOf = (token: string, reply: Reply, again: number): string =>
  `${Bun.SHA256.hash(token, "hex").slice(0, 32)} ${reply}${again === 0 ? "" : ` ${again}`}`;

const FORGED = refuse("ACCESS_DENIED", "this is no answer to a message of this rollcall, or it was changed on its way");
const UNKNOWN = refuse("NOT_FOUND", "this is no answer to a message of this rollcall");

/** Whether the reply may belong to a message of another destination. */
export const isElsewhere = (taken: object): boolean => taken === FORGED || taken === UNKNOWN;

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
