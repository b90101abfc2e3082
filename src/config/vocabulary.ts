// The kinds of values that keys of the configuration may have, such as a duration, each with its rule in words.

import Type from "typebox";
import { isSlug, SLUG_RULE } from "../domain/api-key.ts";
import { problemOf } from "../domain/errors.ts";
import { MONITOR_KEY_LENGTH, NAME_LENGTH, SCHEDULE_LENGTH } from "../domain/limits.ts";
import { OUTCOME_KEY } from "../domain/monitor/reported-outcomes.ts";
import { checkMonitorKey } from "../domain/monitor-key.ts";
import { outputPatternProblem, PATTERN_LENGTH } from "../domain/output/patterns.ts";
import { checkSchedule, spellSchedule } from "../domain/schedule/schedule.ts";
import { isTimezone, spellTimezone } from "../domain/schedule/zone.ts";
import { asciiMailAddress, hasControl, isLongerThan, isMailAddress } from "../domain/text.ts";
import { checkedDuration, parseDuration, SECOND } from "../domain/time.ts";
import { choice, decodedKind, type KeyKind, type Problem, textKind, textThat, type ValueRule } from "./kinds.ts";
import {
  isConfiguredHost,
  parseConfiguredListen,
  parseConfiguredMailbox,
  parseConfiguredNetwork,
} from "./network-addresses.ts";

const LONGEST = "3650d";

export const isConfiguredText = (text: string): boolean => text !== "" && !hasControl(text);

/** A kind of text that `parse` accepts. The program gets what `parse` returns. */
const parsedBy = <Parsed>(parse: (text: string) => Parsed | null, valueRule: Omit<ValueRule, "judge">) =>
  decodedKind(
    textThat((text) => parse(text) !== null, valueRule),
    (text) => parse(text)!,
  );

export const LABEL = textThat(
  (text) => isConfiguredText(text) && text.trim() !== "" && !isLongerThan(text, NAME_LENGTH),
  {
    rule: `must be a text of 1 to ${NAME_LENGTH} characters on one line`,
    problem: "is empty, too long or not one line",
    hidden: true,
  },
);

export const PASSWORD = textThat(isConfiguredText, {
  rule: "must be text on one line",
  problem: "is empty or not one line",
  hidden: true,
});

export const FILE = textThat((text) => isConfiguredText(text) && !text.startsWith("-----"), {
  rule: "must be the path of a file",
  problem: "is not a path",
  hidden: true,
});

export const PROGRAM = textThat((text) => isConfiguredText(text) && text.startsWith("/"), {
  rule: "must be the absolute path of a program",
  problem: "is not an absolute path",
});

export const DIRECTORY = textThat((text) => isConfiguredText(text) && !text.startsWith("~"), {
  rule: "must be the path of a directory, without ~, which only a shell knows",
  problem: "is not a path",
});

export const LISTEN = parsedBy(parseConfiguredListen, {
  rule: 'must be an IP address or localhost, a colon and a port, such as "127.0.0.1:8787" or "[::]:8787"',
  problem: "is not an address to listen on",
});

/**
 * The name of the header in which a proxy says who has signed in. Headers about the request itself are refused: they
 * say nothing about a user, and every client may send them.
 */
export const HEADER = textThat((text) => /^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(text) && !NO_USER.test(text), {
  rule: 'must be the name of a header that holds a user, such as "Remote-User"',
  problem: "is not such a header",
});

const NO_USER =
  /^(?:authorization|connection|cookie|host|origin|referer|user-agent|content-.*|sec-.*|x-forwarded-(?:for|proto|host))$/i;

export const NETWORK = parsedBy(parseConfiguredNetwork, {
  rule: 'must be an IP address or a network such as "10.0.0.0/8" or "::1"',
  problem: "is not an address or network",
});

export const HOST = textThat(isConfiguredHost, {
  rule: 'must be a host name or IP address without a port, such as "mail.example.org"',
  problem: "is not a host",
  hidden: true,
});

/** Makes the `judge` of a kind from `faultOf`, which says what is wrong with a text, or `null` when nothing is. */
const judgeBy =
  (faultOf: (text: string) => string | null) =>
  (text: string): Problem | null => {
    const what = faultOf(text);
    return what === null ? null : { what };
  };

const URL_RULE = "must begin with http:// or https:// and hold no user name or password";

/** A web address. Faults never repeat it, because addresses often carry tokens (R40). */
const webAddress = (faultOf: (text: string) => string | null, rule = URL_RULE) =>
  textKind({ rule, problem: "is not an http(s) URL", hidden: true, judge: judgeBy(faultOf) });

/**
 * Returns what is wrong with a web address; `null` when nothing is. It must be http or https. It may hold no
 * credentials, because these would end up in logs and, as the `Referer`, at other servers (R40).
 */
function configuredUrlProblem(text: string): string | null {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return "is not an http(s) URL";
  const url = new URL(text);
  return url.username === "" && url.password === "" ? null : "holds a user name or password";
}

