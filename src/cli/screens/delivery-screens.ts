// Prints the answers to `rollcall notify …`: waits for the result of a test, lists deliveries, and says what sending
// one again did.

import { visibleText } from "../../domain/text.ts";
import { addressInWords } from "../../domain/wording/job-names.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { deliveryState, deliveryTitle } from "../../views/rows/delivery-rows.ts";
import { failureParts } from "../../views/rows/destination-rows.ts";
import { DELIVERY } from "../../views/schemas/delivery-schemas.ts";
import { writtenAnswer } from "../../views/schemas/written.ts";
import type { Screen } from "../asking/ask-service.ts";
import { type CommandHint, DONE, type Io, REFUSED } from "../io.ts";
import { isNarrowed, type Screens, whenEnded } from "./presenter.ts";
import { sentenceOfParts, textOfParts } from "./row-lines.ts";
import {
  headIn,
  printedMinute,
  printedMoment,
  printedMonitorLabel,
  printedShortText,
  spokenSentence,
  unbroken,
} from "./spoken.ts";
import { formatText, say, type TableRow } from "./table.ts";

type ListedDelivery = Answer<"notify show">;

/**
 * How many times we ask for the result of a test. We ask every 50 ms, so for one minute, in which most attempts end. A
 * mail server may take a quarter of an hour; then a line says that the attempt still goes on.
 */
export const LOOKS_MAX = 1_200;

export const DELIVERY_SCREENS: Screens = {
  /**
   * The exit code is 0 when each recipient's test was delivered. Otherwise it is 1, and the receiver's answer and
   * advice are printed.
   */
  "notify test": {
    hold: async ({ answer: { deliveries }, asked, screen, io, ask }) => {
      const tested = String((asked as { readonly destination?: string }).destination);
      const isRota = deliveries.every(({ destination }) => destination !== tested);
      if (isRota) io.err(`${visibleText(tested)} is a rota: this tests each of its turns`);
      let worst = DONE;
      const all: unknown[] = [];
      for (const begun of deliveries) {
        const ended = await whenEnded<ListedDelivery>(
          begun,
          ({ finishedAt }) => finishedAt === null,
          () => ask("notify show", { id: begun.id }),
          (now, isFirst) => isFirst && io.err(`waiting for an answer of ${addressInWords(now)}`),
          LOOKS_MAX,
        );
        if ("exitCode" in ended) return { ...ended, ended: null };
        if (!sayHowItEnded(io, ended.answer, screen.typed)) worst = REFUSED;
        all.push(writtenAnswer(DELIVERY, ended.answer));
      }
      return { exitCode: worst, ended: all };
    },
  },
  "notify list": {
    items: ({ deliveries }) => deliveries,
    none: (asked) =>
      (asked.states ?? null) === null && !isNarrowed(asked)
        ? "nothing has been sent yet, and nothing waits"
        : "there are no such deliveries",
    rows: ({ deliveries }, screen) => deliveries.map((delivery) => deliveryRow(delivery, screen)),
    beside: ({ more, failing }, screen) => [
      ...(more.length === 0
        ? []
        : [`there are older ones that ${more.map((state) => OLDER[state]).join(" or ")}; --limit shows more`]),
      ...failing.map(
        ({ destination, ...failure }) => `${destination} ${sentenceOfParts(failureParts(failure, "exact"), screen)}`,
      ),
    ],
  },
  "notify explain": {
    lines: ({ timezone, at, severity, addresses, ...job }, serverScreen) => {
      const screen = { ...serverScreen, timezone };
      const rows = addresses.map(({ destination, recipient, person, says }) => {
        return `${addressInWords({ destination, recipient, person })} ${spokenSentence(says, screen)}.`;
      });
      const head = `An alert of ${printedMonitorLabel(job, screen)}, of severity ${severity}, at ${printedMoment(at, screen)}:`;
      return [head, ...(rows.length === 0 ? ["No destination is configured."] : rows)].flatMap((line) =>
        formatText(line, screen.width),
      );
    },
  },
  "notify resend": ({ answer, asked: { id = 0 }, io }) => io.out(doneInWords(id, answer)),
};

