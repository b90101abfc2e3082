// Takes replies to alerts (R23), such as a button in a chat. Each message has a signed token, which allows one person
// to reply about one incident from one destination. Each reply is taken once; the audit remembers that, in the
// transaction of the reply.

import { createHmac } from "node:crypto";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { tellsTrouble } from "../../domain/message/message.ts";
import { actorOf, foldedPersonName, type Person, personOf, refuseActor } from "../../domain/people/person.ts";
import {
  REPLIES,
  REPLIES_TAKEN_FOR,
  REPLY_WORDS,
  type Reply,
  replierOf,
  repliersOf,
} from "../../domain/people/reply.ts";
import { secondsUntilTomorrowMorning } from "../../domain/schedule/midnights.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { IncidentRecord } from "../../store/incidents.ts";
import { monitorWithPolicy } from "../../views/completed-monitors.ts";
import type { ClaimedDelivery, Clock, ReplyOptions } from "../api.ts";
import type { EngineContext } from "../engine-context.ts";
import { isSameSecret } from "../same-secret.ts";
import type { OperatorFor } from "./operate.ts";

interface RepliesParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly as: OperatorFor;
}

/**
 * Where a reply comes from: the message's destination, its token (or the id that the service gave to the message), and
 * the person's network address.
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

/** What a person who replies is shown: whose reply it is, the incident, and the replies that are still possible. */
export type ReplyView = Exclude<ReturnType<Replies["look"]>, Refusal>;

/** Makes the functions that take replies. Each may throw when storage fails. */
export function createReplies({ context, clock, as }: RepliesParts) {
  const { store } = context;
  const { tokenFor, find } = createTokens({ context, clock });

  /**
   * Returns `link`, the name of this reply in the audit, and `used`, the row of the audit with this name. `used` is
   * `null` when the reply was not taken yet. When a person has taken an acknowledgement back, the same button can
   * acknowledge once more. The second acknowledgement then gets a name of its own.
   */
  function useOf(token: string, reply: Reply, { acknowledgedAt }: IncidentRecord["incident"]) {
    for (let again = 0; ; again++) {
      const link = linkOf(token, reply, again);
      const used = store.audit.ofReply(link);
      if (used === null || reply !== "ack" || acknowledgedAt !== null) return { link, used };
    }
  }

  /** Returns why this reply is not possible (again); `null` when it is possible. */
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
    const { timezone } = monitorWithPolicy(context, found.monitorId)!.monitor.watch;
    const durationSeconds = reply === "hour" ? 3_600 : secondsUntilTomorrowMorning(clock.now(), timezone);
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
    /** Returns the token and the replies for a message that is to be sent; `null` when no reply would be accepted. */
    replyOptionsFor: (
      delivery: Pick<ClaimedDelivery, "message" | "destination" | "recipient">,
    ): ReplyOptions | null => {
      const token = tokenFor(delivery);
      const replier = token === null ? FORGED : find({ token, destination: delivery.destination, address: "" });
      return token === null || isRefusal(replier) ? null : { token, ...seen(replier) };
    },
    /** Returns what the page for replying to an open incident shows. Changes nothing. */
    look: (from: ReplyOrigin) => {
      const replier = find(from);
      if (isRefusal(replier)) return replier;
      const { id, incident } = replier.found;
      return incident.closedAt === null ? seen(replier) : over(id, incident.closedAt);
    },
    /** Does what the reply asks for, and returns what the person is shown afterwards. */
    take: (from: ReplyOrigin, reply: Reply) => {
      const replier = find(from);
      if (isRefusal(replier)) return replier;
      const done = refuseReply(replier, reply) ?? doReply(replier, reply);
      return isRefusal(done) ? done : seen({ ...replier, found: store.incidents.find(replier.found.id)! });
    },
  };
}

function createTokens({ context, clock }: Omit<RepliesParts, "as">) {
  const { store } = context;

  /** Returns the text with its signature; `null` when this database has no secret for signing yet. */
  function signed(text: string, destination: string): string | null {
    const secret = store.liveness.replySecret();
    const mac = secret && createHmac("sha256", secret).update(`${destination} ${text}`).digest("base64url");
    return mac && `${text}-${mac.slice(0, MAC_LENGTH)}`;
  }

  /** Returns the token for a message that is about to be sent; `null` when no reply to it would be accepted. */
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

  /**
   * Returns the token that allows a reply to the message to which the service gave the id `sentAs`. "" when there is no
   * such message, no person who may reply, or no incident.
   */
  function tokenOfSent(destination: string, sentAs: string): string {
    const sent = store.alerts.sentAs(destination, sentAs);
    const name = sent && replierOf(context.policy, { destination, recipient: sent.recipient });
    const person = name === null ? null : store.people.named(name);
    const found = sent === null || sent.incidentId === null ? null : store.incidents.find(sent.incidentId);
    return (person && found && tokenOf(found, person, sent!.at, destination)) ?? "";
  }

  /** Returns who replies and about which incident. A refusal says why the token does not work. */
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
    if (
      !repliersOf(context.policy, from.destination).some(
        (name) => foldedPersonName(name) === foldedPersonName(person.name),
      )
    )
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
 * How many characters of the signature a token has; these are 132 bits. A token with this signature is short enough for
 * the data of a button in Telegram.
 */
const MAC_LENGTH = 22;

/**
 * The form of a token: the incident's number, when it opened, the person's number and when the token ends, each in base
 * 36; then the signature.
 */
const TOKEN = /^((?:[0-9a-z]{1,11}-){3}[0-9a-z]{1,11})-[\w-]{22}$/;

/** The name of a reply in the audit, with only a hash of the token, so that a reader of the audit cannot reply. */
const linkOf = (token: string, reply: Reply, again: number): string =>
  `${Bun.SHA256.hash(token, "hex").slice(0, 32)} ${reply}${again === 0 ? "" : ` ${again}`}`;

const FORGED = refuse("ACCESS_DENIED", "this is no answer to a message of this rollcall, or it was changed on its way");
const UNKNOWN = refuse("NOT_FOUND", "this is no answer to a message of this rollcall");

/**
 * True when a reply was refused because it answers no message of this destination. It may then answer a message of
 * another destination.
 */
export const mayBeReplyElsewhere = (taken: object): boolean => taken === FORGED || taken === UNKNOWN;

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
