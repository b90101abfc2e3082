// The token that a program sends in a header (RFC 6750), for what takes neither a job's key nor a session.

const BEARER = /^bearer +(\S{1,500}) *$/i;

/** Empty: it sent none. */
export const bearerIn = (headers: Headers): string => BEARER.exec(headers.get("authorization") ?? "")?.[1] ?? "";
