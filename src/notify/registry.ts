// Lists the functions that make channels, by the type in the configuration. To add a channel, write a row in chats.ts,
// phones.ts, pagers.ts or hooks.ts, and a row in config/channel-keys.ts. If one of them is missing or their settings
// differ, cli/serving/sending.ts does not compile.

import { maskKeys, mayHoldKeys } from "../domain/output/secrets.ts";
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
 * Makes the channel of one configured destination. It hides API keys in each message, because a job may have put its
 * own key into its name, its failure or its run_id. `addressed` adds the address at which people reply to the message.
 * It throws when the settings are not valid; the error holds no secret.
 */
export function createChannel(
  settings: ChannelSettings,
  withDescriptors: WithDescriptors = (send) => send(),
  addressed: (delivery: ClaimedDelivery) => ClaimedDelivery = (delivery) => delivery,
): ShownChannel {
  // Each function takes the settings of its own type. The compiler cannot see that the right type is chosen here.
  const create = CHANNELS[settings.type] as (settings: ChannelSettings) => ShownChannel;
  const channel = create(settings);
  // Hides API keys in a message. Only a message that may hold one is copied: searching takes a tenth of the time.
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
 * How often sending is tried while file descriptors are short. One try may fail, because new clients can take the
 * descriptors that `makeRoom` has freed.
 */
const TRIES = 20;
/** How many milliseconds pass between two tries. */
const PAUSE = 100;

type WithDescriptors = ReturnType<typeof sendingWithReserve>;

/**
 * Frees file descriptors, then sends: a connection takes up to three, and clients may hold all of them. While there are
 * too few descriptors, it tries up to 20 times; then the attempt fails, and the delivery is tried again later.
 */
export const sendingWithReserve =
  (reserve: DescriptorReserve, after: (milliseconds: number, run: () => void) => unknown) =>
  async (send: () => Promise<Verdict>): Promise<Verdict> => {
    for (let tries = 1; ; tries++) {
      reserve.makeRoom();
      const verdict = await send();
      if (verdict.verdict !== "retry" || tries === TRIES || !reserve.wasShort()) return verdict;
      await new Promise<void>((resume) => after(PAUSE, resume));
    }
  };
