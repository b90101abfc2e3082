// The keys of destinations, from the table of channels. Every name in a list of destinations is checked here too.

import { isSlug } from "../domain/api-key.ts";
import { type Hearing, leaveTime, parseQuiet, type QuietHours } from "../domain/telling/hearing.ts";
import { nearestOrAll } from "../domain/text.ts";
import type { ChannelEntry, ChannelKey, ChannelType, ChannelValues } from "./channel-keys.ts";
import { CHANNEL_KEYS, CHANNEL_TYPE, CHANNEL_TYPES, CHANNELS, isChannelType, NEEDED } from "./channel-keys.ts";
import type { Path } from "./fault.ts";
import { decodedKind, into, listKind, namedTables, optional, table, textThat } from "./kinds.ts";
import { type CamelCase, type ConfigPlace, camelCaseKey, type Fields } from "./place.ts";
import { LABEL, SEVERITY, SLUG, SLUG_NAMES, secondsFrom } from "./vocabulary.ts";

type KeysOf<Type extends ChannelType> = (typeof CHANNELS)[Type]["keys"];

type KeyValue<Key extends ChannelKey, Otherwise> =
  | NonNullable<ChannelValues[CamelCase<Key>]>
  | (Otherwise extends null ? null : never);

type DestinationOf<Type extends ChannelType> = {
  readonly type: Type;
  readonly name: string;
  readonly hears?: Hearing;
  readonly answers?: string;
} & {
  readonly [Key in keyof KeysOf<Type> & ChannelKey as CamelCase<Key>]: KeyValue<Key, KeysOf<Type>[Key]>;
};

/** A destination with the settings of its type (R37). `CHANNEL_KEYS` says which of them are secrets (R40). */
export type Destination = { [Type in ChannelType]: DestinationOf<Type> }[ChannelType];

/** Every destination but a rota, which sends nothing itself: it passes alerts to the destination whose week it is. */
export type SendingDestination = Exclude<Destination, DestinationOf<"rota">>;

export const configuredRotas = (destinations: ReadonlyMap<string, Destination>) =>
  [...destinations.values()].filter((destination) => destination.type === "rota");

export const sendingIn = (destinations: ReadonlyMap<string, Destination>) =>
  [...destinations].filter((entry): entry is [string, SendingDestination] => entry[1].type !== "rota");

function makeDestination(
  type: ChannelType,
  name: string,
  values: Partial<ChannelValues>,
  every: Pick<Destination, "hears" | "answers"> = {},
): Destination | null {
  const settings = Object.entries(CHANNELS[type].keys).map(([key, otherwise]): [string, unknown] => {
    const field = camelCaseKey(key) as keyof ChannelValues;
    return [field, values[field] ?? otherwise];
  });
  if (settings.some(([, value]) => value === NEEDED)) return null;
  return { type, name, ...Object.fromEntries(settings), ...every } as Destination;
}

const KEYS = Object.keys(CHANNEL_KEYS) as readonly ChannelKey[];

const needsOf = ({ keys }: ChannelEntry): ChannelKey[] => KEYS.filter((key) => keys[key] === NEEDED);

const STANDING_ALONE = (Object.keys(CHANNELS) as ChannelType[]).filter((type) => needsOf(CHANNELS[type]).length === 0);

const QUIET = decodedKind(
  listKind(
    textThat((text) => parseQuiet(text) !== null, {
      rule: 'must be times of day such as "22:00-07:00" or "Sat-Sun 00:00-24:00"',
      problem: "is no time of day",
    }),
    "quiet hours",
  ),
  (texts, at): readonly QuietHours[] => {
    const quiet = texts.flatMap((text) => parseQuiet(text) ?? []);
    if (!leaveTime(quiet))
      at.complain([], "is quiet for more than four days", "must leave time in which alerts are told");
    return quiet;
  },
);

/** The keys that a destination of any type has: which alerts it gets, when, and who may reply to them (R38). */
export const HEARING_KEYS = {
  severity: optional(SEVERITY, "warning", "The least severity of alerts that go there; left out: all."),
  environments: optional(
    listKind(LABEL, "environments", 1),
    ["production"],
    "Only alerts of these go there; left out: all.",
  ),
  quiet: optional(QUIET, ["22:00-07:00"], "Alerts that come then wait for the end; several of a kind become one."),
  urgent: optional(SEVERITY, "critical", "From this severity on alerts do not wait for the end of the quiet hours."),
  after: optional(
    secondsFrom("1m", "2d"),
    "20m",
    "It hears only of incidents that no one has acknowledged this long after they were told.",
  ),
  answers: optional(LABEL, "Ada", "As which person of the dashboard its readers answer alerts; left out: they do not."),
};

/** Reads the values of `HEARING_KEYS`. `hears` is absent when the destination gets all alerts at once. */
function hearingOf(values: Fields<typeof HEARING_KEYS>, at: ConfigPlace): Pick<Destination, "hears" | "answers"> {
  const { severity, environments, quiet, urgent, after, answers } = values;
  if (urgent !== null && quiet === null) at.miss(["quiet"], "must be given beside urgent, or no alert waits");
  const hears: Hearing = {
    ...(severity !== null && { severity }),
    ...(environments !== null && { environments }),
    ...(quiet !== null && { quiet }),
    ...(urgent !== null && { urgent }),
    ...(after !== null && { afterSeconds: after }),
  };
  return { ...(Object.keys(hears).length > 0 && { hears }), ...(answers !== null && { answers }) };
}

const keysOfType = (type: string): readonly string[] | null =>
  isChannelType(type) ? ["type", ...Object.keys(CHANNELS[type].keys), ...Object.keys(HEARING_KEYS)] : null;

