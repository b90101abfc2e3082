// Finds unsafe settings that do not stop rollcall: logs a warning with a remedy for each. Prints no secret.

import type { Config } from "../../config/keys.ts";
import { isSampleSecret, SAMPLE_STATUS_TOKEN } from "../../config/vocabulary.ts";
import type { Log } from "../../domain/log.ts";
import { isWritableByOthers } from "../../store/file/files.ts";

/** Warns when others may write to the data directory, or when secrets are copied from our public examples. */
export function warnOfRisks({ storage, destinations, statusPages, server, web }: Config, log: Log): void {
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
  const rule = "everybody knows the token of the example: make one with openssl rand -hex 20";
  for (const { application, token } of statusPages)
    if (token === SAMPLE_STATUS_TOKEN) log("warn", "sample_token", { application, rule });
  if (web?.trustedUserSecret === SAMPLE_STATUS_TOKEN)
    log("warn", "sample_token", { key: "web.trusted_user_secret", rule });
  if (server.metricsToken === SAMPLE_STATUS_TOKEN) log("warn", "sample_token", { key: "server.metrics_token", rule });
}
