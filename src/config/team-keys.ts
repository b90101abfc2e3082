// The configuration keys of the team, of the mail server ([smtp]) and of reminders ([alerts]).

import type { Member } from "../domain/settings/policy.ts";
import { DESTINATION_LIST, wantsSmtp } from "./destination-keys.ts";
import { choice, decodedKind, into, listKind, optional, preset, secret, table, whole } from "./kinds.ts";
import { LINKS, PRESENTATION } from "./monitor-keys.ts";
import { isLoopbackHost } from "./network-addresses.ts";
import type { ConfigPlace } from "./place.ts";
import { durationFrom, EVENT, HOST, LABEL, MAIL_ADDRESS, MAILBOX, PASSWORD, SCHEDULE } from "./vocabulary.ts";

export const SMTP = into(
  table(
    { meaning: "The server that takes our mail. Without it no mail is sent." },
    {
      host: optional(HOST, "mail.example.org", "Name or address, without a port."),
      port: optional(whole(1, 65_535), 465, "Left out: 465 for tls, 587 for starttls, 25 for none."),
      security: optional(
        choice("tls", "starttls", "none"),
        "tls",
        "Left out: tls, or none when the host is this machine.",
      ),
      username: optional(LABEL, "rollcall", "The name to log in with. Left out: no login."),
      password: secret(PASSWORD, "secret", "The username's password."),
      from: optional(MAILBOX, "rollcall <cron@example.org>", "The sender of our mail."),
    },
  ),
  (smtp, at) => {
    if (!wantsSmtp(at.whole)) return null;
    const { host, port, username, password, from } = smtp;
    if (host === null) at.miss(["host"], "must be given to send mail");
    if (from === null) at.miss(["from"], "must be given to send mail");
    if (username !== null && password === null)
      at.miss(["password"], "must be given with smtp.username, as password or password_file");
    if (username === null && password !== null) at.miss(["username"], "must be given with smtp.password");
    if (host === null || from === null) return null;
    const security = smtp.security ?? (isLoopbackHost(host) ? "none" : "tls");
    const login = username === null || password === null ? null : { username, password };
    const made = { host, port: port ?? PORTS[security], security, login, from };
    warnOfMismatch(made, at);
    return made;
  },
);

type Security = "tls" | "starttls" | "none";

const PORTS: Record<Security, number> = { tls: 465, starttls: 587, none: 25 };

/**
 * The security that mail servers expect at a port (RFC 8314). At other ports any may be right, and so may `none` for a
 * server on this machine.
 */
const EXPECTED: ReadonlyMap<number, Security> = new Map([
  [465, "tls"],
  [587, "starttls"],
]);

/**
 * Warns when the security does not fit the port, or when the password would be sent unencrypted. Some servers work so,
 * but with nearly all others mail fails or the password is exposed.
 */
function warnOfMismatch(
  { host, port, security, login }: { host: string; port: number; security: Security; login: object | null },
  at: ConfigPlace,
): void {
  if (security === "none" && isLoopbackHost(host)) return;
  const expected = port === 25 && security === "tls" ? "starttls" : (EXPECTED.get(port) ?? security);
  if (expected !== security) {
    const key = at.isWritten(["security"]) ? "security" : "port";
    const usual = `"${expected}" is usual on port ${port}`;
    const other = security === "none" ? "" : `, and port ${PORTS[security]} for "${security}"`;
    at.warn([key], `"${security}" hardly works on port ${port}`, usual + other);
  }
  if (security === "none" && login !== null)
    at.warn(["username"], "is sent unencrypted, with its password", 'security should be "tls" or "starttls"');
}

const MEMBER = into(
  table(
    {},
    {
      name: optional(LABEL, "Ada", "Left out: the address."),
      email: optional(MAIL_ADDRESS, "ada@example.org", "Needed."),
      events: preset(
        listKind(EVENT, "events"),
        ["InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered"],
        "What they want mail about.",
      ),
      answers: optional(LABEL, "Ada", "As which person of the dashboard they answer mail."),
    },
  ),
  ({ name, email, events, answers }, at) => {
    if (email === null) at.miss(["email"], "must be given for every member");
    return email === null ? [] : [{ name: name ?? email, email, events, ...(answers !== null && { answers }) }];
  },
);

export const TEAM = table(
  { meaning: "Who is told, and what messages say where no application and no monitor says otherwise." },
  {
    name: optional(LABEL, "Home", "The team's name; mail says that it was sent for this team."),
    destinations: preset(
      DESTINATION_LIST,
      ["email"],
      "Where alerts go, unless their monitor or application has destinations of its own.",
    ),
    members: into(
      listKind(() => MEMBER, "tables")({ meaning: "Who gets the mail of the destination email." }),
      distinctMembers,
    ),
    ...PRESENTATION,
    links: LINKS,
  },
);

function distinctMembers(members: readonly (readonly Member[])[], at: ConfigPlace): Member[] {
  const seen = new Set<string>();
  for (const [place, [member]] of members.entries()) {
    if (member === undefined) continue;
    const email = member.email.toLowerCase();
    if (seen.has(email))
      at.complain([place, "email"], `${JSON.stringify(member.email)} is given twice`, "must be another member's");
    seen.add(email);
  }
  return members.flat();
}

export const ALERTS = table(
  { meaning: "When an incident that stays open is told again, and when a report of all jobs comes." },
  {
    continued_after: preset(
      decodedKind(listKind(durationFrom("1m"), "durations"), (delays, at) => {
        if (delays.some((delay, place) => delay <= (delays[place - 1] ?? 0)))
          at.complain([], "is not ascending", "must be durations each longer than the one before");
        return delays;
      }),
      ["1h", "6h", "24h"],
      "How long after the opening reminders come, each longer than the one before.",
    ),
    continued_every: preset(durationFrom("1m"), "24h", "How often they come after that."),
    continued_max: preset(whole(0, 1000), 30, "The largest number of reminders for one incident; 0 sends none."),
    report: optional(
      SCHEDULE,
      "0 8 * * 1",
      "When a report of all jobs goes where alerts go by default; left out: never.",
    ),
  },
);