const DESTINATION = into(
  table({ keysOfType }, { type: optional(CHANNEL_TYPE, "webhook", "How it sends."), ...CHANNEL_KEYS, ...HEARING_KEYS }),
  ({ type, ...values }, at) => {
    if (type === null || !isChannelType(type)) {
      at.miss(["type"], `must be ${CHANNEL_TYPES}`);
      return null;
    }
    const channel: ChannelEntry = CHANNELS[type];
    complainOfForeign(at, type, Object.keys(channel.keys));
    for (const key of needsOf(channel))
      if (values[camelCaseKey(key) as keyof ChannelValues] === null) at.miss([key], `must be given for type "${type}"`);
    const { scheme = "http" } = channel;
    if (values.url !== null && !values.url.toLowerCase().startsWith(scheme))
      at.complain(["url"], `is not an ${scheme}(s) URL`, `must begin with ${scheme}:// or ${scheme}s://`);
    const fault = channel.check?.(values) ?? null;
    if (fault !== null) at.complain([fault.key], fault.what, fault.rule);
    const warning = channel.warning?.(values) ?? null;
    if (warning !== null) at.warn([warning.key], warning.what, warning.rule);
    if (channel.takes === "turns") checkRota(values, at);
    if (channel.takes === "mail") checkMail(at, ["type"], type, at.isWritten(["to"]));
    return makeDestination(type, String(at.path.at(-1)), values, hearingOf(values, at));
  },
);

const defaultsOf = (keys: ChannelEntry["keys"]): Record<string, string> =>
  Object.fromEntries(Object.entries(keys).filter((entry): entry is [string, string] => typeof entry[1] === "string"));

/** Every destination by its name. `email` is among them without being configured, when mail can be sent. */
export const DESTINATIONS = into(
  namedTables(
    {
      meaning: 'A destination, to be named in the lists "destinations". "email" exists by itself.',
      names: SLUG_NAMES,
      inEnvironment: true,
      samples: Object.entries<ChannelEntry>(CHANNELS).map(([type, { sample = type, keys, examples }], place) => ({
        name: sample,
        // The keys that all destinations have are shown only for the first one.
        only: [...Object.keys(keys), ...(place === 0 ? Object.keys(HEARING_KEYS) : [])],
        values: { ...defaultsOf(keys), ...examples, type },
      })),
    },
    DESTINATION,
  ),
  (configured, at) => {
    const destinations = new Map<string, Destination>();
    for (const [name, destination] of configured) if (destination !== null) destinations.set(name, destination);
    for (const type of STANDING_ALONE) {
      const { takes } = CHANNELS[type];
      // True when nothing is added here: a destination of this name was written, or mail has no server. The destination
      // for people's browsers is added in cli/serving/sending.ts.
      const isLeftOut = at.isWritten([type]) || takes === "people" || (takes === "mail" && !wantsSmtp(at.whole));
      const destination = isLeftOut ? null : makeDestination(type, type, {});
      if (destination !== null) destinations.set(type, destination);
    }
    return destinations;
  },
);

function complainOfForeign(at: ConfigPlace, type: ChannelType, own: readonly string[]): void {
  const foreign = KEYS.filter((key) => !own.includes(key)).flatMap((key) => [key, `${key}_file`]);
  for (const spelling of foreign.filter((name) => at.isWritten([name])))
    at.complain([spelling], `is not for type "${type}"`, `must be one of ${own.join(", ")}`);
}

export const DESTINATION_LIST = listKind(
  decodedKind(textThat(isSlug, { ...SLUG, hidden: true }), (name, at) => {
    if (at.isWritten([])) checkReference(name, at);
    return name;
  }),
  "names of destinations",
);

function checkRota(
  { turns, answers }: Pick<ChannelValues & Fields<typeof HEARING_KEYS>, "turns" | "answers">,
  at: ConfigPlace,
): void {
  if (answers !== null) at.complain(["answers"], 'is not for type "rota"', "must stand with its turns");
  for (const [place, name] of (turns ?? []).entries()) {
    const type = ["destinations", name, "type"];
    if (!at.whole.isWritten(type) || at.whole.text(type) !== "rota") checkReference(name, at, ["turns", place]);
    else at.complain(["turns", place], `${JSON.stringify(name)} is a rota too`, "must be a destination that sends");
  }
}

function checkReference(name: string, at: ConfigPlace, path: Path = []): void {
  if (at.whole.isWritten(["destinations", name])) return;
  const standalone = STANDING_ALONE.find((type) => type === name);
  if (standalone !== undefined) {
    if (CHANNELS[standalone].takes === "mail") checkMail(at, path, name, false);
    return;
  }
  const names = [...(at.whole.names(["destinations"]) ?? []).filter(isSlug), ...STANDING_ALONE];
  at.complain(path, `${JSON.stringify(name)} is not a destination`, nearestOrAll(name, names));
}

/** Whether any key of [smtp] was written. A password that is only given as a credential of systemd does not count. */
export const wantsSmtp = (whole: ConfigPlace): boolean => whole.names(["smtp"])?.length !== 0;

/** Checks that there is a mail server, and recipients: those of the destination, or the members of the team. */
function checkMail(at: ConfigPlace, keys: Path, name: string, hasRecipients: boolean): void {
  const what = `${JSON.stringify(name)} cannot send`;
  if (!wantsSmtp(at.whole))
    at.complain(keys, what, "must have [smtp], or a server that `rollcall config set --mail` keeps");
  else if (!hasRecipients && !at.whole.isWritten(["team", "members", 0]))
    at.complain(keys, what, "must have team.members to send mail to");
}
