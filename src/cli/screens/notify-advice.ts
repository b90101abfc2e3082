// Advice about a destination that refused a message, guessed from its answer: a line or two for people. The answer
// itself always stands beside it.

type Advice = readonly (readonly [answer: RegExp, advice: string])[];

const NOT_CONFIGURED: Advice[number] = [
  /not configured/,
  "name it in the configuration, under [destinations], and give `rollcall reload`",
];

/** The advice about certificates is the same for mail and for everything over HTTPS. */
const CERTIFICATES: Advice = [
  [
    /UNABLE_TO|SELF_SIGNED|ISSUER|UNTRUSTED/,
    "its certificate is signed by nobody rollcall knows: if that is a certificate authority of your own, start rollcall with NODE_EXTRA_CA_CERTS=/path/to/authority.pem in its environment",
  ],
  [/CERT_HAS_EXPIRED/, "its certificate has expired: renew it there"],
  [/CERT_NOT_YET_VALID/, "its certificate is not valid yet: check the clocks of both machines"],
  [/ALTNAME/, "its certificate is made out to another name: check the host in the configuration"],
];

const MAIL: Advice = [
  NOT_CONFIGURED,
  [
    /^no login offered/,
    "the server takes no login here: check smtp.port and smtp.security (usual: 465 with tls, 587 with starttls), or leave out smtp.username and smtp.password",
  ],
  [
    /^no STARTTLS/,
    'the server offers no STARTTLS on this port: check smtp.port (usual: 587), or set security = "tls" under [smtp] (usual: port 465)',
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
    /WRONG_VERSION|EPROTO|PACKET_LENGTH|TLS/,
    'there is no TLS from the start on this port: set security = "starttls" under [smtp] (usual: port 587), or check smtp.port (usual for tls: 465)',
  ],
  [
    /timed out/,
    'nothing was said within 15 seconds: a firewall may be in the way, or the port wants TLS from the start (465: security = "tls")',
  ],
  [/not a mail server/, "something else answers at this address: check smtp.host and smtp.port"],
  [/connection refused/, "nothing listens there: check smtp.host and smtp.port"],
  [/host name/, "check smtp.host, and name resolution on this machine"],
  [/recipient/, "check the recipient in the configuration"],
];

const OTHERS: Advice = [
  NOT_CONFIGURED,
  [/^HTTP (401|403)\b/, "it does not know us: check the secret, key or token in the configuration"],
  [/^HTTP (3\d\d|404|405|410)\b/, "nothing takes messages at this address: check it in the configuration"],
  [/^HTTP (400|413|422)\b/, "it takes messages, but not this one: check that the type of the destination is right"],
  [/^HTTP 2/, "something else answers at this address: check it in the configuration"],
  [/^HTTP/, "it cannot take messages now: see what is the matter there, and try again"],
  [/host name/, "check the host's name in the configuration, and name resolution on this machine"],
  ...CERTIFICATES,
  [
    /TLS/,
    "it does not speak HTTPS as expected: check the address in the configuration, http:// or https://, and the port",
  ],
];

const OTHERWISE = "check that it runs, and that this machine can reach it at the configured address";

/** One line. `answer` null: there was none. */
export const adviceOn = (answer: string | null, isMail: boolean): string =>
  (isMail ? MAIL : OTHERS).find(([pattern]) => pattern.test(answer ?? ""))?.[1] ?? OTHERWISE;
