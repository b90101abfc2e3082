// What tells another monitor that rollcall works (`[self]`), put together from the configuration, again at each reload.

import type { Config } from "../../config/keys.ts";
import type { Log } from "../../domain/log.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import type { DescriptorReserve } from "../../notify/room.ts";
import { createSelfPing, type SelfPing } from "../../notify/self-ping.ts";
import { after, systemClock } from "../clock.ts";

export interface SelfPinging {
  /** Tells by this configuration from now on. */
  configure(config: Config): void;
  /** Null: nobody is told. */
  health(): ReturnType<SelfPing["health"]> | null;
  stop(): void;
}

/** Tells nobody until it is configured. */
export function createSelfPinging(
  { unwell }: Pick<RunningEngine, "unwell">,
  room: DescriptorReserve,
  log: Log,
): SelfPinging {
  let selfPing: SelfPing | null = null;
  let settings = "null";
  const stop = (): void => selfPing?.stop();
  return {
    configure: ({ self }) => {
      if (JSON.stringify(self) === settings) return;
      settings = JSON.stringify(self);
      stop();
      selfPing = self && createSelfPing({ ...self, failing: unwell, room, clock: systemClock, log, after });
      selfPing?.start();
    },
    health: () => selfPing?.health() ?? null,
    stop,
  };
}
