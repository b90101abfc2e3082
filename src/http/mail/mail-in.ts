// Reports by mail (R47): this file finds the monitor that a mail is for and what the mail says, and makes the SMTP
// reply. A report by mail is taken like one by HTTP, and answered when it is committed. The socket is served in
// `smtp.ts`.

import { KEY_PREFIX } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../../domain/errors.ts";
import { MESSAGE_LENGTH } from "../../domain/limits.ts";
import type { Log } from "../../domain/log.ts";
import { type MailMeaning, meaningOf } from "../../domain/mail/mail-rule.ts";
import { MAIL, MAIL_RULE } from "../../domain/message/refused-report.ts";
import { addressOfUuid } from "../../domain/old-address.ts";
import { LOOKED_AT_BYTES } from "../../domain/output/kept-output.ts";
import { createTail } from "../../domain/output/lines.ts";
import { aliasRateLimits, type RateExcess } from "../../domain/rate-limit.ts";
import { cleanLine } from "../../domain/text.ts";
import { HOUR } from "../../domain/time.ts";
import type { Caller, Clock, Ping } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import { checkScope } from "../api/auth.ts";
import { createKeyFailureLog } from "../api/failed-authentication.ts";
import { createWrongAddressLimit } from "../api/old-address-routes.ts";
import { withOutputEnd, withOutputRules } from "../api/read-fail.ts";
import { plainPing } from "../api/read-ping.ts";
import { OURS } from "../api/record-report.ts";
import { OPERATIONS_BEHIND_KEY } from "../api/telemetry-operations.ts";
import { refusedAsRevoked } from "../api/telemetry-routes.ts";
import { createThrottle } from "../api/throttle.ts";
import type { Limits } from "../api/versions.ts";
import { rateExceeded } from "../error-responses.ts";
import { createYield } from "../yield.ts";
import { type MailRead, readHead, readMail } from "./read-mail.ts";

/**
 * How many bytes of a mail are read. Attachments, which come last, are mostly beyond that; and other mails wait while
 * one is read.
 */
export const READ_BYTES = 64 * 1024;
const REPLY_LENGTH = 400;
/**
 * How far the Date of a mail may be from now, in milliseconds. Beyond that, two mails with the same Message-ID count as
 * two: some devices send the same one in all their mails.
 */
const CURRENT = HOUR;

/**
 * A reply of SMTP: `code` is 250 when the mail is recorded, 4xx when the client may send it again, 5xx when it is
 * refused for good.
 */
export type MailReply = Readonly<{ code: number; text: string }>;

/**
 * Where a mail comes from: `client` is the network address of the machine that sends it, `sender` the mail address in
 * the envelope.
 */
type MailOrigin = Readonly<{ client: string; sender: string }>;
/**
 * How much of a mail was read. `beginning` says that it was longer than what is read. `brokenOff` says that the client
 * went away before the end of the mail, and so got no reply.
 */
export type MailCame = "whole" | "beginning" | "brokenOff";
type MailPlace = Readonly<{ caller: Caller; monitorKey: string }>;

const RECORDED: MailReply = { code: 250, text: "recorded" };
const ADDRESS_RULE = "it is MONITOR+KEY or a UUID before the @, and upper and lower case of a key count";
const NO_ADDRESS = refuse("NOT_FOUND", `no such address; ${ADDRESS_RULE}`);

/**
 * Matches a route before a mail address, as in `@relay.example:job+KEY@host` (RFC 5321, appendix C). The route is no
 * part of a job's name.
 */
const SOURCE_ROUTE = /^@(?:\[[^\]]*\]|[^\s,:@[\]])+(?:,@(?:\[[^\]]*\]|[^\s,:@[\]])+)*:/;

/** For each meaning of a mail, the last segment of the path of a report that means the same. */
const SEGMENTS = { failure: "fail", start: "start", success: "0", ignore: "log", unclear: "log" } as const;

function replyOf({ refusal, message }: Refusal): MailReply {
  const final = refusal === "NOT_FOUND" ? 550 : refusal === "RATE_LIMIT_EXCEEDED" ? 450 : 554;
  return { code: OURS.has(refusal) ? 451 : final, text: cleanLine(message, REPLY_LENGTH) };
}

/**
 * What people are told of a mail that says neither success nor failure, and was recorded as a log (R47). It is kept
 * like a refused report: a notice tells of the monitor's first such mail, and later ones are only counted.
 */
