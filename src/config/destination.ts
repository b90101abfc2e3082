// A destination as the rest of the program gets it: its shape and its making follow from the table of channels. Checks
// nothing.

import { CHANNELS, type ChannelKey, type ChannelType, type ChannelValues, NEEDED } from "./channels.ts";

type KeysOf<Type extends ChannelType> = (typeof CHANNELS)[Type]["keys"];

/** `integration_key` is `integrationKey` from here on. */
type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

/** What a key comes to: what was given, or what holds when it is left out. */
type KeyValue<Key extends ChannelKey, Otherwise> =
  | NonNullable<ChannelValues[Key]>
  | (Otherwise extends null ? null : never);

type DestinationOf<Type extends ChannelType> = { readonly type: Type; readonly name: string } & {
  readonly [Key in keyof KeysOf<Type> & ChannelKey as CamelCase<Key>]: KeyValue<Key, KeysOf<Type>[Key]>;
};

/** R37. The table of keys says which values are secrets (R40). */
export type Destination = { [Type in ChannelType]: DestinationOf<Type> }[ChannelType];

/** Null when a needed value is absent. */
export function makeDestination(type: ChannelType, name: string, values: ChannelValues): Destination | null {
  const settings = Object.entries(CHANNELS[type].keys).map(([key, otherwise]) => ({
    field: fieldOf(key),
    value: values[key as ChannelKey] ?? otherwise,
  }));
  if (settings.some(({ value }) => value === NEEDED)) return null;
  // `DestinationOf` says the same in types.
  return { type, name, ...Object.fromEntries(settings.map(({ field, value }) => [field, value])) } as Destination;
}

const fieldOf = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
