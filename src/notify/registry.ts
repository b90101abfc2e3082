// The channels there are. A new one is a file, its settings in the type and a line in the switch; nothing else in the
// house learns of it.

import type { Channel } from "./channel.ts";
import { createDiscordChannel, type DiscordSettings } from "./discord.ts";
import { createEmailChannel, type EmailSettings } from "./email.ts";
import { masked } from "./masked.ts";
import { createNtfyChannel, type NtfySettings } from "./ntfy.ts";
import { createPagerdutyChannel, type PagerdutySettings } from "./pagerduty.ts";
import { createSlackChannel, type SlackSettings } from "./slack.ts";
import { createTeamsChannel, type TeamsSettings } from "./teams.ts";
import { createWebhookChannel, type WebhookSettings } from "./webhook.ts";

export type ChannelSettings =
  | EmailSettings
  | SlackSettings
  | DiscordSettings
  | TeamsSettings
  | NtfySettings
  | PagerdutySettings
  | WebhookSettings;

/** The channel of one configured destination. Throws when its settings are none; the message holds no secret. */
export const createChannel = (settings: ChannelSettings): Channel => masked(channelFor(settings));

function channelFor(settings: ChannelSettings): Channel {
  switch (settings.type) {
    case "email":
      return createEmailChannel(settings);
    case "slack":
      return createSlackChannel(settings);
    case "discord":
      return createDiscordChannel(settings);
    case "teams":
      return createTeamsChannel(settings);
    case "ntfy":
      return createNtfyChannel(settings);
    case "pagerduty":
      return createPagerdutyChannel(settings);
    case "webhook":
      return createWebhookChannel(settings);
  }
}