const unclear = (subject: string): Refusal =>
  refuse(
    "INVALID_REQUEST",
    `${MAIL_RULE}: no word of the mail ${JSON.stringify(subject)} says success or failure, so it counted as a log`,
  );

const tooManyMails = (excess: Parameters<typeof rateExceeded.of>[0]): Refusal =>
  refuse("RATE_LIMIT_EXCEEDED", rateExceeded.of(excess).message);

/**
 * Makes a function that finds the monitor of a mail address: `MONITOR+KEY@…`, or the UUID of an address of
 * Healthchecks (R45). If there is none, it returns why the mail is refused.
 */
function createMailAddressReader(
  intake: Engine["intake"],
  guesses: ReturnType<typeof createWrongAddressLimit>,
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

/**
 * Returns the report with the mail's subject as its message. The mail's text is kept as the job's output, where the
 * operator wants that (R46).
 */
function withMail(intake: Engine["intake"], plain: Ping, { subject, text }: MailRead): Ping {
  const rules = intake.outputRules(plain.caller);
  const ping = { ...plain, message: cleanLine(subject, MESSAGE_LENGTH) || null };
  if (rules === null) return ping;
  const tail = createTail(LOOKED_AT_BYTES);
  if (rules.keep) tail.add(Buffer.from(text));
  return withOutputEnd(withOutputRules(rules, ping), rules, tail);
}

/**
 * Returns what the mail says under its monitor's rule; `rule` is `null` for the usual one. For a mail that broke off,
 * it returns `null`, and nothing is recorded, because the mail may be sent again. But if its subject tells of a
 * failure, that counts, because many devices do not send a mail again.
 */
function meaningUnder(rule: string | null, { isCut, ...mail }: MailRead, came: MailCame): MailMeaning | null {
  const subject = cleanLine(mail.subject, MESSAGE_LENGTH);
  const bySubject = (): MailMeaning => meaningOf(rule, { subject, text: "" });
  if (came === "brokenOff") return bySubject() === "failure" ? "failure" : null;
  const said = meaningOf(rule, { subject, text: `${mail.text}\n${mail.html}` });
  // The part of the text that was not read may say that the job failed. So success counts only if the subject says it.
  return said === "success" && isCut ? bySubject() : said;
}

export type MailIn = ReturnType<typeof createMailIn>;

export function createMailIn({ intake, views, scheduler }: Engine, limits: Limits, clock: Clock, log: Log) {
  const guesses = createWrongAddressLimit(clock);
  const placeOf = createMailAddressReader(intake, guesses, clock, log);
  const throttleBy = (now: Limits) => createThrottle(aliasRateLimits(now.aliasPerMinute), clock, log, intake.rhythmsOf);
  let throttle = throttleBy(limits);
  const yieldNow = createYield(scheduler);

  /**
   * Returns why a report is refused before its mail is read; `null` when it is not. The report counts against the rate
   * limit of its key.
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
    const { rule, succeededAt } = views.mailRuleFor(caller.application, monitorKey);
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
     * Returns the reply that refuses mail to this address, or `null` to take the mail. A wrong address counts against
     * the client, because it may be a guess. `wrong` is the reply when the mail is refused for another reason than this
     * address; otherwise `null`. That reply is returned, and if the address is right, the refusal is noted for the
     * owner of the key.
     */
    refused(address: string, client: string, wrong: MailReply | null): MailReply | null {
      const place = placeOf(address, client);
      if (wrong === null) return isRefusal(place) ? replyOf(place) : null;
      if (!isRefusal(place)) intake.refused({ ...place, kind: null, refusal: refuseField(MAIL, wrong.text) });
      return wrong;
    },
    /**
     * Takes a mail to these addresses. `raw` is its beginning, and `came` says how much of the mail that is. The
     * promise resolves to the SMTP reply once all reports are committed. If the addresses get different refusals, a
     * reply that allows the client to send the mail again is preferred. Each turn of the event loop reads one mail, so
     * that other work has its turn.
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
      // Of a mail that is refused at all its addresses only the head is read: its subject tells whether a failure is
      // lost.
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
 * The id by which a mail that comes twice is recognized (R47). `null` when it is not certain that two such mails are
 * the same: a failure that is reported twice does less harm than one that is lost. `succeededAt` is part of the id of a
 * failure, so the same mail after a success counts as a new failure.
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