export const WEB_ADDRESS = webAddress(configuredUrlProblem);
/** The address of a destination: http(s) or mqtt(s). Which of them it must be is checked by the destination's type. */
export const DESTINATION_ADDRESS = webAddress((text) => configuredUrlProblem(text.replace(/^mqtt(?=s?:)/i, "http")));
export const WEB_ADDRESS_OR_NONE = webAddress((text) => (text === "" ? null : configuredUrlProblem(text)));
/**
 * Returns what is wrong with rollcall's own address when it has a path; `null` when it has none. Pages and links in
 * messages have paths from the root of their host, so the address may have no path itself.
 */
const pathProblem = (text: string): string | null =>
  /^\/*$/.test(new URL(text).pathname) ? null : "has a path, and rollcall answers at the root of a host's name alone";

export const BASE_ADDRESS = decodedKind(
  webAddress(
    (text) => configuredUrlProblem(text) ?? (/[?#]/.test(text) ? "has a query or fragment" : pathProblem(text)),
    `${URL_RULE}, path, query or fragment`,
  ),
  (text) => text.replace(/\/+$/, ""),
);

/** A time zone, spelled as one in a ping, so that a job and the configuration can name the same zone (R12, R13). */
export const ZONE = textThat(isTimezone, {
  rule: 'must be an IANA name such as "Europe/Berlin" or "UTC"',
  problem: "is not a known time zone",
  spell: (text) => spellTimezone(text)!,
});

/** A duration, which the program gets in milliseconds. `shortest` and `longest` are durations too, such as "1m". */
export const durationFrom = (shortest: string, longest = LONGEST) =>
  decodedKind(textKind(durationRule(shortest, longest)), checkedDuration);

export const secondsFrom = (shortest: string, longest = LONGEST) =>
  decodedKind(durationFrom(shortest, longest), (duration) => duration / SECOND);

export const durationOrNever = (shortest: string) => {
  const { rule, problem, judge } = durationRule(shortest);
  const kind: KeyKind<Type.TUnion<[Type.TString, Type.TInteger]>> = (notes) =>
    Type.Union([Type.String(), Type.Integer({ minimum: 0, maximum: 0 })], {
      rule: `${rule}, or 0 for never`,
      problem,
      judge: (text: string) => (text === "0" ? null : judge(text)),
      ...notes,
    });
  return decodedKind(kind, (value) => (Number(value) === 0 ? 0 : checkedDuration(`${value}`)));
};

function durationRule(shortest: string, longest = LONGEST) {
  const [least = 0, most = 0] = [shortest, longest].map(parseDuration).map(Number);
  return {
    rule: `must be a duration such as "30s", "15m", "2h" or "90d", from ${shortest} to ${longest}`,
    problem: "is not a duration",
    judge: (text: string): Problem | null => {
      const duration = parseDuration(text);
      if (duration === null) return { what: "is not a duration" };
      if (duration < least) return { what: "is too short" };
      return duration > most ? { what: "is too long" } : null;
    },
  };
}

/** A cron expression, in all forms that the contract's unversioned addresses take (R15). */
export const SCHEDULE = textKind({
  rule: 'must be a cron expression such as "0 2 * * *"',
  problem: "is not a schedule",
  judge: (text) => {
    if (isLongerThan(text, SCHEDULE_LENGTH))
      return { what: "is too long", rule: `must be at most ${SCHEDULE_LENGTH} characters` };
    const refusal = checkSchedule(text, "alias");
    return refusal === null ? null : { what: "is not a schedule", rule: problemOf(refusal) };
  },
  spell: spellSchedule,
});

export const MAIL_ADDRESS = textThat((text) => isMailAddress(asciiMailAddress(text)), {
  rule: 'must be one plain address such as "ada@example.org"',
  problem: "is not a mail address",
  spell: asciiMailAddress,
});

export const MAILBOX = parsedBy(parseConfiguredMailbox, {
  rule: 'must be "cron@example.org" or "Name <cron@example.org>"',
  problem: "is not a mail address",
});

const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** A secret by Standard Webhooks 1.0: `whsec_` and the base64 of 24 to 64 bytes (R37). */
export const WEBHOOK_SECRET = textThat(isConfiguredWebhookSecret, {
  rule: `must be "whsec_" and the base64 of ${SECRET_BYTES_MIN} to ${SECRET_BYTES_MAX} random bytes`,
  problem: "is not a webhook secret",
  hidden: true,
});

/**
 * The secrets, decoded, that stand as examples in the file of `rollcall init` and stood in an earlier README. The log
 * warns when one is in use.
 */
const SAMPLES = ["replace me with 32 random bytes", "not a secret: make one yourself."];

export const isSampleSecret = (secret: string): boolean =>
  SAMPLES.includes(Buffer.from(secret.slice("whsec_".length), "base64").toString());

export function isConfiguredWebhookSecret(text: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (match?.[1] === undefined || match[1].length % 4 !== 0) return false;
  const bytes = Buffer.from(match[1], "base64").length;
  return bytes >= SECRET_BYTES_MIN && bytes <= SECRET_BYTES_MAX;
}

