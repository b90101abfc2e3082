// Makes the destinations, including those that exist by their type's name alone, and checks that every name in a list
// exists and can send. Knows no single channel: channels.ts does.

import { nearest } from "../domain/text.ts";
import { wantsSmtp } from "./assemble-smtp.ts";
import {
  CHANNEL_KEYS,
  CHANNEL_TYPES,
  CHANNELS,
  type ChannelEntry,
  type ChannelKey,
  type ChannelType,
  isChannelType,
  NEEDED,
} from "./channels.ts";
import { type Destination, makeDestination } from "./destination.ts";
import { type ConfigDraft, complain, complainMissing, isWritten, warn, writtenTexts } from "./draft.ts";
import type { Path } from "./fault.ts";
import type { Values } from "./keys.ts";

type DestinationValues = Values["destinations"][string];

const NEEDS_SMTP = "must have [smtp] to send mail";
const NEEDS_RECIPIENTS = "must have team.members to send mail to";

const KEYS = Object.keys(CHANNEL_KEYS) as readonly ChannelKey[];

const needsOf = ({ keys }: ChannelEntry): ChannelKey[] => KEYS.filter((key) => keys[key] === NEEDED);

/** Types that need no key are destinations by themselves. */
const STANDING_ALONE = (Object.keys(CHANNELS) as ChannelType[]).filter((type) => needsOf(CHANNELS[type]).length === 0);

/** Every destination by name. Includes `email` without configuration when mail can be sent. */
export function assembleDestinations(draft: ConfigDraft): Map<string, Destination> {
  const destinations = new Map<string, Destination>();
  for (const [name, values] of Object.entries(draft.values.destinations)) {
    const destination = assembleDestination(draft, name, values);
    if (destination !== null) destinations.set(name, destination);
  }
  for (const type of STANDING_ALONE) {
    const exists = isWritten(draft, ["destinations", type]) || (CHANNELS[type].takes === "mail" && !wantsSmtp(draft));
    const destination = exists ? null : makeDestination(type, type, {});
    if (destination !== null) destinations.set(type, destination);
  }
  return destinations;
}

function assembleDestination(draft: ConfigDraft, name: string, values: DestinationValues): Destination | null {
  const path = ["destinations", name];
  const { type } = values;
  if (type === undefined || !isChannelType(type)) {
    complainMissing(draft, [...path, "type"], `must be ${CHANNEL_TYPES}`);
    return null;
  }
  const channel: ChannelEntry = CHANNELS[type];
  complainOfForeign(draft, path, type, Object.keys(channel.keys));
  for (const key of needsOf(channel)) {
    if (values[key] === undefined) complainMissing(draft, [...path, key], `must be given for type "${type}"`);
  }
  const fault = channel.check?.(values) ?? null;
  if (fault !== null) complain(draft, [...path, fault.key], fault.what, fault.rule);
  const doubt = channel.doubt?.(values) ?? null;
  if (doubt !== null) warn(draft, [...path, doubt.key], doubt.what, doubt.rule);
  if (channel.takes === "mail") checkMail(draft, [...path, "type"], type, isWritten(draft, [...path, "to"]));
  return makeDestination(type, name, values);
}

/** Keys of other channels are faults here. */
function complainOfForeign(draft: ConfigDraft, path: Path, type: ChannelType, own: readonly string[]): void {
  const foreign = KEYS.filter((key) => !own.includes(key)).flatMap((key) => [key, `${key}_file`]);
  for (const spelling of foreign.filter((name) => isWritten(draft, [...path, name])))
    complain(draft, [...path, spelling], `is not for type "${type}"`, `must be one of ${own.join(", ")}`);
}

/** A list of destinations may only name what exists and can send. */
export function checkReferences(draft: ConfigDraft, path: Path): void {
  for (const { text, path: at } of writtenTexts(draft, path)) {
    if (isWritten(draft, ["destinations", text])) continue;
    const standing = STANDING_ALONE.find((type) => type === text);
    if (standing !== undefined) {
      if (CHANNELS[standing].takes === "mail") checkMail(draft, at, text, false);
      continue;
    }
    const names = [...Object.keys(draft.values.destinations), ...STANDING_ALONE];
    const near = nearest(text, names);
    const rule = near === null ? `must be one of ${names.join(", ")}` : `did you mean "${near}"?`;
    complain(draft, at, `${JSON.stringify(text)} is not a destination`, rule);
  }
}

/** One that no list names gets no alert; hardly anybody means that. */
export function warnOfUnused(draft: ConfigDraft): void {
  const { team, applications, destinations } = draft.values;
  const tiers = [team, ...Object.values(applications).flatMap((one) => [one, ...Object.values(one.monitors)])];
  const used = new Set(tiers.flatMap((tier) => tier.destinations ?? []));
  for (const name of Object.keys(destinations).filter((one) => !used.has(one)))
    warn(
      draft,
      ["destinations", name],
      "gets no alert, because nothing names it",
      "must stand in the destinations of [team], of an application or of a monitor to get some",
    );
}

/** Mail needs a server, and recipients: its own or the team's members. */
function checkMail(draft: ConfigDraft, path: Path, name: string, hasRecipients: boolean): void {
  const what = `${JSON.stringify(name)} cannot send`;
  if (!wantsSmtp(draft)) complain(draft, path, what, NEEDS_SMTP);
  else if (!hasRecipients && !isWritten(draft, ["team", "members", 0])) complain(draft, path, what, NEEDS_RECIPIENTS);
}
