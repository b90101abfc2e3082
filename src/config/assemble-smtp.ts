// Makes the mail server's settings; knows which of them need each other.

import { isLoopbackHost, parseMailbox } from "./addresses.ts";
import type { Smtp } from "./config.ts";
import { type ConfigDraft, complainMissing, isWritten, warn } from "./draft.ts";
import { nodeAt } from "./tree.ts";

const PORTS: Record<Smtp["security"], number> = { tls: 465, starttls: 587, none: 25 };

/** Whether anything of [smtp] was written; a credential alone is not enough. */
export function wantsSmtp(draft: ConfigDraft): boolean {
  const node = nodeAt(draft.tree, ["smtp"]);
  return node !== undefined && (node.kind !== "table" || node.entries.size > 0);
}

/** Null without [smtp], and after a fault. */
export function assembleSmtp(draft: ConfigDraft): Smtp | null {
  if (!wantsSmtp(draft)) return null;
  const { host, port, username, password, from: sender } = draft.values.smtp;
  if (host === undefined) complainMissing(draft, ["smtp", "host"], "must be given to send mail");
  if (sender === undefined) complainMissing(draft, ["smtp", "from"], "must be given to send mail");
  if (username !== undefined && password === undefined) {
    complainMissing(draft, ["smtp", "password"], "must be given with smtp.username, as password or password_file");
  }
  if (username === undefined && draft.values.smtp.password !== undefined) {
    complainMissing(draft, ["smtp", "username"], "must be given with smtp.password");
  }
  const from = parseMailbox(sender ?? "");
  if (host === undefined || from === null) return null;
  const security = draft.values.smtp.security ?? usualSecurity(host);
  const login = username === undefined || password === undefined ? null : { username, password };
  const smtp = { host, port: port ?? PORTS[security], security, login, from };
  warnOfMismatch(draft, smtp);
  return smtp;
}

/** What mail servers expect on their ports (RFC 8314). Other ports, and this machine unencrypted, take anything. */
const EXPECTED: ReadonlyMap<number, Smtp["security"]> = new Map([
  [465, "tls"],
  [587, "starttls"],
]);

/** Each of these works with some server, but fails or exposes the password with nearly all. */
function warnOfMismatch(draft: ConfigDraft, { host, port, security, login }: Smtp): void {
  if (security === "none" && isLoopbackHost(host)) return;
  const expected = port === 25 && security === "tls" ? "starttls" : (EXPECTED.get(port) ?? security);
  if (expected !== security) {
    const key = isWritten(draft, ["smtp", "security"]) ? "security" : "port";
    const usual = `"${expected}" is usual on port ${port}`;
    const other = security === "none" ? "" : `, and port ${PORTS[security]} for "${security}"`;
    warn(draft, ["smtp", key], `"${security}" hardly works on port ${port}`, usual + other);
  }
  if (security === "none" && login !== null) {
    warn(
      draft,
      ["smtp", "username"],
      "is sent unencrypted, with its password",
      'security should be "tls" or "starttls"',
    );
  }
}

/** Only mail that stays on this machine goes unencrypted without being asked. */
const usualSecurity = (host: string): Smtp["security"] => (isLoopbackHost(host) ? "none" : "tls");
