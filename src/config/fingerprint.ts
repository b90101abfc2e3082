// By what a changed destination is known again after a restart (R36): a few digits of a hash of all its settings. Enough to
// notice a change (one in a million is missed); far too few to try passwords against, since the file that they are
// kept in is copied and backed up.

import { createHash } from "node:crypto";
import { CHANNELS } from "./channels.ts";
import type { Config } from "./config.ts";

/** Hexadecimal: 20 bits. */
const DIGITS = 5;

/** Of each destination by name; with what mail is sent through, of one that sends mail. */
export const fingerprintsOf = ({ destinations, smtp }: Config): Map<string, string> =>
  new Map(
    [...destinations].map(([name, destination]) => {
      const settings = CHANNELS[destination.type].takes === "mail" ? [destination, smtp] : [destination];
      return [name, createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, DIGITS)];
    }),
  );
