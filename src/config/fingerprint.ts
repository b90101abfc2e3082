// Recognizes a changed destination after a restart (R36): a few digits of a hash of all its settings. Enough to notice
// a change (one in a million is missed); too few for guessing passwords, because people copy and back up the file that
// holds them.

import { createHash } from "node:crypto";
import { CHANNELS } from "./channels.ts";
import type { Config } from "./config.ts";

/** Hexadecimal: 20 bits. */
const DIGITS = 5;

/** The fingerprint of each destination by name; for one that sends mail it includes the mail server. */
export const fingerprintsOf = ({ destinations, smtp }: Config): Map<string, string> =>
  new Map(
    [...destinations].map(([name, destination]) => {
      const settings = CHANNELS[destination.type].takes === "mail" ? [destination, smtp] : [destination];
      return [name, createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, DIGITS)];
    }),
  );