/** A topic of ntfy. Faults never repeat it: without accounts, whoever knows a topic can read and write it. */
export const TOPIC = textThat((text) => /^[-_A-Za-z0-9]{1,64}$/.test(text), {
  rule: 'must be 1 to 64 of "a-z", "A-Z", "0-9", "-" and "_"',
  problem: "is not a topic",
  hidden: true,
});

/** A token that may follow `Bearer` (RFC 6750). A token of Telegram, which has a colon, is accepted too. */
export const ACCESS_TOKEN = textThat((text) => /^[A-Za-z0-9._~+/:-]{1,500}=*$/.test(text), {
  rule: 'must be an access token such as "tk_…"',
  problem: "is not an access token",
  hidden: true,
});

export const HOST_NAME = textThat(isConfiguredHost, {
  rule: 'must be a host name without a scheme or port, such as "cron.example.org"',
  problem: "is not a host name",
});

/** A token that a client or a proxy sends to rollcall in a header. It should be chosen at random. */
export const OWN_TOKEN = textThat((text) => /^[A-Za-z0-9._~+/-]{20,200}=*$/.test(text), {
  rule: 'must be 20 to 200 of "a-z", "A-Z", "0-9", ".", "_", "~", "+", "/" and "-", chosen at random',
  problem: "is not a token that nobody can guess",
  hidden: true,
});

/** The token in the address of a status page: whoever knows it can see the page. Faults never repeat it. */
export const STATUS_TOKEN = textThat((text) => /^[-_A-Za-z0-9]{20,200}$/.test(text), {
  rule: 'must be 20 to 200 of "a-z", "A-Z", "0-9", "-" and "_", chosen at random',
  problem: "is not a token that nobody can guess",
  hidden: true,
});

/** The token that stands as an example in the file that `rollcall init` writes. */
export const SAMPLE_STATUS_TOKEN = "replace-me-with-40-random-characters";

export const JOB_PATTERN = textThat((text) => isConfiguredText(text) && !isLongerThan(text, MONITOR_KEY_LENGTH), {
  rule: `must be the key of a job, or a pattern such as "nightly-*", of 1 to ${MONITOR_KEY_LENGTH} characters`,
  problem: "is not a key",
});

/** A pattern of text to hide in a job's output. Faults never repeat it, because some people write the secret itself. */
export const OUTPUT_PATTERN = textKind({
  rule: `must be a regular expression as RE2 takes it, of 1 to ${PATTERN_LENGTH} characters, that matches no empty text`,
  problem: "is not a regular expression",
  hidden: true,
  judge: judgeBy(outputPatternProblem),
});

const TEMPLATE_LENGTH = 10_000;

export const TEMPLATE = textThat((text) => text.trim() !== "" && text.length <= TEMPLATE_LENGTH, {
  rule: `must be a template of 1 to ${TEMPLATE_LENGTH} characters`,
  problem: "is empty or too long",
  hidden: true,
});

/**
 * Matches a line such as `Authorization: Bearer …`. Headers that say how the request is sent, such as
 * `Content-Length`, are excepted, because rollcall sets them.
 */
const OWN_HEADER =
  /^(?!(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|te|upgrade):)[a-z][a-z0-9-]{0,63}: *[\x21-\x7e](?:[\x20-\x7e]{0,2000})$/i;

export const HEADERS = textThat(
  (text) =>
    text
      .trim()
      .split(/\r?\n/)
      .every((line) => OWN_HEADER.test(line)),
  {
    rule: 'must be lines such as "Authorization: Bearer …", of headers that do not frame the request',
    problem: "is not a list of headers",
    hidden: true,
  },
);

export const INTEGRATION_KEY = textThat((text) => /^[A-Za-z0-9]{32}$/.test(text), {
  rule: 'must be the 32 letters and digits of an integration of the kind "Events API v2"',
  problem: "is not an integration key",
  hidden: true,
});

export const SEVERITY = choice("info", "warning", "error", "critical");
export const EVENT = choice("InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered");

export const SLUG: ValueRule = { rule: SLUG_RULE, problem: "is not a name" };

/** The rule for names of applications and destinations (R2). */
export const SLUG_NAMES: ValueRule = { ...SLUG, judge: (text) => (isSlug(text) ? null : { what: SLUG.problem }) };

/** The rule for names of outcomes (R27). */
export const OUTCOME_NAMES: ValueRule = {
  rule: 'must be 1 to 64 of "a-z", "0-9" and "_"',
  problem: "is not the name of an outcome",
  judge: (text) => (OUTCOME_KEY.test(text) ? null : { what: "is not the name of an outcome" }),
};

/** The rule for keys of monitors (R5, R6): 1 to 200 code points, no control character, neither `.` nor `..`. */
export const MONITOR_NAMES: ValueRule = {
  rule: `must be 1 to ${MONITOR_KEY_LENGTH} characters without control characters, and not "." or ".."`,
  problem: "is not a monitor key",
  judge: (text) => (checkMonitorKey("key", text) === null ? null : { what: "is not a monitor key" }),
};
