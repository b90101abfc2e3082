// API keys: their form (R2) and the application slugs in them; administrators' keys. Makes and stores no secret; the
// engine hashes keys and looks them up.

import { type Refusal, refuse } from "./errors.ts";

export const KEY_PREFIX = "ck_app_";

/** The number of letters in a key's secret part: 32 letters carry 190 bits. */
export const SECRET_LENGTH = 32;

const SLUG_LENGTH = 40;
const SLUG = new RegExp(`^[a-z0-9-]{1,${SLUG_LENGTH}}$`);

/** No key is longer: prefix, slug, underscore, secret. */
export const KEY_LENGTH_MAX = KEY_PREFIX.length + SLUG_LENGTH + 1 + SECRET_LENGTH;

export const isSlug = (text: string): boolean => SLUG.test(text);

export const checkSlug = (text: string): Refusal | null =>
  isSlug(text)
    ? null
    : refuse(
        "INVALID_REQUEST",
        `slug: ${JSON.stringify(text.slice(0, 60))} must be 1 to ${SLUG_LENGTH} characters of a-z, 0-9 and "-"`,
      );

/** The text with every API key in it made unreadable, live or not. */
export const withoutKeys = (text: string): string =>
  text.replaceAll(/ck_(app|adm)_[^\s/?#&"'`<>\\,;:)\]}]+/gi, (_, kind: string) => `ck_${kind.toLowerCase()}_***`);

/** An application's key, made from 32 base62 characters of a cryptographic source. */
export const formatKey = (application: string, secret: string): string => `${KEY_PREFIX}${application}_${secret}`;

export const ADMIN_KEY_PREFIX = "ck_adm_";

export const ADMIN_KEY_LENGTH = ADMIN_KEY_PREFIX.length + SECRET_LENGTH;

export const formatAdminKey = (secret: string): string => ADMIN_KEY_PREFIX + secret;
