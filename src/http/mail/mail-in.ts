// Reports by mail (R47): which monitor a mail is for, what it says, and the SMTP reply to it. Such a report is taken
// like one by HTTP, and answered when it is committed. This file reads no socket.

import { KEY_PREFIX } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../../domain/errors.ts";
import { MESSAGE_LENGTH } from "../../domain/limits.ts";
import type { Log } from "../../domain/log.ts";
import { MAIL, MAIL_RULE } from "../../domain/message/refused-report.ts";
import { addressOfUuid } from "../../domain/old-address.ts";
import { LOOKED_AT_BYTES } from "../../domain/output/kept-output.ts";
import { createTail } from "../../domain/output/lines.ts";
import { aliasLimits, type RateExcess } from "../../domain/rate-limit.ts";
import { type MailMeaning, meaningOf } from "../../domain/settings/mail-rule.ts";
import { cleanLine } from "../../domain/text.ts";
import { HOUR } from "../../domain/time.ts";
import type { Caller, Clock, Ping } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import { checkScope } from "../api/auth.ts";
import { createKeyFailureLog } from "../api/failed-authentication.ts";
import { createGuesses } from "../api/old-address-routes.ts";
import { under, withEnd } from "../api/read-fail.ts";
import { plainPing } from "../api/read-ping.ts";
import { OURS } from "../api/record-report.ts";
import { OPERATIONS_BEHIND_KEY } from "../api/telemetry-operations.ts";
import { refusedAsRevoked } from "../api/telemetry-routes.ts";
import { createThrottle } from "../api/throttle.ts";
import type { Limits } from "../api/versions.ts";
import { rateExceeded } from "../error-responses.ts";
import { createYield } from "../yield.ts";
import { type MailRead, readHead, readMail } from "./read-mail.ts";

/** How many bytes of a mail are read. Attachments come last, and other mails wait meanwhile. */
export const READ_BYTES = 64 * 1024;
const REPLY_LENGTH = 400;
/** How far the Date of a mail may be from now, in milliseconds, for its Message-ID to identify the mail. */
const CURRENT = HOUR;

/** A reply of SMTP: `code` is 250 when the mail is recorded, 4xx when it may be sent again. */
export type MailReply = Readonly<{ code: number; text: string }>;

/**
 * Where a mail comes from: `client` is the sender's address in the network, `sender` the one that the envelope names.
 */
type MailOrigin = Readonly<{ client: string; sender: string }>;
/**
 * How much of a mail came: `beginning` says that only the first part was read; `brokenOff` that the sender went away
 * before the end of the mail, and was told nothing.
 */
export type MailCame = "whole" | "beginning" | "brokenOff";
type MailPlace = Readonly<{ caller: Caller; monitorKey: string }>;

const RECORDED: MailReply = { code: 250, text: "recorded" };
const ADDRESS_RULE = "it is MONITOR+KEY or a UUID before the @, and upper and lower case of a key count";
const NO_ADDRESS = refuse("NOT_FOUND", `no such address; ${ADDRESS_RULE}`);

/**
 * Matches the route that a mail was to take, written before its address (RFC 5321, appendix C). It is no part of a
 * job's name.
 */
const SOURCE_ROUTE = /^@(?:\[[^\]]*\]|[^\s,:@[\]])+(?:,@(?:\[[^\]]*\]|[^\s,:@[\]])+)*:/;

/** For each meaning of a mail, the segment with which the path of such a report would end. */
const SEGMENTS = { failure: "fail", start: "start", success: "0", ignore: "log", unclear: "log" } as const;

function replyOf({ refusal, message }: Refusal): MailReply {
  const final = refusal === "NOT_FOUND" ? 550 : refusal === "RATE_LIMIT_EXCEEDED" ? 450 : 554;
  return { code: OURS.has(refusal) ? 451 : final, text: cleanLine(message, REPLY_LENGTH) };
}

/**
 * The note about a mail that was recorded but does not clearly say success (R47): people are told by the first such
 * mail, and the others are counted.
 */
const unclear = (subject: string): Refusal =>
  refuse(
    "INVALID_REQUEST",
    `${MAIL_RULE}: no word of the mail ${JSON.stringify(subject)} says success or failure, so it counted as a log`,
  );

