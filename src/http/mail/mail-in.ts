// Reports by mail (R47): whose address a mail came to, what it says, and what became of it as an SMTP reply. A report
// is taken as one by HTTP, and answered when it is committed. Reads no socket.

import PostalMime, { type Email } from "postal-mime";
import { KEY_PREFIX } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { MESSAGE_LENGTH } from "../../domain/limits.ts";
import type { Log } from "../../domain/log.ts";
import { addressOfUuid } from "../../domain/old-address.ts";
import { LOOKED_AT_BYTES } from "../../domain/output/kept-output.ts";
import { createTail } from "../../domain/output/lines.ts";
import { aliasLimits } from "../../domain/rate-limit.ts";
import { type Mail, meaningOf } from "../../domain/settings/mail-rule.ts";
import { cleanLine } from "../../domain/text.ts";
import type { Caller, Clock, Ping } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import { checkScope } from "../api/auth.ts";
import { createKeyFailureLog } from "../api/failed-authentication.ts";
import { createGuesses } from "../api/old-addresses.ts";
import { OPERATIONS_BEHIND_KEY } from "../api/operations.ts";
import { under, withEnd } from "../api/read-fail.ts";
import { plainPing } from "../api/read-ping.ts";
import { OURS } from "../api/taking.ts";
import { refusedAsRevoked } from "../api/telemetry.ts";
import { createThrottle } from "../api/throttle.ts";
import type { Limits } from "../api/versions.ts";
import { rateExceeded } from "../errors.ts";

/** The beginning of a mail, which alone is read, because others wait meanwhile: attachments come last. Bytes. */
export const READ_BYTES = 64 * 1024;
/** Of HTML so much. Characters. */
const HTML_LENGTH = 32 * 1024;
const REPLY_LENGTH = 400;

/** `code`: of SMTP, 250 for what is recorded, 4xx for what may be sent again. */
export type MailReply = Readonly<{ code: number; text: string }>;

/** `client`: its address; `sender`: as the envelope names it. */
type MailOrigin = Readonly<{ client: string; sender: string }>;
type MailPlace = Readonly<{ caller: Caller; monitorKey: string }>;

const RECORDED: MailReply = { code: 250, text: "recorded" };
const ADDRESS_RULE = "it is MONITOR+KEY or a UUID before the @, and upper and lower case of a key count";
const NO_ADDRESS = refuse("NOT_FOUND", `no such address; ${ADDRESS_RULE}`);
const UNREADABLE = refuse("INVALID_REQUEST", "the mail cannot be read: it has too many parts or headers");

/** What a report's path would end with. */
const SEGMENTS = { failure: "fail", start: "start", success: "0", ignore: "log" } as const;

function replyOf({ refusal, message }: Refusal): MailReply {
  const final = refusal === "NOT_FOUND" ? 550 : refusal === "RATE_LIMIT_EXCEEDED" ? 450 : 554;
  return { code: OURS.has(refusal) ? 451 : final, text: cleanLine(message, REPLY_LENGTH) };
}

const tooMany = (excess: Parameters<typeof rateExceeded.of>[0]): Refusal =>
  refuse("RATE_LIMIT_EXCEEDED", rateExceeded.of(excess).message);

/** Finds whose an address is: `MONITOR+KEY@…`, or the UUID of an address of Healthchecks (R45). */
function createPlaces(intake: Engine["intake"], guesses: ReturnType<typeof createGuesses>, clock: Clock, log: Log) {
  const noteFailure = createKeyFailureLog(clock, log);
  return (address: string, client: string): MailPlace | Refusal => {
    const local = address.replace(/@[^@]*$/, "");
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
    return excess === null ? NO_ADDRESS : tooMany(excess);
  };
}

export type MailIn = ReturnType<typeof createMailIn>;

