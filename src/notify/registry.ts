// The channels that can send. A new one is a file, a line here and an entry in config/channels.ts. An entry there
// without a line here, or with settings that the channel does not take, does not compile in cli/serving/sending.ts.

import { maskKeys } from "../domain/api-key.ts";
import type { Channel, Verdict } from "./channel.ts";
import { createDiscordChannel } from "./discord.ts";
import { createEmailChannel } from "./email.ts";
import { createNtfyChannel } from "./ntfy.ts";
import { createPagerdutyChannel } from "./pagerduty.ts";
import { createSlackChannel } from "./slack.ts";
import { createTeamsChannel } from "./teams.ts";
import { createWebhookChannel } from "./webhook.ts";

const CHANNELS = {
  email: createEmailChannel,
  slack: createSlackChannel,
  discord: createDiscordChannel,
  teams: createTeamsChannel,
  ntfy: createNtfyChannel,
  pagerduty: createPagerdutyChannel,
  webhook: createWebhookChannel,
};

type DestinationSettings<Type extends keyof typeof CHANNELS> = { readonly type: Type } & Parameters<
  (typeof CHANNELS)[Type]
>[0];

/** The settings of any channel, told apart by its type. */
export type ChannelSettings = { [Type in keyof typeof CHANNELS]: DestinationSettings<Type> }[keyof typeof CHANNELS];

/**
 * The channel of one configured destination: API keys are taken out of a message before it leaves, because a job may
 * have put its own into its name, its failure or its run_id. Throws when its settings are none; the message holds no
 * secret.
 */
export function createChannel(settings: ChannelSettings, withDescriptors: WithDescriptors = (send) => send()): Channel {
  // Each channel takes the settings of its own type; the compiler cannot follow that through this choice.
  const create = CHANNELS[settings.type] as (settings: ChannelSettings) => Channel;
  const channel = create(settings);
  return {
    ...channel,
    send: (delivery, context) => {
      const masked = { ...delivery, message: withoutKeys(delivery.message) };
      return withDescriptors(() => channel.send(masked, context));
    },
  };
}

function withoutKeys<Value>(value: Value): Value;
function withoutKeys(value: unknown): unknown {
  if (typeof value === "string") return maskKeys(value);
  if (Array.isArray(value)) return value.map(withoutKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutKeys(part)]));
}

export interface DescriptorReserve {
  /** Frees descriptors if there are too few. */
  makeRoom(): void;
  /** Whether there were too few a moment ago. */
  wasShort(): boolean;
}

/** While new clients replace those turned away, a connection for a message may need more than one try. */
const TRIES = 20;
/** Milliseconds between two tries. */
const PAUSE = 100;

type WithDescriptors = ReturnType<typeof withReserve>;

/** A connection takes up to three descriptors, and clients may hold all: sends once some are free, else again. */
export const withReserve =
  (reserve: DescriptorReserve, after: (milliseconds: number, run: () => void) => unknown) =>
  async (send: () => Promise<Verdict>): Promise<Verdict> => {
    for (let tries = 1; ; tries++) {
      reserve.makeRoom();
      const verdict = await send();
      if (verdict.verdict !== "retry" || tries === TRIES || !reserve.wasShort()) return verdict;
      await new Promise<void>((resume) => after(PAUSE, resume));
    }
  };