const tooManyMails = (excess: Parameters<typeof rateExceeded.of>[0]): Refusal =>
  refuse("RATE_LIMIT_EXCEEDED", rateExceeded.of(excess).message);

/** Finds the monitor of an address: `MONITOR+KEY@…`, or the UUID of an address of Healthchecks (R45). */
function createMailAddressReader(
  intake: Engine["intake"],
  guesses: ReturnType<typeof createGuesses>,
  clock: Clock,
  log: Log,
) {
  const noteFailure = createKeyFailureLog(clock, log);
  return (address: string, client: string): MailPlace | Refusal => {
    const local = address.replace(SOURCE_ROUTE, "").replace(/@[^@]*$/, "");
    const [monitorKey = "", secret] = local.split(`+${KEY_PREFIX}`, 2);
    const key = secret === undefined ? (addressOfUuid(local)?.path ?? "") : KEY_PREFIX + secret;
    const found = secret === undefined ? intake.atOldAddress(key) : intake.authenticate(key);
    if (isRefusal(found) && found.refusal !== "AUTHENTICATION_REQUIRED") return found;
    if (found !== null && !isRefusal(found)) {
      const place = "caller" in found ? found : { caller: found, monitorKey };
      if (place.monitorKey !== null) return { caller: place.caller, monitorKey: place.monitorKey };
    }
    const revoked = intake.revokedKey(key);
    noteFailure(client, revoked);
    if (revoked !== null && !revoked.suspended && secret !== undefined)
      intake.refused({ caller: revoked, monitorKey, kind: null, refusal: refusedAsRevoked(revoked) });
    const excess = guesses.count(client);
    return excess === null ? NO_ADDRESS : tooManyMails(excess);
  };
}

/** Adds the text of the mail as what the job wrote (R46). */
function withMail(intake: Engine["intake"], plain: Ping, { subject, text }: MailRead): Ping {
  const rules = intake.outputRules(plain.caller);
  const ping = { ...plain, message: cleanLine(subject, MESSAGE_LENGTH) || null };
  if (rules === null) return ping;
  const tail = createTail(LOOKED_AT_BYTES);
  if (rules.keep) tail.add(Buffer.from(text));
  return withEnd(under(rules, ping), rules, tail);
}

/**
 * Returns what the mail says under this rule; `null` when the mail broke off and so says nothing. It may come again,
 * but devices have no queue, so a failure that the complete head says is kept.
 */
function meaningUnder(rule: string | null, { isCut, ...mail }: MailRead, came: MailCame): MailMeaning | null {
  const subject = cleanLine(mail.subject, MESSAGE_LENGTH);
  const bySubject = (): MailMeaning => meaningOf(rule, { subject, text: "" });
  if (came === "brokenOff") return bySubject() === "failure" ? "failure" : null;
  const said = meaningOf(rule, { subject, text: `${mail.text}\n${mail.html}` });
  // The rest of a text that was cut may say otherwise, so success counts only if the subject says it.
  return said === "success" && isCut ? bySubject() : said;
}

export type MailIn = ReturnType<typeof createMailIn>;