function sayHowItEnded(io: Io, delivery: ListedDelivery, typed: CommandHint): boolean {
  const { id, state, answer, recipient } = delivery;
  const address = addressInWords(delivery);
  if (state === "sent") {
    io.out(`delivered to ${address}: ${visibleText(answer ?? "")}`);
    return true;
  }
  if (state !== "given_up") {
    const yet = delivery.perhapsTaken
      ? `sent to ${address}, which has not answered yet`
      : `no answer of ${address} yet`;
    say(io, `${yet}: ${unbroken(typed("notify list"))} shows what becomes of delivery ${id}`);
    return false;
  }
  say(io, `${isDoubtful(answer) ? "perhaps" : "not"} delivered to ${address}: ${answer ?? "no answer"}`);
  say(io, deliveryAdvice(answer, recipient !== null));
  return false;
}

const isDoubtful = (answer: string | null): boolean => /: perhaps (taken|done)$/.test(answer ?? "");

const OLDER = { waiting: "wait", given_up: "were given up", sent: "were sent" } as const;

const ANSWER_SHOWN = 60;

const deliveryRow = (delivery: ListedDelivery, screen: Screen): TableRow => ({
  ID: String(delivery.id),
  [headIn(screen, "CREATED")]: printedMinute(delivery.createdAt, screen),
  TO: addressInWords(delivery),
  WHAT: whatOf(delivery, screen),
  STATE: textOfParts(deliveryState(delivery, screen.now, "ago"), screen),
  ATTEMPTS: String(delivery.attempts),
  ANSWER: delivery.answer === null ? "-" : printedShortText(delivery.answer, ANSWER_SHOWN),
});

/** Returns text such as `Trouble began: prod/backup`. */
function whatOf(delivery: ListedDelivery, { onlyApplication }: Screen): string {
  const { application, monitorKey } = delivery;
  const title = deliveryTitle(delivery);
  return monitorKey === null ? title : `${title}: ${onlyApplication ? monitorKey : `${application}/${monitorKey}`}`;
}

function doneInWords(id: number, { done, delivery }: Answer<"notify resend">): string {
  const words = {
    again: `goes out again, as ${delivery.id}, to`,
    forward: "was still waiting: it is tried now, at",
    behind: `waits for delivery ${delivery.id}, which is tried now, at`,
    under_way: "is being sent right now, to",
  };
  return `delivery ${id} ${words[done]} ${addressInWords(delivery)}`;
}

// Gives advice about a destination that refused a message. The advice is guessed from the receiver's answer, which is
// always printed with it.

type Advice = readonly (readonly [answer: RegExp, advice: string])[];

const NOT_CONFIGURED: Advice[number] = [
  /not configured/,
  "name it under [destinations] and give `rollcall reload`, or add it by `rollcall destination add`",
];

/** Advice for a message that was sent but got no response: it may have arrived. */
const UNANSWERED: Advice[number] = [
  /: perhaps (taken|done)$/,
  "look whether it has arrived: whoever took it did not say so in time",
];

const CERTIFICATES: Advice = [
  [
    /UNABLE_TO|SELF_SIGNED|ISSUER|UNTRUSTED/,
    "its certificate is signed by nobody rollcall knows: if that is a certificate authority of your own, start rollcall with NODE_EXTRA_CA_CERTS=/path/to/authority.pem in its environment",
  ],
  [/CERT_HAS_EXPIRED/, "its certificate has expired: renew it there"],
  [/CERT_NOT_YET_VALID/, "its certificate is not valid yet: check the clocks of both machines"],
  [/ALTNAME/, "its certificate is made out to another name: check its url, or smtp.host"],
];

