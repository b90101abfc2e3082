// The form of API keys and administrators' keys (R2). The secrets are generated elsewhere.

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

/** An application's key. `secret` is 32 base62 characters from a cryptographic source. */
export const formatKey = (application: string, secret: string): string => `${KEY_PREFIX}${application}_${secret}`;

export const ADMIN_KEY_PREFIX = "ck_adm_";

export const ADMIN_KEY_LENGTH = ADMIN_KEY_PREFIX.length + SECRET_LENGTH;

export const formatAdminKey = (secret: string): string => ADMIN_KEY_PREFIX + secret;

/** The API key without its secret. The rest names the application, and stays the same when the key is replaced. */
export const keyWithoutSecret = (key: string): string => key.slice(0, key.lastIndexOf("_"));