export function createMailIn({ intake, views, scheduler }: Engine, limits: Limits, clock: Clock, log: Log) {
  const guesses = createGuesses(clock);
  const placeOf = createMailAddressReader(intake, guesses, clock, log);
  const throttleBy = (now: Limits) => createThrottle(aliasLimits(now.aliasPerMinute), clock, log, intake.rhythmsOf);
  let throttle = throttleBy(limits);
  const yieldNow = createYield(scheduler);

  /**
   * Why a report is refused before its mail is read; `null` when it is not. It counts the report against the limit of
   * its key.
   */
  function refusalOf({ caller, monitorKey }: MailPlace, { client, sender }: MailOrigin): Refusal | RateExcess | null {
    const denied = checkScope(caller, "ping");
    if (denied !== null) return denied;
    intake.heardFrom(caller, monitorKey, { client: () => client, headers: { get: () => `mail from <${sender}>` } });
    return throttle(caller) ?? guesses.excessOf(caller.keyId, client);
  }

  async function report(
    { caller, monitorKey }: MailPlace,
    mail: MailRead,
    denied: Refusal | RateExcess | null,
    came: MailCame,
  ) {
    const subject = cleanLine(mail.subject, MESSAGE_LENGTH);
    const { rule, succeededAt } = views.mailed(caller.application, monitorKey);
    const meaning = meaningUnder(rule, mail, came);
    if (meaning === null) return null;
    const operation = OPERATIONS_BEHIND_KEY.get(SEGMENTS[meaning])!;
    const id = idOf(mail, clock.now(), meaning === "failure" ? succeededAt : null);
    const idempotency = id === null ? null : { key: id, textOf: () => RECORDED.text };
    const plain = plainPing(caller, { monitorKey, operation }, { idempotency });
    const ping = meaning === "failure" ? withMail(intake, plain, mail) : plain;
    if (denied !== null && !isRefusal(denied)) {
      intake.rateLimited(ping, denied.limit.setting);
      return tooManyMails(denied);
    }
    const answer = denied ?? (await intake.ingest(ping));
    if (isRefusal(answer) && !OURS.has(answer.refusal)) intake.refused({ ...ping, refusal: answer });
    if (!isRefusal(answer) && meaning === "unclear") intake.refused({ ...ping, refusal: unclear(subject) });
    return answer;
  }

  return {
    configure: (now: Limits): void => {
      throttle = throttleBy(now);
    },
    /**
     * Returns the reply that refuses mail to this address, or `null` to take it. A wrong address counts as a try of the
     * client. If `wrong` is given, the mail is refused with it in any case; then the owner of a valid address is told.
     */
    refused(address: string, client: string, wrong: MailReply | null): MailReply | null {
      const place = placeOf(address, client);
      if (wrong === null) return isRefusal(place) ? replyOf(place) : null;
      if (!isRefusal(place)) intake.refused({ ...place, kind: null, refusal: refuseField(MAIL, wrong.text) });
      return wrong;
    },
    /**
     * Takes a mail. `raw` is its beginning, `came` says how much of the mail that is. The promise resolves once all is
     * committed. Each turn of the event loop reads one mail, so that other work has its turn however many come. If
     * there are several addresses, a reply to try again goes before the others.
     */
    async take(
      addresses: readonly string[],
      raw: Uint8Array,
      origin: MailOrigin,
      came: MailCame = "whole",
    ): Promise<MailReply> {
      const places = addresses.map((address) => {
        const place = placeOf(address, origin.client);
        return isRefusal(place) ? { place, denied: place } : { place, denied: refusalOf(place, origin) };
      });
      await yieldNow();
      if (came === "brokenOff" && !isHeadWhole(raw)) return RECORDED;
      // When a mail is refused anyway, its subject tells whether a failure is lost.
      const mail = places.some(({ denied }) => denied === null) ? readMail(raw, came !== "whole") : readHead(raw);
      const answers = places.map(({ place, denied }) => (isRefusal(place) ? place : report(place, mail, denied, came)));
      const refusals = (await Promise.all(answers))
        .filter((answer) => answer !== null)
        .filter(isRefusal)
        .map(replyOf);
      return refusals.sort((one, other) => one.code - other.code)[0] ?? RECORDED;
    },
  };
}

const isHeadWhole = (raw: Uint8Array): boolean => /\n\r?\n/.test(Buffer.from(raw).toString("latin1"));

/**
 * The id by which a mail that comes twice is known (R47); `null` when nothing says for certain that two such mails are
 * one, because a failure that is reported twice does less harm than one that is lost. A failure that comes again after
 * a success is another one.
 */
function idOf(
  { messageId, date, isCut: _, ...said }: MailRead,
  now: number,
  succeededAt: number | null,
): string | null {
  const sentAt = Date.parse(date.replaceAll(/\([^()]*\)/g, ""));
  const isReal = /^\s*<[^\s<>@]+@[^\s<>@]+>\s*$/.test(messageId);
  if (!isReal || !(Math.abs(now - sentAt) <= CURRENT)) return null;
  return Bun.SHA256.hash(JSON.stringify([messageId, date, said, succeededAt]), "hex");
}
