// The channels that can send. A new one is a file, a line here and an entry in config/channels.ts. An entry there without a
// line here, or with settings that the channel does not take, does not compile in cli/serving/sending.ts.

import type { Channel } from "./channel.ts";
import { createDiscordChannel } from "./discord.ts";
import { createEmailChannel } from "./email.ts";
import { masked } from "./masked.ts";
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

type Settings<Type extends keyof typeof CHANNELS> = { readonly type: Type } & Parameters<(typeof CHANNELS)[Type]>[0];

/** The settings of any channel, told apart by its type. */
export type ChannelSettings = { [Type in keyof typeof CHANNELS]: Settings<Type> }[keyof typeof CHANNELS];

/** The channel of one configured destination. Throws when its settings are none; the message holds no secret. */
export function createChannel(settings: ChannelSettings): Channel {
  // Each channel takes the settings of its own type; the compiler cannot follow that through this choice.
  const create = CHANNELS[settings.type] as (settings: ChannelSettings) => Channel;
  return masked(create(settings));
}
