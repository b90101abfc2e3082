// Says why a connection failed. The texts of libraries contain addresses, which may be secret (R40).

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed without an answer",
  ENOTFOUND: "host name not found",
  EDNS: "host name not found",
  EAI_AGAIN: "host name could not be looked up",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "timed out",
  EABORT: "timed out",
  ETLS: "TLS failure",
  EPROTOCOL: "the answer is not a mail server's",
};

/** The words for an error code of the system, of TLS or of nodemailer; `null` for an unknown code. */
export function connectionFailure(code: string): string | null {
  if (/TLS_|CERT|SSL|^EPROTO$|VERIFY|ISSUER|SIGNED/.test(code)) return `TLS failure (${code})`;
  return WORDS[code] ?? null;
}
