// Rules for passkeys: where they work, how many a person has, and how long an answer may take. Knows no cryptography
// and no browser.

import { type Refusal, refuse } from "../errors.ts";
import { cleanLine } from "../text.ts";
import { type Instant, MINUTE } from "../time.ts";

/** More of one person than devices. */
export const PASSKEYS_MAX = 20;
/** How long a person may take to answer their browser. */
export const CHALLENGE_SPAN = 5 * MINUTE;
/** A person without a password adds a passkey only so soon after signing in. */
const FRESH_SPAN = 15 * MINUTE;

const NAME_LENGTH = 60;

/** As people read it; never empty. */
export const passkeyName = (text: string): string => cleanLine(text, NAME_LENGTH) || "Passkey";

/** Where passkeys work: browsers give one only to the site that it was made for. */
export interface PasskeySite {
  /** The host, which is the id of the relying party. */
  readonly id: string;
  readonly origin: string;
}

/** `publicUrl`: where everybody reaches the dashboard; null: not known. A refusal says what is missing. */
export function passkeySite(publicUrl: string | null): PasskeySite | Refusal {
  if (publicUrl === null)
    return refuse(
      "INVALID_REQUEST",
      "passkeys are off: they need server.public_url, the https address at which people reach these pages",
    );
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isThisMachine = hostname === "localhost" || hostname.endsWith(".localhost");
  if (protocol !== "https:" && !isThisMachine)
    return refuse("INVALID_REQUEST", "passkeys are off: browsers give them to https addresses alone");
  if (isNumeric(hostname))
    return refuse(
      "INVALID_REQUEST",
      "passkeys are off: browsers give them to a host with a name, and server.public_url has a number",
    );
  return { id: hostname, origin };
}

const isNumeric = (hostname: string): boolean => hostname.startsWith("[") || /^[\d.]+$/.test(hostname);

export const isFresh = (signedInAt: Instant, now: Instant): boolean => now < signedInAt + FRESH_SPAN;
