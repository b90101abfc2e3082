// What to do about a destination that did not take a message, from what it answered. A guess for people, one line; the
// answer itself is always shown beside it.

const ADVICE: readonly (readonly [answer: RegExp, advice: string])[] = [
  [/not configured/, "name it in the configuration, under [destinations], and restart the service"],
  [/^HTTP (401|403)\b/, "it does not know us: check the secret, key or token in the configuration"],
  [/^HTTP (3\d\d|404|405|410)\b/, "nothing takes messages at this address: check it in the configuration"],
  [/^HTTP (400|413|422)\b/, "it takes messages, but not this one: check that the type of the destination is right"],
  [/^HTTP 2/, "something else answers at this address: check it in the configuration"],
  [/^HTTP/, "it cannot take messages now: see what is the matter there, and try again"],
  [/^5\d\d[ -]5\.7\.8|^535\b|no login/, "check the username and password under [smtp]"],
  [/^[45]\d\d\b/, "the mail server refused it: check its log, the sender under [smtp] and the recipient"],
  [/host name/, "check the host's name in the configuration, and name resolution on this machine"],
  [/TLS/, "the certificate or the kind of encryption is not as expected: check the port and, for mail, smtp.security"],
  [/recipient/, "check the recipient in the configuration"],
];

const OTHERWISE = "check that it runs, and that this machine can reach it at the configured address";

/** One line. `answer` null: there was none. */
export const adviceOn = (answer: string | null): string =>
  ADVICE.find(([pattern]) => pattern.test(answer ?? ""))?.[1] ?? OTHERWISE;
