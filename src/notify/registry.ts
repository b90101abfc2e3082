// The channels there are. A new one is a file, its settings in the type and a line in the switch; nothing else in the
// house learns of it.

import type { Channel } from "./channel.ts";
import { createEmailChannel, type EmailSettings } from "./email.ts";
import { createWebhookChannel, type WebhookSettings } from "./webhook.ts";

export type ChannelSettings = EmailSettings | WebhookSettings;

/** The channel of one configured destination. Throws when its settings are none; the message holds no secret. */
export function createChannel(settings: ChannelSettings): Channel {
  switch (settings.type) {
    case "email":
      return createEmailChannel(settings);
    case "webhook":
      return createWebhookChannel(settings);
  }
}
