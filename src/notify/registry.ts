// The channels that can send. A new channel is a row of chats.ts, phones.ts, pagers.ts or hooks.ts, and a row of
// config/channel-keys.ts. A row there without one here, or with other settings, does not compile in
// cli/serving/sending.ts.

import { maskKeys, mayHoldKeys } from "../domain/api-key.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import type { ShownChannel, Verdict } from "./channel.ts";
import { CHATS } from "./chats.ts";
import { createEmailChannel } from "./email.ts";
import { HOOKS } from "./hooks.ts";
import { createMqttChannel } from "./mqtt.ts";
import { PAGERS } from "./pagers.ts";
import { PHONES } from "./phones.ts";
import { createWebPushChannel } from "./web-push.ts";

export const CHANNELS = {
  email: createEmailChannel,
  ...CHATS,
  ...PHONES,
  ...PAGERS,
  ...HOOKS,
  mqtt: createMqttChannel,
  webpush: createWebPushChannel,
};

export type ChannelSettings = {
  [Type in keyof typeof CHANNELS]: { readonly type: Type } & Parameters<(typeof CHANNELS)[Type]>[0];
}[keyof typeof CHANNELS];

/**
 * The channel of one configured destination. It takes API keys out of a message before the message leaves, because a
 * job may have put its own key into its name, its failure or its run_id. It throws when the settings are not valid; the
 * error holds no secret. `addressed` adds the address at which the message can be answered.
 */
export function createChannel(
  settings: ChannelSettings,
  withDescriptors: WithDescriptors = (send) => send(),
  addressed: (delivery: ClaimedDelivery) => ClaimedDelivery = (delivery) => delivery,
): ShownChannel {
  // Each channel takes settings of one type; the compiler cannot follow that through this choice.
  const create = CHANNELS[settings.type] as (settings: ChannelSettings) => ShownChannel;
  const channel = create(settings);
  // Takes API keys out of a message. A search of the text takes a tenth of the time of a copy without keys, and hardly
  // any message has a key.
  const masked = (delivery: ClaimedDelivery) =>
    mayHoldKeys(JSON.stringify(delivery.message)) ? { ...delivery, message: withoutKeys(delivery.message) } : delivery;
  return {
    ...channel,
    preview: (delivery, context) => channel.preview(masked(delivery), context),
    send: (delivery, context) => withDescriptors(() => channel.send(addressed(masked(delivery)), context)),
    ...(channel.edit && {
      edit: ({ sentAs, sentAt, ...delivery }) =>
        withDescriptors(() => channel.edit!({ ...addressed(masked(delivery)), sentAs, sentAt })),
    }),
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
  makeRoom(): void;
  wasShort(): boolean;
}

/**
 * How often freeing descriptors is tried. A connection may need more than one try, while new clients take the places of
 * those that were closed.
 */
const TRIES = 20;
const PAUSE = 100;

type WithDescriptors = ReturnType<typeof withReserve>;

/**
 * Sends once descriptors are free, or fails so that the message is tried again later. A connection takes up to three,
 * and clients may hold all of them.
 */
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
