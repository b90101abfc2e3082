// Pings another monitoring service at intervals while this rollcall does its work (`[self]`). The address is a secret.

import type { Log } from "../domain/log.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { Clock, SelfPingHealth, SelfPingVerdict } from "../engine/api.ts";
import { destinationUrl, requestDestination, SEND_TIMEOUT } from "./post.ts";
import type { DescriptorReserve } from "./registry.ts";

export interface SelfPingParts {
  /** The address to ping; R40's rules for the addresses of destinations hold for it too. */
  readonly pingUrl: string;
  readonly every: number;
  /** Returns the reasons why this process does not do its work; empty when it does. It may throw. */
  readonly failing: () => readonly string[];
  readonly reserve: Pick<DescriptorReserve, "makeRoom">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

export type SelfPing = ReturnType<typeof createSelfPing>;

type EndedPing = NonNullable<SelfPingHealth["last"]>;

/**
 * The first ping comes this many milliseconds after the start. By then the clock is checked and the database was
 * written.
 */
const FIRST_AFTER = 2 * SECOND;
/** After a ping that was withheld or did not arrive, the next one comes within this many milliseconds. */
const AGAIN_AFTER = 10 * SECOND;

/**
 * Makes the sender of pings to the other monitoring service. Throws on an address that R40 forbids; the error does not
 * repeat the address.
 */
export function createSelfPing(parts: SelfPingParts) {
  const { every, reserve, clock, log, after } = parts;
  const asked = { method: "GET", url: destinationUrl(parts.pingUrl), headers: {} };
  const counts: Record<SelfPingVerdict, number> = { sent: 0, failed: 0, withheld: 0 };
  let last: EndedPing | null = null;
  let arrivedAt: Instant | null = null;
  let stopped = false;
  let cancel = () => {};

  function failing(): readonly string[] {
    try {
      return parts.failing();
    } catch {
      return ["the database cannot be read"];
    }
  }

  async function send(): Promise<EndedPing> {
    const why = failing();
    if (why.length > 0) return { outcome: "withheld", why: why.join("; ") };
    reserve.makeRoom();
    const { verdict, answer } = await requestDestination(asked, { sentAt: clock.now(), timeoutMs: SEND_TIMEOUT });
    return verdict === "delivered" ? { outcome: "sent", why: null } : { outcome: "failed", why: answer };
  }

  async function beat(): Promise<void> {
    const ended = await send();
    if (stopped) return;
    counts[ended.outcome]++;
    if (ended.outcome === "sent") arrivedAt = clock.now();
    if (ended.outcome !== last?.outcome || ended.why !== last.why) say(ended);
    last = ended;
    cancel = after(ended.outcome === "sent" ? every : Math.min(every, AGAIN_AFTER), () => void beat());
  }

  function say({ outcome, why }: EndedPing): void {
    if (outcome === "sent") log("info", "self_ping_sent");
    else log("warn", outcome === "failed" ? "self_ping_failed" : "self_ping_withheld", { why });
  }

  return {
    start: (): void => {
      cancel = after(Math.min(every, FIRST_AFTER), () => void beat());
    },
    stop: (): void => {
      stopped = true;
      cancel();
    },
    health: () => ({ arrivedAt, last, counts: { ...counts } }),
  };
}