export function createMailIn({ intake, views }: Engine, limits: Limits, clock: Clock, log: Log) {
  const guesses = createGuesses(clock);
  const placeOf = createPlaces(intake, guesses, clock, log);
  const throttleBy = (now: Limits) => createThrottle(aliasLimits(now.aliasPerMinute), clock, log, intake.rhythmsOf);
  let throttle = throttleBy(limits);

  async function report({ caller, monitorKey }: MailPlace, mail: Mail, from: MailOrigin, id: string | null) {
    const { client, sender } = from;
    const meaning = meaningOf(views.mailRule(caller.application, monitorKey), mail);
    const operation = OPERATIONS_BEHIND_KEY.get(SEGMENTS[meaning])!;
    const idempotency = id === null ? null : { key: id, textOf: () => RECORDED.text };
    const plain = plainPing(caller, { monitorKey, operation }, { idempotency });
    const ping = meaning === "failure" ? withMail(plain, mail) : plain;
    const denied = checkScope(caller, "ping");
    if (denied === null)
      intake.heardFrom(caller, monitorKey, { client: () => client, headers: { get: () => `mail from <${sender}>` } });
    const excess = denied === null ? (throttle(caller) ?? guesses.excessOf(caller.keyId, client)) : null;
    if (excess !== null) {
      intake.rateLimited(ping, excess.limit.setting);
      return tooMany(excess);
    }
    const answer = denied ?? (await intake.ingest(ping));
    if (isRefusal(answer) && !OURS.has(answer.refusal)) intake.refused({ ...ping, refusal: answer });
    return answer;
  }

  /** R46: its text is what the job wrote. */
  function withMail(plain: Ping, { subject, text }: Mail): Ping {
    const rules = intake.outputRules(plain.caller);
    const ping = { ...plain, message: subject || null };
    if (rules === null) return ping;
    const tail = createTail(LOOKED_AT_BYTES);
    if (rules.keep) tail.add(Buffer.from(text));
    return withEnd(under(rules, ping), rules, tail);
  }

  return {
    configure: (now: Limits): void => {
      throttle = throttleBy(now);
    },
    /** Null: mail to this address is taken. A wrong one counts against the client. */
    refused(address: string, client: string): MailReply | null {
      const place = placeOf(address, client);
      return isRefusal(place) ? replyOf(place) : null;
    },
    /** `raw`: its beginning. Settles once all is committed. Of several addresses a reply to try again goes first. */
    async take(addresses: readonly string[], raw: Uint8Array, origin: MailOrigin): Promise<MailReply> {
      const email = await readMail(raw);
      if (email === null) return replyOf(UNREADABLE);
      const text = email.text || (await textIn(email.html?.slice(0, HTML_LENGTH) ?? ""));
      const mail = { subject: cleanLine(email.subject ?? "", MESSAGE_LENGTH), text };
      const answers = addresses.map((address) => {
        const place = placeOf(address, origin.client);
        return isRefusal(place) ? place : report(place, mail, origin, idOf(email));
      });
      const refusals = (await Promise.all(answers)).filter(isRefusal).map(replyOf);
      return refusals.sort((one, other) => one.code - other.code)[0] ?? RECORDED;
    },
  };
}

/** Null: its headers, or parts within parts, are more than are read. */
const readMail = (raw: Uint8Array): Promise<Email | null> =>
  PostalMime.parse(raw, { maxNestingDepth: 20, maxHeadersSize: 64 * 1024, maxRfc822NestingDepth: 0 }).catch(() => null);

/** HTML reduced to text, which the parser does where a part of plain text stands beside it. */
async function textIn(html: string): Promise<string> {
  const part = (type: string, body: string): string =>
    `--x\nContent-Type: text/${type}; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(body).toBase64()}\n`;
  const both = `Content-Type: multipart/mixed; boundary=x\n\n${part("plain", "")}${part("html", html)}`;
  return (await readMail(Buffer.from(both)))?.text?.trim() ?? "";
}

/** Of a mail that comes twice; some devices give all their mails one Message-ID. Null: it has none. */
const idOf = ({ messageId, date, subject }: Email): string | null =>
  messageId === undefined ? null : Bun.SHA256.hash(JSON.stringify([messageId, date, subject]), "hex");
