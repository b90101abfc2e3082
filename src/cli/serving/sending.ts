// How `rollcall serve` sends: outbox, channels and notifier, and the heartbeats by which another monitor knows that
// rollcall works (`[self]`), put together from the configuration, again at each reload.

import type { Database } from "bun:sqlite";
import type { Destination } from "../../config/destination-keys.ts";
import type { Config } from "../../config/keys.ts";
import { fingerprintsOf } from "../../config/policy.ts";
import type { Log } from "../../domain/log.ts";
import type { TellUnstored } from "../../engine/api.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import { createOutbox } from "../../engine/telling/outbox.ts";
import type { Channel } from "../../notify/channel.ts";
import { createNotifier, type Notifier } from "../../notify/notifier.ts";
import { createChannel } from "../../notify/registry.ts";
import { type DescriptorReserve, type InRoom, inRoomOf } from "../../notify/room.ts";
import { createSelfPing, type SelfPing } from "../../notify/self-ping.ts";
import { createUnstored } from "../../notify/unstored.ts";
import { after, randomFraction, systemClock } from "../clock.ts";

export interface SenderInForce {
  readonly notifier: Notifier;
  readonly tellUnstored: TellUnstored;
  /**
   * Sends by this configuration from the next message on; what waits at a changed destination is due now (R36). What is
   * being sent ends as it began. Throws what SQLite throws, and then has changed nothing.
   */
  configure(config: Config): void;
  /** Sends from now on. `ended` hears that deliveries have ended. */
  start(ended: () => void): void;
}

interface SendingParts {
  readonly database: Database;
  readonly room: DescriptorReserve;
  readonly log: Log;
}

/** Knows no destination until it is configured. */
export function createSending({ database, room, log }: SendingParts): SenderInForce {
  let tell = (): void => {};
  const outbox = createOutbox(database, log, () => tell());
  const channels = new Map<string, Channel>();
  /** Of each channel, as text. */
  const settings = new Map<string, string>();
  const common = { channels, clock: systemClock, random: randomFraction, log, after };
  const notifier = createNotifier({ ...common, outbox });
  const inRoom = inRoomOf(room, after);

  function configure(config: Config): void {
    const changed = outbox.reconfigured(fingerprintsOf(config), systemClock.now());
    if (changed.length > 0) log("info", "destinations_changed", { destinations: changed });
    const removed = [...channels.keys()].filter((name) => !config.destinations.has(name));
    for (const name of removed) {
      channels.delete(name);
      settings.delete(name);
    }
    for (const [name, destination] of config.destinations) {
      const written = JSON.stringify([destination, config.smtp]);
      if (settings.get(name) === written) continue;
      channels.set(name, channelOf(destination, config, inRoom));
      settings.set(name, written);
    }
    notifier.reconfigured([...changed, ...removed]);
  }

  function start(ended: () => void): void {
    tell = ended;
    notifier.start();
  }

  return { notifier, tellUnstored: createUnstored(common), configure, start };
}

/** Does not compile for a type that the configuration knows and the registry does not, or with other settings. */
function channelOf(destination: Destination, { smtp }: Config, inRoom: InRoom): Channel {
  const settings = { ...destination, smtp };
  return createChannel(settings, inRoom);
}

export interface SelfPinging {
  /** Tells by this configuration from now on. */
  configure(config: Config): void;
  /** Null: `[self]` is not set. */
  health(): ReturnType<SelfPing["health"]> | null;
  stop(): void;
}

/** Sends nothing until it is configured. */
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
