// Logs failures by the address that they come from. It limits the lines, so that a client that fails again and again
// cannot fill the disk.

import type { Log } from "../domain/log.ts";
import { MINUTE } from "../domain/time.ts";
import type { Clock } from "../engine/api.ts";

/**
 * How many addresses have log lines of their own within one minute. The failures of all other addresses share one line.
 */
const ADDRESSES_KEPT = 1_000;

interface LoggedFailures {
  readonly client: string;
  saidAt: number;
  /** How many failures have come from this address since the last log line about it. */
  unsaid: number;
}

const newLine = (client: string): LoggedFailures => ({ client, saidAt: Number.NEGATIVE_INFINITY, unsaid: 0 });

/**
 * Makes a log of failures, with at most one line a minute for each address. In a line, `failedBefore` counts the
 * failures from its address since the last line, `failedInAll` those from all addresses since the process started. So
 * no failure is lost when an address is forgotten.
 */
export function createFailureLog(clock: Clock, log: Log, event: string): (client: string) => void {
  const lines = new Map<string, LoggedFailures>();
  const others = newLine("others");
  let failedInAll = 0;

  function lineOf(client: string, now: number): LoggedFailures {
    const known = lines.get(client);
    if (known !== undefined) return known;
    return lines.size < ADDRESSES_KEPT || forgetOldest(now) ? newLine(client) : others;
  }

  /**
   * Forgets the address whose last line is the oldest, if that was a minute ago or more, and returns whether it did. If
   * it were forgotten earlier, it could get two lines within a minute.
   */
  function forgetOldest(now: number): boolean {
    const [oldest] = lines.values();
    return oldest !== undefined && now - oldest.saidAt >= MINUTE && lines.delete(oldest.client);
  }

  return (client) => {
    failedInAll++;
    const now = clock.monotonic();
    const line = lineOf(client, now);
    if (now - line.saidAt < MINUTE) {
      line.unsaid++;
      return;
    }
    log("warn", event, { client: line.client, failedBefore: line.unsaid, failedInAll });
    line.saidAt = now;
    line.unsaid = 0;
    if (line === others) return;
    lines.delete(client);
    lines.set(client, line);
  };
}
