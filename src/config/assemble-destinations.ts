// Makes the destinations, those included that exist by their type's name alone, and checks that whatever is named in a
// list exists and can send. Knows no single channel: channels.ts does.

import { nearest } from "../domain/nearest.ts";
import { wantsSmtp } from "./assemble-smtp.ts";
import { CHANNEL_KEYS, CHANNEL_TYPES, CHANNELS, type Channel, channelOf } from "./channels.ts";
import type { Destination } from "./config.ts";
import { complain, complainMissing, type Draft, isWritten, writtenTexts } from "./draft.ts";
import type { Path } from "./fault.ts";
import type { Values } from "./keys.ts";

type DestinationValues = Values["destinations"][string];

const NEEDS_SMTP = "must have [smtp] to send mail";
const NEEDS_RECIPIENTS = "must have team.members to send mail to";

/** Every destination by name. `email` is among them by itself when mail can be sent. */
export function assembleDestinations(draft: Draft): Map<string, Destination> {
  const destinations = new Map<string, Destination>();
  for (const [name, values] of Object.entries(draft.values.destinations)) {
    const destination = assembleDestination(draft, name, values);
    if (destination !== null) destinations.set(name, destination);
  }
  for (const channel of CHANNELS.filter(standsAlone)) {
    const exists = isWritten(draft, ["destinations", channel.type]) || (channel.sendsMail && !wantsSmtp(draft));
    const destination = exists ? null : channel.build(channel.type, {});
    if (destination !== null) destinations.set(channel.type, destination);
  }
  return destinations;
}

const standsAlone = (channel: Channel): boolean => channel.needs.length === 0;

function assembleDestination(draft: Draft, name: string, values: DestinationValues): Destination | null {
  const path = ["destinations", name];
  const channel = values.type === undefined ? null : channelOf(values.type);
  if (channel === null) {
    complainMissing(draft, [...path, "type"], `must be ${CHANNEL_TYPES}`);
    return null;
  }
  for (const key of Object.keys(CHANNEL_KEYS) as (keyof typeof CHANNEL_KEYS)[]) {
    if (channel.keys.includes(key)) continue;
    for (const spelling of [key, `${key}_file`]) {
      if (!isWritten(draft, [...path, spelling])) continue;
      complain(
        draft,
        [...path, spelling],
        `is not for type "${channel.type}"`,
        `must be one of ${channel.keys.join(", ")}`,
      );
    }
  }
  for (const key of channel.needs) {
    if (values[key] === undefined) complainMissing(draft, [...path, key], `must be given for type "${channel.type}"`);
  }
  const fault = channel.check?.(values) ?? null;
  if (fault !== null) complain(draft, [...path, fault.key], fault.what, fault.rule);
  if (channel.sendsMail) checkMail(draft, [...path, "type"], channel.type, isWritten(draft, [...path, "to"]));
  return channel.build(name, values);
}

/** A list of destinations may only name what exists and can send. */
export function checkReferences(draft: Draft, path: Path): void {
  for (const { text, path: at } of writtenTexts(draft, path)) {
    if (isWritten(draft, ["destinations", text])) continue;
    const channel = channelOf(text);
    if (channel !== null && standsAlone(channel)) {
      if (channel.sendsMail) checkMail(draft, at, text, false);
      continue;
    }
    const names = [...Object.keys(draft.values.destinations), ...CHANNELS.filter(standsAlone).map((each) => each.type)];
    const near = nearest(text, names);
    const rule = near === null ? `must be one of ${names.join(", ")}` : `did you mean "${near}"?`;
    complain(draft, at, `${JSON.stringify(text)} is not a destination`, rule);
  }
}

/** Mail needs a server, and recipients: its own or the team's members. */
function checkMail(draft: Draft, path: Path, name: string, hasRecipients: boolean): void {
  const what = `${JSON.stringify(name)} cannot send`;
  if (!wantsSmtp(draft)) complain(draft, path, what, NEEDS_SMTP);
  else if (!hasRecipients && !isWritten(draft, ["team", "members", 0])) complain(draft, path, what, NEEDS_RECIPIENTS);
}