const MAIL: Advice = [
  NOT_CONFIGURED,
  UNANSWERED,
  [
    /^no login offered/,
    "the server takes no login here: check smtp.port and smtp.security (usual: 465 with tls, 587 with starttls), or leave out smtp.username and smtp.password",
  ],
  [
    /^no STARTTLS/,
    'the server offers no STARTTLS on this port: check smtp.port (usual: 587), or set security = "tls" under [smtp] (usual: port 465)',
  ],
  [
    /basic authentication is/i,
    "Microsoft takes no password here: its administrator may allow SMTP AUTH for this mailbox, or name another mail server under [smtp]",
  ],
  [
    /^535\b|^5\d\d[ -]5\.7\.8|the login has no/,
    "check the username and the password under [smtp]; some providers want a password made for one app",
  ],
  [/STARTTLS|^538\b|encrypt/i, 'the server wants encryption before the login: set security = "starttls" under [smtp]'],
  [
    /^530\b|^5\d\d[ -]5\.7\.0|auth.*required|relay/i,
    "the server wants a login: give username and password under [smtp], and check that it may send as smtp.from",
  ],
  [/sender/i, "the server refuses the sender: smtp.from must be an address that it lets this login use"],
  [/^[45]\d\d\b/, "the mail server refused it: check its log, the sender under [smtp] and the recipient"],
  ...CERTIFICATES,
  [
    /_ALERT_|UNSUPPORTED_PROTOCOL/,
    "the server ended the encryption: it may know only a version of TLS before 1.2, or want a certificate of ours; its log says why",
  ],
  [
    /WRONG_VERSION|EPROTO|PACKET_LENGTH|TLS/,
    'there is no TLS from the start on this port: set security = "starttls" under [smtp] (usual: port 587), or check smtp.port (usual for tls: 465)',
  ],
  [
    /timed out/,
    'the server was not reached, or said nothing while rollcall waited: a firewall may be in the way, or the port wants TLS from the start (465: security = "tls")',
  ],
  [/not a mail server/, "something else answers at this address: check smtp.host and smtp.port"],
  // The runtime says so of a mail server to which no way leads, too.
  [/connection refused/, "nothing listens there, or no way leads there: check smtp.host, smtp.port and the network"],
  [/host name/, "check smtp.host, and name resolution on this machine"],
  [/recipient/, "check the recipient: of a member, or `to` of the destination"],
];

/** Says where to find the destination's settings: they are in no file if a command added it. */
const WHERE = " (`rollcall destination list` says where it is set)";

const OTHERS: Advice = [
  NOT_CONFIGURED,
  UNANSWERED,
  [/the proxy that \w+ names/, "look at that proxy; NO_PROXY names what is asked directly (docs/proxies.md)"],
  [/wants https:/, `write https:// in its url${WHERE}`],
  [/MQTT 5/, "take a newer broker, such as Mosquitto from 1.6 on, or another type of destination"],
  [/another number since/, `give it the new number as its chat: getUpdates of the bot shows it${WHERE}`],
  [/^HTTP \d{3}[^,]*, .*\b(?:token|key|secret|login)\b/, `check its secret, key or token${WHERE}`],
  // In an answer such as `HTTP 403 Forbidden, the bot may not write there`, words of ours follow the status: the
  // service has said what is wrong.
  [/^HTTP [34]\d\d [^,]*, /, `the service has said what is wrong: correct that there, or in the destination${WHERE}`],
  [/^HTTP (401|403)\b/, `it does not know us: check its secret, key or token${WHERE}`],
  [/^HTTP (3\d\d|404|405|410)\b/, `nothing takes messages at this address: check it${WHERE}`],
  [/^HTTP (400|413|422)\b/, "it takes messages, but not this one: check that the type of the destination is right"],
  [/^HTTP 2/, `something else answers at this address: check it${WHERE}`],
  [/^HTTP/, "it cannot take messages now: see what is the matter there, and try again"],
  [/host name/, `check the host's name, and name resolution on this machine${WHERE}`],
  [/^(?:exit code|a signal|it had not|it cannot be)/, "run the program by hand, as the user as whom rollcall runs"],
  ...CERTIFICATES,
  [/TLS/, `it does not speak HTTPS as expected: check the address, http:// or https://, and the port${WHERE}`],
];

const OTHERWISE = "check that it runs, and that this machine can reach it at the configured address";

export const deliveryAdvice = (answer: string | null, isMail: boolean): string =>
  (isMail ? MAIL : OTHERS).find(([pattern]) => pattern.test(answer ?? ""))?.[1] ?? OTHERWISE;
