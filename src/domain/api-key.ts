// The form of API keys and administrators' keys (R2). Also hides keys in texts. The secrets are generated elsewhere.

import { type Refusal, refuseField } from "./errors.ts";

export const KEY_PREFIX = "ck_app_";

/** The number of letters in a key's secret part: 32 letters carry 190 bits. */
export const SECRET_LENGTH = 32;

export const SLUG_LENGTH = 40;
const SLUG = new RegExp(`^[a-z0-9-]{1,${SLUG_LENGTH}}$`);

export const KEY_LENGTH_MAX = KEY_PREFIX.length + SLUG_LENGTH + 1 + SECRET_LENGTH;

export const SLUG_RULE = `must be 1 to ${SLUG_LENGTH} of "a-z", "0-9" and "-"`;

export const isSlug = (text: string): boolean => SLUG.test(text);

export const checkSlug = (text: string): Refusal | null =>
  isSlug(text)
    ? null
    : refuseField(
        "slug",
        `${JSON.stringify(text.slice(0, 60))} must be 1 to ${SLUG_LENGTH} characters of a-z, 0-9 and "-"`,
      );

/** Like `maskKeys`, but it finds neither percent-encoded keys nor addresses of other services. */
export const maskPlainKeys = (text: string): string =>
  text.replaceAll(/ck_(app|adm)_[^\s/?#&"'`<>\\,;:)\]}]+/gi, (_, kind: string) => `ck_${kind.toLowerCase()}_***`);

/** An application's key. `secret` is 32 base62 characters from a cryptographic source. */
export const formatKey = (application: string, secret: string): string => `${KEY_PREFIX}${application}_${secret}`;

export const ADMIN_KEY_PREFIX = "ck_adm_";

export const ADMIN_KEY_LENGTH = ADMIN_KEY_PREFIX.length + SECRET_LENGTH;

export const formatAdminKey = (secret: string): string => ADMIN_KEY_PREFIX + secret;

// Hides keys anywhere in a text, and the secret part of the report addresses of other services (R45).

const MASKS = [KEY_PREFIX, ADMIN_KEY_PREFIX].map((prefix) => ({
  shown: `${prefix}***`,
  /** Matches the prefix, however it is percent-encoded, and every following character that can belong to the key. */
  key: new RegExp(`${[...prefix].map(letterInAnyCoding).join("")}[^\\s/?#&"'\`<>\\\\,;:)\\]}]+`, "gi"),
  /** Matches a key in HTTP Basic credentials. In base64 the prefix always gives the same first letters. */
  basic: new RegExp(`${btoa(prefix).slice(0, 9)}[\\w+/%-]*=*`, "g"),
}));

function letterInAnyCoding(letter: string): string {
  return `(?:${letter}|%(?:25)*${letter.charCodeAt(0).toString(16)})`;
}

/** Matches a UUID or ping key after the host of Healthchecks, and a token of Uptime Kuma. */
const OLD_ADDRESSES = [/(hc-ping\.com\/)[\w-]{16,128}(?![\w-])/gi, /(\/api\/push\/)[\w-]+/gi];

/**
 * Matches `/ping/` and the word behind it: the secret of a check at Healthchecks, or the key of a monitor of rollcall.
 * `/ping/nightly-backup-of-db/ck_app_..` is not matched, because rollcall's key shows that the word is a monitor's key.
 */
const CHECK_OR_MONITOR = /(\/ping\/)([\w-]{16,128})(?![\w-]|\/ck_app_)/gi;

/** Matches a word of a name that people chose, such as `nightly`, `DB`, `db01` or `2026`. */
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+)?\d{0,4}$/;
const WORD_LETTERS_MAX = 15;

/** Whether a text is a name that a person chose, such as `nightly-database-dump`, and no secret of random letters. */
const isName = (text: string): boolean =>
  text.split(/[-_]/).every((word) => word.length <= WORD_LETTERS_MAX && WORD.test(word));

/** Quickly matches all that `maskKeys` would change, and more: encoded letters, or the start of a key or address. */
const SUSPICIOUS = /%(?:25)*[567]|ck_|Y2tfY|ping\.com\/|\/push\/|\/ping\//i;

/** Whether `maskKeys` may find something in this text. It may be a JSON of many texts, to test them all at once. */
export const mayHoldKeys = (text: string): boolean => SUSPICIOUS.test(text);

/** Replaces keys by `ck_app_***` or `ck_adm_***`, and the secret part of other services' report addresses by `***`. */
export function maskKeys(text: string): string {
  if (!mayHoldKeys(text)) return text;
  const masked = MASKS.reduce((rest, { shown, key, basic }) => rest.replace(key, shown).replace(basic, shown), text);
  return OLD_ADDRESSES.reduce((rest, address) => rest.replace(address, "$1***"), masked).replace(
    CHECK_OR_MONITOR,
    (whole, before: string, named: string) => (isName(named) ? whole : `${before}***`),
  );
}
