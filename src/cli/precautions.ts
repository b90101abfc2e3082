// Finds unsafe settings with which rollcall still runs: each is a warning in the log with its remedy. Prints no secret.

import type { Config } from "../config/config.ts";
import { isSampleSecret } from "../config/vocabulary.ts";
import type { Log } from "../domain/log.ts";
import { isWritableByOthers } from "../store/files.ts";

/** Warns of a data directory that others may write to, and of secrets that everybody can read in our examples. */
export function warnOfRisks({ storage, destinations }: Config, log: Log): void {
  const { directory } = storage;
  if (isWritableByOthers(directory)) {
    const rule = `others may replace the database: chmod go-w ${directory}`;
    log("warn", "directory_open_to_others", { directory, rule });
  }
  for (const { name, ...destination } of destinations.values()) {
    if (!("secret" in destination && isSampleSecret(destination.secret))) continue;
    const rule =
      'everybody knows the secret of an example: make one with echo "whsec_$(head -c 24 /dev/urandom | base64)"';
    log("warn", "sample_secret", { destination: name, rule });
  }
}
