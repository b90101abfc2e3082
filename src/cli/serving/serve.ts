// `rollcall serve`: reads the configuration, runs the service, and hears the signals: to stop, and to read it again.

import { formatFault } from "../../config/fault.ts";
import type { ConfigFlags } from "../../config/load.ts";
import type { Log } from "../../domain/log.ts";
import { systemClock } from "../clock.ts";
import { loadHere, sayFaults, warnOfRisks } from "../config-commands.ts";
import { DONE, type Io, REFUSED } from "../io.ts";
import { VERSION } from "../ourselves.ts";
import { wantsColor } from "../screens/color.ts";
import { createInForce } from "./in-force.ts";
import { createLogger, type LogFormat } from "./logger.ts";
import { startService } from "./service.ts";
import { remedyOf } from "./start-remedy.ts";
import { openSupervisor } from "./supervisor.ts";

/** Until SIGTERM or SIGINT. Exit code 0 after a stop, 1 when it could not start, 2 for the configuration. */
export async function runServe(flags: ConfigFlags & { readonly log: LogFormat }, io: Io): Promise<number> {
  const read = () => loadHere(flags, process.env);
  const loaded = read();
  if ("faults" in loaded) return sayFaults(loaded.faults, io);
  // Before the first file: every new file is for this user alone.
  process.umask(0o077);
  const { config, sources, warnings } = loaded;
  const inForce = createInForce(loaded, read);
  const log = createLogger({
    clock: systemClock,
    write: (line) => io.err(line),
    format: flags.log,
    color: wantsColor(process.stderr.isTTY, process.env),
    redact: inForce.redact,
  });
  warnOfRisks(config, log);
  // From here on a signal asks us to stop, also during the start.
  const told = hearSignals(log);
  log("info", "starting", { version: VERSION, sources, directory: config.storage.directory });
  for (const warning of warnings) log("warn", "configuration_doubtful", { warning: formatFault(warning) });
  const supervisor = openSupervisor(process.env, process.pid, systemClock, log);
  const service = await startService(inForce, supervisor, log, io).catch((error: unknown) => {
    const rule = remedyOf(error, config, log);
    log("error", "start_failed", { error: error instanceof Error ? error.message : error, ...(rule && { rule }) });
    return null;
  });
  if (service === null) return REFUSED;
  told.toReload(service.reload);
  await told.toStop;
  supervisor.stopping();
  await service.stop();
  log("info", "stopped");
  return DONE;
}

function hearSignals(log: Log) {
  const { promise: toStop, resolve } = Promise.withResolvers<void>();
  let isStopping = false;
  let isAsked = false;
  let reload = (): void => {
    isAsked = true;
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(REFUSED);
    isStopping = true;
    log("info", "stopping", { signal });
    resolve();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("SIGHUP", () => {
    if (!isStopping) reload();
  });
  return {
    /** Settles at the first SIGTERM or SIGINT; a second one ends the process at once. */
    toStop,
    /** At SIGHUP; at once, if it came before. A terminal that was closed sends it too: the service must go on. */
    toReload: (run: () => void): void => {
      reload = run;
      if (isAsked) run();
    },
  };
}
